"""A contract as plain values: rows with a print of their code, programs, clauses and carriers. Refuses to run any of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from lifecycle_conformance.review.values import Catalog, RowShape
from lifecycle_model.coverage import carriers
from lifecycle_model.properties import Liveness, Reachable, Safety
from lifecycle_model.stated import properties_of
from lifecycle_model.table import Contract, Row


def catalog(contract: Contract) -> Catalog:
    """What the contract consists of."""
    properties = properties_of(contract)
    stated: list[Safety | Reachable | Liveness] = [*properties.safety, *properties.reachable, *properties.liveness]
    return Catalog(
        contract.name,
        {row.id: _row(row) for row in contract.rows},
        {program.id: program.steps for program in contract.programs},
        dict(contract.clauses),
        {clause: tuple(by) for clause, by in carriers(contract, properties).items()},
        dict(contract.gates),
        tuple(contract.verbs),
        {one.id: one.clauses for one in stated},
    )


def _row(row: Row) -> RowShape:
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
        code_print([*parts, row.appends, row.awaits, row.runs]),
    )


def _name(function: Callable[..., Any] | None) -> str:
    return getattr(function, "__name__", "") if function is not None else ""


def code_print(things: list[object]) -> str:
    """A print of what functions do, through those they call in the model; blind to names, lines and docstrings."""
    told: list[str] = []
    known: set[int] = set()
    for thing in things:
        _tell(thing, told, known)
    return hashlib.blake2b("\n".join(told).encode(), digest_size=8).hexdigest()


def _tell(thing: object, told: list[str], known: set[int]) -> None:
    if not isinstance(thing, FunctionType):
        told.append(
            thing.__name__ if isinstance(thing, type) else repr(thing) if _plain(thing) else type(thing).__name__
        )
        return
    if id(thing) in known:
        told.append("again")
        return
    known.add(id(thing))
    _code(thing.__code__, thing, told, known)
    for cell in thing.__closure__ or ():
        _tell(cell.cell_contents, told, known)
    for default in (*(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values()):
        _tell(default, told, known)


def _code(code: CodeType, owner: FunctionType, told: list[str], known: set[int]) -> None:
    told.append(code.co_code.hex())
    doc = owner.__doc__
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _code(constant, owner, told, known)
        elif constant != doc or not isinstance(constant, str):
            told.append(repr(constant))
    for name in code.co_names:
        found = owner.__globals__.get(name)
        ours = str(getattr(found, "__module__", "")).startswith("lifecycle_model")
        if isinstance(found, FunctionType) and ours:
            _tell(found, told, known)
        else:
            told.append(name)


def _plain(thing: object) -> bool:
    if isinstance(thing, tuple | list):
        return all(_plain(one) for one in thing)
    return thing is None or isinstance(thing, str | int | float | bool)
