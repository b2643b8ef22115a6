"""Writes a laid out graph as SVG: its texts, where there is room, its tips, its colours for light and dark surroundings.

Refuses to lay out: `layout` does.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from xml.etree import ElementTree

from lifecycle_diagrams.colours import COLOURS
from lifecycle_diagrams.dot import LISTING, ROOM, SIZE, SMALL, dot
from lifecycle_diagrams.graph import Detail, Edge, Graph, Node
from lifecycle_diagrams.labels import edge_lines, node_lines
from lifecycle_diagrams.layout import laid_out
from lifecycle_diagrams.lettering import NAMESPACE, letter
from lifecycle_diagrams.measure import block, line_width
from lifecycle_diagrams.room import Box, Room, along, around

FONTS = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
INSET = 10.0
"""Where the lines of a step and the label of a frame begin, from the left edge."""
DESCENT = 0.2
"""How far the baseline stands above the lower edge of a letter's box, in letters."""
_LINES = re.compile(r"><(?!/?tspan|/text)([/a-z])")
_HASH = re.compile(r'data-dot="([0-9a-f]+)"')
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_NAMES = {pair.light: name for name, pair in COLOURS.items()}


def digest(source: str) -> str:
    """The hash of a DOT source that its SVG carries."""
    return hashlib.sha256(source.encode()).hexdigest()[:32]


def embedded(text: str) -> str:
    """The hash of the DOT source that an SVG was drawn from; empty if it carries none."""
    found = _HASH.search(text[:4000])
    return found.group(1) if found else ""


def svg(graph: Graph, detail: Detail, description: str, tips: Mapping[str, str]) -> str:
    """The SVG of a graph. `tips`: what a pointer shows, by the id of a node, edge or group."""
    root = ElementTree.fromstring(laid_out(dot(graph, detail, sized=True)))
    box = root.attrib["viewBox"]
    _, _, width, height = (float(number) for number in box.split())
    root.attrib.clear()
    root.attrib |= {
        "width": f"{width:.0f}", "height": f"{height:.0f}", "viewBox": box, "role": "img",
        "aria-label": graph.title, "data-dot": digest(dot(graph, detail)),
    }  # fmt: skip
    page = root.find(_tag("g"))
    assert page is not None
    for child in [one for one in page if one.tag == _tag("title")]:
        page.remove(child)
    _lettered(page, graph, detail, tips)
    for element in root.iter():
        _recoloured(element)
        element.attrib.pop("id", None)
    for index, (tag, text) in enumerate((("title", graph.title), ("desc", description), ("style", _css()))):
        head = ElementTree.Element(_tag(tag))
        head.text = text
        root.insert(index, head)
    ElementTree.register_namespace("", NAMESPACE)
    return _LINES.sub(r">\n<\1", ElementTree.tostring(root, encoding="unicode")) + "\n"


def _lettered(page: ElementTree.Element, graph: Graph, detail: Detail, tips: Mapping[str, str]) -> None:
    """Write every text: into the boxes, then the arrows' labels on top of everything, then the frames' where room is left."""
    things: dict[str, list[tuple[str, ElementTree.Element]]] = {"node": [], "edge": [], "group": []}
    for group in page:
        kind, _, key = group.attrib.get("id", "").partition("·")
        if kind in things:
            _tipped(group, tips)
            things[kind].append((key, group))
    nodes = {node.id: node for node in graph.nodes}
    room = Room([_bounds(group) for _, group in things["node"]])
    for key, group in things["node"]:
        _node_text(group, nodes[key], detail)
    for _, group in things["edge"]:
        for path in group.iter(_tag("path")):
            room.line(path.attrib["d"])
    labels = [_edge_label(group, graph.edges[int(key)], detail, room) for key, group in things["edge"]]
    for _, group in things["group"]:
        _frame_label(group, room)
    page.extend(label for label in labels if label is not None)


def _tipped(group: ElementTree.Element, tips: Mapping[str, str]) -> None:
    """Let a pointer show the thing's tip."""
    title = group.find(_tag("title"))
    if title is None:
        return
    title.text = tips.get(group.attrib["id"], "")
    if not title.text:
        group.remove(title)


def _tag(name: str) -> str:
    return f"{{{NAMESPACE}}}{name}"


def _node_text(group: ElementTree.Element, node: Node, detail: Detail) -> None:
    box = _bounds(group)
    letter(
        group,
        node_lines(node, detail),
        _middle(box),
        SIZE,
        left=box.left + INSET if node.kind in LISTING else None,
        bold_first=bool(node.label) and node.kind != "outside",
        tone=node.tone,
    )


def _frame_label(group: ElementTree.Element, room: Room) -> None:
    frame = _bounds(group)
    for text in group.findall(_tag("text")):
        width = line_width(text.text or "", SIZE, bold=True)
        place = room.first_free(along(frame, width, SIZE, INSET))
        text.attrib.pop("font-family", None)
        text.attrib |= {"text-anchor": "start", "font-weight": "600", "x": f"{frame.left + INSET:.1f}"}
        if place is not None:
            text.attrib |= {"x": f"{place.left:.1f}", "y": f"{place.bottom - SIZE * DESCENT:.1f}"}


def _edge_label(group: ElementTree.Element, edge: Edge, detail: Detail, room: Room) -> ElementTree.Element | None:
    """The label of an arrow, where the layout has left room for it or close by."""
    kept = next((one for one in group.iter() if one.attrib.get("fill") == ROOM), None)
    if kept is None:
        return None
    for parent in group.iter():
        if kept in list(parent):
            parent.remove(kept)
    lines = edge_lines(edge, detail)
    size = block(lines, SMALL)
    x, y = _middle(_numbers(kept))
    wanted = Box(x - size.width / 2, y - size.height / 2, x + size.width / 2, y + size.height / 2)
    place = room.first_free(around(wanted)) or wanted
    room.boxes.append(place)
    label = ElementTree.Element(_tag("g"), {"class": "label"})
    title = group.find(_tag("title"))
    if title is not None:
        copy = ElementTree.SubElement(label, _tag("title"))
        copy.text = title.text
    letter(label, lines, _middle(place), SMALL, tone=edge.tone)
    return label


def _middle(box: Box) -> tuple[float, float]:
    return (box.left + box.right) / 2, (box.top + box.bottom) / 2


def _bounds(group: ElementTree.Element) -> Box:
    shape = next(one for one in group.iter() if one.tag in (_tag("path"), _tag("polygon"), _tag("ellipse")))
    return _numbers(shape)


def _numbers(shape: ElementTree.Element) -> Box:
    """The box around a shape."""
    if shape.tag == _tag("ellipse"):
        x, y, rx, ry = (float(shape.attrib[name]) for name in ("cx", "cy", "rx", "ry"))
        return Box(x - rx, y - ry, x + rx, y + ry)
    found = [float(number) for number in _NUMBER.findall(shape.attrib.get("d", "") + shape.attrib.get("points", ""))]
    return Box(min(found[::2]), min(found[1::2]), max(found[::2]), max(found[1::2]))


def _recoloured(element: ElementTree.Element) -> None:
    """A known colour becomes a class, so that the surroundings decide."""
    classes = [element.attrib["class"]] if "class" in element.attrib else []
    for attribute, lead in (("fill", "f"), ("stroke", "s")):
        name = _NAMES.get(element.attrib.get(attribute, ""))
        if name is not None:
            del element.attrib[attribute]
            classes.append(f"{lead}-{name}")
    if classes:
        element.attrib["class"] = " ".join(classes)


def _css() -> str:
    def rules(dark: bool) -> str:
        return "".join(
            f".f-{name}{{fill:{pair[dark]}}}.s-{name}{{stroke:{pair[dark]}}}" for name, pair in COLOURS.items()
        )

    halo = ".label text{paint-order:stroke;stroke-width:3px;stroke-linejoin:round;stroke:"
    return (
        f"text{{font-family:{FONTS}}}{rules(False)}{halo}{COLOURS['ground'].light}}}"
        f"@media (prefers-color-scheme:dark){{{rules(True)}{halo}{COLOURS['ground'].dark}}}}}"
    )
