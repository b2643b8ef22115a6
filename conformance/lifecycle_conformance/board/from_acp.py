"""Owns turning ACP reports into columns of a board, several repeats of one agent into one column."""

from __future__ import annotations

from collections.abc import Sequence

from lifecycle_conformance.acp.report import Finding, Report
from lifecycle_conformance.acp.sentences import CHECKS
from lifecycle_conformance.board.table import Cell, Column, Failure, Row, State, shortest

GROUPS = {
    "S": "S: the protocol's own text",
    "L": "L: only our lifecycle contract",
}
LEGEND = (
    "Group S rests on the protocol's own text, group L only on our lifecycle contract: a red cell there says that the"
    " agent differs from our contract, not from the protocol. A cell is red when the run behind it showed it again in"
    " a fresh process."
)


def acp_rows() -> tuple[Row, ...]:
    """Return one row for each check."""
    return tuple(Row(check.id, GROUPS[check.group], check.title) for check in CHECKS.values())


def acp_column(key: str, package: str, reports: Sequence[Report]) -> Column:
    """Make one column of the repeats of one agent; a cell is violated only by a run that every repeat has.

    Repeats that differ make their cells inconclusive: what does not repeat is not held against anyone.
    """
    first = reports[0]
    same = len({report.keys() for report in reports}) == 1
    cells = {check: _cell(check, reports) for check in CHECKS}
    verdicts = {report.verdict for report in reports}
    # a column is red only by a run that shows it in every repeat
    verdict = "VIOLATES" if _always(reports) else "CONFORMS" if verdicts == {"CONFORMS"} else "INCONCLUSIVE"
    offers = ", ".join(first.agent.advertised) or "nothing optional"
    about = f"ACP {first.agent.protocol}; advertises {offers}; {first.agent.model}"
    notes = [f"{note.check} [{note.run}] {note.summary}" for report in reports for note in report.notes]
    notes += _sometimes(reports)
    notes += [f"not decided [{d.run or d.check}] {d.why}" for report in reports for d in report.inconclusive]
    return Column(
        key=key,
        name=first.agent.name or key,
        version=first.agent.version or "?",
        package=package,
        verdict=verdict,
        about=about,
        cells=cells,
        notes=tuple(dict.fromkeys(notes)),
        repeats=len(reports),
        same=same,
    )


def _cell(check: str, reports: Sequence[Report]) -> Cell:
    states: list[State] = [report.checks[check] for report in reports]
    always = _always(reports)
    found = [f for f in reports[0].findings if f.check == check and (check, f.run) in always]
    if found:
        steady = [f for f in found if f.seen == f.tried]  # a race is shown only where nothing better is there
        return Cell("violated", tuple(f.run for f in found), shortest([_failure(f) for f in steady or found]))
    if "violated" in states:
        how = "violated, by different runs" if all(s == "violated" for s in states) else "violated"
        return Cell("inconclusive", why=f"{how}, in {states.count('violated')} of {len(states)} repeats")
    if "inconclusive" in states:
        why = [d.why for r in reports for d in r.inconclusive if d.check == check or not r.runs]
        return Cell("inconclusive", why=why[0] if why else "")
    why = [u.why for r in reports for u in r.out_of_reach if u.what == check]
    if any(note.check == check for report in reports for note in report.notes):
        why = ["kept, with the notes below"]
    return Cell(states[0], why=why[0] if why else "")


def _seen(report: Report) -> set[tuple[str, str]]:
    return {(f.check, f.run) for f in report.findings}


def _always(reports: Sequence[Report]) -> set[tuple[str, str]]:
    """Return the check and run of each finding that every repeat has."""
    return set.intersection(*(_seen(report) for report in reports))


def _sometimes(reports: Sequence[Report]) -> list[str]:
    """Say which findings only some repeats have: they depend on timing and are held against nobody."""
    some = sorted({pair for report in reports for pair in _seen(report)} - _always(reports))
    counts = (sum(pair in _seen(report) for report in reports) for pair in some)
    return [f"{c} [{run}] in {n} of {len(reports)} repeats" for (c, run), n in zip(some, counts, strict=True)]


def _failure(finding: Finding) -> Failure:
    check = CHECKS[finding.check]
    races = "" if finding.seen == finding.tried else f" (in {finding.seen} of {finding.tried} fresh processes)"
    return Failure(
        run=finding.run,
        fingerprint=finding.fingerprint,
        summary=finding.summary + races,
        sentence=check.says,
        page=check.page,
        sent=finding.sent,
        came=finding.came,
        limit=finding.limit,
        repeat=finding.repeat,
    )
