"""The command `read`: everything the contract's *lookup* shows, changing nothing."""

from __future__ import annotations

from lifecycle_conformance.systems.reference.life import Answered, not_live
from lifecycle_conformance.systems.reference.records import log, stored_log
from lifecycle_conformance.systems.reference.world import World, performs
from lifecycle_model import commands as ask
from lifecycle_model.wire import Answer
from lifecycle_runtime.agent import Agent


@performs(ask.Read)
def read(world: World, command: ask.Read) -> Answered:
    """Answer with the values of everything named."""
    values: dict[str, object] = {}
    if command.agent is not None:
        agent = world.agent(command.agent)
        if agent is None:
            return not_live(f"agent {command.agent}")
        values |= _agent(world, agent)
    if command.session is not None:
        session, kept = world.session(command.session), _stored(world, command.session)
        if session is None and kept is None:
            return not_live(f"session {command.session}")
        values["log"] = log(session.records) if session is not None else None
        values["stored"] = kept
    if command.store is not None:
        values["sessions"] = [session.id for session in world.store(command.store).list()]
    if command.owner is not None:
        owner = world.owner(command.owner)
        values["records"] = sorted(_record(label) for label in owner.fiber.records) if owner is not None else []
    if command.task is not None:
        values |= world.shell.values(command.task)
    if command.registry:
        agents = world.runtime.agents
        values |= {"agents": _ids(agents.list()), "roots": _ids(agents.roots())}
    return Answer(ok=values)


def _agent(world: World, agent: Agent) -> dict[str, object]:
    inspected = agent.inspect()
    return {
        "status": str(agent.status),
        "inspect": {
            "status": str(inspected.status),
            "queued": list(inspected.queued),
            "steering": list(inspected.steering),
            "marker": inspected.marker,
            "holder": inspected.holder,
            "turn": inspected.turn,
            "step": inspected.step,
        },
        "log": log(agent.session.records),
        "stored": _stored(world, agent.id),
        "registry": world.runtime.agents.get(agent.id) is agent,
    }


def _stored(world: World, session_id: str) -> list[object] | None:
    kept = world.persisted.stored(session_id)
    return stored_log(kept.records) if kept is not None else None


def _ids(agents: tuple[Agent, ...]) -> list[str]:
    return sorted(agent.id for agent in agents)


def _record(label: str) -> str:
    """The id an owner's record is about; the runtime labels its records `agent x`, `session x`."""
    return label.partition(" ")[2] or label
