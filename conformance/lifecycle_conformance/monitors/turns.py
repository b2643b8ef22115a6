"""Owns the invariants of turns in the log: I2, I10, I11. Refuses to know which steps a turn takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lifecycle_conformance.monitors.base import Monitor, PerLife
from lifecycle_conformance.monitors.feed import Asked, Feed, Looked, Saw
from lifecycle_conformance.monitors.finding import STATUS
from lifecycle_conformance.monitors.life import Life, Turn
from lifecycle_conformance.monitors.story import outcomes
from lifecycle_model.commands import Release
from lifecycle_model.wire import RECORDS, UNSET, Observation

TURN_GATES = frozenset(
    {"policy", "assembly", "prefix", "pre_step", "model", "recovery", "tool", "post_step", "continuation", "stopping"}
)
"""The gates that are shown a turn's signal."""


class Balanced(Monitor):
    """I2: TS/TE and SS/SE balanced; one open turn; turn numbers increase, and steps within a turn."""

    clause = "I2"
    events = frozenset({"turn/start", "turn/end", "step/start", "step/end"})

    def saw(self, moment: Saw) -> Iterator[str]:
        """Judge one boundary against what is open in the log."""
        life, seen = moment.life, moment.seen
        if life.loose or not self.shown.has("turn/start", "turn/end"):
            return
        turn = life.turn
        match seen.event:
            case "turn/start":
                yield from self._starts(life, seen)
            case "turn/end" if turn is None:
                yield f"{life.id} ended turn {seen.turn}, and none is open"
            case "turn/end" if turn is not None and turn.number != seen.turn:
                yield f"{life.id} ended turn {seen.turn} while turn {turn.number} is open"
            case "turn/end" if turn is not None and turn.step is not None and self.shown.has("step/end"):
                yield f"{life.id} ended turn {seen.turn} with step {turn.step} open"
            case "step/start":
                yield from self._step_starts(life, seen, turn)
            case "step/end" if self.shown.has("step/start") and (turn is None or turn.step != seen.step):
                yield f"{life.id} ended step {seen.step}, which is not open"
            case _:
                pass

    def _starts(self, life: Life, seen: Observation) -> Iterator[str]:
        if life.turn is not None:
            yield f"{life.id} started turn {seen.turn} while turn {life.turn.number} is open"
        if seen.turn is not UNSET and seen.turn <= life.last_turn:
            yield f"{life.id} started turn {seen.turn} after turn {life.last_turn}"

    def _step_starts(self, life: Life, seen: Observation, turn: Turn | None) -> Iterator[str]:
        if turn is None or turn.number != seen.turn:
            yield f"{life.id} started step {seen.step} of turn {seen.turn}, which is not open"
        elif turn.step is not None and self.shown.has("step/end"):
            yield f"{life.id} started step {seen.step} while step {turn.step} is open"
        elif seen.step is not UNSET and seen.step <= turn.last_step:
            yield f"{life.id} started step {seen.step} after step {turn.last_step}"


@dataclass(eq=False, slots=True)
class _Signal:
    read: str | None = None


class OneReason(Monitor):
    """I10: a signal's reason is set at most once; the TE of a message turn obeys C18."""

    clause = "I10"
    events = frozenset({"abort", "gate", "turn/end", "turn/start", "agent/inbox/dequeue", STATUS})

    def __init__(self, feed: Feed) -> None:
        super().__init__(feed)
        self._signals = PerLife(_Signal)

    def saw(self, moment: Saw) -> Iterator[str]:
        """Judge aborts, signals shown to gates, and the reasons turns end with."""
        life, seen = moment.life, moment.seen
        if seen.event == "abort" and life.holder == "aborted" and life.reason is not None and self.shown.holder:
            yield f"{life.id} ran abort({seen.reason}) although {life.reason} had aborted that signal"
        elif seen.event == "gate" and seen.gate in TURN_GATES and seen.signal is not UNSET:
            yield from self._shown_to_gate(life, seen)
        elif seen.event == "turn/end" and life.turn is not None and life.turn.of_message:
            yield from self._ends(life, seen, life.turn)
        if seen.event == STATUS or (seen.event == "agent/inbox/dequeue" and seen.steering is not True):
            # a status event or a claim may come with a new holder
            self._signals.of(life).read = None if seen.status in ("running", "idle", UNSET) else self._read(life)

    def looked(self, moment: Looked) -> Iterator[str]:
        """Judge the reason in a snapshot taken at quiet against the abort seen, and against an earlier snapshot."""
        inspect, life = moment.inspect, moment.life
        if inspect is None or life is None or moment.when != "quiet" or life.holder != "aborted" or life.meddled:
            return
        holder = inspect.get("holder")
        if not isinstance(holder, str) or holder in ("none", "live"):
            return
        before = life.reason or self._read(life)
        if before is not None and holder != before:
            yield f"{life.id} has a holder aborted by {holder}, which {before} had aborted"
        self._signals.of(life).read = holder

    def _read(self, life: Life) -> str | None:
        return self._signals.of(life).read

    def _shown_to_gate(self, life: Life, seen: Observation) -> Iterator[str]:
        if not self.shown.holder or life.meddled:
            return
        if life.holder == "live":
            yield f"{life.id} showed gate {seen.gate} a signal aborted by {seen.signal} that nothing aborted"
        elif life.reason is not None and seen.signal != life.reason:
            yield f"{life.id} showed gate {seen.gate} a signal aborted by {seen.signal}; {life.reason} had aborted it"

    def _ends(self, life: Life, seen: Observation, turn: Turn) -> Iterator[str]:
        shown = self.shown
        if not shown.holder or not {"disposed"} <= shown.statuses or life.loose or life.meddled:
            return
        if turn.failed:
            due = "error"
        elif life.status == "disposed":
            due = "disposed"
        elif life.holder == "aborted":
            due = "aborted"
        elif turn.blocked:
            due = "rejected"
        else:
            due = None
        if due is not None and seen.reason != due:
            yield f"{life.id} ended turn {turn.number} as {seen.reason}; it is {due} by C18"
        elif due is None and seen.reason in ("aborted", "disposed", "interrupted"):
            yield f"{life.id} ended turn {turn.number} as {seen.reason}, though nothing aborted or disposed it"
        elif due is None and seen.reason == "rejected" and shown.has("prompt/blocked"):
            yield f"{life.id} ended turn {turn.number} as rejected, though its prompt was not blocked"


@dataclass(eq=False, slots=True)
class _Batch:
    waiting: bool = False
    asked: int = 0
    advertised: int = 0
    called: list[str] = field(default_factory=list[str])
    open: list[str] = field(default_factory=list[str])
    left: str | None = None


class EveryCallAnswered(Monitor):
    """I11: every advertised tool call has a result at TE, contiguous with its batch.

    A record between the calls and results of a batch is a break only if a call or result follows it in that step.
    """

    clause = "I11"
    events = RECORDS | {"gate"}

    def __init__(self, feed: Feed) -> None:
        super().__init__(feed)
        self._batches = PerLife(_Batch)
        self._judges = feed.shown.has("tool/call", "tool/result", "assistant/message", "step/end", "turn/end")

    def asked(self, moment: Asked) -> Iterator[str]:
        """Note how many calls a released model call advertises."""
        command, life = moment.command, moment.life
        if isinstance(command, Release) and command.gate == "model" and command.of is not None and life is not None:
            batch, outcome = self._batches.of(life), outcomes(command)
            if batch.waiting and moment.answer.ok is not UNSET and outcome is not None and outcome.outcome != "chunk":
                batch.waiting = False
                batch.asked = outcome.tools if outcome.outcome == "tools" else 0
        yield from ()

    def saw(self, moment: Saw) -> Iterator[str]:
        """Judge one record of a step."""
        life, seen = moment.life, moment.seen
        batch = self._batches.of(life)
        if not self._judges or life.loose or not life.meddled.isdisjoint(("append", "append_out_of_band")):
            return
        match seen.event:
            case "gate":
                batch.waiting = batch.waiting or seen.gate == "model"
            case "step/start":
                batch.called.clear()
                batch.open.clear()
                batch.left, batch.advertised, batch.asked = None, 0, 0
            case "assistant/message":
                batch.advertised, batch.asked = batch.asked, 0
            case "tool/call" | "tool/result":
                yield from self._of_batch(life, seen, batch)
            case "step/end" | "turn/end":
                yield from self._closed(life, seen, batch)
            case _:
                batch.left = batch.left or (seen.event if batch.called else None)

    def _of_batch(self, life: Life, seen: Observation, batch: _Batch) -> Iterator[str]:
        call = str(seen.id)
        if batch.left is not None:
            yield f"{life.id} logged {batch.left} inside a batch of calls, before {seen.event} {call}"
            batch.left = None
        if seen.event == "tool/call":
            batch.called.append(call)
            batch.open.append(call)
        elif call in batch.open:
            batch.open.remove(call)
        else:
            yield f"{life.id} logged a result of {call}, which is no open call"

    def _closed(self, life: Life, seen: Observation, batch: _Batch) -> Iterator[str]:
        if batch.open:
            yield f"{life.id} closed {seen.event[:4]} {seen.turn} without a result of {', '.join(batch.open)}"
        elif batch.advertised > len(batch.called):
            yield f"{life.id} closed a step with {len(batch.called)} of the {batch.advertised} calls it advertised"
        batch.open.clear()
        batch.advertised = 0
