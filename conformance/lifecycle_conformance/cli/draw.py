"""`lifecycle draw`: write the diagrams, show one, compare two contracts, check that what is committed is fresh, or draw a trace.

Refuses to write another contract's pictures over the committed ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from lifecycle_diagrams.graph import Detail

COMMITTED = Path("diagrams/generated")
OURS = "1"


@dataclass(frozen=True)
class Wanted:
    """What the options ask for."""

    view: str
    form: str
    detail: Detail
    focus: str | None
    clause: str | None
    coverage: Path | None
    against: str | None


@click.command(
    "draw",
    epilog="""\b
Examples:
  lifecycle draw                                             write every picture to diagrams/generated, and the gallery
  lifecycle draw --check                                     name every committed picture that is stale
  lifecycle draw --view agent-status                         one picture as Mermaid
  lifecycle draw --view turn --format svg --detail full -o turn.svg
  lifecycle draw --view agent-status --focus Parked          one state with its neighbours, the rest grey
  lifecycle draw --view cancel --clause C9                   only the rows that carry the clause
  lifecycle draw --view turn --coverage report.json          a run's coverage (check --report report.json) as heat
  lifecycle draw --contract latch --against 1                what a variant changes, as text
  lifecycle draw --contract latch --against 1 --view agent-status --format svg -o difference.svg
  lifecycle draw --contract latch --folder pictures          all pictures of a variant
  lifecycle draw .lifecycle/0123456789ab.json --format svg   a trace as a sequence diagram
""",
)
@click.argument("trace", required=False, type=click.Path(path_type=Path))
@click.option("--view", help="Draw this picture instead of writing all.")
@click.option("--format", "form", default=None, help="mermaid, dot, svg or png.")
@click.option(
    "--detail", default="guards", show_default=True, help="names, guards or full (effects, rows and clauses)."
)
@click.option("--focus", help="With --view: a state, step or machine that stands out with its neighbours.")
@click.option("--clause", help="With --view: only the rows that carry this clause, the rest grey.")
@click.option("--coverage", type=click.Path(path_type=Path), help="With --view: a JSON report; colour by what it took.")
@click.option("--contract", default=OURS, show_default=True, help="The contract, or a variant of it.")
@click.option("--against", help="Another contract: show what --contract adds, removes and changes.")
@click.option("--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Write the picture to this file.")
@click.option(
    "--folder", type=click.Path(file_okay=False, path_type=Path), help=f"Where all pictures go. [{COMMITTED}]"
)
@click.option("--check", "only_check", is_flag=True, help="Fail if a committed picture is stale, and name it.")
def command(
    trace: Path | None,
    view: str | None,
    form: str | None,
    detail: str,
    focus: str | None,
    clause: str | None,
    coverage: Path | None,
    contract: str,
    against: str | None,
    output: Path | None,
    folder: Path | None,
    only_check: bool,
) -> int:
    """Draw the contract's machines and programs, what another contract changes, or TRACE as a sequence diagram."""
    from typing import cast

    wanted = Wanted(view or "", form or "mermaid", cast("Detail", detail), focus, clause, coverage, against)
    if trace is not None:
        return _put(sequence(trace, wanted.form), output)
    if view is not None or against is not None:
        return _put(picture(contract, wanted, shown=form is not None or view is not None), output)
    for name, given in (("--focus", focus), ("--clause", clause), ("--coverage", coverage), ("--output", output)):
        if given is not None:
            raise click.UsageError(f"{name} is about one picture: name it with --view, for example --view agent-status")
    return _all(contract, folder, (form,) if form else None, wanted.detail, only_check)


def _put(drawn: str | bytes, output: Path | None) -> int:
    if output is not None:
        output.write_bytes(drawn if isinstance(drawn, bytes) else drawn.encode())
        click.echo(output)
    elif isinstance(drawn, bytes):
        raise click.UsageError("a PNG goes to a file: name it with --output picture.png")
    else:
        click.echo(drawn, nl=False)
    return 0


def picture(contract: str, wanted: Wanted, shown: bool) -> str | bytes:
    """One picture, or a difference as text."""
    from lifecycle_conformance.contracts import contract_named
    from lifecycle_diagrams import draw, png

    model = contract_named(contract)
    form = "svg" if wanted.form == "png" else wanted.form
    if wanted.against is not None:
        base = contract_named(wanted.against)
        text = not shown or wanted.form == "text"
        if not text and not wanted.view:
            raise click.UsageError("a difference is text, or one picture: name it with --view, for example --view turn")
        drawn = draw.render_difference(base, model, wanted.view, "text" if text else form, wanted.detail)
    else:
        counts = None if wanted.coverage is None else _counts(wanted.coverage)
        drawn = draw.render(
            model, wanted.view, form, wanted.detail, focus=wanted.focus, clause=wanted.clause, coverage=counts
        )
    return png.png(drawn) if wanted.form == "png" else drawn


def _counts(report: Path) -> Mapping[str, int]:
    """How often a run took each row, from its JSON report."""
    import msgspec

    from lifecycle_conformance.reports.report import Coverage

    try:
        found = msgspec.json.decode(report.read_bytes(), type=dict[str, msgspec.Raw])
        return msgspec.json.decode(found["coverage"], type=Coverage).rows
    except (OSError, KeyError, msgspec.DecodeError) as error:
        raise click.UsageError(
            f"{report} is no report with coverage ({type(error).__name__}: {error}); `lifecycle check --report {report.stem}.json` writes one"
        ) from error


def _all(contract: str, folder: Path | None, forms: tuple[str, ...] | None, detail: Detail, only_check: bool) -> int:
    from lifecycle_conformance.contracts import contract_named
    from lifecycle_diagrams import draw

    model, place = contract_named(contract), folder or COMMITTED
    if folder is None and contract != OURS:
        raise click.UsageError(f"{COMMITTED} holds contract {OURS}: name another place with --folder pictures")
    if only_check:
        problems = draw.check(model, place, detail)
        for problem in problems:
            click.echo(problem)
        return 1 if problems else 0
    for path in draw.write(model, place, forms or draw.FORMATS, detail):
        click.echo(path)
    return 0


def sequence(trace: Path, form: str) -> str | bytes:
    """A trace as a sequence diagram."""
    from lifecycle_conformance.cli.replay import load
    from lifecycle_conformance.failure.clauses import clauses_of
    from lifecycle_conformance.failure.sequence import of_trace
    from lifecycle_diagrams import png, sequence_mermaid, sequence_svg

    if form not in ("mermaid", "svg", "png"):
        raise click.UsageError(f"a trace is drawn as mermaid, svg or png, not {form}")
    run = load(trace)
    drawn = of_trace(run, clauses_of(run))
    if form == "mermaid":
        return sequence_mermaid.mermaid(drawn)
    text = sequence_svg.svg(drawn)
    return text if form == "svg" else png.png(text)
