"""The scopes a review compares two models in: those of the suites. Refuses what only one side knows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from lifecycle_conformance.review.values import Catalog
from lifecycle_conformance.scopes import SuiteScope, of
from lifecycle_conformance.systems.errors import UsageError
from lifecycle_conformance.words import verb

SETS = {
    "small": ("core", "contexts", "tools", "keep", "creation"),
    "standard": (),
}
"""Named sets; an empty one is every scope."""


def chosen(names: str, base: Catalog, head: Catalog) -> tuple[SuiteScope, ...]:
    """The scopes of a set, or those named with commas, with only what both sides know; UsageError for an unknown name."""
    known = {one.name: one for side in (head, base) for one in of(side.name)}
    wanted = SETS[names] or tuple(known) if names in SETS else tuple(names.split(","))
    missing = [name for name in wanted if name not in known]
    if missing and names not in SETS:
        raise UsageError(
            f"no scope {missing[0]!r} to compare in",
            hint=f"known: {', '.join(known)}; and the sets {', '.join(SETS)}",
        )
    return tuple(_common(known[name], base, head) for name in wanted if name in known)


def _common(scope: SuiteScope, base: Catalog, head: Catalog) -> SuiteScope:
    """The scope without words and gates that one of the two contracts lacks."""
    verbs = {"release", "read", "hold", "tick"} | set(base.verbs) & set(head.verbs)
    words = tuple(word for word in scope.words if verb(word) in verbs)
    gates = {
        kind: tuple(one for one in outcomes if _knows(base, kind, one) and _knows(head, kind, one))
        for kind, outcomes in scope.gates.items()
    }
    reactions = tuple(act for act in scope.reactions if act.startswith("throw") or verb((act,)) in verbs)
    return replace(
        scope, words=words, gates={kind: those for kind, those in gates.items() if those}, reactions=reactions
    )


def _knows(side: Catalog, kind: str, outcome: str) -> bool:
    plain = (
        outcome.partition("_")[0].rstrip("0123456789") if outcome.startswith(("tools", "ok_", "continue_")) else outcome
    )
    return plain in side.gates.get(kind, ())


def names_of(scopes: Iterable[SuiteScope]) -> str:
    """Their names, for people."""
    return ", ".join(one.name for one in scopes)
