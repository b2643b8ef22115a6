"""`lifecycle explain`: a clause with its sentence, where it lives, what checks it, and what is missed without it."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(
    "explain",
    epilog="""\b
Examples:
  lifecycle explain C9
  lifecycle explain S/r9
  lifecycle explain                       list every clause
  lifecycle explain C9 --load-bearing     take its rows away in turn: what changes
  lifecycle explain --load-bearing        all of them; two minutes
  lifecycle explain --write               write the table of clauses into model/README.md
  lifecycle explain --check               fail if that table is stale
""",
)
@click.argument("clause", required=False)
@click.option("--contract", default="1", show_default=True, help="The contract, or a variant of it.")
@click.option("--load-bearing", is_flag=True, help="Remove or negate each row and step, and say what changes.")
@click.option("--write", is_flag=True, help="Write the table of clauses into model/README.md.")
@click.option("--check", is_flag=True, help="Fail if the table in model/README.md is stale.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def command(clause: str | None, contract: str, load_bearing: bool, write: bool, check: bool, as_json: bool) -> int:
    """Explain CLAUSE: its sentence, the rows and programs that carry it, the properties and monitors that check it, its vectors."""
    from lifecycle_conformance.cli.check import known_clause

    if clause is not None:
        known_clause(clause, contract)
    if load_bearing:
        return _bearing(clause, contract, as_json)
    if write or check:
        return _table(write)
    return _list(contract, as_json) if clause is None else _explain(clause, contract, as_json)


def _list(contract: str, as_json: bool) -> int:
    from lifecycle_conformance.contracts import contract_named
    from lifecycle_model.wire import to_json

    clauses = dict(contract_named(contract).clauses)
    if as_json:
        click.echo(to_json(clauses).decode())
        return 0
    for name, sentence in clauses.items():
        click.echo(f"{name:<22} {sentence if len(sentence) < 100 else sentence[:97] + '...'}")
    return 0


def _explain(clause: str, contract: str, as_json: bool) -> int:
    from lifecycle_conformance.carriers import carriers
    from lifecycle_conformance.contracts import contract_named
    from lifecycle_model.wire import to_json

    known = contract_named(contract)
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


def _table(write: bool) -> int:
    from lifecycle_conformance.clause_table import page_of, written
    from lifecycle_conformance.contracts import contract_named

    page = page_of(Path.cwd())
    now = page.read_text()
    due = written(now, contract_named("1"))
    if write:
        page.write_text(due)
    elif now != due:
        click.echo("model/README.md is stale; run `lifecycle explain --write`", err=True)
        return 1
    return 0


def _bearing(clause: str | None, contract: str, as_json: bool) -> int:
    from lifecycle_conformance.bearing.judge import Change, Changes, unexplained
    from lifecycle_conformance.contracts import contract_named
    from lifecycle_model.wire import to_json

    found: list[Change] = []
    every = Changes(contract_named(contract), () if clause is None else (clause,))
    for change in every:
        found.append(change)
        if not as_json:
            click.echo(change.line())
        elif len(found) % 50 == 0:
            click.echo(f"{len(found)} of {every.total} taken away", err=True)
    bad = unexplained(found)
    if as_json:
        click.echo(to_json([change.facts() for change in found]).decode())
    else:
        told = sum(not change.run for change in found)
        click.echo(
            f"{len(found)} taken away; {told - len(bad)} change nothing for a stated reason, {len(bad)} without one"
        )
    return 1 if bad else 0
