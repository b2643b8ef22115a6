"""`lifecycle mutants`: how strong the suite is, from the stored kill matrix or by hunting some mutants now."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(
    "mutants",
    epilog="""\b
Examples:
  lifecycle mutants                                     the stored kill matrix
  lifecycle mutants clear-after-abort                   hunt one mutant now, and print the run that finds it
  lifecycle mutants --list                              every mutant with its clause group
""",
)
@click.argument("names", metavar="[ID]...", nargs=-1)
@click.option("--profile", default="quick", show_default=True, type=click.Choice(["quick", "thorough", "deep"]))
@click.option("--engine", "engines", multiple=True, help="Only this engine; may be repeated.")
@click.option("--list", "listed", is_flag=True, help="List the mutants.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), help="Write the heat map.")
def command(
    names: tuple[str, ...], profile: str, engines: tuple[str, ...], listed: bool, as_json: bool, html: Path | None
) -> int:
    """Show which wrong runtimes the engines find, and for which clauses."""
    if listed:
        return _list(as_json)
    if names:
        return _hunt(names, profile, engines, as_json)
    return _matrix(profile, as_json, html)


def _list(as_json: bool) -> int:
    from lifecycle_conformance.mutants.zoo import ZOO
    from lifecycle_model.wire import to_json

    for mutant in ZOO:
        if as_json:
            click.echo(to_json(mutant).decode())
        else:
            mark = " (equivalent)" if mutant.equivalent else ""
            click.echo(f"{mutant.id:<36} {' '.join(mutant.group)}{mark}\n    {mutant.about}")
    return 0


def _hunt(names: tuple[str, ...], profile: str, engines: tuple[str, ...], as_json: bool) -> int:
    from lifecycle_conformance.mutants.hunt import KILLED, Hunt
    from lifecycle_conformance.mutants.plans import ENGINES
    from lifecycle_conformance.mutants.zoo import mutant
    from lifecycle_model.wire import to_json

    chosen = [mutant(name) for name in names]
    hunt = Hunt(profile)
    missed = 0
    for one in chosen:
        killed = False
        for engine in engines or ENGINES:
            kill = hunt.hunt(one, engine)
            killed = killed or kill.outcome == KILLED
            click.echo(to_json(kill).decode() if as_json else _told(one.group, kill))
            if killed and not engines:
                break
        missed += not (killed or one.equivalent)
    return 1 if missed else 0


def _told(group: tuple[str, ...], kill: object) -> str:
    from lifecycle_conformance.mutants.hunt import Kill
    from lifecycle_model.wire import to_json

    assert isinstance(kill, Kill)
    lines = [f"{kill.mutant}: {kill.outcome} by {kill.engine} after {kill.runs} runs, {kill.milliseconds} ms"]
    lines.append(f"  breaks {' '.join(group)}; blamed {' '.join(kill.blamed) or 'nothing'}")
    if kill.size is not None:
        where = f" (vector {kill.vector})" if kill.vector else ""
        lines.append(f"  the run has {kill.size[0]} commands and {kill.size[1]} reactions{where}:")
        lines += [f"    {to_json(burst).decode()}" for burst in kill.bursts]
    if kill.note:
        lines.append(f"  {kill.note}")
    return "\n".join(lines)


def _matrix(profile: str, as_json: bool, html: Path | None) -> int:
    from lifecycle_conformance.mutants import heatmap, matrix

    root = Path(__file__).parents[3]
    stored = matrix.read(root / matrix.RESULTS)
    if html is not None:
        html.write_text(heatmap.page(stored), encoding="utf-8")
    if as_json:
        click.echo((root / matrix.RESULTS).read_text(encoding="utf-8"), nl=False)
        return 0
    changed = matrix.stale(stored, root)
    if changed:
        click.echo(f"stale: {', '.join(changed)} changed since this matrix was made")
    for line in matrix.text(stored, profile):
        click.echo(line)
    return 0
