"""Fair lassos: whether a run exists that obeys the stated fairness and stays for ever where it must not.

Knows nothing of agents: nodes are numbers, an edge says which fairness groups it belongs to, a node says which groups
are enabled in it. Sound and complete on a finite graph: a fair run exists exactly when a strongly connected part
satisfies every group (weak: it is left disabled or taken; strong: it is taken if enabled), after removing, as often
as needed, the nodes that only an unfair run could visit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Edge(NamedTuple):
    """An edge: where it leads, a mask of the fairness groups it belongs to, and whatever its owner wants to know."""

    to: int
    groups: int
    tag: object = None


STAY = Edge(-1, 0, "stay")
"""Nothing happens: the run stutters."""


@dataclass(frozen=True)
class Fairness:
    """Masks of groups. A run may stay where it is for ever unless a group, enabled there, forbids it.

    That a run goes on while anything is enabled is the weak fairness of one group with every edge.
    """

    weak: int = 0
    strong: int = 0


@dataclass(frozen=True)
class Lasso:
    """A fair run that stays in the region: a way to the cycle, and the cycle. Each hop is a node and the edge left by."""

    stem: tuple[tuple[int, Edge], ...]
    cycle: tuple[tuple[int, Edge], ...]


class Region:
    """The nodes a bad run may stay in, with the edges it may use for ever and those it may use on the way."""

    def __init__(
        self,
        nodes: Iterable[int],
        cycle: Callable[[int], Sequence[Edge]],
        enabled: Callable[[int], int],
        stem: Callable[[int], Sequence[Edge]] | None = None,
        accept: Callable[[int], bool] | None = None,
    ) -> None:
        """`accept`: the cycle must visit such a node (default: any). Edges leading out of the region are ignored."""
        self.nodes = set(nodes)
        self.cycle = cycle
        self.stem = stem or cycle
        self.enabled = enabled
        self.accept = accept

    def edges(self, node: int, inside: set[int]) -> list[Edge]:
        """The edges a cycle may use within a set of nodes."""
        return [edge for edge in self.cycle(node) if edge.to in inside]


def find_lasso(region: Region, entries: Iterable[int], fairness: Fairness) -> Lasso | None:
    """A fair lasso that enters the region at one of the entries, or None if there is none."""
    order, parents = _reach(region, entries)
    inside = set(order)
    rank = {node: index for index, node in enumerate(order)}
    best: tuple[int, set[int]] | None = None
    for part in _fair_parts(region, inside, fairness):
        first = min(rank[node] for node in part)
        if best is None or first < best[0]:
            best = (first, part)
    if best is None:
        return None
    start = order[best[0]]
    stem: list[tuple[int, Edge]] = []
    node = start
    while (parent := parents[node]) is not None:
        stem.append(parent)
        node = parent[0]
    return Lasso(tuple(reversed(stem)), tuple(_tour(region, best[1], start, fairness)))


def _reach(region: Region, entries: Iterable[int]) -> tuple[list[int], dict[int, tuple[int, Edge] | None]]:
    parents: dict[int, tuple[int, Edge] | None] = {}
    order: list[int] = []
    for entry in entries:
        if entry in region.nodes and entry not in parents:
            parents[entry] = None
            order.append(entry)
    for node in order:
        for edge in region.stem(node):
            if edge.to in region.nodes and edge.to not in parents:
                parents[edge.to] = (node, edge)
                order.append(edge.to)
    return order, parents


def _fair_parts(region: Region, inside: set[int], fairness: Fairness) -> Iterable[set[int]]:
    """Every maximal strongly connected part in which a fair run can stay."""
    todo = [inside]
    while todo:
        nodes = todo.pop()
        for part in components(nodes, lambda node, nodes=nodes: [e.to for e in region.edges(node, nodes)]):  # type: ignore[misc]  # a default binds the loop's value
            ever, always, taken = _groups(region, part)
            if always & fairness.weak & ~taken:
                continue
            if region.accept is not None and not any(region.accept(node) for node in part):
                continue
            starved = ever & fairness.strong & ~taken
            if not starved:
                yield part
                continue
            left = {node for node in part if not region.enabled(node) & starved}
            if left:
                todo.append(left)


def _groups(region: Region, part: set[int]) -> tuple[int, int, int]:
    """Groups enabled somewhere in the part, enabled everywhere in it, and taken inside it."""
    ever, always, taken = 0, -1, 0
    for node in part:
        enabled = region.enabled(node)
        ever |= enabled
        always &= enabled
        for edge in region.edges(node, part):
            taken |= edge.groups
    return ever, always, taken


def components(nodes: Iterable[int], after: Callable[[int], Sequence[int]]) -> list[set[int]]:
    """Strongly connected components (Tarjan, without recursion)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    on: set[int] = set()
    stack: list[int] = []
    found: list[set[int]] = []
    for root in nodes:
        if root in index:
            continue
        work: list[tuple[int, Sequence[int], int]] = [(root, after(root), 0)]
        index[root] = low[root] = len(index)
        stack.append(root)
        on.add(root)
        while work:
            node, targets, at = work.pop()
            while at < len(targets):
                target = targets[at]
                at += 1
                if target not in index:
                    work.append((node, targets, at))
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on.add(target)
                    work.append((target, after(target), 0))
                    break
                if target in on:
                    low[node] = min(low[node], index[target])
            else:
                if low[node] == index[node]:
                    part: set[int] = set()
                    while True:
                        member = stack.pop()
                        on.discard(member)
                        part.add(member)
                        if member == node:
                            break
                    found.append(part)
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
    return found


def _tour(region: Region, part: set[int], start: int, fairness: Fairness) -> list[tuple[int, Edge]]:
    """A closed walk from `start` through the part that is fair: it visits what makes each group content."""
    tour: list[tuple[int, Edge]] = []
    node = start
    asked = fairness.weak | fairness.strong
    always, ever = -1, 0
    for member in part:
        always &= region.enabled(member)
        ever |= region.enabled(member)
    needs = (always & fairness.weak) | (ever & fairness.strong)
    group = 1
    while group <= asked:
        if asked & group and needs & group and not any(edge.groups & group for _, edge in tour):
            walk = _walk(region, part, node, lambda _, edge, group=group: bool(edge.groups & group))  # type: ignore[misc]  # a default binds the loop's value
            tour += walk
            node = walk[-1][1].to
        elif asked & group & fairness.weak and not needs & group:
            node = _visit(region, part, tour, node, lambda at, group=group: not region.enabled(at) & group)  # type: ignore[misc]  # a default binds the loop's value
        group <<= 1
    if region.accept is not None:
        node = _visit(region, part, tour, node, region.accept)
    if node != start:
        tour += _walk(region, part, node, lambda _, edge: edge.to == start)
    if not tour:
        own = region.edges(start, part)
        tour = _walk(region, part, start, lambda _, edge: edge.to == start) if own else [(start, STAY)]
    return tour


def _visit(
    region: Region, part: set[int], tour: list[tuple[int, Edge]], node: int, wanted: Callable[[int], bool]
) -> int:
    if wanted(node) or any(wanted(at) for at, _ in tour):
        return node
    walk = _walk(region, part, node, lambda _, edge: wanted(edge.to))
    tour += walk
    return walk[-1][1].to


def _walk(region: Region, part: set[int], start: int, last: Callable[[int, Edge], bool]) -> list[tuple[int, Edge]]:
    """A shortest walk in the part whose last edge satisfies `last`."""
    came: dict[int, tuple[int, Edge] | None] = {start: None}
    order = [start]
    for node in order:
        for edge in region.edges(node, part):
            if last(node, edge):
                walk = [(node, edge)]
                while (back := came[node]) is not None:
                    walk.append(back)
                    node = back[0]
                return list(reversed(walk))
            if edge.to not in came:
                came[edge.to] = (node, edge)
                order.append(edge.to)
    raise AssertionError("a strongly connected part has a walk between any two of its nodes")
