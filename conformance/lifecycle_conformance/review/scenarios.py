"""The hand-written vectors as runs on both models, and those whose expectation changed. Refuses to judge a system."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import msgspec

from lifecycle_conformance.review.behaviour import SAME, allowed, loosely, relation
from lifecycle_conformance.review.product import Difference, Node, Past, both
from lifecycle_conformance.review.side import Side
from lifecycle_conformance.review.values import Changes, Met, Performed, Plain, Result, Try
from lifecycle_conformance.vectors import bursts_of, check_vector
from lifecycle_model.wire import MEMBERS, Answer, BurstResult, Observation, Profile, Vector

EVERYTHING = Profile(commands=("read",), observations=tuple(MEMBERS), reads=("lookup", "inspect", "snapshot"))
"""What a model shows: nothing of a vector is out of reach."""


class Expectation(msgspec.Struct, frozen=True):
    """A vector that one side keeps and the other does not."""

    vector: str
    title: str
    now_holds: bool
    why: str


class Played(msgspec.Struct, frozen=True):
    """What each vector meets."""

    met: dict[str, Met]


def played(side: Side, vectors: Sequence[Vector]) -> Played:
    """Play every vector on one side, in every way it may go."""
    runs = [(dict(vector.policies), tuple(_plain(vector))) for vector in vectors]
    return Played({vector.id: met for vector, met in zip(vectors, side.met(runs), strict=True)})


def reaching(found: Played, vectors: Sequence[Vector], changed: Changes | None) -> list[Vector]:
    """The vectors that a change reaches (None: it reaches all)."""
    return [vector for vector in vectors if changed is None or changed.reach(found.met[vector.id])]


def compare_contracts(base: Side, head: Side, vectors: Sequence[Vector]) -> list[Difference]:
    """Play every vector on two contracts to its end, each going its first way; every burst in which they differ."""
    return [found for vector in vectors for found in _every_difference(base, head, vector)]


def by_vector(found: Sequence[Difference]) -> list[tuple[str, list[Difference]]]:
    """Differences by the vector they were found in."""
    groups: dict[str, list[Difference]] = {}
    for one in found:
        groups.setdefault(one.label.partition(",")[0], []).append(one)
    return list(groups.items())


def _every_difference(base: Side, head: Side, vector: Vector) -> Iterator[Difference]:
    node = Node((), (), (), ())
    for index, burst in enumerate(_plain(vector)):
        mine, theirs = both(partial(_go, base, vector, node.base, burst), partial(_go, head, vector, node.head, burst))
        how = relation(allowed(mine), allowed(theirs))
        if how != SAME:
            label = f"{vector.id}, burst {index + 1}"
            yield Difference("vectors", label, node, mine, theirs, how, vector.policies)
        if not (mine.results and theirs.results):
            return
        old, new = mine.results[0], theirs.results[0]
        past = (*node.past, Past(burst, old.behaviour, new.behaviour, ()))
        node = Node((old.handle,), (new.handle,), (), past, node.parted or how != SAME)


def compare_vectors(base: Side, head: Side, vectors: Sequence[Vector]) -> tuple[list[Difference], list[Expectation]]:
    """Play every vector on both sides until they differ; say of those that differ whether what is written still holds."""
    differences: list[Difference] = []
    changed: list[Expectation] = []
    for vector in vectors:
        found = _first_difference(base, head, vector)
        if found is None:
            continue
        differences.append(found)
        before, after = _wrong(base, vector), _wrong(head, vector)
        if bool(before) != bool(after):
            changed.append(Expectation(vector.id, vector.title, not after, before or after))
    return differences, changed


def _first_difference(base: Side, head: Side, vector: Vector) -> Difference | None:
    nodes = [Node((), (), (), ())]
    for index, burst in enumerate(_plain(vector)):
        following: list[Node] = []
        for node in nodes:
            mine, theirs = both(
                partial(_go, base, vector, node.base, burst), partial(_go, head, vector, node.head, burst)
            )
            before, after = allowed(mine), allowed(theirs)
            how = relation(before, after)
            if how != SAME:
                how = loosely(mine.results, theirs.results, how)
                return Difference(
                    "vectors", f"{vector.id}, burst {index + 1}", node, mine, theirs, how, vector.policies
                )
            for name, results in before.items():
                past = (*node.past, Past(burst, name, name, _rows(results)))
                following.append(Node(_handles(results), _handles(after[name]), (), past))
        nodes = following
    return None


def _go(side: Side, vector: Vector, handles: tuple[int, ...], burst: tuple[Plain, ...]) -> Performed:
    return side.perform([Try(handles, burst)])[0] if handles else side.scenario(dict(vector.policies), burst)


def _plain(vector: Vector) -> Iterator[tuple[Plain, ...]]:
    for burst in bursts_of(vector):
        yield tuple(msgspec.to_builtins(command) for command in burst)


def _handles(results: Sequence[Result]) -> tuple[int, ...]:
    return tuple(one.handle for one in results)


def _rows(results: Sequence[Result]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row for one in results for row in one.rows))


def _wrong(side: Side, vector: Vector) -> str:
    """What is not as written in the first run the side allows; nothing if the vector holds."""
    results: list[BurstResult] = []
    handles: tuple[int, ...] = ()
    for burst in _plain(vector):
        done = _go(side, vector, handles, burst)
        if not done.results:
            return done.failed or "nothing is allowed"
        one = done.results[0]
        handles = (one.handle,)
        results.append(
            BurstResult(
                msgspec.convert(one.calls, tuple[Answer, ...]), msgspec.convert(one.seen, tuple[Observation, ...])
            )
        )
    found = check_vector(vector, results, EVERYTHING)
    return found[0].sentence if found else ""
