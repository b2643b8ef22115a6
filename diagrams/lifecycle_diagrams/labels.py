"""Owns the lines of text on a picture at each level of detail. Refuses to know a format.

A line's first sign says what it is, for the eye and for the renderers: `[` a guard, `/` what is published, `◆` what
listeners hear, `#` rows and clauses, `×` how often, `▸` a program step; any other line names something.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import replace

from lifecycle_diagrams.graph import Detail, Edge, Node, Tone, Way, unique

ELSE = "else"
"""The guard of the case that is left."""
HEARD = "◆"
"""In front of what is published between two steps: listeners act there."""
DOWN, UP = "↓", "↑"
"""In front of what goes along an arrow with two heads, and against it."""
VARIOUS = "several steps"
MANY = 2
"""More steps than these are told by what they have in common, if they have."""
WIDTH = 18
"""Characters a line of an edge's label may have."""
MIDDLE = 26
"""Characters a line inside a machine of the overview may have."""
WIDE = 58
"""Characters a line inside a step may have."""
STEP = "▸"
"""In front of the name of a program step, which two spaces part from what its first row does."""
INDENT = "    "
UNBROKEN = "\u00a0"
"""A space at which no line ends."""

_ASIDE = re.compile(r"\s*\([^)]*\)")


class Line(str):
    """A line with a tone of its own."""

    tone: Tone

    def __new__(cls, text: str, tone: Tone) -> Line:
        """The text, and how it stands out."""
        line = super().__new__(cls, text)
        line.tone = tone
        return line


def edge_lines(edge: Edge, detail: Detail) -> list[str]:
    """The lines of an edge's label."""
    if detail == "names":
        return list(unique(way.trigger for way in edge.ways))
    if edge.both:
        lists = (f"{sign} {_listing(way for way in edge.ways if way.moves == sign)}" for sign in (DOWN, UP))
        return [*(line for text in lists for line in textwrap.wrap(text, WIDTH)), *_counted(edge.ways)]
    if edge.kind == "touch" or all(not (way.guards or way.published) for way in edge.ways):
        return [*textwrap.wrap(_listing(edge.ways), WIDTH), *_counted(edge.ways)]
    return _ways_lines(edge.ways, detail)


def _listing(ways: Iterable[Way]) -> str:
    return ", ".join(unique(way.trigger for way in ways))


def node_lines(node: Node, detail: Detail) -> list[str]:
    """The lines of a node: its name, its marks, and what happens in it."""
    lines = [line for line in (node.label, node.mark if node.kind != "exit" else "") if line]
    if node.kind == "outside":
        return textwrap.wrap(node.label, MIDDLE)
    if node.kind == "step":
        return [*lines, *_stretch_lines(node, detail)]
    if detail == "names":
        return lines
    if node.kind == "machine":
        return [
            *lines,
            *textwrap.wrap(_brief(node.about), MIDDLE),
            *(line for way in node.ways for line in _listed(way)),
        ]
    return [*lines, *_ways_lines(node.ways, detail)]


def _brief(about: str) -> str:
    """What a machine is, without references."""
    return _ASIDE.sub("", about).partition(";")[0].rstrip(".")


def _listed(way: Way) -> list[str]:
    words = ", ".join(way.published)
    lines = textwrap.wrap(words, MIDDLE, initial_indent=f"{STEP} {way.trigger}  ", subsequent_indent=INDENT)
    return [*lines, *_counted([way])]


def _ways_lines(all_ways: Iterable[Way], detail: Detail) -> list[str]:
    toned: list[str] = []
    for ways in map(_one, _alike(all_ways)):
        lines: list[str] = []
        first = ways[0]
        heard = first.moves == HEARD
        triggers = unique(" ".join(part for part in ("" if heard else way.moves, way.trigger) if part) for way in ways)
        if len(triggers) > MANY and (common := common_step(triggers)) != VARIOUS:
            triggers = (common,)
        lines += [line for trigger in triggers for line in _broken(trigger)]
        lines += textwrap.wrap(f"[{', '.join(first.guards)}]", WIDTH, subsequent_indent=" ") if first.guards else []
        if detail == "full" and first.effect:
            lines += textwrap.wrap(first.effect, WIDTH)
        lines += _wrapped(f"{HEARD} " if heard else "/ ", first.published, WIDTH)
        if detail == "full":
            lines += _wrapped("# ", unique(row for way in ways for row in way.key_rows), WIDTH)
            lines += _wrapped("# ", unique(clause for way in ways for clause in way.clauses), WIDTH)
        lines += _counted(ways)
        toned += _toned(lines, first.tone)
    return toned


def _alike(ways: Iterable[Way]) -> list[list[Way]]:
    """Ways behind the same guards stand together."""
    found: dict[tuple[object, ...], list[Way]] = {}
    for way in ways:
        found.setdefault((way.guards, way.tone, way.moves), []).append(way)
    return list(found.values())


def _one(ways: list[Way]) -> list[Way]:
    """Ways that are told as one: each says what all of them may publish."""
    said = together([way.published for way in ways])
    return [replace(way, published=said) for way in ways]


def together(said: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Several lists of publications as one: what not all of them have may be left out. They end alike."""
    if len(set(said)) == 1:
        return said[0]
    forms: dict[str, list[str]] = {}
    behind: dict[str, int] = {}
    for one in said:
        for place, text in enumerate(one):
            bare = text.rstrip("?*+")
            forms.setdefault(bare, []).append(text)
            behind[bare] = max(behind.get(bare, -len(one)), place - len(one))
    found: list[str] = []
    for bare in sorted(forms, key=lambda text: behind[text]):
        sure = len(forms[bare]) >= len(said) and not any(text.endswith(("?", "*")) for text in forms[bare])
        many = any(text.endswith(("*", "+")) for text in forms[bare])
        found.append(bare + ("?", "*", "", "+")[2 * sure + many])
    return tuple(found)


def common_step(triggers: tuple[str, ...]) -> str:
    """What several program steps have in common: their last part `….check`, or nothing."""
    last = {trigger.rsplit(".", 1)[-1] for trigger in triggers}
    return f"….{last.pop()}" if len(last) == 1 else VARIOUS


def _broken(trigger: str) -> list[str]:
    """A long program step on two lines, at its last full stop."""
    if len(trigger) <= WIDTH or "." not in trigger:
        return [trigger]
    program, _, step = trigger.rpartition(".")
    return [program, f".{step}"]


def _stretch_lines(node: Node, detail: Detail) -> list[str]:
    """The steps of a box, each with its rows; a program's first box says what the program is for."""
    if detail == "names":
        return [f"{STEP} {name}" for name in unique(way.trigger for way in node.ways)]
    lines = textwrap.wrap(node.about, WIDE)
    lines += _wrapped("# ", node.clauses, WIDE) if detail == "full" else []
    before = ""
    for way in node.ways:
        lines += _row_lines(way, "" if way.trigger == before else way.trigger, detail)
        before = way.trigger
    return lines


def _row_lines(way: Way, step: str, detail: Detail) -> list[str]:
    """A row as lines: guard, what it does, where it goes, what it publishes at the end."""
    guards = [f"[{', '.join(way.guards)}]"] if way.guards else []
    does = ": ".join(part for part in (way.moves, way.effect) if part)
    does += ";" if does and way.then[:1].isalpha() else ""
    text = " ".join(part for part in (*guards, does, way.then) if part)
    lead = f"{STEP} {step}  " if step else INDENT
    text = text.replace("→ ", f"→{UNBROKEN}")
    lines = textwrap.wrap(text, WIDE, initial_indent=lead, subsequent_indent=INDENT * 2) or [lead.rstrip()]
    lines = [line.replace(UNBROKEN, " ") for line in lines]
    lines += [INDENT * 2 + line for line in _wrapped(f"{HEARD} ", way.published, WIDE)]
    if detail == "full":
        lines += [INDENT * 2 + line for line in _wrapped("# ", (*way.rows, *way.clauses), WIDE)]
    return _toned([*lines, *(INDENT * 2 + line for line in _counted([way]))], way.tone)


def _toned(lines: Iterable[str], tone: Tone) -> list[str]:
    return [Line(line, tone) for line in lines]


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
