"""Writes the gallery: every picture with its sentence, how to read them, how to draw more. Refuses to draw one.

It is generated like the pictures, so that it names exactly those that exist.
"""

from __future__ import annotations

from collections.abc import Iterator

from lifecycle_diagrams.views import View, views_of
from lifecycle_model.table import Contract

INTRODUCTION = """\
# The pictures

Generated from the rows and programs of the model, never from memory: `lifecycle draw` writes them and this page,
`lifecycle draw --check` fails when one is stale and names it (the text forms byte for byte, an SVG by the hash of the DOT it
carries). It is part of the tests.
"""

READING = """\
## How to read them

- A box is a state; a frame around boxes is the state they are nested in. A dashed box is passed through within one segment:
  only listeners see it.
- An arrow's first line is the program step that moves; `[…]` is its guard, `/ …` what is published, in order. `?` may be left
  out, `*` happens any number of times, `+` at least once.
- A note `any state with ①` says once what every box with that mark does. A small box `↓ Flush` stands for the state of that
  name: an arrow ends there instead of crossing the picture.
- In a program the steps stand in order; each row of a step says `[guard] from → to: effect`, `■` ends the program, `↺` runs the
  step again, `→` goes on elsewhere. `◆` is what listeners hear before the next step: there they may act. A dashed arrow leads
  through a gate: others may act before it goes on.
- In an SVG of its own (open it, rather than look at it here) a pointer shows the rows, the guards' sentences and the clauses.
"""

DRAWING = """\
## Draw more

    lifecycle draw --view turn --format mermaid --detail full      names, guards (as here) or full: with effects and clauses
    lifecycle draw --view agent-status --focus Parked              one state with its neighbours, the rest grey
    lifecycle draw --view cancel --clause C9                       only the rows that carry a clause
    lifecycle draw .lifecycle/0123456789ab.json --format svg       a trace as a sequence diagram

SVG needs the layout extra (`pip install 'lifecycle-spec[svg]'`, no system Graphviz); Mermaid and DOT work without, and PNG needs
a browser too.
"""


def gallery(contract: Contract, folder: str) -> str:
    """The gallery of a contract's pictures, which stand in a folder beside it."""
    parts = [INTRODUCTION, READING, *_pictures(contract, folder), DRAWING]
    return "\n".join(parts)


def _pictures(contract: Contract, folder: str) -> Iterator[str]:
    yield "## All of them\n"
    for view in views_of(contract):
        yield _picture(view, folder)


def _picture(view: View, folder: str) -> str:
    base = f"{folder}/{view.name}"
    forms = f"[SVG]({base}.svg) · [Mermaid]({base}.mmd) · [DOT]({base}.dot)"
    return f"### {view.title}\n\n{view.sentence} {forms}\n\n![{view.title}]({base}.svg)\n"
