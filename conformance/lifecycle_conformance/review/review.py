"""A whole review: both sides compared in scopes, in the vectors, and in what they say of themselves. Refuses to print it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from lifecycle_conformance.review.behaviour import BREAKS, SAME, allowed, joined
from lifecycle_conformance.review.causes import (
    MOST,
    Allowed,
    Cause,
    Witness,
    changed_rows,
    clauses_of,
    grouped,
    verdict_of,
)
from lifecycle_conformance.review.consequences import Parts, answers, lost, parts, version
from lifecycle_conformance.review.product import Difference, both, compare
from lifecycle_conformance.review.scenarios import Expectation, compare_vectors
from lifecycle_conformance.review.scopes import chosen
from lifecycle_conformance.review.side import Side
from lifecycle_conformance.review.values import Catalog, Performed, Plain, Result
from lifecycle_conformance.vectors import load_vectors

PROPERTIES = ("tools", "keep-inbox", "birth-reactions", "rebirth")
"""The explorations that answer for the properties: the fastest of the small set."""
CAUSES = 40
"""Causes told in full at most."""
Say = Callable[[str], None]


class Visited(msgspec.Struct, frozen=True):
    """How much was compared in one scope."""

    scope: str
    nodes: int
    runs: int
    different: int
    cut: bool


class Review(msgspec.Struct, frozen=True):
    """Everything a review found."""

    base: str
    head: str
    verdict: str
    behaviour: str
    """The verdict on behaviour alone."""
    version: str
    why: str
    causes: tuple[Cause, ...]
    more_causes: int
    broken: tuple[str, ...]
    """Properties that changed their answer, and clauses that lost their carrier."""
    parts: tuple[Parts, ...]
    expectations: tuple[Expectation, ...]
    visited: tuple[Visited, ...]
    contract: str = "1"
    pictures: tuple[tuple[str, str], ...] = ()
    """Before and after on one picture, as Mermaid, by view."""


def same(base: str, head: str) -> Review:
    """The review of a change that changes no byte of the model."""
    return Review(base, head, SAME, SAME, *version(SAME, ()), (), 0, (), (), (), ())


def review(
    base: Side,
    head: Side,
    names: tuple[str, str],
    say: Say,
    *,
    scopes: str = "standard",
    properties: bool = True,
    vectors: bool = True,
    beyond: bool = False,
) -> Review:
    """Compare two sides in a set of scopes, the vectors, the properties, and what they consist of."""
    old, new = both(base.catalog, head.catalog)
    changed = changed_rows(old, new)
    different = parts(old, new)
    found: list[Difference] = []
    visited: list[Visited] = []
    for scope in chosen(scopes, old, new):
        say(f"comparing in {scope.name}: {scope.about}")
        compared = compare(base, head, scope, about=changed, beyond=beyond)
        found += compared.differences
        visited.append(Visited(scope.name, compared.nodes, compared.runs, len(compared.differences), compared.cut))
    expectations: list[Expectation] = []
    if vectors and old.name == new.name:
        say("comparing in the vectors")
        written = load_vectors(contract=old.name)
        those, expectations = compare_vectors(base, head, written)
        found += those
        visited.append(Visited("vectors", len(written), sum(len(one.bursts) for one in written), len(those), False))
    broken = [f"clause {clause} lost its last carrier" for clause in lost(old, new)] if old.name == new.name else []
    if properties and old.name == new.name:
        say("judging properties on both sides")
        broken += answers(*both(lambda: base.properties(PROPERTIES), lambda: head.properties(PROPERTIES)))
    behaves = verdict_of(found)
    verdict = BREAKS if broken else behaves
    groups = grouped(found, old, new, changed)
    causes = tuple(_cause(base, head, old, new, *one) for one in groups[:CAUSES])
    return Review(
        *names,
        verdict,
        behaves,
        *version(verdict, different),
        causes,
        max(0, len(groups) - CAUSES),
        tuple(broken),
        different,
        tuple(expectations),
        tuple(visited),
        new.name,
    )


def _cause(
    base: Side, head: Side, old: Catalog, new: Catalog, about: tuple[str, ...], found: Sequence[Difference]
) -> Cause:
    clauses = clauses_of(found[0], old, new, about)
    witnesses = tuple(_witness(base, head, one, clauses_of(one, old, new, about)) for one in _varied(found))
    return Cause(about, clauses, joined(one.relation for one in found), len(found), witnesses)


def _varied(found: Sequence[Difference]) -> list[Difference]:
    """The first few, each by another label."""
    told: dict[str, Difference] = {}
    for one in found:
        told.setdefault(one.label.partition(" / ")[0], one)
    return list(told.values())[:MOST]


def _witness(base: Side, head: Side, difference: Difference, clauses: tuple[str, ...]) -> Witness:
    bursts = (*(one.burst for one in difference.at.past), difference.base.burst)
    policies = dict(difference.policies)
    followed = [one.base for one in difference.at.past], [one.head for one in difference.at.past]
    past, mine = _played(base, policies, bursts, followed[0])
    _, theirs = _played(head, policies, bursts, followed[1])
    before, after = allowed(mine), allowed(theirs)
    failed = mine.failed or theirs.failed
    return Witness(
        difference.scope,
        difference.label,
        difference.relation,
        bursts,
        policies,
        tuple(past),
        tuple(_shown(one[0]) for name, one in before.items() if one),
        tuple(_shown(one[0]) for name, one in after.items() if one),
        clauses,
        f"{'base' if mine.failed else 'head'}: {failed}" if failed else "",
        difference.at.parted,
    )


def _played(
    side: Side, policies: dict[str, object], bursts: Sequence[tuple[Plain, ...]], followed: Sequence[str]
) -> tuple[list[Allowed], Performed]:
    """A run played again: what was done before its last burst, in the way that was followed, and the last burst in full."""
    done = side.scenario(policies, bursts[0])
    past: list[Allowed] = []
    for burst, way in zip(bursts[1:], followed, strict=True):
        taken = [one for one in done.results if one.behaviour == way] or list(done.results)
        past.append(_shown(taken[0]))
        (done,) = side.perform([(tuple(one.handle for one in taken), burst)])
    return past, done


def _shown(one: Result) -> Allowed:
    return Allowed(one.calls, one.seen)
