"""What carries and checks a clause: rows, programs, properties, monitors and vectors. Refuses to say how well."""

from __future__ import annotations

from lifecycle_conformance.monitors.watch import MONITORS
from lifecycle_conformance.vectors import load_vectors
from lifecycle_model.explore import standard
from lifecycle_model.properties import Liveness, Reachable, Safety
from lifecycle_model.table import Contract


def carriers(contract: Contract, clause: str) -> dict[str, list[str]]:
    """Everything that names the clause, by kind."""
    properties = standard(contract)
    stated: list[Safety | Reachable | Liveness] = [*properties.safety, *properties.reachable, *properties.liveness]
    return {
        "rows": [f"{row.id}: {shape(row)}" for row in contract.rows if clause in row.clauses],
        "programs": [f"{program.id}: {program.about}" for program in contract.programs if clause in program.clauses],
        "properties": [f"{one.id}: {one.about}" for one in stated if clause in one.clauses],
        "monitors": [monitor.__name__ for monitor in MONITORS if monitor.clause == clause],
        "vectors": [
            f"{vector.id}: {vector.title}"
            for vector in load_vectors(contract=contract.name)
            if clause in vector.clauses
        ],
    }


def shape(row: object) -> str:
    """A row in one line: step, states, guard, next state."""
    states = ", ".join(getattr(row, "states", ())) or "any state"
    guard = getattr(row, "guard", None)
    to = getattr(row, "to", None)
    says = " ".join(say.__name__ for say in getattr(row, "says", ()))
    return (
        f"{getattr(row, 'step', '')} in {states}"
        + (f" if {guard.__name__}" if guard else "")
        + (f" -> {to}" if to else "")
        + (f"; says {says}" if says else "")
    )
