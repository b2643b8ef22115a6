"""Owns the benchmark of engines: equal budgets of commands, the same mutants, the same oracle, every seed on record.

    nice python conformance/campaigns/engines.py run      conformance/results/engines.json; goes on where it stopped
    python conformance/campaigns/engines.py table         the table of conformance/docs/strength.md, from that file

A *command* is anything asked of the system, holds and reactions included. A budget is spent on one mutant by one engine
with one seed; what counts is the commands up to the first burst that the oracle does not allow. Monitors and shrinking
are off for all. The suite has no chance in it: with a seed its runs are shuffled, and `suite in order` is told apart.
The rules of `default`, `tuned` and `random` are one alphabet, of one agent, written down in `lifecycle_conformance/mutants/rules.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import click
import msgspec
from hypothesis.errors import HypothesisException

from lifecycle_conformance.machine import machine
from lifecycle_conformance.mutants import matrix
from lifecycle_conformance.mutants.hunt import Hunt, Hunter
from lifecycle_conformance.mutants.load import load
from lifecycle_conformance.mutants.matrix import percentile
from lifecycle_conformance.mutants.nursery import in_child
from lifecycle_conformance.mutants.plans import Planned
from lifecycle_conformance.mutants.rules import Over, Spent, default_machine, play_machine, random_walk, tuned_machine
from lifecycle_conformance.mutants.zoo import NAMED, mutant

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "conformance" / "results" / "engines.json"
DOCS = ROOT / "conformance" / "docs" / "strength.md"
BEGIN, END = "<!-- engines: begin -->", "<!-- engines: end -->"

SEEDS = 20
BUDGET = 1500
ENGINES = ("suite in order", "suite", "our Hypothesis", "tuned", "default", "random")
ABOUT = {
    "suite in order": "our suites, shortest classes first; no chance in it",
    "suite": "our suites, their runs shuffled by the seed",
    "our Hypothesis": "our machine: two agents, weights, reactions, segments",
    "tuned": "Hypothesis, a rule a command, preconditions by hand",
    "default": "Hypothesis, a rule a command, nothing else",
    "random": "the same rules, uniformly, 30 commands a history",
}


@click.group()
def main() -> None:
    """Compare engines."""


@main.command()
@click.option("--seeds", default=SEEDS, show_default=True)
@click.option("--budget", default=BUDGET, show_default=True, help="Commands.")
@click.option("--mutant", "mutants", multiple=True, default=NAMED)
def run(seeds: int, budget: int, mutants: tuple[str, ...]) -> None:
    """Run every engine on every mutant with every seed."""
    hunt = Hunt("quick", sift=False)
    plan = [*hunt.plan("suite"), *hunt.plan("reactions")]
    kept = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    found: dict[str, dict[str, list[int | None]]] = {}
    if kept.get("trees") == matrix.trees(ROOT) and (kept["seeds"], kept["budget"]) == (seeds, budget):
        found = kept["found"]
    for name in mutants:
        if name not in found:
            given = in_child(partial(_mutant, hunt, name, plan, seeds, budget), 3600.0)
            if isinstance(given, str):
                raise click.ClickException(f"{name}: {given}")
            found[name] = msgspec.json.decode(given)
        click.echo(f"{name}: { ({engine: _median(found[name][engine]) for engine in found[name]}) }")
        result = {"trees": matrix.trees(ROOT), "seeds": seeds, "budget": budget, "found": found}
        RESULTS.write_text(_stored(result), encoding="utf-8")


@main.command()
def table() -> None:
    """Write the table into the documentation."""
    text = DOCS.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    DOCS.write_text(
        f"{head}{BEGIN}\n{tabled(json.loads(RESULTS.read_text()))}{END}{rest.split(END)[1]}", encoding="utf-8"
    )


def tabled(result: dict[str, object]) -> str:
    """The table: an engine a row; found of all hunts, median and p95 of the commands it took, where it was the first."""
    found = msgspec.convert(result["found"], dict[str, dict[str, list[int | None]]])
    budget = msgspec.convert(result["budget"], int)
    rows = [
        "",
        "| engine | what it is | found | median | p95 | best of all on |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for engine in ENGINES:
        every = [steps for name in found for steps in found[name][engine]]
        took = [budget if steps is None else steps for steps in every]
        hits = sum(steps is not None for steps in every)
        best = [name for name in found if _best(found[name], budget) == engine]
        rows.append(
            f"| {engine} | {ABOUT[engine]} | {hits} of {len(every)} | {percentile(took, 0.5)} | {percentile(took, 0.95)} "
            f"| {', '.join(f'`{name}`' for name in best) or 'none'} |"
        )
    rows += ["", "| mutant | " + " | ".join(ENGINES) + " |", "| --- |" + " --- |" * len(ENGINES)]
    for name, by_engine in found.items():
        cells = [_cell(by_engine[engine], budget) for engine in ENGINES]
        rows.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n\n"


def _cell(steps: list[int | None], budget: int) -> str:
    missed = sum(one is None for one in steps)
    middle = _median(steps)
    said = f"over {budget}" if middle is None else str(middle)
    return said + (f" ({missed} of {len(steps)} missed)" if missed else "")


def _median(steps: list[int | None]) -> int | None:
    """The median; None where half of the seeds found nothing."""
    middle = percentile([10**9 if one is None else one for one in steps], 0.5)
    return None if middle == 10**9 else middle


def _best(by_engine: dict[str, list[int | None]], budget: int) -> str:
    """The engine with the smallest median, of those with chance in them."""
    return min(ENGINES[1:], key=lambda engine: _median(by_engine[engine]) or budget + 1)


def _mutant(hunt: Hunt, name: str, plan: list[Planned], seeds: int, budget: int) -> bytes:
    load(mutant(name))
    worker = Hunter(hunt.planner)
    spent: dict[str, list[int | None]] = {}
    engines: dict[str, Callable[[int, Spent], None]] = {
        "suite": lambda seed, spent: _suite(worker, Random(f"suite {seed}").sample(plan, len(plan)), spent),
        "our Hypothesis": lambda seed, spent: play_machine(machine(worker), worker, spent, seed),
        "tuned": lambda seed, spent: play_machine(tuned_machine(worker), worker, spent, seed),
        "default": lambda seed, spent: play_machine(default_machine(worker), worker, spent, seed),
        "random": lambda seed, spent: random_walk(worker, spent, seed),
    }
    spent["suite in order"] = [_spend(lambda one: _suite(worker, plan, one), budget)]
    for engine, play in engines.items():
        spent[engine] = [_spend(partial(play, seed), budget) for seed in range(seeds)]
    return msgspec.json.encode(spent)


def _spend(play: Callable[[Spent], None], budget: int) -> int | None:
    """The commands up to the first failure; None if the budget was spent first."""
    spent: Spent = Spent(budget)
    try:
        play(spent)
    except (Over, HypothesisException):
        # an end in the middle of an example is no matter of Hypothesis
        if not spent.over:
            raise
    return spent.found


def _suite(worker: Hunter, plan: list[Planned], spent: Spent) -> None:
    for planned in plan:
        spent.history(worker, planned.policies, keep_log=planned.keep_log)
        for burst in planned.bursts:
            spent.play(burst)


def _stored(result: dict[str, object]) -> str:
    """A line a mutant and engine."""
    text = json.dumps(result, indent=1)
    lines = text.replace("[\n     ", "[").replace(",\n     ", ", ").replace("\n    ]", "]")
    return lines + "\n"


if __name__ == "__main__":
    main()
