"""Interchangeable names: every message, call and turn number renamed by its place, so that equal situations are equal.

A name made by a scope contains `#`; anything else is left alone. Turn numbers are replaced by their rank, step numbers
are shifted to start at 1. Refuses to know any component: it walks fields.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from lifecycle_model.ghost import Ghost
from lifecycle_model.state import OpenGate

MARK = "#"
"""What a name made by a scope contains, before its kind and number."""
RANKED = ("turn", "step")
"""Number fields that grow without bound: of turns only the order counts, of steps only the difference."""


class Cell(NamedTuple):
    """One component with the gates open for it and what was observed of it: what a segment of it can depend on."""

    part: Any
    gates: tuple[OpenGate, ...]
    ghost: Ghost


def address(gate: OpenGate) -> tuple[str, int, int]:
    """What a release tells gates apart by; gates of one address keep the order in which they were entered."""
    return gate.kind, gate.turn, gate.call


def walk(value: object, name: Callable[[str], None], number: Callable[[str, int], None]) -> None:
    """Visit every made-up name and every ranked number in a fixed order."""
    kind = value.__class__
    if kind is str:
        if MARK in value:  # type: ignore[operator]  # kind is str
            name(value)  # type: ignore[arg-type]  # kind is str
    elif kind is tuple or isinstance(value, tuple):
        for one in value:  # type: ignore[attr-defined]  # kind is tuple
            walk(one, name, number)
    elif isinstance(value, msgspec.Struct):
        for field in value.__struct_fields__:
            one = getattr(value, field)
            one_kind = one.__class__
            if one_kind is int:
                if one and field in RANKED:
                    number(field, one)
            elif one and one_kind is not bool:
                walk(one, name, number)


def names_in(value: object) -> list[str]:
    """Every made-up name, in order of first appearance."""
    found: dict[str, None] = {}
    walk(value, lambda name: found.setdefault(name), lambda _field, _number: None)
    return list(found)


def rename(value: Any, names: Mapping[str, str], ranks: Mapping[tuple[str, int], int]) -> Any:
    """The same value under other names and numbers; the very same object if nothing changes."""
    kind = value.__class__
    if kind is str:
        return names.get(value, value)
    if isinstance(value, tuple):
        renamed = [rename(one, names, ranks) for one in value]
        if all(new is old for new, old in zip(renamed, value, strict=True)):
            return value
        return tuple(renamed) if kind is tuple else kind(*renamed)
    if isinstance(value, msgspec.Struct):
        changed: dict[str, Any] = {}
        for field in value.__struct_fields__:
            one = getattr(value, field)
            one_kind = one.__class__
            if one_kind is int:
                if field in RANKED and (new := ranks.get((field, one), one)) != one:
                    changed[field] = new
            elif one and one_kind is not bool:
                other = rename(one, names, ranks)
                if other is not one:
                    changed[field] = other
        return replace(value, **changed) if changed else value
    return value


def canonical(cell: Cell, also: Mapping[str, str] | None = None) -> Cell:
    """The cell under canonical names and ranks; `also` renames its agent to the name its role is kept under."""
    names: dict[str, str] = dict(also or {})
    counts: dict[str, int] = {}
    numbers: dict[str, set[int]] = {}

    def name(found: str) -> None:
        if found not in names:
            kind = found.partition(MARK)[2].rstrip("0123456789")
            counts[kind] = counts.get(kind, 0) + 1
            names[found] = f"{MARK}{kind}{counts[kind]}"

    def number(field: str, value: int) -> None:
        numbers.setdefault(field, set()).add(value)

    walk(cell, name, number)
    ranks: dict[tuple[str, int], int] = {}
    for field, values in numbers.items():
        ordered = sorted(values)
        for rank, value in enumerate(ordered, start=1):
            ranks[field, value] = rank if field == "turn" else value - ordered[0] + 1
    ranks = {key: rank for key, rank in ranks.items() if rank != key[1]}
    if not ranks and all(old == new for old, new in names.items()):
        return cell
    renamed: Cell = rename(cell, names, ranks)
    return renamed


def count_names(cell: Cell, kind: str) -> int:
    """How many names of a kind the cell holds."""
    prefix = MARK + kind
    return sum(1 for name in names_in(cell) if name[name.index(MARK) :].rstrip("0123456789") == prefix)
