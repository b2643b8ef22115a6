"""The lasso search against machines worked out by hand, and its lassos checked edge by edge."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from lifecycle_model.liveness import STAY, Edge, Fairness, Lasso, Region, components, find_lasso


def _load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


TRAPS = _load("liveness_traps").TRAPS


class Graph:
    """A trap's machine as a graph."""

    def __init__(self, trap: Any) -> None:
        edges = [tuple(part.split()) for part in trap.edges.split(",")]
        names = sorted({process for _, process, _ in edges})
        self.bit = {name: 1 << index for index, name in enumerate(names)}
        self.out: dict[int, list[Edge]] = {}
        for source, process, target in edges:
            self.out.setdefault(int(source), []).append(Edge(int(target), self.bit[process], process))
            self.out.setdefault(int(target), [])
        self.reached = [0]
        for node in self.reached:
            self.reached += [e.to for e in self.out[node] if e.to not in self.reached]

    def enabled(self, node: int) -> int:
        mask = 0
        for edge in self.out[node]:
            mask |= edge.groups
        return mask

    def mask(self, names: str) -> int:
        return sum(self.bit[name] for name in names)


def search(trap: Any) -> tuple[Graph, Lasso | None]:
    graph = Graph(trap)
    bad = [node for node in graph.reached if node not in trap.goal]
    fairness = Fairness(graph.mask(trap.weak), graph.mask(trap.strong))
    accept = None
    nodes: Iterable[int] = bad
    match trap.form:
        case "F":
            entries = [0] if 0 in bad else []
        case "GF":
            entries = bad
        case "~>":
            entries = [node for node in bad if node in trap.when]
        case _:
            nodes, entries, accept = graph.reached, [0], bad.__contains__
    region = Region(nodes, graph.out.__getitem__, graph.enabled, accept=accept)
    return graph, find_lasso(region, entries, fairness)


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.name)
def test_trap_has_its_hand_worked_answer(trap: Any) -> None:
    _, lasso = search(trap)
    assert (lasso is None) == trap.holds, trap.why


@pytest.mark.parametrize("trap", [trap for trap in TRAPS if not trap.holds], ids=lambda trap: trap.name)
def test_lasso_is_a_fair_run_that_stays_bad(trap: Any) -> None:
    graph, lasso = search(trap)
    assert lasso is not None
    walk = [*lasso.stem, *lasso.cycle]
    for (node, edge), (after, _) in pairwise(walk):
        assert edge in graph.out[node]
        assert edge.to == after
    start, last = lasso.cycle[0][0], lasso.cycle[-1]
    assert last[1] is STAY or last[1].to == start
    nodes = [node for node, _ in lasso.cycle]
    if trap.form == "FG":
        assert any(node not in trap.goal for node in nodes)
    else:
        assert not set(nodes) & set(trap.goal)
    taken = 0
    for _, edge in lasso.cycle:
        taken |= edge.groups
    for name in trap.weak:
        bit = graph.bit[name]
        assert taken & bit or any(not graph.enabled(node) & bit for node in nodes), name
    for name in trap.strong:
        bit = graph.bit[name]
        assert taken & bit or not any(graph.enabled(node) & bit for node in nodes), name


def test_there_are_at_least_thirty_traps_of_both_kinds() -> None:
    assert len(TRAPS) >= 30
    assert min(sum(trap.holds for trap in TRAPS), sum(not trap.holds for trap in TRAPS)) >= 12
    assert len({trap.name for trap in TRAPS}) == len(TRAPS)


def test_stem_edges_may_lead_into_a_region_that_cycles_by_others() -> None:
    """A command may be given on the way to a cycle that itself needs none."""
    stem = {0: [Edge(1, 0, "command")], 1: []}
    region = Region([0, 1], lambda node: [], lambda node: 1 if node == 0 else 0, stem=stem.__getitem__)
    lasso = find_lasso(region, [0], Fairness(weak=1))
    assert lasso is not None
    assert [node for node, _ in lasso.stem] == [0]
    assert lasso.cycle == ((1, STAY),)


def test_edges_out_of_the_region_are_ignored() -> None:
    region = Region([0], lambda node: [Edge(7, 1)], lambda node: 1)
    assert find_lasso(region, [0], Fairness(weak=1)) is None
    assert find_lasso(region, [0], Fairness()) is not None


def test_components_of_a_long_chain_need_no_recursion() -> None:
    size = 20_000
    found = components(range(size), lambda node: [node + 1] if node + 1 < size else [0])
    assert len(found) == 1
    assert len(components(range(size), lambda node: [node + 1] if node + 1 < size else [])) == size
