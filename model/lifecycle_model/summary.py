"""An exploration as text: sizes, what was proved, what fails with its shortest run, what was left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lifecycle_model.explore import counterexample, unreached
from lifecycle_model.explorer import Exploration
from lifecycle_model.replay import text_of


def size_of(found: Exploration) -> str:
    """One line of numbers."""
    space = found.space
    parts = [
        f"{len(space.order):,} configurations",
        f"{space.transitions:,} transitions",
        f"depth {space.depth}",
        f"{found.rows.bit_count()} rows",
        f"{len(space.cells.known):,} local views",
        f"{space.cells.evaluated:,} segments performed",
    ]
    if space.cells.cut:
        parts.append(f"{space.cells.cut:,} left out by the scope's limits")
    return ", ".join(parts)


def verdicts(found: Exploration) -> list[str]:
    """What holds and what does not, by kind of property."""
    wanted = found.properties
    bad = [one.id for one in wanted.safety if one.id in found.violations]
    stuck = [one.id for one in wanted.liveness if one.id in found.lassos]
    lines: list[str] = []
    whole = found.space.complete and not found.space.cells.cut_short
    if wanted.safety:
        good = len(wanted.safety) - len(bad)
        lines.append(f"invariants: {good} hold" + (f", violated: {', '.join(bad)}" if bad else ""))
    if wanted.liveness:
        judged = len(found.judged) - len(stuck)
        said = f"{judged} hold" if found.judged else "not judged here"
        lines.append(f"liveness: {said}" + (f", violated: {', '.join(stuck)}" if stuck else ""))
    if wanted.reachable:
        lines.append(f"reachable: {len(found.witnesses)} of {len(wanted.reachable)} witnessed")
    if not whole:
        lines.append("not everything was visited: what holds here is not proved")
    return lines


def failures(found: Exploration) -> list[str]:
    """Each violation with its shortest run; for liveness with the part that repeats."""
    lines: list[str] = []
    for one in (*found.violations.values(), *found.lassos.values()):
        before, cycle = counterexample(found, one.id)
        lines += [f"{one.id} is violated: {one.text}", text_of(before)]
        if one.id in found.lassos:
            lines.append("     for ever:" if cycle else "     and nothing happens any more")
            lines += [text_of(cycle)] if cycle else []
    return lines


def witness(found: Exploration, name: str) -> str:
    """The shortest run that shows a reachable property, or takes a row."""
    return text_of(counterexample(found, name)[0])


def summary(found: Exploration) -> str:
    """Everything about one exploration, in a few lines."""
    scope = found.scope
    title = f"{scope.name} v{scope.version} ({found.space.reading}): {scope.about}"
    return "\n".join([title, size_of(found), *verdicts(found), *failures(found)])


def summary_of(every: Sequence[Exploration]) -> str:
    """Several explorations, and the reachable properties that none of them reached."""
    lines = [summary(one) for one in every]
    left = unreached(every)
    if left:
        lines.append(f"reached nowhere: {', '.join(left)}")
    return "\n\n".join(lines)


def ok(every: Iterable[Exploration]) -> bool:
    """Nothing is violated and everything was visited."""
    return all(
        not one.violations and not one.lassos and one.space.complete and not one.space.cells.cut_short for one in every
    )
