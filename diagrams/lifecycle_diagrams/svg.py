"""Lays DOT out as SVG, without the fonts of this machine, and makes it readable in light and dark surroundings.

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
from lifecycle_diagrams.errors import DiagramError

NAMESPACE = "http://www.w3.org/2000/svg"
SLACK = 0.88
"""Letters are drawn in this part of the size they were laid out with."""
FONTS = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
EXTRA = "pip install 'lifecycle-spec[svg]'"
_HASH = re.compile(r'data-dot="([0-9a-f]+)"')
_NO_FONTS = '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig></fontconfig>'
_NAMES = {pair.light: name for name, pair in COLOURS.items()}


def available() -> bool:
    """The layout extra is installed."""
    try:
        import pygraphviz  # noqa: F401  (only asked for)
    except ImportError:
        return False
    return True


def digest(dot: str) -> str:
    """The hash of a DOT source that its SVG carries."""
    return hashlib.sha256(dot.encode()).hexdigest()[:32]


def embedded(svg: str) -> str:
    """The hash of the DOT source that an SVG was drawn from; empty if it carries none."""
    found = _HASH.search(svg[:4000])
    return found.group(1) if found else ""


def svg(dot: str, title: str, description: str, tips: Mapping[str, str]) -> str:
    """The SVG of a DOT source. `tips`: what a pointer shows, by the id of a node, edge or group."""
    return _dressed(_laid_out(dot), dot, title, description, tips)


@contextmanager
def _without_fonts() -> Iterator[None]:
    """Text is measured by Graphviz' own tables instead of by the fonts found here."""
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


def _laid_out(dot: str) -> str:
    try:
        import pygraphviz
    except ImportError as error:
        raise DiagramError(
            "SVG needs the layout extra, pygraphviz, which is not installed",
            hint=f"{EXTRA}; Mermaid and DOT work without it",
        ) from error
    with _without_fonts(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Graphviz warns of every label it has to measure by its own tables
        return bytes(pygraphviz.AGraph(dot).draw(format="svg", prog="dot")).decode()


def _dressed(raw: str, dot: str, title: str, description: str, tips: Mapping[str, str]) -> str:
    ElementTree.register_namespace("", NAMESPACE)
    root = ElementTree.fromstring(raw)
    box = root.attrib["viewBox"]
    _, _, width, height = (float(number) for number in box.split())
    root.attrib.clear()
    root.attrib |= {
        "width": f"{width:.0f}", "height": f"{height:.0f}", "viewBox": box, "role": "img",
        "aria-labelledby": "picture-title picture-text", "data-dot": digest(dot),
    }  # fmt: skip
    graph = root.find(f"{{{NAMESPACE}}}g")
    assert graph is not None
    for child in [one for one in graph if one.tag.endswith("title")]:
        graph.remove(child)
    for group in list(graph):
        _tip(group, tips.get(group.attrib.pop("id", ""), ""))
    for element in root.iter():
        _recoloured(element)
        if element.tag.endswith("}text"):
            _lettered(element)
        if element.tag.endswith("}g"):
            element.attrib.pop("id", None)
    heads = [("title", "picture-title", title), ("desc", "picture-text", description)]
    for index, (tag, name, text) in enumerate(heads):
        head = ElementTree.Element(f"{{{NAMESPACE}}}{tag}", {"id": name})
        head.text = text
        root.insert(index, head)
    style = ElementTree.Element(f"{{{NAMESPACE}}}style")
    style.text = _css()
    root.insert(2, style)
    return ElementTree.tostring(root, encoding="unicode").replace("><", ">\n<") + "\n"


def _tip(group: ElementTree.Element, text: str) -> None:
    """Graphviz titles a thing by its own name; the pointer shows what the thing means."""
    title = group.find(f"{{{NAMESPACE}}}title")
    if title is not None:
        if text:
            title.text = text
        else:
            group.remove(title)


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


def _lettered(element: ElementTree.Element) -> None:
    """The size that leaves slack, and the colour that a line's first sign asks for."""
    size = float(element.attrib.pop("font-size", "13")) * SLACK
    element.attrib["font-size"] = f"{size:.2f}"
    element.attrib.pop("font-family", None)
    element.attrib.pop("{http://www.w3.org/XML/1998/namespace}space", None)
    text = (element.text or "").replace(" ", " ")
    plain = "f-ink" in element.attrib.get("class", "") or "class" not in element.attrib
    kind = {"[": "f-guard", "/": "f-said", "#": "f-faint"}.get(text.lstrip()[:1], "")
    if plain and text[:1] in "①②③④⑤⑥⑦⑧⑨" and text:
        kind = "f-mark"
    if plain and kind:
        element.attrib["class"] = kind
    elif "class" not in element.attrib:
        element.attrib["class"] = "f-ink"


def _css() -> str:
    def rules(dark: bool) -> str:
        return "".join(
            f".f-{name}{{fill:{pair[dark]}}}.s-{name}{{stroke:{pair[dark]}}}" for name, pair in COLOURS.items()
        )

    halo = ".edge text{paint-order:stroke;stroke-width:3px;stroke-linejoin:round;stroke:"
    return (
        f"text{{font-family:{FONTS}}}{rules(False)}{halo}{COLOURS['ground'].light}}}"
        f"@media (prefers-color-scheme:dark){{{rules(True)}{halo}{COLOURS['ground'].dark}}}}}"
    )
