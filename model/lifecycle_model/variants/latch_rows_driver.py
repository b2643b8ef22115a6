"""The variant's driver between turns, and maintenance: wake, turn start, claim, exit, replay (table S; X4L to X6L)."""

from __future__ import annotations

from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.rows import words as w
from lifecycle_model.table import END, Program, Row
from lifecycle_model.variants import latch_words as v
from lifecycle_model.variants.latch_rows_inbox import someone_waits
from lifecycle_model.variants.latch_state import LatchAgent
from lifecycle_model.wire import Answer


def open_turn(now: Now) -> LatchAgent:
    """A turn is open in the log, one above the highest logged."""
    return replace(now.it, turn=now.it.turn + 1, open=True, step=0, ended="")


def start_vetoed(now: Now) -> bool:
    """Validation vetoed the turn start, or a turn is already open in the log."""
    return bool(w.vetoed(now) or now.it.open)


def first_claim(now: Now) -> bool:
    """No step of this turn was opened yet, and the signal is live."""
    return bool(now.it.step == 0 and v.signal_live(now))


def take_first(now: Now) -> LatchAgent:
    """Take all next-step items, then the next-turn head."""
    batch = (*now.it.steering, *now.it.queued[:1])
    v.listed(now, *(item.id for item in batch))
    return replace(now.it, claimed=batch, steering=(), queued=now.it.queued[1:])


def take_more(now: Now) -> LatchAgent:
    """Take all next-step items."""
    v.listed(now, *(item.id for item in now.it.steering))
    return replace(now.it, claimed=now.it.steering, steering=())


def begin_job(now: Now) -> LatchAgent:
    """A maintenance job runs, with a signal of its own; the status stays idle."""
    now.answer = Answer(pending=now.command.as_)
    return replace(v.fresh_signal(now), status="idle", watched=True, job=now.command.as_)


def end_job(now: Now) -> LatchAgent:
    """Settle the job and converge."""
    word = now.outcome.outcome
    if word == "aborted":
        now.settle(now.it.job, refused="aborted")
    elif word == "fail":
        now.settle(now.it.job, refused="value" if now.outcome.value else "invalid")
    else:
        now.settle(now.it.job)
    return v.converge(now)


def draining(now: Now) -> bool:
    """The agent is draining, and nothing is about to look whether it may unwind."""
    return bool(now.it.life == "Draining") and not v.ready("drain", now)


A, T = "agent", "turn"
KEEP_TS, SAY_TS = w.record("turn/start", turn=w.turn_of)

PROGRAMS = (
    Program("wake", "a driver starts on the caller's stack: signal, status(running), abort check",
            ("wake.start", "wake.go"), ("X4L", "S4L", "Q2L")),
    Program("turn", "turn start: abort check, TS, claim, into assembly", ("turn.check", "turn.ask", "turn.start", "turn.claim"), ("X4L", "Q7L")),
    Program("claim", "take a batch, publish it, assemble", ("claim.check", "claim.take", "claim.each", "claim.assemble"), ("Q13L", "Q5L")),
    Program("exit", "the driver exits: status(idle), then the replay if still Idle",
            ("exit.idle", "exit.replay", "exit.waiters", "exit.drain"), ("X6L", "S3L")),
    Program("start_maintenance", "start a maintenance job", ("job.check", "job.start"), ("S14L",)),
    Program("maintenance", "the job ends: replay, or idle", ("job.end", "job.replay", "job.idle"), ("S/r15L", "S/r16L")),
)  # fmt: skip

ROWS = (
    Row("S/r1L starts", A, ("Idle",), "wake.start", ("S/r1L", "S4L", "X4L", "S2", "Q23"), to="Starting", effect=v.fresh_signal, says=(w.status("running"),)),
    Row("S/r1L goes on", A, (), "wake.go", ("X4L",), then="turn"),

    Row("S/r8L", A, ("Halting",), "turn.check", ("S/r8L", "S6L", "C15L", "C14L"), to="Exiting", effect=v.leave, opens="driver exit", then=END),
    Row("L/r3 TS", T, (), "turn.ask", ("L/r3",), asks="validation turn/start"),
    Row("Q7L vetoed", A, (), "turn.start", ("Q7L", "S/r11L", "Q22L"), guard=start_vetoed, to="Exiting", effect=v.leave, says=(v.failed_at,),
        opens="driver exit", then=END),
    Row("S/r2L", A, ("Starting",), "turn.start", ("S/r2L", "X4L", "Q7L", "Q8L", "Q27L", "Q19"), to="Open", effect=w.chain(open_turn, KEEP_TS),
        says=(SAY_TS,), appends=True),
    Row("S/r2L halting", A, ("Halting",), "turn.start", ("S/r2L", "S6L"), effect=w.chain(open_turn, KEEP_TS), says=(SAY_TS,), appends=True),
    Row("X4L claims", T, (), "turn.claim", ("X4L",), to="Opened", then="claim"),

    Row("Q13L", A, (), "claim.check", ("Q13L", "C16L", "C15L"), guard=v.signal_aborted, then="close"),
    Row("Q/r4L", A, (), "claim.take", ("Q/r4L", "Q5L", "V1L", "Q6"), guard=first_claim, effect=take_first),
    Row("Q/r5L", A, (), "claim.take", ("Q/r5L", "Q9L", "Q10L"), effect=take_more),
    v.each("Q/r4L deq", "claim.each", ("Q/r4L", "Q/r5L", "Q13L", "X4L"), v.dequeued),
    Row("X4L assembly", T, (), "claim.assemble", ("X4L", "Q13L"), to="Assembly", effect=w.setting(watched=True), opens="assembly"),

    Row("S/r13L", A, ("Exiting",), "exit.idle", ("S/r13L", "S/r12L", "S3L", "X6L", "V2L"), to="Idle", effect=v.converge, says=(w.status("idle"),)),
    Row("S/r12L", A, ("Idle",), "exit.replay", ("S/r12L", "C9L", "X6L", "V2L"), guard=v.replays, then="wake"),
    Row("S/r12L behind maintenance", A, ("Maintenance",), "exit.replay", ("V1L", "S/r3L"), guard=v.replays, effect=w.setting(latch=True)),
    Row("S7L exits", A, ("Idle",), "exit.waiters", ("S7L",), guard=someone_waits, opens="settle"),
    Row("T/r2L", A, ("Idle",), "exit.drain", ("T/r2L", "T/r3L"), guard=draining, opens="drain"),

    Row("S14L absent", A, (), "job.check", ("S14L",), guard=v.absent, effect=v.refuse("not_live"), then=END),
    Row("S/r14L", A, ("Idle",), "job.start", ("S/r14L", "S14L", "I3L"), to="Maintenance", effect=begin_job, opens="maintenance", then=END),
    Row("S14L busy", A, (), "job.start", ("S14L",), effect=v.refuse("busy")),
    Row("S/r16L", A, ("Maintenance",), "job.end", ("S/r16L", "S/r15L"), to="Idle", effect=end_job),
    Row("S/r15L", A, ("Idle",), "job.replay", ("S/r15L", "C9L"), guard=v.replays, then="wake"),
    Row("S7L job ended", A, ("Idle",), "job.idle", ("S7L",), then="exit.waiters"),
)  # fmt: skip
