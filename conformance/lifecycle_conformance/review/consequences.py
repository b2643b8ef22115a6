"""What follows from a change: parts added, removed, renamed and changed, carriers lost, properties that changed, the version.

Refuses to explore: it compares what both sides say of themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from lifecycle_conformance.review.behaviour import BREAKS, CHANGES, REFINES, SAME, WIDENS
from lifecycle_conformance.review.values import Answered, Catalog, RowShape


class Parts(msgspec.Struct, frozen=True):
    """Of one kind of part, by id."""

    kind: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]
    moved: tuple[str, ...]
    """The same at another place of the table."""
    changed: tuple[tuple[str, str], ...]
    """With what is different."""

    @property
    def any(self) -> bool:
        """Something is different."""
        return bool(self.added or self.removed or self.renamed or self.moved or self.changed)


def parts(base: Catalog, head: Catalog) -> tuple[Parts, ...]:
    """Rows, programs, clauses and properties, those that are different in something."""
    found = (
        _kind("rows", base.rows, head.rows, _row),
        _kind("programs", base.programs, head.programs, _steps),
        _kind("clauses", base.clauses, head.clauses, lambda old, new: f"{old} → {new}"),
        _kind("properties", base.properties, head.properties, lambda old, new: f"{' '.join(old)} → {' '.join(new)}"),
    )
    return tuple(one for one in found if one.any)


def _kind(kind: str, base: Mapping[str, Any], head: Mapping[str, Any], told: Any) -> Parts:
    added = [name for name in head if name not in base]
    removed = [name for name in base if name not in head]
    renamed: list[tuple[str, str]] = []
    for old in list(removed):
        same = [new for new in added if head[new] == base[old]]
        if len(same) == 1:
            renamed.append((old, same[0]))
            removed.remove(old)
            added.remove(same[0])
    shared = [name for name in base if name in head]
    changed = tuple((name, told(base[name], head[name])) for name in shared if base[name] != head[name])
    return Parts(kind, tuple(added), tuple(removed), tuple(renamed), _moved(shared, head), changed)


def _moved(shared: Sequence[str], head: Iterable[str]) -> tuple[str, ...]:
    """The fewest names whose move explains the new order: those outside a longest common order."""
    place = {name: at for at, name in enumerate(head)}
    best: list[tuple[int, int]] = []
    for name in shared:
        longest = max(
            ((length, prior) for prior, (length, _) in enumerate(best) if place[shared[prior]] < place[name]),
            default=(0, -1),
        )
        best.append((longest[0] + 1, longest[1]))
    if not best:
        return ()
    at = max(range(len(best)), key=lambda one: best[one][0])
    kept: set[int] = set()
    while at >= 0:
        kept.add(at)
        at = best[at][1]
    return tuple(name for at, name in enumerate(shared) if at not in kept)


def _row(old: RowShape, new: RowShape) -> str:
    told = []
    for member in RowShape.__struct_fields__:
        before, after = getattr(old, member), getattr(new, member)
        if before != after:
            told.append("what its functions do" if member == "code" else f"{member} {_text(before)} → {_text(after)}")
    return "; ".join(told)


def _text(value: object) -> str:
    return (" ".join(value) if isinstance(value, tuple) else str(value)) or "none"


def _steps(old: tuple[str, ...], new: tuple[str, ...]) -> str:
    return f"{', '.join(old)} → {', '.join(new)}"


def lost(base: Catalog, head: Catalog) -> tuple[str, ...]:
    """Clauses that something carried in base, are still clauses of head, and have no carrier there."""
    return tuple(clause for clause in head.clauses if base.carriers.get(clause) and not head.carriers.get(clause))


def answers(base: Sequence[Answered], head: Sequence[Answered]) -> tuple[str, ...]:
    """Every property that changed its answer, one line each."""
    lines: list[str] = []
    before, after = {one.scope: one for one in base}, {one.scope: one for one in head}
    for scope in before.keys() & after.keys():
        old, new = before[scope], after[scope]
        lines += [
            f"invariant {name} is broken in {scope}: {new.violated[name]}"
            for name in new.violated
            if name not in old.violated
        ]
        lines += [f"invariant {name} holds again in {scope}" for name in old.violated if name not in new.violated]
        judged = set(old.judged) & set(new.judged)
        if set(old.judged) - judged:
            lines.append(
                f"liveness is no longer judged in {scope}: head has too many configurations, or cannot be explored"
            )
        lines += [f"liveness {name} fails in {scope}" for name in new.stuck if name in judged and name not in old.stuck]
        lines += [
            f"liveness {name} holds again in {scope}" for name in old.stuck if name in judged and name not in new.stuck
        ]
    seen = {name for one in base for name in one.witnessed}
    now = {name for one in head for name in one.witnessed}
    lines += [f"{name} can no longer happen in the scopes explored" for name in seen - now]
    lines += [f"{name} can now happen in the scopes explored" for name in now - seen]
    return tuple(sorted(lines))


RAISES = {
    BREAKS: ("major", "the model no longer keeps its own properties, or a clause lost its carrier"),
    CHANGES: ("major", "a system that conformed may not conform any more"),
    REFINES: ("major", "head forbids something that base allowed, so a system that conformed may not conform any more"),
    WIDENS: ("minor", "every system that conformed still does; more is allowed"),
}


def version(verdict: str, different: Sequence[Parts]) -> tuple[str, str]:
    """Which part of the contract's version must be raised (or none), and why."""
    if verdict != SAME:
        return RAISES[verdict]
    ids = [one for one in different if one.kind == "clauses" and (one.added or one.removed or one.renamed)]
    if ids:
        return "minor", "no behaviour is different, but clause ids that reports refer to are"
    if different:
        return "patch", "no behaviour is different; the table is"
    return "none", "nothing is different"
