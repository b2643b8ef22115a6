"""Owns running a failing run again as a test: against what the contract allowed, an invariant, or a vector.

Refuses to ask the model: a regression test says by itself what is allowed, and stays true when the model changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from lifecycle_conformance.compare import Projection, agree, answers_agree, project_answer, same_multiset, split
from lifecycle_conformance.failure.lines import lines
from lifecycle_conformance.failure.parting import loose_gates
from lifecycle_conformance.failure.value import Alternative, of_alternatives, of_findings, of_vector, recorded
from lifecycle_conformance.monitors import watch
from lifecycle_conformance.systems.adapter import System
from lifecycle_conformance.systems.errors import UsageError
from lifecycle_conformance.systems.load import open_system
from lifecycle_conformance.systems.schedule import Schedule, follow
from lifecycle_conformance.vectors import bursts_of, check_vector
from lifecycle_model.commands import AnyCommand, Burst, Json
from lifecycle_model.wire import BurstResult, Description, Observation, Trace, Vector

_AS_BURSTS = tuple[tuple[AnyCommand, ...], ...]
NO_POLICIES: Mapping[str, Json] = {}


class Replayed:
    """A run that was just made; each method fails with the failure's eight lines."""

    def __init__(
        self,
        description: Description,
        bursts: Sequence[Burst],
        results: Sequence[BurstResult],
        policies: Mapping[str, Json],
    ) -> None:
        self.description = description
        self.results = tuple(results)
        self.policies = policies
        self.trace: Trace = recorded(bursts, results, description, policies=policies, engine="regression test")

    def allows(self, alternatives: Sequence[Mapping[str, Json]], clauses: str) -> None:
        """Fail unless what the last burst did is one of the alternatives; `clauses` are named, blanks between."""
        __tracebackhide__ = True  # what fails is the run, not this line
        allowed = [msgspec.convert(one, Alternative) for one in alternatives]
        if not any(self._is(one) for one in allowed):
            failure = of_alternatives(self.trace, len(self.trace.bursts) - 1, allowed, clauses.split())
            raise AssertionError("\n".join(lines(failure)))

    def keeps(self, clauses: str) -> None:
        """Fail if the run breaks one of these invariants (I clauses), blanks between."""
        __tracebackhide__ = True  # what fails is the run, not this line
        wanted = clauses.split()
        found = watch(self.trace.bursts, self.description.profile, self.policies)
        broken = [finding for finding in found if finding.clause in wanted]
        if broken:
            raise AssertionError("\n".join(lines(of_findings(self.trace, broken))))

    def fits(self, vector: Vector) -> None:
        """Fail unless the run is what the vector wrote; it was made of `bursts_of(vector)`."""
        __tracebackhide__ = True  # what fails is the run, not this line
        mismatches = check_vector(vector, self.results, self.description.profile)
        if mismatches:
            raise AssertionError("\n".join(lines(of_vector(self.trace, vector, mismatches))))

    def _is(self, allowed: Alternative) -> bool:
        did = self.trace.bursts[-1]
        profile, loose = self.description.profile, loose_gates(self.policies)
        mine, my_loose = split(self._projected(allowed.seen), loose)
        theirs, their_loose = split(self._projected(did.seen), loose)
        in_order = mine.keys() == theirs.keys() and all(
            len(mine[of]) == len(theirs[of]) and all(map(agree, mine[of], theirs[of])) for of in mine
        )
        answers = [project_answer(one, frozenset(profile.statuses)) for one in allowed.calls or did.calls]
        answered = len(answers) == len(did.calls) and all(map(answers_agree, answers, did.calls))
        return in_order and answered and same_multiset(my_loose, their_loose) == ([], [])

    def _projected(self, seen: Sequence[Observation]) -> list[Observation]:
        profile = self.description.profile
        shown = Projection(profile)
        # the status shown last before this burst decides what is a repeat in it
        for burst in self.trace.bursts[:-1]:
            shown.project(burst.seen)
        return shown.project(seen)


def replayed(
    system: str | System,
    bursts: Sequence[Sequence[Mapping[str, Json]]],
    policies: Mapping[str, Json] = NO_POLICIES,
    schedule: Sequence[int] = (),
) -> Replayed:
    """Run bursts, written as on the wire, on a system by name or one that is at hand, and keep what it did."""
    commands = msgspec.convert(bursts, _AS_BURSTS)
    return _run(system, commands, policies, schedule)


def played(system: str | System, vector: Vector | Mapping[str, Json]) -> tuple[Replayed, Vector]:
    """Run a vector, given as a value or as it is written in its file."""
    wanted = vector if isinstance(vector, Vector) else msgspec.convert(vector, Vector)
    return _run(system, bursts_of(wanted), wanted.policies), wanted


def _run(
    system: str | System, bursts: Sequence[Burst], policies: Mapping[str, Json], schedule: Sequence[int] = ()
) -> Replayed:
    opened = open_system(system) if isinstance(system, str) else system
    if not follow(opened, Schedule(schedule) if schedule else None) and schedule:
        raise UsageError(f"{system} cannot be given a schedule of tasks", hint="only systems in process can")
    try:
        description = opened.describe()
        opened.reset(policies)
        return Replayed(description, bursts, opened.run(bursts), policies)
    finally:
        if isinstance(system, str):
            opened.stop()
