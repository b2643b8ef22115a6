"""Compiled transitions: for each cell and budget the distinct targets, so that a search is only look-ups and joins.

Nothing is decided here that `Space.successors` does not decide; it is the same transitions, each distinct one once, in
the same order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from lifecycle_model.cells import Move
from lifecycle_model.scope import Listener
from lifecycle_model.space import BITS, Hop, Space, hop_of

Note = Callable[[int, Move, Hop], None]
"""Told of a move made for the first time: where, which, and the hop."""


@dataclass(eq=False, slots=True)
class Plan:
    """What a cell can do with what is left of a budget."""

    count: int = 0
    """Transitions, the equal ones counted too."""
    local: list[tuple[int, int, Move]] = field(default_factory=list[tuple[int, int, Move]])
    """Target cell, budget left, move."""
    reaching: list[tuple[int, int, Move, int, Listener, int]] = field(
        default_factory=list[tuple[int, int, Move, int, Listener, int]]
    )
    """Target cell, budget left, move, observation, listener, how many equal ones."""


class Plans:
    """The plans of a space, made as they are needed; tells `note` of each move and reply made for the first time."""

    def __init__(self, space: Space, note: Note) -> None:
        """Prepare; nothing is planned yet."""
        self.space = space
        self.note = note
        self.made: list[dict[int, Plan]] = [{} for _ in range(space.seats)]
        self._replies: dict[tuple[int, int, int], Move | None] = {}

    def plan(self, node: int, seat: int, cell: int, budget: int) -> Plan:
        """The plan of a cell in a seat, with this budget left; `node` is where it is needed first."""
        made = self.made[seat]
        found = made.get(cell * self.space.budgets + budget)
        if found is None:
            found = made[cell * self.space.budgets + budget] = self._make(node, seat, cell, budget)
        return found

    def reply(
        self, node: int, move: Move, seat: int, other: int, cell: int, at: int, listener: Listener
    ) -> Move | None:
        """What a listener does to the cell in another seat."""
        key = (self.space.roles[other], cell, id(listener))
        if key in self._replies:
            return self._replies[key]
        reply = self._replies[key] = self.space.cells.reply(self.space.roles[other], cell, listener)
        if reply is not None and not reply.used:
            self.note(node, reply, hop_of(move, seat, (other, reply, at, listener)))
        return reply

    def _make(self, node: int, seat: int, cell: int, budget: int) -> Plan:
        space, role = self.space, self.space.roles[seat]
        plan = Plan()
        heard = space.heeds(role, budget)
        distinct: set[tuple[int, int]] = set()
        moves = space.cells.moves(role, cell).moves
        for move in [*moves, *space.cells.overheard(role, cell)] if heard else moves:
            left = space.price(move.label.price)[budget] if move.label.price else budget
            if left < 0:
                continue
            plan.count += 1
            if not move.used:
                self.note(node, move, hop_of(move, seat, None))
            if (move.targets[0], left) not in distinct:
                distinct.add((move.targets[0], left))
                plan.local.append((move.targets[0], left, move))
        if heard and space.scope.crosses:
            self._reach(plan, role, cell, budget)
        return plan

    def _reach(self, plan: Plan, role: int, cell: int, budget: int) -> None:
        places: dict[tuple[int, int, int], int] = {}
        for move, at, listener in self.space.cells.reaching(role, cell):
            price = (*move.label.price, listener.spends) if listener.spends else move.label.price
            left = self.space.price(price)[budget] if price else budget
            if left < 0:
                continue
            key = (move.targets[0], left, id(listener))
            if key in places:
                *same, equal = plan.reaching[places[key]]
                plan.reaching[places[key]] = (*same, equal + 1)  # type: ignore[assignment]  # the last member is the count
            else:
                places[key] = len(plan.reaching)
                plan.reaching.append((move.targets[0], left, move, at, listener, 1))


def joiner(space: Space) -> Callable[[list[int], int, int], int]:
    """How cells make a configuration's number when one seat's cell changes, alike agents in canonical order."""
    if space.seats == 1:
        return lambda cells, seat, target: target
    if space.seats == 2 and space.groups:
        return _alike
    if space.seats == 2:
        return lambda cells, seat, target: cells[0] << BITS | target if seat else target << BITS | cells[1]
    low = space.low

    def join(cells: list[int], seat: int, target: int) -> int:
        moved = cells.copy()
        moved[seat] = target
        return space.pack(moved, 0, 0) >> low

    return join


def _alike(cells: list[int], seat: int, target: int) -> int:
    other = cells[1 - seat]
    return target << BITS | other if target <= other else other << BITS | target
