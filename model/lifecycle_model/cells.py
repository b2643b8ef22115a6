"""What one agent's segments do, computed once per cell: every move of a cell with its target, rows, findings and price.

A segment reads and writes few components, so it is performed on those alone and its result is kept. Refuses to know
any state: acts, gates and listeners come from the scope.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from dataclasses import replace as dataclass_replace
from typing import Any

from msgspec.structs import replace

from lifecycle_model import system
from lifecycle_model.canonical import MARK, Cell, address, kind_of, names_in
from lifecycle_model.commands import AnyCommand, outcome_of
from lifecycle_model.engine import Segment
from lifecycle_model.labels import (
    INTERNAL,
    LOOP,
    SETTLE,
    Label,
    Seat,
    addressed,
    after_of,
    holds_of,
    listens,
    look,
    look_all,
    pattern_of,
    perform,
    seated,
    wants,
)
from lifecycle_model.local import LocalEngine
from lifecycle_model.properties import Properties, Step
from lifecycle_model.scope import Listener, Role, Scope, reaches_other
from lifecycle_model.state import Configuration, HoldArm, OpenGate, World
from lifecycle_model.table import Contract
from lifecycle_model.wire import Observation

EACH = "each"
"""As the reference of a command of a whole system: each of a transaction that is known."""


def each(command: AnyCommand, cell: Cell) -> list[AnyCommand]:
    """The command, once for each reference it may name."""
    if getattr(command, "ref", None) != EACH:
        return [command]
    refs = [part.name for name, part in cell.aside if name.startswith("tx:")]
    return [replace(command, ref=ref) for ref in refs]


def _whose(role: Role, gate: OpenGate) -> str:
    """Whom a gate of a whole system is for, as far as names last."""
    return gate.of if role.whole and MARK not in gate.of else ""


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
    bases: list[tuple[Label, tuple[Observation, ...], Move | None]] = field(default_factory=list[Any])
    """Labels with what they show, for listeners."""
    overheard: list[Move] | None = None
    """The moves with a listener of its own, once asked for."""


class Cells:
    """The cells of a scope under a contract, their moves, and the names of fairness groups. Grows as it is asked."""

    def __init__(
        self, contract: Contract, scope: Scope, properties: Properties, engine: type[LocalEngine] = LocalEngine
    ) -> None:
        """Prepare; nothing is evaluated yet."""
        self.engine = engine(contract)
        self.scope = scope
        self.properties = properties
        self.known: list[Cell] = []
        self.numbers: dict[Cell, int] = {}
        self.groups: dict[tuple[str, str, str], int] = {}
        self.unseen = set(range(len(properties.reachable)))
        """Reachable properties still without a witness; others are not looked for any more."""
        self.evaluated = 0
        self.cut = 0
        """Moves left out because they leave the scope's limits."""
        self.cut_short = False
        """A move of the system itself was left out: the scope's limits are too narrow to prove anything."""
        self._wanted: dict[int, Callable[[Step], bool] | None] = {}
        self._tested: list[tuple[int, Callable[[Step], bool]]] = []
        self._moves: dict[tuple[int, int], Moves] = {}
        self._reaching: dict[tuple[int, int], list[tuple[Move, int, Listener]]] = {}
        self._replies: dict[tuple[int, int, int], Move | None] = {}

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
        kinds = [kind_of(name) for name in names_in(cell)]
        for gate in cell.gates:
            kinds += {gate.kind, gate.program}
        return all(kinds.count(kind) <= most for kind, most in self.scope.most)

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

    def reaching(self, role: int, number: int) -> list[tuple[Move, int, Listener]]:
        """Moves of a cell with the observation at which a listener may act on another agent."""
        found = self._reaching.get((role, number))
        if found is None:
            name = self.scope.roles[role].agents[0]
            listeners = [one for one in self.scope.roles[role].listeners if reaches_other(one)]
            found = self._reaching[role, number] = []
            for label, seen, move in self.moves(role, number).bases:
                for listener in listeners if move is not None and not label.heard else ():
                    heard = (at for at, one in enumerate(seen) if listens(one, name) and wants(listener, one))
                    at = next(heard, -1)
                    if move is not None and at >= 0:
                        found.append((move, at, listener))
        return found

    def reply(self, role: int, number: int, listener: Listener) -> Move | None:
        """What another agent's listener does to a cell, computed once.

        The commands touch no other component (an Outside error tells if they do), so the two halves of such a segment
        can be looked up apart and joined.
        """
        key = (role, number, id(listener))
        if key not in self._replies:
            one = self.scope.roles[role]
            seat = seated(one.agents[0], "", one, self.known[number])
            found: Move | None = Move(Label(), (number,), 0, 0)
            for command in listener.then:
                assert found is not None
                _, found = self._evaluate((seat,), Label(addressed(command)))
                if found is None:
                    break
                seat = seated(one.agents[0], "", one, self.known[found.targets[0]])
            self._replies[key] = found
        return self._replies[key]

    def overheard(self, role: int, number: int) -> list[Move]:
        """What a cell can do with a listener acting on the cell itself, computed once."""
        found = self.moves(role, number)
        if found.overheard is None:
            one = self.scope.roles[role]
            seats = (seated(one.agents[0], "", one, self.known[number]),)
            listeners = [listener for listener in one.listeners if not reaches_other(listener)]
            found.overheard = [
                move for label, seen, _ in found.bases for move in self._overheard(seats, label, seen, listeners)
            ]
        return found.overheard

    def _compute(self, role: Role, cell: Cell) -> Moves:
        seats = (seated(role.agents[0], "", role, cell),)
        found = Moves([], False, 0, 0, 0, 0)
        for label, sure in self._labels(seats[0]):
            segment, move = self._evaluate(seats, label)
            if segment.either:
                _, late = self._evaluate(seats, dataclass_replace(label, late=True))
                found.moves += [] if late is None else [late]
            if label.actor == INTERNAL:
                found.internal |= 1 << label.fair
            elif label.actor == SETTLE and label.command is not None:
                # what changes nothing need not come
                if move is not None and move.targets[0] != self.number(cell):
                    found.settling |= 1 << label.fair
            elif label.actor == SETTLE and sure:
                found.settling |= 1 << label.fair
            elif label.actor == SETTLE:
                found.waiting |= 1 << label.fair
            if move is not None:
                found.moves.append(move)
            if role.listeners:
                found.bases.append((label, segment.seen, move))
        found.restless = bool(found.internal)
        views = [cell, *(system.view(cell, role, name) for name in role.also)]
        checks = [(live, view) for view in views for live in self.properties.liveness]
        for index, (live, view) in enumerate(checks):
            found.stuck |= live.stuck(view) << index
        return found

    def _labels(self, seat: Seat) -> Iterator[tuple[Label, bool]]:
        """Every label of a cell without listeners, and whether it surely settles (F2)."""
        role, cell = seat.role, seat.cell
        for act in role.acts:
            price = (act.spends,) if act.spends else ()
            for command in each(act.command, cell):
                label = Label(command, price=price)
                if act.sure:
                    label = dataclass_replace(label, actor=SETTLE, fair=self.group("act", repr(command), ""))
                yield label, act.sure
        configuration = self._configuration((seat,))
        for index, gate in enumerate(cell.gates):
            held = next((one for one in role.holds if one.gate == gate.kind), None)
            if held is None or gate.outcome is not None or gate.silent or not self._first(cell.gates, index):
                continue
            sure = held.always or self.engine.contract.signal(configuration, gate) is not None
            group = self.group(gate.kind, gate.program, f"release {_whose(role, gate)}")
            at = Label(gate=index, kind=gate.kind, program=gate.program)
            for given in held.settles:
                yield dataclass_replace(at, outcome=outcome_of(given), actor=SETTLE, fair=group), sure
            for given in held.loops:
                yield dataclass_replace(at, outcome=outcome_of(given), actor=LOOP), False
        for ready in self.engine.ready(configuration):
            index = next(i for i, gate in enumerate(cell.gates) if replace(gate, outcome=ready.outcome) == ready)
            group = self.group(ready.kind, ready.program, f"pass {_whose(role, ready)}")
            at = Label(gate=index, kind=ready.kind, program=ready.program, outcome=ready.outcome, passes=True)
            yield dataclass_replace(at, actor=INTERNAL, fair=group), True

    @staticmethod
    def _first(gates: tuple[OpenGate, ...], index: int) -> bool:
        wanted = gates[index]
        return not any(
            gate.of == wanted.of and address(gate) == address(wanted) and gate.outcome is None for gate in gates[:index]
        )

    def _overheard(
        self, seats: tuple[Seat, ...], label: Label, seen: tuple[Observation, ...], listeners: list[Listener]
    ) -> Iterator[Move]:
        """The label with one more listener, at every observation not earlier than the last listener's."""
        if not listeners or len(label.heard) >= self.scope.depth:
            return
        first = label.heard[-1].at if label.heard else 0
        for at in range(first, len(seen)):
            if not listens(seen[at], None if seats[0].role.whole else seats[0].name):
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
            parts.update(system.engine_parts(seat.cell.aside))
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
            stepped=frozenset(seat.name for seat in seats if seat.role.ticks),
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

        given: list[AnyCommand] = []
        segment, command, gate = perform(self.engine, configuration, seats, label, fresh, given)
        if seats[0].role.whole:
            steps = look_all(seats[0], segment, command, gate, label, given)
        else:
            steps = [look(seat, segment, command, gate, label, index) for index, seat in enumerate(seats)]
        after = [after_of(step, seat) for step, seat in zip(steps, seats, strict=False)]
        if not all(cell in self.numbers or self.allowed(cell) for cell in after):
            self.cut += 1
            self.cut_short |= label.actor == INTERNAL and not label.heard
            return segment, None
        targets = tuple(self.number(cell) for cell in after)
        rows = 0
        for row in segment.rows:
            rows |= 1 << self.engine.order[row.id]
        move = Move(label, targets, rows, self.engine.answers)
        self._judge(steps, move)
        return segment, move

    def _tests(self) -> list[tuple[int, Callable[[Step], bool]]]:
        """The tests of the reachable properties that still have no witness."""
        if len(self._wanted) != len(self.unseen):
            self._wanted = {index: self.properties.reachable[index].seen for index in sorted(self.unseen)}
            self._tested = [(index, seen) for index, seen in self._wanted.items() if seen is not None]
        return self._tested

    def _judge(self, steps: list[Step], move: Move) -> None:
        broken: list[tuple[str, str]] = []
        whole = len(steps) > len(move.targets)
        for position, step in enumerate(steps):
            broken += self.properties.broken(step)
            for index, seen in self._tests():
                if seen(step):
                    move.shows |= 1 << index
            progress = 0
            for index, live in enumerate(self.properties.liveness):
                progress |= live.progress(step) << index
            if whole and position:
                progress = move.progress[0] | progress << position * len(self.properties.liveness)
                move.progress = ()
            move.progress += (progress,)
        move.broken = tuple(broken)
