"""Owns the campaign that hunts the whole zoo and stores the kill matrix.

    nice python conformance/campaigns/mutants.py run                    every mutant, every engine, profile quick
    nice python conformance/campaigns/mutants.py run --profile thorough --engine reactions
    python conformance/campaigns/mutants.py matrix                      the matrix and the heat map from what is there
    python conformance/campaigns/mutants.py status                      is the committed matrix stale?

A hunt that is there already is not repeated, so a campaign can be stopped and gone on with; it is kept in
`.lifecycle/mutants`, by the sources it ran on: when those change it begins anew. The quick profile takes about a
processor hour. Engines that draw from the suites' scopes hunt the mutants of sections S, Q, C, T, P, L and D only.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import click
import msgspec

from lifecycle_conformance.mutants import heatmap, matrix
from lifecycle_conformance.mutants.hunt import KILLED, Hunt, Kill
from lifecycle_conformance.mutants.mutant import Mutant
from lifecycle_conformance.mutants.plans import ENGINES
from lifecycle_conformance.mutants.zoo import ZOO

ROOT = Path(__file__).resolve().parents[2]
MODELLED = "SQCTPLD"


@click.group()
def main() -> None:
    """Hunt the zoo."""


@main.command()
@click.option("--profile", default="quick", show_default=True)
@click.option("--engine", "engines", multiple=True, default=ENGINES, show_default=True)
@click.option("--section", default="", help="Only mutants of these sections.")
@click.option("--seconds", default=600.0, show_default=True, help="For one hunt.")
@click.option("--optimum/--no-optimum", default=True, show_default=True, help="Compare with the suite's shortest run.")
@click.option("--survivors", is_flag=True, help="Only mutants that no engine has killed so far.")
@click.option("--every", default=1, show_default=True, help="Only every so many-th mutant, to compare engines on.")
def run(
    profile: str, engines: tuple[str, ...], section: str, seconds: float, optimum: bool, survivors: bool, every: int
) -> None:
    """Hunt what was not hunted yet."""
    kept = _kept()
    hunt = Hunt(profile, seconds=seconds, sift=True, optimum=optimum)
    for engine in engines:
        dead = {kill.mutant for kill in _kills(kept) if survivors and kill.outcome == KILLED}
        done = {kill.mutant for kill in _kills(kept) if kill.engine == engine and kill.profile == profile}
        asked = [mutant for mutant in ZOO[::every] if _asked(mutant, engine, section)]
        todo = [mutant for mutant in asked if mutant.id not in done | dead]
        if not todo or not (engine == "hypothesis" or hunt.plan(engine)):
            continue
        click.echo(f"{profile} {engine}: {len(todo)} mutants, {len(hunt.plan(engine))} runs each at most")
        (kept / f"sifted-{profile}-{engine}.txt").write_text("".join(f"{one}\n" for one in hunt.sifted))
        with (kept / "kills.jsonl").open("ab") as file:
            for mutant in todo:
                kill = hunt.hunt(mutant, engine)
                file.write(msgspec.json.encode(kill) + b"\n")
                file.flush()
                click.echo(f"  {mutant.id}: {kill.outcome} {' '.join(kill.blamed)}")


@main.command("matrix")
def store() -> None:
    """Store the matrix and the heat map."""
    kept = _kept()
    order = {(mutant.id, engine): (at, to) for at, mutant in enumerate(ZOO) for to, engine in enumerate(ENGINES)}
    kills = sorted(_kills(kept), key=lambda kill: (order[kill.mutant, kill.engine], kill.profile))
    sifted = sorted({line for file in kept.glob("sifted-*.txt") for line in file.read_text().splitlines()})
    made = matrix.Matrix(matrix.trees(ROOT), tuple(kills), tuple(sifted))
    matrix.write(made, ROOT / matrix.RESULTS)
    (ROOT / matrix.RESULTS).with_suffix(".html").write_text(heatmap.page(made), encoding="utf-8")
    for profile in made.profiles:
        for line in matrix.text(made, profile):
            click.echo(line)


@main.command()
def status() -> None:
    """Say whether the committed matrix is stale; exit 1 if it is."""
    changed = matrix.stale(matrix.read(ROOT / matrix.RESULTS), ROOT)
    click.echo(f"stale: {', '.join(changed)} changed" if changed else "fresh")
    raise SystemExit(1 if changed else 0)


def _asked(mutant: Mutant, engine: str, section: str) -> bool:
    if section and mutant.section not in section:
        return False
    return engine in ("vectors", "whole", "interleavings") or mutant.section in MODELLED


def _kept() -> Path:
    """Where this campaign keeps its hunts: a folder for these very sources."""
    digest = hashlib.sha256(msgspec.json.encode(matrix.trees(ROOT), order="sorted")).hexdigest()[:12]
    kept = ROOT / ".lifecycle" / "mutants" / digest
    kept.mkdir(parents=True, exist_ok=True)
    return kept


def _kills(kept: Path) -> list[Kill]:
    try:
        lines = (kept / "kills.jsonl").read_bytes().splitlines()
    except FileNotFoundError:
        return []
    return [msgspec.json.decode(line, type=Kill) for line in lines]


if __name__ == "__main__":
    main()
