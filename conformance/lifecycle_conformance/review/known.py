"""What systems that are known do in the runs where base and head part: whom the change would forbid, which mutants it would let live.

A look at the witnesses only: those a system's profile reaches, compared in what that profile shows. Refuses to judge a
system as a whole, which `lifecycle check` does, and to install one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import TypeVar

import msgspec

from lifecycle_conformance.compare import Projection, agree, answers_agree, project_answer, same_multiset, split
from lifecycle_conformance.mutants.zoo import ZOO
from lifecycle_conformance.review import picture
from lifecycle_conformance.review.causes import Allowed, Cause, Witness
from lifecycle_conformance.systems.adapter import AdapterError, Run, System, run_all
from lifecycle_conformance.systems.errors import SystemsError
from lifecycle_conformance.systems.load import open_system
from lifecycle_conformance.systems.stdio_client import StdioSystem
from lifecycle_conformance.vectors.reach import out_of_reach
from lifecycle_model.wire import BurstResult, Observation, Profile, Vector, VectorBurst

T = TypeVar("T")
RUNS = 24
"""Witnesses looked at: the first of every cause, then the second ones, and so on."""
MUTANTS = 40
"""Mutants started at most: of those about a clause that is involved."""
SYSTEMS = (
    ("reference", "reference", "1"),
    ("stepped", "python:lifecycle_conformance.systems.stepped:make", "1"),
    ("dsh", "dsh", "latch"),
)
"""A name, what opens it, and the contract it is about."""


class Known(msgspec.Struct, frozen=True):
    """A system, and in how many witnesses it did what only base allows, what only head allows, what both do, or neither."""

    system: str
    base: int
    head: int
    both: int
    neither: int
    mutant: bool = False
    beyond: int = 0
    """Witnesses that its profile does not reach."""
    absent: str = ""
    """Why it was not run at all."""

    @property
    def told(self) -> str:
        """In words."""
        if self.absent:
            return f"{self.system} was not run: {self.absent}"
        runs = self.base + self.head + self.both + self.neither
        if self.mutant:
            return f"mutant {self.system} (a runtime with one fault) would survive where base finds it: it does what only head allows"
        if not runs:
            return f"{self.system} was not run: none of the {self.beyond} runs can be asked of it"
        rest = f"; {self.beyond} more cannot be asked of it" if self.beyond else ""
        return f"{self.system} {self._does(runs)}{rest}"

    def _does(self, runs: int) -> str:
        other = f", and what neither allows in {self.neither}" if self.neither else ""
        if self.base and not self.head:
            return f"does what only base allows in {self.base} of {runs} runs{other}: it would not conform to head"
        if self.head and not self.base:
            return f"does what only head allows in {self.head} of {runs} runs{other}: it did not conform to base"
        if self.base or self.head:
            return f"does what only base allows in {self.base} and what only head allows in {self.head} of {runs} runs{other}"
        if self.both:
            return f"does what both allow in {self.both} of {runs} runs{other}"
        return f"does what neither allows in {self.neither} of {runs} runs"


def known(causes: Sequence[Cause], contracts: Collection[str] = ("1",), mutants: bool = False) -> tuple[Known, ...]:
    """What the systems about these contracts do in the witnesses, and, if asked, which mutants do there as head allows."""
    rounds = zip_longest(*(cause.witnesses for cause in causes))
    runs = [one for each in rounds for one in each if one is not None and not one.failed and not one.parted][:RUNS]
    if not runs:
        return ()
    found = [_opened(name, spec, runs) for name, spec, contract in SYSTEMS if contract in contracts]
    if mutants and "1" in contracts:
        found += [one for one in _mutants(runs, causes) if one.head and not one.base and not one.neither]
    return tuple(found)


def _opened(name: str, spec: str, runs: Sequence[Witness]) -> Known:
    try:
        system = open_system(spec)
    except SystemsError as error:
        return Known(name, 0, 0, 0, 0, absent=str(error))
    try:
        return _known(name, system, runs)
    finally:
        system.stop()


def _mutants(runs: Sequence[Witness], causes: Iterable[Cause]) -> Iterator[Known]:
    clauses = {clause for cause in causes for clause in cause.clauses}
    about = [one for one in ZOO if not one.equivalent and clauses & set(one.group)]
    for one in about[:MUTANTS]:
        system = StdioSystem([sys.executable, "-m", "lifecycle_conformance.mutants.serve", one.id])
        try:
            yield msgspec.structs.replace(_known(one.id, system, runs), mutant=True)
        finally:
            system.stop()


def _known(name: str, system: System, runs: Sequence[Witness]) -> Known:
    counts = {"base": 0, "head": 0, "both": 0, "neither": 0}
    profile = system.describe().profile
    within = [one for one in runs if not out_of_reach(_vector(one, profile), profile)]
    asked = [Run(picture.commands(one), dict(one.policies)) for one in within]
    for witness, outcome in zip(within, run_all(system, asked), strict=True):
        if isinstance(outcome, AdapterError):
            counts["neither"] += 1
            continue
        base, head = (
            any(_shows(witness, one, outcome[-1], profile) for one in side) for side in (witness.base, witness.head)
        )
        counts["both" if base and head else "base" if base else "head" if head else "neither"] += 1
    told = counts["base"], counts["head"], counts["both"], counts["neither"]
    return Known(name, *told, beyond=len(runs) - len(within))


def _vector(witness: Witness, profile: Profile) -> Vector:
    """The run as a scenario that expects nothing, to be told whether it can be asked; of whichever contract."""
    bursts = tuple(VectorBurst(made) for made in picture.commands(witness))
    return Vector("", "", (), bursts, policies=dict(witness.policies), contract=profile.contract)


def _shows(witness: Witness, allowed: Allowed, result: BurstResult, profile: Profile) -> bool:
    """Tell whether a system's last result is this one, as far as its profile shows it."""
    projection = Projection(profile)
    for before in witness.past:
        projection.project(picture.observations_of(before.seen))
    statuses = frozenset(profile.statuses)
    calls = [project_answer(one, statuses) for one in picture.answers(allowed.calls)]
    expected, seen = (_apart(some) for some in (projection.project(picture.observations_of(allowed.seen)), result.seen))
    return (
        _all_agree(calls, result.calls, answers_agree)
        and expected[0].keys() == seen[0].keys()
        and all(_all_agree(some, seen[0][name], agree) for name, some in expected[0].items())
        and same_multiset(expected[1], seen[1]) == ([], [])
    )


def _apart(seen: Iterable[Observation]) -> tuple[dict[str, list[Observation]], list[Observation]]:
    return split((one for one in seen if one.event != "output"), frozenset({"output"}))


def _all_agree(some: Sequence[T], others: Sequence[T], agreeing: Callable[[T, T], bool]) -> bool:
    return len(some) == len(others) and all(agreeing(*pair) for pair in zip(some, others, strict=True))
