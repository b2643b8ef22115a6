"""Tours: long runs that try many edges of a suite in one go, for speed. Refuses to be a counterexample: see `shrink`.

After each edge comes W (a read, where the system offers one), so nothing an edge hides is left unlooked at for long.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from lifecycle_conformance.oracle import Outlook
from lifecycle_conformance.suite import AGENT, Classes, Edge, first_burst, key_of, looking
from lifecycle_conformance.words import Label, Namer, burst
from lifecycle_model.commands import Burst, Disarm
from lifecycle_model.state import Configuration, start
from lifecycle_model.wire import Profile, to_json

LENGTH = 14
"""Edges in a tour at most."""


@dataclass
class Tour:
    """Bursts with the edge tried in each, if any."""

    bursts: list[Burst] = field(default_factory=list[Burst])
    edges: list[Edge | None] = field(default_factory=list[Edge | None])


class Tourist:
    """Plans tours over the classes of one scope until every given edge was tried."""

    def __init__(self, outlook: Outlook, classes: Classes, profile: Profile) -> None:
        """Index the classes and the labels that lead from one to another."""
        self.outlook = outlook
        self.classes = classes
        self.scope = classes.scope
        self.looks = looking(self.scope, profile)
        self.index = {key_of(node.configuration, self.scope): at for at, node in enumerate(classes.nodes)}
        self.ways: dict[int, list[tuple[Label, int]]] = {}
        for (at, label, _outcomes, _bursts), target in zip(classes.edges, classes.targets, strict=True):
            if target is not None and target != at:
                self.ways.setdefault(at, []).append((label, target))

    def tours(self, edges: Iterable[Edge]) -> Iterator[Tour]:
        """Plan tours; each edge is tried exactly once as such."""
        left: dict[int, list[Edge]] = {}
        for edge in edges:
            left.setdefault(edge.at, []).append(edge)
        for waiting in left.values():
            waiting.reverse()
        while left:
            yield self._tour(left)

    def _tour(self, left: dict[int, list[Edge]]) -> Tour:
        name = Namer()
        tour = Tour()
        here = start(dict(self.scope.policies), keep_log=False)
        here = self._go(tour, here, first_burst(self.scope, name), None)
        at: int | None = self.index[key_of(here, self.scope)]
        for _ in range(LENGTH):
            if at is None:
                break
            path = self._nearest(at, left)
            if path is None or len(tour.bursts) + len(path) > 3 * LENGTH:
                break
            for label in path:
                made = burst(name, AGENT, label, self.scope.holds, here)
                here = self._go(tour, here, made, None)
                at = self.index.get(key_of(here, self.scope))
            if at is None or at not in left:
                break
            edge = left[at].pop()
            if not left[at]:
                del left[at]
            made = burst(name, AGENT, edge.label, self.scope.holds, here)
            here = self._go(tour, here, made, edge)
            closing: Burst = (Disarm(), *self.looks) if here.world.reactions else self.looks
            if closing:
                here = self._go(tour, here, closing, None)
            at = self.index.get(key_of(here, self.scope))
        if not any(tour.edges):
            self._force(tour, left)
        return tour

    def _force(self, tour: Tour, left: dict[int, list[Edge]]) -> None:
        """No way leads to what is left from the start: take the shortest way to its class."""
        at = next(iter(left))
        edge = left[at].pop()
        if not left[at]:
            del left[at]
        node = self.classes.nodes[at]
        made = burst(Namer(dict(node.names)), AGENT, edge.label, self.scope.holds, node.configuration)
        closing: tuple[Burst, ...] = (self.looks,) if self.looks else ()
        tour.bursts[:] = [*node.bursts, made, *closing]
        tour.edges[:] = [*([None] * len(node.bursts)), edge, *([None] * len(closing))]

    def _go(self, tour: Tour, here: Configuration, made: Burst, edge: Edge | None) -> Configuration:
        tour.bursts.append(made)
        tour.edges.append(edge)
        return self.outlook.perform(here, made, to_json(made))[0].configuration

    def _nearest(self, at: int, left: dict[int, list[Edge]]) -> list[Label] | None:
        """The labels to the nearest class with an edge left; None if there is none."""
        if at in left:
            return []
        come: dict[int, tuple[int, Label]] = {}
        seen = {at}
        queue = deque([at])
        while queue:
            now = queue.popleft()
            for label, target in self.ways.get(now, ()):
                if target in seen:
                    continue
                seen.add(target)
                come[target] = (now, label)
                if target in left:
                    path: list[Label] = []
                    while target != at:
                        target, label = come[target]
                        path.append(label)
                    return path[::-1]
                queue.append(target)
        return None
