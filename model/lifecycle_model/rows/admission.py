"""The admission of a create or resume (P/r1 to r4): who is asked, for whom, and what is refused at once.

Its component is `tx:REF`. Refuses to wait: what waits follows in `publication`.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.parts import Fiber, Provider, Slot, Transaction
from lifecycle_model.rows import words as w
from lifecycle_model.rows.inbox import refuse
from lifecycle_model.rows.records import read_all, summed
from lifecycle_model.rows.rejection import X, deactivated, fix, fix_reason, resumes, sync
from lifecycle_model.state import Agent
from lifecycle_model.table import END, Program, Row
from lifecycle_model.wire import Answer


def holder(now: Now) -> str:
    """The provider component that holds the slot, or nothing."""
    slot: Slot | None = now.part("provider")
    return Slot().holder if slot is None else slot.holder


def parent_scope(now: Now) -> str:
    """The transaction of the agent through whose ctx the call is made, which may still be set up; or nothing."""
    agent = now.part(now.command.parent)
    if isinstance(agent, Agent) and agent.place != "Gone":
        return f"tx:{agent.handle}"
    for name in reversed(now.names("tx:")):
        tx: Transaction = now.part(name)
        if tx.id == now.command.parent and tx.place == "SettingUp":
            return name
    return f"tx:{agent.handle}" if isinstance(agent, Agent) else ""


def owner_of(now: Now) -> str:
    """The component of the call's owner: a fiber, or the scope of an agent."""
    return f"fiber:{now.command.owner or 'root'}" if now.command.parent is None else parent_scope(now)


def no_parent(now: Now) -> bool:
    """The call is made through the ctx of an agent that does not exist."""
    return now.command.parent is not None and not parent_scope(now)


def sync_resume(now: Now) -> bool:
    """A resume is asked for synchronously."""
    return bool(now.command.verb == "resume" and now.command.sync)


def known_reference(now: Now) -> bool:
    """The reference was used before."""
    return now.it is not None


def no_provider(now: Now) -> bool:
    """No provider holds the slot."""
    return not holder(now)


def owner_inactive(now: Now) -> bool:
    """The owner was unloaded, or the agent whose ctx it is has begun to unwind."""
    owner = now.part(now.it.owner)
    if isinstance(owner, Transaction):
        agent = now.part(owner.id)
        own = isinstance(agent, Agent) and agent.handle == owner.name
        return owner.place not in ("SettingUp", "Publishing", "Live") or (own and agent.place == "Gone")
    gone = owner is None and now.command.parent is not None
    return gone or (owner is not None and owner.place != "Active")


def invalid(now: Now) -> bool:
    """The seed (of a create) or the working directory is invalid."""
    word = now.command.invalid
    if now.it.resume:
        return bool(word == "cwd")
    return bool(word) or read_all(now.command.seed or (), now.it.id) is None


def taken(now: Now) -> bool:
    """The store has an entry of this id."""
    agent = now.part(now.it.id)
    if isinstance(agent, Agent) and agent.stored:
        return True
    store = now.part("store:s1")
    return store is not None and any(id_ == now.it.id for id_, _ in store.entries)


def set_old_aside(now: Now) -> Transaction:
    """The earlier transaction keeps its gates under another name."""
    if now.gates():
        now.set_aside()
    return now.it


def begin(now: Now) -> Transaction:
    """A transaction as the command describes it."""
    command = now.command
    now.answer = Answer(ok="handle") if command.sync else Answer(pending=command.as_)
    return Transaction(
        command.as_,
        id=command.id,
        resume=command.verb == "resume",
        sync=command.sync,
        owner=owner_of(now),
        provider=holder(now),
        reason="aborted" if command.signal else "",
        signal=command.signal or "",
        client=now.by,
    )


def admit(now: Now) -> Transaction:
    """Owner effect, provider record and signal are installed."""
    it: Transaction = now.it
    fiber: Any = now.part(it.owner) or Fiber(it.owner.partition(":")[2])
    now.put(it.owner, replace(fiber, records=(*fiber.records, now.subject)))
    provider: Provider = now.part(it.provider) or Provider(it.provider.partition(":")[2])
    now.put(it.provider, replace(provider, records=(*provider.records, now.subject)))
    return it


def keep_seed(now: Now) -> Transaction:
    """The seed is the log, summed up."""
    records = read_all(now.command.seed or (), now.it.id) or ()
    return replace(now.it, log=records if now.world.keep_log else (), **summed(records))


PROGRAMS = (
    Program("create", "create and resume: admit, prepare, load if it is a resume, mint, set up",
            ("create.form", "create.again", "create.begin", "create.provider", "create.owner", "create.admit",
             "create.invalid", "create.persistence", "create.load", "create.live", "create.check", "create.mint"),
            ("P/r3", "P/r4", "P10")),
)  # fmt: skip

ROWS = (
    Row("P18 no parent", X, (), "create.form", ("P18",), guard=no_parent, effect=refuse("not_live"), then=END),
    Row("P14 resume", X, (), "create.form", ("P14",), guard=sync_resume, effect=refuse("unsupported"), then=END),
    Row("P reference again", X, (), "create.again", ("P/r1",), guard=known_reference, effect=set_old_aside),
    Row("P New", X, (), "create.begin", ("P/r1", "P/r2"), to="New", effect=begin),
    Row("P/r1", X, ("New",), "create.provider", ("P/r1", "P15", "T12"), guard=no_provider, effect=fix("inactive_provider"), then="reject.settle"),
    Row("P/r2", X, ("New",), "create.owner", ("P/r2",), guard=owner_inactive, effect=fix("inactive_owner"), then="reject.settle"),
    Row("P/r3", X, ("New",), "create.admit", ("P/r3", "V8"), to="Preparing", effect=admit),
    Row("P/r4 invalid", X, ("Preparing",), "create.invalid", ("P/r4", "R0", "P7"), guard=invalid, effect=fix("invalid"), then="reject"),
    Row("P/r4 no persistence", X, ("Preparing",), "create.persistence", ("P/r4", "P17"), guard=w.both(resumes, w.negate(w.persisted)),
        effect=fix("no_persistence"), then="reject"),
    Row("P/r4 load", X, ("Preparing",), "create.load", ("P/r4", "D5"), guard=resumes, to="Loading", opens="queue load", then=END),
    Row("P/r4 live", X, ("Preparing",), "create.live", ("P/r4", "P10"), guard=taken, effect=fix("duplicate_id"), then="reject"),
    Row("P/r4 deactivated", X, ("Preparing",), "create.check", ("P/r4", "P9", "P8"), guard=deactivated, effect=fix_reason, then="reject"),
    Row("P14 prepared", X, ("Preparing",), "create.mint", ("P/r4", "P14"), guard=sync, effect=keep_seed, then="mint"),
    Row("P/r4 prepared", X, ("Preparing",), "create.mint", ("P/r4",), effect=keep_seed, opens="task"),
)  # fmt: skip
