"""Session entries and the session log (L) by the judge's verbs: enter, announce, append, detach, flush, out of band.

The same rows serve a session made directly and an agent's; what is an agent's is not entered or detached from outside.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.parts import Fiber, Objects, Session, Store
from lifecycle_model.rows import words as w
from lifecycle_model.rows.durability import act
from lifecycle_model.rows.inbox import absent, appending, refuse
from lifecycle_model.rows.life import says, threw
from lifecycle_model.rows.records import UNASKED, fits, followed, read_one
from lifecycle_model.state import LISTED, Agent
from lifecycle_model.table import END, Program, Row
from lifecycle_model.wire import ANY, Observation


def record_of(now: Now) -> Observation | None:
    """The record given, as the session logs it."""
    return read_one(now.command.record, now.of)


def invalid_record(now: Now) -> bool:
    """The record is none, or does not fit the log's tail."""
    record = record_of(now)
    return record is None or not fits(now.it, record)


def is_agent(now: Now) -> bool:
    """It is an agent's session."""
    return isinstance(now.it, Agent)


def attached(now: Now) -> bool:
    """The session is in a store."""
    return now.it is not None and now.it.entry in LISTED


def not_attached(now: Now) -> bool:
    """The session is in no store."""
    return not attached(now)


def asked(now: Now) -> bool:
    """Dispatch validation is asked about the record."""
    record = record_of(now)
    return attached(now) and record is not None and record.event not in UNASKED


def entered_before(now: Now) -> bool:
    """The object is attached."""
    return attached(now)


def announced_before(now: Now) -> bool:
    """The entry was announced."""
    return now.it.entry == "Announced"


def store_of(now: Now) -> str:
    """The store that is meant."""
    return now.command.store or "s1"


def id_taken(now: Now) -> bool:
    """The store has an entry of this id."""
    name = now.it.name if now.it is not None else now.command.id
    agent = now.part(name)
    if store_of(now) == "s1" and isinstance(agent, Agent) and agent.stored:
        return True
    store: Store | None = now.part(f"store:{store_of(now)}")
    return store is not None and any(id_ == name for id_, _ in store.entries)


def owner_gone(now: Now) -> bool:
    """The owner was unloaded."""
    there: Fiber | None = now.part(f"fiber:{now.command.owner or 'root'}")
    return there is not None and there.place != "Active"


def busy(now: Now) -> bool:
    """The entry is announced, appended to, or used out of band."""
    return bool(now.it.announcing or now.it.appending or now.it.aside)


def leaves_now(now: Now) -> bool:
    """A detach has waited, and nothing keeps the entry busy any more."""
    return isinstance(now.it, Session) and now.it.leaving and not busy(now)


def made(now: Now) -> Session:
    """A new object, known by its name."""
    command = now.command
    known: Objects = now.part("sessions") or Objects()
    name = command.as_ or command.id
    others = tuple(one for one in known.known if one[2] != now.subject)
    now.put("sessions", Objects((*others, (name, command.id, now.subject))))
    return Session(command.id)


def enter(now: Now) -> Session:
    """The store has the entry."""
    name = f"store:{store_of(now)}"
    store: Store = now.part(name) or Store()
    now.put(name, Store((*store.entries, (now.it.name, now.subject))))
    return replace(now.it, store=store_of(now), leaving=False)


def own(now: Now) -> Session:
    """An owner's unload will detach it."""
    name = f"fiber:{now.command.owner or 'root'}"
    fiber: Fiber = now.part(name) or Fiber(name.partition(":")[2])
    now.put(name, replace(fiber, records=(*fiber.records, now.subject)))
    return replace(now.it, owner=name)


def strike(now: Now) -> Session:
    """The store has the entry no more; its component is still in use."""
    name = f"store:{now.it.store}"
    store: Store = now.part(name) or Store()
    now.put(name, Store(tuple(one for one in store.entries if one[1] != now.subject)))
    return replace(now.it, leaving=True)


def note_record(now: Now) -> Any:
    """Remember which record it is about."""
    record = record_of(now)
    now.notes["record"] = "" if record is None else record.event
    return now.it


def commit(now: Now) -> Any:
    """The record is the log's next."""
    record = record_of(now)
    assert record is not None
    return replace(w.logged(now.it, now, record), **followed(now.it, record))


def committed(now: Now) -> Observation | None:
    """The record just committed."""
    return record_of(now)


def nobody_has_it(now: Now) -> bool:
    """Its creation raised, and nothing of it is awaited."""
    return isinstance(now.it, Session) and now.it.raised and not now.gates()


def leave_nothing(now: Now) -> None:
    """Nothing is left of the object."""
    known: Objects = now.part("sessions") or Objects()
    now.put("sessions", Objects(tuple(one for one in known.known if one[2] != now.subject)))
    now.drop()


def own_owner(now: Now) -> Iterable[str]:
    """Whoever an unload of which detaches it."""
    return (now.it.owner,) if isinstance(now.it, Session) and now.it.owner else ()


E = "entry"
announcing: Any = w.setting(announcing=True)
announced: Any = w.setting(announcing=False)
leaving: Any = w.setting(leaving=True)
raised: Any = w.setting(leaving=True, raised=True)

PROGRAMS = (
    Program("session", "the verbs of a session", ("session.act", "session.known", "session.verb"), ("L/r1", "L/r6")),
    Program("prepare", "make an object", ("prepare.make",), ("L/r5",)),
    Program("create_session", "make, enter and announce a session for an owner",
            ("create_session.check", "create_session.make", "create_session.enter", "create_session.log", "create_session.announce",
             "create_session.announced", "create_session.veto", "create_session.leave"), ("L/r6", "L/r8", "L11")),
    Program("enter", "enter an object", ("enter.check", "enter.enter"), ("L/r6", "L/r7")),
    Program("announce", "announce an entry once", ("announce.check", "announce.log", "announce.announce", "announce.announced", "announce.veto", "announce.leave"),
            ("L/r8", "L/r9", "L4")),
    Program("append", "append a record", ("append.check", "append.note", "append.ask", "append.veto", "append.commit", "append.leave"), ("L/r4", "X8")),
    Program("detach_session", "detach by the judge", ("detach_session.check", "detach_session.go"), ("L/r10",)),
    Program("withdraw", "detach an entry, or let the detach wait", ("withdraw.busy", "withdraw.go"), ("L/r10", "L/r11", "L/r12", "L5")),
    Program("depart", "the entry is gone", ("depart.log", "depart.go", "depart.owner", "depart.nothing"), ("L/r10", "L7", "D/r4")),
)  # fmt: skip

ROWS = (
    Row("L prepare", E, (), "session.act", ("L/r6",), guard=act("prepare"), then="prepare"),
    Row("L create", E, (), "session.act", ("L/r6",), guard=act("create"), then="create_session"),
    Row("L unknown", E, (), "session.known", ("L/r14",), guard=absent, effect=refuse("not_live"), then=END),
    Row("L flush", E, (), "session.verb", ("L/r13",), guard=act("flush"), then="flush_session"),
    Row("L out of band", E, (), "session.verb", ("L/r15",), guard=act("append_out_of_band"), then="aside"),
    Row("L enter", E, (), "session.verb", ("L/r6",), guard=act("enter"), then="enter"),
    Row("L announce", E, (), "session.verb", ("L/r8",), guard=act("announce"), then="announce"),
    Row("L append", E, (), "session.verb", ("L/r4",), guard=act("append"), then="append"),
    Row("L detach", E, (), "session.verb", ("L/r10",), guard=act("detach"), then="detach_session", constant="it is the last of the verbs"),
    Row("L/r5 prepared", E, (), "prepare.make", ("L/r5",), to="Unattached", effect=made),
    Row("P/r2 session", E, (), "create_session.check", ("P/r2", "L11"), guard=owner_gone, effect=refuse("inactive_owner"), then=END),
    Row("L/r7 create", E, (), "create_session.check", ("L/r7", "P10"), guard=id_taken, effect=refuse("duplicate_id"), then=END),
    Row("L create made", E, (), "create_session.make", ("L/r5",), to="Unattached", effect=made),
    Row("L/r6 create", E, ("Unattached",), "create_session.enter", ("L/r6", "L11"), to="Entered", effect=w.chain(enter, own)),
    Row("D/r1 create", E, ("Entered",), "create_session.log", ("D/r1",), runs="log.begin", on=w.its_log),
    Row("L/r8 create", E, ("Entered",), "create_session.announce", ("L/r8", "L4"), to="Announced", effect=announcing, says=(says("session/created"),)),
    Row("L/r8 created", E, (), "create_session.announced", ("L/r8",), effect=announced),
    Row("L/r8 create vetoed", E, (), "create_session.veto", ("L/r8", "P3"), guard=threw, effect=w.chain(refuse("vetoed"), raised)),
    Row("L/r11 after creation", E, (), "create_session.leave", ("L/r11", "L11"), guard=leaves_now, then="depart"),
    Row("L/r7 attached", E, (), "enter.check", ("L/r7", "L6"), guard=entered_before, effect=refuse("already_entered"), then=END),
    Row("L/r7 taken", E, (), "enter.check", ("L/r7", "P10"), guard=id_taken, effect=refuse("duplicate_id"), then=END),
    Row("L/r7 agent", E, (), "enter.check", ("L/r7",), guard=is_agent, effect=refuse(ANY), then=END),
    Row("L/r6", E, ("Unattached", "Gone"), "enter.enter", ("L/r6",), to="Entered", effect=enter),
    Row("L/r14 announce", E, (), "announce.check", ("L/r14",), guard=not_attached, effect=refuse("not_live"), then=END),
    Row("L/r9", E, (), "announce.check", ("L/r9",), guard=announced_before, effect=refuse("already_announced"), then=END),
    Row("D/r1 announce", E, ("Entered",), "announce.log", ("D/r1",), runs="log.begin", on=w.its_log),
    Row("L/r8", E, ("Entered",), "announce.announce", ("L/r8", "L4"), to="Announced", effect=announcing, says=(says("session/created"),)),
    Row("L/r8 announced", E, (), "announce.announced", ("L/r8",), effect=announced),
    Row("L/r8 vetoed", E, (), "announce.veto", ("L/r8", "P3"), guard=threw, effect=refuse("vetoed")),
    Row("L/r11 after an announcement", E, (), "announce.leave", ("L/r11", "L4"), guard=leaves_now, then="depart"),
    Row("L/r2", E, (), "append.check", ("L/r2", "L3"), guard=appending, effect=refuse("reentrant_append"), then=END),
    Row("L/r1", E, (), "append.check", ("L/r1", "L10"), guard=invalid_record, effect=refuse("invalid"), then=END),
    Row("L/r3 noted", E, (), "append.note", ("L/r3",), effect=note_record),
    Row("L/r3", E, (), "append.ask", ("L/r3",), guard=asked, asks="validation *"),
    Row("L/r3 vetoed", E, (), "append.veto", ("L/r3", "L2"), guard=w.vetoed, effect=refuse("vetoed")),
    Row("L/r4", E, LISTED, "append.commit", ("L/r4", "L2", "L3", "X8", "I17"), guard=w.negate(w.vetoed), effect=commit, says=(committed,), appends=True),
    Row("L/r5", E, ("Unattached", "Gone"), "append.commit", ("L/r5", "L8"), effect=commit),
    Row("L/r11 after an append", E, (), "append.leave", ("L/r11", "L4"), guard=leaves_now, then="depart"),
    Row("I16 detach", E, (), "detach_session.check", ("I16", "T11"), guard=is_agent, effect=refuse(ANY), then=END),
    Row("L detach goes", E, (), "detach_session.go", ("L/r10",), then="withdraw"),
    Row("L/r14 detach", E, ("Unattached",), "detach_session.check", ("L/r12",), effect=refuse("not_live"), then=END),
    Row("L/r12", E, ("Unattached", "Gone"), "withdraw.busy", ("L/r12", "L5"), then=END),
    Row("L/r11", E, LISTED, "withdraw.busy", ("L/r11", "L4"), guard=busy, effect=leaving, then=END),
    Row("L withdrawn", E, LISTED, "withdraw.go", ("L/r10",), then="depart"),
    Row("D/r4 depart", E, ("Announced",), "depart.log", ("D/r4",), runs="log.end", on=w.its_log),
    Row("L/r10", E, ("Announced",), "depart.go", ("L/r10", "L5", "L7", "T8"), to="Gone", effect=strike, says=(says("session/disposed"),)),
    Row("L/r10 silent", E, ("Entered",), "depart.go", ("L/r10", "L5"), to="Gone", effect=strike),
    Row("L11 gone", E, ("Gone",), "depart.owner", ("L11", "T10"), effect=w.setting(leaving=False), runs="forget", on=own_owner),
    Row("L/r8 nobody has it", E, ("Gone",), "depart.nothing", ("L/r8", "P7"), guard=nobody_has_it, effect=leave_nothing),
)  # fmt: skip
