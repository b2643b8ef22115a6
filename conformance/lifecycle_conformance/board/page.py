"""Owns a board as one self-contained HTML page: no script, no font, no request to anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from lifecycle_conformance.board.markdown import MARKS, WORDS
from lifecycle_conformance.board.table import Board, Cell, Column, Failure, Row

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --red: #c62828; --green: #2e7d32; --grey: #888; --amber: #b26a00; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; padding: 0 1rem; max-width: 72rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; } .wide { overflow-x: auto; }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .6rem; text-align: left; vertical-align: top; }
.grid th:not(:first-child), .grid td:not(:first-child) { text-align: center; min-width: 5.5rem; }
.kept { color: var(--green); } .violated { color: var(--red); font-weight: 700; }
.inconclusive { color: var(--amber); } .out-of-reach, .not-asked { color: var(--grey); }
.id { font-weight: 700; display: inline-block; min-width: 2.4rem; }
td a { color: inherit; } pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #8881; padding: .6rem; }
details { border: 1px solid var(--line); border-radius: 6px; padding: .5rem .8rem; margin: .5rem 0; }
summary, li, code { overflow-wrap: anywhere; }
details:target { outline: 2px solid var(--red); } summary { cursor: pointer; }
small { color: var(--grey); }
@media (max-width: 44rem) {
  body { margin: 1rem auto; } th, td { padding: .3rem .25rem; }
  .grid th:not(:first-child), .grid td:not(:first-child) { min-width: 1.6rem; padding: .3rem .1rem; white-space: nowrap; }
  .grid th:not(:first-child) { writing-mode: vertical-rl; transform: rotate(180deg); text-align: left; }
  .systems tr:first-child { display: none; } .systems tr { display: block; border-bottom: 1px solid var(--line); }
  .systems td { display: inline-block; border: 0; overflow-wrap: anywhere; }
}
"""


def to_html(board: Board) -> str:
    """Return the board as one HTML page."""
    return "\n".join(_page(board)) + "\n"


def _page(board: Board) -> Iterator[str]:
    title = escape(board.title)
    yield "<!doctype html>"
    yield f'<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<style>{_STYLE}</style></head><body>"
    yield f"<h1>{title}</h1>"
    made = f"<br><small>Made with tree <code>{escape(board.tree)}</code>.</small>" if board.tree else ""
    yield f"<p>{escape(WORDS)}.{made}</p>"
    if board.legend:
        yield f"<p>{escape(board.legend)}</p>"
    yield from _systems(board)
    for group in board.groups():
        yield f'<h2>{escape(group)}</h2><div class="wide"><table class="grid"><tr><th>check</th>'
        yield "".join(f"<th>{escape(c.key)}</th>" for c in board.columns) + "</tr>"
        for row in (r for r in board.rows if r.group == group):
            yield f'<tr><td><span class="id">{escape(row.id)}</span>{escape(row.title)}</td>'
            yield "".join(_cell(row, c, board.cell(row, c)) for c in board.columns) + "</tr>"
        yield "</table></div>"
    for column in board.columns:
        yield from _details(board, column)
    yield "</body></html>"


def _systems(board: Board) -> Iterator[str]:
    yield '<div class="wide"><table class="systems"><tr><th>system</th><th>package</th><th>says it is</th>'
    yield "<th>verdict</th><th>repeats</th></tr>"
    colours = {"CONFORMS": "kept", "VIOLATES": "violated"}
    for c in board.columns:
        same = "" if c.repeats == 1 else ", same findings" if c.same else ", findings differ"
        colour = colours.get(c.verdict, "inconclusive")
        yield f'<tr><td><a href="#{_slug(c.key)}">{escape(c.key)}</a></td><td>{escape(c.package)}</td>'
        yield f'<td>{escape(f"{c.name} {c.version}")}</td><td class="{colour}">{c.verdict}</td>'
        yield f"<td>{c.repeats}{same}</td></tr>"
    yield "</table></div>"


def _slug(*words: str) -> str:
    return escape("-".join(words).replace(" ", "-"), quote=True)


def _cell(row: Row, column: Column, cell: Cell) -> str:
    mark, colour = MARKS[cell.state], cell.state.replace(" ", "-")
    if cell.shortest is not None:
        mark = f'<a href="#{_slug(column.key, row.id)}">{mark} {len(cell.runs)}</a>'
    elif cell.noted:
        mark += "*"
    hint = escape(f"{cell.state}: {cell.why}" if cell.why else cell.state, quote=True)
    return f'<td class="{colour}" title="{hint}">{mark}</td>'


def _details(board: Board, column: Column) -> Iterator[str]:
    yield f'<h2 id="{_slug(column.key)}">{escape(column.key)}</h2>'
    yield f"<p>{escape(column.package)}; {escape(column.about)}.</p>"
    for row in board.rows:
        cell = board.cell(row, column)
        if cell.shortest is not None:
            yield from _failure(row, column, cell, cell.shortest)
    reasons = {r.id: c.why for r in board.rows if (c := board.cell(r, column)).why and c.shortest is None}
    lines = [
        f"{', '.join(i for i, w in reasons.items() if w == why)}: {why}" for why in dict.fromkeys(reasons.values())
    ]
    lines += [f"note: {note}" for note in column.notes]
    if lines:
        yield "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"


def _failure(row: Row, column: Column, cell: Cell, failure: Failure) -> Iterator[str]:
    within = f"; waited {failure.limit}" if failure.limit else ""
    yield f'<details open id="{_slug(column.key, row.id)}"><summary><b>{escape(row.id)}</b> {escape(row.title)}: '
    yield f"{escape(failure.summary + within)}</summary>"
    yield f"<p>Shortest of {len(cell.runs)}: {escape(', '.join(cell.runs))}.</p><pre>"
    for text in failure.sent:
        yield escape(f"sent  {text}")
    for text in failure.came or ("nothing",):
        yield escape(f"came  {text}")
    page = f" <small>({escape(failure.page)})</small>" if failure.page else ""
    yield f"</pre><p>The sentence: {escape(failure.sentence)}{page}</p>"
    yield f"<p>To repeat: <code>{escape(failure.repeat)}</code></p></details>"
