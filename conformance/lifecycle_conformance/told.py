"""From a failing trial or vector to a `Failure`, the value every form of a failure is made from."""

from __future__ import annotations

import msgspec

from lifecycle_conformance.check import VectorFailure
from lifecycle_conformance.failure.value import (
    Alternative,
    Failure,
    of_alternatives,
    of_findings,
    of_vector,
    recorded,
)
from lifecycle_conformance.trial import Trial
from lifecycle_model.wire import Description, Trace, to_json

ENGINE = "check"
"""Who found a failure: it was shortened with the help of every engine, so it is no single one's."""


def failure_of(trial: Trial, system: Description, seed: int, contract: str) -> Failure:
    """Tell a violation of a contract: the run up to the burst that failed, every explanation that was still possible."""
    trace = _trace(trial, system, seed, contract)
    mismatch = trial.mismatch
    if mismatch is None:
        return of_findings(trace, trial.findings)
    # answers are told only where some explanation differs in them alone
    answers = any(one.difference.kind == "call" for one in mismatch.explanations)
    allowed = (Alternative(one.projected, one.answers if answers else None) for one in mismatch.explanations)
    distinct = {to_json(one): one for one in allowed}
    failure = of_alternatives(trace, mismatch.burst, tuple(distinct.values()), trial.clauses)
    seen = tuple(finding for finding in trial.findings if finding.index <= mismatch.burst)
    return Failure(failure.trace, failure.clauses, failure.allowed, seen)


def failure_of_vector(failed: VectorFailure, system: Description, seed: int, contract: str) -> Failure:
    """Tell a vector that does not hold."""
    return of_vector(_trace(failed.trial, system, seed, contract), failed.vector, failed.mismatches)


def _trace(trial: Trial, system: Description, seed: int, contract: str) -> Trace:
    trace = recorded(trial.bursts, trial.results, system, policies=trial.policies, engine=ENGINE, seed=seed)
    return msgspec.structs.replace(trace, contract=contract, schedule=trial.schedule)
