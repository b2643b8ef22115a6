"""Which run notices that a part of the contract is gone: a vector that fails, or a burst of which other things are allowed.

Refuses to call a part load-bearing because its removal is merely possible: a run's verdict has to change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lifecycle_conformance.bearing.explained import EXPLAINED
from lifecycle_conformance.bearing.played import Played, Scripted, play, scripts, wrong
from lifecycle_conformance.bearing.weakened import Weakened, ways
from lifecycle_model.engine import Engine, ModelError
from lifecycle_model.table import Contract

LOOKED_AT = 40
"""Runs that are asked for a vector that fails, before one of which something else is allowed will do."""


@dataclass(frozen=True)
class Change:
    """What a weakened contract changes: the run that notices it, and how. No run: nothing changes."""

    way: Weakened
    run: str = ""
    how: str = ""

    @property
    def reason(self) -> str:
        """Why nothing changes, where that is stated."""
        return "" if self.run else EXPLAINED.get((self.way.name, self.way.how), "")

    def line(self) -> str:
        """In one line."""
        told = f"{self.run}: {self.how}" if self.run else f"nothing changes: {self.reason or 'AND NOBODY SAYS WHY'}"
        return f"{self.way.kind} {self.way.name} {self.way.how}: {told}"

    def facts(self) -> dict[str, object]:
        """Plain values, the same for every run."""
        way = self.way
        named = {"kind": way.kind, "name": way.name, "how": way.how, "clauses": list(way.clauses)}
        return {**named, "run": self.run, "shows": self.how, "reason": self.reason}


def unexplained(found: Iterable[Change]) -> list[Change]:
    """Those that change nothing without a reason, and those that are said to change nothing and do."""
    return [
        one
        for one in found
        if (not one.run and not one.reason) or (one.run and (one.way.name, one.way.how) in EXPLAINED)
    ]


class Bearing:
    """The runs of a contract as it is, and who takes which row; asked what changes when a part of it is gone."""

    def __init__(self, contract: Contract) -> None:
        """Play every run once; raises ModelError if a vector does not hold in the contract as it is."""
        self.contract = contract
        engine = Engine(contract)
        self.programs = {row.id: row.program for row in contract.rows}
        self.runs: list[tuple[Scripted, Played, frozenset[str]]] = []
        for run in scripts(contract.name):
            played = play(engine, run)
            said = played.error or wrong(run, played)
            if said:
                raise ModelError(f"{run.name} does not hold in contract {contract.name} as it is: {said}")
            programs = frozenset(self.programs[row] for row in played.rows)
            self.runs.append((run, played, programs))
        self.runs.sort(key=lambda one: (one[0].vector is None, len(one[0].bursts)))

    def untaken(self) -> list[str]:
        """Rows that no run takes."""
        taken = {row for _, played, _ in self.runs for row in played.rows}
        return [row.id for row in self.contract.rows if row.id not in taken]

    def change(self, way: Weakened) -> Change:
        """What changes: a vector that fails if one does, else a run of which something else is allowed."""
        try:
            engine = Engine(way.of(self.contract))
        except ModelError as error:
            return Change(way, "the engine", str(error))
        noticed: Change | None = None
        for looked, (run, before) in enumerate(self._candidates(way)):
            after = play(engine, run)
            if after.breaks:
                return Change(way, run.name, f"breaks: {after.error}")
            said = wrong(run, after)
            if said:
                return Change(way, run.name, f"fails: {said}")
            if noticed is None and after.allowed != before.allowed:
                noticed = Change(way, run.name, f"burst {_first(before.allowed, after.allowed)} allows something else")
            if noticed is not None and looked >= LOOKED_AT:
                break
        return noticed or Change(way)

    def _candidates(self, way: Weakened) -> Iterator[tuple[Scripted, Played]]:
        """The runs that can notice it: those that take the row, then those that run its program."""
        later: list[tuple[Scripted, Played]] = []
        for run, played, programs in self.runs:
            if played.rows & set(way.gone):
                yield run, played
            elif way.changed and way.program in programs:
                if way.changed[0].id in played.rows:
                    yield run, played
                else:
                    later.append((run, played))
        yield from later


def _first(before: Sequence[object], after: Sequence[object]) -> int:
    return next((at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other), len(after))


class Changes:
    """What each removed row, negated guard and removed step changes, one after the other; `total` is how many."""

    def __init__(self, contract: Contract, clauses: Iterable[str] = ()) -> None:
        """All of them, or those that cite one of the clauses."""
        self._bearing = Bearing(contract)
        wanted = set(clauses)
        self._todo = [way for way in ways(contract) if not wanted or wanted & set(way.clauses)]
        self.total = len(self._todo)

    def __iter__(self) -> Iterator[Change]:
        """Judge each when it is asked for."""
        return (self._bearing.change(way) for way in self._todo)
