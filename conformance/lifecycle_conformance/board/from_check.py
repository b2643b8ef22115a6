"""Owns turning reports of a check by the contract into columns of a board, one row a clause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lifecycle_conformance.board.table import Cell, Column, Failure, Row, shortest
from lifecycle_conformance.failure.parting import Parting
from lifecycle_conformance.reports.report import RunReport, Told

SECTIONS = {
    "S": "S: status",
    "Q": "Q: inbox and turns",
    "C": "C: cancellation",
    "P": "P: creation and resume",
    "T": "T: teardown",
    "L": "L: session entries",
    "D": "D: durability",
    "O": "O: background tasks",
    "A": "A: the ACP bridge",
    "G": "G: configured agents",
    "I": "I: invariants",
    "V": "V: liveness",
}
OTHER = "everything else"


def clause_rows(reports: Sequence[RunReport], sentences: Mapping[str, str]) -> tuple[Row, ...]:
    """One row for each clause that at least one of the systems was asked about, in the contract's order."""
    asked = {clause for report in reports for clause in (*report.coverage.clauses, *_blamed(report))}
    return tuple(Row(clause, _group(clause), said) for clause, said in sentences.items() if clause in asked)


def clause_column(key: str, report: RunReport) -> Column:
    """One system's column; a clause is violated by the failures that blame it."""
    cells = {clause: Cell("kept") for clause, times in report.coverage.clauses.items() if times}
    cells |= {reason.what: Cell("out of reach", why=reason.why) for reason in report.out_of_reach}
    for clause, failures in _blamed(report).items():
        runs = tuple(failure.fingerprint for failure in failures)
        cells[clause] = Cell("violated", runs, shortest([_failure(clause, failure) for failure in failures]))
    return Column(
        key=key,
        name=report.system,
        version=report.version or "?",
        package=key,
        verdict=report.verdict,
        about=f"contract {report.contract}, profile {report.profile}, seed {report.seed}",
        cells=cells,
        notes=tuple(f"not decided: {reason.what} {reason.why}".strip() for reason in report.inconclusive),
    )


def _parted(one: Parting) -> str:
    allowed, did = (" ".join(words) or "nothing more" for words in (one.allowed, one.did))
    return f"the contract allows {allowed}; the system did {did}"


def _group(clause: str) -> str:
    return SECTIONS.get(clause[:1], OTHER) if not clause.startswith("policy") else OTHER


def _blamed(report: RunReport) -> dict[str, list[Told]]:
    found: dict[str, list[Told]] = {}
    for failure in report.failures:
        for clause in failure.clauses:
            found.setdefault(clause, []).append(failure)
    return found


def _failure(clause: str, failure: Told) -> Failure:
    return Failure(
        run=failure.fingerprint,
        fingerprint=failure.fingerprint,
        summary=failure.lines[0] if failure.lines else " ".join(failure.said),
        sentence=failure.sentences.get(clause, ""),
        page="",
        sent=tuple(failure.lines[1:3]),
        came=tuple(_parted(one) for one in failure.partings) or failure.said,
        limit=None,
        repeat=failure.replay,
    )
