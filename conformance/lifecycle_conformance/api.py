"""The small public Python API: load a contract, explore it, check a system, read a trace, draw. Refuses to print.

    from lifecycle_conformance.api import check, contract, draw, explore, read_trace

Everything else of this package may change between versions; what these five take and give changes only with a note
in the changelog. Wrong use raises an exception of the package, whose text says what to do; a violation never does: it
is in what is returned.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from lifecycle_conformance import check as judge
from lifecycle_conformance import exploring
from lifecycle_conformance.contracts import contract_named
from lifecycle_conformance.failure import tracefile
from lifecycle_conformance.failure.sequence import of_trace
from lifecycle_conformance.failure.value import Failure
from lifecycle_conformance.reports.build import report_of
from lifecycle_conformance.reports.found import found_by
from lifecycle_conformance.reports.report import RunReport
from lifecycle_conformance.reports.write import keep_trace
from lifecycle_conformance.systems.adapter import System
from lifecycle_conformance.systems.errors import UsageError
from lifecycle_diagrams.sequence_mermaid import mermaid
from lifecycle_diagrams.sequence_svg import svg
from lifecycle_model.commands import Json
from lifecycle_model.stated import chosen
from lifecycle_model.table import Contract
from lifecycle_model.wire import Trace

__all__ = ["Contract", "Explored", "RunReport", "System", "Trace", "check", "contract", "draw", "explore", "read_trace"]


class Explored(msgspec.Struct, frozen=True):
    """What an exploration found: one entry a scope with its counts, and what does not hold, a line each."""

    holds: bool
    scopes: tuple[dict[str, Json], ...]
    problems: tuple[str, ...]


def contract(name: str = "1") -> Contract:
    """The contract, or a variant, by name: rows, programs, machines and clauses. UsageError for an unknown one."""
    return contract_named(name)


def explore(of: Contract, scope: str = "small", say: Callable[[str], None] = lambda text: None) -> Explored:
    """Visit every configuration of a scope, or of a set of scopes (small, standard, large), and judge every property.

    `say` hears how far it is. Small takes seconds to minutes, standard minutes. Raises `ScopeError` for an unknown scope.
    """
    results = [exploring.run(of, one, None, say) for one in chosen(scope, of.name)]
    problems, code = exploring.verdict(results, of, scope == "standard")
    return Explored(code == 0, tuple(found.facts for found in results), tuple(problems))


def check(
    system: str | System,
    *,
    contract: str = "1",
    profile: str = "quick",
    seed: int = 0,
    jobs: int = 1,
    timeout: float = 10.0,
    traces: str | Path | None = None,
    progress: judge.Progress = lambda stage, done, total: None,
) -> RunReport:
    """Judge a system: one by name as on the command line, or an object with describe, reset, run and stop.

    An object is judged in this process, with one job, and is not stopped. `timeout` is in seconds a burst, over stdio.
    Failing runs are written to the folder `traces`, if given. The report has `verdict`, `exit_code`, `failures`
    (each with `lines`, `clauses`, `test`, `mermaid`, `svg`), `coverage`, `inconclusive` and `timings`.
    `lifecycle_conformance.reports.write_report` writes it in every form.
    """
    if profile not in judge.PROFILES:
        raise UsageError(f"unknown profile {profile!r}", hint=f"known: {', '.join(judge.PROFILES)}")
    options = judge.Options(
        system if isinstance(system, str) else "python", contract, profile, seed=seed, jobs=jobs, timeout=timeout
    )
    outcome = judge.check(options, progress, None if isinstance(system, str) else system)
    if outcome.interrupted:
        raise KeyboardInterrupt
    folder = Path(traces) if traces is not None else None

    def keep(failure: Failure) -> str:
        return (keep_trace(failure, folder).path or "") if folder is not None else f"{failure.fingerprint}.json"

    return report_of(outcome, found_by(outcome), keep)


def read_trace(path: str | Path) -> Trace:
    """Read a trace file that a check kept. Raises `TraceError` for one that is malformed or of a newer protocol."""
    return tracefile.read_trace(Path(path).read_bytes(), str(path))


def draw(what: Contract | Trace, view: str = "agent-status", form: str = "mermaid") -> str:
    """A picture as text: a view of a contract as mermaid, dot or svg, or a trace as a sequence, mermaid or svg.

    Raises `DiagramError` or `UsageError` for a view or form that does not exist, naming those that do.
    """
    if isinstance(what, Trace):
        forms = {"mermaid": mermaid, "svg": svg}
        if form not in forms:
            raise UsageError(f"a trace is not drawn as {form}", hint=f"known: {', '.join(forms)}")
        return forms[form](of_trace(what))
    from lifecycle_diagrams.draw import render

    return render(what, view, form)
