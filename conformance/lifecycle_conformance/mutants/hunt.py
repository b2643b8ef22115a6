"""Hunts mutants: each is raised in a process of its own, run until it fails for the right reason, and its run shrunk.

Refuses to count a failure that blames other clauses than the group the mutant was paired with.
"""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from time import process_time

import msgspec

from lifecycle_conformance.check import PROFILES
from lifecycle_conformance.engines import Worker
from lifecycle_conformance.hypothesis_run import explore_histories
from lifecycle_conformance.mutants.load import load, mutated
from lifecycle_conformance.mutants.mutant import Mutant
from lifecycle_conformance.mutants.plans import Planned, Planner
from lifecycle_conformance.shrink import shrink, size
from lifecycle_conformance.systems.load import open_system
from lifecycle_conformance.trial import Trial
from lifecycle_conformance.vectors import check_vector
from lifecycle_model.wire import Description

KILLED, SURVIVED, INCONCLUSIVE = "killed", "survived", "inconclusive"

MORE = 300
"""Runs after the first failure in which the right reason may still show."""


class Kill(msgspec.Struct, frozen=True, omit_defaults=True):
    """How one engine fared against one mutant.

    `outcome` is `killed` only with the right reason; a failure for other clauses is `survived` with those clauses in
    `blamed`. `runs` counts up to the failure, `milliseconds` is processor time up to there. `size` is the shrunk
    run's commands and reactions.
    """

    mutant: str
    engine: str
    profile: str
    outcome: str
    blamed: tuple[str, ...] = ()
    runs: int = 0
    milliseconds: int = 0
    size: tuple[int, int] | None = None
    where: str = ""
    """The vector that failed."""
    note: str = ""
    """Why it is inconclusive."""

    @property
    def failed(self) -> bool:
        """It was noticed at all, for whatever reason."""
        return self.outcome == KILLED or bool(self.blamed)


class Nursery:
    """Plans a profile's runs once; every mutant is raised in a forked child, where all of that is known already."""

    def __init__(
        self, profile: str = "quick", scopes: tuple[str, ...] = (), seconds: float = 600.0, sift: bool = False
    ) -> None:
        """A child that takes longer than `seconds` is ended, and its hunt is inconclusive.

        With `sift` runs that the unchanged runtime fails are left out, and named in `sifted`: they say nothing about
        a mutant. Without, it is the caller's to know that there are none.
        """
        self.profile = profile
        self.sifted: list[str] = []
        self._scopes = scopes
        self._seconds = seconds
        self._sift = sift
        self._plans: dict[str, list[Planned]] = {}
        described = _in_child(_describe, 60.0)
        if not isinstance(described, bytes):
            raise RuntimeError(f"the unchanged runtime cannot be described: {described}")
        self.planner = Planner(msgspec.json.decode(described, type=Description))

    def plan(self, engine: str) -> list[Planned]:
        """The runs of an engine."""
        if engine not in self._plans:
            plan = self.planner.plan(engine, self.profile, self._scopes)
            self._plans[engine] = self._sound(engine, plan) if self._sift else plan
            gc.freeze()
        return self._plans[engine]

    def _sound(self, engine: str, plan: list[Planned]) -> list[Planned]:
        given = _in_child(lambda: _failing(self.planner, plan), 20 * self._seconds)
        if isinstance(given, str):
            raise RuntimeError(f"the unchanged runtime cannot be run by {engine}: {given}")
        wrong = msgspec.json.decode(given, type=dict[int, str])
        self.sifted += [f"{engine} run {at}: {what}" for at, what in wrong.items()]
        return [planned for at, planned in enumerate(plan) if at not in wrong]

    def hunt(self, mutant: Mutant, engine: str) -> Kill:
        """Hunt one mutant with one engine. Raises `MutantStale` before anything runs."""
        mutated(mutant)
        plan = self.plan(engine)
        given = _in_child(lambda: _hunt(self.planner, mutant, engine, self.profile, plan), self._seconds)
        if isinstance(given, bytes):
            return msgspec.json.decode(given, type=Kill)
        return Kill(mutant.id, engine, self.profile, INCONCLUSIVE, note=given)


def _in_child(work: Callable[[], bytes], seconds: float) -> bytes | str:
    """What `work` gives in a forked child; a sentence if it gave nothing."""
    context = multiprocessing.get_context("fork")
    mine, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_answer, args=(work, theirs))
    child.start()
    theirs.close()
    try:
        if not mine.poll(seconds):
            return f"it did not end within {seconds:g} s"
        kind, data = mine.recv()
        return data if kind == "done" else f"raised {data}"
    except EOFError:
        return "its process ended without an answer"
    finally:
        child.kill()
        child.join()
        mine.close()


def _answer(work: Callable[[], bytes], pipe: Connection) -> None:
    try:
        pipe.send(("done", work()))
    except BaseException as error:
        pipe.send(("raised", f"{type(error).__name__}: {error}"))


def _describe() -> bytes:
    return msgspec.json.encode(open_system("reference").describe())


def _failing(planner: Worker, plan: list[Planned]) -> bytes:
    """Which runs the unchanged runtime fails, and for which clauses."""
    found: dict[int, str] = {}
    for runs, trial, clauses, where in _runs(_Hunter(planner), plan, small=False):
        if clauses or trial.error is not None:
            found[runs - 1] = f"{where} {' '.join(clauses)} {trial.error or ''}".strip()
    return msgspec.json.encode(found)


def _hunt(worker: Worker, mutant: Mutant, engine: str, profile: str, plan: list[Planned]) -> bytes:
    load(mutant)
    worker = _Hunter(worker)
    began = process_time()
    tries = _histories(worker, profile) if engine == "hypothesis" else _runs(worker, plan)
    best: Kill | None = None
    seen: set[object] = set()
    errors: list[str] = []
    runs = 0
    for runs, trial, clauses, where in tries:
        if trial.error is not None:
            errors.append(str(trial.error))
            if len(errors) >= 3:
                break
        elif clauses and (where or trial.cause) not in seen:
            seen.add(where or trial.cause)
            found = _kill(mutant, engine, profile, trial, clauses, runs, process_time() - began, where)
            if found.outcome == KILLED:
                return msgspec.json.encode(found)
            best = best or found
        if best is not None and runs > best.runs + MORE:
            break
    spent = round((process_time() - began) * 1000)
    outcome = INCONCLUSIVE if errors and best is None else SURVIVED
    note = "; ".join(dict.fromkeys(errors))[:300]
    if best is not None:
        return msgspec.json.encode(msgspec.structs.replace(best, note=note))
    return msgspec.json.encode(Kill(mutant.id, engine, profile, outcome, (), runs, spent, note=note))


class _Hunter(Worker):
    """The planner's model and memory, with a real system."""

    def __init__(self, planner: Worker) -> None:
        self.setting = planner.setting
        self.system = open_system(planner.setting.system)
        self.profile = planner.profile
        self.engine = planner.engine
        self.outlook = planner.outlook
        self.judge = planner.judge
        self.classes = planner.classes


Tries = Iterator[tuple[int, Trial, tuple[str, ...], str]]


def _runs(worker: Worker, plan: list[Planned], small: bool = True) -> Tries:
    for runs, planned in enumerate(plan, 1):
        vector = planned.vector
        if vector is None:
            trial = worker.play(planned.bursts, planned.policies)
            if trial.violates and small:
                trial = shrink(trial, worker.play)
            yield runs, trial, trial.clauses if trial.violates else (), ""
            continue
        trial = worker.judge.play(
            worker.system, planned.bursts, planned.policies, keep_log=True, modelled=planned.modelled
        )
        wrong = trial.error is None and check_vector(vector, trial.results, worker.profile)
        clauses = (*(vector.clauses if wrong else ()), *(trial.clauses if trial.violates else ()))
        yield runs, trial, tuple(dict.fromkeys(clauses)), vector.id if clauses else ""


def _histories(worker: Worker, profile: str) -> Tries:
    found = explore_histories(worker, 0, PROFILES[profile].examples)
    for trial in found.failures:
        small = shrink(trial, worker.play) if trial.violates else trial
        yield found.histories, small, small.clauses, ""
    if not found.failures:
        yield found.histories, Trial((), (), {}), (), ""


def _kill(
    mutant: Mutant,
    engine: str,
    profile: str,
    trial: Trial,
    clauses: tuple[str, ...],
    runs: int,
    seconds: float,
    where: str,
) -> Kill:
    right = bool(set(clauses) & set(mutant.group))
    return Kill(
        mutant.id,
        engine,
        profile,
        KILLED if right else SURVIVED,
        clauses,
        runs,
        round(seconds * 1000),
        size(trial.bursts)[:2],
        where,
    )
