"""The judge itself: byte-reproducible, finds a wrong system by its shortest run, and never blames the right one."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence

import msgspec
import pytest

from lifecycle_conformance import shrink
from lifecycle_conformance.check import Options, Outcome, check, floor, shortest
from lifecycle_conformance.engines import Done, Setting, Task, Worker
from lifecycle_conformance.failure.lines import lines
from lifecycle_conformance.systems.adapter import System
from lifecycle_conformance.systems.load import open_system
from lifecycle_conformance.told import failure_of
from lifecycle_conformance.vectors import load_vectors
from lifecycle_model.commands import Burst, Cancel, Send
from lifecycle_model.wire import UNSET, Answer, BurstResult, Description, Observation, Profile, to_json

SETTING = Setting("reference", "1", 10.0)
OPENED: list[Worker] = []


@pytest.fixture(autouse=True)
def close() -> Iterator[None]:
    """Stop every system a test has opened."""
    yield
    while OPENED:
        OPENED.pop().system.stop()


def opened(system: System | None = None) -> Worker:
    OPENED.append(Worker(SETTING, system))
    return OPENED[-1]


def plan(engine: str, scope: str) -> str:
    """A digest of every burst an engine plays."""
    from lifecycle_conformance.engines import _ENGINES

    worker = opened()
    task = Task(engine, scope, reactions="kinds", seed=7, histories=30)
    digest = hashlib.sha256()
    for bursts, _policies, _edges in _ENGINES[engine](worker, task, Done(task)):
        digest.update(to_json(bursts))
    return digest.hexdigest()


def in_another_process(engine: str, scope: str, hash_seed: str) -> str:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import test_conformance_judge as t; "
        "print(t.plan(sys.argv[2], sys.argv[3]))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    here = os.path.dirname(os.path.abspath(__file__))
    arguments = [sys.executable, "-c", code, here, engine, scope]
    return subprocess.run(arguments, env=environment, capture_output=True, text=True, check=True).stdout.strip()


def test_suites_and_walks_are_the_same_bytes_twice_and_in_another_process() -> None:
    for engine, scope in (("suite", "contexts"), ("walk", "tools")):
        first = plan(engine, scope)
        assert first == plan(engine, scope)
        assert first == in_another_process(engine, scope, "4242")


class Wrong:
    """The reference runtime behind a pane: what it shows is changed by `change`."""

    def __init__(self) -> None:
        self.inner: System = open_system("reference")

    def describe(self) -> Description:
        return self.inner.describe()

    def reset(self, policies: Mapping[str, object]) -> None:
        self.inner.reset(policies)

    def run(self, bursts: Sequence[Burst]) -> list[BurstResult]:
        return [self.change(made, result) for made, result in zip(bursts, self.inner.run(bursts), strict=True)]

    def stop(self) -> None:
        self.inner.stop()

    def change(self, made: Burst, result: BurstResult) -> BurstResult:
        return result


class NeverSaysDiscard(Wrong):
    """Wrong: what a cancel clears is not told."""

    def change(self, made: Burst, result: BurstResult) -> BurstResult:
        if not any(isinstance(one, Cancel) for one in made):
            return result
        return BurstResult(result.calls, tuple(one for one in result.seen if one.event != "agent/inbox/discard"))


def judged(system: System, tasks: list[Task]) -> tuple[Worker, Outcome]:
    """Play some tasks against a system and shrink what fails."""
    worker = opened(system)
    outcome = Outcome(Options(), worker.system.describe())
    for task in tasks:
        for bursts, policies in worker.work(task).failures:
            outcome.failures.append(worker.play(bursts, policies))
    outcome.failures = shortest(worker, outcome.failures)
    return worker, outcome


def test_a_wrong_system_is_found_by_the_shortest_run_and_the_failure_names_the_clause() -> None:
    worker, outcome = judged(NeverSaysDiscard(), [Task("suite", "core")])
    assert outcome.failures
    shortest = outcome.failures[0]
    # create, a quiet send, cancel: nothing shorter has anything to discard
    assert shrink.size(shortest.bursts)[:2] == (3, 0)
    assert {"C10", "C5"} & set(shortest.clauses)
    assert outcome.description is not None
    failure = failure_of(shortest, outcome.description, 0, "1")
    text = lines(failure, "lifecycle replay x.json")
    assert len(text) <= 8
    assert any("disc" in line for line in text)
    again = worker.play(shortest.bursts, shortest.policies)
    assert again.violates
    assert again.clauses == shortest.clauses
    assert to_json(failure_of(again, outcome.description, 0, "1").trace) == to_json(failure.trace)


def test_the_same_pane_without_a_change_is_never_failed() -> None:
    _worker, outcome = judged(
        Wrong(), [Task("suite", "contexts", reactions="kinds"), Task("walk", "core", histories=40)]
    )
    assert outcome.failures == []


class AnswersAnotherId(Wrong):
    """Wrong: `send` gives back an id that is not the message's."""

    def change(self, made: Burst, result: BurstResult) -> BurstResult:
        pairs = zip(made, result.calls, strict=True)
        return BurstResult(
            tuple(Answer(ok="m0") if isinstance(one, Send) and given.ok else given for one, given in pairs), result.seen
        )


class ForgetsTheRequest(Wrong):
    """Wrong: a model request leaves out what was said first."""

    def change(self, made: Burst, result: BurstResult) -> BurstResult:
        def cut(one: Observation) -> Observation:
            known = () if one.messages is UNSET else one.messages
            return msgspec.structs.replace(one, messages=known[1:]) if len(known) > 1 else one

        return BurstResult(result.calls, tuple(cut(one) for one in result.seen))


@pytest.mark.parametrize(
    ("wrong", "task"),
    [(AnswersAnotherId, Task("suite", "contexts")), (ForgetsTheRequest, Task("walk", "tools", histories=12))],
)
def test_what_is_answered_and_what_a_request_contains_is_compared(wrong: type[Wrong], task: Task) -> None:
    assert opened(wrong()).work(task).causes


class HidesCancelling(Wrong):
    """Right: a system without the status cancelling, which offers no policy about it."""

    def describe(self) -> Description:
        whole = self.inner.describe()
        statuses = tuple(one for one in whole.profile.statuses if one != "cancelling")
        policies = {name: value for name, value in whole.profile.policies.items() if name != "cancelling_published"}
        return msgspec.structs.replace(
            whole, profile=msgspec.structs.replace(whole.profile, statuses=statuses, policies=policies)
        )

    def reset(self, policies: Mapping[str, object]) -> None:
        self.inner.reset({**policies, "cancelling_published": "off"})


def test_a_system_without_the_status_cancelling_is_never_failed_for_it() -> None:
    worker = opened(HidesCancelling())
    for task in (Task("suite", "core", reactions="kinds"), Task("walk", "core", histories=40)):
        done = worker.work(task)
        assert done.runs
        assert not done.causes
        assert not done.errors


@pytest.mark.parametrize("scope", ["projected", "parks", "parallel"])
def test_the_reference_is_never_failed_under_an_optional_policy(scope: str) -> None:
    worker = opened()
    for task in (Task("suite", scope, reactions="kinds"), Task("walk", scope, histories=20)):
        done = worker.work(task)
        assert done.runs
        assert not done.causes
        assert not done.errors


def test_below_the_floor_nothing_is_judged() -> None:
    assert floor(Profile(commands=("create", "send"), observations=("agent/status",))) == [
        "command cancel",
        "observation turn/start",
        "observation turn/end",
    ]


@pytest.mark.parametrize(("clause", "section"), [("C9", None), (None, "G")])
def test_a_narrowed_check_plays_the_vectors_of_it_and_nothing_else(clause: str | None, section: str | None) -> None:
    outcome = check(Options(clause=clause, section=section))
    named = [vector.clauses for vector in load_vectors(contract="1")]
    wanted = [one for one in named if (clause in one if clause else any(name.startswith("G") for name in one))]
    assert outcome.verdict == "CONFORMS"
    assert outcome.runs == outcome.vectors_held == len(wanted) > 5
    assert not outcome.classes
    assert not outcome.histories
