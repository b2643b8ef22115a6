"""What can be read of a configuration: registry, stores, owners, sessions, logs, storage, `inspect`. Changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import replace

from lifecycle_model.commands import AnyCommand, Read
from lifecycle_model.commands import Session as SessionCommand
from lifecycle_model.parts import Background, Fiber, Objects, Present, Provider, Session, Storage, Store, Transaction
from lifecycle_model.state import Agent, Configuration
from lifecycle_model.wire import UNSET, Answer, Observation


def inspect(agent: Agent) -> dict[str, object]:
    """The contract's read-only snapshot."""
    return {
        "status": agent.status,
        "queued": [item.id for item in agent.queued],
        "steering": [item.id for item in agent.steering],
        "marker": agent.marker,
        "holder": agent.holder or "none",
        "turn": agent.turn if agent.open else None,
        "step": agent.step if agent.open and agent.step_open else None,
    }


def plain(records: Iterable[Observation]) -> list[Observation]:
    """Records as logs show them: without their subject."""
    return [replace(record, of=UNSET) for record in records]


def logs(configuration: Configuration, id_: str, part: Any) -> dict[str, object]:
    """The log of a session, and what is stored under its id where that is settled; nothing where logs are not kept."""
    if not configuration.world.keep_log:
        return {}
    found: dict[str, object] = {} if part is None else {"log": plain(part.log)}
    log = configuration.get(f"log:{id_}")
    if not isinstance(log, Storage) or log.place == "Absent":
        return {**found, "stored": None}
    flushing = any(gate.kind == "flush" and (gate.on or gate.of) == log.live for gate in configuration.world.gates)
    return found if log.unsettled or flushing else {**found, "stored": plain(log.records)}


def read_agent(command: Read, configuration: Configuration) -> Answer:
    """Status, `inspect`, whether it is listed, its log and what is stored."""
    agent = configuration.get(str(command.agent))
    if not isinstance(agent, Agent):
        return Answer(refused="not_live")
    shown = inspect(agent)
    if agent.status == "disposed" and configuration.world.policy("after_dispose") == "parks":
        # what is kept for good may be shown as queued, or not
        del shown["queued"], shown["steering"]
    found: dict[str, object] = {"status": agent.status, "inspect": shown, "registry": agent.entered}
    return Answer(ok={**found, **logs(configuration, agent.name, agent)})


def read_session(command: Read, configuration: Configuration) -> Answer:
    """The log of a session by its id, live or not, and what is stored under it."""
    id_ = str(command.session)
    part = configuration.get(by_id(configuration, id_))
    if part is None:
        log = configuration.get(f"log:{id_}")
        if not isinstance(log, Storage) or log.place == "Absent":
            return Answer(refused="not_live")
    return Answer(ok=logs(configuration, id_, part))


def read_registry(command: Read, configuration: Configuration) -> Answer:
    """The agents listed, and those without parent."""
    listed = [agent for agent in configuration.agents() if agent.entered]
    roots = [agent.name for agent in listed if not _parent(configuration, agent)]
    return Answer(ok={"agents": [agent.name for agent in listed], "roots": roots})


def _parent(configuration: Configuration, agent: Agent) -> bool:
    tx = configuration.get(f"tx:{agent.handle}")
    return isinstance(tx, Transaction) and tx.owner.startswith("tx:")


def read_store(command: Read, configuration: Configuration) -> Answer:
    """The sessions of a store."""
    store: Store = configuration.get(f"store:{command.store}") or Store()
    ids = [id_ for id_, _ in store.entries]
    if command.store == "s1":
        ids += [agent.name for agent in configuration.agents() if agent.stored]
    return Answer(ok={"sessions": sorted(ids)})


def read_owner(command: Read, configuration: Configuration) -> Answer:
    """What an owner has on record, by id; nothing is said of an owner of a provider, which has no id."""
    fiber: Fiber = configuration.get(f"fiber:{command.owner}") or Fiber(str(command.owner))
    parts = [configuration[name] for name in fiber.records]
    if any(isinstance(part, Provider) for part in parts):
        return Answer(ok={})
    return Answer(ok={"records": sorted(part.id if isinstance(part, Transaction) else part.name for part in parts)})


TASK_STATUS = {"Running": "running", "Killed": "killed", "Exited": "killed", "Completed": "completed"}


def read_task(command: Read, configuration: Configuration) -> Answer:
    """A task's status, and who `owner_of` says its owner is; an executor that is being unloaded has no owners.

    Without an executor nobody is asked for a task of one before the last: nothing is said of its status.
    """
    task: Background | None = configuration.get(f"task:{command.task}")
    present: Present = configuration.get("present") or Present()
    if task is None or (present.executor and task.executor != present.executor):
        return Answer(ok={"status": None, "owner_of": None})
    if not present.executor and task.executor != _last_executor(configuration):
        return Answer(ok={"owner_of": None})
    owner = task.token if task.executor == present.executor else None
    return Answer(ok={"status": TASK_STATUS[task.place], "owner_of": owner})


def _last_executor(configuration: Configuration) -> str:
    """The component of the executor loaded last."""
    known = [name for name in configuration if name.startswith("executor:")]
    return max(known, key=lambda name: int(name.partition(":")[2]), default=Present().executor)


READERS: tuple[tuple[str, Callable[[Read, Configuration], Answer]], ...] = (
    ("agent", read_agent),
    ("session", read_session),
    ("store", read_store),
    ("owner", read_owner),
    ("task", read_task),
    ("registry", read_registry),
)
"""Which member of a read asks for what, the first that is given."""


def read(command: AnyCommand, configuration: Configuration) -> Answer:
    """Answer a read with the lookups the model keeps."""
    assert isinstance(command, Read)
    for member, reader in READERS:
        if getattr(command, member):
            return reader(command, configuration)
    return Answer(refused="unsupported")


def by_id(configuration: Configuration, id_: str) -> str:
    """The component of the session of an id: a live one if there is one, else the object made last, else the agent's."""
    agent = configuration.get(id_)
    if isinstance(agent, Agent) and agent.stored:
        return id_
    known: Objects = configuration.get("sessions") or Objects()
    found = [component for _, one, component in known.known if one == id_]
    live = [component for component in found if configuration[component].stored]
    return (live or found[-1:] or [id_])[0]


def session_named(command: SessionCommand, configuration: Configuration) -> str:
    """The component of a session command: a new one for an object to be made, else the object named, or its id's."""
    if command.act in ("create", "prepare"):
        name = f"session:{command.as_ or command.id}"
        while name in configuration and not _spent(configuration, name):
            name += "~"
        return name
    known: Objects = configuration.get("sessions") or Objects()
    if command.as_ is not None and command.act not in ("flush", "append_out_of_band"):
        named = [component for name, _, component in known.known if name == command.as_]
        if named:
            return named[-1]
    return by_id(configuration, str(command.id))


def _spent(configuration: Configuration, name: str) -> bool:
    """Nothing is left of an object: it is detached, and no gate of it is open."""
    part = configuration[name]
    open_gates = any((gate.on or gate.of) == name for gate in configuration.world.gates)
    return isinstance(part, Session) and part.entry == "Gone" and not part.leaving and not open_gates
