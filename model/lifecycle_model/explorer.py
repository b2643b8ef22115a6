"""Exhaustive breadth-first exploration of a scope, in the interleaved or the quiet reading. No clock, no printing.

The first way found to anything is a shortest one. Every distinct step is judged once, when it is first made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from lifecycle_model.canonical import Cell, canonical
from lifecycle_model.cells import Cells, Move
from lifecycle_model.commands import Create
from lifecycle_model.ghost import fold
from lifecycle_model.labels import NOTHING, Label, Seat, look_all, until_quiet
from lifecycle_model.local import LocalEngine
from lifecycle_model.plans import Plans, joiner
from lifecycle_model.properties import Properties
from lifecycle_model.scope import Role, Scope, check
from lifecycle_model.space import Hop, Space, hop_of
from lifecycle_model.state import start
from lifecycle_model.system import ordered
from lifecycle_model.table import Contract

READINGS = ("interleaved", "quiet")
EVERY = 4096
"""Configurations expanded between two calls of the progress callback, at most."""


@dataclass(frozen=True)
class Found:
    """A property's violation or witness: what it is, what is wrong (or empty), and where its last hop starts."""

    id: str
    text: str
    node: int
    hop: Hop


@dataclass(frozen=True)
class Progress:
    """How far an exploration is."""

    configurations: int
    waiting: int
    depth: int
    transitions: int


@dataclass(eq=False)
class Exploration:
    """Everything an exploration found."""

    space: Space
    properties: Properties
    rows: int = 0
    guards: int = 0
    row_first: dict[str, Found] = field(default_factory=dict[str, Found])
    violations: dict[str, Found] = field(default_factory=dict[str, Found])
    witnesses: dict[str, Found] = field(default_factory=dict[str, Found])
    judged: list[str] = field(default_factory=list[str])
    """Liveness properties that were judged."""
    lassos: dict[str, Any] = field(default_factory=dict[str, Any])
    """Liveness properties that fail, with how."""
    plans: Plans | None = None
    _noted: int = 0
    """Bits of the rows that a move took; what the exploration begins with took others."""
    live_space: Space | None = None
    """The configurations that liveness was judged on."""

    @property
    def scope(self) -> Scope:
        """The scope explored."""
        return self.space.scope

    def note(self, node: int, move: Move, hop: Hop) -> None:
        """Take notice of a move, or of a reply to one, made for the first time."""
        move.used = True
        contract = self.space.contract
        new = move.rows & ~self._noted
        self._noted |= move.rows
        self.rows |= move.rows
        self.guards |= move.guards
        if new:
            for position, row in enumerate(contract.rows):
                if new >> position & 1:
                    self.row_first[row.id] = Found(row.id, "", node, hop)
                    self._rows_seen(row.id, node, hop)
        for name, text in move.broken:
            self.violations.setdefault(name, Found(name, text, node, hop))
        shows = move.shows
        while shows:
            position = (shows & -shows).bit_length() - 1
            shows &= shows - 1
            self._witness(position, node, hop)

    def _rows_seen(self, row: str, node: int, hop: Hop) -> None:
        for position in list(self.space.cells.unseen):
            if row in self.properties.reachable[position].rows:
                self._witness(position, node, hop)

    def _witness(self, position: int, node: int, hop: Hop) -> None:
        name = self.properties.reachable[position].id
        if name not in self.witnesses:
            self.witnesses[name] = Found(name, "", node, hop)
        self.space.cells.unseen.discard(position)


def beginning(cells: Cells, scope: Scope) -> tuple[list[int], int, int]:
    """The cells the exploration starts from: agents that exist, or nothing yet; with the rows and guards that took."""
    numbers: list[int] = []
    rows = guards = 0
    for role in scope.roles:
        cell = NOTHING
        if role.first:
            cell, rows = prepared(cells, role)
            guards |= cells.engine.answers
        if role.born:
            cell, taken = born(cells, role.agents[0])
            rows |= taken
            guards |= cells.engine.answers
        numbers += [cells.number(cell)] * len(role.agents)
    return numbers, rows, guards


def prepared(cells: Cells, role: Role) -> tuple[Cell, int]:
    """The cell of a whole system that was asked its first commands, and the rows that took."""
    engine = cells.engine
    engine.outside = frozenset()
    engine.answers = 0
    configuration = start(dict(cells.scope.policies), keep_log=False)
    cell, rows = NOTHING, 0
    for command in role.first:
        for asked, gate, segment in until_quiet(engine, configuration, command):
            configuration = segment.configuration
            seat = Seat(role.agents[0], "", role, cell, 0)
            step = look_all(seat, segment, asked, gate, Label(asked, passes=gate is not None), ())[0]
            cell = step.after
            for row in segment.rows:
                rows |= 1 << engine.order[row.id]
    return ordered(cell, role), rows


def born(cells: Cells, name: str) -> tuple[Cell, int]:
    """A cell of an agent freshly created, and the rows that took."""
    engine = cells.engine
    engine.outside = frozenset()
    engine.answers = 0
    segment = engine.perform(start(dict(cells.scope.policies), keep_log=False), Create(name, as_="#h1", sync=True))
    ghost = NOTHING.ghost
    for one in segment.seen:
        ghost = fold(ghost, one, None)
    rows = 0
    for row in segment.rows:
        rows |= 1 << engine.order[row.id]
    return canonical(Cell(segment.configuration[name], (), ghost)), rows


def search(
    contract: Contract,
    scope: Scope,
    properties: Properties,
    progress: Callable[[Progress], None] | None = None,
    *,
    reading: str = "interleaved",
    symmetric: bool = True,
    limit: int = 0,
    first: bool = False,
    compiled: bool = True,
    engine: type[LocalEngine] = LocalEngine,
) -> Exploration:
    """Visit every configuration of a scope (or the first `limit`; or until the `first` violation), judging each step."""
    check(scope, contract)
    if reading not in READINGS:
        raise ValueError(f"no reading {reading!r}; the readings are {', '.join(READINGS)}")
    cells = Cells(contract, scope, properties, engine)
    space = Space(contract, scope, cells, reading, symmetric)
    found = Exploration(space, properties)
    full = space.budgets - 1
    start_cells, found.rows, found.guards = beginning(cells, scope)
    space.add(space.pack(start_cells, full, 0), -1, None)
    walk = _by_plans if reading == "interleaved" and compiled else _by_successors
    node = 0
    level_end = 1
    while node < len(space.order):
        if node == level_end:
            space.depth += 1
            level_end = len(space.order)
        if progress is not None:
            reached = len(space.order)
            progress(Progress(reached, reached - node, space.depth, space.transitions))
        node = walk(found, node, min(level_end, node + EVERY), limit, first)
        if (limit and len(space.order) >= limit) or (first and found.violations):
            break
    space.complete = node == len(space.order) and not (first and found.violations)
    return found


def _by_successors(found: Exploration, node: int, end: int, limit: int, first: bool) -> int:
    """Expand configurations one transition at a time."""
    space = found.space
    while node < end:
        for key, move, seat, reply in space.successors(space.order[node]):
            space.transitions += 1
            if not move.used:
                found.note(node, move, hop_of(move, seat, None))
            if reply is not None and not reply[1].used:
                found.note(node, reply[1], hop_of(move, seat, reply))
            if key not in space.index:
                space.add(key, node, (move, seat, reply))
        node += 1
        if (limit and len(space.order) >= limit) or (first and found.violations):
            break
    return node


def _by_plans(found: Exploration, node: int, end: int, limit: int, first: bool) -> int:
    """Expand configurations by joining what was planned for their cells."""
    space = found.space
    plans = found.plans
    if plans is None:
        plans = found.plans = Plans(space, found.note)
    join = joiner(space)
    order, index, low, seats = space.order, space.index, space.low, range(space.seats)
    width = space.budgets
    transitions = 0
    while node < end:
        cells, budget, _ = space.unpack(order[node])
        for seat in seats:
            plan = plans.made[seat].get(cells[seat] * width + budget)
            if plan is None:
                plan = plans.plan(node, seat, cells[seat], budget)
            transitions += plan.count
            for target, left, move in plan.local:
                key = join(cells, seat, target) << low | left
                if key not in index:
                    space.add(key, node, (move, seat, None))
            for target, left, move, at, listener, equal in plan.reaching:
                for other in seats:
                    if other == seat:
                        continue
                    reply = plans.reply(node, move, seat, other, cells[other], at, listener)
                    if reply is None:
                        continue
                    transitions += equal
                    moved = cells.copy()
                    moved[seat] = target
                    key = join(moved, other, reply.targets[0]) << low | left
                    if key not in index:
                        space.add(key, node, (move, seat, (other, reply, at, listener)))
        node += 1
        if (limit and len(order) >= limit) or (first and found.violations):
            break
    space.transitions += transitions
    return node
