"""Owns the lines of text on a picture at each level of detail. Refuses to know a format.

A line's first sign says what it is, for the eye and for the renderers: `[` a guard, `/` what is published,
`→` where it goes, `#` rows and clauses; any other line names something.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from lifecycle_diagrams.graph import Detail, Edge, Node, Way, unique

WIDTH = 26
"""Characters a line of an edge's label may have."""
WIDE = 58
"""Characters a line inside a node may have."""


def edge_lines(edge: Edge, detail: Detail) -> list[str]:
    """The lines of an edge's label."""
    if detail == "names":
        return list(unique(way.trigger for way in edge.ways))
    lines: list[str] = []
    for ways in _alike(edge.ways):
        lines += unique(way.trigger for way in ways)
        lines += _told(ways[0], WIDTH, detail)
        if detail == "full":
            lines += _wrapped("# ", unique(row for way in ways for row in way.key_rows), WIDTH)
            lines += _wrapped("# ", unique(clause for way in ways for clause in way.clauses), WIDTH)
        lines += _counted(ways)
    return lines


def _alike(ways: Iterable[Way]) -> list[list[Way]]:
    """Ways that say the same but for their trigger stand together."""
    found: dict[tuple[object, ...], list[Way]] = {}
    for way in ways:
        found.setdefault((way.guards, way.published, way.tone, way.effect), []).append(way)
    return list(found.values())


def node_lines(node: Node, detail: Detail) -> list[str]:
    """The lines of a node: its name, its marks, and what happens in it."""
    lines = [line for line in (node.label, node.mark if node.kind != "exit" else "") if line]
    if node.kind == "step":
        return lines + [line for way in node.ways for line in _step_lines(way, detail)]
    if detail == "names":
        return lines
    for way in node.ways:
        if detail == "full":
            lines += [way.trigger, *_told(way, WIDTH, detail)]
        else:
            lines += _wrapped("/ ", way.published, WIDTH)
    if node.kind in ("machine", "outside", "end"):
        lines += textwrap.wrap(node.about, WIDE // 2)
    return lines


def _step_lines(way: Way, detail: Detail) -> list[str]:
    """A row of a step as lines: guard, what it does, where it goes."""
    if detail == "names":
        return []
    parts = [*(f"[{guard}]" for guard in way.guards), way.moves, way.effect]
    text = " ".join(part for part in parts if part)
    lines = textwrap.wrap(text, WIDE, subsequent_indent="    ") if text else []
    if way.then:
        lines += textwrap.wrap(f"    {way.then}", WIDE) if lines else [way.then]
    if detail == "full":
        lines += _wrapped("# ", (*way.rows, *way.clauses), WIDE)
    return [*lines, *_counted([way])]


def _told(way: Way, width: int, detail: Detail) -> list[str]:
    lines = [] if not way.guards else textwrap.wrap(f"[{', '.join(way.guards)}]", width, subsequent_indent=" ")
    if detail == "full" and way.effect:
        lines += textwrap.wrap(way.effect, width)
    return lines + _wrapped("/ ", way.published, width)


def _wrapped(lead: str, words: Iterable[str], width: int) -> list[str]:
    """Words in lines that each begin with the lead."""
    lines: list[str] = []
    for word in words:
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(lead + word)
    return lines


def _counted(ways: Iterable[Way]) -> list[str]:
    counts = [way.count for way in ways if way.count is not None]
    return [] if not counts else [f"×{sum(counts)}"]


def tooltip(ways: Iterable[Way], clauses: dict[str, str]) -> str:
    """What a pointer over an edge or a node shows: rows, guards' sentences, and every clause with its sentence."""
    lines: list[str] = []
    for way in ways:
        head = f"{way.trigger}: {', '.join(way.rows)}" if way.trigger else ", ".join(way.rows)
        lines += [part for part in (head, way.about, way.effect) if part]
    for clause in unique(clause for way in ways for clause in way.clauses):
        sentence = clauses.get(clause, "").replace("`", "")
        lines.append(f"{clause}: {sentence}" if sentence else clause)
    return "\n".join(lines)
