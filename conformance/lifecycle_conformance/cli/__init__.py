"""The `lifecycle` command: one module a verb, imported when the verb is used. Refuses to judge: it calls those who do."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Sequence

import click

VERBS = {
    "check": "Judge a system under test.",
    "explore": "Check the model itself: every configuration of a scope.",
    "draw": "Write the diagrams, or a trace as a sequence diagram.",
    "review": "Say what a change of the lifecycle does.",
    "replay": "Run one stored trace again.",
    "simulate": "Type commands; see what the model does with them.",
    "explain": "Explain a clause: its sentence, rows, properties, vectors.",
    "systems": "List, describe, test, install and remove systems under test.",
    "serve": "Speak the protocol on standard streams for a Python system.",
    "board": "Several systems, one table.",
    "mutants": "Show how strong the suite is.",
    "agent": "Serve the reference runtime as an ACP agent.",
}


class Lifecycle(click.Group):
    """Finds a verb's module by its name, so that starting the command stays fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs that exist, in the order of the documentation."""
        return [name for name in VERBS if _exists(name)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb's command, or None."""
        if cmd_name not in VERBS or not _exists(cmd_name):
            return None
        module = importlib.import_module(f"lifecycle_conformance.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs without importing them."""
        with formatter.section("Verbs"):
            formatter.write_dl([(name, VERBS[name]) for name in self.list_commands(ctx)])


def _exists(name: str) -> bool:
    return importlib.util.find_spec(f"lifecycle_conformance.cli.{name}") is not None


@click.group(
    cls=Lifecycle,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""\b
Examples:
  lifecycle check                       judge the bundled runtime
  lifecycle check stdio:"my-adapter"    judge yours
  lifecycle explain C9                  what a clause says and what checks it
""",
)
@click.option("--debug", is_flag=True, help="Show tracebacks.")
@click.version_option(package_name="lifecycle-spec")
@click.pass_context
def lifecycle(ctx: click.Context, debug: bool) -> None:
    """State, judge and draw the life of an AI agent."""
    ctx.obj = {"debug": debug}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line. Exit codes: 0 CONFORMS, 1 VIOLATES, 2 wrong use, 3 INCONCLUSIVE, 130 interrupted."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given
    given = [one for one in given if one != "--debug"]
    try:
        code = lifecycle.main(args=(["--debug"] if debug else []) + given, prog_name="lifecycle", standalone_mode=False)
        sys.stdout.flush()
        return int(code or 0)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        error.show()
        return 2
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted: no verdict", err=True)
        return 130
    except BrokenPipeError:
        _silence(sys.stdout)
        return 141
    except Exception as error:
        if debug:
            raise
        return _told(error)


def _told(error: Exception) -> int:
    """One line for what went wrong: wrong use is 2, a failing adapter 3; anything else is our own fault."""
    code = getattr(error, "exit_code", None)
    if isinstance(code, int):
        click.echo(f"lifecycle: {error}", err=True)
        return code
    if type(error).__module__.startswith("lifecycle_"):
        click.echo(f"lifecycle: {error}", err=True)
        return 2
    click.echo(
        f"lifecycle: internal error, {type(error).__name__}: {error}; run again with --debug and report it", err=True
    )
    return 3


def _silence(stream: object) -> None:
    """Keep Python from complaining about a reader that has gone away."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
