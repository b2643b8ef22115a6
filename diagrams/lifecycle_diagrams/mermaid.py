"""Draws a graph as a Mermaid flowchart. Refuses colours of its own where no tone asks for one: themes decide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lifecycle_diagrams.colours import card, light, stroke
from lifecycle_diagrams.dot import LISTING
from lifecycle_diagrams.graph import Detail, Edge, Graph, Node
from lifecycle_diagrams.labels import edge_lines, node_lines

SHAPES = {
    "start": ('(("', '"))'),
    "state": ('("', '")'),
    "passing": ('("', '")'),
    "copy": ('(["', '"])'),
    "exit": ('>"', '"]'),
    "step": ('["', '"]'),
    "machine": ('["', '"]'),
    "outside": ('[/"', '"/]'),
}
ARROWS = {"gate": "-.->", "hidden": "~~~", "move": "-->", "next": "-->", "jump": "-->", "touch": "-->"}
SIGNS = (("#", "#35;"), ('"', "#quot;"), ("<", "#lt;"), (">", "#gt;"), ("`", "'"))
DASHED = "passing"
INDENT, WIDTH = "\u2003", 4
"""What stands for so many blanks before a line: HTML keeps it."""
LISTED = "listed"
"""The class of nodes whose lines begin at the left."""


def mermaid(graph: Graph, detail: Detail) -> str:
    """The Mermaid source of a graph."""
    names = {node.id: f"n{index}" for index, node in enumerate(graph.nodes)}
    places = {group.id: f"g{index}" for index, group in enumerate(graph.groups)}
    lines = ["---", f"title: {_plain(graph.title)}", "config:", "  flowchart:", "    wrappingWidth: 520", "---"]
    lines.append(f"flowchart {graph.direction}")
    lines += _inside(graph, names, places, "", detail, "  ")
    lines += [f"  {_arrow(edge, names, detail)}" for edge in graph.edges]
    lines += _classes(graph, names, places)
    return "\n".join(lines) + "\n"


def _inside(
    graph: Graph, names: dict[str, str], places: dict[str, str], parent: str, detail: Detail, indent: str
) -> Iterator[str]:
    groups, nodes = graph.inside(parent)
    for node in nodes:
        yield indent + _node(node, names[node.id], detail)
    for group in groups:
        label = _plain(group.label) or " "
        yield f'{indent}subgraph {places[group.id]}["{label}"]'
        yield from _inside(graph, names, places, group.id, detail, indent + "  ")
        yield f"{indent}end"


def _node(node: Node, name: str, detail: Detail) -> str:
    before, behind = SHAPES[node.kind]
    text = "<br/>".join(_plain(line) for line in node_lines(node, detail)) or " "
    return f"{name}{before}{text}{behind}"


def _arrow(edge: Edge, names: dict[str, str], detail: Detail) -> str:
    arrow = f"<{ARROWS[edge.kind]}" if edge.both else ARROWS[edge.kind]
    text = "<br/>".join(_plain(line) for line in edge_lines(edge, detail))
    label = f'|"{text}"|' if text else ""
    return f"{names[edge.source]} {arrow}{label} {names[edge.target]}"


def _classes(graph: Graph, names: dict[str, str], places: dict[str, str]) -> Iterator[str]:
    passing = [names[node.id] for node in graph.nodes if node.kind == "passing"]
    if passing:
        yield f"  classDef {DASHED} stroke-dasharray:5 4"
        yield f"  class {','.join(passing)} {DASHED}"
    lists = [names[node.id] for node in graph.nodes if node.kind in LISTING]
    if lists:
        yield f"  classDef {LISTED} text-align:left"
        yield f"  class {','.join(lists)} {LISTED}"
    toned: dict[str, list[str]] = {}
    for node in graph.nodes:
        if node.tone:
            toned.setdefault(node.tone, []).append(names[node.id])
    for group in graph.groups:
        if group.tone:
            toned.setdefault(group.tone, []).append(places[group.id])
    for tone, members in sorted(toned.items()):
        yield f"  classDef {tone} fill:{light(card(tone))},stroke:{light(stroke(tone))},color:{light(stroke(tone))}"
        yield f"  class {','.join(members)} {tone}"
    for tone, edges in sorted(_by_tone(graph.edges).items()):
        yield f"  linkStyle {','.join(map(str, edges))} stroke:{light(stroke(tone))},color:{light(stroke(tone))}"


def _by_tone(edges: Iterable[Edge]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for index, edge in enumerate(edges):
        if edge.tone:
            found.setdefault(edge.tone, []).append(index)
    return found


def _plain(line: str) -> str:
    """A line without the signs that Mermaid reads as its own."""
    for sign, word in SIGNS:
        line = line.replace(sign, word)
    bare = line.lstrip()
    return INDENT * ((len(line) - len(bare)) // WIDTH) + bare
