"""Owns what stands out on a picture and what steps back: a clause, a state in focus, a run's coverage, a change.

Refuses to build or to draw: it changes the tone of what is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from lifecycle_diagrams.errors import DiagramError
from lifecycle_diagrams.graph import Edge, Graph, Node, Tone, Way, unique

CHANGES = ("added", "removed", "changed")
GREY = "grey"
NAMED = ("state", "passing", "step", "machine")
"""The kinds of node that can be in focus."""
STEPS = (1, 10, 100, 1000)
"""A row taken at least so often is warmer; one never taken is told apart."""

Paint = Callable[[Way], Way]


def plain(way: Way) -> Way:
    """Leave a way as it is."""
    return way


def carrying(clause: str) -> Paint:
    """Grey every way whose rows do not carry the clause."""
    return lambda way: way if clause in way.clauses else replace(way, tone=GREY)


def warmed(counts: Mapping[str, int]) -> Paint:
    """How often a run took each way, by its rows: the rarest of the rows it cannot do without."""

    def paint(way: Way) -> Way:
        if not way.key_rows:
            return way
        count = min(counts.get(row, 0) for row in way.key_rows)
        return replace(way, count=count, tone=heat(count))

    return paint


def heat(count: int) -> Tone:
    """The tone of a count."""
    return f"heat{sum(count >= step for step in STEPS)}"


def together(tones: Iterable[Tone]) -> Tone:
    """The tone of what has several ways: a change if one is, the warmest heat, grey only if all are."""
    found = set(tones)
    if not found or found == {GREY}:
        return GREY if found else ""
    found -= {GREY}
    if found & set(CHANGES):
        return found.pop() if len(found) == 1 else "changed"
    return max(found)


def toned(graph: Graph) -> Graph:
    """Give edges, nodes and groups the tone of their ways; what touches nothing alive is grey where anything is."""
    edges = tuple(replace(edge, tone=together(way.tone for way in edge.ways)) for edge in graph.edges)
    nodes = tuple(replace(node, tone=together(way.tone for way in node.ways)) for node in graph.nodes)
    tones = {node.id: node.tone for node in nodes}
    exits = {node.id for node in nodes if node.kind == "exit"}
    edges = tuple(replace(edge, tone=tones[edge.source]) if edge.source in exits else edge for edge in edges)
    if GREY not in {*(edge.tone for edge in edges), *(node.tone for node in nodes)}:
        return replace(graph, edges=edges, nodes=tuple(map(_state_plain, nodes)))
    alive = {end for edge in edges if edge.tone != GREY and edge.ways for end in (edge.source, edge.target)}
    alive |= {node.id for node in nodes if node.ways and node.tone != GREY}
    alive |= {edge.target for edge in edges if edge.source in exits & alive}
    shared = "".join(node.mark for node in nodes if node.id in exits & alive)
    alive |= {node.id for node in nodes if set(node.mark) & set(shared)}
    return replace(
        graph,
        edges=tuple(_edge_grey(edge, alive) for edge in edges),
        nodes=tuple(replace(node, tone="" if node.id in alive else GREY) for node in nodes),
        groups=tuple(replace(group, tone=GREY) for group in graph.groups),
    )


def _state_plain(node: Node) -> Node:
    """A state is not warmer or newer than its arrows say."""
    return node if node.kind in ("step", "exit") or node.tone in CHANGES else replace(node, tone="")


def _edge_grey(edge: Edge, alive: set[str]) -> Edge:
    if edge.ways or edge.source in alive:
        return edge
    return replace(edge, tone=GREY)


def focused(graph: Graph, name: str) -> Graph:
    """Grey everything but one state or step, its arrows, and where they lead. DiagramError for an unknown name."""
    centre = next((node for node in graph.nodes if name in (node.label, node.id, *node.steps)), None)
    if centre is None:
        known = ", ".join(
            unique(name for node in graph.nodes if node.kind in NAMED for name in (node.label, *node.steps))
        )
        raise DiagramError(f"picture {graph.name} shows no {name!r}", hint=f"it shows {known}")
    copies = {node.id for node in graph.nodes if node.kind == "copy" and node.about == name}
    exits = {node.id for node in graph.nodes if node.kind == "exit" and node.mark in centre.mark}
    own = {centre.id, *copies, *exits}
    near = own | {end for edge in graph.edges if {edge.source, edge.target} & own for end in (edge.source, edge.target)}
    return replace(
        graph,
        edges=tuple(
            edge if {edge.source, edge.target} & own else replace(_silent(edge), tone=GREY) for edge in graph.edges
        ),
        nodes=tuple(node if node.id in near else replace(node, tone=GREY) for node in graph.nodes),
        groups=tuple(
            group
            if any(node.id in near and node.parent == group.id for node in graph.nodes)
            else replace(group, tone=GREY)
            for group in graph.groups
        ),
    )


def _silent(edge: Edge) -> Edge:
    return replace(edge, ways=tuple(replace(way, tone=GREY) for way in edge.ways))
