"""Own one in-flight prompt: what became of its message and its turn, and the one answer that follows (A/r8 to r15).

Refuses to look at anything but its own message and turn (A3).
"""

import asyncio
from dataclasses import dataclass
from typing import Literal, TypeAlias

from lifecycle_runtime.acp_output import OutputQueue
from lifecycle_runtime.errors import LifecycleError
from lifecycle_runtime.session import TURN_END, TURN_START, Record

StopReason: TypeAlias = Literal["end_turn", "max_tokens", "cancelled"]


class PromptFailed(LifecycleError):
    """The prompt's turn failed, or could not start; the message is the failure's own (A5)."""

    code = "prompt_failed"


class OutputFailed(LifecycleError):
    """An update of the prompt's turn could not be delivered (A5)."""

    code = "output_failed"


@dataclass(frozen=True)
class BridgePolicies:
    """The optional policies of the contract that a bridge has; the defaults are the contract's."""

    foreign_abort_stop_reason: Literal["cancelled", "end_turn"] = "cancelled"
    max_tokens_stop_reason: Literal["max_tokens", "end_turn"] = "max_tokens"
    session_load: Literal["supported", "absent"] = "supported"


class Slot:
    """One prompt from its sending to its answer. `flagged` once its client cancelled or went away.

    The owner feeds it what is seen of the agent; `answer` settles once, when the turn converged or the message was
    dropped and everything the client is owed up to there is delivered (A4).
    """

    def __init__(self, output: OutputQueue, policies: BridgePolicies) -> None:
        self.answer: asyncio.Future[StopReason] = asyncio.get_running_loop().create_future()
        self.message: str | None = None
        self.flagged = False
        self.turn: int | None = None
        self._claiming = False
        self._reason: str | None = None
        self._error: BaseException | None = None
        self._ended = False
        self._output = output
        self._failed_before = len(output.failures)
        self._policies = policies

    @property
    def settled(self) -> bool:
        """Whether the slot is free again."""
        return self.answer.done()

    def dequeued(self, message: str) -> None:
        """Note that a message was taken to be run; its turn start follows in the same segment, or never."""
        self._claiming = message == self.message

    def recorded(self, record: Record) -> None:
        """Look whether a record of the log is the start or the end of its turn."""
        if record.type == TURN_START and self._claiming and record.data.get("trigger") == "message":
            self._claiming = False
            self.turn = self._number(record)
        elif record.type == TURN_END and self.turn is not None and self._number(record) == self.turn:
            reason = record.data.get("reason")
            self._reason = reason if isinstance(reason, str) else None

    def failed(self, turn: int, error: BaseException) -> None:
        """An agent error: of its turn while open (A/r11), or in the place of its turn start (A/r15)."""
        if self._claiming:
            self._claiming = False
            self._reason, self._error = "error", error
            self._end()
        elif turn == self.turn and self._reason is None:
            self._error = error

    def converged(self) -> None:
        """Note that its turn's flush settled (A/r11)."""
        if self._reason is not None:
            self._end()

    def dropped(self) -> None:
        """Its message was discarded, or its agent disposed, before the claim (A/r10)."""
        if self.turn is None and not self._claiming:
            self._reason = "disposed"
            self._end()

    def gone(self) -> None:
        """Its agent is gone: what has not ended can end no more, a turn whose log was taken away included (V9)."""
        self._reason = self._reason or "disposed"
        self._end()

    def _end(self) -> None:
        if not self._ended:
            self._ended = True
            self._output.after(self._settle)

    def _settle(self) -> None:
        """Answer as A5 says: flagged, failed output, then the turn's own end."""
        if self.answer.done():
            return
        undelivered = self._output.failures[self._failed_before :]
        if self.flagged:
            self.answer.set_result("cancelled")
        elif undelivered:
            self._refuse(OutputFailed(f"an update could not be delivered to the client: {undelivered[0]}"))
        elif self._reason == "completed":
            self.answer.set_result("end_turn")
        elif self._reason == "max-tokens":
            self.answer.set_result(self._policies.max_tokens_stop_reason)
        elif self._reason == "aborted":
            self.answer.set_result(self._policies.foreign_abort_stop_reason)
        elif self._reason == "error":
            said = str(self._error) if self._error is not None else "no detail was given"
            self._refuse(PromptFailed(f"the turn failed: {said}"), self._error)
        else:
            self.answer.set_result("cancelled")

    def _refuse(self, error: LifecycleError, cause: BaseException | None = None) -> None:
        error.__cause__ = cause
        self.answer.set_exception(error)
        self.answer.exception()  # whoever asked may have gone; that is no fault of ours

    @staticmethod
    def _number(record: Record) -> int | None:
        turn = record.data.get("turn")
        return turn if isinstance(turn, int) else None
