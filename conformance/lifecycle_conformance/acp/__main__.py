"""Owns `python -m lifecycle_conformance.acp`: the judge alone, without the rest of the command line."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click
import msgspec

from lifecycle_conformance.acp.errors import UsageError
from lifecycle_conformance.acp.judge import judge
from lifecycle_conformance.acp.options import Options, load_options, with_runs
from lifecycle_conformance.acp.render import render
from lifecycle_conformance.acp.report import to_json


@click.command()
@click.argument("command")
@click.option("--agent", type=click.Path(path_type=Path), help="TOML file with the agent's options.")
@click.option("--section", "sections", multiple=True, help="Runs to play, as WINDOW/COMMAND patterns.")
@click.option("--clause", "checks", multiple=True, help="Checks to judge by, as patterns of ids.")
@click.option("--profile", type=click.Choice(["quick", "thorough"]), default="quick")
@click.option("--jobs", type=int, default=1, help="Runs played at the same time.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def main(
    command: str,
    agent: Path | None,
    sections: tuple[str, ...],
    checks: tuple[str, ...],
    profile: str,
    jobs: int,
    as_json: bool,
) -> None:
    """Judge the ACP agent that COMMAND starts, for example 'claude-agent-acp' or 'python my_agent.py'."""
    try:
        options = load_options(agent) if agent is not None else Options()
        changes = {"depth": profile, "jobs": jobs}
        options = msgspec.structs.replace(with_runs(options, sections, checks), **changes)
        report = judge(shlex.split(command), options, lambda text: click.echo(text, err=True))
    except UsageError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
    except KeyboardInterrupt:
        click.echo("interrupted: no verdict", err=True)
        sys.exit(130)
    click.echo(to_json(report).decode() if as_json else render(report))
    sys.exit(report.exit_code)


if __name__ == "__main__":
    main()
