"""Invariants of what agents share: stores and registry, owners and providers, sessions, storage. None reads a row.

They look at every component of a whole system at the end of a segment; where a scope keeps the components of one agent
only, they say nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lifecycle_model.commands import Task
from lifecycle_model.parts import Background, Fiber, Provider, Session, Slot, Storage, Store, Transaction
from lifecycle_model.properties import Step, next_text
from lifecycle_model.state import LISTED, Agent

Parts = Mapping[str, Any]
HELD = ("Preparing", "Loading", "Minting", "SettingUp", "Publishing", "Unwinding", "Live")
"""A transaction in one of these is on record with its owner and its provider."""


def over(check: Callable[[Parts], Iterator[str]]) -> Callable[[Step], str | None]:
    """An invariant over all components at the end of every segment."""

    def checked(step: Step) -> str | None:
        if step.whole is None:
            return None
        parts = dict(step.after.aside)
        if step.now is not None:
            parts[step.name] = step.now
        return next_text(check(parts))

    checked.__doc__ = check.__doc__
    return checked


def kept(parts: Parts, *kind: type) -> Iterator[tuple[str, Any]]:
    """The components of some kinds."""
    return ((name, part) for name, part in parts.items() if isinstance(part, kind))


def one_entry_per_id(parts: Parts) -> Iterator[str]:
    """One live entry of each kind per id; an agent entry implies the session entry of the same object."""
    stored = Counter(agent.name for _, agent in kept(parts, Agent) if agent.stored)
    for name, store in kept(parts, Store):
        ids = Counter(id_ for id_, _ in store.entries) + (stored if name == "store:s1" else Counter())
        yield from (f"{name} has {count} entries of {id_}" for id_, count in ids.items() if count > 1)
        for id_, component in store.entries:
            session = parts.get(component)
            if not isinstance(session, Session) or not session.stored or f"store:{session.store}" != name:
                yield f"{name} lists {id_} of {component}, which is not in it"
    yield from (f"{count} agents {id_} are in the store" for id_, count in stored.items() if count > 1)
    for name, agent in kept(parts, Agent):
        if agent.entered and not agent.stored:
            yield f"{name} is listed, but its session is not stored"


def entered_is_listed(parts: Parts) -> Iterator[str]:
    """A session object is in the store it was entered in, and in no other."""
    for name, session in kept(parts, Session):
        places = [store for store, one in kept(parts, Store) if name in [entry for _, entry in one.entries]]
        if places != ([f"store:{session.store}"] if session.stored else []):
            yield f"{name} is {session.entry}, and listed in {', '.join(places) or 'no store'}"


def nothing_in_progress(parts: Parts) -> Iterator[str]:
    """Announcements and appends end with their segment; only an out-of-band append makes a detach wait."""
    for name, session in kept(parts, Session):
        if session.announcing or session.appending:
            yield f"an announcement of {name}, or an append to it, is still in progress"
        if session.stored and session.leaving and not session.aside:
            yield f"the detach of {name} waits for nothing"


def records_are_alive(parts: Parts) -> Iterator[str]:
    """What an owner, a provider or a log has on record exists; a transaction that failed or is over left nothing."""
    for name, holder in kept(parts, Fiber, Provider, Transaction):
        for one in holder.records:
            part = parts.get(one)
            if part is None or (isinstance(part, Transaction) and part.place not in HELD):
                yield f"{name} has {one} on record, which is over"
    for name, log in kept(parts, Storage):
        for one in (*log.readers, *([log.loading] if log.loading else [])):
            if getattr(parts.get(one), "place", "") not in HELD:
                yield f"{name} is kept for {one}, which is over"


def holders_know(parts: Parts) -> Iterator[str]:
    """A transaction under way is on record with its owner and its provider."""
    for name, tx in kept(parts, Transaction):
        if tx.place in HELD:
            for holder in (tx.owner, tx.provider):
                if name not in getattr(parts.get(holder), "records", ()):
                    yield f"{name} is {tx.place}, but not on record with {holder}"


def entries_have_owners(parts: Parts) -> Iterator[str]:
    """An agent that is stored belongs to a transaction that publishes it, or returned it."""
    for name, agent in kept(parts, Agent):
        tx = parts.get(f"tx:{agent.handle}")
        if agent.stored and getattr(tx, "place", "") not in ("Publishing", "Live"):
            yield f"{name} is stored, but its transaction is {getattr(tx, 'place', 'no more')}"


def unloads_are_thorough(parts: Parts) -> Iterator[str]:
    """An unload that is over left nothing, and nobody waits for it; the slot's provider serves."""
    for name, one in kept(parts, Fiber, Provider):
        if one.place in ("Unloaded", "Stopped") and (one.records or one.waiting):
            yield f"{name} is {one.place}, but has {', '.join((*one.records, *one.waiting))}"
    slot = parts.get("provider")
    if isinstance(slot, Slot) and slot.holder:
        provider = parts.get(slot.holder)
        if provider is not None and provider.place != "Serving":
            yield f"{slot.holder} holds the slot, but is {provider.place}"


def buffered_are_live(parts: Parts) -> Iterator[str]:
    """A log is buffered exactly for a session that is stored."""
    for name, log in kept(parts, Storage):
        if log.place == "Buffering":
            session = parts.get(log.live)
            if not getattr(session, "stored", False):
                yield f"{name} is buffered for {log.live}, which is not stored"
        elif log.live:
            yield f"{name} is {log.place}, but buffered for {log.live}"


def tokens_last(step: Step) -> str | None:
    """A task keeps its owner as long as its executor lasts; it completes once, and not while that is unloaded."""
    if step.whole is None or (isinstance(step.command, Task) and step.command.act == "start"):
        return None  # a start makes another task of its id
    before, now = dict(step.before.aside), dict(step.after.aside)
    running: Counter[str] = Counter()
    for name, was in before.items():
        if not isinstance(was, Background):
            continue
        executor = before.get(was.executor)
        # an id may be used again while the process of an earlier task of it is still there: they are told apart by number only
        running[was.name] += was.place in ("Running", "Killed") and getattr(executor, "place", "Loaded") == "Loaded"
        part = now.get(name)
        if isinstance(part, Background) and part.executor == was.executor and part.token != was.token:
            return f"{name} was owned by {was.token}, and is by {part.token}"
    ends = Counter(str(one.of) for one in step.whole if one.event == "task" and one.state == "completion")
    for id_, count in ends.items():
        if count > running[id_]:
            return f"{id_} completed {count} times when {running[id_]} of it ran"
    return None


def sessions_paired(step: Step) -> str | None:
    """A session that was announced and is gone published s- once; one that was not, never."""
    if step.whole is None:
        return None
    before, now = dict(step.before.aside), dict(step.after.aside)
    left: Counter[str] = Counter()
    for name, was in before.items():
        if isinstance(was, Session) and was.entry in LISTED:
            part = now.get(name)
            if part is None or part.entry not in LISTED:
                left[was.name] += was.entry == "Announced"
    seen = Counter(str(one.of) for one in step.whole if one.event == "session/disposed")
    made = {one.of for one in step.whole if one.event == "session/created"}
    for id_ in left.keys() | seen.keys():
        agent = any(isinstance(part, Agent) and part.name == id_ for part in (step.was, step.now, *now.values()))
        if not agent and id_ not in made and left[id_] != seen[id_]:
            return f"{left[id_]} announced sessions {id_} left their store, and s- was published {seen[id_]} times"
    return None
