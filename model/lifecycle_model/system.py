"""A cell that is a whole system: which components it keeps, what is forgotten, and what each of its names saw.

The cell of such a role has every component there is beside it, so that owners, providers, sessions and storage take
part. Refuses to know a rule: it sorts values by whom they concern.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from lifecycle_model.canonical import MARK, Cell, canonical, kind_of, order_of
from lifecycle_model.commands import AnyCommand, Create, Dispose, Resume
from lifecycle_model.ghost import Ghost, agreed, fold, restored
from lifecycle_model.parts import Storage, Transaction
from lifecycle_model.scope import Role
from lifecycle_model.state import Agent, Configuration, OpenGate
from lifecycle_model.wire import Observation

GHOST = "ghost:"
"""Before the name of whom a ghost kept beside a cell observes."""
OVER = ("Released", "Rejected")
"""Transactions in these places are forgotten once nothing is open for them; their references are used again."""
Aside = tuple[tuple[str, Any], ...]


def names_of(role: Role) -> tuple[str, ...]:
    """The agents and sessions of the role that are observed."""
    return (role.agents[0], *role.also)


def components(configuration: Configuration, name: str) -> Aside:
    """Every component beside the named one and the environment's, without what nobody can use any more."""
    open_for = {gate.on or gate.of for gate in configuration.world.gates}
    found: list[tuple[str, Any]] = []
    for one in configuration:
        part = configuration[one]
        over = isinstance(part, Transaction) and part.place in OVER and MARK in one and one not in open_for
        if one in (name, "world") or over:
            continue
        found.append((one, replace(part, former=()) if isinstance(part, Storage) and part.former else part))
    return tuple(found)


def engine_parts(aside: Aside) -> dict[str, Any]:
    """What of a cell's surroundings is a component."""
    return {name: part for name, part in aside if not name.startswith(GHOST)}


def ghost_of(cell: Cell, role: Role, name: str) -> Ghost:
    """What was observed of a name."""
    if name == role.agents[0]:
        return cell.ghost
    found: Ghost = dict(cell.aside).get(GHOST + name, Ghost())
    return found


def concerned(command: AnyCommand | None, configuration: Configuration, role: Role) -> str:
    """The name of the role that a command is about; of one that is about none of them, the first."""
    wanted = getattr(command, "agent", None) or getattr(command, "id", None)
    if isinstance(command, Create | Resume):
        wanted = command.id
    elif isinstance(command, Dispose) and command.ref is not None:
        wanted = getattr(configuration.get(f"tx:{command.ref}"), "id", None)
    return str(wanted) if wanted in names_of(role) else role.agents[0]


def folded(
    cell: Cell,
    role: Role,
    configuration: Configuration,
    seen: tuple[Observation, ...],
    gate: OpenGate | None,
    refs: dict[str, str],
) -> dict[str, tuple[Ghost, tuple[Observation, ...]]]:
    """For every name its ghost after a segment and what it saw; `refs` are the calls made in it, with whom they concern."""
    found: dict[str, tuple[Ghost, tuple[Observation, ...]]] = {}
    for name in names_of(role):
        before = ghost_of(cell, role, name)
        mine = {*before.calls, *(ref for ref, about in refs.items() if about == name)}
        own = tuple(one for one in seen if (one.of in mine if one.event == "settled" else one.of == name))
        ghost = before
        for one in own:
            ghost = fold(ghost, one, gate_of(gate, name))
        settled = {one.of for one in own if one.event == "settled"}
        new = tuple(ref for ref, about in refs.items() if about == name and ref not in settled)
        if new:
            ghost = replace(ghost, calls=tuple(sorted(ghost.calls + new, key=kind_of)))
        part = configuration.get(name)
        if isinstance(part, Agent):
            queued = tuple((item.id, item.wakeup) for item in part.queued)
            if part.restores and any(one.event == "session/created" for one in own):
                ghost = restored(ghost, (*queued, *((item.id, item.wakeup) for item in part.steering)))
            ghost = agreed(ghost, queued, tuple(item.id for item in part.steering)) or ghost
        found[name] = ghost, own
    return found


def gate_of(gate: OpenGate | None, name: str) -> OpenGate | None:
    """The gate, if it is the name's own."""
    return gate if gate is not None and gate.of == name else None


def after(
    name: str, role: Role, configuration: Configuration, ghosts: dict[str, tuple[Ghost, tuple[Observation, ...]]]
) -> Cell:
    """The cell of the whole system after a segment."""
    aside = components(configuration, name)
    aside += tuple((GHOST + other, ghosts[other][0]) for other in role.also if ghosts[other][0] != Ghost())
    gates = tuple(sorted(configuration.world.gates, key=order_of))
    return Cell(configuration.get(name), gates, ghosts[name][0], aside)


def view(cell: Cell, role: Role, name: str) -> Cell:
    """The cell as another of its names sees it, without what it shares with the first."""
    gates = tuple(gate for gate in cell.gates if gate.of == name)
    return Cell(dict(cell.aside).get(name), gates, ghost_of(cell, role, name))


def ordered(cell: Cell, role: Role) -> Cell:
    """The cell under canonical names, with its surroundings in the order of their names."""
    for _ in range(4):
        named = canonical(cell, ranked=not role.exact)
        gates, aside = tuple(sorted(named.gates, key=order_of)), tuple(sorted(named.aside, key=lambda pair: pair[0]))
        cell = named._replace(gates=gates, aside=aside)
        if cell == named:
            break
    return cell
