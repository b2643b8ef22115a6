"""The variant's cancel procedure (section C), which disposal performs too. One segment, re-entrant at every saying."""

from __future__ import annotations

from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.rows import words as w
from lifecycle_model.table import END, Program, Row
from lifecycle_model.variants import latch_words as v
from lifecycle_model.variants.latch_state import LatchAgent

CAUSES = ("user", "parent", "hook")


def cause(now: Now) -> str:
    """The cause of this cancel: the lifecycle's own is disposed."""
    return "disposed" if now.note("teardown") else str(now.command.cause)


def keeps(now: Now) -> bool:
    """keep_inbox was given."""
    return not now.note("teardown") and bool(now.command.keep_inbox)


def unknown_cause(now: Now) -> bool:
    """The cause is none that a caller may give."""
    return now.command.cause not in CAUSES


def clears(now: Now) -> bool:
    """keep_inbox was not given."""
    return not keeps(now)


def clears_next_step(now: Now) -> bool:
    """keep_inbox was not given, and items are pending for the next step."""
    return clears(now) and bool(now.it.steering)


def clears_next_turn(now: Now) -> bool:
    """keep_inbox was not given, and items are pending for the next turn."""
    return clears(now) and bool(now.it.queued)


def nothing_pending(now: Now) -> bool:
    """Nothing is pending."""
    return not v.pending(now)


def take_next_step(now: Now) -> LatchAgent:
    """Take every next-step item."""
    v.listed(now, *(item.id for item in now.it.steering))
    return replace(now.it, steering=())


def take_next_turn(now: Now) -> LatchAgent:
    """Take every next-turn item."""
    v.listed(now, *(item.id for item in now.it.queued))
    return replace(now.it, queued=())


def abort(now: Now) -> LatchAgent:
    """Fix the signal's reason."""
    return replace(now.it, holder=cause(now))


def closed_turn(now: Now) -> bool:
    """The turn's end is being published, and its signal is live."""
    return bool(now.it.at == "Closing" and v.signal_live(now))


def tears_down(now: Now) -> bool:
    """The cancel is the first act of a teardown."""
    return bool(now.note("teardown"))


A = "agent"
BUSY = ("Maintenance", "Starting", "Open", "Halting", "Exiting")
ROW = "cancel.enter"

PROGRAMS = (
    Program(
        "cancel",
        "cancel: discard next-step, discard next-turn, clear the latch, abort",
        (
            "cancel.check", "cancel.enter", "cancel.steps", "cancel.steps.each", "cancel.turns", "cancel.turns.each",
            "cancel.latch", "cancel.abort", "cancel.after",
        ),
        ("X2", "C1L", "C4L", "C8L", "C15L", "C21"),
    ),
)  # fmt: skip

ROWS = (
    Row("C1L absent", A, (), "cancel.check", ("C1L",), guard=v.absent, effect=v.refuse("not_live"), then=END),
    Row("C1L unknown cause", A, (), "cancel.check", ("C1L",), guard=unknown_cause, effect=v.refuse("invalid"), then=END),
    Row("C/r1L", A, ("Idle",), ROW, ("C/r1L", "C2L", "C3"), guard=nothing_pending, then="cancel.after"),
    Row("C/r3L", A, ("Idle",), ROW, ("C/r3L", "C2L", "C3"), guard=keeps, then="cancel.after"),
    Row("C/r2L", A, ("Idle",), ROW, ("C/r2L", "C6L")),
    Row("C/r5L", A, BUSY, ROW, ("C/r5L", "policy keep_inbox"), guard=w.both(v.signal_live, keeps)),
    Row("C/r4L", A, BUSY, ROW, ("C/r4L",), guard=v.signal_live),
    Row("C/r7L", A, BUSY, ROW, ("C/r7L", "C12L"), guard=keeps),
    Row("C/r6L", A, BUSY, ROW, ("C/r6L", "C12L")),
    Row("C4L next step", A, (), "cancel.steps", ("C4L", "C10", "I8L"), guard=clears_next_step, effect=take_next_step),
    v.each("C4L disc next step", "cancel.steps.each", ("C4L", "C15L", "C6L"), v.discarded),
    Row("C4L next turn", A, (), "cancel.turns", ("C4L", "C6L", "C10", "C11", "I8L"), guard=clears_next_turn, effect=take_next_turn),
    v.each("C4L disc next turn", "cancel.turns.each", ("C4L", "C15L", "C6L"), v.discarded),
    Row("C4L latch", A, (), "cancel.latch", ("S/r6L", "C/r6L", "C12L"), guard=clears, effect=w.setting(latch=False)),
    Row("C14L", A, ("Open",), "cancel.abort", ("C14L", "C13"), guard=closed_turn, effect=abort, says=(v.aborted,)),
    Row("S/r5L", A, ("Starting", "Open"), "cancel.abort", ("S/r5L", "C4L", "C15L", "C7L", "T4"), guard=v.signal_live, to="Halting",
        effect=abort, says=(v.aborted,)),
    Row("S/r6L", A, ("Maintenance",), "cancel.abort", ("S/r6L", "C7L"), guard=v.signal_live, effect=abort, says=(v.aborted,)),
    Row("C2L exiting", A, ("Exiting",), "cancel.abort", ("C2L", "C/r4L", "C7L"), guard=v.signal_live, effect=abort, says=(v.aborted,)),
    Row("T/r1L cancelled", A, (), "cancel.after", ("T/r1L",), guard=tears_down, opens="drain"),
)  # fmt: skip
