"""From a failing trial or vector to a `Failure`, the value every form of a failure is made from."""

from __future__ import annotations

from lifecycle_conformance.check import VectorFailure
from lifecycle_conformance.failure.value import Alternative, Failure, recorded
from lifecycle_conformance.trial import Trial
from lifecycle_conformance.vectors import bursts_of
from lifecycle_model.wire import BurstResult, Description, Profile


def failure_of(trial: Trial, system: Description, seed: int, contract: str) -> Failure:
    """Tell a violation: the run up to the burst that failed, and every explanation that was still possible."""
    last = trial.mismatch.burst if trial.mismatch is not None else max(one.index for one in trial.findings)
    trace = recorded(
        trial.bursts[: last + 1],
        trial.results[: last + 1],
        system,
        policies=dict(trial.policies),
        engine="suite",
        seed=seed,
    )
    if trial.mismatch is None:
        return Failure(trace, trial.clauses, findings=trial.findings)
    calls = trial.mismatch.explanations[0].difference.kind == "call" if trial.mismatch.explanations else False
    allowed = tuple(
        Alternative(one.projected, one.answers if calls else None) for one in trial.mismatch.explanations[:6]
    )
    return Failure(trace, trial.clauses, allowed, tuple(f for f in trial.findings if f.index <= last))


def failure_of_vector(
    failed: VectorFailure, results: tuple[BurstResult, ...], system: Description, profile: Profile
) -> Failure:
    """Tell a vector that does not hold."""
    vector = failed.vector
    last = failed.mismatches[0].burst
    bursts = bursts_of(vector, profile)
    trace = recorded(bursts[: last + 1], results[: last + 1], system, policies=vector.policies, engine="vector")
    return Failure(trace, vector.clauses, vector=vector, mismatches=failed.mismatches)
