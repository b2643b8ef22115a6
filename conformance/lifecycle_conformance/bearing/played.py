"""Runs on the model alone: every outcome of a vector or of a probe, burst by burst, and whether the vector holds.

A probe is a run without expectation, for what no vector takes; there only what the contract allows is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from lifecycle_conformance.bearing.probes import PROBES
from lifecycle_conformance.carried import carried
from lifecycle_conformance.compare import Projection, project_answer
from lifecycle_conformance.contracts import contract_named
from lifecycle_conformance.vectors import bursts_of, check_vector, load_vectors
from lifecycle_model.commands import Burst
from lifecycle_model.engine import Engine
from lifecycle_model.quiet import Outcomes, by_subject, perform
from lifecycle_model.state import Configuration, start
from lifecycle_model.wire import MEMBERS, RECORDS, BurstResult, Profile, Vector, to_json

FULL = Profile(
    commands=("create", "read"),
    observations=tuple(sorted(MEMBERS.keys() | RECORDS)),
    reads=("lookup", "inspect"),
)
"""A system that can be asked everything and shows everything: the model."""
MOST = 64
"""Ways a run may go at most that are followed; more would be a run too wide to compare."""


@dataclass(frozen=True)
class Scripted:
    """One run: a vector, or a probe."""

    name: str
    bursts: tuple[Burst, ...]
    policies: dict[str, object]
    vector: Vector | None = None


@dataclass(frozen=True)
class Way:
    """One way a run may go: where it is, and what was answered and seen in each burst."""

    configuration: Configuration
    results: tuple[BurstResult, ...] = ()


@dataclass(frozen=True)
class Played:
    """All the ways of a run under one contract."""

    allowed: tuple[frozenset[bytes], ...]
    """For each burst, what the contract allows: answers, and each subject's own order."""
    ways: tuple[Way, ...]
    rows: frozenset[str]
    error: str = ""
    """What the rows broke with, where they do not fit together."""

    @property
    def breaks(self) -> bool:
        """The run cannot be played to its end."""
        return bool(self.error)


def scripts(contract: str) -> tuple[Scripted, ...]:
    """Every run that there is for a contract, the vectors first: those whose every command its rows carry."""
    rows = contract_named(contract)
    vectors = [one for one in load_vectors(contract=contract) if carried(rows, (burst.do for burst in one.bursts))]
    found = [Scripted(one.id, tuple(bursts_of(one)), dict(one.policies), one) for one in vectors]
    if contract == "1":
        found += [Scripted(name, bursts, dict(policies)) for name, policies, bursts in PROBES]
    return tuple(found)


def play(engine: Engine, run: Scripted) -> Played:
    """Play a run; never raises for what the rows do."""
    ways = [Way(start(dict(run.policies)))]
    allowed: list[frozenset[bytes]] = []
    rows: set[str] = set()
    for burst in run.bursts:
        here: set[bytes] = set()
        after: dict[object, Way] = {}
        for way in ways:
            try:
                outcomes = perform(engine, way.configuration, burst)
            except Exception as error:  # a weakened contract may break in any way, and that is what is asked
                return Played(tuple(allowed), tuple(ways), frozenset(rows), f"{type(error).__name__}: {error}")
            for outcome in outcomes:
                rows.update(row.id for row in outcome.rows)
                here.add(_told(outcome))
                result = BurstResult(outcome.answers, outcome.seen)
                after.setdefault(
                    (outcome.configuration, _told(outcome)), Way(outcome.configuration, (*way.results, result))
                )
        ways = list(after.values())[:MOST]
        allowed.append(frozenset(here))
    return Played(tuple(allowed), tuple(ways), frozenset(rows))


def _told(outcome: Outcomes) -> bytes:
    return to_json([outcome.answers, repr(by_subject(outcome.seen))])


def wrong(run: Scripted, played: Played) -> str:
    """Why the run's vector does not hold on some way, or nothing."""
    if run.vector is None:
        return ""
    profile = FULL
    projected = run.policies.get("cancelling_published") == "off"
    if projected:
        profile = msgspec.structs.replace(FULL, statuses=("idle", "running", "disposed"))
    for way in played.ways:
        results = _projected(way.results, profile) if projected else way.results
        mismatches = check_vector(run.vector, results, profile)
        if mismatches:
            return mismatches[0].sentence
    return ""


def _projected(results: Sequence[BurstResult], profile: Profile) -> tuple[BurstResult, ...]:
    projection = Projection(profile)
    statuses = frozenset(profile.statuses)
    return tuple(
        BurstResult(
            tuple(project_answer(one, statuses) for one in result.calls), tuple(projection.project(result.seen))
        )
        for result in results
    )
