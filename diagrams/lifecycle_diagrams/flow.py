"""Owns what rows and programs can do without their guards: which places each step is run in, and where a run may end.

A *place* is one control state for each machine of a component; the empty one is a component that does not exist yet.
Refuses to evaluate a guard, with one exception: a guard named after a group of states holds exactly in that group.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from lifecycle_model.engine import AGAIN
from lifecycle_model.table import END, Contract, Machine, Program, Row

Place = tuple[str, ...]


class Point(NamedTuple):
    """About to run a program's step in a place; a place behind the last step is the end of a run."""

    program: str
    at: int
    place: Place


class Arc(NamedTuple):
    """One step of a run: a row fired, a step passed over (no row), or listeners acted (no row, another place)."""

    source: Point
    target: Point
    row: Row | None


@dataclass(frozen=True)
class Runs:
    """Every run of one component's programs: the arcs between points, where runs begin, and where one may wait."""

    machines: tuple[Machine, ...]
    arcs: tuple[Arc, ...]
    entries: frozenset[Point]
    waiting: frozenset[Place]

    def column(self, machine: str) -> int:
        """Where in a place the state of this machine stands."""
        return [one.name for one in self.machines].index(machine)

    @cached_property
    def into(self) -> Mapping[Point, list[Arc]]:
        """The arcs that lead to a point."""
        found: dict[Point, list[Arc]] = defaultdict(list)
        for arc in self.arcs:
            found[arc.target].append(arc)
        return found

    @cached_property
    def out(self) -> Mapping[Point, list[Arc]]:
        """The arcs that leave a point."""
        found: dict[Point, list[Arc]] = defaultdict(list)
        for arc in self.arcs:
            found[arc.source].append(arc)
        return found


class Flow:
    """The programs of a contract as a graph of control, computed once."""

    def __init__(self, contract: Contract) -> None:
        """Index the contract's programs, rows and gates."""
        self.contract = contract
        self.programs: dict[str, Program] = {program.id: program for program in contract.programs}
        self.home = {step: (program.id, i) for program in contract.programs for i, step in enumerate(program.steps)}
        self.rows: dict[str, list[Row]] = defaultdict(list)
        for row in contract.rows:
            self.rows[row.step].append(row)
        self.verbs = {program: verb for verb, program in contract.verbs.items()}
        self._runs = {machine.name: runs for runs in self._components() for machine in runs.machines}

    def runs(self, machine: str) -> Runs:
        """The runs of the component that has this machine."""
        return self._runs[machine]

    def opened(self, row: Row) -> str | None:
        """The program behind the gate a row opens; None if it opens none, or waits on at its own."""
        kind, _, program = (row.opens or "").partition(" ")
        return None if not kind or kind == AGAIN else program or kind

    def goes_on(self, row: Row) -> str | None:
        """The program a row jumps to, if it leaves its own."""
        if row.then is None or row.then == END:
            return None
        program = row.then if row.then in self.programs else self.home[row.then][0]
        return program if program != self.home[row.step][0] else None

    def _components(self) -> list[Runs]:
        """Machines that share a program, a jump or a gate belong to one component."""
        used: dict[str, set[str]] = defaultdict(set)
        for row in self.contract.rows:
            used[self.home[row.step][0]].add(row.machine)
            for other in (self.opened(row), self.goes_on(row)):
                if other is not None:
                    used[other].add(row.machine)
        parts: list[set[str]] = [{machine.name} for machine in self.contract.machines]
        for together in used.values():
            joined = [part for part in parts if part & together]
            parts = [part for part in parts if not part & together] + [set[str]().union(*joined, together)]
        order = {machine.name: i for i, machine in enumerate(self.contract.machines)}
        machines = [[m for m in self.contract.machines if m.name in part] for part in parts]
        machines.sort(key=lambda group: order[group[0].name])
        return [_Component(self, tuple(group)).runs() for group in machines]


class _Component:
    """Finds the runs of one component by widening what listeners may do until nothing new appears."""

    def __init__(self, flow: Flow, machines: tuple[Machine, ...]) -> None:
        self.flow = flow
        self.machines = machines
        self.names = {machine.name: i for i, machine in enumerate(machines)}
        self.absent: Place = ("",) * len(machines)
        self.blank: Place = tuple(machine.initial for machine in machines)
        self.groups = {group: i for i, machine in enumerate(machines) for group in _groups(machine)}
        mine = [row for row in flow.contract.rows if row.machine in self.names]
        self.own = {flow.home[row.step][0] for row in mine}
        self.verbs = sorted(program for program in flow.verbs if program in self.own)
        self.arcs: dict[Arc, None] = {}
        self.seen: set[Point] = set()
        self.loud: dict[Place, set[Point]] = defaultdict(set)
        """Points right behind a publication, by place."""
        self.after: dict[Place, frozenset[Place]] = {}
        """Where commands called by listeners can take the component from a place."""
        self.before: dict[Point, list[Point]] = defaultdict(list)
        self.ends: dict[Point, set[Place]] = defaultdict(set)

    def runs(self) -> Runs:
        """Widen until stable."""
        known: frozenset[Place] = frozenset({self.absent})
        waiting: frozenset[Place] = frozenset({self.absent})
        gates: frozenset[Point] = frozenset()
        while True:
            entries = frozenset(Point(verb, 0, place) for verb in self.verbs for place in known) | gates
            self._explore(entries)
            places = known | {arc.target.place for arc in self.arcs}
            resting = waiting.union(*(self.ends[e] for e in entries if e in gates or e.place in waiting))
            wider = _closed({place: self._results(place) for place in places})
            opened = gates | self._opened(wider, resting)
            if (places, resting, wider, opened) == (known, waiting, self.after, gates):
                return Runs(self.machines, tuple(self.arcs), entries, waiting)
            known, waiting, gates = places, resting, opened
            self._listen(wider)

    def _results(self, place: Place) -> frozenset[Place]:
        """Where commands called by a listener can leave the component."""
        return frozenset[Place]().union(*(self.ends[Point(verb, 0, place)] for verb in self.verbs)) - {self.blank}

    def _opened(self, after: Mapping[Place, frozenset[Place]], waiting: frozenset[Place]) -> frozenset[Point]:
        found: set[Point] = set()
        for arc in self.arcs:
            program = None if arc.row is None else self.flow.opened(arc.row)
            if program is not None and program in self.own:
                for place in self.ends[arc.target]:
                    reached = {place} | after.get(place, frozenset())
                    found.update(Point(program, 0, one) for one in reached & waiting)
        return frozenset(found)

    def _listen(self, after: dict[Place, frozenset[Place]]) -> None:
        """Let listeners do more than before behind every publication found so far."""
        self.after = after
        todo = [arc for place in sorted(self.loud) for point in sorted(self.loud[place]) for arc in self._heard(point)]
        self._explore(arc.target for arc in todo if self._add(arc))

    def _explore(self, points: Iterable[Point]) -> None:
        todo = deque(sorted(set(points) - self.seen))
        self.seen.update(todo)
        while todo:
            for arc in self._steps(todo.popleft()):
                self._add(arc)
                if arc.target not in self.seen:
                    self.seen.add(arc.target)
                    todo.append(arc.target)

    def _add(self, arc: Arc) -> bool:
        """Keep an arc, and pass on to whatever leads here where a run may end."""
        if arc in self.arcs:
            return False
        self.arcs[arc] = None
        self.before[arc.target].append(arc.source)
        if arc.target.at >= len(self.flow.programs[arc.target.program].steps):
            self.ends[arc.target].add(arc.target.place)
        todo = [(arc.source, frozenset(self.ends[arc.target]))]
        while todo:
            point, places = todo.pop()
            if not places <= self.ends[point]:
                self.ends[point] |= places
                todo += [(source, places) for source in self.before[point]]
        return True

    def _steps(self, point: Point) -> list[Arc]:
        steps = self.flow.programs[point.program].steps
        if point.at >= len(steps):
            return []
        found: list[Arc] = []
        fired: list[Row] = []
        for row in self.flow.rows[steps[point.at]]:
            held = self._holds(row, point)
            if held is False:
                continue
            fired.append(row)
            found += self._fire(row, point)
            if held is True:
                return found
        if not _all_there_is(fired):
            found.append(Arc(point, Point(point.program, point.at + 1, point.place), None))
        return found

    def _fire(self, row: Row, point: Point) -> list[Arc]:
        place = point.place
        if row.to is not None:
            at = self.names[row.machine]
            place = self.blank if place == self.absent else place
            place = (*place[:at], row.to, *place[at + 1 :])
        program, index = point.program, point.at + 1
        if row.then == END:
            index = len(self.flow.programs[program].steps)
        elif row.then is not None:
            program, index = self.flow.home.get(row.then, (row.then, 0))
        target = Point(program, index, place)
        arcs = [Arc(point, target, row)]
        if row.says or row.asks:
            self.loud[place].add(target)
            arcs += self._heard(target)
        return arcs

    def _heard(self, point: Point) -> list[Arc]:
        others = sorted(self.after.get(point.place, frozenset()) - {point.place})
        return [Arc(point, Point(point.program, point.at, other), None) for other in others]

    def _holds(self, row: Row, point: Point) -> bool | None:
        """True: the row fires for certain here; False: it cannot; None: its guard decides."""
        if row.machine not in self.names:
            return False
        if row.states:
            if point.place[self.names[row.machine]] not in row.states:
                return False
        elif row.to is not None and point.program in self.verbs and point.place != self.absent:
            return False  # a command's row that names no state but goes to one begins a component
        if row.guard is None:
            return True
        named = row.guard.__name__
        if named in self.groups and point.place != self.absent:
            at = self.groups[named]
            return self.machines[at].parents.get(point.place[at]) == named
        return None


def _all_there_is(rows: list[Row]) -> bool:
    """Two or more guarded rows that leave one state at one step are taken to be all its cases."""
    leaving = [row.machine for row in rows if row.states and row.to is not None]
    return any(leaving.count(machine) > 1 for machine in leaving)


def _groups(machine: Machine) -> set[str]:
    return set(machine.parents.values()) - set(machine.states)


def _closed(step: Mapping[Place, frozenset[Place]]) -> dict[Place, frozenset[Place]]:
    """The transitive closure."""
    closed: dict[Place, frozenset[Place]] = {}
    for start in sorted(step):
        seen, todo = set[Place](), [start]
        while todo:
            for place in step.get(todo.pop(), frozenset()):
                if place not in seen:
                    seen.add(place)
                    todo.append(place)
        closed[start] = frozenset(seen)
    return closed
