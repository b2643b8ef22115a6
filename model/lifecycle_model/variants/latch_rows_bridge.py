"""The variant's bridge (A): a prompt is admitted before it is sent, and settles once its agent is idle.

The rows of contract 1's `bridge` and `prompts` hold but for these; no published package is judged by them.
Where the text is silent: an admission only ends or is aborted; the boundary cancels with the cause user, and begins its
disposals after its segment; a prompt whose agent is gone when its admission ends is one never claimed (A8); an error of
its agent counts from the send on.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from lifecycle_model.commands import Cancel, Send
from lifecycle_model.engine import Now
from lifecycle_model.parts import PromptSlot
from lifecycle_model.rows import bridge
from lifecycle_model.rows.bridge import refuse_call
from lifecycle_model.rows.durability import act
from lifecycle_model.rows.prompts import (
    answer_pending,
    cancel,
    closing,
    flag,
    hears,
    is_over,
    its_connections,
    noted_connection,
    own_agent,
    refuse_with,
    undelivered,
    vanish,
)
from lifecycle_model.state import Agent
from lifecycle_model.table import END, Ear, Machine, Program, Row
from lifecycle_model.variants import latch_words as v
from lifecycle_model.wire import ANY, UNSET

OCCUPIED = ("Admitting", "Sent", "Claimed", "Draining")


def was_flagged(now: Now) -> bool:
    """The client cancelled, or left."""
    return bool(now.it.flagged)


def its_message(now: Now) -> tuple[Send, ...]:
    """The message is sent to the session's agent, if something is left of that."""
    return (Send(now.it.name, now.it.message),) if own_agent(now) is not None else ()


def send_raised(now: Now) -> bool:
    """The send raised."""
    return any(answer.refused is not UNSET for answer in now.note("given") or ())


def reject(now: Now) -> PromptSlot:
    """The slot is free, and the prompt settles with a rejection."""
    now.settle(now.it.prompt, refused=ANY)
    return replace(now.it, prompt="", message="", flagged=False, failed=False, reason="")


def nothing_active(now: Now) -> bool:
    """Its agent has no activity, or is gone."""
    agent = own_agent(now)
    return agent is None or agent.place == "Idle"


def its_claim(now: Now) -> bool:
    """What is dequeued is the prompt's message."""
    return bool(now.note("heard").item == now.it.message)


def note_claim(now: Now) -> PromptSlot:
    """A turn has claimed the message."""
    return replace(now.it, reason=now.it.reason or "claimed")


def note_error(now: Now) -> PromptSlot:
    """The agent has published an error."""
    return replace(now.it, reason="error")


def settle(now: Now) -> PromptSlot:
    """A5L: cancelled by the client, else failed output or an agent's error, else never claimed, else end_turn."""
    it: PromptSlot = now.it
    if it.flagged:
        now.settle(it.prompt, ok="cancelled")
    elif it.failed:
        now.settle(it.prompt, refused="output_failed")
    elif it.reason == "error":
        now.settle(it.prompt, refused=ANY)
    else:
        now.settle(it.prompt, ok="end_turn" if it.reason == "claimed" else "cancelled")
    return replace(it, prompt="", message="", flagged=False, failed=False, reason="")


def cancels(now: Now) -> tuple[Cancel, ...]:
    """`agent.cancel(user)` of every session."""
    return tuple(Cancel(name) for name in bridge.agents(now) if now.part(name).name == name)


def busy(now: Now) -> bool:
    """An agent of its sessions has an activity, or an admission has not ended."""
    agents = (now.part(name) for name in bridge.agents(now))
    admissions = (now.part(name).place == "Admitting" for name in bridge.slots(now))
    return any(isinstance(agent, Agent) and agent.place != "Idle" for agent in agents) or any(admissions)


def some_records(now: Now) -> bool:
    """A session record is left."""
    return bool(bridge.slots(now))


def itself(now: Now) -> Iterable[str]:
    """The component itself."""
    return (now.subject,)


def over_and_closing(now: Now) -> bool:
    """The connection is being closed, nothing is left of the agent, its output is delivered, and no admission runs."""
    return closing(now) and is_over(now) and now.it.place != "Admitting"


S, N, A = "slot", "connection", "agent"

MACHINE = Machine(
    "slot",
    "A bridge session's record and its prompt slot (A, A16L); Unwanted is a session that came after closing.",
    "place",
    ("None", "Free", *OCCUPIED, "Unwanted"),
    "None",
    dict.fromkeys(OCCUPIED[:3], "occupied"),
)

EARS = (
    Ear("agent/inbox/dequeue", "slot.claim", hears),
    Ear("agent/error", "slot.error", hears),
    Ear("assistant/message", "slot.update", hears),
    Ear("user/message", "slot.possible", hears),
    Ear("tool/call", "slot.possible", hears),
    Ear("tool/result", "slot.possible", hears),
    Ear("step/end", "slot.possible", hears),
)

PROGRAMS = (
    Program("acp", "what the client asks of the bridge, and its teardown",
            ("acp.prompt", "acp.cancel", "acp.connect", "acp.close", "acp.open", "acp.loadable", "acp.new"), ("A9", "A10L")),
    Program("quiesce", "the one boundary: refuse, cancel, quiesce, dispose all",
            ("quiesce.calls", "quiesce.slots", "quiesce.cancel", "quiesce.agents", "quiesce.over"), ("A10L", "A11")),
    Program("part", "a closed connection disposes its sessions once they are idle", ("part.busy", "part.agents", "part.over"), ("A10L",)),
    Program("prompt", "session/prompt: occupy the slot, admit", ("prompt.closed", "prompt.unknown", "prompt.busy", "prompt.admit"), ("A1", "A16L")),
    Program("admission", "the admission has ended: send, unless it was cancelled",
            ("admission.flagged", "admission.send", "admission.failed", "admission.idle", "admission.vanish", "admission.part"), ("A16L", "A2")),
    Program("slot.claim", "a message of its agent is claimed", ("slot.claim.own",), ("A3L", "A/r9L")),
    Program("slot.error", "an error of its agent is published", ("slot.error.note",), ("A5L", "A/r15")),
    Program("slot.idle", "its agent is idle", ("slot.idle.settle", "slot.idle.part"), ("A4L", "A/r10L", "A/r11L")),
    Program("reply", "the prompt settles once its output has drained", ("reply.drain", "reply.now"), ("A4L", "A5L", "I20", "V9")),
    Program("output", "an update is delivered, or fails", ("output.failed", "output.delivered", "output.settle", "output.vanish"), ("A4L", "A5L")),
    Program("parted", "nothing is left of its agent", ("parted.note", "parted.settle", "parted.reject", "parted.vanish"), ("A10L", "A/r3")),
)  # fmt: skip

ROWS = (
    Row("policy session_load", N, ("Open",), "acp.loadable", ("policy session_load",), guard=act("load"), effect=refuse_call, then=END),
    Row("A10L cancels", N, ("Closing",), "quiesce.cancel", ("A10L", "A/r14"), gives=cancels),
    Row("A10L quiesces", N, ("Closing",), "quiesce.agents", ("A10L",), guard=some_records, opens="part"),
    Row("A10L waits", N, ("Closing",), "part.busy", ("A10L",), guard=busy, then=END),
    Row("A10 disposes now", N, ("Closing",), "part.agents", ("A10L", "A11"), runs="teardown", on=bridge.agents),
    Row("A10L over", N, ("Closing",), "part.over", ("A10L", "I21"), then="quieted"),

    Row("A/r6", S, OCCUPIED, "prompt.busy", ("A/r6", "A1", "A4L", "A16L", "I20"), effect=refuse_with("busy"), then=END),
    Row("A16L", S, ("Free",), "prompt.admit", ("A16L", "A2"), to="Admitting", effect=answer_pending, opens="admission"),
    Row("A16L cancelled", S, ("Admitting",), "admission.flagged", ("A16L", "A5L", "A7"), guard=was_flagged, to="Free", effect=settle, then="admission.vanish"),
    Row("A/r8", S, ("Admitting",), "admission.send", ("A/r8", "A2", "A3L"), to="Sent", gives=its_message),
    Row("A/r7", S, ("Sent",), "admission.failed", ("A/r7", "A2"), guard=send_raised, to="Free", effect=reject, then="admission.vanish"),
    Row("A4L parked", S, v.WAITS, "admission.idle", ("A4L", "A/r10L", "A8"), guard=nothing_active, then="slot.idle"),
    Row("A10L record", S, (), "admission.vanish", ("A10L", "I21"), guard=over_and_closing, effect=vanish, runs="part", on=noted_connection, then=END),
    Row("A10L goes on", S, (), "admission.part", ("A10L",), guard=closing, runs="part", on=its_connections),

    Row("A16L cancel", S, ("Admitting",), "withdraw_prompt.cancel", ("A16L", "A/r13", "A5L"), effect=flag, then=END),
    Row("A/r13", S, OCCUPIED[1:], "withdraw_prompt.cancel", ("A/r13", "A5L", "A7", "C1L"), effect=flag, gives=cancel),

    Row("A/r9L", S, ("Sent",), "slot.claim.own", ("A/r9L", "A3L", "A12"), guard=its_claim, to="Claimed", effect=note_claim),
    Row("A5L error", S, v.WAITS, "slot.error.note", ("A5L", "A/r15", "A12"), effect=note_error),
    Row("A/r11L", S, v.WAITS, "slot.idle.settle", ("A/r11L", "A/r10L", "A4L", "A15"), runs="reply", on=itself),
    Row("A10L idle", S, (), "slot.idle.part", ("A10L",), guard=closing, runs="part", on=its_connections),
    Row("A4L idle", A, ("Idle",), "settle.slot", ("A4L", "A10L", "S7L"), runs="slot.idle", on=v.slots_waiting),
    Row("A4 drained", S, ("Draining",), "output.settle", ("A4L",), runs="reply", on=itself),
    Row("A10 record drained", S, (), "output.vanish", ("A10L",), guard=over_and_closing, effect=vanish, runs="part", on=noted_connection),
    Row("A/r14 flags", S, OCCUPIED, "spare.flag", ("A/r14", "A5L", "A16L"), effect=flag),
    Row("A13 settles", S, ("Draining",), "drop.settle", ("A13", "A/r14"), runs="reply", on=itself),
    Row("A4 drains", S, v.WAITS, "reply.drain", ("A4L",), guard=undelivered, to="Draining", then=END),
    Row("A5", S, OCCUPIED, "reply.now", ("A5L", "A4L", "A1", "A8", "I20", "V9", "policy foreign_abort_stop_reason",
        "policy max_tokens_stop_reason"), to="Free", effect=settle),
    Row("A8 parted", S, v.WAITS, "parted.settle", ("A8", "A4L"), runs="reply", on=itself),
    Row("A10 record", S, (), "drop.vanish", ("A10L",), guard=over_and_closing, effect=vanish),
    Row("A10 record gone", S, (), "parted.vanish", ("A10L", "I21"), guard=over_and_closing, effect=vanish, runs="part", on=noted_connection),
    Row("A10 record drains", S, (), "parted.vanish", ("A10L", "A4L"), guard=closing, runs="part", on=its_connections),
)  # fmt: skip

EXTENDED = frozenset({"acp", "quiesce", "prompt", "output", "parted"})
"""Programs of contract 1 that have other steps here; their rows hold, but for those above and those dropped."""

DROPPED = frozenset({"A9 load", "A/r4", "A/r5", "A/r5 resumes", "A/r5 replays", "A10 disposes later", "A10 disposes"})
"""Rows of contract 1 that nothing replaces: no session is loaded, and disposals wait for idle agents."""

REMOVED = frozenset({"slot.drop", "slot.veto", "slot.converge", "slot.disposer", "fault", "replay"})
"""Programs that nothing replaces: what a prompt comes to is decided when its agent is idle; scope disposers do not fail."""
