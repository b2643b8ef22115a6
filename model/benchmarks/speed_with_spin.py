# ruff: noqa: INP001 - a script to run, not a package to import
"""Configurations per second of the level-by-level engine and of SPIN, side by side: `python model/benchmarks/speed_with_spin.py`.

Both explore one sub-model: agents of the scope `quartet`, three of them, told apart. SPIN reads the same transitions
from tables in C, the fastest form it takes; its depth-first search runs with partial-order reduction and without.
Each round runs every engine once, in turn; rates are of CPU time, medians and the median of the rounds' ratios are
printed. Refuses (exit 1) to compare runs that disagree in the number of configurations or the verdict, also on a fault
put into both. Needs `spin`, `gcc` and numpy.
"""

from __future__ import annotations

import argparse
import dataclasses
import platform
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from lifecycle_model.contract1 import contract
from lifecycle_model.explore import standard
from lifecycle_model.frontier import Counted, Frontier, Table
from lifecycle_model.scopes import scope_named

FLAGS = {
    "spin": ("-O2", "-DSAFETY"),
    "spin, no reduction": ("-O2", "-DSAFETY", "-DNOREDUCE"),
    "spin, default options": ("-O2",),
    "spin, breadth-first": ("-O2", "-DSAFETY", "-DBFS"),
}
OURS = "ours"
DEPTH = 1_000_000
"""How deep SPIN may go: its depth-first search of three agents goes 236,586 deep."""
SAID = {
    "stored": r"(\d+) states, stored",
    "errors": r"errors: (\d+)",
    "memory": r"([\d.]+)\s+total actual memory usage",
}


@dataclasses.dataclass(frozen=True)
class Ran:
    """What one engine found, in how much CPU time, and how long its run to the fault is (0: no fault)."""

    configurations: int
    violated: bool
    seconds: float
    megabytes: int
    length: int = 0


def tables(agents: int) -> Frontier:
    """The sub-model, tabulated: so many agents of `quartet`, with no symmetry between them."""
    scope = scope_named("quartet")
    [role] = scope.roles
    some = dataclasses.replace(scope, roles=(dataclasses.replace(role, agents=role.agents[:agents]),))
    return Frontier(contract(), some, standard(contract()), symmetric=False)


def ours(frontier: Frontier) -> tuple[Ran, Counted]:
    """One run of the engine; the tables are made already, as SPIN's program is compiled already."""
    began = time.process_time()
    found = frontier.run()
    seconds = time.process_time() - began
    length = min((one.level + 1 for one in found.broken.values()), default=0)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return Ran(found.configurations, bool(found.broken), seconds, memory, length), found


def _ints(name: str, kind: str, numbers: Iterable[int]) -> str:
    listed = ",".join(str(number) for number in numbers)
    return f"static const {kind} {name}[] = {{{listed or '0'}}};"


def _moves(name: str, table: Table, weight: int, budgets: int) -> list[str]:
    """The C tables of a seat's moves: by state the first move, by move the cell and the budget it leads to, and whether it breaks."""
    cells, lefts = [], []
    for state, (first, last) in enumerate(zip(table.start[:-1], table.start[1:], strict=True)):
        for delta in table.delta[first:last]:
            key = state // budgets * weight + state % budgets + int(delta)
            cells.append(key // weight)
            lefts.append(key % weight)
    return [
        _ints(f"{name}_start", "int", table.start.tolist()),
        _ints(f"{name}_cell", "unsigned char", cells),
        _ints(f"{name}_left", "unsigned char", lefts),
        _ints(f"{name}_bad", "unsigned char", [int(bool(move.broken)) for move, _ in table.moves]),
    ]


def promela(frontier: Frontier) -> str:
    """The sub-model for SPIN: a process for each seat, an option for each move a state of it can have."""
    if frontier.width > 255 or frontier.budgets > 255:
        raise ValueError("a cell or a budget is more than a byte")
    budgets, seats = frontier.budgets, frontier.seats
    lines = ["c_decl {"]
    for seat in seats:
        lines += _moves(f"l{seat}", frontier.local[seat], frontier.weights[seat], budgets)
        lines += _moves(f"r{seat}", frontier.reaching[seat], frontier.weights[seat], budgets)
        lines += [_ints(f"r{seat}_who", "int", frontier.reaching[seat].listener.tolist())]
        lines += [_ints(f"reply{seat}", "int", frontier.replies[frontier.space.roles[seat]].tolist())]
    lines += [
        "#define STATE(i) (now.cell##i * " + str(budgets) + " + now.budget)",
        "#define AT(t, i, k) (t##_start[STATE(i)] + k)",
        "#define HAS(t, i, k) (AT(t, i, k) < t##_start[STATE(i) + 1])",
        f"#define ANSWER(i, j, k) reply##j[r##i##_who[AT(r##i, i, k)] * {frontier.width} + now.cell##j]",
        "#define GO(t, i, k) { int at = AT(t, i, k); now.cell##i = t##_cell[at]; now.budget = t##_left[at]; }",
        "}",
        *(f"byte cell{seat} = {cell};" for seat, cell in zip(seats, frontier.first, strict=True)),
        f"byte budget = {budgets - 1};",
    ]
    for seat in seats:
        options = []
        for k in range(_most(frontier.local[seat])):
            guard, good = f"HAS(l{seat}, {seat}, {k})", f"!l{seat}_bad[AT(l{seat}, {seat}, {k})]"
            options.append(f":: d_step {{ c_expr {{ {guard} }} -> c_code [{good}] {{ GO(l{seat}, {seat}, {k}) }} }}")
        for other in seats:
            for k in range(_most(frontier.reaching[seat]) if other != seat else 0):
                guard = f"HAS(r{seat}, {seat}, {k}) && ANSWER({seat}, {other}, {k}) >= 0"
                good = f"!r{seat}_bad[AT(r{seat}, {seat}, {k})]"
                both = f"int answer = ANSWER({seat}, {other}, {k}); GO(r{seat}, {seat}, {k}) now.cell{other} = answer;"
                options.append(f":: d_step {{ c_expr {{ {guard} }} -> c_code [{good}] {{ {both} }} }}")
        lines += [f"active proctype seat{seat}() {{ end: do", *options, "od }"]
    return "\n".join([*lines, ""])


def _most(table: Table) -> int:
    return int(np.diff(table.start).max())


def build(source: str, folder: Path, flags: tuple[str, ...]) -> Path:
    """SPIN's program for a source."""
    folder.mkdir()
    (folder / "model.pml").write_text(source)
    subprocess.run(["spin", "-a", "model.pml"], cwd=folder, check=True, capture_output=True)
    subprocess.run(["gcc", *flags, "-w", "-o", "pan", "pan.c"], cwd=folder, check=True, capture_output=True)
    return folder / "pan"


def spin(pan: Path) -> Ran:
    """One run of SPIN's program; raises if it neither searched everything nor found a fault."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    shown = subprocess.run(
        [str(pan), f"-m{DEPTH}", "-w24"], cwd=pan.parent, check=False, capture_output=True, text=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = {name: re.search(pattern, shown.stdout) for name, pattern in SAID.items()}
    if "max search depth too small" in shown.stdout or not all(found.values()):
        raise RuntimeError(f"SPIN did not finish:\n{shown.stdout}{shown.stderr}")
    stored, errors, memory = (float(match[1]) for match in found.values() if match is not None)
    trail = (pan.parent / "model.pml.trail").read_text().splitlines() if errors else []
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Ran(int(stored), bool(errors), seconds, int(memory), sum(not line.startswith("-") for line in trail))


def late_fault(frontier: Frontier, found: Counted) -> tuple[int, int]:
    """The state of a seat that is reached last, and where its moves start: what a fault is put on."""
    fresh: tuple[int, int] | None = None
    seen: set[int] = set()
    for keys in found.levels:
        states = np.unique(keys // frontier.weights[0] % frontier.width * frontier.budgets + keys % frontier.budgets)
        for state in states.tolist():
            if state not in seen and frontier.local[0].start[state] < frontier.local[0].start[state + 1]:
                fresh = (state, int(frontier.local[0].start[state]))
            seen.add(state)
    assert fresh is not None
    return fresh


def faulty(agents: int, entry: int) -> Frontier:
    """The sub-model with one move said to break an invariant."""
    frontier = tables(agents)
    move, _ = frontier.local[0].moves[entry]
    move.broken = (("fault", "put here by the benchmark"),)
    return frontier


def compare(agents: int, rounds: int, folder: Path) -> int:
    """Run the rounds, print every one and the medians; 1 if the engines disagree."""
    frontier = tables(agents)
    pans = {
        name: build(promela(frontier), folder / f"right-{at}", flags) for at, (name, flags) in enumerate(FLAGS.items())
    }
    rates: dict[str, list[float]] = {name: [] for name in (OURS, *FLAGS)}
    for number in range(1, rounds + 1):
        ran, found = ours(tables(agents))
        runs = {OURS: ran, **{name: spin(pan) for name, pan in pans.items()}}
        if len({(one.configurations, one.violated) for one in runs.values()}) > 1:
            print(f"the engines disagree: {runs}", file=sys.stderr)
            return 1
        for name, one in runs.items():
            rates[name].append(one.configurations / one.seconds)
        told = ", ".join(f"{name} {values[-1] / 1000:,.0f}" for name, values in rates.items())
        print(
            f"round {number}: {ran.configurations:,} configurations, no violation; thousands a second: {told}",
            flush=True,
        )
    print(f"\n{'engine':<24}{'k/s, median':>14}{'ours / it, median':>20}{'MB':>8}")
    for name, values in rates.items():
        ratio = statistics.median(mine / its for mine, its in zip(rates[OURS], values, strict=True))
        print(f"{name:<24}{statistics.median(values) / 1000:>14,.0f}{ratio:>20.2f}{runs[name].megabytes:>8,}")
    return fault(agents, late_fault(frontier, found)[1], folder)


def fault(agents: int, entry: int, folder: Path) -> int:
    """Have every engine look for a fault; print how long its run to it is. 1 if one does not find it."""
    ran, _ = ours(faulty(agents, entry))
    runs = {OURS: ran}
    for at, (name, flags) in enumerate(FLAGS.items()):
        runs[name] = spin(build(promela(faulty(agents, entry)), folder / f"faulty-{at}", flags))
    print("\na fault put into both, steps to it: " + ", ".join(f"{name} {one.length}" for name, one in runs.items()))
    missed = [name for name, one in runs.items() if not one.violated]
    if missed:
        print(f"not found by: {', '.join(missed)}", file=sys.stderr)
    return bool(missed)


def main() -> int:
    """Compare; 2 if a tool is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=3, choices=(2, 3), help="how many agents [3]")
    parser.add_argument("--rounds", type=int, default=5, help="how often each engine runs [5]")
    asked = parser.parse_args()
    missing = [tool for tool in ("spin", "gcc") if shutil.which(tool) is None]
    if missing:
        print(f"{' and '.join(missing)} not found; on Debian: apt-get install spin gcc", file=sys.stderr)
        return 2
    version = subprocess.run(["spin", "-V"], check=True, capture_output=True, text=True).stdout.split(" -- ")[0]
    print(f"{version}, Python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}")
    with tempfile.TemporaryDirectory() as folder:
        return compare(asked.agents, asked.rounds, Path(folder))


if __name__ == "__main__":
    sys.exit(main())
