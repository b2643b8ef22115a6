"""Writes the gallery: every picture with its sentence, how to read them, how to draw more. Refuses to draw one.

It is generated like the pictures, so that it names exactly those that exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lifecycle_diagrams.questions import QUESTIONS
from lifecycle_diagrams.views import View, build, views_of
from lifecycle_model.table import Contract

ALIKE = "What many states do alike without being left"
_SIGN = re.compile(r"[^a-z0-9 -]")

INTRODUCTION = """\
# The pictures

Generated from the rows and programs of the model, never from memory: `lifecycle draw` writes them and this page,
`lifecycle draw --check` fails when one is stale and names it (the text forms byte for byte, an SVG by the hash of the DOT it
carries). It is part of the tests.
"""

READING = """\
## How to read them

- In a picture of a machine a box is a state; a frame around boxes is the state they are nested in. A dashed box is passed
  through within one segment: only listeners see it. An arrow's first line is the program step that moves; `[…]` is its guard,
  `/ …` what is published, in order: `?` may be left out, `*` happens any number of times, `+` at least once. What many states
  do alike is told once: a note `any state with ①` stands for every box with that mark. A small box `↓ Flush` stands for the
  state of that name: an arrow ends there instead of crossing the picture.
- In a picture of programs a box is a stretch in which nobody else can act. Its bold words are the steps, in order; behind each
  `[guard] from → to: effect` for each of its rows, of which the first that holds is taken. `■` ends the program, `↺` runs the
  step again, `→` goes on elsewhere. Between boxes `◆` says what is published there: listeners act before the next step. A
  dashed arrow leads through a gate, or to what is run on another machine.
- In the overview a solid arrow is a program that moves both machines, a dashed one a program that one machine runs on another.
- What many states do without being left stands below the picture.
- In an SVG of its own (open it, rather than look at it here) a pointer shows rows, the guards' sentences and clauses: what
  `[stopping]` or `[takes items]` means stands there.
- Short names: `enq` `deq` `disc` an item is enqueued, dequeued, discarded; `creq(c)` `agent/cancel-requested` with its cause;
  `abort(c)` the turn's abort observers run; `status(x)`; `err(n,k)` `agent/error` of turn n, step k; `s+` `s-` `session/created`
  and `session/disposed`, `a+` `a-` the agent's; `start(x)` `agent/session-start`; the records `TS` `TE` turn start and end, `SS`
  `SE` step start and end, `UM` `SM` `AM` user, steering and assistant message, `TC` `TR` tool call and result; `FL` a flush
  starts, `FL.` it settled.
"""

DRAWING = """\
## Draw more

    lifecycle draw --view turn --detail full                          names, guards (as here) or full: effects, rows, clauses
    lifecycle draw --view agent-status --focus Parked                 one state with its neighbours, the rest grey
    lifecycle draw --view cancel --clause C9                          only the rows that carry a clause
    lifecycle draw --view turn --coverage report.json                 how often a run (check --report) took each arrow
    lifecycle draw --contract latch --against 1                       what a variant adds, removes and changes, as text
    lifecycle draw --contract latch --against 1 --view turn           the same on one picture
    lifecycle draw .lifecycle/0123456789ab.json                       a trace as a sequence diagram

Each prints Mermaid; `--format svg`, `dot` or `png` and `-o FILE` give the others. SVG needs the layout extra
(`pip install 'lifecycle-spec[svg]'`, no system Graphviz); Mermaid and DOT work without, and PNG needs a browser too.
"""


def gallery(contract: Contract, folder: str) -> str:
    """The gallery of a contract's pictures, which stand in a folder beside it."""
    return "\n".join([INTRODUCTION, *_questions(contract), READING, *_pictures(contract, folder), DRAWING])


def _questions(contract: Contract) -> Iterator[str]:
    titles = {view.name: view.title for view in views_of(contract)}
    asked = [one for one in QUESTIONS if set(one.views) <= titles.keys()]
    if not asked:
        return
    yield "## Questions they answer\n"
    yield "Somebody who had seen nothing but this page and its pictures [answered all twelve](reader.md).\n"
    for number, one in enumerate(asked, 1):
        shown = ", ".join(f"[{titles[name]}](#{_anchor(titles[name])})" for name in one.views)
        yield f"{number}. {one.text} {shown}"
    yield ""


def _anchor(title: str) -> str:
    """The place of a heading on the page."""
    return _SIGN.sub("", title.lower()).replace(" ", "-")


def _pictures(contract: Contract, folder: str) -> Iterator[str]:
    views = views_of(contract)
    yield "## All of them\n"
    yield " · ".join(f"[{view.title}](#{_anchor(view.title)})" for view in views) + "\n"
    for view in views:
        yield _picture(view, build(contract, view).notes, folder)


def _picture(view: View, notes: tuple[str, ...], folder: str) -> str:
    base = f"{folder}/{view.name}"
    forms = f"[SVG]({base}.svg) · [Mermaid]({base}.mmd) · [DOT]({base}.dot)"
    listed = "".join(f"- {note}\n" for note in notes)
    below = f"\n<details><summary>{ALIKE}</summary>\n\n{listed}\n</details>\n" if notes else ""
    return f"### {view.title}\n\n{view.sentence} {forms}\n\n![{view.title}]({base}.svg)\n{below}"
