"""Owns the checks: an id, what is asked, and the sentence of the protocol, in our words, that asks it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Group = Literal["S", "L"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing an agent keeps or does not.

    Group S bears on the protocol's own text, on `page`; group L only on our lifecycle contract. An
    `advisory` check rests on a SHOULD: what it sees is a note and never decides a verdict.
    """

    id: str
    title: str
    says: str
    page: str
    advisory: bool = False

    @property
    def group(self) -> Group:
        """Return S or L."""
        return "S" if self.id.startswith("S") else "L"


_TURN = "protocol/v1/prompt-turn"
_SETUP = "protocol/v1/session-setup"
_RPC = "JSON-RPC 2.0"
_OURS = "contract, section A"

CHECKS = {
    check.id: check
    for check in (
        Check(
            "S1",
            "version negotiation",
            "initialize is answered with the version asked for if the agent speaks it, else with the latest it speaks",
            "protocol/v1/initialization, Version Negotiation",
        ),
        Check(
            "S2",
            "unique session ids",
            "session/new is answered with an id that no other session has",
            f"{_SETUP}, Creating a Session",
        ),
        Check(
            "S3",
            "a cancelled prompt ends cancelled",
            "after session/cancel the prompt is answered with the stop reason cancelled; an error that aborting causes"
            " inside the agent is caught, not returned",
            f"{_TURN}, Cancellation",
        ),
        Check(
            "S4",
            "every prompt is answered exactly once",
            "the agent responds to the session/prompt request when its turn ends, and a request has one response",
            f"{_TURN}, section 4; {_RPC}",
        ),
        Check(
            "S5",
            "no turn content after the cancelled answer",
            "updates may follow a cancel, but all of them come before the prompt's answer",
            f"{_TURN}, Cancellation",
        ),
        Check(
            "S6",
            "work stops after a cancel",
            "after session/cancel an agent should stop its model requests and tool calls as soon as it can",
            f"{_TURN}, Cancellation",
            advisory=True,
        ),
        Check(
            "S7",
            "a cancelled permission ends the turn",
            "a permission request answered with the outcome cancelled belongs to a cancelled turn, which is answered"
            " cancelled; that the tool does not run then is our reading",
            f"{_TURN}, Cancellation; schema, RequestPermissionOutcome",
        ),
        Check(
            "S8",
            "load, resume and close do what was advertised",
            "session/load sends the whole conversation as updates before it answers; session/resume sends none of it;"
            " after either, prompts go on as if the session had not been interrupted; session/close ends the session's"
            " work and its prompt ends cancelled; an advertised method exists",
            f"{_SETUP}, Loading Sessions, Resuming Sessions, Closing Active Sessions",
        ),
        Check(
            "S9",
            "only protocol messages on stdout",
            "the agent writes nothing to stdout that is not a valid message, one a line",
            "protocol/v1/transports, stdio",
        ),
        Check(
            "S10",
            "notifications get no answer, unknown methods an error",
            "a notification is never answered; a method that does not exist is answered with error -32601",
            f"{_RPC}; schema, ErrorCode",
        ),
        Check(
            "S11",
            "a cancel reaches its own session only",
            "session/cancel names one session; independent sessions keep running",
            f"schema, CancelNotification; {_SETUP}, Session ID",
        ),
        Check(
            "S12",
            "end_turn means that this turn ended",
            "end_turn says that the model finished responding: the prompt reached the model, the model's text was"
            " sent as updates, all of it before the answer, and the client may prompt again",
            f"{_TURN}, sections 3 and 4, Stop Reasons",
        ),
        Check(
            "L1",
            "an idle cancel does nothing",
            "session/cancel with no prompt running changes nothing",
            f"{_OURS}: A6, C3",
        ),
        Check(
            "L2",
            "a repeated or stray cancel does nothing more",
            "a second cancel, and one for an unknown session, change nothing and raise nothing",
            f"{_OURS}: A6, C12",
        ),
        Check(
            "L3",
            "end of input ends the agent and all it started",
            "when its input ends the agent disposes its sessions and exits, and no process it started is left",
            f"{_OURS}: A10, A11",
        ),
        Check(
            "L4",
            "SIGTERM ends the agent and all it started",
            "asked to terminate, the agent exits, and no process it started is left",
            f"{_OURS}: A10, A11",
        ),
        Check(
            "L5",
            "no prompt without a session",
            "a prompt for an unknown or closed session is refused with an error",
            f"{_OURS}: A6, A/r16",
        ),
        Check(
            "L6",
            "overlapping prompts are each answered, unmixed",
            "a prompt sent while another runs is queued, refused or replaces it: each has one answer of its own, and"
            " their contents do not interleave (the protocol leaves overlapping prompts to the client's care)",
            f"{_OURS}: A1, A3, A4",
        ),
        Check(
            "L7",
            "a prompt written together with a cancel is not lost",
            "a cancel and a prompt in one write: the running prompt is cancelled, the new one refused or run",
            f"{_OURS}: A3, A4, C11",
        ),
        Check(
            "L8",
            "a cancel takes effect within the limit",
            "stopping is cooperative but bounded: a cancelled prompt is answered within the limit, both with a model"
            " that is silent (stalled) and with one that is producing (slow)",
            f"{_OURS}: A4, C16",
        ),
        Check(
            "L9",
            "loading a live session harms nothing",
            "a load of a live session is refused or replays: the running prompt is still answered, a cancel still"
            " reaches it, and nothing is sent twice afterwards",
            f"{_OURS}: A14, A/r4",
        ),
        Check(
            "L10",
            "an unknown session cannot be loaded",
            "session/load of an id that was never stored is answered with an error",
            f"{_OURS}: A/r4, P17",
        ),
    )
}
