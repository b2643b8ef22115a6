"""A whole review: both sides compared in scopes, in the vectors, and in what they say of themselves. Refuses to print it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec

from lifecycle_conformance.review.before_after import pictures
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
from lifecycle_conformance.review.kept import Kept
from lifecycle_conformance.review.known import Known
from lifecycle_conformance.review.prints import changes
from lifecycle_conformance.review.product import Difference, both, compare
from lifecycle_conformance.review.scenarios import Expectation, by_vector, compare_contracts, compare_vectors, reaching
from lifecycle_conformance.review.scopes import chosen
from lifecycle_conformance.review.side import Side
from lifecycle_conformance.review.values import Catalog, Changes, Performed, Plain, Result, Try
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
    performed: int
    """Of the runs, those performed on head: the others reach no step that changed."""
    left: int = 0
    """Where it was cut, pairs of classes met and not gone on from."""


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
    system: str = ""
    """The runtime whose observations were compared; nothing where models were."""
    systems: tuple[Known, ...] = ()
    """What systems that are known do where the two part."""


def same(base: str, head: str) -> Review:
    """The review of a change that changes no byte of the model."""
    return Review(base, head, SAME, SAME, *version(SAME, ()), (), 0, (), (), (), ())


More = Callable[[], tuple[Side, Side]]


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
    more: More | None = None,
) -> Review:
    """Compare two sides in a set of scopes, the vectors, the properties, and what they consist of.

    `more` gives one more process of each side, for what can be done at the same time.
    """
    old, new = both(base.catalog, head.catalog)
    changed, different = changed_rows(old, new), parts(old, new)
    reached = changes(old.does, new.does)
    differs = reached is None or bool(reached)
    one_contract = old.name == new.name
    kept = Kept(old)
    judging = properties and one_contract and (differs or not _judged_alike(old, new))
    unchanged = reached if _judged_alike(old, new) else None
    spare = more() if more is not None and differs else None
    found: list[Difference] = []
    visited: list[Visited] = []
    expectations: list[Expectation] = []
    played: list[Difference] = []
    with ThreadPoolExecutor(1) as pool:
        answered = pool.submit(_answers, kept, *(spare or (base, head)), unchanged) if judging and spare else None
        if differs:
            wanted = chosen(scopes, old, new)
            for scope, alone in zip(wanted, kept.alone([base, *(spare or ())[:1]], wanted, say), strict=True):
                say(f"comparing in {scope.name}: {scope.about}")
                one = compare(base, head, scope, about=changed, beyond=beyond, alone=alone, changed=reached)
                found += one.differences
                visited.append(
                    Visited(scope.name, one.nodes, one.runs, len(one.differences), one.cut, one.performed, one.left)
                )
        if differs and vectors and one_contract:
            say("comparing in the vectors")
            written = load_vectors(contract=old.name)
            met = reaching(kept.played(base, written), written, reached)
            those, expectations = compare_vectors(base, head, met)
            found += those
            bursts, performed = (sum(len(one.bursts) for one in some) for some in (written, met))
            visited.append(Visited("vectors", len(written), bursts, len(those), False, performed))
        if differs and vectors and not one_contract:
            say("comparing in the vectors of head")
            own = load_vectors(contract=new.name)
            played = compare_contracts(base, head, own)
            bursts = sum(len(one.bursts) for one in own)
            visited.append(Visited("vectors", len(own), bursts, len(played), False, bursts))
        broken = [f"clause {clause} lost its last carrier" for clause in lost(old, new)] if one_contract else []
        if judging:
            say("judging properties on both sides")
            broken += answered.result() if answered else _answers(kept, base, head, unchanged)
    behaves = verdict_of([*found, *played])
    verdict = BREAKS if broken else behaves
    groups = grouped(found, old, new, changed)
    causes = tuple(_cause(base, head, old, new, *one) for one in groups[:CAUSES])
    causes += tuple(_scenario(base, head, old, new, *one) for one in by_vector(played))
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
        pictures(old, new, changed) if one_contract else (),
    )


def _judged_alike(old: Catalog, new: Catalog) -> bool:
    """Properties, and the names of rows that they know, are the same on both sides."""
    return old.does.properties == new.does.properties and set(old.does.rows) == set(new.does.rows)


def _answers(kept: Kept, base: Side, head: Side, changed: Changes | None) -> list[str]:
    """What changed its answer, asked of head in those explorations that the change reaches (None: in all)."""
    before = kept.properties(base, PROPERTIES)
    scopes = tuple(one.scope for one in before if changed is None or changed.reach(one.met))
    after = {one.scope: one for one in head.properties(scopes)}
    return list(answers(before, [after.get(one.scope, one) for one in before]))


def _cause(
    base: Side, head: Side, old: Catalog, new: Catalog, about: tuple[str, ...], found: Sequence[Difference]
) -> Cause:
    clauses = clauses_of(found[0], old, new, about)
    witnesses = tuple(_witness(base, head, one, clauses_of(one, old, new, about)) for one in _varied(found))
    return Cause(about, clauses, joined(one.relation for one in found), len(found), witnesses)


def _scenario(base: Side, head: Side, old: Catalog, new: Catalog, vector: str, found: Sequence[Difference]) -> Cause:
    """A scenario of two contracts: every burst in which they differ."""
    witnesses = tuple(_witness(base, head, one, clauses_of(one, old, new, ())) for one in found)
    clauses = tuple(dict.fromkeys(clause for one in witnesses for clause in one.clauses))
    return Cause((f"scenario {vector}",), clauses, joined(one.relation for one in found), len(found), witnesses)


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
        (done,) = side.perform([Try(tuple(one.handle for one in taken), burst)])
    return past, done


def _shown(one: Result) -> Allowed:
    return Allowed(one.calls, one.seen)
