"""Draws a graph as a Mermaid state diagram. Refuses styling beyond what the text says: the same bytes everywhere."""

from __future__ import annotations

from collections.abc import Iterator

from lifecycle_diagrams.graph import Detail, Graph
from lifecycle_diagrams.labels import edge_lines, node_lines


def mermaid(graph: Graph, detail: Detail) -> str:
    """The Mermaid source of a graph."""
    names = {node.id: f"n{index}" for index, node in enumerate(graph.nodes)}
    lines = ["---", f"title: {graph.title}", "---", "stateDiagram-v2", *_inside(graph, names, "", detail, "  ")]
    for edge in graph.edges:
        source = "[*]" if edge.source == "·start" else names[edge.source]
        label = "<br/>".join(_plain(line) for line in edge_lines(edge, detail))
        lines.append(f"  {source} --> {names[edge.target]}" + (f" : {label}" if label else ""))
    return "\n".join(lines) + "\n"


def _inside(graph: Graph, names: dict[str, str], parent: str, detail: Detail, indent: str) -> Iterator[str]:
    groups, nodes = graph.inside(parent)
    for node in nodes:
        if node.kind != "start":
            label = "<br/>".join(_plain(line) for line in node_lines(node, detail))
            yield f'{indent}state "{label}" as {names[node.id]}'
    for group in groups:
        yield f'{indent}state "{_plain(group.label)}" as g_{group.id} {{'
        yield from _inside(graph, names, group.id, detail, indent + "  ")
        yield f"{indent}}}"


def _plain(line: str) -> str:
    """A label's line without the signs that Mermaid reads as its own."""
    for sign, word in (
        ('"', "'"),
        ("#", "no. "),
        (";", ","),
        ("<", "‹"),
        (">", "›"),
        ("{", "("),
        ("}", ")"),
        (":", " "),
    ):
        line = line.replace(sign, word)
    return line
