# ruff: noqa: INP001 - a script to run, not a package to import
"""The trap properties of the liveness tests, judged by SPIN with weak fairness: `python model/benchmarks/traps_in_spin.py`.

Needs `spin` and `gcc`. Strong fairness SPIN cannot assume, so a trap that names a strong process is left out. A process
that need not be fair may also idle; one more process idles always, because a run may stutter. Exits 1 on a disagreement.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

IDLE = "tick = 1 - tick"
"""SPIN refuses a loop that does nothing."""
TRAPS = Path(__file__).parents[1] / "tests" / "liveness_traps.py"


def traps() -> tuple[Any, ...]:
    """The traps, with the answers worked out by hand."""
    spec = importlib.util.spec_from_file_location("liveness_traps", TRAPS)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["liveness_traps"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: tuple[Any, ...] = module.TRAPS
    return found


def promela(trap: Any) -> str:
    """A trap's machine and its property."""
    edges = [tuple(part.split()) for part in trap.edges.split(",")]
    lines = ["byte node = 0;", "bit tick = 0;", f"active proctype idle() {{ do :: {IDLE} od }}"]
    for name in sorted({process for _, process, _ in edges}):
        steps = [f":: d_step {{ node == {a} -> node = {b} }}" for a, process, b in edges if process == name]
        if name not in trap.weak:
            steps.append(f":: {IDLE}")
        lines.append(f"active proctype p_{name}() {{ do {' '.join(steps)} od }}")
    goal, when = (" || ".join(f"node == {node}" for node in nodes) or "false" for nodes in (trap.goal, trap.when))
    formula = {
        "F": f"<> ({goal})",
        "GF": f"[] <> ({goal})",
        "FG": f"<> [] ({goal})",
        "~>": f"[] (({when}) -> <> ({goal}))",
    }
    return "\n".join([*lines, f"ltl wanted {{ {formula[trap.form]} }}", ""])


def holds(source: str, folder: Path) -> bool:
    """Tell whether SPIN finds no acceptance cycle under weak fairness; raises if it did not search everything."""
    (folder / "trap.pml").write_text(source)
    subprocess.run(["spin", "-a", "trap.pml"], cwd=folder, check=True, capture_output=True)
    subprocess.run(["gcc", "-O1", "-DNFAIR=4", "-w", "-o", "pan", "pan.c"], cwd=folder, check=True, capture_output=True)
    shown = subprocess.run(["./pan", "-a", "-f"], cwd=folder, check=True, capture_output=True, text=True).stdout
    if "max search depth too small" in shown or "errors:" not in shown:
        raise RuntimeError(f"SPIN did not finish:\n{shown}")
    return "errors: 0" in shown


def main() -> int:
    """Judge every trap that SPIN can say; print one line each."""
    missing = [tool for tool in ("spin", "gcc") if shutil.which(tool) is None]
    if missing:
        print(f"{' and '.join(missing)} not found; on Debian: apt-get install spin gcc", file=sys.stderr)
        return 2
    wrong = judged = 0
    for trap in traps():
        if trap.strong:
            print(f"left out   {trap.name} (strong fairness)")
            continue
        with tempfile.TemporaryDirectory() as folder:
            found = holds(promela(trap), Path(folder))
        judged += 1
        wrong += found != trap.holds
        print(f"{'agrees' if found == trap.holds else 'DISAGREES':<10} {trap.name}: {'holds' if found else 'fails'}")
    print(f"SPIN agrees on {judged - wrong} of {judged} traps")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
