"""Owns the moves of one machine: which row takes it from where to where, behind which guards, and what is published.

A publication belongs to the move of the same run that it leads to, or else to the one it follows, if the same program
or the same machine speaks. Refuses to know any machine by name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from lifecycle_diagrams.flow import Flow
from lifecycle_diagrams.runs import Point, Runs
from lifecycle_diagrams.words import published
from lifecycle_model.table import Row


class Spot(NamedTuple):
    """A point seen by one machine alone."""

    program: str
    at: int
    state: str


class Pass(NamedTuple):
    """An arc seen by one machine alone."""

    source: Spot
    target: Spot
    row: Row | None


@dataclass(frozen=True)
class Said:
    """A publication on a move, with every row that may make it there."""

    rows: tuple[Row, ...]
    text: str
    optional: bool
    repeated: bool

    def __str__(self) -> str:
        """`disc[…]?`: may be left out; `SM*`: any number of times; `UM+`: at least once."""
        return self.text + ("?", "*", "", "+")[2 * (not self.optional) + self.repeated]


@dataclass(frozen=True)
class Move:
    """One way from a state to a state. `jump` is the row that led into the moving row's program, if one did."""

    source: str
    target: str
    row: Row
    jump: Row | None
    said: tuple[Said, ...]

    @property
    def decides(self) -> Row:
        """The row whose step is the trigger."""
        return self.jump or self.row

    @property
    def rows(self) -> tuple[Row, ...]:
        """Every row that takes part, the deciding ones first."""
        found = [self.decides, self.row, *(row for said in self.said for row in said.rows)]
        return tuple({row.id: row for row in found}.values())


class Moves:
    """The moves of one machine, and the rows that speak without any."""

    def __init__(self, flow: Flow, machine: str) -> None:
        """Derive every move of the machine."""
        self.flow = flow
        self.machine = machine
        self.runs: Runs = flow.runs(machine)
        column = self.runs.column(machine)
        self.waiting = {place[column] for place in self.runs.waiting}
        """States the machine can rest in; in the others only listeners see it."""

        def spot(point: Point) -> Spot:
            return Spot(point.program, point.at, point.place[column])

        passes = {Pass(spot(arc.source), spot(arc.target), arc.row): None for arc in self.runs.arcs}
        self.passes = list(passes)
        self._entries = {spot(entry) for entry in self.runs.entries}
        self._into: Mapping[Spot, list[Pass]] = _index(self.passes, lambda one: one.target)
        self._staying: Mapping[str, list[Pass]] = defaultdict(list)
        for one in self.passes:
            if one.source.state == one.target.state and not (one.row is not None and self._moves(one.row)):
                self._staying[one.source.state].append(one)
        self._order = {row.id: i for i, row in enumerate(flow.contract.rows)}
        moving: dict[tuple[str, str], list[Pass]] = defaultdict(list)
        for one in self.passes:
            if one.row is not None and self._moves(one.row):
                moving[one.source.state, one.row.id].append(one)
        self.moves = tuple(
            move
            for (_, _), group in sorted(moving.items(), key=lambda item: (self._order[item[0][1]], item[0][0]))
            for move in self._ways(group)
        )

    def staying(self) -> tuple[tuple[str, Row], ...]:
        """Rows of this machine that publish in a state without any move, with that state."""
        spoken = {(move.source, row.id) for move in self.moves for row in move.rows}
        spoken |= {(move.target, row.id) for move in self.moves for row in move.rows}
        found: dict[tuple[str, str], Row] = {}
        for one in self.passes:
            row = one.row
            if row is not None and row.says and row.machine == self.machine and not self._moves(row):
                key = (one.source.state, row.id)
                if key not in spoken:
                    found[key] = row
        ordered = sorted(found.items(), key=lambda item: self._order[item[0][1]])
        return tuple((state, row) for (state, _), row in ordered if state)

    def _moves(self, row: Row) -> bool:
        return row.machine == self.machine and row.to is not None

    def _program(self, row: Row) -> str:
        return self.flow.home[row.step][0]

    def _ways(self, group: list[Pass]) -> Iterable[Move]:
        """The ways into a moving row: one for each row of the machine that jumps to its program, and the direct one."""
        row = group[0].row
        assert row is not None
        home = self._program(row)
        jumps = {
            one.row.id: one.row
            for one in self._behind(group, None)
            if one.row is not None and one.row.machine == self.machine and self.flow.goes_on(one.row) == home
        }
        for jump in (None, *jumps.values()):
            passes = self._behind(group, jump, blocked=set(jumps) - ({jump.id} if jump else set()))
            starts = self._starts(group, passes)
            if jump is None and not starts:
                continue
            if jump is not None and not any(one.row is jump for one in passes):
                continue
            if jump is not None:
                passes = self._behind(group, jump, blocked=set(jumps) - {jump.id}, through=jump)
                starts = self._starts(group, passes)
            own = [Said((row,), text.rstrip("?"), text.endswith("?"), False) for text in published(row)]
            said = (*self._led(passes, {one.source for one in group}, starts, row), *own, *self._followed(group, row))
            yield Move(group[0].source.state, group[0].target.state, row, jump, said)

    def _behind(
        self, group: list[Pass], jump: Row | None, blocked: Iterable[str] = (), through: Row | None = None
    ) -> list[Pass]:
        """The passes that lead to a move without another move of this machine; `through`: only by way of that jump."""
        shut = set(blocked)
        state = group[0].source.state
        home = self._program(group[0].row) if group[0].row else ""
        seen: set[tuple[Spot, bool]] = {(one.source, through is None) for one in group}
        todo = list(seen)
        found: dict[Pass, None] = {}
        while todo:
            spot, free = todo.pop()
            for one in self._into.get(spot, []):
                if one.source.state != state or (one.row is not None and (self._moves(one.row) or one.row.id in shut)):
                    continue
                jumped = through is not None and one.row is through
                if not free and not jumped and one.row is not None and self.flow.goes_on(one.row) == home:
                    continue
                found[one] = None
                if (one.source, free or jumped) not in seen:
                    seen.add((one.source, free or jumped))
                    todo.append((one.source, free or jumped))
        return list(found)

    def _starts(self, group: list[Pass], passes: list[Pass]) -> set[Spot]:
        """Where runs that lead to the move begin: an entry, or right behind another move."""
        spots = {one.source for one in (*passes, *group)}
        return {spot for spot in spots if spot in self._entries or self._moved_to(spot)}

    def _moved_to(self, spot: Spot) -> list[Pass]:
        return [
            one
            for one in self._into.get(spot, [])
            if (one.row is not None and self._moves(one.row)) or one.source.state != spot.state
        ]

    def _led(self, passes: list[Pass], goals: set[Spot], starts: set[Spot], row: Row) -> list[Said]:
        """What is published on the way to the move."""
        speakers = [one for one in self._speakers(passes, row) if not _never_before(one, row)]
        return _sayings(speakers, passes, starts, goals)

    def _followed(self, group: list[Pass], row: Row) -> list[Said]:
        """What is published behind the move in a run that ends in its state."""
        state = group[0].target.state
        starts = {one.target for one in group}
        passes = self._staying[state]
        reached = _reach(starts, passes)
        passes = [one for one in passes if one.source in reached]
        ends = {spot for spot in reached if spot.at >= len(self.flow.programs[spot.program].steps)}
        speakers = [
            one
            for one in self._speakers(passes, row)
            if _reach({each.target for each in passes if each.row is one}, passes) & ends
        ]
        return _sayings(speakers, passes, starts, ends)

    def _speakers(self, passes: Iterable[Pass], row: Row) -> list[Row]:
        """The rows that speak in a stretch and count for a move: its machine's, and its program's."""
        home = self._program(row)
        found = {
            one.row.id: one.row
            for one in passes
            if one.row is not None
            and one.row.says
            and (one.row.machine == self.machine or self._program(one.row) == home)
        }
        return sorted(found.values(), key=lambda one: self._order[one.id])


def _never_before(speaker: Row, row: Row) -> bool:
    """A row that repeats until its guard fails, where the move needs a part of that guard: the other part never held."""
    if speaker.then != speaker.step or speaker.guard is None or row.guard is None:
        return False
    mine, other = _parts(row), _parts(speaker)
    return bool(mine & other) and bool(other - mine)


def _parts(row: Row) -> set[str]:
    return set() if row.guard is None else set(row.guard.__name__.split("_and_"))


def _sayings(speakers: list[Row], passes: list[Pass], starts: set[Spot], goals: set[Spot]) -> list[Said]:
    """The publications of a stretch in order; rows that say the same at one place are one saying."""
    behind = {
        one.id: {
            other.id
            for other in speakers
            if {each.source for each in passes if each.row is other}
            & _reach({each.target for each in passes if each.row is one}, passes)
        }
        for one in speakers
    }
    ahead = {
        one.id: sum(one.id in behind[other.id] and other.id not in behind[one.id] for other in speakers)
        for one in speakers
    }
    runs: list[tuple[str, list[Row]]] = []
    for speaker in sorted(speakers, key=lambda one: ahead[one.id]):
        for text in published(speaker):
            if runs and runs[-1][0] == text:
                runs[-1][1].append(speaker)
            else:
                runs.append((text, [speaker]))
    found: list[Said] = []
    for text, rows in runs:
        ids = {row.id for row in rows}
        without = [one for one in passes if one.row is None or one.row.id not in ids]
        optional = text.endswith("?") or bool(_reach(starts, without) & goals)
        repeated = any(behind[one] & ids for one in ids)
        found.append(Said(tuple(rows), text.rstrip("?"), optional, repeated))
    return found


def _index(passes: Iterable[Pass], key: Callable[[Pass], Spot]) -> dict[Spot, list[Pass]]:
    found: dict[Spot, list[Pass]] = defaultdict(list)
    for one in passes:
        found[key(one)].append(one)
    return found


def _reach(starts: Iterable[Spot], passes: Iterable[Pass]) -> set[Spot]:
    out = _index(passes, lambda one: one.source)
    seen = set(starts)
    todo = list(seen)
    while todo:
        for one in out.get(todo.pop(), []):
            if one.target not in seen:
                seen.add(one.target)
                todo.append(one.target)
    return seen
