"""Writes the lines of a label into an SVG group, in the colours that their first signs ask for.

Refuses to measure or to place: it is told where the block's middle is.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from lifecycle_diagrams.colours import stroke
from lifecycle_diagrams.graph import Tone
from lifecycle_diagrams.labels import STEP, Line
from lifecycle_diagrams.measure import LEADING

NAMESPACE = "http://www.w3.org/2000/svg"
SIGNS = {"/": "said", "◆": "said", "#": "faint", "×": "faint"}
MARKS = "①②③④⑤⑥⑦⑧⑨"
BASE = 0.36
"""The baseline stands so far below the middle of a line, in letters."""


def letter(
    group: ElementTree.Element,
    lines: Sequence[str],
    middle: tuple[float, float],
    size: float,
    *,
    left: float | None = None,
    bold_first: bool = False,
    tone: Tone = "",
) -> None:
    """Write lines around a middle; with `left` they begin there instead of being centred. A line's own tone wins."""
    x, y = middle
    guard = False
    for index, line in enumerate(lines):
        own = (line.tone if isinstance(line, Line) else "") or tone
        offset = (index - (len(lines) - 1) / 2) * size * LEADING
        text = ElementTree.SubElement(group, f"{{{NAMESPACE}}}text")
        indent = len(line) - len(line.lstrip(" "))
        text.attrib |= {
            "x": f"{(x if left is None else left + indent * size * 0.3):.1f}",
            "y": f"{y + offset + size * BASE:.1f}",
            "font-size": f"{size:g}",
            "text-anchor": "middle" if left is None else "start",
            "class": f"f-{stroke(own, 'ink')}",
        }
        if bold_first and index == 0:
            text.attrib["font-weight"] = "600"
        _write(text, line.strip(), own, guard)
        guard = (guard or "[" in line) and "]" not in line


def _write(text: ElementTree.Element, line: str, tone: Tone, guard: bool) -> None:
    """Write a line; `guard`: it goes on with a guard of the line before."""
    if line.startswith(STEP):
        name, _, line = line.removeprefix(f"{STEP} ").partition("  ")
        part = ElementTree.SubElement(text, f"{{{NAMESPACE}}}tspan", {"font-weight": "600"})
        part.text, part.tail = name, "\u2002" if line else ""
    _rest(text, line, tone, guard)


def _rest(text: ElementTree.Element, line: str, tone: Tone, going: bool) -> None:
    """Write a line behind what is there."""
    parts = list(text)
    end = line.find("]") + 1 or len(line) if line.startswith("[") or going else 0
    guard, plain = line[:end], line[end:]
    if guard and not tone:
        if not parts and not plain:
            text.attrib["class"] = "f-guard"
        part = ElementTree.SubElement(text, f"{{{NAMESPACE}}}tspan", {"class": "f-guard"})
        part.text, part.tail = guard, plain
        return
    if parts:
        parts[-1].tail = (parts[-1].tail or "") + line
    else:
        text.text = line
    if not tone and line[:1] in SIGNS:
        text.attrib["class"] = f"f-{SIGNS[line[:1]]}"
    elif not tone and line[:1] in MARKS and line:
        text.attrib["class"] = "f-mark"
