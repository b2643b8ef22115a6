"""Owns a board as Markdown: the table, then the shortest failing run behind each red cell."""

from __future__ import annotations

from collections.abc import Iterator

from lifecycle_conformance.board.table import Board, Cell, Column, Failure

MARKS = {"kept": "✓", "violated": "✗", "inconclusive": "?", "out of reach": "–", "not asked": "·"}
WORDS = "✓ kept (* with a note) · ✗ violated · ? inconclusive · – out of reach · · not asked"


def to_markdown(board: Board) -> str:
    """Return the board as Markdown."""
    return "\n".join(_lines(board)) + "\n"


def _lines(board: Board) -> Iterator[str]:
    yield f"# {board.title}"
    yield ""
    yield (f"Made with tree `{board.tree}`. " if board.tree else "") + f"{WORDS}."
    if board.legend:
        yield ""
        yield board.legend
    yield ""
    yield from _systems(board)
    for group in board.groups():
        yield ""
        yield f"## {group}"
        yield ""
        yield "| check | " + " | ".join(c.key for c in board.columns) + " |"
        yield "| --- |" + " :-: |" * len(board.columns)
        for row in (r for r in board.rows if r.group == group):
            marks = " | ".join(_mark(board.cell(row, column)) for column in board.columns)
            yield f"| {row.id} {row.title} | {marks} |"
    for column in board.columns:
        yield from _details(board, column)


def _systems(board: Board) -> Iterator[str]:
    yield "| system | package | says it is | verdict | repeats |"
    yield "| --- | --- | --- | --- | --- |"
    for c in board.columns:
        same = "" if c.repeats == 1 else ", same findings" if c.same else ", findings differ"
        yield f"| {c.key} | {c.package} | {c.name} {c.version} | {c.verdict} | {c.repeats}{same} |"


def _mark(cell: Cell) -> str:
    more = f" {len(cell.runs)}" if cell.state == "violated" else "*" if cell.noted else ""
    return MARKS[cell.state] + more


def _details(board: Board, column: Column) -> Iterator[str]:
    yield ""
    yield f"## {column.key}"
    yield ""
    yield f"{column.package}; {column.about}."
    for row in board.rows:
        cell = board.cell(row, column)
        if cell.shortest is not None:
            yield ""
            yield f"### {row.id} {row.title}"
            yield ""
            yield from _failure(cell.shortest, cell.runs)
    reasons = {r.id: c.why for r in board.rows if (c := board.cell(r, column)).why and c.shortest is None}
    if reasons or column.notes:
        yield ""
    for why in dict.fromkeys(reasons.values()):
        yield f"- {', '.join(i for i, w in reasons.items() if w == why)}: {why}"
    for note in column.notes:
        yield f"- note: {note}"


def _failure(failure: Failure, runs: tuple[str, ...]) -> Iterator[str]:
    within = f"; waited {failure.limit}" if failure.limit else ""
    yield f"Shortest of {len(runs)} ({', '.join(runs)}): {failure.summary}{within}."
    yield ""
    yield "```"
    for text in failure.sent:
        yield f"sent  {text}"
    for text in failure.came or ("nothing",):
        yield f"came  {text}"
    yield "```"
    yield ""
    page = f" ({failure.page})" if failure.page else ""
    yield f"The sentence: {failure.sentence}{page} To repeat: `{failure.repeat}`"
