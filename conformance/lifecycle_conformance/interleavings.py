"""The engine of interleavings: runs repeated while the ready tasks of a system in process take turns in other orders.

Refuses systems whose tasks cannot be ordered from outside. A failure is a run and a schedule; both are shrunk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from lifecycle_conformance import scopes
from lifecycle_conformance.engines import Task, Worker, planned
from lifecycle_conformance.modelled import modelled
from lifecycle_conformance.shrink import shrink
from lifecycle_conformance.systems.schedule import Schedule, follow, shorter
from lifecycle_conformance.trial import Trial
from lifecycle_conformance.vectors import Mismatch, bursts_of, check_vector, load_vectors, out_of_reach
from lifecycle_conformance.words import CREATION_GATES
from lifecycle_model.commands import Abort, Burst, Release, UnloadOwner, UnloadProvider
from lifecycle_model.wire import Vector


@dataclass(frozen=True)
class Woven:
    """One run to be repeated, and by what its schedules are seeded; not `modelled`, monitors alone judge it."""

    name: str
    bursts: tuple[Burst, ...]
    policies: Mapping[str, object]
    modelled: bool = True
    vector: Vector | None = None
    """What it is the run of: it must hold in every order of tasks."""


@dataclass
class Found:
    """What the interleavings gave: how many runs had a choice at all, and the failures, one a cause, each small."""

    runs: int = 0
    chosen: int = 0
    failures: list[Trial] = field(default_factory=list[Trial])
    broken: list[tuple[Vector, Trial, tuple[Mismatch, ...]]] = field(
        default_factory=list[tuple[Vector, Trial, tuple[Mismatch, ...]]]
    )
    """Vectors that do not hold in some order, one order each."""
    causes: Counter[object] = field(default_factory=Counter[object])
    errors: list[str] = field(default_factory=list[str])


def interleave(worker: Worker, runs: Iterable[Woven], schedules: int, seed: int = 0) -> Found:
    """Repeat each run under so many schedules; nothing is done where the system cannot be scheduled."""
    found = Found()
    if not follow(worker.system, None):
        return found
    for run in runs:
        for trial in _under(worker, run, schedules, seed):
            found.runs += 1
            found.chosen += bool(trial.schedule)
            if trial.error is not None:
                found.errors.append(str(trial.error))
                if len(found.errors) >= 3:
                    return found
                continue
            mismatches = broken(worker, run, trial)
            if mismatches and all(vector is not run.vector for vector, _trial, _mismatches in found.broken):
                assert run.vector is not None
                found.broken.append((run.vector, trial, mismatches))
            if trial.violates:
                found.causes[trial.cause] += 1
                if found.causes[trial.cause] == 1:
                    found.failures.append(small(worker, trial))
    return found


def broken(worker: Worker, run: Woven, trial: Trial) -> tuple[Mismatch, ...]:
    """Where a vector is not as written."""
    if run.vector is None or trial.error is not None:
        return ()
    return tuple(check_vector(run.vector, trial.results, worker.profile))


def _under(worker: Worker, run: Woven, schedules: int, seed: int) -> Iterator[Trial]:
    for number in range(schedules):
        yield play(worker, run, Schedule(seed=f"{seed}:{run.name}:{number}"))


def play(worker: Worker, run: Woven, schedule: Schedule) -> Trial:
    """Play a run under a schedule; the trial tells the choices made, so that it can be repeated."""
    follow(worker.system, schedule)
    try:
        trial = worker.judge.play(worker.system, run.bursts, run.policies, keep_log=True, modelled=run.modelled)
    finally:
        follow(worker.system, None)
    return replace(trial, schedule=schedule.made)


def small(worker: Worker, trial: Trial) -> Trial:
    """The failure with few choices, then few commands, then again few choices; the same cause must remain."""

    def again(bursts: tuple[Burst, ...], policies: Mapping[str, object], choices: tuple[int, ...]) -> Trial:
        return play(worker, Woven("", bursts, policies), Schedule(choices))

    def fewer(best: Trial) -> Trial:
        def fails(choices: tuple[int, ...]) -> bool:
            tried = again(best.bursts, best.policies, choices)
            return tried.violates and tried.cause == best.cause

        return again(best.bursts, best.policies, shorter(best.schedule, fails))

    def repeat(bursts: tuple[Burst, ...], policies: Mapping[str, object]) -> Trial:
        return again(bursts, policies, first.schedule)

    first = fewer(trial)
    if not first.violates or first.cause != trial.cause:
        # by monitors alone, or not again: told as it was found
        return trial
    return fewer(shrink(first, repeat))


def woven(worker: Worker, seed: int, histories: int = 20) -> list[Woven]:
    """What is repeated under other orders of tasks: every vector within reach, and histories of every scope.

    Not where calls run together, or an agent ends with its child: which of them meets a hold that names none is then the
    schedule's, and no run says it. Nor where what a creation waits for throws in the segment of its deactivation: that it
    was thrown first (P8, VP41) is the order of the loop, which a schedule takes away.
    """
    contract = worker.setting.contract
    runs = [
        Woven(one.id, tuple(bursts_of(one, worker.profile)), one.policies, modelled(worker, one), one)
        for one in load_vectors(contract=contract)
        if not out_of_reach(one, worker.profile) and not _together(one.policies)
    ]
    runs = [run for run in runs if not _thrown_and_deactivated(run.bursts)]
    for scope in scopes.of(contract):
        if _together(scope.policies) or ("create_child",) in scope.words:
            continue
        task = Task("walk", scope.name, seed=seed, histories=histories)
        for number, (bursts, policies, _edges) in enumerate(planned(worker, task)):
            if not _thrown_and_deactivated(bursts):
                runs.append(Woven(f"{scope.name} {number}", bursts, policies))
    return runs


def _together(policies: Mapping[str, object]) -> bool:
    return policies.get("parallel_tools") == "on"


def _thrown_and_deactivated(bursts: tuple[Burst, ...]) -> bool:
    return any(
        any(
            isinstance(one, Release) and one.gate in CREATION_GATES and one.with_ in ("fail", "missing") for one in made
        )
        and any(isinstance(one, Abort | UnloadOwner | UnloadProvider) for one in made)
        for made in bursts
    )
