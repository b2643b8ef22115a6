"""Draws a graph as DOT source. Refuses to lay anything out, and every label is plain text, one line a thought.

The *sized* source is for our own layout: every box and label has the size of its text, measured without fonts, and no
text; `svg` draws the text where the layout has left room for it.
"""

from __future__ import annotations

from collections.abc import Sequence

import graphviz

from lifecycle_diagrams.colours import card, light, stroke
from lifecycle_diagrams.graph import Detail, Edge, Graph, Group, Node, Tone
from lifecycle_diagrams.labels import edge_lines, node_lines
from lifecycle_diagrams.measure import Size, block

FONT = "Helvetica"
LISTING = ("step", "machine")
"""The kinds of box whose lines begin at the left."""
SIZE = 12
"""Letter size in a node, and of a frame's label."""
SMALL = 11
"""Letter size on an edge."""
MARGINS = {"copy": (14.0, 5.0), "passing": (22.0, 10.0), "state": (22.0, 10.0)}
MARGIN = (20.0, 9.0)
"""What a box adds to its text, in both directions."""
GAP = 14.0
"""What stands between an edge and its label."""
ROOM = "#010203"
"""The colour of the room that the layout keeps for a label; it is never drawn."""


def dot(graph: Graph, detail: Detail, sized: bool = False) -> str:
    """The DOT source of a graph."""
    source = graphviz.Digraph(graph.name)
    source.attr(
        "graph", rankdir=graph.direction, compound="true", newrank="true", nodesep="0.2", ranksep="0.3",
        fontname=FONT, fontsize=str(SIZE), bgcolor=light("ground"), pad="0.12", margin="0",
    )  # fmt: skip
    source.attr("node", fontname=FONT, fontsize=str(SIZE), shape="box", style="rounded,filled", margin="0.13,0.07")
    source.attr("edge", fontname=FONT, fontsize=str(SMALL), arrowsize="0.7")
    _inside(source, graph, "", detail, sized)
    for index, edge in enumerate(graph.edges):
        _edge(source, edge, index, detail, sized, _straight(graph, edge))
    return str(source.source)


def _inside(source: graphviz.Digraph, graph: Graph, parent: str, detail: Detail, sized: bool) -> None:
    groups, nodes = graph.inside(parent)
    for node in nodes:
        _node(source, node, detail, sized)
    for group in groups:
        with source.subgraph(name=f"cluster_{group.id}") as inner:
            inner.attr(**_frame(group))
            _inside(inner, graph, group.id, detail, sized)


def _frame(group: Group) -> dict[str, str]:
    return {
        "label": group.label,
        "id": f"group·{group.id}",
        "style": "rounded,filled",
        "color": light(stroke(group.tone, "rim")),
        "fillcolor": light(card(group.tone, "frame")),
        "fontcolor": light(stroke(group.tone, "faint")),
        "margin": "10",
        "labeljust": "l",
    }


def _node(source: graphviz.Digraph, node: Node, detail: Detail, sized: bool) -> None:
    lines = node_lines(node, detail)
    kept = {
        "id": f"node·{node.id}",
        "color": light(stroke(node.tone)),
        "fillcolor": light(card(_surface(node))),
        "fontcolor": light(stroke(node.tone, "ink")),
    }
    if node.kind == "start":
        kept |= {"label": "", "shape": "circle", "width": "0.16", "fixedsize": "true"}
        kept["fillcolor"] = light(stroke(node.tone, "ink"))
    elif sized:
        kept |= {"label": "", "fixedsize": "true", **_room(node, lines)}
    elif node.kind in LISTING:
        kept["label"] = "".join(f"{_escaped(line)}\\l" for line in lines)
    else:
        kept["label"] = "\\n".join(map(_escaped, lines))
    kept |= _STYLES.get(node.kind, {})
    source.node(_name(node.id), **kept)


def _surface(node: Node) -> Tone:
    """The tone of a box's ground: none where its lines have tones of their own."""
    return "" if node.kind in LISTING and node.tone.startswith("heat") else node.tone


_STYLES = {
    "passing": {"style": "rounded,filled,dashed"},
    "outside": {"style": "rounded,filled,dotted"},
    "copy": {"style": "rounded,filled,dotted"},
    "exit": {"style": "filled", "shape": "note"},
    "step": {"style": "filled"},
}


def _room(node: Node, lines: Sequence[str]) -> dict[str, str]:
    wide, high = MARGINS.get(node.kind, MARGIN)
    size = block(lines, SIZE, bold_first=True)
    return {"width": _inches(size.width + wide), "height": _inches(size.height + high)}


def _inches(pixels: float) -> str:
    return f"{pixels / 72:.3f}"


def _straight(graph: Graph, edge: Edge) -> bool:
    """The edge joins two neighbours of the main path."""
    return (edge.source, edge.target) in zip(graph.main, graph.main[1:], strict=False)


def _edge(source: graphviz.Digraph, edge: Edge, index: int, detail: Detail, sized: bool, straight: bool) -> None:
    if edge.kind == "hidden":
        source.edge(_name(edge.source), _name(edge.target), style="invis", weight="9")
        return
    lines = edge_lines(edge, detail)
    kept = {
        "id": f"edge·{index}",
        "color": light(stroke(edge.tone)),
        "fontcolor": light(stroke(edge.tone, "ink")),
    }
    if lines and sized:
        kept["label"] = _kept_room(block(lines, SMALL))
    elif lines:
        kept["label"] = "\\n".join(map(_escaped, lines))
    if edge.kind == "gate":
        kept["style"] = "dashed"
    if edge.tone == "removed":
        kept["style"] = "dotted"
    tail, head = edge.source, edge.target
    if not edge.order:
        tail, head = head, tail
        kept["dir"] = "back"
    else:
        if edge.both:
            kept["dir"] = "both"
        kept["weight"] = "12" if straight else "4" if edge.kind == "next" else "2"
    source.edge(_name(tail), _name(head), **kept)


def _kept_room(size: Size) -> str:
    """A label that is nothing but room."""
    cell = f'FIXEDSIZE="TRUE" WIDTH="{size.width + GAP:.0f}" HEIGHT="{size.height:.0f}" BGCOLOR="{ROOM}"'
    return f'<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"><TR><TD {cell}></TD></TR></TABLE>>'


def _name(node: str) -> str:
    """A node's name without the signs that DOT gives a meaning."""
    return node.replace(":", "·").replace("\\", "·")


def _escaped(line: str) -> str:
    return line.replace("\\", "\\\\")
