"""Owns a report as Markdown for a pull-request comment or a job's summary: short, the rest folded away.

Refuses to let a system's own words become markup.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from lifecycle_conformance.reports.report import Reason, RunReport, Told
from lifecycle_conformance.reports.words import by_section, covered, grouped, lacks, never, ruling, seconds, title

MOST = 20
"""Failures told in full; the others are counted, so the comment stays within what forges accept."""

ROOM = 40_000
"""Signs that the long forms of failures may take; the next ones have eight lines only."""

SIGNS = {"CONFORMS": "✅", "VIOLATES": "❌", "INCONCLUSIVE": "❔"}


def sign(report: RunReport) -> str:
    """A verdict at a glance; what is as expected is no alarm."""
    if report.expecting and report.verdict != "INCONCLUSIVE":
        return "❌" if report.exit_code else "☑️"
    return SIGNS[report.verdict]


def markdown(report: RunReport) -> str:
    """The report as Markdown, ending with a line break; timings stand in the last line."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: RunReport) -> Iterator[str]:
    yield f"### {sign(report)} {ruling(report)}: {plain(title(report))}"
    yield ""
    yield f"Covered: {plain(covered(report))}."
    if report.completeness:
        yield ""
        yield plain(report.completeness)
    new = [failure for failure in report.failures if not failure.expected]
    left = ROOM
    for failure in new[:MOST]:
        lines = list(_failure(failure))
        left -= sum(len(line) + 1 for line in lines)
        yield from lines if left > 0 else ("", *_fenced("text", "\n".join(failure.lines)))
    if len(new) > MOST:
        yield ""
        yield f"… and {len(new) - MOST} more failures."
    known = [failure for failure in report.failures if failure.expected]
    if known:
        said = "; ".join(f"{' '.join(failure.clauses)} ({failure.fingerprint})" for failure in known)
        yield from _folded(f"{len(known)} expected", [plain(said)])
    if report.stale:
        yield ""
        yield f"Expected and no longer there: {plain(', '.join(report.stale))}; take them off the list."
    if report.inconclusive:
        yield from _folded("Not decided", _reasons(report.inconclusive))
    if report.out_of_reach or report.unreached:
        yield from _folded(
            "Out of reach", [*_reasons(report.out_of_reach), f"- {plain(lacks(report)) or 'nothing else'}"]
        )
    if report.coverage.clauses:
        yield from _folded("Coverage by section", _table(report))
    yield from _folded("What CONFORMS does not mean", [plain(report.means)])
    if report.timings:
        yield ""
        yield "Time: " + ", ".join(f"{name} {seconds(report.timings[name])}" for name in sorted(report.timings))


def _failure(failure: Told) -> Iterator[str]:
    yield ""
    yield from _fenced("text", "\n".join(failure.lines))
    if failure.runs > 1:
        yield f"{failure.runs:,} runs failed for this cause; this is the shortest."
    if failure.mermaid:
        yield from _folded("Sequence diagram", _fenced("mermaid", failure.mermaid))
    if failure.test:
        yield from _folded("Regression test", _fenced("python", failure.test))


def _reasons(reasons: tuple[Reason, ...]) -> list[str]:
    return [f"- {plain(', '.join(what))}: {plain(why)}" for why, what in grouped(reasons)]


def _fenced(language: str, code: str) -> list[str]:
    # a fence longer than any run of backticks inside cannot be closed by the text
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", code)), 3)
    return [f"{fence}{language}", *code.splitlines(), fence]


def _table(report: RunReport) -> Iterator[str]:
    yield "| section | clauses | exercised | never |"
    yield "| --- | ---: | ---: | --- |"
    for section, reached in by_section(report.coverage.clauses).items():
        missed = never(reached)
        yield f"| {section} | {len(reached)} | {len(reached) - len(missed)} | {plain(', '.join(missed)) or '–'} |"


def _folded(head: str, body: Iterator[str] | list[str]) -> Iterator[str]:
    yield ""
    yield f"<details><summary>{html.escape(head)}</summary>"
    yield ""
    yield from body
    yield ""
    yield "</details>"


def plain(said: str) -> str:
    """A text whose signs are read as themselves."""
    return re.sub(r"([\\`*_\[\]|#])", r"\\\1", html.escape(said, quote=False).replace("\n", " "))
