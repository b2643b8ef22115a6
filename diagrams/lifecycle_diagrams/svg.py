"""Lays a graph out as SVG, without the fonts of this machine, readable in light and dark surroundings.

Refuses nothing but to work without `pygraphviz`, and says how to get it.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

from lifecycle_diagrams.colours import COLOURS
from lifecycle_diagrams.dot import ROOM, SIZE, SMALL, dot
from lifecycle_diagrams.errors import DiagramError
from lifecycle_diagrams.graph import Detail, Graph
from lifecycle_diagrams.labels import edge_lines, node_lines
from lifecycle_diagrams.lettering import NAMESPACE, letter

FONTS = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
EXTRA = "pip install 'lifecycle-spec[svg]'"
INSET = 10.0
"""Where the lines of a step and the label of a frame begin, from the left edge."""
_LINES = re.compile(r"><(?!/?tspan|/text)([/a-z])")
_HASH = re.compile(r'data-dot="([0-9a-f]+)"')
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_NO_FONTS = '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig></fontconfig>'
_NAMES = {pair.light: name for name, pair in COLOURS.items()}


def available() -> bool:
    """The layout extra is installed."""
    try:
        import pygraphviz  # noqa: F401  (only asked for)
    except ImportError:
        return False
    return True


def digest(source: str) -> str:
    """The hash of a DOT source that its SVG carries."""
    return hashlib.sha256(source.encode()).hexdigest()[:32]


def embedded(text: str) -> str:
    """The hash of the DOT source that an SVG was drawn from; empty if it carries none."""
    found = _HASH.search(text[:4000])
    return found.group(1) if found else ""


def svg(graph: Graph, detail: Detail, description: str, tips: Mapping[str, str]) -> str:
    """The SVG of a graph. `tips`: what a pointer shows, by the id of a node, edge or group."""
    root = ElementTree.fromstring(_laid_out(dot(graph, detail, sized=True)))
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
    labels = [_filled(group, graph, detail, tips) for group in page if "id" in group.attrib]
    page.extend(label for label in labels if label is not None)
    for element in root.iter():
        _recoloured(element)
        element.attrib.pop("id", None)
    for index, (tag, text) in enumerate((("title", graph.title), ("desc", description), ("style", _css()))):
        head = ElementTree.Element(_tag(tag))
        head.text = text
        root.insert(index, head)
    ElementTree.register_namespace("", NAMESPACE)
    return _LINES.sub(r">\n<\1", ElementTree.tostring(root, encoding="unicode")) + "\n"


def _tag(name: str) -> str:
    return f"{{{NAMESPACE}}}{name}"


@contextmanager
def _without_fonts() -> Iterator[None]:
    """No font of this machine is looked at: every text has its room already."""
    before = os.environ.get("FONTCONFIG_FILE")
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "fonts.conf"
        empty.write_text(_NO_FONTS)
        os.environ["FONTCONFIG_FILE"] = str(empty)
        try:
            yield
        finally:
            del os.environ["FONTCONFIG_FILE"]
            if before is not None:
                os.environ["FONTCONFIG_FILE"] = before


def _laid_out(source: str) -> str:
    try:
        import pygraphviz
    except ImportError as error:
        raise DiagramError(
            "SVG needs the layout extra, pygraphviz, which is not installed",
            hint=f"{EXTRA}; Mermaid and DOT work without it",
        ) from error
    with _without_fonts(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Graphviz may warn that it found no font, which is what we want
        return bytes(pygraphviz.AGraph(source).draw(format="svg", prog="dot")).decode()


def _filled(
    group: ElementTree.Element, graph: Graph, detail: Detail, tips: Mapping[str, str]
) -> ElementTree.Element | None:
    """Write a thing's text and tip into its group; an edge's label comes back, to stand on top of everything."""
    name = group.attrib["id"]
    kind, _, key = name.partition("·")
    title = group.find(_tag("title"))
    if title is not None:
        title.text = tips.get(name, "")
        if not title.text:
            group.remove(title)
    if kind == "node":
        node = next(one for one in graph.nodes if one.id == key)
        lines = node_lines(node, detail)
        left, top, right, bottom = _bounds(group)
        start = left + INSET if node.kind in ("step", "machine") else None
        middle = ((left + right) / 2, (top + bottom) / 2)
        letter(
            group,
            lines,
            middle,
            SIZE,
            left=start,
            bold_first=bool(node.label) and node.kind != "outside",
            tone=node.tone,
        )
    elif kind == "group":
        for text in group.findall(_tag("text")):
            left, _, _, _ = _bounds(group)
            text.attrib |= {"x": f"{left + INSET:.1f}", "text-anchor": "start", "font-weight": "600"}
            text.attrib.pop("font-family", None)
    elif kind == "edge":
        return _edge_label(group, graph, int(key), detail)
    return None


def _edge_label(group: ElementTree.Element, graph: Graph, index: int, detail: Detail) -> ElementTree.Element | None:
    room = next((one for one in group.iter() if one.attrib.get("fill") == ROOM), None)
    if room is None:
        return None
    left, top, right, bottom = _numbers(room)
    for parent in group.iter():
        if room in list(parent):
            parent.remove(room)
    edge = graph.edges[index]
    label = ElementTree.Element(_tag("g"), {"class": "label"})
    title = group.find(_tag("title"))
    if title is not None:
        copy = ElementTree.SubElement(label, _tag("title"))
        copy.text = title.text
    letter(label, edge_lines(edge, detail), ((left + right) / 2, (top + bottom) / 2), SMALL, tone=edge.tone)
    return label


def _bounds(group: ElementTree.Element) -> tuple[float, float, float, float]:
    shape = next(one for one in group.iter() if one.tag in (_tag("path"), _tag("polygon"), _tag("ellipse")))
    return _numbers(shape)


def _numbers(shape: ElementTree.Element) -> tuple[float, float, float, float]:
    """The box around a shape."""
    if shape.tag == _tag("ellipse"):
        x, y, rx, ry = (float(shape.attrib[name]) for name in ("cx", "cy", "rx", "ry"))
        return x - rx, y - ry, x + rx, y + ry
    found = [float(number) for number in _NUMBER.findall(shape.attrib.get("d", "") + shape.attrib.get("points", ""))]
    return min(found[::2]), min(found[1::2]), max(found[::2]), max(found[1::2])


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
