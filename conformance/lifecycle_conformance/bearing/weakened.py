"""A contract with one part taken away: a row removed, its guard negated, a program step left empty. Refuses to judge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import replace as with_fields

from lifecycle_model.rows.words import negate
from lifecycle_model.table import Contract, Row


@dataclass(frozen=True)
class Weakened:
    """One way to weaken a contract: what is changed and how, the program it is in, and the clauses that cite it."""

    kind: str
    """`row` or `step`."""
    name: str
    how: str
    """`removed` or `negated`."""
    program: str
    clauses: tuple[str, ...]
    gone: tuple[str, ...] = ()
    """Rows that are left out."""
    changed: tuple[Row, ...] = ()

    def of(self, contract: Contract) -> Contract:
        """The weakened contract."""
        return contract.overlay(contract.name, drop=self.gone, rows=self.changed)


def ways(contract: Contract) -> Iterator[Weakened]:
    """Every way to take one row, one guard or one step away, in the order of the table."""
    homes = {step: program for program in contract.programs for step in program.steps}
    steps: dict[str, list[Row]] = {}
    for row in contract.rows:
        steps.setdefault(row.step, []).append(row)
        program = homes[row.step].id
        yield Weakened("row", row.id, "removed", program, row.clauses, gone=(row.id,))
        if row.guard is not None:
            changed = with_fields(row, guard=negate(row.guard))
            yield Weakened("row", row.id, "negated", program, row.clauses, changed=(changed,))
    for step, rows in steps.items():
        if len(rows) > 1:
            clauses = tuple(dict.fromkeys(clause for row in rows for clause in row.clauses))
            gone = tuple(row.id for row in rows)
            yield Weakened("step", step, "removed", homes[step].id, clauses, gone=gone)
