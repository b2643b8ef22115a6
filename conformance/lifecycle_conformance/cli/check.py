"""`lifecycle check`: judge a system and print the verdict with what was covered."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import click


@click.command(
    "check",
    epilog="""\b
Examples:
  lifecycle check
  lifecycle check stdio:"node my-adapter.mjs" --profile thorough
  lifecycle check reference --clause C9
  lifecycle check acp:"my-agent --stdio" --agent my-agent.toml
  lifecycle check --report report.html --report junit.xml
  lifecycle check stdio:"my-adapter" --expect known.json --write-expect
""",
)
@click.argument("system", default="reference")
@click.option(
    "--profile",
    default="quick",
    show_default=True,
    help="quick (every label of every class), thorough (every reaction, long histories, other orders of tasks) or deep (thousands).",
)
@click.option("--contract", default="1", show_default=True, help="The contract, or a variant of it.")
@click.option("--clause", help="Only the vectors of this clause, no suites and no walks (acp: only this check).")
@click.option("--section", help="The same for a section (S, Q, C, P, T, L, D, O, A, G; acp: WINDOW/COMMAND).")
@click.option("--seed", default=0, show_default=True, help="Of the walks and histories.")
@click.option("--jobs", default=0, help="Worker processes; 0 takes one a core, four at most.")
@click.option("--budget", type=float, help="Seconds; what is not reached makes the check INCONCLUSIVE.")
@click.option("--timeout", default=10.0, show_default=True, help="Seconds a system may take for one burst.")
@click.option(
    "--report",
    "reports",
    multiple=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write the report to this file: .html, .md, .xml (JUnit), .json or .txt; may be given several times.",
)
@click.option(
    "--traces",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(".lifecycle"),
    show_default=True,
    help="Where failing traces are kept.",
)
@click.option(
    "--expect",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Known violations: new ones fail, and so do those that no longer happen.",
)
@click.option(
    "--agent",
    type=click.Path(dir_okay=False, path_type=Path),
    help="For acp:COMMAND: a TOML file with the agent's environment, files and limits.",
)
@click.option("--write-expect", is_flag=True, help="Write the violations found to the --expect file.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def command(
    system: str, profile: str, contract: str, clause: str | None, section: str | None, seed: int, jobs: int, budget: float | None,
    timeout: float, reports: tuple[Path, ...], traces: Path, expect: Path | None, agent: Path | None, write_expect: bool, as_json: bool,
) -> int:  # fmt: skip
    """Judge SYSTEM (default: the bundled reference runtime).

    SYSTEM is reference, stdio:COMMAND, python:MODULE:FACTORY, dsh, or acp:COMMAND.
    """
    # what Hypothesis would keep beside the caller's files is of no use to a check
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(Path(tempfile.gettempdir()) / "lifecycle-hypothesis"))
    from lifecycle_conformance.check import PROFILES, Options
    from lifecycle_conformance.cli.verdict import Asked, conclude
    from lifecycle_conformance.reports import check_path

    for path in reports:
        check_path(path)
    if write_expect and expect is None:
        raise click.UsageError("--write-expect needs --expect FILE")
    asked = Asked(reports, traces, expect, write_expect, as_json)
    workers = jobs or min(os.cpu_count() or 1, 4)
    if system.startswith("acp:"):
        from lifecycle_conformance.cli.check_acp import Bounds, judge_agent

        return judge_agent(system.removeprefix("acp:"), Bounds(agent, section, clause, profile, workers), asked)
    if agent is not None:
        raise click.UsageError("--agent has the options of an ACP agent: it needs a system acp:COMMAND")
    if profile not in PROFILES:
        raise click.UsageError(f"unknown profile {profile!r}; known: {', '.join(PROFILES)}")
    known_clause(clause, contract)
    if section is not None and section not in "SQCPTLDOAGIVX":
        raise click.UsageError(f"unknown section {section!r}; known: S Q C P T L D O A G I V X")
    options = Options(system, contract, profile, clause, section, seed, workers, budget, timeout)
    return conclude(options, asked, shown(as_json))


def known_clause(clause: str | None, contract: str) -> None:
    """Refuse a clause the contract does not have."""
    if clause is None:
        return
    from difflib import get_close_matches

    from lifecycle_conformance.contracts import contract_named

    known = contract_named(contract).clauses
    if clause not in known:
        near = ", ".join(get_close_matches(clause, known, 3, 0.4)) or "see `lifecycle explain`"
        raise click.UsageError(f"unknown clause {clause!r} in contract {contract}; near: {near}")


class shown:
    """Progress on standard error: one changing line on a terminal, a line every ten seconds elsewhere."""

    def __init__(self, quiet: bool) -> None:
        self.live = sys.stderr.isatty() and not quiet
        self.last = time.monotonic()
        self.width = 0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show how far a stage is."""
        text = f"{stage}: {done}/{total}"
        if self.live:
            self.width = max(self.width, len(text))
            sys.stderr.write("\r" + text.ljust(self.width))
            sys.stderr.flush()
        elif time.monotonic() - self.last >= 10:
            self.last = time.monotonic()
            sys.stderr.write(text + "\n")

    def clear(self) -> None:
        """Leave the terminal's line empty."""
        if self.live and self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
