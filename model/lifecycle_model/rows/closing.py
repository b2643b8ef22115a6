"""The close of a turn (X5), its flush, and the driver's exit."""

from __future__ import annotations

from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.rows import words as w
from lifecycle_model.rows.inbox import flush_started
from lifecycle_model.rows.turn import KEEP_SE, SAY_SE
from lifecycle_model.state import Agent
from lifecycle_model.table import END, Program, Row
from lifecycle_model.wire import Observation


def step_is_open(now: Now) -> bool:
    """A step is open in the log."""
    return bool(now.it.step_open)


def reason_of(now: Now) -> str:
    """C18: disposed, else aborted, else error, rejected, max-tokens, completed."""
    if now.it.status == "disposed":
        return "disposed"
    if now.it.holder not in (None, "live"):
        return "aborted"
    if now.it.failed:
        return "error"
    if now.it.rejected:
        return "rejected"
    return "max-tokens" if now.it.finish == "max-tokens" else "completed"


def classify(now: Now) -> Agent:
    """Fix the reason of the turn end."""
    return replace(now.it, closing=reason_of(now))


def closes_failed(now: Now) -> bool:
    """The turn was classified as failed."""
    return bool(now.it.closing == "error")


def turn_error(now: Now) -> Observation:
    """`err(n,k)`."""
    return Observation("agent/error", of=now.subject, turn=now.it.turn, step=now.it.step)


def end_turn(now: Now) -> Agent:
    """Remove the holder, close the turn in the log, forget the turn's own data."""
    now.notes["turn"] = now.it.turn
    return replace(
        now.it,
        holder=None,
        open=False,
        item=None,
        failed=False,
        rejected=False,
        calls=0,
        call=0,
        running=0,
        batch=False,
        delivered=False,
        finish="",
    )


def flush_failed(now: Now) -> bool:
    """A flush listener failed."""
    return now.outcome.outcome == "fail"


def flushed(now: Now) -> Observation:
    """The flush has settled, `FL.` for short."""
    return Observation("session/flush", of=now.of, state="settled", ok=not flush_failed(now))


def turn_flush_error(now: Now) -> Observation:
    """`err(n, last step)` of a failed turn flush."""
    return Observation("agent/error", of=now.subject, turn=now.gate.turn if now.gate else now.it.turn, step=now.it.step)


def other_flush_error(now: Now) -> Observation:
    """`err(n,0)` of a failed injection flush."""
    return Observation("agent/error", of=now.subject, turn=now.gate.turn if now.gate else now.it.turn, step=0)


def flush_drained(now: Now) -> Agent:
    """One tracked flush less."""
    return replace(now.it, flushes=now.it.flushes - 1)


def exit_driver(now: Now) -> Agent:
    """The driver has exited: waiters caught by disposal resolve."""
    w.resolve_waiters(now)
    return replace(now.it, exited=True, waiters=(), at="NoTurn", holder=None)


def paced(now: Now) -> bool:
    """The driver is held at its wakes, and this flush has not yet waited for it."""
    return bool(now.gate is not None and now.gate.kind == "flush" and now.subject in now.world.stepped)


def keep_turn(now: Now) -> Agent:
    """Remember whose flush it is."""
    now.notes["turn"] = now.gate.turn if now.gate else now.it.turn
    return now.it


A, T = "agent", "turn"
IN_TURN = ("InTurn", "Cancelling", "Disposing")
KEEP_TE, SAY_TE = w.record("turn/end", turn=w.turn_of, reason=lambda now: now.it.closing)

PROGRAMS = (
    Program("close", "close a turn: step end, classify, error, turn end, flush",
            ("close.step", "close.classify", "close.error", "close.settle", "close.end", "close.flush", "close.drain"), ("X5", "C18", "D2")),
    Program("flush", "the turn's flush settles", ("flush.pace", "flush.stored", "flush.settle", "flush.error", "flush.next"), ("S/r17", "Q8", "D4")),
    Program("inject.flushed", "an injection's flush settles", ("inject.flushed.stored", "inject.flushed.settle", "inject.flushed.error", "inject.flushed.drained"),
            ("Q17", "T6")),
    Program("driver.exit", "the driver exits", ("driver.exit.leave", "driver.exit.drained"), ("S/r22", "S8")),
)  # fmt: skip

ROWS = (
    Row("X5 SE", T, (), "close.step", ("X5", "Q20"), guard=step_is_open, effect=w.chain(w.setting(step_open=False), KEEP_SE), says=(SAY_SE,), appends=True),
    Row("C18", T, (), "close.classify", ("C18", "C19", "C23", "D1"), effect=classify),
    Row("Q20 err", T, (), "close.error", ("Q20", "X5"), guard=closes_failed, says=(turn_error,)),
    Row("S/r15", A, ("InTurn",), "close.settle", ("S/r15", "X5", "S4"), to="Settling", effect=end_turn),
    Row("S/r16", A, ("Cancelling",), "close.settle", ("S/r16", "X5", "S4", "V2"), to="Settling", effect=end_turn),
    Row("S/r22 TE", A, ("Disposing",), "close.settle", ("S/r22", "T/r2", "X5", "T5"), effect=end_turn),
    Row("X5 TE", T, (), "close.end", ("X5", "C13", "D1"), to="Flush", effect=KEEP_TE, says=(SAY_TE,), appends=True),
    Row("X5 FL", T, ("Flush",), "close.flush", ("X5", "D2"), says=(flush_started,), opens="flush", awaits=True),
    Row("D/r3 turn", A, (), "close.drain", ("D/r3", "D2"), runs="log.drain", on=w.its_log),

    Row("X9 paced", T, ("Flush",), "flush.pace", ("X9",), guard=paced, effect=keep_turn, opens="driver flush", then=END),
    Row("D/r3 turn flushed", A, (), "flush.stored", ("D/r3",), runs="log.flushed", on=w.its_log),
    Row("S/r17", A, ("Settling",), "flush.settle", ("S/r17", "S3", "Q8"), to="Between", says=(flushed,)),
    Row("S/r22 FL.", A, ("Disposing",), "flush.settle", ("S/r22", "T6"), says=(flushed,)),
    Row("S11", A, (), "flush.error", ("S11", "D4"), guard=flush_failed, says=(turn_flush_error,)),
    Row("X6 others may act", T, ("Flush",), "flush.next", ("X6",), to="NoTurn", opens="driver driver.loop", then=END),

    Row("D/r3 injection flushed", A, (), "inject.flushed.stored", ("D/r3",), runs="log.flushed", on=w.its_log),
    Row("Q17 FL.", A, (), "inject.flushed.settle", ("Q17", "Q/r8"), effect=flush_drained, says=(flushed,)),
    Row("Q17 err", A, (), "inject.flushed.error", ("Q17", "D4"), guard=flush_failed, says=(other_flush_error,)),
    Row("T/r3 flush", A, ("Disposing",), "inject.flushed.drained", ("T/r3", "T6"), then="drained"),

    Row("S/r22 leave", A, ("Disposing",), "driver.exit.leave", ("S/r22", "S8", "S7", "T/r2"), effect=exit_driver),
    Row("T/r2", A, ("Disposing",), "driver.exit.drained", ("T/r2",), then="drained"),
)  # fmt: skip
