"""Owns a sequence as Mermaid text. Refuses to let a label be read as syntax."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lifecycle_diagrams.sequence import Arrow, Note, Sequence

INSTEAD = {"#": "\uff03", ";": ",", "<": "\u2039", ">": "\u203a", "\n": " "}
"""Signs that Mermaid reads as syntax, and what stands for them: its own entities are not decoded in every label."""

BREAK_AT = 44
CROSS = "✕"
"""Where something is cut short."""


def mermaid(drawn: Sequence) -> str:
    """The diagram as Mermaid text, ending with a line break."""
    return "\n".join(_lines(drawn)) + "\n"


def _lines(drawn: Sequence) -> Iterator[str]:
    names = lane_names(drawn.lanes)
    yield "sequenceDiagram"
    yield f"  accTitle: {label(drawn.title)}"
    for lane in drawn.lanes:
        yield f"  participant {names[lane]} as {label(lane)}"
    for at, step in enumerate(drawn.steps):
        yield from (f"  activate {names[bar.lane]}" for bar in drawn.bars if bar.first == at)
        yield f"  {arrow_line(step, names) if isinstance(step, Arrow) else note_line(step, names)}"
        if isinstance(step, Arrow) and step.cuts and not step.wrong:
            yield f"  Note over {names[step.source]}: {CROSS}"
        yield from (f"  deactivate {names[bar.lane]}" for bar in drawn.bars if bar.last == at)


def lane_names(lanes: Iterable[str]) -> dict[str, str]:
    """The name each lane goes by in the text."""
    return {lane: f"l{number}" for number, lane in enumerate(lanes)}


def arrow_line(arrow: Arrow, names: dict[str, str]) -> str:
    """An arrow as a line of the text."""
    # a cross at the end says: this must not be
    head = "--x" if arrow.wrong and arrow.reply else "-x" if arrow.wrong else "-->>" if arrow.reply else "->>"
    return f"{names[arrow.source]}{head}{names[arrow.target]}: {_wrapped(arrow.words)}"


def note_line(note: Note, names: dict[str, str]) -> str:
    """A note as a line of the text."""
    over = names[note.first] if note.first == note.last else f"{names[note.first]},{names[note.last]}"
    return f"Note over {over}: {_wrapped(tuple(note.text.split()))}"


def _wrapped(words: tuple[str, ...]) -> str:
    lines: list[str] = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + len(word) >= BREAK_AT:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "<br/>".join(label(line) for line in lines)


def label(text: str) -> str:
    """A text that is read as no syntax."""
    return "".join(INSTEAD.get(sign, sign) for sign in text)
