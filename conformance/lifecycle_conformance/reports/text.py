"""Owns a report as a terminal shows it. Refuses colours: who prints it decides."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from lifecycle_conformance.reports.report import RunReport, Told
from lifecycle_conformance.reports.words import count, covered, grouped, lacks, never, ruling, seconds, title

WIDTH = 100
MOST = 8
"""Failures told in eight lines; of the others what is broken and by which run. Reasons shown."""
FEW = 24
"""Names listed; of more, their number."""


def text(report: RunReport) -> str:
    """The report as plain text, ending with a line break; timings stand on the last line."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: RunReport) -> Iterator[str]:
    yield f"{ruling(report)}  {title(report)}"
    yield from _wrapped(f"covered: {covered(report)}")
    if report.completeness:
        yield from _wrapped(report.completeness)
    if report.stale:
        yield from _wrapped(f"expected and no longer there: {', '.join(report.stale)}; take them off the list")
    new = [failure for failure in report.failures if not failure.expected]
    for failure in new[:MOST]:
        yield ""
        yield from failure.lines
        if failure.runs > 1:
            yield f"  {count(failure.runs, 'run')} failed for this cause; this is the shortest"
    briefly = [line for failure in new[MOST:] for line in (_first(failure), *_run(failure))]
    briefly += [f"expected: {_first(failure)}" for failure in report.failures if failure.expected]
    if briefly:
        yield ""
        yield from briefly
    if report.inconclusive:
        yield ""
        yield "not decided:"
        for why, what in list(grouped(report.inconclusive))[:MOST]:
            yield from _wrapped(f"{', '.join(what)}: {why}")
        if len(report.inconclusive) > MOST:
            yield f"  {count(len(report.inconclusive), 'reason')} in all; --json shows them"
    if report.out_of_reach or report.unreached:
        yield ""
        yield "out of reach:"
        for why, what in grouped(report.out_of_reach):
            yield from _wrapped(f"{_listed('clause', what)}: {why}")
        yield from _wrapped(lacks(report)) if report.unreached else ()
    for word, reached in (("row", report.coverage.rows), ("clause", report.coverage.clauses)):
        missed = never(reached)
        if missed:
            yield ""
            yield from _wrapped(f"never exercised: {_listed(word, missed)}")
    yield ""
    yield from (textwrap.wrap(report.means, WIDTH) if report.verdict == "CONFORMS" else ())
    if report.timings:
        yield "time: " + ", ".join(f"{name} {seconds(report.timings[name])}" for name in sorted(report.timings))


def _first(failure: Told) -> str:
    """What is broken, and in how many runs, if in more than the one told."""
    return failure.lines[0] + (f", {count(failure.runs, 'run')}" if failure.runs > 1 else "")


def _run(failure: Told) -> list[str]:
    """The lines that say what was asked."""
    return [line for line in failure.lines if line.startswith(("  after ", "  then ", "  in "))]


def _listed(word: str, names: list[str]) -> str:
    """Names while they are few, else their number: a report as a file lists them all."""
    return ", ".join(names) if len(names) <= FEW else f"{count(len(names), word)} (--report FILE.html lists them)"


def _wrapped(said: str) -> list[str]:
    return textwrap.wrap(said, WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
