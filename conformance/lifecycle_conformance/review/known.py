"""What systems that are known do in the runs where base and head part: whom the change would forbid, which mutants it would let live.

A look at the witnesses only, at most one a cause. Refuses to judge a system as a whole: `lifecycle check` does.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from lifecycle_conformance.mutants.zoo import ZOO
from lifecycle_conformance.review import picture
from lifecycle_conformance.review.behaviour import subjects
from lifecycle_conformance.review.causes import Allowed, Cause, Witness
from lifecycle_conformance.review.values import Plain
from lifecycle_conformance.systems.adapter import AdapterError, Run, System, run_all
from lifecycle_conformance.systems.load import open_system
from lifecycle_conformance.systems.stdio_client import StdioSystem
from lifecycle_model.wire import ANY, BurstResult

RUNS = 12
"""Witnesses looked at."""
MUTANTS = 40
"""Mutants started at most: of those about a clause that is involved."""


class Known(msgspec.Struct, frozen=True):
    """A system, and in how many witnesses it did what only base allows, what only head allows, what both do, or neither."""

    system: str
    base: int
    head: int
    both: int
    neither: int
    mutant: bool = False

    @property
    def told(self) -> str:
        """In words."""
        runs = self.base + self.head + self.both + self.neither
        if self.mutant:
            return f"mutant {self.system} would survive where base finds it: it does what only head allows"
        if self.base and not self.head:
            return (
                f"{self.system} does what only base allows in {self.base} of {runs} runs: it would not conform to head"
            )
        if self.head and not self.base:
            return f"{self.system} does what only head allows in {self.head} of {runs} runs: it did not conform to base"
        if self.base or self.head:
            return f"{self.system} does what only base allows in {self.base} and what only head allows in {self.head} of {runs} runs"
        other = f", and what neither allows in {self.neither}" if self.neither else ""
        return f"{self.system} does what both allow in {self.both} of {runs} runs{other}"


def known(causes: Sequence[Cause], mutants: bool = False) -> tuple[Known, ...]:
    """What the reference runtime does in the witnesses, and, if asked, which mutants about their clauses do as head allows."""
    runs = [cause.witnesses[0] for cause in causes if not cause.witnesses[0].failed and not cause.witnesses[0].parted]
    runs = runs[:RUNS]
    if not runs:
        return ()
    system = open_system("reference")
    found = [_known("reference", system, runs)]
    system.stop()
    if mutants:
        found += [one for one in _mutants(runs, causes) if one.head and not one.base and not one.neither]
    return tuple(found)


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
    asked = [Run(picture.commands(one), dict(one.policies)) for one in runs]
    for witness, outcome in zip(runs, run_all(system, asked), strict=True):
        if isinstance(outcome, AdapterError):
            counts["neither"] += 1
            continue
        base, head = (any(_shows(one, outcome[-1]) for one in side) for side in (witness.base, witness.head))
        counts["both" if base and head else "base" if base else "head" if head else "neither"] += 1
    return Known(name, counts["base"], counts["head"], counts["both"], counts["neither"])


def _shows(allowed: Allowed, result: BurstResult) -> bool:
    """Tell whether a system's result is this one; what any value may stand for is not compared."""
    seen: tuple[Plain, ...] = tuple(msgspec.to_builtins(one) for one in result.seen)
    calls: tuple[Mapping[str, object], ...] = tuple(msgspec.to_builtins(one) for one in result.calls)
    return subjects(seen) == subjects(allowed.seen) and all(
        mine.keys() == theirs.keys() and all(value in (ANY, theirs[name]) for name, value in mine.items())
        for mine, theirs in zip(allowed.calls, calls, strict=True)
    )
