"""One local segment: what is done to which seats, how names are filled in, and what each seat saw of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from dataclasses import replace as dataclass_replace
from typing import Any

import msgspec
from msgspec.structs import replace

from lifecycle_model import system
from lifecycle_model.canonical import ASIDE, MARK, Cell, address, canonical, kind_of, names_in, rename
from lifecycle_model.commands import AnyCommand, Outcome, React, Release
from lifecycle_model.engine import Engine, Segment
from lifecycle_model.ghost import Ghost, agreed, fold
from lifecycle_model.parts import Transaction
from lifecycle_model.properties import Step
from lifecycle_model.scope import OTHER, SELF, Held, Listener, Role
from lifecycle_model.state import Agent, Configuration, HoldArm, OpenGate
from lifecycle_model.wire import UNSET, Observation, members

DEAF = frozenset({"settled", "heard", "contained", "fault", "request", "scope", "task"})
"""Observations that nobody listens to; a settled flush is another."""

STIMULUS, LOOP, SETTLE, INTERNAL = range(4)
"""Who acts: the environment's command, its choice to keep a turn going, its release of a gate, the system."""


@dataclass(frozen=True, eq=False, slots=True)
class Heard:
    """One listener that acts at the `at`-th observation of the segment it is armed for."""

    at: int
    listener: Listener
    on: dict[str, object] | None = None
    """The observation's pattern, where its names are known already."""


@dataclass(frozen=True, eq=False, slots=True)
class Label:
    """What is done: a command of the scope, the release of a gate, or the passing of one; with who listens."""

    command: AnyCommand | None = None
    """As the scope writes it, with `self` and empty names."""
    gate: int = -1
    """Which of the cell's gates."""
    kind: str = ""
    program: str = ""
    outcome: Outcome | None = None
    passes: bool = False
    """The gate goes on (an internal segment); else the environment releases it."""
    heard: tuple[Heard, ...] = ()
    price: tuple[str, ...] = ()
    """The budgets it draws on."""
    actor: int = STIMULUS
    fair: int = -1
    """The fairness group it belongs to, or -1."""
    late: bool = False
    """What the contract lets happen now or later happens later."""

    def overheard(self, at: int, listener: Listener, on: dict[str, object]) -> Label:
        """The same label with one more listener."""
        price = (*self.price, listener.spends) if listener.spends else self.price
        heard = (*self.heard, Heard(at, listener, on))
        return dataclass_replace(self, heard=heard, price=price)


@dataclass(frozen=True, slots=True)
class Seat:
    """A cell in a segment: the name it goes by, and the prefix of its made-up names."""

    name: str
    prefix: str
    role: Role
    cell: Cell
    names: int
    """How many made-up names the cell has."""


def look(
    seat: Seat, segment: Segment, command: AnyCommand | None, gate: OpenGate | None, label: Label, index: int
) -> Step:
    """A segment as one of its seats saw it."""
    if seat.role.whole:
        return look_all(seat, segment, command, gate, label, ())[0]
    own = tuple(one for one in segment.seen if belongs(one, seat))
    passed = gate if index == 0 and label.passes else None
    ghost = seat.cell.ghost
    for one in own:
        ghost = fold(ghost, one, passed)
    settled = {one.of for one in own if one.event == "settled"}
    refs = (ref for ref in pending_refs(segment) if ref.partition(MARK)[0] == seat.prefix)
    new = tuple(ref for ref in refs if ref not in settled)
    if new:
        ghost = replace(ghost, calls=tuple(sorted(ghost.calls + new, key=kind_of)))
    part = segment.configuration.get(seat.name)
    if isinstance(part, Agent):
        queued = tuple((item.id, item.wakeup) for item in part.queued)
        ghost = agreed(ghost, queued, tuple(item.id for item in part.steering)) or ghost
    others = lives(segment.configuration, seat.name)
    after = Cell(part, own_gates(segment.configuration, seat.name, others), ghost, others)
    return Step(
        seat.name,
        seat.cell,
        after,
        own,
        segment.answer,
        segment.rows if index == 0 else (),
        command if index == 0 else None,
        passed,
        heard=bool(label.heard),
        policies=dict(segment.configuration.world.policies),
    )


def look_all(
    seat: Seat,
    segment: Segment,
    command: AnyCommand | None,
    gate: OpenGate | None,
    label: Label,
    given: Iterable[AnyCommand],
) -> list[Step]:
    """A segment as each name of a whole system saw it; `given` are the reactions armed in it."""
    role, configuration = seat.role, segment.configuration
    asked = [one for react in given if isinstance(react, React) for one in react.then]
    asked += [] if command is None else [command]
    pending = set(pending_refs(segment))
    refs = {
        str(ref): system.concerned(one, configuration, role)
        for one in asked
        if (ref := getattr(one, "as_", None)) in pending
    }
    passed = gate if label.passes else None
    ghosts = system.folded(seat.cell, role, configuration, segment.seen, passed, refs)
    now = system.after(seat.name, role, configuration, ghosts)
    about = system.concerned(command, configuration, role)
    policies = dict(configuration.world.policies)
    steps: list[Step] = []
    for name in system.names_of(role):
        first = name == seat.name
        steps.append(
            Step(
                name,
                seat.cell if first else system.view(seat.cell, role, name),
                now if first else system.view(now, role, name),
                ghosts[name][1],
                segment.answer,
                segment.rows if first else (),
                command if about == name else None,
                system.gate_of(passed, name),
                heard=bool(label.heard),
                policies=policies,
                whole=segment.seen if first else None,
            )
        )
    return steps


UNDER_WAY = ("Preparing", "Loading", "Minting", "SettingUp", "Publishing", "Unwinding")
CREATION = frozenset({"load", "scope_mint", "setup"})
"""Gates of a creation, addressed by its reference."""


def lives(configuration: Configuration, name: str) -> tuple[tuple[str, Any], ...]:
    """Earlier lives of an id, in the order they were set aside, and its creations under way."""
    found: list[tuple[str, Any]] = []
    for one in configuration:
        part = configuration[one]
        creation = isinstance(part, Transaction) and part.id == name and part.place in UNDER_WAY
        if creation or one.startswith(name + ASIDE):
            found.append((one, part))
    return tuple(found)


def own_gates(configuration: Configuration, name: str, others: tuple[tuple[str, Any], ...]) -> tuple[OpenGate, ...]:
    """The gates of an id's component, and of the others that are kept with it."""
    kept = {other for other, _ in others}
    gates = (one for one in configuration.world.gates if one.on in kept or (one.of == name and not one.on))
    return tuple(sorted(gates, key=address))


def seated(name: str, prefix: str, role: Role, cell: Cell) -> Seat:
    """Seat a canonical cell, under another name and prefix if need be."""
    names = names_in(cell)
    if prefix or name != role.agents[0]:
        first = role.agents[0]
        aside = {one: one.replace(first + ASIDE, name + ASIDE) for one, _ in cell.aside if ASIDE in one}
        cell = rename(cell, {first: name, **aside, **{one: prefix + one for one in names}}, {})
    return Seat(name, prefix, role, cell, len(names))


def addressed(command: AnyCommand) -> AnyCommand:
    """The command as its target sees it."""
    return replace(command, agent=SELF) if getattr(command, "agent", None) == OTHER else command


def after_of(step: Step, seat: Seat) -> Cell:
    """The canonical cell after a step, under its role's own name."""
    if seat.role.whole:
        return system.ordered(step.after, seat.role)
    first = seat.role.agents[0]
    return canonical(step.after, None if seat.name == first else {seat.name: first})


def belongs(seen: Observation, seat: Seat) -> bool:
    """Tell whether an observation is of this seat's agent, or settles one of its calls."""
    if seen.event == "settled":
        return str(seen.of).partition(MARK)[0] == seat.prefix
    return seen.of == seat.name


def pending_refs(segment: Segment) -> list[str]:
    """References that commands of a segment answered pending."""
    found: list[str] = []
    for one in segment.seen:
        if one.event == "heard" and one.answers is not UNSET:
            found += [str(answer.pending) for answer in one.answers if answer.pending is not UNSET]
    if segment.answer.pending is not UNSET:
        found.append(str(segment.answer.pending))
    return found


def holds_of(role: Role, name: str) -> list[HoldArm]:
    """The holds the environment keeps armed for an agent."""
    return [HoldArm(held.gate, of, None, None, None, None, held.sticky) for held, of in subjects_of(role, name)]


def subjects_of(role: Role, name: str) -> list[tuple[Held, str | None]]:
    """What the environment holds, with the subject: a creation's gates are caught whichever it is."""
    others = (*role.also, None) if role.whole else ()
    return [(held, of) for held in role.holds for of in ((None,) if held.gate in CREATION else (name, *others))]


def listens(seen: Observation, name: str | None) -> bool:
    """Tell whether somebody can listen to this observation of this agent (of anybody: None)."""
    return (
        (name is None or seen.of == name)
        and seen.event not in DEAF
        and not (seen.event == "session/flush" and seen.state != "start")
    )


def wants(listener: Listener, seen: Observation) -> bool:
    """Tell whether a listener of the scope acts at this observation."""
    event = f"gate {seen.gate}" if seen.event == "gate" else seen.event
    if listener.on:
        return event in listener.on or seen.event in listener.on
    return listener.outcome is None or seen.event == "gate"


def pattern_of(seen: Observation) -> dict[str, object]:
    """The reaction pattern that matches exactly this observation."""
    known = members(seen)
    if seen.event == "gate":
        return {name: known[name] for name in ("gate", "of", "turn", "call", "record") if known.get(name)}
    return {name: msgspec.to_builtins(value) for name, value in known.items()}


def filled(command: AnyCommand, seats: tuple[Seat, ...], fresh: Any) -> AnyCommand:
    """A command of a scope with its agent and unused names."""
    changes: dict[str, Any] = {}
    target = seats[0]
    for name in ("agent", "id"):
        given = getattr(command, name, None)
        if given == OTHER:
            target = seats[1]
        if given in (SELF, OTHER):
            changes[name] = target.name
    if getattr(command, "message", None) == "":
        changes["message"] = fresh(target, "m")
    verb = command.verb
    if verb in KINDS and getattr(command, "as_", None) == "":
        changes["as_"] = fresh(target, KINDS[verb])
    return replace(command, **changes)


KINDS = {
    "create": "h", "resume": "h", "when_idle": "w", "dispose": "d", "unload_owner": "u", "unload_provider": "u", "executor": "u", "session": "o", "acp": "q",
}  # fmt: skip
"""Verbs that may answer pending, with the kind of the references made up for those that a scope leaves empty."""


def perform(
    engine: Engine,
    configuration: Configuration,
    seats: tuple[Seat, ...],
    label: Label,
    fresh: Any,
    given: list[AnyCommand] | None = None,
) -> tuple[Segment, AnyCommand | None, OpenGate | None]:
    """Perform a label: the segment, the command asked, and the gate passed or released. Armed reactions are `given`."""
    seat = seats[0]
    command: AnyCommand | None = None
    gate: OpenGate | None = None
    if label.command is not None:
        command = filled(label.command, seats, fresh)
    else:
        gate = seat.cell.gates[label.gate]
        outcome = label.outcome
        if outcome is not None and outcome.reason == "":
            outcome = replace(outcome, reason=fresh(seat, "m"))
        gate = replace(gate, outcome=outcome)
        if not label.passes:
            command = Release(gate.kind, of=gate.of, turn=gate.turn or None, call=gate.call or None, with_=outcome)

    def go() -> Segment:
        if label.passes:
            assert gate is not None
            return engine.advance(configuration, gate, late=label.late)
        assert command is not None
        return engine.perform(configuration, command, late=label.late)

    for index, heard in enumerate(label.heard):
        on = pattern_of(go().seen[heard.at]) if heard.on is None else heard.on
        then = tuple(filled(one, seats, fresh) for one in heard.listener.then)
        react = React(on, then, heard.listener.throw, heard.listener.outcome, as_=f"l{index}")
        configuration = engine.perform(configuration, react).configuration
        if given is not None:
            given.append(react)
    return go(), command, gate


def until_quiet(
    engine: Engine, configuration: Configuration, command: AnyCommand
) -> Iterator[tuple[AnyCommand | None, OpenGate | None, Segment]]:
    """The segments of a command and of what follows it by itself, the first gate that is ready each time."""
    segment = engine.perform(configuration, command)
    yield command, None, segment
    while ready := engine.ready(segment.configuration):
        segment = engine.advance(segment.configuration, ready[0])
        yield None, ready[0], segment


NOTHING = Cell(None, (), Ghost())
"""An agent that does not exist yet."""
