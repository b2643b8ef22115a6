"""`lifecycle check acp:COMMAND`: an ACP agent judged from outside, by its own engine."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import msgspec

from lifecycle_conformance import expect
from lifecycle_conformance.acp import expected
from lifecycle_conformance.acp.errors import UsageError
from lifecycle_conformance.acp.judge import judge
from lifecycle_conformance.acp.options import Options, load_options, with_runs
from lifecycle_conformance.acp.render import render
from lifecycle_conformance.acp.report import Report, to_json
from lifecycle_conformance.cli.verdict import Asked, say
from lifecycle_conformance.reports import print_text, write_file, write_report
from lifecycle_conformance.reports.of_acp import of_acp


@dataclass(frozen=True)
class Bounds:
    """What is judged of an agent: its options' file, the runs and checks wanted, how deep, how many at a time."""

    agent: Path | None = None
    section: str | None = None
    clause: str | None = None
    profile: str = "quick"
    jobs: int = 1


def judge_agent(command: str, bounds: Bounds, asked: Asked) -> int:
    """Judge the agent that COMMAND starts, print the report and write what was asked for; the exit code."""
    known = expect.load(asked.expect) if asked.expect is not None and not asked.write_expect else None
    report = judged(command, bounds)
    _shown(report, asked)
    for path in asked.reports:
        _written(path, report)
    if asked.write_expect and asked.expect is not None:
        expect.write(asked.expect, command, expected.CONTRACT, expected.happened(report))
        say(f"wrote {len(report.findings)} expected violations to {asked.expect}")
        return 3 if report.inconclusive else 0
    if known is None:
        return report.exit_code
    difference = expected.compare_report(known, report)
    say(difference.render().rstrip())
    return expect.exit_code(difference, bool(report.inconclusive))


def judged(command: str, bounds: Bounds) -> Report:
    """Judge the agent that COMMAND starts, with progress on standard error. Raises click's errors for wrong use."""
    words = words_of(command)
    if bounds.profile not in ("quick", "thorough"):
        raise click.UsageError(f"an ACP agent is judged with --profile quick or thorough, not {bounds.profile}")
    try:
        options = load_options(bounds.agent) if bounds.agent is not None else Options()
        options = with_runs(options, _given(bounds.section), _given(bounds.clause))
        options = msgspec.structs.replace(options, depth=bounds.profile, jobs=bounds.jobs)
        return judge(words, options, say)
    except UsageError as error:
        raise click.UsageError(str(error)) from error


def words_of(command: str) -> list[str]:
    """The words that start the agent. Raises click's error where there are none, or a quote is not closed."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise click.UsageError(f"acp:{command} cannot be split into words: {error}") from error
    if not words:
        raise click.UsageError('acp: needs the agent\'s command, for example acp:"lifecycle agent"')
    return words


def _given(pattern: str | None) -> Sequence[str]:
    return (pattern,) if pattern is not None else ()


def _shown(report: Report, asked: Asked) -> None:
    said = to_json(report).decode() if asked.as_json else render(report)
    if not print_text(said.rstrip() + "\n", sys.stdout):
        say(f"lifecycle: the report could not be printed; the verdict is {report.verdict}")


def _written(path: Path, report: Report) -> None:
    """Write the report in the form its name ends with; as JSON it is the agent's own form. No verdict is lost over it."""
    own = path.suffix == ".json"
    written = write_file(path, to_json(report) + b"\n", "the report") if own else write_report(path, of_acp(report))
    if not written.asked_for:
        say(f"lifecycle: {written.message}; the verdict is {report.verdict}")
