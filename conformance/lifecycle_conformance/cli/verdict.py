"""What `lifecycle check` says and keeps: the report, the traces, what was expected, and the exit code.

Refuses to lose a verdict: whatever cannot be printed or written is told, and the exit code stays what it is.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import msgspec

from lifecycle_conformance import expect
from lifecycle_conformance.check import Options, Outcome, check
from lifecycle_conformance.cli.check import shown
from lifecycle_conformance.expect import Difference, Expected, ExpectError
from lifecycle_conformance.failure.tracefile import trace_json
from lifecycle_conformance.failure.value import Failure
from lifecycle_conformance.reports import RunReport, Told, print_text, to_json, told, write_file, write_report
from lifecycle_conformance.reports.build import report_of
from lifecycle_conformance.reports.pictures import pictures
from lifecycle_conformance.reports.text import text
from lifecycle_conformance.told import failure_of, failure_of_vector

INTERRUPTED = 130
COLOURS = {"CONFORMS": "green", "VIOLATES": "red", "INCONCLUSIVE": "yellow"}


@dataclass(frozen=True)
class Asked:
    """What becomes of the result: where reports and traces go, what is expected, and how it is printed."""

    reports: Sequence[Path] = ()
    traces: Path = Path(".lifecycle")
    expect: Path | None = None
    write_expect: bool = False
    as_json: bool = False


def conclude(options: Options, asked: Asked, progress: shown) -> int:
    """Run the check, print it, write what was asked for, and give the exit code."""
    if options.profile == "deep":
        say("deep: about 25,000 runs and 30,000 histories; roughly 30 minutes on two cores")
    known = expect.load(asked.expect) if asked.expect is not None and not asked.write_expect else None
    outcome = check(options, progress)
    progress.clear()
    failures = failures_of(outcome)
    difference = compared(outcome, failures, known) if known is not None else None
    report = reported(outcome, failures, difference, asked)
    try:
        _shown(report, asked)
        _written(report, outcome, asked)
        if asked.write_expect and asked.expect is not None:
            return _accepted(asked.expect, outcome, failures)
    except KeyboardInterrupt:
        say(f"lifecycle: interrupted while the report was written; the verdict is {report.verdict}")
        return INTERRUPTED
    return INTERRUPTED if outcome.interrupted else report.exit_code


def failures_of(outcome: Outcome) -> list[tuple[Failure, Expected]]:
    """The failures as values, each with what it is known by; runs first, then vectors, in the order found."""
    if outcome.description is None:
        return []
    system, seed = outcome.description, outcome.options.seed
    runs = [failure_of(trial, system, seed) for trial in outcome.failures]
    found = [(failure, Expected("+".join(failure.clauses) or "?", failure.fingerprint)) for failure in runs]
    for failed in outcome.vector_failures:
        known = Expected(f"vector {failed.vector.id}", failed.vector.id)
        found.append((failure_of_vector(failed, system, seed), known))
    return found


def compared(outcome: Outcome, failures: Sequence[tuple[Failure, Expected]], known: expect.Expectations) -> Difference:
    """How what happened differs from what was expected; a check of a part says nothing about what it left out."""
    options = outcome.options
    happened = [key for _, key in failures]
    in_part = options.clause is not None or options.section is not None or bool(outcome.reasons)
    return expect.compare(known, happened, [key.fingerprint for key in happened] if in_part else None)


def reported(
    outcome: Outcome,
    failures: Sequence[tuple[Failure, Expected]],
    difference: Difference | None,
    asked: Asked,
) -> RunReport:
    """The report, with each failing trace kept as a file that replays it."""
    tolerated = {key.key for key in difference.known} if difference is not None else set[tuple[str, str]]()
    all_told: list[Told] = []
    for failure, key in failures:
        place = str(kept(failure, asked.traces))
        all_told.append(told(failure, place, outcome.options.system, expected=key.key in tolerated))
    stale = [f"{one.group} {one.fingerprint}" for one in difference.stale] if difference is not None else []
    return report_of(outcome, all_told, stale, expecting=difference is not None)


def kept(failure: Failure, folder: Path) -> Path:
    """Store a failing trace; where the folder cannot be written, elsewhere, and it is said where."""
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    written = write_file(folder / f"{failure.fingerprint}.json", trace_json(failure.trace), "the trace")
    if not written.asked_for:
        say(f"lifecycle: {written.message}")
    return Path(written.path) if written.path is not None else folder / f"{failure.fingerprint}.json"


def say(message: str) -> None:
    """Tell whoever listens on standard error; nobody does if it is closed."""
    with contextlib.suppress(OSError, ValueError):
        click.echo(message, err=True)


def _shown(report: RunReport, asked: Asked) -> None:
    said = to_json(report).decode() if asked.as_json else _styled(text(report), report.verdict)
    if not print_text(said, sys.stdout):
        say(f"lifecycle: the report could not be printed; the verdict is {report.verdict}")


def _styled(said: str, verdict: str) -> str:
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return said
    return click.style(verdict, fg=COLOURS[verdict], bold=True) + said.removeprefix(verdict)


def _written(report: RunReport, outcome: Outcome, asked: Asked) -> None:
    for path in asked.reports:
        whole = report
        if path.suffix == ".html":
            whole = msgspec.structs.replace(report, pictures=pictures(outcome.options.contract, outcome.rows))
        written = write_report(path, whole)
        if not written.asked_for or outcome.interrupted:
            say(f"lifecycle: {'partial ' if outcome.interrupted else ''}{written.message}")
    if outcome.interrupted:
        say(f"lifecycle: interrupted; the verdict so far is {report.verdict}")


def _accepted(path: Path, outcome: Outcome, failures: Sequence[tuple[Failure, Expected]]) -> int:
    """Write what happened as expected from now on; 3 if the check decided only part of it."""
    if outcome.interrupted:
        raise ExpectError(f"{path} is not written: the check was interrupted; next: let it end")
    try:
        expect.write(path, outcome.options.system, outcome.options.contract, [key for _, key in failures])
    except OSError as error:
        raise ExpectError(f"{path} could not be written: {error.strerror}; next: name another place") from error
    say(f"wrote {len(failures)} expected violations to {path}")
    return 3 if outcome.reasons else 0
