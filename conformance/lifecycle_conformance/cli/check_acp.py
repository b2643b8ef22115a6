"""`lifecycle check acp:COMMAND`: an ACP agent judged from outside, by its own engine."""

from __future__ import annotations

import shlex
from pathlib import Path

import click


def judge_agent(command: str, reports: tuple[Path, ...], as_json: bool) -> int:
    """Judge the agent that COMMAND starts; print the report and write it where asked (.json)."""
    from lifecycle_conformance.acp.errors import UsageError
    from lifecycle_conformance.acp.judge import judge
    from lifecycle_conformance.acp.options import Options
    from lifecycle_conformance.acp.render import render
    from lifecycle_conformance.acp.report import to_json

    words = shlex.split(command)
    if not words:
        raise click.UsageError('acp: needs the agent\'s command, for example acp:"lifecycle agent"')
    try:
        report = judge(words, Options(), lambda text: click.echo(text, err=True))
    except UsageError as error:
        raise click.UsageError(str(error)) from error
    click.echo(to_json(report).decode() if as_json else render(report))
    for path in reports:
        try:
            path.write_bytes(to_json(report) + b"\n")
        except OSError as error:
            click.echo(f"lifecycle: {path} could not be written: {error.strerror}", err=True)
    return int(report.exit_code)
