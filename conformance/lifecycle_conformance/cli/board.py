"""`lifecycle board`: several systems side by side, each judged now or read from a report that `check` wrote."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import click
import msgspec

from lifecycle_conformance import reports
from lifecycle_conformance.acp.report import Report, from_json
from lifecycle_conformance.board import (
    LEGEND,
    Board,
    Column,
    acp_column,
    acp_rows,
    clause_column,
    clause_rows,
    to_html,
    to_json,
    to_markdown,
)
from lifecycle_conformance.cli.check_acp import Bounds, judged, words_of
from lifecycle_conformance.cli.verdict import say
from lifecycle_conformance.reports import RunReport, check_path, print_text, write_file
from lifecycle_conformance.systems.load import known_form

FORMS = {".json": lambda board: to_json(board).decode(), ".md": to_markdown, ".html": to_html}


@click.command(
    "board",
    epilog="""\b
Examples:
  lifecycle board reference dsh
  lifecycle board acp:"agent-one" acp:"agent-two --stdio" --report board.html
  lifecycle board one.json two.json --report board.md     from what check --report wrote
""",
)
@click.argument("systems", nargs=-1, required=True, metavar="SYSTEM...")
@click.option("--profile", default="quick", show_default=True, help="quick, thorough or deep.")
@click.option("--contract", default="1", show_default=True, help="The contract, or a variant of it.")
@click.option("--jobs", default=0, help="Worker processes; 0 takes one a core, four at most.")
@click.option(
    "--report",
    "written",
    multiple=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write the board to this file: .html, .md or .json; may be given several times.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the board as JSON.")
def command(
    systems: tuple[str, ...], profile: str, contract: str, jobs: int, written: tuple[Path, ...], as_json: bool
) -> int:
    """Put several systems into one table: clauses (or an ACP agent's checks) by systems.

    SYSTEM is what `lifecycle check` takes, or a .json report that it wrote. The exit code is the worst of the verdicts:
    1 if a system violates, else 3 if one is inconclusive, else 0.
    """
    for path in written:
        check_path(path)
        if path.suffix not in FORMS:
            raise click.UsageError(f"{path}: a board is written as .html, .md or .json")
    read = {system: _read(Path(system)) for system in systems if system.endswith(".json")}
    for system in systems:
        # before any is judged: a slip in the last name must not cost the others' time
        if system.startswith("acp:"):
            words_of(system.removeprefix("acp:"))
        elif system not in read:
            known_form(system)
    found = [
        (name, read[system] if system in read else _judged(system, profile, contract, jobs))
        for name, system in zip(_names(systems), systems, strict=True)
    ]
    board = made(found, contract)
    if not print_text(to_json(board).decode() if as_json else to_markdown(board), sys.stdout):
        say("lifecycle: the board could not be printed")
    for path in written:
        kept = write_file(path, FORMS[path.suffix](board).encode(), "the board")
        if not kept.asked_for:
            say(f"lifecycle: {kept.message}")
    verdicts = {column.verdict for column in board.columns}
    return 1 if "VIOLATES" in verdicts else 3 if "INCONCLUSIVE" in verdicts else 0


def made(found: list[tuple[str, RunReport | Report]], contract: str) -> Board:
    """The board of some reports, each with the name it has there."""
    from lifecycle_conformance.contracts import contract_named

    judged = [report for _, report in found if isinstance(report, RunReport)]
    agents = any(isinstance(report, Report) for _, report in found)
    rows = (*(clause_rows(judged, contract_named(contract).clauses) if judged else ()), *(acp_rows() if agents else ()))
    return Board("Systems under test", "", rows, tuple(_column(*one) for one in found), LEGEND if agents else "")


def _column(name: str, report: RunReport | Report) -> Column:
    return clause_column(name, report) if isinstance(report, RunReport) else acp_column(name, name, (report,))


def _names(systems: tuple[str, ...]) -> list[str]:
    """A name for each column: a system that was given before is told apart by a number."""
    before = [systems[:i].count(system) for i, system in enumerate(systems)]
    return [f"{system} ({n + 1})" if n else system for system, n in zip(systems, before, strict=True)]


def _judged(system: str, profile: str, contract: str, jobs: int) -> RunReport | Report:
    """Judge a system."""
    say(f"{system}:")
    if system.startswith("acp:"):
        return judged(system.removeprefix("acp:"), Bounds(profile=profile, jobs=jobs or 1))
    from lifecycle_conformance.api import check
    from lifecycle_conformance.cli.check import shown

    progress = shown(quiet=False)
    report = check(
        system, contract=contract, profile=profile, jobs=jobs or min(os.cpu_count() or 1, 4), progress=progress
    )
    progress.clear()
    return report


def _read(path: Path) -> RunReport | Report:
    try:
        data = path.read_bytes()
        held = json.loads(data)
        if not isinstance(held, dict):
            raise ValueError(f"it holds a {type(held).__name__}")
        kind = held.get("kind")
        return from_json(data) if kind == "acp" else reports.from_json(data)
    except OSError as error:
        raise click.UsageError(
            f"{path}: {error.strerror}; next: write it with `lifecycle check SYSTEM --report`"
        ) from error
    except (ValueError, msgspec.DecodeError) as error:
        raise click.UsageError(f"{path} is not a report of `lifecycle check`: {error}") from error
