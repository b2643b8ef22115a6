"""How an agent of the variant goes: the one teardown, from its first trigger to the release of its records (table T)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.parts import Transaction
from lifecycle_model.rows import words as w
from lifecycle_model.rows.life import its_transaction, says, transaction
from lifecycle_model.rows.teardown import slots_of
from lifecycle_model.table import END, Program, Row
from lifecycle_model.variants import latch_words as v
from lifecycle_model.variants.latch_state import LatchAgent, LatchTransaction
from lifecycle_model.wire import Answer, Observation


def nothing_there(now: Now) -> bool:
    """No agent was ever published under this name, and no creation is under way."""
    return not isinstance(now.it, LatchAgent | Transaction)


def set_up(now: Now) -> bool:
    """The creation is still in setup, and the lifecycle was meant."""
    return isinstance(now.it, Transaction) and now.it.place == "SettingUp" and bool(now.command.same_stack)


def released(now: Now) -> bool:
    """The handle's agent is gone."""
    return isinstance(now.it, Transaction) and now.it.place == "Released"


def no_handle(now: Now) -> bool:
    """It is a creation without agent."""
    return isinstance(now.it, Transaction)


def publishing(now: Now) -> bool:
    """The handle was not returned."""
    tx = transaction(now)
    return tx is not None and tx.place == "Publishing"


def publishing_unasked(now: Now) -> bool:
    """The handle was not returned, and the lifecycle was not meant."""
    tx = transaction(now)
    return tx is not None and publishing(now) and not (now.command.same_stack or tx.sync)


def join(now: Now) -> LatchAgent:
    """Wait for the teardown with the others."""
    now.answer = Answer(pending=now.command.as_)
    return replace(now.it, disposers=(*now.it.disposers, now.command.as_))


def join_finished(now: Now) -> Any:
    """The teardown is over: settle at once."""
    now.answer = Answer(pending=now.command.as_)
    now.settle(now.command.as_)
    return now.it


def never_handed_out(now: Now) -> bool:
    """Its creation was rejected, so nobody was given its handle; and the lifecycle is not meant."""
    return not now.it.started and not now.command.same_stack


def doom_publication(now: Now) -> LatchAgent:
    """Deactivate the publication in progress: its next check fails."""
    tx = transaction(now)
    assert tx is not None
    now.put(f"tx:{now.it.handle}", replace(tx, reason=tx.reason or "inactive_owner"))
    return join(now)


def doom_setup(now: Now) -> LatchTransaction:
    """Deactivate a creation in setup, and wait for its end."""
    now.answer = Answer(pending=now.command.as_)
    now.notes["reason"] = "inactive_owner"
    tx: LatchTransaction = now.it
    return replace(tx, disposers=(*tx.disposers, now.command.as_))


def begin(now: Now) -> LatchAgent:
    """The first trigger: what follows is cancel(disposed)."""
    now.notes["teardown"] = True
    return now.it


def idle(now: Now) -> bool:
    """No activity is left."""
    return bool(now.it.place == "Idle")


def children_left(now: Now) -> bool:
    """What was created through the agent's ctx is not gone."""
    tx = transaction(now)
    return tx is not None and bool(tx.records)


def close_scope(now: Now) -> LatchAgent:
    """The scope unwinds: its listeners are gone, and what was created through it loses its owner (T15L)."""
    now.close_scope(f"tx:{now.it.handle}")
    now.notes["reason"] = "inactive_owner"
    return now.it


def scope_ran(now: Now) -> Observation:
    """The scope's disposers ran."""
    return Observation("scope", of=now.of)


def finish(now: Now) -> LatchAgent:
    """Every dispose resolves; one that was never handed out has no handle afterwards either."""
    for ref in now.it.disposers:
        now.settle(ref)
    tx = transaction(now)
    return replace(now.it, disposers=(), released=True, started=tx is None or not tx.verdict)


def itself(now: Now) -> Iterable[str]:
    """The component itself."""
    return (now.subject,)


D, A, X, E, R = "teardown", "agent", "transaction", "entry", "listing"
GOING = ("Draining", "Unwinding", "Detaching", "Releasing")

PROGRAMS = (
    Program("dispose", "the first trigger begins the one teardown, every other joins it",
            ("dispose.check", "dispose.setup", "dispose.publishing", "dispose.finished", "dispose.join"), ("T1", "T/r1L", "T/r7L")),
    Program("teardown", "T/r1L: cancel(disposed), drain", ("teardown.begin",), ("T/r1L", "T3L", "X3L")),
    Program("drain", "no activity is left: the scope unwinds, its children leave",
            ("drain.look", "drain.unwind", "drain.children", "drain.scope"), ("T/r2L", "T/r3L", "T15L")),
    Program("scope", "the scope's own disposers ran", ("scope.ran", "scope.children", "scope.over"), ("T/r4L", "T15L")),
    Program("release", "the scope has unwound, its children are gone: detach agent and session, release",
            ("release.begin", "release.agent", "release.log", "release.session", "release.finish", "release.told", "release.records", "release.handle"),
            ("T/r4L", "T/r5L", "T/r6L", "X9L")),
)  # fmt: skip

ROWS = (
    Row("T11", D, (), "dispose.check", ("T11",), guard=nothing_there, effect=v.refuse("not_live"), then=END),
    Row("R2L disposed", X, (), "dispose.setup", ("R2L", "P5L"), guard=set_up, effect=doom_setup, runs="deactivate", on=itself, then=END),
    Row("T1 released", X, (), "dispose.setup", ("T1", "T8L"), guard=released, effect=join_finished, then=END,
        unreachable="an exploration forgets a transaction that is over and names its handle no more; vector XW07 takes it"),
    Row("T11 no handle", D, (), "dispose.setup", ("T11",), guard=no_handle, effect=v.refuse("not_live"), then=END),
    Row("T11 publishing", D, (), "dispose.publishing", ("T11",), guard=publishing_unasked, effect=v.refuse("not_live"), then=END),
    Row("P5L", D, ("Publishing",), "dispose.publishing", ("P5L",), effect=doom_publication, then=END),
    Row("P5L started", D, ("Live",), "dispose.publishing", ("P5L", "R6L"), guard=publishing, effect=doom_publication, then="teardown"),
    Row("T11 rejected", D, ("Finished",), "dispose.finished", ("T11",), guard=never_handed_out, effect=v.refuse("not_live"), then=END),
    Row("T1 finished", D, ("Finished",), "dispose.finished", ("T1", "T/r7L"), effect=join_finished, then=END),
    Row("T/r7L", D, GOING, "dispose.join", ("T/r7L", "T1"), effect=join, then=END),
    Row("T1 first", D, ("Live",), "dispose.join", ("T1", "X3L"), effect=join, then="teardown"),

    Row("T/r7L again", D, (*GOING, "Finished"), "teardown.begin", ("T/r7L", "T1"), then=END),
    Row("T/r1L", D, ("Publishing", "Live"), "teardown.begin", ("T/r1L", "T3L", "C19L"), to="Draining", effect=begin, then="cancel.enter"),

    Row("T/r3L waits", D, ("Draining",), "drain.look", ("T/r2L", "T6"), guard=w.negate(idle), then=END),
    Row("T/r3L", D, ("Draining",), "drain.unwind", ("T/r3L", "T7L", "T2"), to="Unwinding", effect=close_scope),
    Row("T15L leave", D, ("Unwinding",), "drain.children", ("T15L", "P18"), guard=children_left, runs="unload", on=its_transaction),
    Row("T/r3L unwinds", D, ("Unwinding",), "drain.scope", ("T/r3L",), opens="scope"),
    Row("T/r4L scope", D, ("Unwinding",), "scope.ran", ("T/r4L", "T9", "I15L"), effect=w.setting(unwound=True), says=(scope_ran,)),
    Row("T15L waits", D, ("Unwinding",), "scope.children", ("T15L",), guard=children_left, then=END),
    Row("T/r4L over", D, ("Unwinding",), "scope.over", ("T/r4L", "X9L"), opens="detach release"),

    Row("T/r4L", D, ("Unwinding",), "release.begin", ("T/r4L", "T15L"), to="Detaching"),
    Row("T/r5L agent", R, ("Announced",), "release.agent", ("T/r5L", "T7L", "I15L", "L/r10"), to="Gone", effect=w.setting(entered=False),
        says=(says("agent/disposed"),)),
    Row("R4L unlisted", R, ("Entered",), "release.agent", ("R4L", "P4", "L5"), to="Gone", effect=w.setting(entered=False)),
    Row("D/r4 s-", D, ("Detaching",), "release.log", ("D/r4", "D3L"), runs="log.end", on=w.its_log),
    Row("T/r5L session", E, ("Announced",), "release.session", ("T/r5L", "T7L", "T8L", "I15L", "L/r10"), to="Gone", effect=w.setting(stored=False),
        says=(says("session/disposed"),)),
    Row("T/r6L", D, ("Detaching",), "release.finish", ("T/r6L", "T1", "V8"), to="Releasing", effect=finish),
    Row("A10 told", D, ("Releasing",), "release.told", ("A10L",), runs="parted", on=slots_of),
    Row("T10", D, ("Releasing",), "release.records", ("T10", "T/r6L", "R0"), runs="finished", on=its_transaction),
    Row("T/r6L over", D, ("Releasing",), "release.handle", ("T/r6L", "T10"), to="Finished", effect=w.setting(handle="")),
)  # fmt: skip
