"""What carries and checks a clause: rows, programs, properties, monitors, vectors and mutants, and where they live.

Refuses to say how well: `lifecycle explain --load-bearing` does.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

import lifecycle_model
from lifecycle_conformance.monitors.watch import MONITORS
from lifecycle_conformance.mutants.zoo import ZOO
from lifecycle_conformance.vectors import load_vectors
from lifecycle_model.coverage import OBSERVED
from lifecycle_model.properties import Liveness, Reachable, Safety
from lifecycle_model.stated import properties_of
from lifecycle_model.table import Contract, Row


def carriers(contract: Contract, clause: str) -> dict[str, list[str]]:
    """Everything that names the clause, by kind."""
    properties = properties_of(contract)
    stated: list[Safety | Reachable | Liveness] = [*properties.safety, *properties.reachable, *properties.liveness]
    homes = modules()
    own = contract.name == "1"
    return {
        "rows": [f"{row.id} ({home_of(row, homes)}): {shape(row)}" for row in contract.rows if clause in row.clauses],
        "programs": [f"{program.id}: {program.about}" for program in contract.programs if clause in program.clauses],
        "properties": [f"{one.id}: {one.about}" for one in stated if clause in one.clauses],
        "assumed by": [one.id for one in properties.liveness if clause in one.assumes],
        "otherwise": [OBSERVED[clause]] if own and clause in OBSERVED else [],
        "monitors": [monitor.__name__ for monitor in MONITORS if monitor.clause == clause],
        "vectors": [f"{one.id}: {one.title}" for one in load_vectors(contract=contract.name) if clause in one.clauses],
        "mutants": [f"{one.id}: {one.about}" for one in ZOO if own and clause in one.group],
    }


@cache
def modules() -> dict[str, str]:
    """Where each row of the package's modules stands, by its program step and id."""
    found: dict[str, str] = {}
    for package in ("rows", "variants"):
        where = importlib.import_module(f"{lifecycle_model.__name__}.{package}")
        for one in pkgutil.iter_modules(where.__path__):
            module = importlib.import_module(f"{where.__name__}.{one.name}")
            for row in getattr(module, "ROWS", ()):
                found.setdefault(f"{row.step} {row.id}", f"{package}/{one.name}.py")
    return found


def home_of(row: Row, homes: dict[str, str]) -> str:
    """The module a row stands in."""
    return homes.get(f"{row.step} {row.id}", "?")


def shape(row: Row) -> str:
    """A row in one line: step, states, guard, next state."""
    states = ", ".join(row.states) or "any state"
    says = " ".join(say.__name__ for say in row.says)
    return (
        f"{row.step} in {states}"
        + (f" if {row.guard.__name__}" if row.guard else "")
        + (f" -> {row.to}" if row.to else "")
        + (f"; says {says}" if says else "")
    )
