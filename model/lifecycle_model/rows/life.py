"""How an agent comes and goes: the publication of a create, and the one ordered teardown (T)."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.rows import words as w
from lifecycle_model.rows.cancel import clear
from lifecycle_model.rows.inbox import refuse
from lifecycle_model.state import Agent
from lifecycle_model.table import END, Program, Row, Say
from lifecycle_model.wire import Answer, Observation


def taken(now: Now) -> bool:
    """The id has a live entry, or another creation of it is under way."""
    return now.it is not None and now.it.place != "Gone"


def refuse_duplicate(now: Now) -> Agent:
    """Settle the create as refused: the id is taken."""
    if now.command.sync:
        now.answer = Answer(refused="duplicate_id")
    else:
        now.answer = Answer(pending=now.command.as_)
        now.settle(now.command.as_, refused="duplicate_id")
    return now.it


def admit(now: Now) -> Agent:
    """Begin a fresh life of the id."""
    now.answer = Answer(ok=None) if now.command.sync else Answer(pending=now.command.as_)
    if now.it is not None and not now.it.released:
        now.set_aside()
    return Agent(name=now.subject, handle="" if now.command.sync else now.command.as_)


def is_sync(now: Now) -> bool:
    """The create is synchronous."""
    return bool(now.command.sync)


def enter(now: Now) -> Agent:
    """Enter the session store and the registry."""
    return replace(now.it, stored=True, entered=True)


def work_waiting(now: Now) -> bool:
    """A waking item is pending."""
    return w.waking_item(now) or bool(now.it.steering)


def start_driver(now: Now) -> Agent:
    """Start the driver and settle the handle."""
    if now.it.handle:
        now.settle(now.it.handle, ok="handle")
    if not work_waiting(now):
        w.resolve_waiters(now)
        return replace(now.it, started=True, marker=False, waiters=())
    return replace(now.it, started=True)


def says(event: str, **members: Any) -> Say:
    """An event of the agent or its session."""

    def say(now: Now) -> Observation:
        return Observation(event, of=now.subject, **members)

    say.__name__ = event
    say.__doc__ = event
    return say


def scope_unwound(now: Now) -> Observation:
    """`scope`."""
    return Observation("scope", of=now.it.name)


def unknown(now: Now) -> bool:
    """No handle of this agent exists."""
    return now.it is None or not now.it.started


def gone(now: Now) -> bool:
    """The teardown has finished."""
    return bool(now.it.released)


def join(now: Now) -> Agent:
    """Wait for the teardown with the others."""
    now.answer = Answer(pending=now.command.as_)
    return replace(now.it, disposers=(*now.it.disposers, now.command.as_))


def join_finished(now: Now) -> Agent:
    """The teardown is over: settle at once."""
    now.answer = Answer(pending=now.command.as_)
    now.settle(now.command.as_)
    return now.it


def aborted_disposed(now: Now) -> Observation:
    """`abort(disposed)`."""
    return Observation("abort", of=now.subject, reason="disposed")


def drained(now: Now) -> bool:
    """The driver has exited and no tracked flush is pending."""
    return bool(now.it.exited and now.it.flushes == 0)


def finish(now: Now) -> Agent:
    """Resolve every dispose."""
    for ref in now.it.disposers:
        now.settle(ref)
    return replace(now.it, disposers=(), released=True)


A = "agent"
TORN = ("Disposing", "Quiet", "Gone")
LIVE = ("Parked", "Woken", "Reserved", "InTurn", "Abandoned", "Cancelling", "Settling", "Between")

PROGRAMS = (
    Program("create", "create an agent and publish it", ("create.check", "create.admit", "create.sync", "create.later"), ("P10",)),
    Program("publish", "enter, announce, mark, start: one segment",
            ("publish.enter", "publish.session", "publish.agent", "publish.mark", "publish.driver"), ("X7", "P2")),
    Program("dispose", "T/r1: the first trigger starts the one teardown, every other joins it",
            ("dispose.check", "dispose.finished", "dispose.join", "teardown.begin", "teardown.clear", "teardown.abort", "teardown.status", "teardown.wake"),
            ("X3", "T1", "T3", "T4")),
    Program("drained", "driver exited and flushes settled: detach", ("drained.check",), ("T/r3", "T6")),
    Program("detach", "the agent leaves the registry", ("detach.agent",), ("T/r4", "T7")),
    Program("detach.session", "the session leaves its store", ("detach.session.leave",), ("T/r5", "T7", "X9")),
    Program("scope", "the scope has unwound: release, resolve", ("scope.unwound", "scope.release"), ("T/r6", "T/r7")),
)  # fmt: skip

ROWS = (
    Row("P10 duplicate", A, (), "create.check", ("P10",), guard=taken, effect=refuse_duplicate, then=END),
    Row("P/r3", A, (), "create.admit", ("P/r3", "V8"), to="Unpublished", effect=admit),
    Row("P14 sync", A, ("Unpublished",), "create.sync", ("P14",), guard=is_sync, then="publish"),
    Row("P/r6", A, ("Unpublished",), "create.later", ("P/r6", "P1"), opens="setup publish"),

    Row("P/r7 P/r8", A, ("Unpublished",), "publish.enter", ("P/r7", "P/r8", "I12"), effect=enter),
    Row("P/r9", A, ("Unpublished",), "publish.session", ("P/r9", "P2", "I14"), says=(says("session/created"),)),
    Row("P/r10", A, ("Unpublished",), "publish.agent", ("P/r10", "P2", "I14"), says=(says("agent/created"),)),
    Row("S/r1", A, ("Unpublished",), "publish.mark", ("S/r1", "P/r11", "P2", "I14"), to="Published", effect=w.setting(mark=True),
        says=(says("agent/session-start", source="startup"),)),
    Row("S/r25 with work", A, ("Published",), "publish.driver", ("S/r25", "P/r12", "C24"), guard=work_waiting, to="Woken",
        effect=start_driver, opens="driver driver.wake"),
    Row("S/r25", A, ("Published",), "publish.driver", ("S/r25", "P/r12", "C24", "S1"), to="Parked", effect=start_driver),

    Row("T no handle", A, (), "dispose.check", ("T11",), guard=unknown, effect=refuse("not_live"), then=END),
    Row("T1 finished", A, ("Gone",), "dispose.finished", ("T1", "T/r8"), guard=gone, effect=join_finished, then=END),
    Row("T1 joins", A, TORN, "dispose.join", ("T1", "T/r8"), effect=join, then=END),
    Row("T1 first", A, LIVE, "dispose.join", ("T1", "X3"), effect=join),
    Row("S/r21", A, ("Woken", "InTurn", "Cancelling", "Settling", "Between"), "teardown.begin", ("S/r21", "T/r1", "S12", "S1"), to="Disposing",
        effect=w.setting(status="disposed")),
    Row("S/r21 parked", A, ("Parked",), "teardown.begin", ("S/r21", "T/r1", "S1"), to="Disposing", effect=w.setting(status="disposed"),
        opens="leave driver.exit"),
    Row("S/r12", A, ("Reserved", "Abandoned"), "teardown.begin", ("S/r12", "T/r1", "S1"), to="Disposing", effect=w.setting(status="disposed")),
    Row("T3", A, ("Disposing",), "teardown.clear", ("T3", "Q18", "I16"), guard=w.something_pending, effect=clear, says=(w.discarded,)),
    Row("T4", A, ("Disposing",), "teardown.abort", ("T4", "C7", "C19", "I10"), guard=w.holder_live, effect=w.setting(holder="disposed"),
        says=(aborted_disposed,)),
    Row("T/r1 status", A, ("Disposing",), "teardown.status", ("T/r1", "S12", "I1"), says=(w.status("disposed"),)),

    Row("S/r22 quiet", A, ("Disposing",), "drained.check", ("S/r22", "T/r3", "T6", "I15"), guard=drained, to="Quiet", opens="detach detach"),
    Row("T/r4", A, ("Quiet",), "detach.agent", ("T/r4", "T7", "S/r23", "I15"), effect=w.setting(entered=False), says=(says("agent/disposed"),),
        opens="detach detach.session"),
    Row("S/r23", A, ("Quiet",), "detach.session.leave", ("T/r5", "S/r23", "T7", "I15"), to="Gone", effect=w.setting(stored=False),
        says=(says("session/disposed"),), opens="scope"),
    Row("T/r6", A, ("Gone",), "scope.unwound", ("T/r6", "T9"), says=(scope_unwound,)),
    Row("T/r7", A, ("Gone",), "scope.release", ("T/r7", "T1"), effect=finish),
)  # fmt: skip
