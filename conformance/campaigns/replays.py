"""Owns the campaign that repeats stored counterexamples: the same verdict and the same bytes, on every Python named.

    python conformance/campaigns/replays.py store                       counterexamples.jsonl, from what mutants.py keeps
    python conformance/campaigns/replays.py run --python python3.11 --python python3.12

Each Python is a process of its own, in which our packages and what they need can be imported; every counterexample is
repeated in a forked child, on the mutant that it was found on.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import click
import msgspec

from lifecycle_conformance.engines import Setting, Worker
from lifecycle_conformance.modelled import modelled
from lifecycle_conformance.mutants import matrix
from lifecycle_conformance.mutants.hunt import KILLED, Kill
from lifecycle_conformance.mutants.load import load
from lifecycle_conformance.mutants.nursery import in_child
from lifecycle_conformance.mutants.zoo import mutant
from lifecycle_conformance.systems.schedule import Schedule, follow
from lifecycle_conformance.vectors import check_vector, load_vectors
from lifecycle_model.commands import Burst, Json
from lifecycle_model.wire import to_json

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "conformance" / "results" / "counterexamples.jsonl"
RESULTS = ROOT / "conformance" / "results" / "replays.json"


class Counterexample(msgspec.Struct, frozen=True, omit_defaults=True):
    """A run that a mutant fails."""

    mutant: str
    engine: str
    bursts: tuple[Burst, ...]
    policies: dict[str, Json] = {}
    schedule: tuple[int, ...] = ()
    vector: str = ""
    """The vector it is the run of, which may say more than the model."""


@click.group()
def main() -> None:
    """Repeat counterexamples."""


@main.command()
@click.argument("kills", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
def store(kills: tuple[Path, ...]) -> None:
    """Keep the shortest counterexample of each mutant and engine, from files of KILLS (`kills.jsonl`)."""
    policies = {vector.id: vector.policies for vector in load_vectors()}
    best: dict[tuple[str, str], Kill] = {}
    for line in (line for path in kills for line in path.read_bytes().splitlines()):
        kill = msgspec.json.decode(line, type=Kill)
        known = best.get((kill.mutant, kill.engine))
        if kill.outcome == KILLED and kill.bursts and (known is None or (kill.size or (0,)) < (known.size or (0,))):
            best[kill.mutant, kill.engine] = kill
    found = [
        Counterexample(
            one.mutant,
            one.engine,
            one.bursts,
            one.policies or dict(policies.get(one.vector, {})),
            one.schedule,
            one.vector,
        )
        for _, one in sorted(best.items())
    ]
    STORED.write_bytes(b"".join(to_json(one) + b"\n" for one in found))
    click.echo(f"{len(found)} counterexamples of {len({one.mutant for one in found})} mutants")


@main.command()
@click.option("--python", "pythons", multiple=True, default=(sys.executable,))
@click.option("--replays", default=1000, show_default=True, help="On each Python, at least.")
def run(pythons: tuple[str, ...], replays: int) -> None:
    """Repeat on each Python, compare, store the result; exit 1 if anything differs."""
    told: dict[str, list[str]] = {}
    for python in pythons:
        given = _given(python, replays)
        told[given[0]] = given[1:]
        click.echo(f"{given[0]}: {len(given) - 1} replays")
    different: dict[str, list[str]] = {}
    for line in sorted({line for lines in told.values() for line in lines}):
        name, digest = line.split(" ", 1)
        different.setdefault(name, []).append(digest)
    wrong = {name: digests for name, digests in different.items() if len(digests) != 1 or "passes" in digests[0]}
    result = {
        "trees": matrix.trees(ROOT),
        "pythons": {python: len(lines) for python, lines in told.items()},
        "counterexamples": len(different),
        "different": wrong,
    }
    RESULTS.write_text(json.dumps(result, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    click.echo(f"{len(wrong)} of {len(different)} counterexamples differ, or pass now")
    raise SystemExit(1 if wrong else 0)


@main.command()
@click.option("--replays", default=1000)
def one(replays: int) -> None:
    """Repeat here, and print what each replay gave: its counterexample, the clauses blamed, a digest of all bytes."""
    click.echo(f"{sys.implementation.name} {sys.version.split()[0]}")
    stored = [msgspec.json.decode(line, type=Counterexample) for line in STORED.read_bytes().splitlines()]
    times = -(-replays // len(stored))
    for each in stored:
        given = in_child(partial(_repeated, each, times), 60.0)
        lines = [given] * times if isinstance(given, str) else given.decode().splitlines()
        for line in lines:
            click.echo(f"{each.mutant}/{each.engine} {line}")


def _repeated(each: Counterexample, times: int) -> bytes:
    load(mutant(each.mutant))
    worker = Worker(Setting("reference", "1", 10.0))
    return "\n".join(_told(worker, each) for _ in range(times)).encode()


def _told(worker: Worker, each: Counterexample) -> str:
    vector = next((known for known in load_vectors() if known.id == each.vector), None)
    carried = vector is None or modelled(worker, vector)
    follow(worker.system, Schedule(each.schedule) if each.schedule else None)
    trial = worker.judge.play(worker.system, each.bursts, each.policies, keep_log=True, modelled=carried)
    broken = () if vector is None else check_vector(vector, trial.results, worker.profile)
    seen = b"\n".join(to_json(result) for result in trial.results)
    digest = hashlib.sha256(seen).hexdigest()[:16]
    verdict = "fails" if trial.violates or broken else "passes"
    return f"{verdict} {','.join(trial.clauses)} {len(broken)} {digest}"


def _given(python: str, replays: int) -> list[str]:
    """What a Python's replays gave; kept, by the sources and the counterexamples, so that it is not done twice."""
    made = hashlib.sha256(to_json([python, replays, matrix.trees(ROOT)]) + STORED.read_bytes()).hexdigest()[:12]
    kept = ROOT / ".lifecycle" / "replays" / f"{made}.txt"
    if not kept.is_file():
        asked = [python, __file__, "one", "--replays", str(replays)]
        given = subprocess.run(asked, capture_output=True, text=True, check=True, env=_env()).stdout
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(given, encoding="utf-8")
    return kept.read_text(encoding="utf-8").splitlines()


def _env() -> dict[str, str]:
    """This environment, with our own packages in front."""
    ours = [str(ROOT / name) for name in ("model", "impl", "conformance", "diagrams")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(ours)}


if __name__ == "__main__":
    main()
