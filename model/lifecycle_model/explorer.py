"""Exhaustive breadth-first exploration of a scope, in the interleaved or the quiet reading. No clock, no printing.

A configuration is a tuple of numbers: each agent's cell, what is left of the budgets, and of the burst. What a cell
can do is computed once (`cells`); the rest is table look-ups. The first way found to anything is a shortest one.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from dataclasses import replace as dataclass_replace
from typing import Any

from lifecycle_model.canonical import Cell, canonical
from lifecycle_model.cells import Cells, Move
from lifecycle_model.commands import Create
from lifecycle_model.ghost import fold
from lifecycle_model.labels import INTERNAL, NOTHING, Heard, Label
from lifecycle_model.local import LocalEngine
from lifecycle_model.properties import Properties
from lifecycle_model.scope import Listener, Scope, check
from lifecycle_model.state import start
from lifecycle_model.table import Contract

BITS = 24
"""Of a configuration's number, for each cell."""
CELL = (1 << BITS) - 1
READINGS = ("interleaved", "quiet")
Reply = tuple[int, Move, int, Listener]
"""Another seat, what a listener does to it, at which observation, and the listener."""


@dataclass(frozen=True, slots=True)
class Hop:
    """One transition: the move and the seat that makes it; and the seat a listener reaches from there, with what it does."""

    move: Move
    seat: int
    other: int = -1
    reply: Move | None = None
    at: int = -1
    """At which observation of the move the listener acts."""
    listener: Listener | None = None

    @property
    def label(self) -> Label:
        """What is done, with who listens."""
        if self.listener is None:
            return self.move.label
        return dataclass_replace(self.move.label, heard=(Heard(self.at, self.listener),))


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
class Space:
    """The configurations reached so far, each with the hop it was first reached by."""

    contract: Contract
    scope: Scope
    cells: Cells
    reading: str
    symmetric: bool
    order: list[int] = field(default_factory=list[int])
    index: dict[int, int] = field(default_factory=dict[int, int])
    parents: array[int] = field(default_factory=lambda: array("q"))
    hops: list[Hop] = field(default_factory=list[Hop])
    hop_of: array[int] = field(default_factory=lambda: array("l"))
    transitions: int = 0
    depth: int = 0
    quiet: int = 0
    complete: bool = False

    def __post_init__(self) -> None:
        """Lay out the seats and the budgets."""
        roles = self.scope.roles
        self.roles = [index for index, role in enumerate(roles) for _ in role.agents]
        self.seats = len(self.roles)
        groups = [[seat for seat, role in enumerate(self.roles) if role == index] for index in range(len(roles))]
        self.groups = [group for group in groups if self.symmetric and len(group) > 1]
        self.bursts = self.scope.burst + 1 if self.reading == "quiet" else 1
        self._sizes = [amount + 1 for _, amount in self.scope.budgets]
        self._names = {name: position for position, (name, _) in enumerate(self.scope.budgets)}
        budgets = 1
        for size in self._sizes:
            budgets *= size
        self.low = max(budgets * self.bursts - 1, 1).bit_length()
        self._prices: dict[tuple[str, ...], list[int]] = {}
        self._hop_numbers: dict[object, int] = {}
        self._budgets = budgets
        self._heard: dict[tuple[int, int], bool] = {}

    # -- numbers -------------------------------------------------------------------------------------------------

    def pack(self, cells: list[int], budget: int, left: int) -> int:
        """The number of a configuration, with alike agents in canonical order."""
        for group in self.groups:
            for seat, cell in zip(group, sorted(cells[seat] for seat in group), strict=True):
                cells[seat] = cell
        key = 0
        for cell in cells:
            key = key << BITS | cell
        return key << self.low | budget * self.bursts + left

    def unpack(self, key: int) -> tuple[list[int], int, int]:
        """The cells, the budget and what is left of the burst."""
        rest = key & ((1 << self.low) - 1)
        high = key >> self.low
        cells = [high >> BITS * (self.seats - 1 - seat) & CELL for seat in range(self.seats)]
        return cells, rest // self.bursts, rest % self.bursts

    def price(self, spent: tuple[str, ...]) -> list[int]:
        """For each budget what is left after paying, or -1."""
        found = self._prices.get(spent)
        if found is None:
            found = self._prices[spent] = [self._pay(budget, spent) for budget in range(self._budgets)]
        return found

    def _pay(self, budget: int, spent: tuple[str, ...]) -> int:
        left: list[int] = []
        rest = budget
        for size in self._sizes:
            left.append(rest % size)
            rest //= size
        for name in spent:
            left[self._names[name]] -= 1
        if any(amount < 0 for amount in left):
            return -1
        paid = 0
        for size, amount in zip(reversed(self._sizes), reversed(left), strict=True):
            paid = paid * size + amount
        return paid

    # -- successors ----------------------------------------------------------------------------------------------

    def successors(self, key: int) -> Iterator[tuple[int, Move, int, Reply | None]]:
        """Every transition of a configuration: target, move, seat, and what a listener does to another seat."""
        cells, budget, left = self.unpack(key)
        tables = [self.cells.moves(role, cell) for role, cell in zip(self.roles, cells, strict=True)]
        calm = self.reading != "quiet"
        restless = not calm and any(table.restless for table in tables)
        for seat, table in enumerate(tables):
            role = self.roles[seat]
            heard = self._heeds(role, budget)
            for move in [*table.moves, *self.cells.overheard(role, cells[seat])] if heard else table.moves:
                after = self._after(move.label.actor, move.label.price, budget, left, calm, restless)
                if after is not None:
                    moved = cells.copy()
                    moved[seat] = move.targets[0]
                    yield self.pack(moved, *after), move, seat, None
            if not heard or not self.scope.crosses:
                continue
            for move, at, listener in self.cells.reaching(role, cells[seat]):
                price = (*move.label.price, listener.spends) if listener.spends else move.label.price
                after = self._after(move.label.actor, price, budget, left, calm, restless)
                if after is None:
                    continue
                for other in range(self.seats):
                    reply = None if other == seat else self.cells.reply(self.roles[other], cells[other], listener)
                    if reply is not None:
                        moved = cells.copy()
                        moved[seat], moved[other] = move.targets[0], reply.targets[0]
                        yield self.pack(moved, *after), move, seat, (other, reply, at, listener)

    def _heeds(self, role: int, budget: int) -> bool:
        """Tell whether a listener of the role may still act."""
        found = self._heard.get((role, budget))
        if found is None:
            prices = {(one.spends,) if one.spends else () for one in self.scope.roles[role].listeners}
            found = self._heard[role, budget] = any(self.price(price)[budget] >= 0 for price in prices)
        return found

    def _after(
        self, actor: int, price: tuple[str, ...], budget: int, left: int, calm: bool, restless: bool
    ) -> tuple[int, int] | None:
        """The budget and what is left of the burst after a move, or None where it cannot be made."""
        if calm or actor == INTERNAL:
            burst = 0
        elif not restless:
            burst = self.scope.burst - 1
        elif left:
            burst = left - 1
        else:
            return None
        if not price:
            return budget, burst
        paid = self.price(price)[budget]
        return None if paid < 0 else (paid, burst)

    # -- paths ---------------------------------------------------------------------------------------------------

    def add(self, key: int, parent: int, hop: tuple[Move, int, Reply | None] | None) -> None:
        """Add a configuration reached by a move."""
        self.index[key] = len(self.order)
        self.order.append(key)
        self.parents.append(parent)
        self.hop_of.append(-1 if hop is None else self._hop(*hop))

    def _hop(self, move: Move, seat: int, reply: Reply | None) -> int:
        name = (id(move), seat, None if reply is None else (reply[0], id(reply[1]), id(reply[3])))
        found = self._hop_numbers.get(name)
        if found is None:
            found = self._hop_numbers[name] = len(self.hops)
            self.hops.append(hop_of(move, seat, reply))
        return found

    def path(self, node: int) -> list[tuple[int, Hop]]:
        """The shortest way to a configuration: the hops from the first, each with the configuration it leaves."""
        hops: list[tuple[int, Hop]] = []
        while self.parents[node] >= 0:
            hops.append((self.order[self.parents[node]], self.hops[self.hop_of[node]]))
            node = self.parents[node]
        return list(reversed(hops))

    def cells_at(self, key: int) -> list[Cell]:
        """The cells of a configuration."""
        return [self.cells.known[number] for number in self.unpack(key)[0]]


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
        new = move.rows & ~self.rows
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


def hop_of(move: Move, seat: int, reply: Reply | None) -> Hop:
    """A transition as a value."""
    return Hop(move, seat) if reply is None else Hop(move, seat, *reply)


def beginning(cells: Cells, scope: Scope) -> tuple[list[int], int, int]:
    """The cells the exploration starts from: agents that exist, or nothing yet; with the rows and guards that took."""
    numbers: list[int] = []
    rows = guards = 0
    for role in scope.roles:
        cell = NOTHING
        if role.born:
            cell, taken = born(cells, role.agents[0])
            rows |= taken
            guards |= cells.engine.answers
        numbers += [cells.number(cell)] * len(role.agents)
    return numbers, rows, guards


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
    engine: type[LocalEngine] = LocalEngine,
) -> Exploration:
    """Visit every configuration of a scope (or the first `limit`; or until the `first` violation), judging each step."""
    check(scope, contract)
    if reading not in READINGS:
        raise ValueError(f"no reading {reading!r}; the readings are {', '.join(READINGS)}")
    cells = Cells(contract, scope, properties, engine)
    space = Space(contract, scope, cells, reading, symmetric)
    found = Exploration(space, properties)
    full = space._budgets - 1
    start_cells, found.rows, found.guards = beginning(cells, scope)
    space.add(space.pack(start_cells, full, 0), -1, None)
    order, index = space.order, space.index
    level_end = 1
    node = 0
    while node < len(order):
        if node == level_end:
            space.depth += 1
            level_end = len(order)
        if progress is not None and node % 4096 == 0:
            progress(Progress(len(order), len(order) - node, space.depth, space.transitions))
        for key, move, seat, reply in space.successors(order[node]):
            space.transitions += 1
            if not move.used:
                found.note(node, move, hop_of(move, seat, None))
            if reply is not None and not reply[1].used:
                found.note(node, reply[1], hop_of(move, seat, reply))
            if key not in index:
                space.add(key, node, (move, seat, reply))
        node += 1
        if (limit and len(order) >= limit) or (first and found.violations):
            break
    space.complete = node == len(order) and not (first and found.violations)
    return found
