"""How an agent of the variant goes: the one teardown, from its first trigger to the release of its records (table T)."""

from __future__ import annotations

from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.rows import words as w
from lifecycle_model.table import END, Program, Row
from lifecycle_model.variants import latch_words as v
from lifecycle_model.variants.latch_rows_life import disown, leave_all
from lifecycle_model.variants.latch_state import Creation, LatchAgent
from lifecycle_model.wire import Answer, Observation


def no_agent(now: Now) -> bool:
    """No agent was ever published under this name, and no creation is under way."""
    return not isinstance(now.it, LatchAgent | Creation)


def publishing_unasked(now: Now) -> bool:
    """The handle was not returned, and the lifecycle was not meant."""
    return bool(now.it.life == "Publishing" and not now.command.same_stack)


def unsettled_creation(now: Now) -> bool:
    """The creation is still in setup, and the lifecycle was meant."""
    return isinstance(now.it, Creation) and now.it.place == "SettingUp" and bool(now.command.same_stack)


def creation(now: Now) -> bool:
    """The reference is a creation without agent."""
    return isinstance(now.it, Creation)


def join(now: Now) -> LatchAgent:
    """Wait for the teardown with the others."""
    now.answer = Answer(pending=now.command.as_)
    return replace(now.it, disposers=(*now.it.disposers, now.command.as_))


def join_finished(now: Now) -> LatchAgent | Creation:
    """The teardown is over: settle at once."""
    now.answer = Answer(pending=now.command.as_)
    now.settle(now.command.as_)
    return now.it


def former_life(now: Now) -> bool:
    """The handle's agent is gone, and its id begins or has begun another life."""
    return isinstance(now.it, Creation) and now.it.place in ("Returned", "Rejected")


def doom_creation(now: Now) -> LatchAgent:
    """Deactivate the publication in progress: its next check fails."""
    part = now.part(now.it.handle)
    now.put(now.it.handle, replace(part, doomed=part.doomed or "inactive_owner"))
    return join(now)


def doom_setup(now: Now) -> Creation:
    """Deactivate a creation in setup."""
    now.answer = Answer(pending=now.command.as_)
    now.settle(now.command.as_)
    return replace(now.it, doomed="inactive_owner")


def begin(now: Now) -> LatchAgent:
    """The first trigger: what follows is cancel(disposed)."""
    now.notes["teardown"] = True
    return now.it


def not_first(now: Now) -> bool:
    """A teardown has begun."""
    return now.it.life not in ("Live", "Publishing")


def idle(now: Now) -> bool:
    """No activity is left."""
    return bool(now.it.place == "Idle")


def children_left(now: Now) -> bool:
    """What was created through the agent's ctx is not gone."""
    return bool(now.it.children)


def unwind_children(now: Now) -> LatchAgent:
    """The children begin to leave, beside the scope's own disposers (T15L)."""
    leave_all(now, now.it.children)
    return now.it


def still_disposing(now: Now) -> bool:
    """The scope's own disposers have not run."""
    return not now.it.unwound


def announced(now: Now) -> bool:
    """The agent's created event was published."""
    return bool(now.it.announced)


def agent_gone(now: Now) -> Observation | None:
    """`a-`, where it was announced."""
    return Observation("agent/disposed", of=now.subject) if now.it.announced else None


def session_gone(now: Now) -> Observation:
    """`s-`."""
    return Observation("session/disposed", of=now.subject)


def scope_ran(now: Now) -> Observation:
    """The scope's disposers ran."""
    return Observation("scope", of=now.subject)


def release(now: Now) -> LatchAgent:
    """Every dispose resolves; the creation, if it never returned, rejects; the owner forgets the agent."""
    for ref in now.it.disposers:
        now.settle(ref)
    if now.it.unmade:
        now.settle(now.it.unmade, refused=now.part(now.it.unmade).doomed)
    disown(now, now.it.owner, now.subject)
    return replace(now.it, disposers=(), released=True, unmade="")


D, A, C = "teardown", "agent", "creation"
GOING = ("Draining", "Unwinding", "Detaching", "Releasing")

PROGRAMS = (
    Program("dispose", "the first trigger begins the one teardown, every other joins it",
            ("dispose.check", "dispose.setup", "dispose.finished", "dispose.join"), ("T1", "T/r1L", "T/r7L")),
    Program("teardown", "T/r1L: cancel(disposed), drain", ("teardown.begin",), ("T/r1L", "T3L", "X3L")),
    Program("drain", "no activity is left: the scope unwinds, its children leave", ("drain.look", "drain.unwind", "drain.children"),
            ("T/r2L", "T/r3L", "T15L")),
    Program("unwind", "the children are gone: detach, if the scope's own disposers ran", ("unwind.own", "unwind.go"), ("T/r4L", "T15L")),
    Program("scope", "the scope's disposers ran: detach agent and session, release",
            ("scope.ran", "scope.children", "scope.detach", "scope.agent", "scope.session", "scope.release"), ("T/r4L", "T/r5L", "T/r6L", "X9L")),
)  # fmt: skip

ROWS = (
    Row("T11", D, (), "dispose.check", ("T11",), guard=no_agent, effect=v.refuse("not_live"), then=END),
    Row("R2L disposed", C, (), "dispose.setup", ("R2L", "P5L"), guard=unsettled_creation, effect=doom_setup, opens="leave rollback", then=END),
    Row("T1 former life", C, (), "dispose.setup", ("T1", "T8L"), guard=former_life, effect=join_finished, then=END),
    Row("T11 no handle", D, (), "dispose.setup", ("T11",), guard=creation, effect=v.refuse("not_live"), then=END),
    Row("T11 publishing", D, ("Publishing",), "dispose.setup", ("T11",), guard=publishing_unasked, effect=v.refuse("not_live"), then=END),
    Row("P5L", D, ("Publishing",), "dispose.setup", ("P5L",), effect=doom_creation, then=END),
    Row("T1 finished", D, ("Finished",), "dispose.finished", ("T1", "T/r7L"), effect=join_finished, then=END),
    Row("T/r7L", D, GOING, "dispose.join", ("T/r7L", "T1"), effect=join, then=END),
    Row("T1 first", D, ("Live",), "dispose.join", ("T1", "X3L"), effect=join, then="teardown"),

    Row("T/r7L again", D, (), "teardown.begin", ("T/r7L", "T1"), guard=not_first, then=END),
    Row("T/r1L", D, (), "teardown.begin", ("T/r1L", "T3L", "C19L"), to="Draining", effect=begin, then="cancel.enter"),

    Row("T/r3L waits", D, ("Draining",), "drain.look", ("T/r2L", "T6"), guard=w.negate(idle), then=END),
    Row("T/r3L", D, ("Draining",), "drain.unwind", ("T/r3L", "T15L"), guard=children_left, to="Unwinding", effect=unwind_children, opens="scope", then=END),
    Row("T/r3L alone", D, ("Draining",), "drain.children", ("T/r3L",), to="Unwinding", opens="scope"),
    Row("T15L own disposers", D, ("Unwinding",), "unwind.own", ("T15L",), guard=still_disposing, then=END),
    Row("T15L", D, ("Unwinding",), "unwind.go", ("T15L", "T/r4L"), then="scope.detach"),
    Row("T/r4L scope", D, ("Unwinding",), "scope.ran", ("T/r4L", "T9", "I15L"), effect=w.setting(unwound=True), says=(scope_ran,)),
    Row("T15L waits", D, ("Unwinding",), "scope.children", ("T15L",), guard=children_left, then=END),
    Row("T/r4L", D, ("Unwinding",), "scope.detach", ("T/r4L",), to="Detaching"),
    Row("T/r5L agent", D, ("Detaching",), "scope.agent", ("T/r5L", "T7L", "I15L"), effect=w.setting(entered=False), says=(agent_gone,)),
    Row("T/r5L session", D, ("Detaching",), "scope.session", ("T/r5L", "T7L", "T8L", "I15L"), to="Releasing", effect=w.setting(stored=False),
        says=(session_gone,)),
    Row("T/r6L", D, ("Releasing",), "scope.release", ("T/r6L", "T1", "V8"), to="Finished", effect=release),
)  # fmt: skip
