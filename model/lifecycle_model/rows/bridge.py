"""A client's connection to the ACP bridge (A): new and load while it is open, and the one quiescing once it closes.

Its component is `connection:N`; its creations run like anybody's, with the connection as their client. Refuses to know
how prompts settle: `prompts` does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from lifecycle_model.commands import Create, Resume
from lifecycle_model.engine import Now
from lifecycle_model.parts import Connection, Link, PromptSlot, Storage, Transaction
from lifecycle_model.rows import words as w
from lifecycle_model.rows.durability import act
from lifecycle_model.rows.owners import agent_of
from lifecycle_model.state import Agent
from lifecycle_model.table import END, Program, Row
from lifecycle_model.wire import ANY, UNSET, Answer

OWNER = "bridge"
"""The context that the bridge creates agents through."""


def connection(now: Now) -> Connection:
    """The connection; one never opened is closed."""
    return now.it if now.it is not None else Connection(now.subject)


def not_open(now: Now) -> bool:
    """The connection is not open."""
    return connection(now).place != "Open"


def closed_before(now: Now) -> bool:
    """The connection is closed, and nothing of it is left."""
    return connection(now).place == "Closed"


def live(now: Now, id_: str) -> bool:
    """An agent or session entry of this id exists."""
    agent = now.part(id_)
    if isinstance(agent, Agent) and (agent.stored or agent.entered):
        return True
    store = now.part("store:s1")
    return store is not None and any(one == id_ for one, _ in store.entries)


def loading(now: Now, id_: str) -> bool:
    """A load of this id is in flight, on any connection."""
    calls = [name for other in now.names("connection:") for name in now.part(other).calls]
    return any(now.part(name).resume and now.part(name).id == id_ for name in calls)


def not_loadable(now: Now) -> bool:
    """The id is live or loading, or no working directory is stored with it."""
    id_ = now.command.session
    log: Storage | None = now.part(f"log:{id_}")
    return live(now, id_) or loading(now, id_) or log is None or not log.bridged


def load_absent(now: Now) -> bool:
    """Load is asked for, and the policy has no such method."""
    return now.command.act == "load" and now.policy("session_load") == "absent"


def agents(now: Now) -> list[str]:
    """The agents of its sessions of which something is left."""
    handles = [f"tx:{now.part(name).handle}" for name in slots(now)]
    found = [agent_of(now, name) for name in handles if now.part(name) is not None]
    return [name for name in found if isinstance(now.part(name), Agent) and f"tx:{now.part(name).handle}" in handles]


def slots(now: Now) -> list[str]:
    """Its session records."""
    return [name for name in now.names("slot:") if now.part(name).connection == now.subject]


def calls(now: Now) -> Iterable[str]:
    """Its creates and loads in flight."""
    return now.it.calls


def left(now: Now) -> bool:
    """The client is gone."""
    return bool(now.it.left)


def disposed_later(now: Now) -> bool:
    """An agent of its sessions is live, and its disposal begins later."""
    return bool(agents(now)) and now.late


def quiet(now: Now) -> bool:
    """No call is in flight, and no session record is left but one that only waits for its output."""
    waiting = {gate.on for gate in now.world.gates if gate.kind == "output"}
    return not now.it.calls and all(now.part(name).gone and name in waiting for name in slots(now))


def unwanted(now: Now) -> bool:
    """The handle came, and something of its agent is left."""
    return bool(agents_of_call(now))


def agents_of_call(now: Now) -> Iterable[str]:
    """The agent of the call that returned, if something of it is left."""
    name = agent_of(now, now.by)
    part = now.part(name)
    return (name,) if isinstance(part, Agent) and f"tx:{part.handle}" == now.by else ()


def replays(now: Now) -> bool:
    """The loaded log has something to replay; of a turn without messages that is the system's to say."""
    tx: Transaction = now.part(now.by)
    if not (tx.resume and tx.turn):
        return False
    agent = now.part(agent_of(now, now.by))
    log = agent.log if isinstance(agent, Agent) else ()
    said = not now.world.keep_log or any(one.event.endswith("/message") for one in log)
    return said or not now.late


def refuse_call(now: Now) -> Any:
    """The call settles with a rejection."""
    now.answer = Answer(pending=now.command.as_)
    now.settle(now.command.as_, refused=ANY)
    return now.it


def connect(now: Now) -> Connection:
    """The client is connected."""
    now.put("link", Link(now.subject))
    return Connection(now.subject)


def join(now: Now) -> Connection:
    """It waits with the others."""
    now.answer = Answer(pending=now.command.as_)
    return replace(now.it, waiting=(*now.it.waiting, now.command.as_))


def leave(now: Now) -> Connection:
    """The client is gone; it waits with the others."""
    return replace(join(now), left=True)


def settle_at_once(now: Now) -> Any:
    """Nothing is left to close: settle at once; whether failures reported at the end are told again is open."""
    now.answer = Answer(pending=now.command.as_)
    now.settle(now.command.as_, ok=UNSET if connection(now).failed else None)
    return now.it


def call(now: Now) -> Connection:
    """The call is in flight."""
    now.answer = Answer(pending=now.command.as_)
    return replace(now.it, calls=(*now.it.calls, f"tx:{now.command.as_}"))


def create(now: Now) -> tuple[Create, ...]:
    """A create, through the bridge's context."""
    return (Create(now.command.session, now.command.as_, owner=OWNER),)


def resume(now: Now) -> tuple[Resume, ...]:
    """A resume, through the bridge's context."""
    return (Resume(now.command.session, now.command.as_, owner=OWNER),)


def returned(now: Now) -> Connection:
    """The call is in flight no more."""
    return replace(now.it, calls=tuple(name for name in now.it.calls if name != now.by))


def reject(now: Now) -> Connection:
    """The call settles with a rejection; nothing is left of it."""
    now.settle(now.part(now.by).name, refused=ANY)
    return returned(now)


def record(now: Now, **members: Any) -> None:
    """Keep a record of the session."""
    tx: Transaction = now.part(now.by)
    name = f"slot:{tx.id}"
    if now.part(name) is not None:
        now.set_aside(name)
    slot = PromptSlot(tx.id, "Free", now.subject, tx.name, gone=not agents_of_call(now))
    now.put(name, replace(slot, **members))


def keep_unwanted(now: Now) -> Connection:
    """The handle that came too late is disposed before the call rejects."""
    record(now, place="Unwanted", opening=now.part(now.by).name)
    return returned(now)


def open_new(now: Now) -> Connection:
    """The session has a record, its slot is free, the call settles with its id."""
    record(now)
    now.settle(now.part(now.by).name, ok=ANY)
    return returned(now)


def open_loaded(now: Now) -> Connection:
    """The session has a record, its slot is free; the reply follows the replay."""
    record(now, opening=now.part(now.by).name)
    return returned(now)


def own_slot(now: Now) -> Iterable[str]:
    """The record just made."""
    return (f"slot:{now.part(now.by).id}",)


def note_closing(now: Now) -> Any:
    """The signals of its creations abort."""
    now.notes["reason"] = "aborted"
    return now.it


def abort_signal(now: Now) -> Transaction:
    """The creation signal aborts."""
    now.notes["reason"] = "aborted"
    return replace(now.it, signal=now.it.signal or "error")


def settle_waiting(now: Now) -> Connection:
    """Every disconnect and teardown settles; failures of scope disposers are reported here."""
    for ref in now.it.waiting:
        now.settle(ref, ok=UNSET if now.it.failed else None)
    return replace(now.it, waiting=())


N, X = "connection", "transaction"
LEAVES = act("disconnect")
CLOSES = act("disconnect", "teardown")

PROGRAMS = (
    Program("acp", "what the client asks of the bridge, and its teardown",
            ("acp.prompt", "acp.cancel", "acp.connect", "acp.close", "acp.open", "acp.loadable", "acp.new", "acp.load"), ("A9", "A10")),
    Program("quiesce", "once closed: abort creations, flag slots, dispose sessions, wait for all",
            ("quiesce.calls", "quiesce.slots", "quiesce.agents", "quiesce.over"), ("A10", "A11", "X3")),
    Program("part", "the sessions of a closed connection are disposed later", ("part.agents",), ("A10", "X3")),
    Program("abandon", "the creation signal of a call in flight aborts", ("abandon.deactivate",), ("A9", "A10")),
    Program("quieted", "a closed connection with nothing left is quiet", ("quieted.check",), ("A10", "I21")),
    Program("given", "a handle came", ("given.wanted",), ("A/r2", "A/r3", "A/r5")),
    Program("refused", "a creation was rejected", ("refused.call", "refused.over"), ("A/r3", "A14")),
)  # fmt: skip

ROWS = (
    Row("A connects", N, (), "acp.connect", ("A/r2",), guard=w.both(act("connect"), not_open), to="Open", effect=connect, then=END),
    Row("A13 over before", N, (), "acp.close", ("A13", "A10"), guard=w.both(LEAVES, closed_before), effect=settle_at_once, runs="drop", on=slots, then=END),
    Row("A10 over before", N, (), "acp.close", ("A10", "A/r14"), guard=w.both(CLOSES, closed_before), effect=settle_at_once, then=END),
    Row("A13 joins", N, ("Closing",), "acp.close", ("A13", "A10"), guard=LEAVES, effect=leave, runs="drop", on=slots, then=END),
    Row("A10 joins", N, ("Closing",), "acp.close", ("A10", "A/r14"), guard=CLOSES, effect=join, then=END),
    Row("A/r14 leaves", N, ("Open",), "acp.close", ("A/r14", "A9", "A10"), guard=LEAVES, to="Closing", effect=leave, then="quiesce"),
    Row("A/r14", N, ("Open",), "acp.close", ("A/r14", "A9", "A10"), guard=CLOSES, to="Closing", effect=join, then="quiesce"),
    Row("A/r1", N, (), "acp.open", ("A/r1", "A9"), guard=not_open, effect=refuse_call, then=END),
    Row("policy session_load", N, ("Open",), "acp.loadable", ("policy session_load",), guard=load_absent, effect=refuse_call, then=END),
    Row("A/r4", N, ("Open",), "acp.loadable", ("A/r4", "A14"), guard=w.both(act("load"), not_loadable), effect=refuse_call, then=END),
    Row("A/r2 creates", N, ("Open",), "acp.new", ("A/r2", "A9"), guard=act("new"), effect=call, gives=create, then=END),
    Row("A/r5 resumes", N, ("Open",), "acp.load", ("A/r5", "A9", "A14"), guard=act("load"), effect=call, gives=resume, then=END),

    Row("A10 aborts", N, ("Closing",), "quiesce.calls", ("A10", "A/r14", "A9"), effect=note_closing, runs="abandon", on=calls),
    Row("A13 slots", N, ("Closing",), "quiesce.slots", ("A13", "A/r14"), guard=left, runs="drop", on=slots),
    Row("A/r14 slots", N, ("Closing",), "quiesce.slots", ("A/r14", "A4"), runs="spare", on=slots),
    Row("A10 disposes later", N, ("Closing",), "quiesce.agents", ("A10",), guard=disposed_later, opens="part"),
    Row("A10 disposes", N, ("Closing",), "quiesce.agents", ("A10", "A11", "A/r14"), runs="teardown", on=agents),
    Row("A10 waits", N, ("Closing",), "quiesce.over", ("A10",), then="quieted"),
    Row("A10 disposes now", N, ("Closing",), "part.agents", ("A10", "A11"), runs="teardown", on=agents),
    Row("A10 signal", X, (), "abandon.deactivate", ("A10", "A9", "P11"), effect=abort_signal, runs="deactivate"),
    Row("A10 quiet", N, ("Closing",), "quieted.check", ("A10", "A11", "I21", "V6"), guard=quiet, to="Closed", effect=settle_waiting),

    Row("A/r3 unwanted", N, ("Closing",), "given.wanted", ("A/r3", "A9", "I21"), guard=unwanted, effect=keep_unwanted, runs="teardown", on=agents_of_call),
    Row("A/r3 gone", N, ("Closing",), "given.wanted", ("A/r3",), effect=reject, then="quieted"),
    Row("A/r5 replays", N, ("Open",), "given.wanted", ("A/r5",), guard=replays, effect=open_loaded, runs="replay", on=own_slot),
    Row("A/r2", N, ("Open",), "given.wanted", ("A/r2", "A/r5"), effect=open_new),
    Row("A/r3", N, ("Open", "Closing"), "refused.call", ("A/r3", "A9", "A14"), effect=reject),
    Row("A/r3 over", N, ("Closing",), "refused.over", ("A10",), then="quieted"),
)  # fmt: skip
