"""`lifecycle explain`: a clause with its sentence, where it lives, and what checks it."""

from __future__ import annotations

import click


@click.command(
    "explain",
    epilog="""\b
Examples:
  lifecycle explain C9
  lifecycle explain S/r9
  lifecycle explain            list every clause
""",
)
@click.argument("clause", required=False)
@click.option("--contract", default="1", show_default=True, help="The contract, or a variant of it.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def command(clause: str | None, contract: str, as_json: bool) -> int:
    """Explain CLAUSE: its sentence, the rows and programs that carry it, the properties and monitors that check it, its vectors."""
    from lifecycle_conformance.carriers import carriers
    from lifecycle_conformance.cli.check import known_clause
    from lifecycle_conformance.contracts import contract_named
    from lifecycle_model.wire import to_json

    known = contract_named(contract)
    if clause is None:
        if as_json:
            click.echo(to_json(dict(known.clauses)).decode())
            return 0
        for name, sentence in known.clauses.items():
            click.echo(f"{name:<22} {sentence if len(sentence) < 100 else sentence[:97] + '...'}")
        return 0
    known_clause(clause, contract)
    found = carriers(known, clause)
    if as_json:
        click.echo(to_json({"clause": clause, "sentence": known.clauses[clause], **found}).decode())
        return 0
    click.echo(f"{clause}  {known.clauses[clause]}")
    for kind, names in found.items():
        if names:
            click.echo(f"  {kind}:")
            for name in names:
                click.echo(f"    {name}")
    if not any(found.values()):
        click.echo("  nothing carries this clause yet")
    return 0
