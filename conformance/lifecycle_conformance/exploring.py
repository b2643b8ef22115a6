"""What an exploration found, in words: counts, violations with their shortest runs, witnesses, coverage of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lifecycle_model.coverage import coverage
from lifecycle_model.explore import counterexample, explore, unreached
from lifecycle_model.explorer import Exploration, Progress
from lifecycle_model.properties import Properties
from lifecycle_model.replay import text_of
from lifecycle_model.scope import Scope
from lifecycle_model.stated import properties_of, rows_of
from lifecycle_model.table import Contract

_FACTS = ("rows taken:", "unreachable:", "clauses that nothing")
"""Lines of a coverage that tell, but accuse of nothing."""


@dataclass(frozen=True)
class Explored:
    """One scope's exploration with the counts people ask for."""

    found: Exploration
    rows: tuple[str, ...]

    @property
    def size(self) -> int:
        """Distinct configurations."""
        return len(self.found.space.order)

    def facts(self) -> dict[str, object]:
        """Plain values, the same for every run."""
        space = self.found.space
        return {
            "scope": self.found.scope.name,
            "configurations": self.size,
            "transitions": space.transitions,
            "depth": space.depth,
            "rows": list(self.rows),
            "violations": sorted(self.found.violations),
            "lassos": sorted(self.found.lassos),
            "witnesses": sorted(self.found.witnesses),
            "liveness_judged": sorted(self.found.judged),
        }


def run(contract: Contract, scope: Scope, wanted: str | None, say: Callable[[str], None]) -> Explored:
    """Explore one scope; `say` hears how far it is."""
    properties = properties_of(contract)
    if wanted is not None:
        properties = Properties(
            tuple(one for one in properties.safety if one.id == wanted),
            tuple(one for one in properties.reachable if one.id == wanted),
            tuple(one for one in properties.liveness if one.id == wanted),
        )

    def progress(now: Progress) -> None:
        say(f"{scope.name}: {now}")

    found = explore(contract, scope, properties, progress)
    rows = tuple(row.id for position, row in enumerate(contract.rows) if found.rows >> position & 1)
    return Explored(found, rows)


def told(explored: Explored) -> str:
    """One scope in a few lines; a violation with its shortest run."""
    found = explored.found
    space = found.space
    lines = [
        f"{found.scope.name}: {found.scope.about}",
        f"  {explored.size:,} configurations, {space.transitions:,} transitions, depth {space.depth}, "
        f"{len(explored.rows)} rows, {len(found.properties.safety)} invariants, "
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
    lines: list[str] = []
    for explored in results:
        name = explored.found.scope.name
        lines += [f"{name}: {one} is violated" for one in (*explored.found.violations, *explored.found.lassos)]
    if whole:
        lines += [f"never reached: {name}" for name in unreached(one.found for one in results)]
        lines += uncovered(results, contract)
    return lines, 1 if lines else 0


def uncovered(results: Sequence[Explored], contract: Contract) -> list[str]:
    """What a whole set left out: of contract 1 everything coverage counts, of a variant the rows its scopes must take."""
    if contract.name != "1":
        taken = {row for explored in results for row in explored.rows}
        return [f"row never taken: {row.id}" for row in rows_of(contract) if row.id not in taken]
    merged = coverage(contract, [one.found for one in results], properties_of(contract))
    if merged.complete:
        return []
    return [line for line in merged.text().splitlines() if not line.startswith(_FACTS)]
