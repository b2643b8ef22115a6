"""The kill matrix as one HTML page that needs nothing else: a row a mutant, a column an engine and profile."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from lifecycle_conformance.mutants.hunt import INCONCLUSIVE, KILLED, OTHER, SURVIVED, Kill
from lifecycle_conformance.mutants.matrix import Matrix
from lifecycle_conformance.mutants.mutant import Mutant
from lifecycle_conformance.mutants.plans import ENGINES
from lifecycle_conformance.mutants.zoo import ZOO

MARKS = {KILLED: "killed", OTHER: "other reason", SURVIVED: "survived", INCONCLUSIVE: "inconclusive"}

_STYLE = """
body{font:14px/1.4 system-ui,sans-serif;margin:2em;color:#222;background:#fff}
table{border-collapse:collapse}caption{text-align:left;margin:0 0 .6em}
th,td{padding:2px 8px;border:1px solid #ddd;text-align:left;vertical-align:top}
thead th{position:sticky;top:0;background:#f4f4f4}td.n{text-align:right;min-width:5em}
.killed0{background:#1b7837;color:#fff}.killed1{background:#5aae61}.killed2{background:#a6dba0}.killed3{background:#d9f0d3}
.other{background:#fdb863}.survived{background:#d6604d;color:#fff}.inconclusive{background:#bbb}
small{color:#555}
"""


def page(matrix: Matrix) -> str:
    """The page; the same bytes for the same matrix."""
    return "\n".join(_page(matrix)) + "\n"


def _page(matrix: Matrix) -> Iterator[str]:
    columns = [
        (profile, engine)
        for profile in matrix.profiles
        for engine in ENGINES
        if any(kill.profile == profile and kill.engine == engine for kill in matrix.kills)
    ]
    yield '<!doctype html><html lang="en"><meta charset="utf-8"><title>Kill matrix</title>'
    yield f"<style>{_STYLE}</style><h1>Kill matrix</h1>"
    yield "<p>Processor milliseconds to the kill, and the clauses blamed. The darker the green, the sooner.</p>"
    yield "<table><thead><tr><th>mutant</th><th>clause group</th>"
    yield "".join(f"<th>{escape(profile)}<br>{escape(engine)}</th>" for profile, engine in columns)
    yield "</tr></thead><tbody>"
    for mutant in ZOO:
        yield _row(matrix, mutant, columns)
    yield "</tbody></table></html>"


def _row(matrix: Matrix, mutant: Mutant, columns: list[tuple[str, str]]) -> str:
    found = {profile: matrix.of(mutant.id, profile) for profile in matrix.profiles}
    group = escape(" ".join(mutant.group)) + (" <small>equivalent</small>" if mutant.equivalent else "")
    cells = "".join(_cell(found[profile].get(engine)) for profile, engine in columns)
    return f'<tr><th title="{escape(mutant.about, quote=True)}">{escape(mutant.id)}</th><td>{group}</td>{cells}</tr>'


def _cell(kill: Kill | None) -> str:
    if kill is None:
        return "<td></td>"
    shade = "" if kill.outcome != KILLED else str(sum(kill.milliseconds > bound for bound in (300, 3000, 30000)))
    said = f"{MARKS[kill.outcome]}; runs {kill.runs}" + (f"; blamed {' '.join(kill.blamed)}" if kill.blamed else "")
    shown = str(kill.milliseconds) if kill.outcome == KILLED else MARKS[kill.outcome]
    return f'<td class="n {kill.outcome}{shade}" title="{escape(said, quote=True)}">{shown}</td>'
