"""Draws a graph as DOT source. Refuses to lay anything out, and every label is plain text, one line a thought."""

from __future__ import annotations

import graphviz

from lifecycle_diagrams.colours import card, light, stroke
from lifecycle_diagrams.graph import Detail, Edge, Graph, Group, Node
from lifecycle_diagrams.labels import edge_lines, node_lines

FONT = "Helvetica"
SIZE = 13
"""Points the layout reckons with; the picture is drawn in smaller letters, so that a wider font still fits."""
SHAPES = {"start": "circle", "exit": "box", "outside": "box", "end": "box"}


def dot(graph: Graph, detail: Detail) -> str:
    """The DOT source of a graph."""
    source = graphviz.Digraph(graph.name)
    source.attr(
        "graph", rankdir=graph.direction, compound="true", newrank="true", nodesep="0.22", ranksep="0.34",
        fontname=FONT, fontsize=str(SIZE), bgcolor=light("ground"), pad="0.12", margin="0",
    )  # fmt: skip
    source.attr("node", fontname=FONT, fontsize=str(SIZE), shape="box", style="rounded,filled", margin="0.13,0.07")
    source.attr("edge", fontname=FONT, fontsize=str(SIZE - 1), arrowsize="0.7")
    _inside(source, graph, "", detail)
    for index, edge in enumerate(graph.edges):
        _edge(source, graph, edge, index, detail)
    return str(source.source)


def _inside(source: graphviz.Digraph, graph: Graph, parent: str, detail: Detail) -> None:
    groups, nodes = graph.inside(parent)
    for node in nodes:
        _node(source, node, detail)
    for group in groups:
        with source.subgraph(name=f"cluster_{group.id}") as inner:
            inner.attr(**_frame(group))
            _inside(inner, graph, group.id, detail)


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


def _node(source: graphviz.Digraph, node: Node, detail: Detail) -> None:
    lines = node_lines(node, detail)
    kept = {
        "id": f"node·{node.id}",
        "shape": SHAPES.get(node.kind, "box"),
        "color": light(stroke(node.tone)),
        "fillcolor": light(card(node.tone)),
        "fontcolor": light(stroke(node.tone, "ink")),
    }
    if node.kind == "start":
        kept |= {"label": "", "width": "0.16", "fixedsize": "true", "fillcolor": light(stroke(node.tone, "ink"))}
    elif node.kind == "step":
        kept |= {"label": "".join(f"{_escaped(line)}\\l" for line in lines), "style": "filled"}
    else:
        kept |= {"label": "\\n".join(map(_escaped, lines))}
    if node.kind == "passing":
        kept |= {"style": "rounded,filled,dashed"}
    if node.kind in ("exit", "end"):
        kept |= {"style": "filled", "shape": "cds" if node.kind == "exit" else "box", "margin": "0.16,0.05"}
    source.node(_name(node.id), **kept)


def _edge(source: graphviz.Digraph, graph: Graph, edge: Edge, index: int, detail: Detail) -> None:
    lines = edge_lines(edge, detail)
    kept = {
        "id": f"edge·{index}",
        "color": light(stroke(edge.tone)),
        "fontcolor": light(stroke(edge.tone, "ink")),
    }
    if lines:
        kept["label"] = "\\n".join(f"{_escaped(line)}" for line in lines)
    if edge.kind in ("gate", "jump"):
        kept["style"] = "dashed" if edge.kind == "gate" else "solid"
    if edge.tone == "removed":
        kept["style"] = "dotted"
    tail, head = edge.source, edge.target
    if not edge.order:
        tail, head = head, tail
        kept["dir"] = "back"
    else:
        kept["weight"] = "4" if edge.kind == "next" else "2"
    source.edge(_name(tail), _name(head), **kept)


def _name(node: str) -> str:
    """A node's name without the signs that DOT gives a meaning."""
    return node.replace(":", "·").replace("\\", "·")


def _escaped(line: str) -> str:
    return line.replace("\\", "\\\\")
