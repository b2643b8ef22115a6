"""Every hand-written vector of status, inbox and cancellation holds in the model and passes the monitors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from lifecycle_conformance.compare import Projection, project_answer
from lifecycle_conformance.engines import Setting, Worker
from lifecycle_conformance.modelled import modelled
from lifecycle_conformance.monitors.watch import watch
from lifecycle_conformance.vectors import bursts_of, check_vector, load_vectors
from lifecycle_model.quiet import perform
from lifecycle_model.state import start
from lifecycle_model.wire import BurstResult, Profile, TraceBurst, Vector

WORKER = Worker(Setting("reference", "1", 10.0))


@pytest.fixture(scope="module", autouse=True)
def close() -> Iterator[None]:
    """Stop the system when all vectors were played."""
    yield
    WORKER.system.stop()


CORE = [vector for vector in load_vectors() if vector.id[:2] in ("VS", "VI", "VC", "XS", "XI", "XQ", "XC")]
CARRIED = [vector for vector in CORE if modelled(WORKER, vector)]


def in_model(vector: Vector) -> list[BurstResult]:
    """What the model does with the vector's bursts, in the first outcome it allows."""
    here = start(dict(vector.policies))
    results = []
    for burst in bursts_of(vector, WORKER.profile):
        outcome = perform(WORKER.engine, here, burst)[0]
        here = outcome.configuration
        results.append(BurstResult(outcome.answers, outcome.seen))
    return results


def shown(vector: Vector) -> Profile:
    """The reference's profile under the vector's policies."""
    if vector.policies.get("cancelling_published") == "off":
        return replace(WORKER.profile, statuses=("idle", "running", "disposed"))
    return WORKER.profile


def test_no_core_vector_is_left_out_without_a_word() -> None:
    left = sorted(vector.id for vector in CORE if vector not in CARRIED)
    assert len(left) <= 12, f"the model does not carry {left}"
    assert len(CARRIED) >= 180


@pytest.mark.parametrize("vector", CARRIED, ids=lambda vector: vector.id)
def test_vector_holds_in_the_model(vector: Vector) -> None:
    profile = shown(vector)
    projection = Projection(profile)
    known = frozenset(profile.statuses)
    results = [
        BurstResult(tuple(project_answer(call, known) for call in one.calls), tuple(projection.project(one.seen)))
        for one in in_model(vector)
    ]
    assert check_vector(vector, results, profile) == []


@pytest.mark.parametrize("vector", CARRIED, ids=lambda vector: vector.id)
def test_vector_holds_in_the_runtime_and_passes_oracle_and_monitors(vector: Vector) -> None:
    bursts = bursts_of(vector, WORKER.profile)
    trial = WORKER.judge.play(WORKER.system, bursts, vector.policies, keep_log=True)
    assert trial.error is None
    assert not trial.violates, trial.clauses
    assert check_vector(vector, trial.results, WORKER.profile) == []
    traced = [TraceBurst(made, r.calls, r.seen) for made, r in zip(bursts, trial.results, strict=True)]
    assert watch(traced, WORKER.profile, vector.policies) == []
