"""`lifecycle explore`: check the model itself, every configuration of a scope, with properties and coverage."""

from __future__ import annotations

import os
import sys
import time

import click


@click.command(
    "explore",
    epilog="""\b
Examples:
  lifecycle explore                    the small scopes
  lifecycle explore --scope standard   minutes
  lifecycle explore --scope cancel --property "I8"
""",
)
@click.option("--scope", "name", default="small", show_default=True, help="A scope, or small, standard, large.")
@click.option("--property", "wanted", help="Only this property, by its id.")
@click.option("--jobs", default=0, help="Scopes explored at once, each in a process; 0 takes one a core, four at most.")
@click.option("--contract", default="1", show_default=True, help="The contract, or a variant of it.")
@click.option("--list", "list_them", is_flag=True, help="List the scopes and properties.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def command(name: str, wanted: str | None, jobs: int, contract: str, list_them: bool, as_json: bool) -> int:
    """Visit every configuration of a scope; prove the invariants, find the witnesses, judge liveness."""
    from lifecycle_conformance.contracts import contract_named
    from lifecycle_conformance.exploring import excused, run_all, verdict
    from lifecycle_model.properties import Liveness, Reachable, Safety
    from lifecycle_model.scope import ScopeError
    from lifecycle_model.stated import chosen, properties_of, scopes_of
    from lifecycle_model.wire import to_json

    model = contract_named(contract)
    properties = properties_of(model)
    every: list[Safety | Reachable | Liveness] = [*properties.safety, *properties.reachable, *properties.liveness]
    stated = {one.id: one for one in every}
    if list_them:
        for scope in scopes_of(contract):
            click.echo(f"{scope.name:<14} {'/'.join(scope.sets):<16} {scope.about}")
        for known in stated.values():
            click.echo(f"{known.id:<28} {' '.join(known.clauses):<20} {known.about}")
        return 0
    if wanted is not None and wanted not in stated:
        raise click.UsageError(f"unknown property {wanted!r}; `lifecycle explore --list` lists them")
    try:
        scopes = chosen(name, contract)
    except ScopeError as error:
        raise click.UsageError(str(error)) from error
    results = []
    whole = name == "standard"  # only this set claims to take every row and to reach every property
    workers = jobs or min(os.cpu_count() or 1, 4)
    say = Saying()
    for found in run_all(model, scopes, wanted, workers, say):
        results.append(found)
        if not as_json:
            rate = found.configurations / found.seconds if found.seconds else 0
            click.echo(f"{found.text}\n  {found.seconds:.1f} s, {rate:,.0f} configurations/s, {found.memory} MB")
    lines, code = verdict(results, model, whole and wanted is None)
    if as_json:
        click.echo(to_json({"scopes": [found.facts for found in results], "problems": lines}).decode())
    else:
        for line in (*(excused(results, model) if whole and wanted is None else ()), *lines):
            click.echo(line)
        click.echo("holds" if code == 0 else "does not hold")
    return code


class Saying:
    """Progress on standard error: everything on a terminal, a line every ten seconds elsewhere."""

    def __init__(self) -> None:
        self.live = sys.stderr.isatty()
        self.last = time.monotonic()

    def __call__(self, text: str) -> None:
        """Say how far the exploration is."""
        if self.live or time.monotonic() - self.last >= 10:
            self.last = time.monotonic()
            click.echo(text, err=True)
