"""Both models side by side, breadth first: the shortest run after which they allow different results. Refuses to explain.

A node is what both sides may be in after a run that looked alike: sets of configurations, for a result that is seen says
not always where it ends. It goes on with each behaviour that both allow; beyond a difference only if asked.

Base was explored alone. From a configuration that both sides share, a run of base that looked at no changed step is the
same on head, so it is not performed again; where head's configuration is another one, everything is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

import msgspec

from lifecycle_conformance.review.alone import Alone, Place, Reach, Run, firsts, further
from lifecycle_conformance.review.alone import grouped as ways_of
from lifecycle_conformance.review.behaviour import SAME, allowed, loosely, relation
from lifecycle_conformance.review.side import Handles, Names, Side
from lifecycle_conformance.review.values import Ask, Changes, Performed, Plain, Result, Try
from lifecycle_conformance.scopes import SuiteScope

T = TypeVar("T")
MOST = 4000
"""Nodes of one scope at most."""
BEYOND = 150
"""Those behind a difference at most: each shows less that is new, and a contract may let them grow for ever."""
CHUNK = 256
"""Nodes told both sides at a time."""


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
    """What both sides may be in after a run; without handles, what base kept of this trail."""

    base: Handles
    head: Handles
    names: Names
    past: tuple[Past, ...]
    parted: bool = False
    """The run already differed."""
    alike: bool = False
    """Both sides are in the very same configurations."""
    trail: str = ""


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
        """Commands in all, those of listeners included; what `shortest` counts."""
        return sum(effort(one) for made in (*(past.burst for past in self.at.past), self.base.burst) for one in made)


def effort(command: Plain) -> int:
    """How much a command adds to a run: holding and watching gates nothing, arming a listener what it does."""
    verb = command["do"]
    return len(command.get("then", ())) if verb == "react" else int(verb not in ("hold", "watch"))


@dataclass
class Compared:
    """What the comparison in one scope visited and found."""

    scope: str
    policies: Mapping[str, object] = field(default_factory=dict[str, object])
    nodes: int = 0
    runs: int = 0
    performed: int = 0
    """Of the runs, those performed on head; the others reach no changed step."""
    differences: list[Difference] = field(default_factory=list[Difference])
    cut: bool = False
    """The bound on nodes was met, so not everything was compared."""
    left: int = 0
    """Of those, the ones that were met and not gone on from."""


def compare(
    base: Side,
    head: Side,
    scope: SuiteScope,
    *,
    about: tuple[str, ...] = (),
    beyond: bool = False,
    most: int = 0,
    alone: Alone | None = None,
    changed: Changes | None = None,
) -> Compared:
    """Compare two sides in a scope.

    `about` are the rows whose taking is noted on the way; `most` nodes (0: what is usual). `alone` is base explored alone
    (else it is explored now), and `changed` where head may go otherwise (None: everywhere).
    """
    if alone is None:
        alone = msgspec.msgpack.decode(base.alone(scope, MOST), type=Alone)
    reaching = Reach(-1, -1) if changed is None else alone.reaching(changed)
    found = Compared(scope.name, scope.policies)
    walk = _Walk(base, head, alone, reaching, about, beyond, found)
    bound = most or MOST
    level = walk.begin(scope)
    behind = 0
    while level:
        alike, parted = [one for one in level if not one.parted], [one for one in level if one.parted]
        kept = [*alike, *parted[: max(0, BEYOND - behind)]][: bound - found.nodes]
        found.left += len(level) - len(kept)
        found.nodes += len(kept)
        behind += sum(one.parted for one in kept)
        level = [node for first in range(0, len(kept), CHUNK) for node in walk.after(kept[first : first + CHUNK])]
    found.cut = found.left > 0
    found.cut = found.cut or alone.cut
    found.differences = walk.in_full(found.differences)
    return found


@dataclass
class _Pair:
    """One run on both sides."""

    label: str
    base: Performed
    head: Performed


@dataclass
class _Coming:
    """A successor whose configurations are still to be made, by performing the run again where there is none."""

    node: Node
    past: Past
    names: Names
    base: Handles | None
    head: Handles | None
    alike: bool
    parted: bool
    trail: str


class _Walk:
    """The walk through one scope."""

    def __init__(
        self,
        base: Side,
        head: Side,
        alone: Alone,
        reaching: Reach,
        about: tuple[str, ...],
        beyond: bool,
        found: Compared,
    ) -> None:
        self._base, self._head, self._alone = base, head, alone
        self._reaching, self._about, self._beyond, self._found = reaching, about, beyond, found
        self._places: dict[str, Place] = {place.trail: place for place in alone.places}
        self._known: set[object] = set()

    def begin(self, scope: SuiteScope) -> list[Node]:
        """Start the scope on both sides; the nodes after its first burst."""
        opened = both(*(partial(side.begin, scope, self._about) for side in (self._base, self._head)))
        return self._made(list(self._compared(Node((), (), (), ()), _Pair("begin", *opened))))

    def after(self, nodes: list[Node]) -> list[Node]:
        """Compare everything tried in these nodes; the nodes after them that are new."""
        coming: list[_Coming] = []
        unmet: list[tuple[Node, list[Run]]] = []
        others: list[Node] = []
        for node in nodes:
            place = self._places.get(node.trail) if node.alike else None
            if place is None:
                others.append(node)
                continue
            met = []
            for run in place.runs:
                if run in self._reaching:
                    met.append(run)
                else:
                    coming += self._same(node, run)
            if met:
                unmet.append((node, met))
        for node, pairs in (*self._reached(unmet), *self._expanded(others)):
            for pair in pairs:
                coming += self._compared(node, pair)
        return self._made(coming)

    def _same(self, node: Node, run: Run) -> Iterator[_Coming]:
        """A run that reaches nothing that changed: go on with it."""
        self._found.runs += 1
        if run.reacts:
            return
        for name, ways in ways_of(run.ways).items():
            key = frozenset(way.key for way in ways)
            if (key, key) not in self._known:
                self._known.add((key, key))
                one = self._alone.performed(run, ())
                past = Past(one.burst, name, name, ())
                trail = further(node.trail, run.asked, name)
                yield _Coming(node, past, run.names, None, None, True, node.parted, trail)

    def _reached(self, unmet: list[tuple[Node, list[Run]]]) -> list[tuple[Node, list[_Pair]]]:
        """Runs that reach a changed step, on both sides; and what head's listeners can hear that base's cannot."""
        there = self._on("head", [node for node, _ in unmet])
        mine = [(node, [self._alone.performed(run, self._about) for run in runs]) for node, runs in unmet]
        asked = [
            Try(handles, one.burst, one.names, one.label, one.reacts)
            for handles, (_, runs) in zip(there, mine, strict=True)
            for one in runs
        ]
        given = iter(self._head.perform(asked, full=False))
        pairs = [(node, [_Pair(one.label, one, next(given)) for one in runs]) for node, runs in mine]
        heard: list[tuple[int, tuple[tuple[tuple[str, ...], ...], ...]]] = []
        for at, (_, those) in enumerate(pairs):
            new = [one.base.words for one in those if not one.base.reacts and one.base.words and _differ(one)]
            if new:
                heard.append((at, tuple(new)))
        nodes = [Ask(there[at], pairs[at][0].names, words) for at, words in heard]
        for (at, _), tried in zip(heard, self._head.expand(nodes), strict=True):
            node, those = pairs[at]
            own = {one.base.asked for one in those}
            more = [one for one in tried if one.reacts and one.asked not in own]
            (here,) = self._on("base", [node])
            on_base = self._base.perform([Try(here, one.burst, one.names, one.label, True) for one in more], full=False)
            those += [_Pair(one.label, old, one) for old, one in zip(on_base, more, strict=True)]
        return pairs

    def _expanded(self, nodes: list[Node]) -> list[tuple[Node, list[_Pair]]]:
        """For nodes that the sides do not share each thing either side tries; what base kept of it is not performed again."""
        if not nodes:
            return []
        kept = [self._places.get(node.trail) for node in nodes]
        new = [node for node, place in zip(nodes, kept, strict=True) if place is None]
        here, there = self._on("base", new), self._on("head", nodes)
        expanded, after = both(
            partial(self._base.expand, [Ask(one, node.names) for one, node in zip(here, new, strict=True)]),
            partial(self._head.expand, [Ask(one, node.names) for one, node in zip(there, nodes, strict=True)]),
        )
        fresh = iter(expanded)
        before = [
            next(fresh) if place is None else [self._alone.performed(run, self._about) for run in place.runs]
            for place in kept
        ]
        mine_only = [_beside(mine, theirs) for mine, theirs in zip(before, after, strict=True)]
        theirs_only = [_beside(theirs, mine) for mine, theirs in zip(before, after, strict=True)]
        lacking = [node for node, those in zip(nodes, theirs_only, strict=True) if those]
        on_base = dict(zip(map(id, lacking), self._on("base", lacking), strict=True))
        asked_base = [
            _try(on_base[id(node)], one) for node, those in zip(nodes, theirs_only, strict=True) for one in those
        ]
        asked_head = [_try(at, one) for at, those in zip(there, mine_only, strict=True) for one in those]
        done = both(
            partial(self._base.perform, asked_base, full=False), partial(self._head.perform, asked_head, full=False)
        )
        got_base, got_head = iter(done[0]), iter(done[1])
        found = []
        for node, mine, theirs, own in zip(nodes, before, after, theirs_only, strict=True):
            other = {one.asked: one for one in theirs}
            pairs = [_Pair(one.label, one, other.get(one.asked) or next(got_head)) for one in mine]
            pairs += [_Pair(one.label, next(got_base), one) for one in own]
            found.append((node, pairs))
        return found

    def _compared(self, node: Node, pair: _Pair) -> Iterator[_Coming]:
        """Note a difference; give what comes after it and is new."""
        self._found.runs += 1
        self._found.performed += 1
        base, head = pair.base, pair.head
        before, after = allowed(base), allowed(head)
        how = relation(before, after)
        if how != SAME:
            self._found.differences.append(
                Difference(self._found.scope, pair.label, node, base, head, how, self._found.policies)
            )
        if base.reacts or head.reacts:
            return  # a reaction is one look at what a listener may do; its ends are not followed
        common = [(before[name], after[name], node.parted) for name in before if after.get(name) and before[name]]
        if not common and self._beyond and base.results and head.results:
            common = [(list(base.results[:1]), list(head.results[:1]), True)]
        for mine, theirs, parted in common:
            if not self._new(frozenset(one.key for one in mine), frozenset(one.key for one in theirs), parted):
                continue
            rows = tuple(row for row in dict.fromkeys((*mine[0].rows, *theirs[0].rows)) if row in self._about)
            past = Past(base.burst, mine[0].behaviour, theirs[0].behaviour, rows)
            alike = not parted and [one.state for one in firsts(mine)] == [one.state for one in firsts(theirs)]
            # behind a difference one way is followed, where what was kept may be in several configurations
            trail = "" if parted else further(node.trail, base.asked, mine[0].behaviour)
            here, there = _handles(mine), _handles(theirs)
            yield _Coming(node, past, base.names or head.names, here, there, alike, parted, trail)

    def _new(self, base: frozenset[str], head: frozenset[str], parted: bool) -> bool:
        """Tell whether this pair of classes is to be visited; behind a difference, where one of the two was not met there yet.

        There the pairs would multiply, and those of two classes met before show what each of the two showed already.
        """
        keys: list[object] = [("base", base), ("head", head)] if parted else [(base, head)]
        found = [key for key in keys if key not in self._known]
        self._known.update(found)
        return bool(found)

    def _made(self, coming: list[_Coming]) -> list[Node]:
        """The nodes; runs whose configurations base did not keep are performed again."""
        again: dict[str, list[int]] = {"base": [], "head": []}
        found: list[tuple[Handles, Handles]] = []
        for at, one in enumerate(coming):
            kept = one.trail in self._places
            if one.alike and kept:
                found.append(((), ()))
                continue
            here = one.base if one.base and one.base[0] >= 0 else () if kept else None
            there = one.head if one.head and one.head[0] >= 0 else None
            for side, handles in (("base", here), ("head", there)):
                if handles is None:
                    again[side].append(at)
            found.append((here or (), there or ()))
        done = both(*(partial(self._again, side, [coming[at] for at in places]) for side, places in again.items()))
        for (side, places), those in zip(again.items(), done, strict=True):
            for at, performed in zip(places, those, strict=True):
                way = coming[at].past.base if side == "base" else coming[at].past.head
                handles = _handles([one for one in performed.results if one.behaviour == way])
                found[at] = (handles, found[at][1]) if side == "base" else (found[at][0], handles)
        return [
            Node(*handles, one.names, (*one.node.past, one.past), one.parted, one.alike, one.trail)
            for one, handles in zip(coming, found, strict=True)
        ]

    def _again(self, side: str, coming: Sequence[_Coming]) -> list[Performed]:
        from_ = self._on(side, [one.node for one in coming])
        tries = [Try(handles, one.past.burst) for handles, one in zip(from_, coming, strict=True)]
        return (self._base if side == "base" else self._head).perform(tries)

    def _on(self, side: str, nodes: Sequence[Node]) -> list[Handles]:
        """The handles of nodes on a side; what base kept is given to it first."""
        taking = self._base if side == "base" else self._head
        own = [node.base if side == "base" else node.head for node in nodes]
        given = iter(
            taking.take([self._places[node.trail].kept for node, has in zip(nodes, own, strict=True) if not has])
        )
        return [has or next(given) for has in own]

    def in_full(self, differences: Sequence[Difference]) -> list[Difference]:
        """The same differences with everything that was seen; those that look alike in it share one performance."""
        alike: dict[object, Difference] = {}
        for one in differences:
            if one.at.past:
                alike.setdefault(_look(one), one)
        first = list(alike.values())
        here, there = self._on("base", [one.at for one in first]), self._on("head", [one.at for one in first])
        mine, theirs = both(
            partial(self._base.perform, [Try(at, one.base.burst) for at, one in zip(here, first, strict=True)]),
            partial(self._head.perform, [Try(at, one.base.burst) for at, one in zip(there, first, strict=True)]),
        )
        shown = dict(zip(alike, zip(mine, theirs, strict=True), strict=True))
        found = []
        for one in differences:
            if one.at.past:
                old, new = shown[_look(one)]
                base = msgspec.structs.replace(one.base, results=old.results)
                head = msgspec.structs.replace(one.head, results=new.results)
                how = loosely(old.results, new.results, one.relation)
                one = replace(one, base=base, head=head, relation=how)
            found.append(one)
        return found


def _look(difference: Difference) -> object:
    """What is seen of a difference: what was asked, what each side allows, and which of the changed rows each way takes."""
    sides = (
        (one.failed, *((way.behaviour, way.rows) for way in one.results)) for one in (difference.base, difference.head)
    )
    return difference.base.asked, *sides


def _beside(some: Sequence[Performed], others: Sequence[Performed]) -> list[Performed]:
    """Those that the others have not tried."""
    tried = {one.asked for one in others}
    return [one for one in some if one.asked not in tried]


def _try(handles: Handles, one: Performed) -> Try:
    return Try(handles, one.burst, one.names, one.label, one.reacts)


def _differ(pair: _Pair) -> bool:
    return {one.behaviour for one in pair.base.results} != {one.behaviour for one in pair.head.results}


def _handles(results: Sequence[Result]) -> Handles:
    """One configuration of each class, the first met."""
    return tuple(one.handle for one in firsts(results))
