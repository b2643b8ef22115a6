"""Both models side by side, breadth first: the shortest run after which they allow different results. Refuses to explain.

A node is what both sides may be in after a run that looked alike: sets of configurations, for a result that is seen says
not always where it ends. It goes on with each behaviour that both allow; beyond a difference only if asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from lifecycle_conformance.review.behaviour import SAME, allowed, relation
from lifecycle_conformance.review.side import Handles, Names, Side
from lifecycle_conformance.review.values import Performed, Plain, Result
from lifecycle_conformance.scopes import SuiteScope

T = TypeVar("T")
MOST = 4000
"""Nodes of one scope at most."""
BEYOND = 150
"""The same where runs go on behind a difference: pairs that differ already multiply, and each shows less that is new."""
TOLD = 200
"""Differences of one scope whose results are fetched in full; of the others only the changed rows taken are known."""


def both(base: Callable[[], T], head: Callable[[], T]) -> tuple[T, T]:
    """Ask both sides at once: each may have a process of its own."""
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(head)
        return base(), waiting.result()


@dataclass(frozen=True)
class Past:
    """One burst of a run: what was asked, and by their prints what base and head did in the way that is followed."""

    burst: tuple[Plain, ...]
    base: str
    head: str
    rows: tuple[str, ...]
    """Of the rows asked about, those that either side took."""


@dataclass(frozen=True)
class Node:
    """What both sides may be in after a run."""

    base: Handles
    head: Handles
    names: Names
    past: tuple[Past, ...]
    parted: bool = False
    """The run already differed."""


@dataclass(frozen=True)
class Difference:
    """A run after whose last burst the sides allow different results."""

    scope: str
    label: str
    at: Node
    base: Performed
    head: Performed
    relation: str
    policies: Mapping[str, object] = field(default_factory=dict[str, object])

    @property
    def size(self) -> int:
        """Commands in all; what `shortest` counts."""
        return sum(len(one.burst) for one in self.at.past) + len(self.base.burst)


@dataclass
class Compared:
    """What the comparison in one scope visited and found."""

    scope: str
    policies: Mapping[str, object] = field(default_factory=dict[str, object])
    nodes: int = 0
    runs: int = 0
    differences: list[Difference] = field(default_factory=list[Difference])
    cut: bool = False
    """The bound on nodes was met, so not everything was compared."""


def compare(
    base: Side,
    head: Side,
    scope: SuiteScope,
    *,
    about: tuple[str, ...] = (),
    beyond: bool = False,
    most: int = 0,
) -> Compared:
    """Compare two sides in a scope; `about` are the rows whose taking is noted on the way; `most` nodes (0: what is usual)."""
    found = Compared(scope.name, scope.policies)
    bound = most or (BEYOND if beyond else MOST)
    opened = base.begin(scope, about), head.begin(scope, about)
    root = Node((), (), (), ())
    known: set[object] = set()
    level = list(_after(found, root, "begin", *opened, known, beyond))
    while level:
        found.nodes += len(level)
        if found.nodes > bound:
            found.cut = True
            break
        following: list[Node] = []
        for node, pairs in zip(level, _expanded(base, head, level), strict=True):
            for label, one, other in pairs:
                following += _after(found, node, label, one, other, known, beyond)
        level = following
    kept = found.differences[:TOLD]
    found.differences[:TOLD] = in_full(base, head, kept)
    return found


def in_full(base: Side, head: Side, differences: Sequence[Difference]) -> list[Difference]:
    """The same differences with everything that was seen."""
    mine = base.perform([(one.at.base, one.base.burst) for one in differences if one.at.base])
    theirs = head.perform([(one.at.head, one.head.burst) for one in differences if one.at.head])
    full = [one for one in differences if one.at.base]
    told = [replace(one, base=old, head=new) for one, old, new in zip(full, mine, theirs, strict=True)]
    return [*(one for one in differences if not one.at.base), *told]


def _expanded(base: Side, head: Side, level: list[Node]) -> Iterator[list[tuple[str, Performed, Performed]]]:
    """For each node each thing either side tries, as both perform it."""
    for first in range(0, len(level), 64):
        chunk = level[first : first + 64]
        before, after = both(
            partial(base.expand, [(node.base, node.names) for node in chunk]),
            partial(head.expand, [(node.head, node.names) for node in chunk]),
        )
        asked_base: list[tuple[Handles, tuple[Plain, ...]]] = []
        asked_head: list[tuple[Handles, tuple[Plain, ...]]] = []
        for node, mine, theirs in zip(chunk, before, after, strict=True):
            tried = {one.asked for one in mine}, {one.asked for one in theirs}
            asked_head += [(node.head, one.burst) for one in mine if one.asked not in tried[1]]
            asked_base += [(node.base, one.burst) for one in theirs if one.asked not in tried[0]]
        got_base, got_head = iter(base.perform(asked_base)), iter(head.perform(asked_head))
        for mine, theirs in zip(before, after, strict=True):
            other = {one.asked: one for one in theirs}
            own = {one.asked for one in mine}
            pairs = [(one.label, one, other.get(one.asked) or next(got_head)) for one in mine]
            pairs += [(one.label, next(got_base), one) for one in theirs if one.asked not in own]
            yield pairs


def _after(
    found: Compared, node: Node, label: str, base: Performed, head: Performed, known: set[object], beyond: bool
) -> Iterator[Node]:
    """Note a difference; give the nodes that are new."""
    found.runs += 1
    before, after = allowed(base), allowed(head)
    how = relation(before, after)
    if how != SAME:
        found.differences.append(Difference(found.scope, label, node, base, head, how, found.policies))
    if base.reacts or head.reacts:
        return  # a reaction is one look at what a listener may do; its ends are not followed
    common = [(before[name], after[name], node.parted) for name in before if after.get(name) and before[name]]
    if not common and beyond and base.results and head.results:
        common = [(list(base.results[:1]), list(head.results[:1]), True)]
    for mine, theirs, parted in common:
        key = (frozenset(one.key for one in mine), frozenset(one.key for one in theirs))
        if key in known:
            continue
        known.add(key)
        rows = tuple(dict.fromkeys((*mine[0].rows, *theirs[0].rows)))
        past = (*node.past, Past(base.burst, mine[0].behaviour, theirs[0].behaviour, rows))
        yield Node(_handles(mine), _handles(theirs), base.names or head.names, past, parted)


def _handles(results: list[Result]) -> Handles:
    """One configuration of each class, the first met."""
    return tuple({one.key: one.handle for one in reversed(results)}.values())
