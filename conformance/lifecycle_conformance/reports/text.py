"""Owns a report as a terminal shows it. Refuses colours: who prints it decides."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from lifecycle_conformance.reports.report import RunReport
from lifecycle_conformance.reports.words import count, covered, grouped, never, seconds, title

WIDTH = 100


def text(report: RunReport) -> str:
    """The report as plain text, ending with a line break; timings stand on the last line."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: RunReport) -> Iterator[str]:
    yield f"{report.verdict}  {title(report)}"
    yield from _wrapped(f"covered: {covered(report)}")
    if report.completeness:
        yield from _wrapped(report.completeness)
    for failure in report.failures:
        yield ""
        known = "expected: " if failure.expected else ""
        yield f"{known}{failure.lines[0]}"
        yield from failure.lines[1:]
    if report.stale:
        yield ""
        yield from _wrapped(f"expected and no longer there: {', '.join(report.stale)}; take them off the list")
    for head, reasons in (("not decided", report.inconclusive), ("out of reach", report.out_of_reach)):
        if reasons:
            yield ""
            yield f"{head}:"
            for why, what in grouped(reasons):
                yield from _wrapped(f"{', '.join(what)}: {why}")
    for word, reached in (("row", report.coverage.rows), ("clause", report.coverage.clauses)):
        missed = never(reached)
        if missed:
            yield ""
            yield from _wrapped(f"{count(len(missed), word)} never exercised: {', '.join(missed)}")
    yield ""
    yield from (textwrap.wrap(report.means, WIDTH) if report.verdict == "CONFORMS" else ())
    if report.timings:
        yield "time: " + ", ".join(f"{name} {seconds(report.timings[name])}" for name in sorted(report.timings))


def _wrapped(said: str) -> list[str]:
    return textwrap.wrap(said, WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
