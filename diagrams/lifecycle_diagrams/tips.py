"""Owns what a pointer shows over a node, an arrow or a frame: rows, guards' sentences, and each clause with its own.

Refuses to know a format.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lifecycle_diagrams.graph import Graph, Way, unique


def tips(graph: Graph, clauses: Mapping[str, str]) -> dict[str, str]:
    """What a pointer shows, by the id that the drawing gives a node, an edge and a group."""
    found = {f"node·{one.id}": tip(one.label, one.ways, one.clauses, clauses) for one in graph.nodes}
    found |= {f"edge·{index}": tip("", one.ways, (), clauses) for index, one in enumerate(graph.edges)}
    return found | {f"group·{one.id}": tip(one.label or one.id, (), one.clauses, clauses) for one in graph.groups}


def tip(name: str, ways: Iterable[Way], carried: Iterable[str], clauses: Mapping[str, str]) -> str:
    """The lines for one thing."""
    lines = [name] if name else []
    ways = tuple(ways)
    for way in ways:
        head = ": ".join(part for part in (way.trigger, ", ".join(way.rows)) if part)
        lines += [part for part in (head, way.about, way.effect) if part]
    for clause in unique((*carried, *(clause for way in ways for clause in way.clauses))):
        sentence = clauses.get(clause, "").replace("`", "")
        lines.append(f"{clause}: {sentence}" if sentence else clause)
    return "\n".join(lines)
