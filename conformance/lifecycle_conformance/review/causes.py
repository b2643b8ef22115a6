"""Differences by cause: what in the two models makes each, the most surprising first. Refuses to compare models.

A cause is the rows and programs that changed and were taken in the run; where none was, the rows at which the two parted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from lifecycle_conformance.review.behaviour import allowed, first_apart, joined
from lifecycle_conformance.review.product import Difference
from lifecycle_conformance.review.values import Catalog, Performed, Plain, Result

MOST = 3
"""Witnesses of one cause at most."""
MANY = 3
"""Changed rows taken in one burst; where there are more, those at which the sides part say more."""
GRAVE = ("turn/end", "turn/start", "settled", "agent/disposed", "session/disposed", "agent/status", "abort")
"""What a reader would not expect to change, the gravest first."""


class Allowed(msgspec.Struct, frozen=True):
    """One thing a side allows: answers and observations."""

    calls: tuple[Plain, ...]
    seen: tuple[Plain, ...]


class Witness(msgspec.Struct, frozen=True):
    """A shortest run that shows a difference. Bursts end with the one in which base and head part."""

    scope: str
    label: str
    relation: str
    bursts: tuple[tuple[Plain, ...], ...]
    policies: dict[str, object]
    past: tuple[Allowed, ...]
    """What both did before the last burst."""
    base: tuple[Allowed, ...]
    head: tuple[Allowed, ...]
    clauses: tuple[str, ...]
    failed: str = ""
    """Which side gives up here, and how."""
    parted: bool = False


class Cause(msgspec.Struct, frozen=True):
    """What makes some of the differences: the changed rows and programs, their clauses, witnesses, how many runs."""

    about: tuple[str, ...]
    clauses: tuple[str, ...]
    relation: str
    runs: int
    witnesses: tuple[Witness, ...]


def changed_rows(base: Catalog, head: Catalog) -> tuple[str, ...]:
    """Rows added, removed or different in anything but their clauses, and those of a program whose steps changed."""
    programs = {
        name
        for name in base.programs.keys() | head.programs.keys()
        if base.programs.get(name) != head.programs.get(name)
    }
    found: list[str] = []
    for name in (*base.rows, *(one for one in head.rows if one not in base.rows)):
        old, new = base.rows.get(name), head.rows.get(name)
        if old is None or new is None or not same_row(old, new) or old.step.rpartition(".")[0] in programs:
            found.append(name)
    return tuple(found)


def same_row(old: object, new: object) -> bool:
    """Tell whether two rows do the same: their functions' names and clauses aside."""
    said = {"clauses": (), "guard": "", "effect": "", "says": ()}
    return bool(msgspec.structs.replace(old, **said) == msgspec.structs.replace(new, **said))  # type: ignore[type-var]  # structs


def cause_of(difference: Difference, changed: frozenset[str]) -> tuple[str, ...]:
    """The changed rows taken in the last burst; else on the way to it; else the rows at which the sides part."""
    taken = _taken(difference.base) | _taken(difference.head)
    here = taken & changed
    parting = tuple(row for row in _parting(difference) if row)
    if here & set(parting):
        return tuple(sorted(here & set(parting)))
    if len(here) > MANY and parting:
        return tuple(dict.fromkeys(parting))
    before = {row for one in difference.at.past for row in one.rows}
    return tuple(sorted(here or before)) or tuple(dict.fromkeys(parting))


def _parting(difference: Difference) -> tuple[str, str]:
    """The rows that say what is first seen on one side only."""
    mine, theirs = _own(difference)
    if mine is None or theirs is None:
        return "", ""
    at, other = first_apart(mine.seen, theirs.seen)
    return _said(mine, at), _said(theirs, other)


def _taken(performed: Performed) -> set[str]:
    return {row for one in performed.results for row in one.rows}


def _said(result: Result, at: int) -> str:
    return result.said[at] if 0 <= at < len(result.said) else ""


def _own(difference: Difference) -> tuple[Result | None, Result | None]:
    """A result that only base allows and one that only head allows; the first where there is none of its own."""
    before, after = allowed(difference.base), allowed(difference.head)
    mine = next((one[0] for name, one in before.items() if name not in after and one), None)
    theirs = next((one[0] for name, one in after.items() if name not in before and one), None)
    return mine or _first(difference.base), theirs or _first(difference.head)


def _first(performed: Performed) -> Result | None:
    return performed.results[0] if performed.results else None


def surprise(difference: Difference) -> tuple[int, int, int, int, str]:
    """What sorts the most surprising first: nothing differed before, what parts is grave, the run is short, nobody listens."""
    mine, theirs = _own(difference)
    events: list[str] = []
    if mine is not None and theirs is not None:
        at, other = first_apart(mine.seen, theirs.seen)
        events = [one.seen[place]["event"] for one, place in ((mine, at), (theirs, other)) if place >= 0]
    grave = min((GRAVE.index(one) if one in GRAVE else len(GRAVE) for one in events), default=0)
    return difference.at.parted, difference.base.reacts, difference.size, grave, difference.label


def clauses_of(difference: Difference, base: Catalog, head: Catalog, cause: Sequence[str]) -> tuple[str, ...]:
    """The clauses of the rows that say what differs; else those of the cause."""
    return _clauses((*cause, *_parting(difference)), base, head)


def _clauses(rows: Iterable[str], base: Catalog, head: Catalog) -> tuple[str, ...]:
    shapes = (side.rows[row] for row in rows for side in (base, head) if row in side.rows)
    return tuple(dict.fromkeys(clause for shape in shapes for clause in shape.clauses))


def grouped(
    differences: Sequence[Difference], base: Catalog, head: Catalog, changed: Sequence[str]
) -> list[tuple[tuple[str, ...], list[Difference]]]:
    """By cause, each with its differences, the most surprising first; a cause that other differences mask comes last."""
    wanted = frozenset(changed)
    found: dict[tuple[str, ...], list[Difference]] = {}
    for one in differences:
        found.setdefault(cause_of(one, wanted), []).append(one)
    for each in found.values():
        each.sort(key=surprise)
    return sorted(found.items(), key=lambda item: surprise(item[1][0]))


def verdict_of(differences: Iterable[Difference]) -> str:
    """The verdict over differences of runs that were alike until then."""
    return joined(one.relation for one in differences if not one.at.parted)
