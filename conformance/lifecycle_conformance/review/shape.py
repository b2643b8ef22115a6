"""A contract as plain values: rows with a print of their code, programs, clauses and carriers. Refuses to run any of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lifecycle_conformance.review import syntax
from lifecycle_conformance.review.prints import Prints, ground, shape, source_print
from lifecycle_conformance.review.values import Catalog, RowShape
from lifecycle_model.coverage import carriers
from lifecycle_model.properties import Liveness, Reachable, Safety
from lifecycle_model.stated import properties_of
from lifecycle_model.table import Contract, Row


def catalog(contract: Contract) -> Catalog:
    """What the contract consists of."""
    properties = properties_of(contract)
    prints = Prints(ground())
    does = shape(contract, properties, prints)
    stated: list[Safety | Reachable | Liveness] = [*properties.safety, *properties.reachable, *properties.liveness]
    found = Catalog(
        contract.name,
        {row.id: _row(row, prints) for row in contract.rows},
        {program.id: program.steps for program in contract.programs},
        dict(contract.clauses),
        {clause: tuple(by) for clause, by in carriers(contract, properties).items()},
        dict(contract.gates),
        tuple(contract.verbs),
        {one.id: one.clauses for one in stated},
        does,
        source_print(),
    )
    syntax.keep()
    return found


def _row(row: Row, prints: Prints) -> RowShape:
    parts = (row.guard, row.effect, row.gives, row.on, *row.says)
    return RowShape(
        row.machine,
        row.states,
        row.step,
        _name(row.guard),
        row.to or "",
        _name(row.effect),
        tuple(_name(say) for say in row.says),
        row.then or "",
        row.opens or "",
        row.asks or "",
        row.clauses,
        prints.of([*parts, row.appends, row.awaits, row.runs]),
    )


def _name(function: Callable[..., Any] | None) -> str:
    return getattr(function, "__name__", "") if function is not None else ""
