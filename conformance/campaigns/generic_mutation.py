"""Owns the campaign of generic mutation: the lifecycle modules of the runtime, with the conformance suite as the only test.

    nice python conformance/campaigns/generic_mutation.py run --sample 300 --seed 1
    python conformance/campaigns/generic_mutation.py store      conformance/results/generic_mutation.json from what is there
    python conformance/campaigns/generic_mutation.py survivors  those that are neither dead nor explained; exit 1 if there are

Vectors come first, then the suite, then reactions: each only against what the ones before left alive. What was run is
not run again, so a campaign can be stopped and gone on with; it is kept in `.lifecycle/generic`, by the sources it ran
on. A mutant that crashes or hangs is dead, too, but counted apart: a check of it is INCONCLUSIVE, never green.
Survivors are explained in `generic_survivors.json`, by their names: `equivalent`, or `outside` the contract.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from lifecycle_conformance.mutants import matrix
from lifecycle_conformance.mutants.generic import MODULES, Death, Place, hunt, places
from lifecycle_conformance.mutants.hunt import Hunt
from lifecycle_conformance.mutants.load import source_of

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "conformance" / "results" / "generic_mutation.json"
EXPLAINED = Path(__file__).with_name("generic_survivors.json")
STAGES = ("vectors", "suite", "reactions")


class Tried(msgspec.Struct, frozen=True, omit_defaults=True):
    """One mutant against one engine."""

    name: str
    engine: str
    death: Death | None = None


@click.group()
def main() -> None:
    """Mutate the lifecycle modules."""


@main.command()
@click.option("--sample", default=300, show_default=True, help="How many mutants; 0 for all.")
@click.option("--seed", default=1, show_default=True)
@click.option("--engine", "engines", multiple=True, default=STAGES, show_default=True)
@click.option("--seconds", default=90.0, show_default=True, help="Processor seconds for one mutant and engine.")
def run(sample: int, seed: int, engines: tuple[str, ...], seconds: float) -> None:
    """Hunt what was not hunted yet."""
    kept = _kept()
    chosen = _sample(sample, seed)
    (kept / "sample.json").write_text(json.dumps({"sample": sample, "seed": seed}))
    hunter = Hunt("quick", seconds=600.0, sift=True)
    for engine in engines:
        tried = _tried(kept)
        dead = {one.name for one in tried if one.death is not None}
        done = {one.name for one in tried if one.engine == engine}
        todo = [place for place in chosen if place.name not in dead | done]
        click.echo(f"{engine}: {len(todo)} mutants, {len(hunter.plan(engine)) if todo else 0} runs each at most")
        with (kept / "tried.jsonl").open("ab") as file:
            for at, place in enumerate(todo, 1):
                death = hunt(hunter, place, engine, seconds)
                file.write(msgspec.json.encode(Tried(place.name, engine, death)) + b"\n")
                file.flush()
                click.echo(f"  {at}/{len(todo)} {'survives' if death is None else death.how}: {place.name}")


@main.command()
def store() -> None:
    """Store the summary."""
    kept = _kept()
    asked = json.loads((kept / "sample.json").read_text())
    summary = _summary(kept, asked)
    RESULTS.write_text(json.dumps(summary, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    for name in ("mutants", "tried", "died", "survivors", "share"):
        click.echo(f"{name}: {summary[name]}")


@main.command()
def survivors() -> None:
    """List the survivors nobody has explained."""
    left = json.loads(RESULTS.read_text(encoding="utf-8"))["survivors"]["unexplained"]
    for name in left:
        click.echo(name)
    raise SystemExit(1 if left else 0)


def _summary(kept: Path, asked: dict[str, int]) -> dict[str, object]:
    explained: dict[str, list[str]] = json.loads(EXPLAINED.read_text(encoding="utf-8"))
    everything, chosen = _sample(0, 0), _sample(asked["sample"], asked["seed"])
    by_name: dict[str, list[Tried]] = {}
    for one in _tried(kept):
        by_name.setdefault(one.name, []).append(one)
    mine = {place.name: by_name[place.name] for place in chosen if place.name in by_name}
    deaths = {name: next((one.death for one in tried if one.death), None) for name, tried in mine.items()}
    dead = {name: death for name, death in deaths.items() if death is not None}
    alive = [name for name in mine if name not in dead]
    kinds = {name: explained[name][0] for name in alive if name in explained}
    counted = len(mine) - sum(kind == "equivalent" for kind in kinds.values())
    return {
        "trees": matrix.trees(ROOT),
        "asked": asked,
        "mutants": len(everything),
        "tried": len(mine),
        "untried": len(chosen) - len(mine),
        "died": {
            "how": dict(Counter(death.how for death in dead.values())),
            "engine": dict(Counter(death.engine for death in dead.values())),
        },
        "modules": {
            module: f"{sum(_of(name, module) for name in dead)}/{sum(_of(name, module) for name in mine)}"
            for module in MODULES
        },
        "stages of survivors": {name: [one.engine for one in mine[name]] for name in alive},
        "survivors": {
            "explained": {name: explained[name] for name in alive if name in explained},
            "unexplained": [name for name in alive if name not in explained],
        },
        "share": f"{100 * len(dead) / counted:.1f} % of {counted} mutants not known to be equivalent"
        if counted
        else "",
    }


def _of(name: str, module: str) -> bool:
    return name.startswith(f"{module}.")


def _sample(size: int, seed: int) -> list[Place]:
    """Every mutant, or some drawn by a seed; in the order of the text either way."""
    found = [place for module in MODULES for place in places(module, source_of(module)[1])]
    if not size or size >= len(found):
        return found
    chosen = set(random.Random(seed).sample(range(len(found)), size))
    return [place for at, place in enumerate(found) if at in chosen]


def _kept() -> Path:
    """Where this campaign keeps what it tried: a folder for these very sources."""
    digest = hashlib.sha256(msgspec.json.encode(matrix.trees(ROOT), order="sorted")).hexdigest()[:12]
    kept = ROOT / ".lifecycle" / "generic" / digest
    kept.mkdir(parents=True, exist_ok=True)
    return kept


def _tried(kept: Path) -> list[Tried]:
    return list(_lines(kept / "tried.jsonl"))


def _lines(path: Path) -> Iterator[Tried]:
    if path.is_file():
        for line in path.read_bytes().splitlines():
            yield msgspec.json.decode(line, type=Tried)


if __name__ == "__main__":
    main()
