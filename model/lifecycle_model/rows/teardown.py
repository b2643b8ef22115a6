"""The one ordered teardown of an agent (T), whoever began it: T/r1, the detaches, the scope, the release.

Refuses to know who asks: owners and providers (`owners`) run the same programs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.parts import Transaction
from lifecycle_model.rows import words as w
from lifecycle_model.rows.cancel import clear
from lifecycle_model.rows.inbox import refuse
from lifecycle_model.rows.life import its_transaction, says, transaction, unlisted
from lifecycle_model.state import Agent
from lifecycle_model.table import END, Program, Row
from lifecycle_model.wire import Answer, Observation


def unknown(now: Now) -> bool:
    """No handle of this agent was returned, or it was discarded: its configuration started it (G1)."""
    if isinstance(now.it, Transaction):
        return now.it.place not in ("Live", "Released") or now.it.client.startswith("start:")
    return now.it is None or not isinstance(now.it, Agent) or not now.it.started or configured(now)


def configured(now: Now) -> bool:
    """A provider's configuration started the agent, and nobody holds its handle."""
    tx: Transaction | None = transaction(now)
    return tx is not None and tx.client.startswith("start:")


def gone(now: Now) -> bool:
    """The teardown has finished."""
    return isinstance(now.it, Transaction) or bool(now.it.released)


def join(now: Now) -> Agent:
    """Wait for the teardown with the others."""
    now.answer = Answer(pending=now.command.as_)
    return replace(now.it, disposers=(*now.it.disposers, now.command.as_))


def join_finished(now: Now) -> Any:
    """The teardown is over: settle at once."""
    now.answer = Answer(pending=now.command.as_)
    now.settle(now.command.as_)
    return now.it


def aborted_disposed(now: Now) -> Observation:
    """`abort(disposed)`."""
    return Observation("abort", of=now.of, reason="disposed")


def drained(now: Now) -> bool:
    """The driver has exited and no tracked flush is pending."""
    return bool(now.it.exited and now.it.flushes == 0)


def drained_first(now: Now) -> bool:
    """The driver has exited, no tracked flush is pending, and the detach is not under way yet."""
    return drained(now) and not detaching(now)


def detaching(now: Now) -> bool:
    """The next part of the detach is under way."""
    return any(gate.kind == "detach" for gate in now.gates())


def used_out_of_band(now: Now) -> bool:
    """An out-of-band append began after the driver had exited."""
    return bool(now.it.flushes)


def leave_waits(now: Now) -> bool:
    """The session's detach waits for an out-of-band append, which is over."""
    return drained_first(now) and now.it.listing == "Gone"


def close_scope(now: Now) -> Agent:
    """The scope takes no more registrations, and its listeners go."""
    now.close_scope(f"tx:{now.it.handle}")
    return now.it


def children_deactivated(now: Now) -> Agent:
    """What was made through the agent's ctx lost its owner."""
    now.notes["reason"] = "inactive_owner"
    return now.it


def scope_unwound(now: Now) -> Observation:
    """`scope`, perhaps of an earlier life of the id."""
    return Observation("scope", of=now.of)


def scope_failed(now: Now) -> Observation:
    """`contained(scope)`."""
    return Observation("contained", of=now.of, name="scope")


def children_left(now: Now) -> bool:
    """An agent made through its ctx is not gone."""
    tx = transaction(now)
    return tx is not None and bool(tx.records)


def finish(now: Now) -> Agent:
    """Resolve every dispose."""
    for ref in now.it.disposers:
        now.settle(ref)
    return replace(now.it, disposers=(), released=True)


def slots_of(now: Now) -> Iterable[str]:
    """The bridge's session record that has the agent's handle."""
    return [name for name in now.names("slot:") if now.part(name).handle == now.it.handle]


def nobody_names_it(now: Now) -> bool:
    """Its id has a new life, and nothing of it is awaited."""
    return bool(now.subject != now.it.name) and not now.gates()


def leave_nothing(now: Now) -> None:
    """Nothing is left of the agent."""
    now.drop()


A, E, R = "agent", "entry", "listing"
TORN = ("Disposing", "Quiet", "Gone")
LIVE = ("Parked", "Woken", "Reserved", "InTurn", "Abandoned", "Cancelling", "Settling", "Between")
DISPOSED: Any = w.setting(status="disposed")

PROGRAMS = (
    Program("dispose", "T/r1: the first trigger starts the one teardown, every other joins it",
            ("dispose.check", "dispose.finished", "dispose.join"), ("X3", "T1")),
    Program("teardown", "T/r1: inbox cleared, driver woken",
            ("teardown.begin", "teardown.clear", "teardown.abort", "teardown.status"), ("X3", "T1", "T3", "T4")),
    Program("drained", "driver exited and flushes settled: detach", ("drained.check",), ("T/r3", "T6")),
    Program("detach", "the agent leaves the registry", ("detach.check", "detach.agent", "detach.next"), ("T/r4", "T7", "X9")),
    Program("leave", "the session leaves its store, the scope unwinds", ("leave.wait", "leave.log", "leave.session", "leave.gone"), ("T/r5", "T7")),
    Program("unwinding", "the scope unwinds, with what was made through it", ("unwinding.children", "unwinding.open"), ("T/r6",)),
    Program("scope", "the scope has unwound: release, resolve", ("scope.unwound", "scope.failed", "scope.children", "scope.release"), ("T/r6", "T/r7")),
    Program("release", "nothing of the agent is left: resolve", ("release.finish", "release.told", "release.records", "release.nothing"), ("T/r7", "T10")),
)  # fmt: skip

ROWS = (
    Row("T no handle", A, (), "dispose.check", ("T11", "G1"), guard=unknown, effect=refuse("not_live"), then=END),
    Row("T1 finished", A, (), "dispose.finished", ("T1", "T/r8", "T12"), guard=gone, effect=join_finished, then=END),
    Row("T1 joins", A, TORN, "dispose.join", ("T1", "T/r8"), effect=join, then=END),
    Row("T1 first", A, LIVE, "dispose.join", ("T1", "X3"), effect=join, then="teardown"),
    Row("S/r21", A, ("Woken", "InTurn", "Cancelling", "Settling", "Between"), "teardown.begin", ("S/r21", "T/r1", "S12", "S1"), to="Disposing",
        effect=DISPOSED),
    Row("S/r21 parked", A, ("Parked",), "teardown.begin", ("S/r21", "T/r1", "S1"), to="Disposing", effect=DISPOSED, opens="leave driver.exit"),
    Row("S/r12", A, ("Reserved", "Abandoned"), "teardown.begin", ("S/r12", "T/r1", "S1"), to="Disposing", effect=DISPOSED),
    Row("T1 begun", A, (), "teardown.begin", ("T1", "T/r8"), then=END),
    Row("T3", A, ("Disposing",), "teardown.clear", ("T3", "Q18", "I16"), guard=w.something_pending, effect=clear, says=(w.discarded,)),
    Row("T4", A, ("Disposing",), "teardown.abort", ("T4", "C7", "C19", "I10"), guard=w.holder_live, effect=w.setting(holder="disposed"),
        says=(aborted_disposed,)),
    Row("T/r1 status", A, ("Disposing",), "teardown.status", ("T/r1", "S12", "I1"), says=(w.status("disposed"),)),

    Row("T/r3", A, ("Disposing",), "drained.check", ("T/r3", "T6"), guard=drained_first, opens="detach detach"),
    Row("S/r22 quiet", A, ("Disposing",), "detach.check", ("S/r22", "T/r3", "T6", "I15"), guard=drained, to="Quiet"),
    Row("T6 not yet", A, ("Disposing",), "detach.check", ("T6", "L/r16"), then=END),
    Row("T/r4", R, ("Announced",), "detach.agent", ("T/r4", "T7", "L/r10", "I15"), to="Gone", effect=unlisted, says=(says("agent/disposed"),)),
    Row("R4 unlisted later", R, ("Entered",), "detach.agent", ("R4", "P4", "L5"), to="Gone", effect=unlisted),
    Row("X9 between a- and s-", A, ("Quiet",), "detach.next", ("X9",), opens="detach leave"),
    Row("L/r11 s-", A, ("Quiet",), "leave.wait", ("L/r11", "L4", "T/r5"), guard=used_out_of_band, then=END),
    Row("D/r4 s-", A, ("Quiet",), "leave.log", ("D/r4", "D3"), runs="log.end", on=w.its_log),
    Row("T/r5", E, ("Announced",), "leave.session", ("T/r5", "T7", "L/r10", "T8", "I15"), to="Gone", effect=w.setting(stored=False),
        says=(says("session/disposed"),)),
    Row("S/r23", A, ("Quiet",), "leave.gone", ("S/r23", "T/r5"), to="Gone", effect=close_scope, opens="unwinding"),
    Row("T/r6 children", A, ("Gone",), "unwinding.children", ("T/r6", "P18"), guard=children_left, effect=children_deactivated,
        runs="unload", on=its_transaction),
    Row("T/r6 unwinds", A, ("Gone",), "unwinding.open", ("T/r6",), opens="scope"),
    Row("T/r6", A, ("Gone",), "scope.unwound", ("T/r6", "T9"), effect=w.setting(unwound=True), says=(scope_unwound,)),
    Row("T9 scope", A, ("Gone",), "scope.failed", ("T9",), guard=w.outcome("fail"), says=(scope_failed,)),
    Row("T/r6 waits", A, ("Gone",), "scope.children", ("T/r6", "T1"), guard=children_left, then=END),
    Row("T/r6 over", A, ("Gone",), "scope.release", ("T/r7",), then="release"),
    Row("T/r7", A, ("Gone",), "release.finish", ("T/r7", "T1"), effect=finish),
    Row("A10 told", A, ("Gone",), "release.told", ("A10",), runs="parted", on=slots_of),
    Row("T10", A, ("Gone",), "release.records", ("T10", "T/r7", "R0"), runs="finished", on=its_transaction),
    Row("T8 earlier life", A, ("Gone",), "release.nothing", ("T8",), guard=nobody_names_it, effect=leave_nothing, then=END),
    Row("T10 handle", A, ("Gone",), "release.nothing", ("T10",), effect=w.setting(handle="")),
)  # fmt: skip
