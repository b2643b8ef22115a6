"""The driver between turns: wake, reserve, claim, start a turn (X4), and what follows a flush (X6)."""

from __future__ import annotations

from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.rows import words as w
from lifecycle_model.state import Agent
from lifecycle_model.table import END, Program, Row
from lifecycle_model.wire import Dropped, Observation


def marked(now: Now) -> bool:
    """The pre-run marker is set."""
    return bool(now.it.marker)


def abandoned(now: Now) -> bool:
    """The reservation's signal is aborted."""
    return now.it.holder not in (None, "live")


def nothing_to_claim_but_steering(now: Now) -> bool:
    """No waking item is queued, and steering is left."""
    return w.no_waking_item(now) and w.steering_pending(now)


def terminally_stopped(now: Now) -> bool:
    """The last turn was stopped terminally and steering is left."""
    return bool(now.it.terminal and now.it.steering)


def steering_left(now: Now) -> bool:
    """Steering is left over from a turn that was not stopped terminally."""
    return bool(now.it.steering and not now.it.terminal)


def park(now: Now) -> Agent:
    """Drop the marker, resolve the waiters, be idle."""
    w.resolve_waiters(now)
    return replace(now.it, marker=False, waiters=(), holder=None, status="idle", terminal=False)


def sleep_again(now: Now) -> Agent:
    """Drop the marker and resolve the waiters; the status was idle all along."""
    w.resolve_waiters(now)
    return replace(now.it, marker=False, waiters=())


def reserve(now: Now) -> Agent:
    """Install a fresh holder; the status is running."""
    return replace(now.it, holder="live", status="running")


def check_marker(now: Now) -> Agent:
    """Drop the marker; if no waking item is left, resolve the waiters."""
    if w.no_waking_item(now) and now.it.status == "idle":
        w.resolve_waiters(now)
        return replace(now.it, marker=False, waiters=())
    return replace(now.it, marker=False)


def claim(now: Now) -> Agent:
    """Take the queued head."""
    return replace(
        now.it,
        item=now.it.queued[0],
        queued=now.it.queued[1:],
        step=0,
        delivered=False,
        finish="",
        failed=False,
        rejected=False,
        terminal=False,
        closing="",
    )


def dequeued(now: Now) -> Observation:
    """`deq(m)`."""
    item = now.before.queued[0]
    return Observation("agent/inbox/dequeue", of=now.subject, item=item.id, steering=False, wakeup=item.wakeup)


def drop_claim(now: Now) -> Agent:
    """The item is consumed; the holder is removed; no turn exists."""
    return replace(now.it, item=None, holder=None, at="NoTurn")


def open_turn(now: Now) -> Agent:
    """A turn is open in the log, one above the highest logged."""
    return replace(now.it, turn=now.it.turn + 1, open=True)


def refused_turn(now: Now) -> Observation:
    """`err(n,0)` for a turn start that validation vetoed."""
    return Observation("agent/error", of=now.subject, turn=now.it.turn + 1, step=0)


def start_vetoed(now: Now) -> bool:
    """Validation vetoed the turn start, or a turn is already open in the log."""
    return bool(w.vetoed(now) or now.it.open)


def dropped_steering(now: Now) -> Observation:
    """`disc[…]` of the steering list."""
    lost = tuple(Dropped(item.id, True) for item in now.before.steering)
    return Observation("agent/inbox/discard", of=now.subject, items=lost)


def keeps_running(now: Now) -> bool:
    """The last turn was not cancelled."""
    return bool(now.it.status == "running")


A, T = "agent", "turn"
KEEP_TS, SAY_TS = w.record("turn/start", turn=w.turn_of, trigger=lambda now: "message")

PROGRAMS = (
    Program(
        "driver.wake",
        "the driver resumes: reserve, claim, start the turn",
        (
            "driver.wake.gone", "driver.wake.steering", "driver.wake.marker", "driver.wake.reserve", "driver.wake.disposed",
            "driver.wake.left", "driver.wake.abandoned", "driver.wake.claim", "driver.wake.ask", "driver.wake.start",
            "driver.wake.check", "driver.wake.policy",
        ),
        ("X4", "Q23"),
    ),
    Program(
        "driver.loop",
        "after the flush: re-route steering, be idle or go on",
        ("driver.loop.gone", "driver.loop.reroute", "driver.loop.idle", "driver.loop.marker", "driver.loop.again"),
        ("X6", "S3"),
    ),
)  # fmt: skip

ROWS = (
    Row("S/r22 driver woken", A, (), "driver.wake.gone", ("X4", "S13"), guard=w.disposed, then="driver.exit"),
    Row("Q24 at wake", A, ("Woken", "Between"), "driver.wake.steering", ("Q24", "V11"), guard=nothing_to_claim_but_steering, effect=w.reroute),
    Row("S/r7", A, ("Woken",), "driver.wake.marker", ("S/r7", "C9", "S7", "V3"), guard=w.no_waking_item, to="Parked", effect=sleep_again, then=END),
    Row("S/r20 at wake", A, ("Between",), "driver.wake.marker", ("S/r20", "C9", "S7"), guard=w.no_waking_item, to="Parked", effect=park,
        says=(w.status("idle"),), then=END),
    Row("C9 consumed", A, ("Woken", "Between"), "driver.wake.marker", ("C9", "I5"), guard=marked, effect=w.setting(marker=False)),
    Row("S/r6", A, ("Woken",), "driver.wake.reserve", ("S/r6", "S2", "S4"), to="Reserved", effect=reserve, says=(w.status("running"),)),
    Row("S/r19", A, ("Between",), "driver.wake.reserve", ("S/r19", "S2", "S4"), guard=w.status_is("cancelling"), to="Reserved", effect=reserve,
        says=(w.status("running"),)),
    Row("S/r18 holder", A, ("Between",), "driver.wake.reserve", ("S/r18", "S3", "S4", "C20"), guard=w.status_is("running"), to="Reserved", effect=reserve,
        constant="a turn that was cancelled takes S/r19, and a disposed driver has left"),
    Row("S/r12 exit", A, (), "driver.wake.disposed", ("S/r12", "X4"), guard=w.disposed, then="driver.exit"),
    Row("Q24 abandoned", A, ("Abandoned",), "driver.wake.left", ("Q24", "V11"), guard=nothing_to_claim_but_steering, effect=w.reroute),
    Row("S/r10", A, ("Abandoned",), "driver.wake.abandoned", ("S/r10", "S6", "S7", "S8"), guard=w.no_waking_item, to="Parked", effect=park,
        says=(w.status("idle"),), then=END),
    Row("S/r11", A, ("Abandoned",), "driver.wake.abandoned", ("S/r11", "S6"), guard=w.waking_item, to="Reserved", effect=reserve,
        says=(w.status("running"),), then="driver.wake.disposed", constant="a reservation without waking work takes S/r10"),
    Row("S/r8", A, ("Reserved",), "driver.wake.claim", ("S/r8", "S/r18", "Q/r9", "Q5", "Q6", "V1"), to="InTurn", effect=claim, says=(dequeued,)),
    Row("L/r3 TS", T, (), "driver.wake.ask", ("L/r3", "Q7"), asks="validation turn/start"),
    Row("S/r24", A, ("InTurn", "Cancelling"), "driver.wake.start", ("S/r24", "Q7", "S4"), guard=start_vetoed, to="Between", effect=drop_claim,
        says=(refused_turn,), then="driver.loop"),
    Row("S/r24 disposing", A, ("Disposing",), "driver.wake.start", ("S/r24", "Q7"), guard=start_vetoed, effect=drop_claim,
        says=(refused_turn,), then="driver.exit"),
    Row("Q7 TS", T, (), "driver.wake.start", ("Q7", "Q19", "S/r8"), to="Started", effect=w.chain(open_turn, KEEP_TS), says=(SAY_TS,), appends=True),
    w.checkpoint("driver.wake.check", T, ("C16", "C15", "X4")),
    Row("Q25 policy", T, (), "driver.wake.policy", ("Q25",), to="Policy", opens="policy"),

    Row("S/r22 after a turn", A, (), "driver.loop.gone", ("S/r22",), guard=w.disposed, then="driver.exit"),
    Row("Q/r14", A, (), "driver.loop.reroute", ("Q/r14", "Q11"), guard=terminally_stopped, effect=w.drop_steering, says=(dropped_steering,)),
    Row("Q/r13", A, (), "driver.loop.reroute", ("Q/r13", "Q12", "V11"), guard=steering_left, effect=w.reroute),
    Row("S/r20", A, ("Between",), "driver.loop.idle", ("S/r20", "S3", "S7", "S8", "C14"), guard=w.no_waking_item, to="Parked", effect=park,
        says=(w.status("idle"),)),
    Row("X6 marker check", A, ("Parked", "Woken", "Between"), "driver.loop.marker", ("X6", "C9", "S7"), guard=marked, effect=check_marker),
    Row("X6 again", A, ("Between",), "driver.loop.again", ("X6",), effect=w.setting(terminal=False), opens="driver driver.wake"),
)  # fmt: skip
