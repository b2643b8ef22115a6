"""The second runtime: written from the contract alone, it is never failed; and what it owes to the judge."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lifecycle_conformance import scopes
from lifecycle_conformance.engines import Setting, Task, Worker
from lifecycle_conformance.suite import plain_edges, short_run
from lifecycle_conformance.systems.selftest import selftest
from lifecycle_conformance.systems.stepped import make
from lifecycle_conformance.systems.stepped.system import SteppedSystem
from lifecycle_conformance.vectors import bursts_of, check_vector, load_vectors, out_of_reach
from lifecycle_model.commands import Burst, Cancel, Create, Dispose, Hold, Inject, Read, Release, Send, WhenIdle
from lifecycle_model.wire import BurstResult, Vector

PROFILE = SteppedSystem().describe().profile
REACHED = [vector for vector in load_vectors() if not out_of_reach(vector, PROFILE)]


@pytest.fixture(scope="module")
def worker() -> Worker:
    return Worker(Setting("stepped", "1", 10.0), make())


def test_it_is_fit_to_be_judged() -> None:
    assert selftest(make(), speed=False).findings == []


def test_most_of_sections_s_q_and_c_is_within_reach() -> None:
    core = [one for one in load_vectors(contract="1") if one.clauses[0][0] in "SQC"]
    reached = [one for one in core if one in REACHED]
    assert len(reached) > 0.9 * len(core), sorted({why for one in core for why in out_of_reach(one, PROFILE)})


@pytest.mark.parametrize("vector", REACHED, ids=lambda vector: vector.id)
def test_every_vector_within_reach_holds(worker: Worker, vector: Vector) -> None:
    trial = worker.judge.play(worker.system, bursts_of(vector, PROFILE), vector.policies, keep_log=True)
    assert trial.error is None
    assert not trial.violates, trial.clauses
    assert not check_vector(vector, trial.results, PROFILE)


@pytest.mark.parametrize("scope", [scope.name for scope in scopes.SCOPES])
def test_seeded_histories_are_allowed(worker: Worker, scope: str) -> None:
    done = worker.work(Task("walk", scope, seed=7, histories=15))
    assert (done.failures, done.errors) == ([], [])


def test_the_suite_of_the_core_is_allowed(worker: Worker) -> None:
    classes = worker.classes("core")
    assert classes is not None
    for edge in plain_edges(classes):
        trial = worker.play(short_run(worker.engine, classes, edge, PROFILE).bursts, classes.scope.policies)
        assert not trial.violates, trial.clauses


def test_nothing_moves_but_by_a_step() -> None:
    system = make()
    system.reset({})
    system.run([(Create("a"),)])
    world = system._world
    assert world is not None
    agent = world.life("a").agent
    world.perform(Send("a", "m1"))
    assert (agent.driver, agent.status) == ("woken", "idle")
    assert world.step()
    assert agent.status == "running"


def test_what_the_contract_leaves_open_it_does_its_own_way(worker: Worker) -> None:
    """Each of these the reference answers otherwise; the oracle allows both."""
    gone = (Create("a"),), (Dispose("a"),)
    invalid = worker.play((*gone, (Inject("a", "m1", invalid=True),)), {})
    parked = worker.play((*gone, (Inject("a", "m1"),)), {"after_dispose": "parks"})
    keeping = worker.play(((Create("a"),), (Cancel("a", keep_inbox=True), Read(agent="a"))), {})
    for trial, code in ((invalid, "invalid_message"), (parked, "disposed"), (keeping, "invalid")):
        assert trial.results[-1].calls[0].refused == code
        assert not trial.violates
    reference = Worker(Setting("reference", "1", 10.0))
    for trial in (invalid, parked, keeping):
        other = reference.play(trial.bursts, trial.policies)
        assert other.results[-1].calls[0] != trial.results[-1].calls[0]
        assert not other.violates
    reference.system.stop()


def test_when_a_call_settles_is_held_against_a_system_that_orders_its_calls(worker: Worker) -> None:
    """The stepped runtime declares `ordered_calls`: were its waiters resolved behind idle, S8 would be broken."""
    bursts = ((Create("a"), Hold("model", "a")), (Send("a", "m1"), WhenIdle("a", "w1")), (Release("model", "a"),))
    told = worker.system.run
    assert not worker.play(bursts, {}).violates

    def late(asked: Sequence[Burst]) -> list[BurstResult]:
        found = told(asked)
        settled = [one for one in found[-1].seen if one.event == "settled"]
        rest = [one for one in found[-1].seen if one.event != "settled"]
        return [*found[:-1], BurstResult(found[-1].calls, (*rest, *settled))]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker.system, "run", late)
        assert worker.play(bursts, {}).clauses[:2] == ("S8", "S7")


@pytest.mark.parametrize("name", ["reference", "python:lifecycle_conformance.systems.stepped:make"])
def test_a_hold_that_is_armed_is_not_armed_twice(name: str) -> None:
    worker = Worker(Setting(name, "1", 10.0))
    twice = (Hold("flush", "a", sticky=True), Hold("flush", "a", sticky=True), Inject("a", "m1"))
    trial = worker.play(((Create("a"),), twice, (Inject("a", "m2"),)), {})
    worker.system.stop()
    assert not trial.violates
    assert [one.state for one in trial.results[-1].seen if one.event == "session/flush"] == ["start", "settled"]
