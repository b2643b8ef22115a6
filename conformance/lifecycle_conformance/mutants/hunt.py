"""Hunts mutants: each is raised in a process of its own and run until it fails for the right reason.

Refuses to count a failure that blames other clauses than the group the mutant was paired with, or one that a repetition
does not give again, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from time import process_time

import msgspec

from lifecycle_conformance import interleavings
from lifecycle_conformance.check import PROFILES
from lifecycle_conformance.engines import Worker
from lifecycle_conformance.hypothesis_run import explore_histories
from lifecycle_conformance.mutants.load import load, mutated
from lifecycle_conformance.mutants.mutant import Mutant, MutantError
from lifecycle_conformance.mutants.nursery import in_child
from lifecycle_conformance.mutants.plans import Planned, Planner, Shortest
from lifecycle_conformance.shrink import shrink, size
from lifecycle_conformance.suite import short_run
from lifecycle_conformance.systems.load import open_system
from lifecycle_conformance.systems.schedule import Schedule
from lifecycle_conformance.trial import Trial
from lifecycle_conformance.vectors import check_vector
from lifecycle_model.commands import Burst, Json
from lifecycle_model.wire import Description, to_json

KILLED, OTHER, SURVIVED, INCONCLUSIVE = "killed", "other", "survived", "inconclusive"

MORE = 300
"""Runs after the first failure in which the right reason may still show."""

ERRORS = 25
"""Runs in which the adapter may fail before a hunt gives up: what crashes in some may be wrong, for the right reason, in others."""

TRIED = 3000
"""Shorter runs tried for the optimum, at most."""


class Kill(msgspec.Struct, frozen=True, omit_defaults=True):
    """How one engine fared against one mutant.

    `outcome` is `killed` only with the right reason, `other` for a failure that blames other clauses only. `runs`
    counts up to the failure and `milliseconds` is the processor time up to there; for a survivor, all of it. `size` is
    the commands and reactions of the run that fails, shrunk unless it is a vector, and `bursts` that run.
    """

    mutant: str
    engine: str
    profile: str
    outcome: str
    blamed: tuple[str, ...] = ()
    runs: int = 0
    milliseconds: int = 0
    size: tuple[int, int] | None = None
    optimum: tuple[int, int] | None = None
    """The size of the suite's shortest run that fails for the same cause, where it was asked for."""
    vector: str = ""
    note: str = ""
    """Why it is inconclusive, or what else went wrong."""
    bursts: tuple[Burst, ...] = ()
    policies: dict[str, Json] = {}
    schedule: tuple[int, ...] = ()
    """The choices of ready tasks it needs; empty: the order of the runtime's own loop."""


class Hunt:
    """Plans a profile's runs once; every mutant is raised in a forked child, where all of that is known already."""

    def __init__(
        self,
        profile: str = "quick",
        scopes: tuple[str, ...] = (),
        seconds: float = 600.0,
        sift: bool = False,
        optimum: bool = False,
    ) -> None:
        """A child that takes longer than `seconds` is ended, and its hunt is inconclusive.

        With `sift` runs that the unchanged runtime fails are left out, and named in `sifted`: they say nothing about
        a mutant. Without, it is the caller's to know that there are none. With `optimum` every kill is compared with
        the suite's shortest run that shows the same.
        """
        self.profile = profile
        self._optimum = optimum
        self.sifted: list[str] = []
        self._scopes = scopes
        self._seconds = seconds
        self._sift = sift
        self._plans: dict[str, list[Planned]] = {}
        described = in_child(_describe, 60.0)
        if isinstance(described, str):
            raise MutantError(f"the unchanged runtime cannot be described: {described}")
        self.planner = Planner(msgspec.json.decode(described, type=Description))

    def plan(self, engine: str) -> list[Planned]:
        """The runs of an engine."""
        if engine not in self._plans:
            plan = self.planner.plan(engine, self.profile, self._scopes)
            self._plans[engine] = self._sound(engine, plan) if self._sift else plan
        return self._plans[engine]

    def hunt(self, mutant: Mutant, engine: str) -> Kill:
        """Hunt one mutant with one engine. Raises `MutantStale` before anything runs."""
        mutated(mutant)
        if mutant.module.startswith("acp_") and "acp" not in self.planner.profile.commands:
            return Kill(mutant.id, engine, self.profile, INCONCLUSIVE, note="the reference adapter offers no bridge")
        plan = self.plan(engine)
        shortest = self.planner.shortest_first() if self._optimum else []
        given = in_child(lambda: _hunt(self.planner, mutant, engine, self.profile, plan, shortest), self._seconds)
        if isinstance(given, bytes):
            return msgspec.json.decode(given, type=Kill)
        return Kill(mutant.id, engine, self.profile, INCONCLUSIVE, note=given)

    def _sound(self, engine: str, plan: list[Planned]) -> list[Planned]:
        given = in_child(lambda: _failing(self.planner, plan), 20 * self._seconds)
        if isinstance(given, str):
            raise MutantError(f"the unchanged runtime cannot be run by {engine}: {given}")
        wrong = msgspec.json.decode(given, type=dict[int, str])
        self.sifted += [f"{engine} run {at}: {what}" for at, what in wrong.items()]
        return [planned for at, planned in enumerate(plan) if at not in wrong]


def hunt(mutant: Mutant, profile: str = "quick", engines: tuple[str, ...] = ("vectors", "suite", "reactions")) -> Kill:
    """Hunt one mutant with one engine after the other until one kills it; the best of what they gave."""
    hunter = Hunt(profile)
    best: Kill | None = None
    for engine in engines:
        found = hunter.hunt(mutant, engine)
        if found.outcome == KILLED:
            return found
        best = best if best is not None and best.outcome == OTHER else found
    if best is None:
        raise MutantError("no engine was named", hint="name at least one")
    return best


class Hunter(Worker):
    """The planner's model and memory, with a real system."""

    def __init__(self, planner: Worker) -> None:
        self.setting = planner.setting
        self.system = open_system(planner.setting.system)
        self.profile = planner.profile
        self.engine = planner.engine
        self.outlook = planner.outlook
        self.judge = planner.judge
        self.classes = planner.classes


@dataclass(frozen=True)
class Try:
    """One run: how many came before, what it showed, whom it blames, and how to repeat it."""

    runs: int
    failed: bool
    trial: Trial
    clauses: tuple[str, ...]
    again: Callable[[], Trial]
    vector: str = ""

    @property
    def cause(self) -> object:
        """What failures are told apart by."""
        return self.vector or self.trial.cause


def _describe() -> bytes:
    return msgspec.json.encode(open_system("reference").describe())


def _failing(planner: Worker, plan: list[Planned]) -> bytes:
    """Which runs the unchanged runtime fails, and for which clauses."""
    found: dict[int, str] = {}
    for one in tries(Hunter(planner), plan, small=False):
        if one.failed or one.trial.error is not None:
            found[one.runs - 1] = f"{one.vector} {' '.join(one.clauses)} {one.trial.error or ''}".strip() or "fails"
    return msgspec.json.encode(found)


def _hunt(
    planner: Worker, mutant: Mutant, engine: str, profile: str, plan: list[Planned], shortest: list[Shortest]
) -> bytes:
    load(mutant)
    worker = Hunter(planner)
    began = process_time()
    best: Kill | None = None
    seen: set[object] = set()
    errors: list[str] = []
    runs = 0
    for one in _histories(worker, profile) if engine == "hypothesis" else tries(worker, plan):
        runs = one.runs
        if one.trial.error is not None:
            errors.append(str(one.trial.error))
            if len(errors) >= ERRORS:
                break
        elif one.failed and one.cause not in seen:
            seen.add(one.cause)
            found = _kill(mutant, engine, profile, one, process_time() - began)
            if found.outcome == KILLED:
                best = msgspec.structs.replace(found, optimum=_optimum(worker, one.trial, shortest))
                return msgspec.json.encode(best)
            best = best or found
        if best is not None and runs > best.runs + MORE:
            break
    note = "; ".join(dict.fromkeys(errors))[:300]
    if best is None:
        spent = round((process_time() - began) * 1000)
        outcome = INCONCLUSIVE if errors else SURVIVED
        best = Kill(mutant.id, engine, profile, outcome, (), runs, spent)
    return msgspec.json.encode(msgspec.structs.replace(best, note=best.note or note))


def tries(worker: Worker, plan: list[Planned], small: bool = True) -> Iterator[Try]:
    """Play a plan run by run; with `small` what fails is shrunk first."""
    for runs, planned in enumerate(plan, 1):
        if planned.seed is not None:
            yield _interleaved(worker, runs, planned, small)
        elif planned.vector is None:
            trial = worker.play(planned.bursts, planned.policies, planned.keep_log)
            if trial.violates and small:
                trial = shrink(trial, worker.play)
            yield _tried(worker, runs, trial)
        else:
            yield _scenario(worker, runs, planned)


def _tried(worker: Worker, runs: int, trial: Trial) -> Try:
    clauses = trial.clauses if trial.violates else ()
    return Try(runs, trial.violates, trial, clauses, lambda: worker.play(trial.bursts, trial.policies))


def _interleaved(worker: Worker, runs: int, planned: Planned, small: bool) -> Try:
    run = interleavings.Woven("", planned.bursts, planned.policies, planned.modelled, planned.vector)
    trial = interleavings.play(worker, run, Schedule(seed=planned.seed))
    broken = interleavings.broken(worker, run, trial)
    if trial.violates and small and planned.modelled and not broken:
        trial = interleavings.small(worker, trial)

    def again() -> Trial:
        repeated = replace(run, bursts=trial.bursts)
        return interleavings.play(worker, repeated, Schedule(trial.schedule))

    clauses = (*(planned.vector.clauses if planned.vector is not None and broken else ()), *trial.clauses)
    vector = planned.vector.id if planned.vector is not None and broken else ""
    return Try(runs, bool(broken) or trial.violates, trial, tuple(dict.fromkeys(clauses)), again, vector)


def _scenario(worker: Worker, runs: int, planned: Planned) -> Try:
    vector = planned.vector
    assert vector is not None

    def play() -> Trial:
        return worker.judge.play(
            worker.system, planned.bursts, planned.policies, keep_log=True, modelled=planned.modelled
        )

    trial = play()
    broken = trial.error is None and bool(check_vector(vector, trial.results, worker.profile))
    clauses = (*(vector.clauses if broken else ()), *(trial.clauses if trial.violates else ()))
    return Try(runs, broken or trial.violates, trial, tuple(dict.fromkeys(clauses)), play, vector.id)


def _histories(worker: Worker, profile: str) -> Iterator[Try]:
    found = explore_histories(worker, 0, PROFILES[profile].examples)
    for trial in found.failures:
        yield _tried(worker, found.histories, shrink(trial, worker.play) if trial.violates else trial)
    if not found.failures:
        yield _tried(worker, found.histories, Trial((), (), {}))


def _optimum(worker: Worker, trial: Trial, shortest: list[Shortest]) -> tuple[int, int] | None:
    """The size of the shortest run of the suite that fails for the same cause; the trial's own if none is shorter."""
    own = size(trial.bursts)[:2]
    for one in shortest[:TRIED]:
        if one.size >= own:
            break
        run = short_run(worker.engine, one.classes, one.edge, worker.profile)
        again = worker.play(run.bursts, one.classes.scope.policies)
        if again.violates and again.cause == trial.cause:
            return size(shrink(again, worker.play).bursts)[:2]
    return own if shortest else None


def _kill(mutant: Mutant, engine: str, profile: str, one: Try, seconds: float) -> Kill:
    again = one.again()
    same = [to_json(result) for result in again.results] == [to_json(result) for result in one.trial.results]
    right = bool(set(one.clauses) & set(mutant.group))
    return Kill(
        mutant.id,
        engine,
        profile,
        KILLED if right and same else OTHER,
        one.clauses,
        one.runs,
        round(seconds * 1000),
        size(one.trial.bursts)[:2],
        None,
        one.vector,
        "" if same else "repeated, the run gave something else",
        one.trial.bursts,
        dict(one.trial.policies),
        one.trial.schedule,
    )
