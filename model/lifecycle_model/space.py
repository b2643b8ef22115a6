"""The configurations of a scope as numbers, their transitions by table look-up, and the shortest way to each.

A configuration is the number of each agent's cell, what is left of the budgets, and of the burst. What a cell can do
is computed once (`cells`); everything here is arithmetic on small numbers.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from dataclasses import replace as dataclass_replace

from lifecycle_model.canonical import Cell
from lifecycle_model.cells import Cells, Move
from lifecycle_model.labels import INTERNAL, Heard, Label
from lifecycle_model.scope import Listener, Scope
from lifecycle_model.table import Contract

BITS = 24
"""Of a configuration's number, for each cell."""
CELL = (1 << BITS) - 1
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


def hop_of(move: Move, seat: int, reply: Reply | None) -> Hop:
    """A transition as a value."""
    return Hop(move, seat) if reply is None else Hop(move, seat, *reply)


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
        self.budgets = budgets
        """Combinations of what is left of every budget; the last is all of it."""
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
            found = self._prices[spent] = [self._pay(budget, spent) for budget in range(self.budgets)]
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
            heard = self.heeds(role, budget)
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

    def heeds(self, role: int, budget: int) -> bool:
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
