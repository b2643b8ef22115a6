"""`lifecycle draw`: write the diagrams, show one, check that the committed ones are fresh, or draw a trace."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(
    "draw",
    epilog="""\b
Examples:
  lifecycle draw                                  write every picture to diagrams/generated
  lifecycle draw --view agent-status --format mermaid
  lifecycle draw --check
  lifecycle draw .lifecycle/0123456789ab.json     a trace as a sequence diagram
""",
)
@click.argument("trace", required=False, type=click.Path(path_type=Path))
@click.option("--view", help="Print this picture instead of writing all.")
@click.option("--format", "form", default=None, help="mermaid, dot or svg.")
@click.option("--detail", default="guards", show_default=True, help="names, guards or full.")
@click.option("--contract", default="1", show_default=True, help="The contract, or a variant of it.")
@click.option(
    "--folder", type=click.Path(file_okay=False, path_type=Path), default=Path("diagrams/generated"), show_default=True
)
@click.option("--check", "only_check", is_flag=True, help="Fail if a committed picture is stale, and name it.")
def command(
    trace: Path | None, view: str | None, form: str | None, detail: str, contract: str, folder: Path, only_check: bool
) -> int:
    """Draw the contract's machines, or TRACE as a sequence diagram."""
    from typing import cast

    from lifecycle_conformance.contracts import contract_named
    from lifecycle_diagrams import draw
    from lifecycle_diagrams.graph import Detail

    if trace is not None:
        return sequence(trace, form or "mermaid")
    model = contract_named(contract)
    wanted = cast("Detail", detail)
    if view is not None:
        click.echo(draw.render(model, view, form or "mermaid", wanted), nl=False)
        return 0
    if only_check:
        problems = draw.check(model, folder, wanted)
        for problem in problems:
            click.echo(f"{problem}; run `lifecycle draw`")
        return 1 if problems else 0
    for path in draw.write(model, folder, (form,) if form else draw.FORMATS, wanted):
        click.echo(path)
    return 0


def sequence(trace: Path, form: str) -> int:
    """Print a trace as a sequence diagram."""
    from lifecycle_conformance.cli.replay import load
    from lifecycle_conformance.failure.mermaid import mermaid
    from lifecycle_conformance.failure.sequence import of_trace
    from lifecycle_conformance.failure.svg import svg

    if form not in ("mermaid", "svg"):
        raise click.UsageError(f"a trace is drawn as mermaid or svg, not {form}")
    drawn = of_trace(load(trace))
    click.echo(mermaid(drawn) if form == "mermaid" else svg(drawn))
    return 0
