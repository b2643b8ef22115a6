"""`lifecycle check acp:COMMAND`: an ACP agent judged from outside, by its own engine."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click


def judge_agent(command: str, reports: tuple[Path, ...], as_json: bool) -> int:
    """Judge the agent that COMMAND starts; print the report and write it where asked, in the form its name ends with."""
    from lifecycle_conformance.acp.errors import UsageError
    from lifecycle_conformance.acp.judge import judge
    from lifecycle_conformance.acp.options import Options
    from lifecycle_conformance.acp.render import render
    from lifecycle_conformance.acp.report import to_json
    from lifecycle_conformance.cli.verdict import say
    from lifecycle_conformance.reports import print_text, write_file, write_report
    from lifecycle_conformance.reports.of_acp import of_acp

    words = shlex.split(command)
    if not words:
        raise click.UsageError('acp: needs the agent\'s command, for example acp:"lifecycle agent"')
    try:
        report = judge(words, Options(), lambda text: click.echo(text, err=True))
    except UsageError as error:
        raise click.UsageError(str(error)) from error
    said = to_json(report).decode() + "\n" if as_json else render(report)
    if not print_text(said, sys.stdout):
        say(f"lifecycle: the report could not be printed; the verdict is {report.verdict}")
    for path in reports:
        # as JSON it is the agent's own form
        own = path.suffix == ".json"
        written = write_file(path, to_json(report) + b"\n", "the report") if own else write_report(path, of_acp(report))
        if not written.asked_for:
            say(f"lifecycle: {written.message}")
    return int(report.exit_code)
