"""A scope of several agents explored level by level, in sorted arrays: for scopes of many millions of configurations.

The rows are asked once for every cell, as everywhere; the rest is look-ups, a level at a time. Knows counts, rows,
guards and invariants with their shortest runs; refuses to judge liveness, and the quiet reading. Needs numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from lifecycle_model.cells import Cells, Move
from lifecycle_model.explorer import Exploration, Progress, beginning
from lifecycle_model.plans import Plans
from lifecycle_model.properties import Properties
from lifecycle_model.scope import Scope, ScopeError, check
from lifecycle_model.space import Hop, Space
from lifecycle_model.table import Contract

Keys: TypeAlias = npt.NDArray[np.int64]
CHUNK = 1 << 18
"""Configurations expanded at once."""
DENSE = 1 << 29
"""Up to so many numbers each has a mark of its own, a byte; of more, those seen are kept sorted."""


@dataclass(eq=False)
class Table:
    """The transitions of one seat, by its state (cell and budget): where the `n`-th starts, its delta, its origin."""

    start: Keys
    delta: Keys
    """What a transition adds to the configuration's number."""
    moves: list[tuple[Any, ...]]
    listener: Keys = field(default_factory=lambda: np.zeros(0, np.int64))
    """Of a transition that reaches another seat: which listener acts there."""


@dataclass(frozen=True)
class Broken:
    """How an invariant fails: what is wrong, and the hop that shows it, from a configuration of a level."""

    text: str
    level: int
    key: int
    hop: Hop


@dataclass(eq=False)
class Counted:
    """What was found: the levels of configurations, and the exploration that holds moves and findings."""

    found: Exploration
    levels: list[Keys]
    transitions: int
    broken: dict[str, Broken]
    """Invariants that fail, where they fail first."""

    @property
    def configurations(self) -> int:
        """How many were reached."""
        return sum(len(level) for level in self.levels)


class Seen(Protocol):
    """The configurations reached so far."""

    @property
    def count(self) -> int:
        """How many."""
        ...

    def add(self, keys: Keys) -> Keys:
        """Add configurations; those that were not there, each once and sorted."""
        ...


class Marked:
    """A mark for each number there is."""

    def __init__(self, size: int) -> None:
        """Nothing was reached."""
        self.marks = np.zeros(size, bool)
        self.count = 0

    def add(self, keys: Keys) -> Keys:
        """Look the marks up, and set them."""
        fresh = np.unique(keys[~self.marks[keys]])
        self.marks[fresh] = True
        self.count += len(fresh)
        return fresh


class Sorted:
    """The numbers reached, in order."""

    def __init__(self) -> None:
        """Nothing was reached."""
        self.keys = np.zeros(0, np.int64)

    @property
    def count(self) -> int:
        """How many."""
        return len(self.keys)

    def add(self, keys: Keys) -> Keys:
        """Search, and merge."""
        fresh = np.unique(keys)
        fresh = _missing(fresh, self.keys) if len(self.keys) else fresh
        self.keys = _merged(self.keys, fresh)
        return fresh


class Frontier:
    """The tables of a scope."""

    def __init__(self, contract: Contract, scope: Scope, properties: Properties, *, symmetric: bool = True) -> None:
        """Close the cells under everything that can happen to them, and tabulate it."""
        check(scope, contract)
        self.cells = Cells(contract, scope, properties)
        self.space = Space(contract, scope, self.cells, "interleaved", symmetric)
        self.found = Exploration(self.space, properties)
        self.first, self.found.rows, self.found.guards = beginning(self.cells, scope)
        self.plans = Plans(self.space, lambda node, move, hop: None)
        self.budgets = self.space.budgets
        self.seats = range(self.space.seats)
        self.listeners = [one for role in scope.roles for one in role.listeners]
        self._close()
        self.width = len(self.cells.known)
        self.size = self.width ** len(self.seats) * self.budgets
        if self.size >= 1 << 62:
            raise ScopeError(f"scope {scope.name} has too many cells for one number: {self.width} of each agent")
        self.weights = [self.width ** (len(self.seats) - 1 - seat) * self.budgets for seat in self.seats]
        self.local = [self._local(seat) for seat in self.seats]
        self.reaching = [self._reaching(seat) for seat in self.seats] if scope.crosses else []
        self.replies = self._replies() if scope.crosses else {}
        self.broken: dict[str, Broken] = {}
        self.asked = [np.zeros(self.width * self.budgets, bool) for _ in self.seats]
        self.answered = {role: np.zeros(len(self.listeners) * self.width, bool) for role in self.space.roles}

    # -- tables --------------------------------------------------------------------------------------------------

    def _close(self) -> None:
        """Every cell that local moves and replies lead to, from the first ones."""
        seen: set[tuple[int, int, int]] = set()
        todo = [(role, cell, self.budgets - 1) for role, cell in zip(self.space.roles, self.first, strict=True)]
        while todo:
            one = todo.pop()
            if one in seen:
                continue
            seen.add(one)
            role, cell, budget = one
            seat = self.space.roles.index(role)
            plan = self.plans.plan(0, seat, cell, budget)
            todo += [(role, target, left) for target, left, _ in plan.local]
            todo += [(role, target, left) for target, left, *_ in plan.reaching]
            for listener in self.listeners if self.space.scope.crosses else ():
                reply = self.cells.reply(role, cell, listener)
                if reply is not None:
                    todo += [(role, reply.targets[0], left) for left in range(budget + 1)]
            if budget:
                todo.append((role, cell, budget - 1))

    def _plan(self, seat: int, cell: int, budget: int) -> Any:
        return self.plans.plan(0, seat, cell, budget)

    def _local(self, seat: int) -> Table:
        start, delta, moves = [0], list[int](), list[tuple[Any, ...]]()
        weight = self.weights[seat]
        for cell in range(self.width):
            for budget in range(self.budgets):
                for target, left, move in self._plan(seat, cell, budget).local:
                    delta.append((target - cell) * weight + left - budget)
                    moves.append((move, None))
                start.append(len(delta))
        return Table(np.array(start), np.array(delta, np.int64), moves)

    def _reaching(self, seat: int) -> Table:
        start, delta, moves, listeners = [0], list[int](), list[tuple[Any, ...]](), list[int]()
        weight = self.weights[seat]
        numbers = {id(one): number for number, one in enumerate(self.listeners)}
        for cell in range(self.width):
            for budget in range(self.budgets):
                for target, left, move, at, listener, _ in self._plan(seat, cell, budget).reaching:
                    delta.append((target - cell) * weight + left - budget)
                    moves.append((move, at))
                    listeners.append(numbers[id(listener)])
                start.append(len(delta))
        return Table(np.array(start), np.array(delta, np.int64), moves, np.array(listeners, np.int64))

    def _replies(self) -> dict[int, Keys]:
        """For each role the cell that a listener leads another seat's cell to (`listener * width + cell`), or -1."""
        found: dict[int, Keys] = {}
        for role in set(self.space.roles):
            targets = np.full(len(self.listeners) * self.width, -1, np.int64)
            for number, listener in enumerate(self.listeners):
                for cell in range(self.width):
                    reply = self.cells.reply(role, cell, listener)
                    if reply is not None:
                        targets[number * self.width + cell] = reply.targets[0]
            found[role] = targets
        return found

    # -- numbers -------------------------------------------------------------------------------------------------

    def key(self, cells: list[int], budget: int) -> int:
        """The number of a configuration."""
        parts: list[int] = [cell * weight for cell, weight in zip(cells, self.weights, strict=True)]
        return sum(parts) + budget

    def parts(self, key: int) -> tuple[list[int], int]:
        """The cells and the budget of a configuration's number."""
        return [key // weight % self.width for weight in self.weights], key % self.budgets

    def _canonical(self, keys: Keys) -> Keys:
        for group in self.space.groups:
            columns = np.stack([keys // self.weights[seat] % self.width for seat in group])
            ordered = np.sort(columns, axis=0)
            for number, seat in enumerate(group):
                keys = keys + (ordered[number] - columns[number]) * self.weights[seat]
        return keys

    # -- search --------------------------------------------------------------------------------------------------

    def successors(self, keys: Keys) -> Iterator[tuple[Keys, Keys, int, int, Keys]]:
        """Targets with the index of their source, the seat that moves, the seat reached (or -1), and which move."""
        budget = keys % self.budgets
        for seat in self.seats:
            state = keys // self.weights[seat] % self.width * self.budgets + budget
            source, entry = _spread(self.local[seat].start, state)
            yield self._canonical(keys[source] + self.local[seat].delta[entry]), source, seat, -1, entry
            if not self.reaching:
                continue
            table = self.reaching[seat]
            source, entry = _spread(table.start, state)
            moved = keys[source] + table.delta[entry]
            for other in self.seats:
                if other == seat:
                    continue
                cell = keys[source] // self.weights[other] % self.width
                target = self.replies[self.space.roles[other]][table.listener[entry] * self.width + cell]
                good = target >= 0
                reached = moved[good] + (target[good] - cell[good]) * self.weights[other]
                yield self._canonical(reached), source[good], seat, other, entry[good]

    def run(self, progress: Callable[[Progress], None] | None = None, limit: int = 0) -> Counted:
        """Every configuration (or the levels up to the first that passes `limit`), and what its moves show."""
        first = self._canonical(np.array([self.key(self.first, self.budgets - 1)], np.int64))
        seen: Seen = Marked(self.size) if self.size <= DENSE else Sorted()
        levels, transitions = [seen.add(first)], 0
        while len(levels[-1]) and (not limit or seen.count < limit):
            fresh: list[Keys] = []
            for at in range(0, len(levels[-1]), CHUNK):
                chunk = levels[-1][at : at + CHUNK]
                self._judge(len(levels) - 1, chunk)
                for targets, source, seat, other, entry in self.successors(chunk):
                    transitions += len(targets)
                    fresh.append(seen.add(targets))
                    if other >= 0:
                        self._judge_replies(len(levels) - 1, chunk, source, seat, other, entry)
            levels.append(np.sort(np.concatenate(fresh)))
            if progress is not None:
                progress(Progress(seen.count, len(levels[-1]), len(levels) - 1, transitions))
        self.found.space.complete = not len(levels[-1])
        return Counted(self.found, levels if len(levels[-1]) else levels[:-1], transitions, self.broken)

    def _judge(self, level: int, keys: Keys) -> None:
        """Take notice of the moves of every cell that these configurations are the first to have."""
        budget = keys % self.budgets
        for seat in self.seats:
            states, places = np.unique(
                keys // self.weights[seat] % self.width * self.budgets + budget, return_index=True
            )
            fresh = ~self.asked[seat][states]
            self.asked[seat][states] = True
            for state, place in zip(states[fresh].tolist(), places[fresh].tolist(), strict=True):
                plan = self._plan(seat, state // self.budgets, state % self.budgets)
                for move in (*(one[2] for one in plan.local), *(one[2] for one in plan.reaching)):
                    self._note(move, level, int(keys[place]), Hop(move, seat))

    def _judge_replies(self, level: int, keys: Keys, source: Keys, seat: int, other: int, entry: Keys) -> None:
        """Take notice of what listeners do to every cell that these transitions are the first to reach."""
        cell = keys[source] // self.weights[other] % self.width
        pairs, places = np.unique(self.reaching[seat].listener[entry] * self.width + cell, return_index=True)
        asked = self.answered[self.space.roles[other]]
        fresh = ~asked[pairs]
        asked[pairs] = True
        for place in places[fresh].tolist():
            key = int(keys[source[place]])
            hop = self._hop(key, seat, other, int(entry[place]))
            assert hop.reply is not None
            self._note(hop.reply, level, key, hop)

    def _note(self, move: Move, level: int, key: int, hop: Hop) -> None:
        if not move.used:
            move.used = True
            self.found.rows |= move.rows
            self.found.guards |= move.guards
            for name, text in move.broken:
                self.broken.setdefault(name, Broken(text, level, key, hop))

    # -- runs ----------------------------------------------------------------------------------------------------

    def path(self, levels: list[Keys], level: int, key: int) -> list[tuple[int, Hop]]:
        """A shortest way to a configuration of a level: the hops, each with the configuration it leaves."""
        hops: list[tuple[int, Hop]] = []
        while level:
            level -= 1
            source, hop = self._before(levels[level], key)
            hops.append((source, hop))
            key = source
        return list(reversed(hops))

    def _before(self, level: Keys, key: int) -> tuple[int, Hop]:
        for at in range(0, len(level), CHUNK):
            chunk = level[at : at + CHUNK]
            for targets, source, seat, other, entry in self.successors(chunk):
                hits = np.flatnonzero(targets == key)
                if len(hits):
                    return int(chunk[source[hits[0]]]), self._hop(
                        int(chunk[source[hits[0]]]), seat, other, int(entry[hits[0]])
                    )
        raise AssertionError("a configuration of a level has no predecessor in the one before")

    def _hop(self, source: int, seat: int, other: int, entry: int) -> Hop:
        if other < 0:
            return Hop(self.local[seat].moves[entry][0], seat)
        move, at = self.reaching[seat].moves[entry]
        listener = self.listeners[int(self.reaching[seat].listener[entry])]
        reply = self.cells.reply(self.space.roles[other], self.parts(source)[0][other], listener)
        return Hop(move, seat, other, reply, at, listener)


def _spread(start: Keys, state: Keys) -> tuple[Keys, Keys]:
    """For each state's transitions: the index of the state, and the transition."""
    counts = start[state + 1] - start[state]
    source = np.repeat(np.arange(len(state)), counts)
    ends = np.cumsum(counts)
    offset = np.arange(len(source)) - np.repeat(ends - counts, counts)
    return source, start[state][source] + offset


def _missing(keys: Keys, seen: Keys) -> Keys:
    """The sorted keys that the sorted `seen` lacks."""
    place = np.searchsorted(seen, keys)
    place[place == len(seen)] = len(seen) - 1
    missing: Keys = keys[seen[place] != keys]
    return missing


def _merged(one: Keys, other: Keys) -> Keys:
    """The union of two sorted arrays."""
    if not len(one) or not len(other):
        return one if len(one) else other
    both = np.concatenate([one, other])
    both.sort(kind="stable")
    keep = np.empty(len(both), bool)
    keep[0] = True
    np.not_equal(both[1:], both[:-1], out=keep[1:])
    merged: Keys = both[keep]
    return merged
