"""Owns a sequence as a self-made SVG: no font is measured, no address is named, light and dark follow the reader.

Refuses to depend on a layout engine: widths come from counting characters, with slack.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from lifecycle_diagrams.sequence import Arrow, Bar, Note, Sequence

LANE, MARGIN, HEAD = 200, 110, 46
LINE, GAP = 15, 13
SIGN = 7.3
"""How wide a character of the label font is taken to be."""

STYLE = """
.seq { --ink: #1b1f24; --soft: #57606a; --line: #8c959f; --bad: #b42318; --note: #fff4d6; --page: #ffffff; --bar: #dbe7f5; --cut: #9a4a00;
  background: var(--page); font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
@media (prefers-color-scheme: dark) { .seq { --ink: #e6edf3; --soft: #9da7b1; --line: #6e7681; --bad: #ff9b8f;
  --note: #3b3213; --page: #0d1117; --bar: #24405f; --cut: #f0a860; } }
.seq text { fill: var(--ink); font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.seq .burst { fill: var(--soft); }
.seq .life { stroke: var(--line); stroke-dasharray: 2 4; }
.seq .box, .seq .note { fill: var(--note); stroke: var(--line); }
.seq .box { fill: var(--page); }
.seq .go { stroke: var(--ink); fill: none; }
.seq .reply { stroke-dasharray: 5 3; }
.seq .wrong { stroke: var(--bad); stroke-width: 2; fill: none; }
.seq .say { paint-order: stroke; stroke: var(--page); stroke-width: 4px; stroke-linejoin: round; }
.seq .bar { fill: var(--bar); stroke: var(--line); }
.seq .cut { stroke: var(--cut); stroke-width: 2.5; fill: none; }
.seq text.bad { fill: var(--bad); font-weight: 600; }
"""


def svg(drawn: Sequence) -> str:
    """The diagram as an SVG document, ending with a line break; equal sequences give equal bytes."""
    at = {lane: MARGIN + LANE * number for number, lane in enumerate(drawn.lanes)}
    width = 2 * MARGIN + LANE * (len(drawn.lanes) - 1)
    y = HEAD + GAP
    body: list[str] = []
    tops: list[int] = []
    for step in drawn.steps:
        tops.append(y)
        part, taken = _arrow(step, at, y, width) if isinstance(step, Arrow) else _note(step, at, y, width)
        body += part
        y += taken
    height = y + GAP
    tops.append(y)
    bars = (_bar(bar, at[bar.lane], tops) for bar in drawn.bars)
    lives = (f'<line class="life" x1="{x}" y1="{HEAD}" x2="{x}" y2="{height - 4}"/>' for x in at.values())
    heads = (part for lane, x in at.items() for part in _head(lane, x))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="seq" role="img" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" aria-label={quoteattr(drawn.title)}>'
    )
    told = (
        f"<title>{escape(drawn.title)}</title>",
        f"<desc>{_described(drawn)}</desc>",
    )
    return "\n".join([head, *told, f"<style>{STYLE}</style>", *lives, *bars, *heads, *body, "</svg>"]) + "\n"


def _described(drawn: Sequence) -> str:
    """What a screen reader says: every step in order."""
    said = (
        f"{step.source} to {step.target}: {' '.join(step.words)}." if isinstance(step, Arrow) else f"{step.text}."
        for step in drawn.steps
    )
    return escape(" ".join(said))


def _bar(bar: Bar, x: int, tops: list[int]) -> str:
    top = tops[bar.first] + 4
    return f'<rect class="bar" x="{x - 5}" y="{top}" width="10" height="{tops[bar.last + 1] - GAP // 2 - top}" rx="2"/>'


def _head(lane: str, x: int) -> Iterator[str]:
    yield f'<rect class="box" x="{x - 84}" y="10" width="168" height="28" rx="4"/>'
    yield _text(x, 28, lane)


def _arrow(arrow: Arrow, at: dict[str, int], y: int, width: int) -> tuple[list[str], int]:
    start, end = at[arrow.source], at[arrow.target]
    kind = "wrong" if arrow.wrong else "go"
    reply = " reply" if arrow.reply else ""
    if start == end:
        room, middle = width - start - 12, min(start + (width - start) // 2, width - 40)
    else:
        room, middle = abs(end - start) - 14, (start + end) // 2
    lines = _wrapped(" ".join(arrow.words), room)
    drawn = [_text(middle, y + LINE * n, line, "say bad" if arrow.wrong else "say") for n, line in enumerate(lines)]
    base = y + LINE * (len(lines) - 1) + 7
    if start == end:
        drawn.append(f'<path class="{kind}{reply}" d="M {start} {base} h 26 v 9 h -20"/>')
        base += 9
        tip = start + 6
    else:
        drawn.append(f'<line class="{kind}{reply}" x1="{start}" y1="{base}" x2="{end}" y2="{base}"/>')
        tip = end
    back = 7 if start >= end else -7
    if arrow.cuts and not arrow.wrong:
        drawn.append(f'<path class="cut" d="M {start - 6} {base - 6} l 12 12 m 0 -12 l -12 12"/>')
    if arrow.wrong:
        drawn.append(f'<path class="wrong" d="M {tip - 5} {base - 5} l 10 10 m 0 -10 l -10 10"/>')
    else:
        drawn.append(f'<path class="go" d="M {tip + back} {base - 4} L {tip} {base} L {tip + back} {base + 4}"/>')
    return drawn, base - y + LINE + GAP


def _note(note: Note, at: dict[str, int], y: int, width: int) -> tuple[list[str], int]:
    if note.about == "burst":
        return [_text(MARGIN // 4, y + 4, note.text, "burst", "start")], LINE + GAP
    middle = (at[note.first] + at[note.last]) // 2
    half = min(max(150, (at[note.last] - at[note.first]) // 2 + 90), width // 2)
    middle = min(max(middle, half + 4), max(width - half - 4, half + 4))
    lines = _wrapped(note.text, 2 * half - 16)
    half = min(half, int(max(len(line) for line in lines) * SIGN / 2) + 12)
    tall = LINE * len(lines) + 8
    box = f'<rect class="note" x="{middle - half}" y="{y - 12}" width="{2 * half}" height="{tall}" rx="3"/>'
    bad = "soft" if note.about == "clause" else ""
    return [box, *(_text(middle, y + 2 + LINE * n, line, bad) for n, line in enumerate(lines))], tall + GAP


def _wrapped(text: str, room: int) -> list[str]:
    return textwrap.wrap(text, max(int(room / SIGN), 12), break_long_words=True, break_on_hyphens=False) or [""]


def _text(x: int, y: int, text: str, kind: str = "", anchor: str = "middle") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'
