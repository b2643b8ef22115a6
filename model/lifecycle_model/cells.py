"""What one agent's segments do, computed once per cell: every move of a cell with its target, rows, findings and price.

A segment reads and writes few components, so it is performed on those alone and its result is kept. A row that reads
a component outside its view is noticed, not answered. Refuses to know any state: acts, gates and listeners come from
the scope.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from dataclasses import replace as dataclass_replace
from typing import Any

import msgspec
from msgspec.structs import replace

from lifecycle_model.canonical import MARK, Cell, address, canonical, kind_of, names_in, rename
from lifecycle_model.commands import AnyCommand, Create, Outcome, React, Release, outcome_of
from lifecycle_model.engine import Engine, ModelError, Run, Segment
from lifecycle_model.ghost import Ghost, agreed, fold, reborn
from lifecycle_model.properties import Properties, Step
from lifecycle_model.scope import OTHER, SELF, Listener, Role, Scope, reaches_other
from lifecycle_model.state import Agent, Configuration, HoldArm, OpenGate, World
from lifecycle_model.table import Contract, Row
from lifecycle_model.wire import UNSET, Observation, members

DEAF = frozenset({"settled", "heard", "contained", "fault", "request", "scope", "task"})
"""Observations that nobody listens to; a settled flush is another."""

STIMULUS, LOOP, SETTLE, INTERNAL = range(4)
"""Who moves: the environment's command, its choice to keep a turn going, its release of a gate, the system."""


class Outside(ModelError):
    """A row read a component that its segment was not given; the scope's agents must be explored together."""


class View(dict[str, Any]):
    """The components a segment was given; reading another one that exists is an error."""

    outside: frozenset[str] = frozenset()

    def get(self, key: str, default: Any = None) -> Any:
        """The component, or the default where no such component exists at all."""
        if key in self.outside:
            raise Outside(f"a row of this segment reads {key!r}, which belongs to another view")
        return super().get(key, default)

    def __missing__(self, key: str) -> Any:
        raise Outside(f"a row of this segment reads {key!r}, which belongs to another view")


class LocalEngine(Engine):
    """The engine on a part of a configuration, recording how each guard answered."""

    def __init__(self, contract: Contract) -> None:
        """Wrap every guard of the contract so that what it answers is recorded."""
        self.order = {row.id: index for index, row in enumerate(contract.rows)}
        self.answers = 0
        """Two bits a row: its guard was seen true, and seen false, in the present segment."""
        rows = tuple(self._heeded(row, index) for index, row in enumerate(contract.rows))
        super().__init__(contract.overlay(contract.name, rows=rows))
        self.outside: frozenset[str] = frozenset()

    def _heeded(self, row: Row, index: int) -> Row:
        guard = row.guard
        if guard is None:
            return row
        yes, no = 1 << (2 * index), 2 << (2 * index)

        def heeded(now: Any) -> bool:
            answer = guard(now)
            self.answers |= yes if answer else no
            return answer

        heeded.__name__, heeded.__doc__ = guard.__name__, guard.__doc__
        return _with_guard(row, heeded)

    def _run(self, configuration: Configuration) -> Run:
        run = super()._run(configuration)
        view = View(run.parts)
        view.outside = self.outside
        run.parts = view
        return run


def _with_guard(row: Row, guard: Any) -> Row:
    fields = {name: getattr(row, name) for name in row.__dataclass_fields__}
    return Row(**{**fields, "guard": guard})


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

    def overheard(self, at: int, listener: Listener, on: dict[str, object]) -> Label:
        """The same label with one more listener."""
        price = (*self.price, listener.spends) if listener.spends else self.price
        heard = (*self.heard, Heard(at, listener, on))
        return dataclass_replace(self, heard=heard, price=price)


@dataclass(eq=False, slots=True)
class Move:
    """One local transition: where it leads, what it costs, and everything an exploration wants to know of it."""

    label: Label
    targets: tuple[int, ...]
    rows: int
    guards: int
    broken: tuple[tuple[str, str], ...] = ()
    shows: int = 0
    """Bits of the reachable properties that the step shows."""
    progress: tuple[int, ...] = ()
    """By seat, bits of the liveness properties to which the step is progress."""
    used: bool = False


@dataclass(eq=False, slots=True)
class Moves:
    """Everything one cell can do by itself."""

    moves: list[Move]
    restless: bool
    """An internal segment is enabled."""
    internal: int
    """Fairness groups enabled: internal segments."""
    settling: int
    """Fairness groups enabled: releases of gates that always settle, or saw an abort."""
    waiting: int
    """Fairness groups enabled: releases of other gates."""
    stuck: int
    """Bits of the liveness properties that hold the cell stuck."""
    bases: list[tuple[Label, Segment]] = field(default_factory=list[tuple[Label, Segment]])
    """Labels with what they show, for listeners that act on another agent."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A cell in a segment: the name it goes by, and the prefix of its made-up names."""

    name: str
    prefix: str
    role: Role
    cell: Cell
    names: int
    """How many made-up names the cell has."""


class Cells:
    """The cells of a scope under a contract, their moves, and the names of fairness groups. Grows as it is asked."""

    def __init__(self, contract: Contract, scope: Scope, properties: Properties) -> None:
        """Prepare; nothing is evaluated yet."""
        self.engine = LocalEngine(contract)
        self.scope = scope
        self.properties = properties
        self.known: list[Cell] = []
        self.numbers: dict[Cell, int] = {}
        self.groups: dict[tuple[str, str, str], int] = {}
        self.unseen = set(range(len(properties.reachable)))
        """Reachable properties still without a witness; others are not looked for any more."""
        self.evaluated = 0
        self.cut = 0
        self._moves: dict[tuple[int, int], Moves] = {}
        self._joint: dict[tuple[int, int, int, int], list[Move]] = {}
        self._limits = tuple((kind, most) for kind, most in scope.most if kind != "gates")
        self._gates_most = dict(scope.most).get("gates", 1000)

    # -- numbering -----------------------------------------------------------------------------------------------

    def number(self, cell: Cell) -> int:
        """The number of a canonical cell."""
        found = self.numbers.get(cell)
        if found is None:
            found = self.numbers[cell] = len(self.known)
            self.known.append(cell)
        return found

    def allowed(self, cell: Cell) -> bool:
        """Tell whether a cell keeps the scope's limits."""
        if len(cell.gates) > self._gates_most:
            return False
        kinds = [kind_of(name) for name in names_in(cell)] if self._limits else []
        return all(kinds.count(kind) <= most for kind, most in self._limits)

    def group(self, kind: str, program: str, mode: str) -> int:
        """The number of a fairness group."""
        return self.groups.setdefault((kind, program, mode), len(self.groups))

    # -- moves ---------------------------------------------------------------------------------------------------

    def moves(self, role: int, number: int) -> Moves:
        """Everything a cell of a role can do by itself, computed once."""
        found = self._moves.get((role, number))
        if found is None:
            found = self._moves[role, number] = self._compute(self.scope.roles[role], self.known[number])
        return found

    def joint(self, role: int, number: int, other_role: int, other: int) -> list[Move]:
        """What a cell does to another one through a listener of its own, computed once per pair."""
        key = (role, number, other_role, other)
        found = self._joint.get(key)
        if found is None:
            first, second = self.scope.roles[role], self.scope.roles[other_role]
            name = second.agents[1] if second is first else second.agents[0]
            seats = (seated(first.agents[0], "", first, self.known[number]), seated(name, name, second, self.known[other]))
            listeners = [one for one in first.listeners if reaches_other(one)]
            found = self._joint[key] = [
                move
                for label, segment in self.moves(role, number).bases
                for move in self._overheard(seats, label, segment.seen, listeners)
            ]
        return found

    def _compute(self, role: Role, cell: Cell) -> Moves:
        seats = (seated(role.agents[0], "", role, cell),)
        listeners = [one for one in role.listeners if not reaches_other(one)]
        found = Moves([], False, 0, 0, 0, 0)
        for label, sure in self._labels(seats[0]):
            segment, move = self._evaluate(seats, label)
            if label.actor == INTERNAL:
                found.internal |= 1 << label.fair
            elif label.actor == SETTLE and sure:
                found.settling |= 1 << label.fair
            elif label.actor == SETTLE:
                found.waiting |= 1 << label.fair
            if move is not None:
                found.moves.append(move)
            found.moves.extend(self._overheard(seats, label, segment.seen, listeners))
            if self.scope.crosses:
                found.bases.append((label, segment))
        found.restless = bool(found.internal)
        for index, live in enumerate(self.properties.liveness):
            found.stuck |= live.stuck(cell) << index
        return found

    def _labels(self, seat: Seat) -> Iterator[tuple[Label, bool]]:
        """Every label of a cell without listeners, and whether it surely settles (F2)."""
        role, cell = seat.role, seat.cell
        for act in role.acts:
            if cell.part is not None or isinstance(act.command, Create):
                yield Label(act.command, price=(act.spends,) if act.spends else ()), False
        configuration = self._configuration((seat,))
        for index, gate in enumerate(cell.gates):
            held = next((one for one in role.holds if one.gate == gate.kind), None)
            if held is None or gate.outcome is not None or gate.silent or not self._first(cell.gates, index):
                continue
            sure = held.always or self.engine.contract.signal(configuration, gate) is not None
            group = self.group(gate.kind, gate.program, "release")
            at = Label(gate=index, kind=gate.kind, program=gate.program)
            for given in held.settles:
                yield dataclass_replace(at, outcome=outcome_of(given), actor=SETTLE, fair=group), sure
            for given in held.loops:
                yield dataclass_replace(at, outcome=outcome_of(given), actor=LOOP), False
        for ready in self.engine.ready(configuration):
            index = next(i for i, gate in enumerate(cell.gates) if replace(gate, outcome=ready.outcome) == ready)
            group = self.group(ready.kind, ready.program, "pass")
            at = Label(gate=index, kind=ready.kind, program=ready.program, outcome=ready.outcome, passes=True)
            yield dataclass_replace(at, actor=INTERNAL, fair=group), True

    @staticmethod
    def _first(gates: tuple[OpenGate, ...], index: int) -> bool:
        return not any(address(gate) == address(gates[index]) and gate.outcome is None for gate in gates[:index])

    def _overheard(
        self, seats: tuple[Seat, ...], label: Label, seen: tuple[Observation, ...], listeners: list[Listener]
    ) -> Iterator[Move]:
        """The label with one more listener, at every observation not earlier than the last listener's."""
        if not listeners or len(label.heard) >= self.scope.depth:
            return
        first = label.heard[-1].at if label.heard else 0
        for at in range(first, len(seen)):
            if not listens(seen[at], seats[0].name):
                continue
            for listener in listeners:
                if not wants(listener, seen[at]):
                    continue
                further = label.overheard(at, listener, pattern_of(seen[at]))
                segment, move = self._evaluate(seats, further)
                if move is not None:
                    yield move
                yield from self._overheard(seats, further, segment.seen, listeners)

    # -- evaluation ----------------------------------------------------------------------------------------------

    def _configuration(self, seats: tuple[Seat, ...]) -> Configuration:
        parts: dict[str, Any] = {}
        gates: list[OpenGate] = []
        holds: list[HoldArm] = []
        for seat in seats:
            if seat.cell.part is not None:
                parts[seat.name] = seat.cell.part
            gates += seat.cell.gates
            holds += holds_of(seat.role, seat.name)
        watches = tuple(
            HoldArm(w.gate, w.of, w.turn, w.call, w.record, w.listener, sticky=False) for w in self.scope.watches
        )
        parts["world"] = World(
            holds=tuple(holds),
            watches=watches,
            gates=tuple(gates),
            policies=tuple(sorted(self.scope.policies)),
            keep_log=False,
        )
        return Configuration(parts)

    def _evaluate(self, seats: tuple[Seat, ...], label: Label) -> tuple[Segment, Move | None]:
        """Perform a label on its seats; no move if it leaves the scope's limits, or changes and shows nothing."""
        self.evaluated += 1
        names = {seat.name for seat in seats}
        self.engine.outside = frozenset(name for name in self.scope.agents if name not in names)
        self.engine.answers = 0
        configuration = self._configuration(seats)
        counters = {seat.prefix: [seat.names] for seat in seats}

        def fresh(seat: Seat, kind: str) -> str:
            counters[seat.prefix][0] += 1
            return f"{seat.prefix}{MARK}{kind}{counters[seat.prefix][0]}"

        segment, command, gate = perform(self.engine, configuration, seats, label, fresh)
        steps = [look(seat, segment, command, gate, label, index) for index, seat in enumerate(seats)]
        after = [after_of(step, seat) for step, seat in zip(steps, seats, strict=True)]
        if not all(cell in self.numbers or self.allowed(cell) for cell in after):
            self.cut += 1
            return segment, None
        targets = tuple(self.number(cell) for cell in after)
        rows = 0
        for row in segment.rows:
            rows |= 1 << self.engine.order[row.id]
        move = Move(label, targets, rows, self.engine.answers)
        self._judge(steps, move)
        return segment, move

    def _judge(self, steps: list[Step], move: Move) -> None:
        broken: list[tuple[str, str]] = []
        for step in steps:
            broken += self.properties.broken(step)
            for index in self.unseen:
                seen = self.properties.reachable[index].seen
                if seen is not None and seen(step):
                    move.shows |= 1 << index
            progress = 0
            for index, live in enumerate(self.properties.liveness):
                progress |= live.progress(step) << index
            move.progress += (progress,)
        move.broken = tuple(broken)


def look(
    seat: Seat, segment: Segment, command: AnyCommand | None, gate: OpenGate | None, label: Label, index: int
) -> Step:
    """A segment as one of its seats saw it."""
    own = tuple(one for one in segment.seen if belongs(one, seat))
    passed = gate if index == 0 and label.passes else None
    ghost = seat.cell.ghost
    if isinstance(command, Create) and index == 0 and not any(one.refused is not UNSET for one in own):
        ghost = ghost if segment.answer.refused is not UNSET else reborn(ghost)
    for one in own:
        ghost = fold(ghost, one, passed)
    settled = {one.of for one in own if one.event == "settled"}
    refs = (ref for ref in pending_refs(segment) if ref.partition(MARK)[0] == seat.prefix)
    new = tuple(ref for ref in refs if ref not in settled)
    if new:
        ghost = replace(ghost, calls=ghost.calls + new)
    gates = (one for one in segment.configuration.world.gates if one.of == seat.name)
    part = segment.configuration.get(seat.name)
    if isinstance(part, Agent):
        queued = tuple((item.id, item.wakeup) for item in part.queued)
        ghost = agreed(ghost, queued, tuple(item.id for item in part.steering)) or ghost
    after = Cell(part, tuple(sorted(gates, key=address)), ghost)
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
    )


def seated(name: str, prefix: str, role: Role, cell: Cell) -> Seat:
    """Seat a canonical cell, under another name and prefix if need be."""
    names = names_in(cell)
    if prefix or name != role.agents[0]:
        cell = rename(cell, {role.agents[0]: name, **{one: prefix + one for one in names}}, {})
    return Seat(name, prefix, role, cell, len(names))


def after_of(step: Step, seat: Seat) -> Cell:
    """The canonical cell after a step, under its role's own name."""
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
    return [HoldArm(held.gate, name, None, None, None, None, held.sticky) for held in role.holds]


def listens(seen: Observation, name: str) -> bool:
    """Tell whether somebody can listen to this observation of this agent."""
    return seen.of == name and seen.event not in DEAF and not (seen.event == "session/flush" and seen.state != "start")


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
    if verb in KINDS:
        changes["as_"] = fresh(target, KINDS[verb])
    return replace(command, **changes)


KINDS = {"create": "h", "when_idle": "w", "dispose": "d"}
"""Verbs that answer pending, with the kind of their references."""


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
            return engine.advance(configuration, gate)
        assert command is not None
        return engine.perform(configuration, command)

    for index, heard in enumerate(label.heard):
        on = pattern_of(go().seen[heard.at]) if heard.on is None else heard.on
        then = tuple(filled(one, seats, fresh) for one in heard.listener.then)
        react = React(on, then, heard.listener.throw, heard.listener.outcome, as_=f"l{index}")
        configuration = engine.perform(configuration, react).configuration
        if given is not None:
            given.append(react)
    return go(), command, gate


NOTHING = Cell(None, (), Ghost())
"""An agent that does not exist yet."""
