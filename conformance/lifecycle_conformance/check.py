"""One check: the stages of a profile, run by workers, merged in a fixed order into one verdict.

Decides the verdict; refuses to print. `CONFORMS` says that nothing within reach broke the contract in what was run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace
from itertools import takewhile
from time import monotonic

from lifecycle_conformance import grounds, scopes, shrink
from lifecycle_conformance.contracts import contract_named
from lifecycle_conformance.engines import Done, Setting, Task, Worker
from lifecycle_conformance.hypothesis_run import explore_histories
from lifecycle_conformance.interleavings import interleave, woven
from lifecycle_conformance.modelled import modelled
from lifecycle_conformance.suite import AGENT, Classes, Edge, SuiteRun, plain_edges, reacting_edges, short_run, size_of
from lifecycle_conformance.systems.adapter import System
from lifecycle_conformance.systems.errors import SystemsError
from lifecycle_conformance.systems.selftest import selftest
from lifecycle_conformance.systems.wellformed import Checked
from lifecycle_conformance.trial import Trial
from lifecycle_conformance.vectors import Mismatch as VectorMismatch
from lifecycle_conformance.vectors import bursts_of, check_vector, load_vectors, out_of_reach
from lifecycle_conformance.words import Namer, burst
from lifecycle_conformance.workers import end, workers
from lifecycle_model.wire import Description, Profile, Vector, to_json

CONFORMS, VIOLATES, INCONCLUSIVE = "CONFORMS", "VIOLATES", "INCONCLUSIVE"
EXIT = {CONFORMS: 0, VIOLATES: 1, INCONCLUSIVE: 3}

FLOOR_COMMANDS = ("create", "send", "cancel")
FLOOR_OBSERVATIONS = ("agent/status", "turn/start", "turn/end")

Progress = Callable[[str, int, int], None]
"""Stage, done, of how many."""


@dataclass(frozen=True)
class Options:
    """What a check is asked for. `budget` is seconds; None means no bound."""

    system: str = "reference"
    contract: str = "1"
    profile: str = "quick"
    clause: str | None = None
    section: str | None = None
    seed: int = 0
    jobs: int = 1
    budget: float | None = None
    timeout: float = 10.0
    causes: int = 60
    vectors: bool = True


@dataclass(frozen=True)
class VectorFailure:
    """A vector that does not hold: which, the run that shows it, and where it is not as written."""

    vector: Vector
    trial: Trial
    mismatches: tuple[VectorMismatch, ...]


@dataclass
class Outcome:
    """Everything a check found. Timings are apart: all else is the same for the same seed."""

    options: Options
    description: Description | None = None
    verdict: str = INCONCLUSIVE
    reasons: list[str] = field(default_factory=list[str])
    """Why it is inconclusive."""
    failures: list[Trial] = field(default_factory=list[Trial])
    causes: Counter[object] = field(default_factory=Counter[object])
    """How many runs failed, by their cause."""
    vector_failures: list[VectorFailure] = field(default_factory=list[VectorFailure])
    vectors_held: int = 0
    unreached: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Vector id to why it is out of reach."""
    runs: int = 0
    edges: int = 0
    histories: int = 0
    roamed: Counter[str] = field(default_factory=Counter[str])
    """Walks over a whole system, by their ground."""
    interleaved: int = 0
    """Runs in which the order of ready tasks was chosen at least once."""
    classes: dict[str, int] = field(default_factory=dict[str, int])
    labels: int = 0
    several: int = 0
    rows: Counter[str] = field(default_factory=Counter[str])
    """How often each row was taken by runs the contract allows."""
    held: Counter[str] = field(default_factory=Counter[str])
    """How many vectors held, by the clauses they name."""
    interrupted: bool = False
    """Stopped by hand: what is here is what was found until then."""
    seconds: dict[str, float] = field(default_factory=dict[str, float])

    @property
    def exit_code(self) -> int:
        """0 CONFORMS, 1 VIOLATES, 3 INCONCLUSIVE."""
        return EXIT[self.verdict]


@dataclass(frozen=True)
class Depth:
    """How far a profile goes."""

    reactions: Mapping[str, str]
    otherwise: str
    walks: int
    roams: int
    """Walks over a whole system on each ground, times its weight."""
    examples: int
    schedules: int
    """Orders of ready tasks under which a system in process plays every vector, and some histories."""
    about: str


PROFILES: dict[str, Depth] = {
    "quick": Depth({"core": "all"}, "kinds", 12, 2, 40, 0, "every label of every class; single reactions"),
    "thorough": Depth({}, "all", 400, 20, 400, 5, "every single reaction at every observation; long histories"),
    "deep": Depth({}, "all", 4000, 200, 3000, 40, "as thorough, with thousands of histories"),
}


def tasks(options: Options, profile: Profile) -> list[Task]:
    """The stages of a profile as tasks, big scopes in parts."""
    depth = PROFILES[options.profile]
    found: list[Task] = []
    for scope in scopes.of(options.contract):
        parts = 6 if scope.name in ("core", "segment", "flush", "gates", "owners") else 3
        reactions = depth.reactions.get(scope.name, depth.otherwise)
        found += [Task("suite", scope.name, part, parts, reactions) for part in range(parts)]
    for scope in scopes.of(options.contract):
        found.append(Task("walk", scope.name, 0, 1, seed=options.seed, histories=depth.walks))
    for ground in grounds.of(options.contract):
        found.append(Task("whole", ground.name, seed=options.seed, histories=depth.roams * ground.weight))
    return found


def floor(profile: Profile) -> list[str]:
    """What a system lacks to be judged at all."""
    lacks = [f"command {name}" for name in FLOOR_COMMANDS if name not in profile.commands]
    return lacks + [f"observation {name}" for name in FLOOR_OBSERVATIONS if name not in profile.observations]


def check(
    options: Options,
    progress: Progress = lambda stage, done, total: None,
    system: System | None = None,
) -> Outcome:
    """Judge the system that is named, or the one that is given, in this process; who opens a system stops it.

    Never raises for what the system does; UsageError for what the caller asked wrongly.
    """
    contract_named(options.contract)
    if system is not None:
        options = replace(options, jobs=1)
    outcome = Outcome(options)
    setting = Setting(options.system, options.contract, options.timeout)
    began = monotonic()
    try:
        worker = Worker(setting, Checked(system) if system is not None else None)
    except SystemsError as error:
        if error.exit_code == 2:
            raise
        outcome.reasons.append(str(error))
        return outcome
    try:
        outcome.description = worker.system.describe()
        lacks = floor(worker.profile)
        if lacks:
            outcome.reasons.append(f"below the floor: the system lacks {', '.join(lacks)}; nothing was judged")
            return outcome
        if not _fit(worker, options, outcome):
            return outcome
        if options.vectors:
            _vectors(worker, options, outcome, progress)
        if options.clause is None and options.section is None:
            # these cannot be aimed at a clause: almost every run bears on almost every clause
            _engines(worker, setting, options, outcome, progress, began)
            _histories(worker, options, outcome, progress, began)
            _interleavings(worker, options, outcome, progress, began)
        until = None if options.budget is None else monotonic() + options.budget / 4
        outcome.failures = shortest(worker, outcome.failures, until, progress)[: options.causes]
    except SystemsError as error:
        outcome.reasons.append(str(error))
    except KeyboardInterrupt:
        outcome.interrupted = True
        outcome.failures = _one_a_cause(outcome.failures)[: options.causes]
        outcome.reasons.append("interrupted by hand: what is here is what was found until then")
    finally:
        if system is None:
            worker.system.stop()
    _conclude(outcome)
    outcome.seconds["total"] = monotonic() - began
    return outcome


def _fit(worker: Worker, options: Options, outcome: Outcome) -> bool:
    """Tell whether the adapter may be trusted; where it may not, nothing is judged, and it is said what to fix."""
    began = monotonic()
    test = selftest(worker.system, speed=False)
    outcome.seconds["self-test"] = monotonic() - began
    outcome.reasons += [f"the adapter is not fit to judge with ({finding})" for finding in test.findings]
    if test.findings:
        outcome.reasons.append(f"nothing was judged: next, lifecycle systems test {options.system}")
    return test.fit


def _vectors(worker: Worker, options: Options, outcome: Outcome, progress: Progress) -> None:
    began = monotonic()
    vectors = [one for one in load_vectors(contract=options.contract) if _wanted(options, one.clauses)]
    for index, vector in enumerate(vectors):
        progress("vectors", index, len(vectors))
        missing = out_of_reach(vector, worker.profile)
        if missing:
            outcome.unreached[vector.id] = missing
            continue
        bursts = bursts_of(vector, worker.profile)
        trial = worker.judge.play(
            worker.system, bursts, vector.policies, keep_log=True, modelled=modelled(worker, vector)
        )
        outcome.runs += 1
        if trial.error is not None:
            outcome.reasons.append(f"vector {vector.id}: {trial.error}")
            continue
        mismatches = check_vector(vector, trial.results, worker.profile)
        if trial.violates:
            outcome.causes[trial.cause] += 1
            outcome.failures.append(trial)
        if mismatches:
            outcome.vector_failures.append(VectorFailure(vector, trial, tuple(mismatches)))
        else:
            outcome.vectors_held += 1
            outcome.held.update(vector.clauses)
    outcome.rows.update(worker.judge.rows)
    outcome.seconds["vectors"] = monotonic() - began


def _wanted(options: Options, clauses: Sequence[str]) -> bool:
    if options.clause is not None:
        return options.clause in clauses
    if options.section is not None:
        return any(clause.startswith(options.section) for clause in clauses)
    return True


def _engines(
    worker: Worker, setting: Setting, options: Options, outcome: Outcome, progress: Progress, began: float
) -> None:
    todo = tasks(options, worker.profile)
    for index, done in enumerate(_work(worker, setting, todo, options, progress, began)):
        if done is None:
            outcome.reasons.append(f"the budget of {options.budget:g} s ended before stage {index + 1} of {len(todo)}")
            break
        _merge(outcome, done)
        for bursts, policies in done.failures:
            trial = worker.play(bursts, policies)
            if trial.violates:
                outcome.failures.append(trial)
            else:
                outcome.reasons.append(
                    f"{done.task.engine} {done.task.scope}: a failing run passed when it was repeated"
                )


def _work(
    worker: Worker, setting: Setting, todo: list[Task], options: Options, progress: Progress, began: float
) -> Iterator[Done | None]:
    def spent() -> bool:
        return options.budget is not None and monotonic() - began > options.budget

    if options.jobs <= 1:
        for index, task in enumerate(todo):
            progress(f"{task.engine} {task.scope}", index, len(todo))
            if spent():
                yield None
                return
            yield worker.work(task)
        return
    with workers(options.jobs, _open, setting) as pool:
        futures: list[Future[Done]] = [pool.submit(_do, task) for task in todo]
        stopped: KeyboardInterrupt | None = None
        try:
            waiting = set(futures)
            while waiting and not spent():
                _ended, waiting = wait(waiting, timeout=0.5, return_when=FIRST_COMPLETED)
                progress("suites and walks", len(todo) - len(waiting), len(todo))
        except KeyboardInterrupt as interrupt:
            stopped = interrupt
        ready = [future for future in futures if future.done()]
        if len(ready) < len(futures):
            # nobody waits for what the workers still do
            end(pool)
        if stopped is not None:
            # what was done before is told; then the interrupt goes on
            yield from (future.result() for future in ready)
            raise stopped
        for future in futures:
            if future not in ready:
                yield None
                return
            yield future.result()


_mine: list[Worker] = []


def _open(setting: Setting) -> None:
    _mine.append(Worker(setting))


def _do(task: Task) -> Done:
    return _mine[0].work(task)


def _merge(outcome: Outcome, done: Done) -> None:
    outcome.runs += done.runs
    outcome.edges += done.edges
    outcome.several += done.several
    outcome.rows.update(done.rows)
    outcome.causes.update(done.causes)
    if done.task.engine == "walk":
        outcome.histories += done.runs
    elif done.task.engine == "whole":
        outcome.histories += done.runs
        if done.runs:
            outcome.roamed[done.task.scope] += done.runs
    elif done.classes:
        outcome.classes[done.task.scope] = done.classes
        if done.task.part == 0:
            outcome.labels += done.labels
    outcome.reasons += [f"{done.task.engine} {done.task.scope}: {error}" for error in done.errors]


def _histories(worker: Worker, options: Options, outcome: Outcome, progress: Progress, began: float) -> None:
    if options.budget is not None and monotonic() - began > options.budget:
        return
    examples = PROFILES[options.profile].examples
    progress("Hypothesis", 0, examples)
    found = explore_histories(worker, options.seed, examples)
    outcome.histories += found.histories
    outcome.runs += found.histories
    outcome.rows.update(found.rows)
    outcome.failures += found.failures
    outcome.causes.update(trial.cause for trial in found.failures)
    outcome.reasons += found.errors
    progress("Hypothesis", examples, examples)


def _interleavings(worker: Worker, options: Options, outcome: Outcome, progress: Progress, began: float) -> None:
    """Vectors within reach and short histories of every scope, while ready tasks take turns in other orders."""
    schedules = PROFILES[options.profile].schedules
    if not schedules or (options.budget is not None and monotonic() - began > options.budget):
        return
    runs = woven(worker, options.seed)
    progress("interleavings", 0, len(runs) * schedules)
    found = interleave(worker, runs, schedules, options.seed)
    outcome.runs += found.runs
    outcome.interleaved += found.chosen
    outcome.causes.update(found.causes)
    outcome.failures += found.failures
    known = {failed.vector.id for failed in outcome.vector_failures}
    outcome.vector_failures += [VectorFailure(*one) for one in found.broken if one[0].id not in known]
    outcome.reasons += [f"interleavings: {error}" for error in found.errors]


def _one_a_cause(trials: Sequence[Trial]) -> list[Trial]:
    best: dict[object, Trial] = {}
    for trial in trials:
        known = best.get(trial.cause)
        if known is None or shrink.size(trial.bursts) < shrink.size(known.bursts):
            best[trial.cause] = trial
    return sorted(best.values(), key=lambda trial: shrink.size(trial.bursts))


def shortest(
    worker: Worker,
    trials: Sequence[Trial],
    until: float | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> list[Trial]:
    """One failing trial a cause, each as short as it gets, the shortest first; `until` bounds the search of the suites."""
    found: list[Trial] = []
    causes = _one_a_cause(trials)
    for index, trial in enumerate(causes):
        progress("shortening what failed", index, len(causes))
        found.append(_shortest(worker, trial, until))
    return _one_a_cause(found)


def _shortest(worker: Worker, trial: Trial, until: float | None) -> Trial:
    """The shortest run that fails for the same cause; one that needs a schedule is small already."""
    if trial.schedule:
        return trial
    small = shrink.shrink(trial, worker.play)
    blamed = small.mismatch.clauses if small.mismatch is not None else ()
    runs = takewhile(
        lambda _: until is None or monotonic() < until, _in_order(worker, shrink.size(small.bursts), blamed)
    )
    shorter = shrink.shorter_in_suite(small, runs, worker.play, 3000)
    return small if shorter is small else shrink.shrink(shorter, worker.play)


def _in_order(
    worker: Worker, bound: tuple[int, int, int], blamed: tuple[str, ...]
) -> Iterator[tuple[SuiteRun, Mapping[str, object]]]:
    """The suite's runs shorter than a bound, without the way home, shortest first; those that can fail for the same cause."""
    found: list[tuple[tuple[int, int], int, Classes, Edge]] = []
    for scope in scopes.of(worker.setting.contract):
        classes = worker.classes(scope.name)
        if classes is None:
            continue
        for edge in (*plain_edges(classes), *reacting_edges(classes, literal=False, profile=worker.profile)):
            size = size_of(classes, edge)
            if size < bound[:2]:
                found.append((size, len(found), classes, edge))
    for _size, _index, classes, edge in sorted(found, key=lambda one: one[:2]):
        if blamed and not _takes(worker, classes, edge, blamed):
            continue
        yield short_run(worker.engine, classes, edge, worker.profile), classes.scope.policies


def _takes(worker: Worker, classes: Classes, edge: Edge, blamed: tuple[str, ...]) -> bool:
    """Tell whether the model takes a row that is blamed with these clauses: a run without one fails for another cause."""
    node = classes.nodes[edge.at]
    made = burst(Namer(dict(node.names)), AGENT, edge.label, classes.scope.holds, node.configuration)
    outcomes = worker.outlook.perform(node.configuration, made, to_json(made))
    return any(row.clauses[:3] == blamed for outcome in outcomes for row in outcome.rows)


def _conclude(outcome: Outcome) -> None:
    if outcome.failures or outcome.vector_failures:
        outcome.verdict = VIOLATES
    elif outcome.reasons:
        outcome.verdict = INCONCLUSIVE
    else:
        outcome.verdict = CONFORMS
