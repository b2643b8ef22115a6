"""Explorations of scopes, in this process or several, and what they found in words: counts, violations, coverage."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from dataclasses import dataclass

from lifecycle_conformance.contracts import contract_named
from lifecycle_conformance.workers import workers
from lifecycle_model.coverage import coverage
from lifecycle_model.estimate import estimate
from lifecycle_model.explore import counterexample, explore
from lifecycle_model.explorer import Exploration, Progress
from lifecycle_model.properties import Properties
from lifecycle_model.replay import text_of
from lifecycle_model.scope import Scope
from lifecycle_model.stated import chosen, properties_of, rows_of
from lifecycle_model.table import Contract, Row

_FACTS = ("rows taken:", "unreachable:", "constant:", "clauses that nothing")
"""Lines of a coverage that tell, but accuse of nothing."""
Say = Callable[[str], None]


@dataclass(frozen=True)
class Explored:
    """What the exploration of one scope found, as plain values."""

    scope: str
    text: str
    """A few lines for people; a violation with its shortest run."""
    facts: dict[str, object]
    """The same for every run."""
    rows: int
    """Bits of the rows taken."""
    guards: int
    """Two bits a row: its guard was seen true, seen false."""
    broken: tuple[str, ...]
    reached: frozenset[str]
    whole: bool
    """Everything was visited, and the scope's limits cut off nothing that the system does by itself."""
    configurations: int
    seconds: float
    memory: int
    """The most the process has used, in megabytes."""


def run(contract: Contract, scope: Scope, wanted: str | None, say: Say) -> Explored:
    """Explore one scope; `say` hears how far it is."""
    properties = properties_of(contract)
    if wanted is not None:
        properties = properties.only(wanted)

    def progress(now: Progress) -> None:
        say(
            f"{scope.name}: {now.configurations:,} configurations, {now.waiting:,} of them to expand, depth {now.depth}"
        )

    began = time.perf_counter()
    found = explore(contract, scope, properties, progress)
    seconds = time.perf_counter() - began
    return Explored(
        scope.name,
        told(found),
        facts(found),
        found.rows,
        found.guards,
        (*found.violations, *found.lassos),
        frozenset(found.witnesses),
        found.space.complete and not found.space.cells.cut_short,
        len(found.space.order),
        seconds,
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    )


def run_all(contract: Contract, scopes: Sequence[Scope], wanted: str | None, jobs: int, say: Say) -> Iterator[Explored]:
    """Explore several scopes, in so many processes; each is given as soon as those before it are."""
    sizes = {scope.name: estimate(contract, scope) for scope in scopes} if len(scopes) > 1 else {}
    if sizes:
        segments = sum(one.segments for one in sizes.values())
        say(f"{len(scopes)} scopes, about {segments:,} segments to perform, {jobs} at a time")
    if jobs < 2 or len(scopes) < 2:
        for scope in scopes:
            yield run(contract, scope, wanted, say)
        return
    with workers(jobs) as pool:
        longest = sorted(scopes, key=lambda scope: -sizes[scope.name].segments)
        running: dict[Future[Explored], str] = {
            pool.submit(_one, contract.name, scope.name, wanted): scope.name for scope in longest
        }
        done: dict[str, Explored] = {}
        waiting = [scope.name for scope in scopes]
        for count, future in enumerate(as_completed(running), start=1):
            done[running[future]] = future.result()
            say(f"{count} of {len(scopes)} scopes: {running[future]}")
            while waiting and waiting[0] in done:
                yield done[waiting.pop(0)]


def _one(contract: str, scope: str, wanted: str | None) -> Explored:
    """One scope in a process of its own."""
    return run(contract_named(contract), chosen(scope, contract)[0], wanted, lambda text: None)


def facts(found: Exploration) -> dict[str, object]:
    """Plain values, the same for every run."""
    space = found.space
    return {
        "scope": found.scope.name,
        "configurations": len(space.order),
        "transitions": space.transitions,
        "depth": space.depth,
        "rows": [row.id for position, row in enumerate(space.contract.rows) if found.rows >> position & 1],
        "violations": sorted(found.violations),
        "lassos": sorted(found.lassos),
        "witnesses": sorted(found.witnesses),
        "liveness_judged": sorted(found.judged),
    }


def told(found: Exploration) -> str:
    """One scope in a few lines; a violation with its shortest run."""
    space = found.space
    lines = [
        f"{found.scope.name}: {found.scope.about}",
        f"  {len(space.order):,} configurations, {space.transitions:,} transitions, depth {space.depth}, "
        f"{found.rows.bit_count()} rows, {len(found.properties.safety)} invariants, "
        f"{len(found.witnesses)} of {len(found.properties.reachable)} reachable, "
        f"{len(found.judged) - len(found.lassos)} of {len(found.judged)} liveness hold",
    ]
    for name in (*found.violations, *found.lassos):
        stem, cycle = counterexample(found, name)
        lines.append(f"  VIOLATED {name}")
        lines += [f"    {line}" for line in text_of(stem).splitlines()]
        if cycle:
            lines.append("    then again and again:")
            lines += [f"    {line}" for line in text_of(cycle).splitlines()]
    return "\n".join(lines)


def verdict(results: Sequence[Explored], contract: Contract, whole: bool) -> tuple[list[str], int]:
    """What is wrong over all scopes: violations, and for a whole set what was never reached or taken."""
    lines = [f"{one.scope}: {name} is violated" for one in results for name in one.broken]
    lines += [
        f"{one.scope}: its limits cut off what the system does, so nothing is proved"
        for one in results
        if not one.whole
    ]
    if whole:
        reached = frozenset[str]().union(*(one.reached for one in results))
        wanted: Properties = properties_of(contract)
        lines += [f"never reached: {one.id}" for one in wanted.reachable if one.id not in reached]
        lines += uncovered(results, contract)
    return lines, 1 if lines else 0


def uncovered(results: Sequence[Explored], contract: Contract) -> list[str]:
    """What a whole set left out: of contract 1 everything coverage counts, of a variant the rows its scopes must take."""
    if contract.name != "1":
        taken = _taken(results, contract)
        lines = [
            f"row never taken: {row.id}" for row in rows_of(contract) if row.id not in taken and not row.unreachable
        ]
        return lines + [
            f"row taken although called unreachable: {row.id}" for row in _unreachable(contract) if row.id in taken
        ]
    merged = coverage(contract, results, properties_of(contract))
    if merged.complete:
        return []
    return [line for line in merged.text().splitlines() if not line.startswith(_FACTS)]


def excused(results: Sequence[Explored], contract: Contract) -> list[str]:
    """What a whole set left out for a reason that the exploration bears out."""
    if contract.name != "1":
        return [f"unreachable: {row.id} because {row.unreachable}" for row in _unreachable(contract)]
    merged = coverage(contract, results, properties_of(contract))
    return [line for line in merged.text().splitlines() if line.startswith(("unreachable:", "constant:"))]


def _taken(results: Sequence[Explored], contract: Contract) -> set[str]:
    rows = 0
    for one in results:
        rows |= one.rows
    return {row.id for position, row in enumerate(contract.rows) if rows >> position & 1}


def _unreachable(contract: Contract) -> list[Row]:
    return [row for row in rows_of(contract) if row.unreachable]
