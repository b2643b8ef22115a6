"""Owns the failures of a check as values, each with what it is known by in a list of expected violations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lifecycle_conformance import expect
from lifecycle_conformance.check import Outcome, VectorFailure
from lifecycle_conformance.expect import Difference, Expectations, Expected
from lifecycle_conformance.failure.value import Failure
from lifecycle_conformance.told import failure_of, failure_of_vector
from lifecycle_conformance.trial import Trial
from lifecycle_model.wire import Description


@dataclass(frozen=True)
class Found:
    """One failure, and its key: of a run the clauses and the fingerprint, of a vector its id."""

    failure: Failure
    key: Expected
    runs: int = 1
    """How many runs of the check failed for the same cause."""


def found_by(outcome: Outcome) -> list[Found]:
    """The failures of a check; runs first, then vectors, in the order they were found."""
    if outcome.description is None:
        return []
    system, seed, contract = outcome.description, outcome.options.seed, outcome.options.contract
    runs = [
        replace(found_in_run(trial, system, seed, contract), runs=outcome.causes[trial.cause])
        for trial in outcome.failures
    ]
    return [*runs, *(found_in_vector(failed, system, seed, contract) for failed in outcome.vector_failures)]


def found_in_run(trial: Trial, system: Description, seed: int = 0, contract: str = "") -> Found:
    """A run that breaks the contract, which is the system's own where none is named."""
    failure = failure_of(trial, system, seed, contract or system.profile.contract)
    return Found(failure, Expected("+".join(failure.clauses) or "?", failure.fingerprint))


def found_in_vector(failed: VectorFailure, system: Description, seed: int = 0, contract: str = "") -> Found:
    """A vector that does not hold; its contract is the system's own where none is named."""
    return Found(
        failure_of_vector(failed, system, seed, contract or system.profile.contract), vector_key(failed.vector.id)
    )


def vector_key(name: str) -> Expected:
    """What the failure of a vector is known by."""
    return Expected(f"vector {name}", name)


def compared(outcome: Outcome, found: Sequence[Found], known: Expectations) -> Difference:
    """How what happened differs from what was expected; a check of a part says nothing about what it left out."""
    options = outcome.options
    happened = [one.key for one in found]
    in_part = options.clause is not None or options.section is not None or bool(outcome.reasons)
    return expect.compare(known, happened, [key.fingerprint for key in happened] if in_part else None)
