"""Owners and the provider slot (P15, X3): what an unload deactivates and begins at once, and when it is over.

Refuses to tear anything down itself: it runs `deactivate`, `teardown` and `withdraw` on what was recorded.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.parts import Fiber, Provider, Slot, Transaction
from lifecycle_model.rows.admission import holder
from lifecycle_model.rows.config import configure, conflicting, starters
from lifecycle_model.rows.inbox import refuse
from lifecycle_model.state import Agent
from lifecycle_model.table import END, Program, Row
from lifecycle_model.wire import Answer


def records(now: Now) -> tuple[str, ...]:
    """What is recorded on the component."""
    return () if now.it is None else tuple(now.it.records)


def transactions(now: Now) -> Iterable[str]:
    """The transactions on record."""
    return [name for name in records(now) if name.startswith("tx:")]


def sessions(now: Now) -> Iterable[str]:
    """The sessions on record."""
    return [name for name in records(now) if name.startswith("session:")]


def providers(now: Now) -> Iterable[str]:
    """The providers on record."""
    return [name for name in records(now) if name.startswith("provider:")]


def agent_of(now: Now, name: str) -> str:
    """The component of a transaction's agent, perhaps of an earlier life of its id."""
    tx: Transaction = now.part(name)
    lives = [tx.id, *now.names(f"{tx.id}~")]
    own = (life for life in lives if isinstance(part := now.part(life), Agent) and part.handle == tx.name)
    return next(own, tx.id)


def agents(now: Now) -> Iterable[str]:
    """The agents on record that were handed out."""
    return [agent_of(now, name) for name in transactions(now) if now.part(name).place == "Live"]


def waits_for_agents(now: Now) -> bool:
    """An agent on record is live, and its teardown begins later."""
    return bool(agents(now)) and now.late


def nothing_recorded(now: Now) -> bool:
    """Nothing is recorded any more."""
    return not records(now)


def on_record(now: Now) -> bool:
    """The component that reports is recorded here."""
    return now.by in records(now)


def own_agent_waits(now: Now) -> bool:
    """No record is left, and the transaction's agent waits for that alone."""
    if not isinstance(now.it, Transaction) or now.it.records:
        return False
    agent = now.part(agent_of(now, now.subject))
    return isinstance(agent, Agent) and agent.unwound and not agent.released


def unwound_alone(now: Now) -> bool:
    """No record is left, and the scope that never had an agent waits for that alone."""
    return isinstance(now.it, Transaction) and now.it.unwound and not now.it.records and now.it.place == "Unwinding"


def own_agent(now: Now) -> Iterable[str]:
    """The transaction's agent."""
    return (agent_of(now, now.subject),)


def own_owner(now: Now) -> Iterable[str]:
    """The provider's owner."""
    return (now.it.owner,)


def fiber(now: Now) -> Fiber:
    """The owner; one never heard of is active."""
    return now.it if now.it is not None else Fiber(now.subject.partition(":")[2])


def provider(now: Now) -> Provider:
    """The provider; the first one is there from the start."""
    return now.it if now.it is not None else Provider(now.subject.partition(":")[2])


def wait(now: Now) -> Any:
    """The unload waits with the others."""
    now.answer = Answer(pending=now.command.as_)
    return replace(now.it, waiting=(*now.it.waiting, now.command.as_))


def settle_at_once(now: Now) -> Any:
    """The unload was over before: settle at once."""
    now.answer = Answer(pending=now.command.as_)
    now.settle(now.command.as_)
    return now.it


def begin_owner(now: Now) -> Fiber:
    """The owner is inactive from now on."""
    now.answer = Answer(pending=now.command.as_)
    now.notes["reason"] = "inactive_owner"
    it = fiber(now)
    return replace(it, waiting=(*it.waiting, now.command.as_))


def stop_serving(now: Now) -> Provider:
    """The slot is free at once; the provider refuses from now on."""
    now.notes["reason"] = "inactive_provider"
    if holder(now) == now.subject:
        now.put("provider", Slot(""))
    return provider(now)


def begin_provider(now: Now) -> Provider:
    """The provider's unload begins."""
    now.answer = Answer(pending=now.command.as_)
    it = stop_serving(now)
    return replace(it, waiting=(*it.waiting, now.command.as_))


def settle_waiting(now: Now) -> Any:
    """Every unload settles."""
    for ref in now.it.waiting:
        now.settle(ref)
    return replace(now.it, waiting=())


def strike(now: Now) -> Any:
    """One record less."""
    return replace(now.it, records=tuple(name for name in now.it.records if name != now.by))


def slot_taken(now: Now) -> bool:
    """A provider holds the slot."""
    return bool(holder(now))


def registers_inactive(now: Now) -> bool:
    """The owner that registers was unloaded."""
    there: Fiber | None = now.part(f"fiber:{now.command.owner or 'root'}")
    return there is not None and there.place != "Active"


def register(now: Now) -> Provider:
    """The provider holds the slot, for its owner."""
    owner = f"fiber:{now.command.owner or 'root'}"
    there: Fiber = now.part(owner) or Fiber(owner.partition(":")[2])
    now.put(owner, replace(there, records=(*there.records, now.subject)))
    now.put("provider", Slot(now.subject))
    return Provider(now.command.as_, owner=owner)


def no_such_provider(now: Now) -> bool:
    """No provider of this name was registered."""
    return now.it is None and now.subject != "provider:p1"


F, P, X = "owner", "provider", "transaction"

PROGRAMS = (
    Program("unload_owner", "unload an owner: deactivate, begin every teardown, wait for all", ("unload_owner.begin",), ("X3", "T1", "L11")),
    Program("unload_provider", "unload a provider", ("unload_provider.begin",), ("P13", "P15", "X3")),
    Program("stop", "the provider's own owner is unloaded", ("stop.begin",), ("P15", "P13")),
    Program("unload", "deactivate and tear down what is recorded",
            ("unload.starters", "unload.transactions", "unload.sessions", "unload.providers", "unload.agents", "unload.over"), ("X3", "T/r1")),
    Program("begin", "T/r1 of all agents of an unload that let other work run before", ("begin.agents",), ("X3",)),
    Program("forget", "something recorded is gone", ("forget.record", "forget.parent", "forget.over"), ("T10", "P13")),
    Program("over", "an unload with nothing left is over", ("over.check",), ("T1", "P13", "V6")),
    Program("load_provider", "register a provider", ("load_provider.check", "load_provider.register", "load_provider.start"), ("P15", "G2")),
)  # fmt: skip

ROWS = (
    Row("T1 owner over", F, ("Unloaded",), "unload_owner.begin", ("T1", "T/r8"), effect=settle_at_once, then=END),
    Row("T1 owner joins", F, ("Unloading",), "unload_owner.begin", ("T1",), effect=wait, then=END),
    Row("X3 owner", F, (), "unload_owner.begin", ("X3", "P6", "P8"), to="Unloading", effect=begin_owner, then="unload"),
    Row("P no such provider", P, (), "unload_provider.begin", ("P15",), guard=no_such_provider, effect=refuse("not_live"), then=END),
    Row("T1 provider over", P, ("Stopped",), "unload_provider.begin", ("T1", "T/r8"), effect=settle_at_once, then=END),
    Row("T1 provider joins", P, ("Quiescing",), "unload_provider.begin", ("T1",), effect=wait, then=END),
    Row("X3 provider", P, (), "unload_provider.begin", ("X3", "P13", "P15", "T12"), to="Quiescing", effect=begin_provider, then="unload"),
    Row("P15 owner", P, ("Serving",), "stop.begin", ("P15", "P13"), to="Quiescing", effect=stop_serving, then="unload"),

    Row("G5 gives up", P, ("Quiescing",), "unload.starters", ("G5", "G/r7"), runs="give_up", on=starters),
    Row("X3 deactivates", F, (), "unload.transactions", ("X3", "P6"), runs="deactivate", on=transactions),
    Row("L11", F, (), "unload.sessions", ("L11",), runs="withdraw", on=sessions),
    Row("P15 with its owner", F, (), "unload.providers", ("P15",), runs="stop", on=providers),
    Row("X3 begins later", F, (), "unload.agents", ("X3",), guard=waits_for_agents, opens="begin"),
    Row("X3 begins", F, (), "unload.agents", ("X3", "T/r1", "T11"), runs="teardown", on=agents),
    Row("X3 over", F, (), "unload.over", ("T1",), then="over"),
    Row("X3 begins now", F, (), "begin.agents", ("X3", "T/r1"), runs="teardown", on=agents),

    Row("T10 struck", F, (), "forget.record", ("T10", "P7"), guard=on_record, effect=strike),
    Row("T/r6 children gone", X, (), "forget.parent", ("T/r6", "T1", "P18"), guard=own_agent_waits, runs="release", on=own_agent, then=END),
    Row("R1 R2 children gone", X, ("Unwinding",), "forget.parent", ("R1", "R2", "P18"), guard=unwound_alone, then="reject"),
    Row("T10 over", F, (), "forget.over", ("T1", "P13"), then="over"),
    Row("V6 owner", F, ("Unloading",), "over.check", ("V6", "T1"), guard=nothing_recorded, to="Unloaded", effect=settle_waiting),
    Row("V6 provider", P, ("Quiescing",), "over.check", ("V6", "P13"), guard=nothing_recorded, to="Stopped", effect=settle_waiting,
        runs="forget", on=own_owner),

    Row("G/r1", P, (), "load_provider.check", ("G/r1", "G2"), guard=conflicting, effect=refuse("conflicting_ids"), then=END),
    Row("P15 inactive", P, (), "load_provider.check", ("P15", "P/r2"), guard=registers_inactive, effect=refuse("inactive_owner"), then=END),
    Row("P15 taken", P, (), "load_provider.check", ("P15",), guard=slot_taken, effect=refuse("provider_taken"), then=END),
    Row("P15", P, (), "load_provider.register", ("P15",), to="Serving", effect=register),
    Row("G configures", P, ("Serving",), "load_provider.start", ("G1", "G2"), effect=configure, runs="start", on=starters),
)  # fmt: skip
