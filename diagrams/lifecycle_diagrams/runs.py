"""Finds every run of one component's programs: which places each step is run in, and where a run may end.

A *place* is one control state for each machine of a component; the empty one is a component that does not exist yet.
Refuses to evaluate a guard, with two exceptions: one named after a group of states holds exactly in that group, and
one named `absent` only where the component does not exist or is in its first place.
What an effect does to a component from outside is not to be seen in a row, so a state that rows leave and no row
enters is taken to be entered from anywhere, and a program that nothing opens to be entered wherever one may wait.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from lifecycle_model.table import END, Machine, Row

if TYPE_CHECKING:
    from lifecycle_diagrams.flow import Flow

Place = tuple[str, ...]
ABSENT = "absent"
"""The name of the guard that a component does not exist."""


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
    blank: Place
    begun: bool
    """A row begins the component; otherwise it is there from the start."""
    put: tuple[tuple[Place, Place], ...]
    """Where others' effects are taken to put the component, from the places known until then."""

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


class Component:
    """Finds the runs of one component by widening what listeners may do until nothing new appears."""

    def __init__(self, flow: Flow, machines: tuple[Machine, ...], loose: frozenset[str]) -> None:
        """Follow the states of these machines; a row of another machine of the component fires or does not."""
        self.flow = flow
        self.loose = loose
        self.machines = machines
        self.names = {machine.name: i for i, machine in enumerate(machines)}
        self.absent: Place = ("",) * len(machines)
        self.blank: Place = tuple(machine.initial for machine in machines)
        self.groups = {group: i for i, machine in enumerate(machines) for group in _groups(machine)}
        mine = [row for row in flow.contract.rows if row.machine in self.names]
        every = [row for row in flow.contract.rows if row.machine in loose]
        self.own = self._own({flow.home[row.step][0] for row in every})
        self.verbs = sorted(program for program in {*flow.verbs, *flow.called} if program in self.own)
        """What others can run at any time: the programs of commands, and those that rows of other components run."""
        self.begun = any(self._begins(row) for row in mine)
        """A row begins the component; otherwise it is there from the start."""
        self.may_lack = self.begun or any(row.guard is not None and row.guard.__name__ == ABSENT for row in mine)
        """The component need not exist."""
        self.orphans = sorted(self.own - flow.entered)
        self.arcs: dict[Arc, None] = {}
        self.put: dict[tuple[Place, Place], None] = {}
        self.opening: dict[Arc, str] = {}
        """The arcs that open a gate, with the program behind it."""
        self.seen: set[Point] = set()
        self.loud: dict[Place, set[Point]] = defaultdict(set)
        """Points right behind a publication, by place."""
        self.after: dict[Place, frozenset[Place]] = {}
        """Where listeners can take the component from a place."""
        self.births = {verb: self._brings_up(verb) for verb in self.verbs if verb not in flow.verbs}
        """The machines that a program, run by a row, takes out of their first state: only there it is run."""
        self.heard = [verb for verb in self.verbs if not self.births.get(verb)]
        """What a listener can bring about: not that its own component leaves its first place."""
        self.before: dict[Point, list[Point]] = defaultdict(list)
        self.ends: dict[Point, set[Place]] = defaultdict(set)

    def _own(self, moving: set[str]) -> set[str]:
        """The programs of this kind of component, also those that only lead to one of them."""
        found = set(moving)
        while True:
            leading = {
                self.flow.home[row.step][0]
                for row in self.flow.contract.rows
                if not row.states
                and self.flow.goes_on(row) in found
                and self.flow.home[row.step][0] in self.flow.called
            }
            if leading <= found:
                return found
            found |= leading

    def runs(self) -> Runs:
        """Widen until stable."""
        known = frozenset({self.absent, self.blank} if self.may_lack else {self.blank})
        waiting = known
        gates: frozenset[Point] = frozenset()
        while True:
            entered = (Point(verb, 0, place) for verb in self.verbs for place in known if self._may_enter(verb, place))
            entries = frozenset(entered) | gates
            self._explore(entries)
            places = known | {arc.target.place for arc in self.arcs}
            resting = waiting.union(*(self.ends[e] for e in entries if e in gates or e.place in waiting))
            wider = _closed({place: self._results(place) for place in places})
            opened = gates | self._opened(wider, resting)
            if (places, resting, wider, opened) == (known, waiting, self.after, gates):
                sprung = self._sprung(places, resting)
                if not sprung:
                    put = tuple(self.put)
                    return Runs(self.machines, tuple(self.arcs), entries, waiting, self.blank, self.begun, put)
                self.put |= {(source, target): None for source in waiting - {self.absent} for target in sprung}
                places, resting = places | sprung, resting | sprung
            known, waiting, gates = places, resting, opened
            self._listen(wider)

    def _results(self, place: Place) -> frozenset[Place]:
        """Where what listeners bring about can leave the component."""
        return frozenset[Place]().union(*(self.ends[Point(verb, 0, place)] for verb in self.heard)) - {self.blank}

    def _brings_up(self, program: str) -> frozenset[str]:
        """The machines that the program first takes out of their first state."""
        leaves: dict[str, tuple[str, ...]] = {}
        for row in (row for step in self.flow.programs[program].steps for row in self.flow.rows[step]):
            if row.to is not None and row.machine in self.names:
                leaves.setdefault(row.machine, row.states)
        first = {machine.name: (machine.initial,) for machine in self.machines}
        return frozenset(machine for machine, states in leaves.items() if states == first[machine])

    def _may_enter(self, program: str, place: Place) -> bool:
        at = [self.names[machine] for machine in self.births.get(program, ())]
        return all(place[column] == self.blank[column] for column in at)

    def _opened(self, after: Mapping[Place, frozenset[Place]], waiting: frozenset[Place]) -> frozenset[Point]:
        ended: dict[str, set[Place]] = {program: set(waiting - {self.absent}) for program in self.orphans}
        for arc in self.opening:
            ended.setdefault(self.opening[arc], set()).update(self.ends[arc.target])
        found: set[Point] = set()
        for program, places in ended.items():
            reached = places.union(*(after.get(place, frozenset[Place]()) for place in places))
            found.update(Point(program, 0, place) for place in reached & waiting)
        return frozenset(found)

    def _sprung(self, places: frozenset[Place], waiting: frozenset[Place]) -> frozenset[Place]:
        """Places with a state that rows leave and none enters: the first such state of a machine, from anywhere."""
        for at, machine in enumerate(self.machines):
            left = {state for rows in self.flow.rows.values() for row in rows for state in row.states}
            known = {place[at] for place in places}
            for state in machine.states:
                if state in left and state not in known:
                    return frozenset((*place[:at], state, *place[at + 1 :]) for place in waiting - {self.absent})
        return frozenset()

    def _listen(self, after: dict[Place, frozenset[Place]]) -> None:
        """Let listeners do more than before behind every publication found so far."""
        loud = [point for place in sorted(self.loud) for point in sorted(self.loud[place])]
        before, self.after = self.after, after
        nothing: frozenset[Place] = frozenset()
        todo = [
            _arrives(point, other)
            for point in loud
            for other in sorted(
                after.get(point.place, nothing) - before.get(point.place, nothing) - {point.place},
            )
        ]
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
        program = None if arc.row is None else self.flow.opened(arc.row)
        if program is not None and program in self.own:
            self.opening[arc] = program
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
            if held is False and row.guard is None and row.machine in self.names and self._begins(row):
                return []  # whatever runs this has just begun the component, and it is not this one
            if held is False:
                continue
            fired.append(row)
            found += self._fire(row, point)
            if held is True:
                return found
        if not (_all_there_is(fired) or self._goes_by(fired)):
            found.append(Arc(point, Point(point.program, point.at + 1, point.place), None))
        return found

    def _goes_by(self, rows: list[Row]) -> bool:
        """A step that only moves machines not followed, and only on to the next step, is taken to find them ready."""
        return bool(rows) and all(row.machine not in self.names and row.guard is None and not row.then for row in rows)

    def _fire(self, row: Row, point: Point) -> list[Arc]:
        place = point.place
        if row.to is not None and row.machine in self.names:
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
        if (row.says or row.asks) and target not in self.loud[place]:
            self.loud[place].add(target)
            arcs += [_arrives(target, other) for other in sorted(self.after.get(place, frozenset()) - {place})]
        return arcs

    def _holds(self, row: Row, point: Point) -> bool | None:
        """True: the row fires for certain here; False: it cannot; None: its guard decides."""
        if row.machine not in self.loose:
            return None if not row.states and self.flow.goes_on(row) in self.own else False
        if row.machine not in self.names:
            return None if row.states or row.guard is not None else True
        if row.states:
            if point.place[self.names[row.machine]] not in row.states:
                return False
        elif self._begins(row):
            if point.place != self.absent and not self._begins_again(row, point):
                return False
        elif (row.to is not None and point.place == self.absent and self.begun) or (
            row.to is not None and self._starts(row, point) and not self._fresh(row, point)
        ):
            return False
        if row.guard is None:
            return True
        named = row.guard.__name__
        if named == ABSENT:
            return None if point.place in (self.absent, self.blank) else False
        if named in self.groups and point.place != self.absent:
            at = self.groups[named]
            return self.machines[at].parents.get(point.place[at]) == named
        return None

    def _begins(self, row: Row) -> bool:
        """A row that names no state and goes to the first one begins the component."""
        return not row.states and row.to is not None and row.to == self.blank[self.names[row.machine]]

    def _begins_again(self, row: Row, point: Point) -> bool:
        """What can begin only sometimes (it has a guard) can also begin again behind its last state."""
        at = self.names[row.machine]
        return row.guard is not None and point.place[at] == self.machines[at].states[-1]

    def _starts(self, row: Row, point: Point) -> bool:
        """A row that names no state takes the machine out of its first: in a command's program, or to its second."""
        states = self.machines[self.names[row.machine]].states
        return point.program in self.flow.verbs or (row.guard is None and row.to == states[1])

    def _fresh(self, row: Row, point: Point) -> bool:
        at = self.names[row.machine]
        return point.place in (self.absent, self.blank) or point.place[at] == self.blank[at]


def _arrives(point: Point, place: Place) -> Arc:
    """Listeners have acted: the run goes on from another place."""
    return Arc(point, Point(point.program, point.at, place), None)


def _all_there_is(rows: list[Row]) -> bool:
    """Guarded rows that leave one state at one step are taken to be all its cases, if none is a case of another."""
    leaving = [row for row in rows if row.states and row.to is not None and row.guard is not None]
    parts = [set(row.guard.__name__.split("_and_")) for row in leaving if row.guard is not None]
    return len(leaving) > 1 and len({row.machine for row in leaving}) == 1 and not set.intersection(*parts)


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
