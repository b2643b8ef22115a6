"""The commands of section L and D: sessions without an agent, an agent's log, and stored logs."""

from __future__ import annotations

from lifecycle_conformance.systems.reference.life import Answered, not_live
from lifecycle_conformance.systems.reference.records import from_judge, log, stored, stored_log
from lifecycle_conformance.systems.reference.world import OK, Later, World, performs
from lifecycle_model import commands as ask
from lifecycle_model.wire import Answer
from lifecycle_runtime.errors import NotLive


@performs(ask.Session)
def session(world: World, command: ask.Session) -> Answered:
    """Perform one of the verbs of section L; `as` names the object where an id means several."""
    store = world.store(command.store)
    name = command.as_ or command.id or ""
    if command.act == "create":
        owner = world.owner(command.owner)
        if owner is None or command.id is None:
            return not_live("owner or id")
        world.entries[name] = store.create(owner, command.id)
        world.sessions[name] = world.sessions[command.id] = world.entries[name].value
        return OK
    if command.act == "prepare":
        if command.id is None:
            return not_live("id")
        world.sessions[name] = world.sessions[command.id] = store.prepare(command.id)
        return OK
    # `as` is a prepared object if there is one, else the reference a pending act settles by
    key = command.as_ if command.as_ in world.sessions else command.id
    found = world.session(key or "")
    if found is None or key is None:
        return not_live(f"session {key}")
    if command.store is None and command.act != "enter":
        store = world.home_of(found)
    if command.act == "enter":
        world.entries[key] = store.enter(found)
        return OK
    if command.act == "append":
        found.append(*from_judge(command.record))
        return OK
    if command.act == "append_out_of_band":
        return world.follow(name, world.lift(lambda: store.append_out_of_band(found, *from_judge(command.record))))
    if command.act == "flush":
        return world.follow(name, world.lift(lambda: store.flush(found)))
    entry = world.entry(key)
    if entry is None:
        raise NotLive(f"session {key!r} has no entry; enter it first")
    if command.act == "announce":
        store.announce(entry)
        return OK
    if command.act == "detach":
        store.detach(entry)
        return OK
    return Answer(refused="unsupported", message=f"there is no session act {command.act}")


@performs(ask.Storage)
def storage(world: World, command: ask.Storage) -> Answered:
    """Put, load or list stored logs; take persistence away and give it back."""
    persisted = world.persisted
    if command.act == "off":
        persisted.off()
        return OK
    if command.act == "on":
        persisted.on()
        return OK
    if command.id is None:
        return not_live("id")
    if command.act == "put":
        persisted.put(command.id, stored(command.records))
        return OK
    if command.act == "aside":
        aside = persisted.aside(command.id)
        return Answer(ok=stored_log(aside[-1].records) if aside else [])
    if command.act == "load":
        if persisted.persistence is None:
            return Answer(refused="no_persistence")
        load = persisted.persistence.begin_load(command.id)
        return Later(world.start(load.session()), lambda loaded: log(loaded.records))
    return Answer(refused="unsupported", message=f"there is no storage act {command.act}")
