"""What is run against every mutant: the engines of a profile, planned once on the model alone, as lists of runs.

Refuses to know a system: a plan is the same for every mutant, so it is made before any of them is raised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lifecycle_conformance import grounds, scopes
from lifecycle_conformance.check import PROFILES
from lifecycle_conformance.engines import Setting, Task, Worker
from lifecycle_conformance.interleavings import woven
from lifecycle_conformance.modelled import modelled
from lifecycle_conformance.suite import Classes, Edge, plain_edges, reacting_edges, size_of
from lifecycle_conformance.systems.errors import UsageError
from lifecycle_conformance.trial import Trial
from lifecycle_conformance.vectors import bursts_of, load_vectors, out_of_reach
from lifecycle_model.commands import Burst, Json
from lifecycle_model.wire import BurstResult, Description, Vector

ENGINES = ("vectors", "suite", "reactions", "walk", "whole", "hypothesis", "interleavings")
"""Hand-written scenarios; every label of every class; the same behind single reactions; seeded walks; those over a
whole system; Hypothesis; vectors and short walks while ready tasks take turns in other orders."""

SETTING = Setting("reference", "1", 10.0)


@dataclass(frozen=True)
class Planned:
    """One run: the bursts, the policies, and the vector it comes from, if any."""

    bursts: tuple[Burst, ...]
    policies: Mapping[str, object]
    vector: Vector | None = None
    modelled: bool = True
    """The oracle can judge it."""
    keep_log: bool = True
    seed: str | None = None
    """What the order of ready tasks is drawn from; None for the loop's own."""


@dataclass(frozen=True)
class Shortest:
    """A run of the suite by its size: commands, then reactions."""

    size: tuple[int, int]
    classes: Classes
    edge: Edge


class Described:
    """A system that can only be described: enough to plan."""

    def __init__(self, description: Description) -> None:
        self._description = description

    def describe(self) -> Description:
        """Who it stands for."""
        return self._description

    def reset(self, policies: Mapping[str, Json]) -> None:
        """Refused."""
        raise NotImplementedError("a planner runs nothing")

    def run(self, bursts: Sequence[Burst]) -> list[BurstResult]:
        """Refused."""
        raise NotImplementedError("a planner runs nothing")

    def stop(self) -> None:
        """Nothing to give back."""


class Planner(Worker):
    """A worker that writes down what it would play."""

    def __init__(self, description: Description) -> None:
        """Plan for systems of this description."""
        super().__init__(SETTING, Described(description))
        self._plan: list[Planned] = []
        self._shortest: list[Shortest] = []

    def play(self, bursts: tuple[Burst, ...], policies: Mapping[str, object], keep_log: bool = True) -> Trial:
        """Write the run down; nothing is seen."""
        self._plan.append(Planned(bursts, policies, keep_log=keep_log))
        return Trial(bursts, (), policies)

    def plan(self, engine: str, profile: str, only: Sequence[str] = ()) -> list[Planned]:
        """The runs of one engine in a profile, in order; of some scopes `only`. Hypothesis plans as it goes: none."""
        if engine == "hypothesis":
            return []
        self._plan = []
        if engine == "vectors":
            self._vectors()
        if engine == "interleavings":
            self._interleavings(PROFILES[profile].schedules)
        for task in tasks(engine, profile):
            if not only or task.scope in only:
                self.work(task)
        return self._plan

    def shortest_first(self) -> list[Shortest]:
        """The suite's runs, plain and behind single reactions, by size; made once."""
        if not self._shortest:
            for scope in scopes.of(SETTING.contract):
                classes = self.classes(scope.name)
                if classes is not None:
                    edges = (*plain_edges(classes), *reacting_edges(classes, literal=False))
                    self._shortest += [Shortest(size_of(classes, edge), classes, edge) for edge in edges]
            self._shortest.sort(key=lambda one: one.size)
        return self._shortest

    def _interleavings(self, schedules: int) -> None:
        """Schedule by schedule: what one order shows is shown before the next is tried."""
        runs = woven(self, 0)
        self._plan = [
            Planned(run.bursts, run.policies, run.vector, run.modelled, seed=f"0:{run.name}:{number}")
            for number in range(schedules)
            for run in runs
        ]

    def _vectors(self) -> None:
        for vector in load_vectors(contract="1"):
            if not out_of_reach(vector, self.profile):
                bursts = tuple(bursts_of(vector, self.profile))
                self._plan.append(Planned(bursts, vector.policies, vector, modelled(self, vector)))


def tasks(engine: str, profile: str) -> list[Task]:
    """An engine's tasks, small scopes first; none for what is no task of a worker."""
    if profile not in PROFILES or engine not in ENGINES:
        raise UsageError(
            f"there is no engine {engine!r} or no profile {profile!r}",
            hint=f"engines: {', '.join(ENGINES)}; profiles: {', '.join(PROFILES)}",
        )
    depth = PROFILES[profile]
    names = [scope.name for scope in scopes.of(SETTING.contract)]
    if engine == "suite":
        return [Task("suite", name) for name in names]
    if engine == "reactions":
        return [Task("suite", name, reactions=depth.reactions.get(name, depth.otherwise)) for name in names]
    if engine == "walk":
        return [Task("walk", name, histories=depth.walks) for name in names]
    if engine == "whole":
        known = grounds.of(SETTING.contract)
        return [Task("whole", ground.name, histories=depth.roams * ground.weight) for ground in known]
    return []
