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
from lifecycle_conformance.expect import ExpectError
from lifecycle_conformance.failure.value import Failure
from lifecycle_conformance.reports import RunReport, keep_trace, print_text, to_json, write_report
from lifecycle_conformance.reports.build import report_of
from lifecycle_conformance.reports.found import Found, compared, found_by
from lifecycle_conformance.reports.pictures import pictures
from lifecycle_conformance.reports.text import text

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
    found = found_by(outcome)
    difference = compared(outcome, found, known) if known is not None else None
    report = report_of(outcome, found, lambda failure: kept(failure, asked.traces), difference)
    try:
        _shown(report, asked)
        _written(report, outcome, asked)
        if asked.write_expect and asked.expect is not None:
            return _accepted(asked.expect, outcome, found)
    except KeyboardInterrupt:
        say(f"lifecycle: interrupted while the report was written; the verdict is {report.verdict}")
        return INTERRUPTED
    return INTERRUPTED if outcome.interrupted else report.exit_code


def kept(failure: Failure, folder: Path) -> str:
    """Store a failing trace; where the folder cannot be written, elsewhere, and it is said where."""
    written = keep_trace(failure, folder)
    if not written.asked_for:
        say(f"lifecycle: {written.message}")
    return written.path or str(folder / f"{failure.fingerprint}.json")


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
            say(f"lifecycle: {written.message}{', of what was found until then' if outcome.interrupted else ''}")
    if outcome.interrupted:
        say(f"lifecycle: interrupted; the verdict so far is {report.verdict}")


def _accepted(path: Path, outcome: Outcome, found: Sequence[Found]) -> int:
    """Write what happened as expected from now on; 3 if the check decided only part of it."""
    if outcome.interrupted:
        raise ExpectError(f"{path} is not written: the check was interrupted; next: let it end")
    try:
        expect.write(path, outcome.options.system, outcome.options.contract, [one.key for one in found])
    except OSError as error:
        raise ExpectError(f"{path} could not be written: {error.strerror}; next: name another place") from error
    say(f"wrote {len(found)} expected violations to {path}")
    return 3 if outcome.reasons else 0
