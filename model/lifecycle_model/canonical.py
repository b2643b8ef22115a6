"""Interchangeable names: every message, call and turn number renamed by its place, so that equal situations are equal.

A name made by a scope contains `#`; anything else is left alone. Turn numbers are replaced by their rank, step numbers
are shifted to start at 1. Refuses to know any component: it walks fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import astuple, replace

from lifecycle_model.ghost import Ghost
from lifecycle_model.state import OpenGate

ASIDE = "~"
"""What parts an id from the rest in the name of an earlier life of it."""
PREFIX = ":"
"""What parts a component's prefix from the name in it."""
MARK = "#"
"""What a name made by a scope contains, before its kind and number."""
RANKED = ("turn", "step")
"""Number fields that grow without bound: of turns only the order counts, of steps only the difference."""


class Cell(NamedTuple):
    """One component with the gates open for it and what was observed of it: what a segment of it can depend on."""

    part: Any
    gates: tuple[OpenGate, ...]
    ghost: Ghost
    aside: tuple[tuple[str, Any], ...] = ()
    """Earlier lives of the id that are not quite over, by the name they were set aside under; creations under way."""


def address(gate: OpenGate) -> tuple[str, int, int]:
    """What a release tells gates of one subject apart by; those of one address keep the order they were entered in."""
    return gate.kind, gate.turn, gate.call


def order_of(gate: OpenGate) -> tuple[str, str, int, int, str, str, str]:
    """The order of a whole system's gates; those of one address keep the order they were entered in."""
    return gate.kind, gate.of, gate.turn, gate.call, gate.listener, gate.on, gate.program


class Marks(NamedTuple):
    """The made-up names of a value in order of first appearance, and its growing numbers."""

    names: tuple[str, ...]
    numbers: tuple[tuple[str, int], ...]


_RANKED: dict[type, tuple[tuple[int, str], ...]] = {}
_KNOWN: dict[object, Marks] = {}
_NOTHING = Marks((), ())
_PLAIN = frozenset({int, bool, type(None), float})


def marks(value: Any) -> Marks:
    """The made-up names and growing numbers in a value, remembered by value."""
    kind = value.__class__
    if kind in _PLAIN:
        return _NOTHING
    if kind is str:
        return Marks((value.rpartition(PREFIX)[2],), ()) if MARK in value else _NOTHING
    found = _KNOWN.get(value)
    if found is None:
        found = _KNOWN[value] = _find(value)
    return found


def _find(value: Any) -> Marks:
    names: dict[str, None] = {}
    numbers: dict[tuple[str, int], None] = {}
    struct = isinstance(value, msgspec.Struct)
    parts = astuple(value) if struct else value
    for one in parts:
        if one and one.__class__ not in _PLAIN:
            inner = marks(one)
            if inner is not _NOTHING:
                names.update(dict.fromkeys(inner.names))
                numbers.update(dict.fromkeys(inner.numbers))
    if struct:
        numbers.update(((field, parts[at]), None) for at, field in _ranked(value.__class__) if parts[at])
    return Marks(tuple(names), tuple(numbers)) if names or numbers else _NOTHING


def _ranked(kind: type) -> tuple[tuple[int, str], ...]:
    found = _RANKED.get(kind)
    if found is None:
        fields = kind.__struct_fields__  # type: ignore[attr-defined]  # only asked of structs
        found = _RANKED[kind] = tuple((at, field) for at, field in enumerate(fields) if field in RANKED)
    return found


def names_in(value: object) -> tuple[str, ...]:
    """Every made-up name, in order of first appearance."""
    return marks(value).names


def rename(value: Any, names: Mapping[str, str], ranks: Mapping[tuple[str, int], int]) -> Any:
    """The same value under other names and numbers; the very same object if nothing changes."""
    kind = value.__class__
    if kind is str:
        prefix, parted, name = value.rpartition(PREFIX)
        return f"{prefix}{parted}{names.get(name, name)}" if parted and MARK in name else names.get(value, value)
    if isinstance(value, tuple):
        renamed = [rename(one, names, ranks) for one in value]
        if all(new is old for new, old in zip(renamed, value, strict=True)):
            return value
        return tuple(renamed) if kind is tuple else kind(*renamed)
    if isinstance(value, msgspec.Struct):
        changed: dict[str, Any] = {}
        fields = value.__struct_fields__
        for field, one in zip(fields, astuple(value), strict=True):
            if one and one.__class__ not in _PLAIN:
                other = rename(one, names, ranks)
                if other is not one:
                    changed[field] = other
        for at, field in _ranked(kind):
            one = getattr(value, fields[at])
            if (new := ranks.get((field, one), one)) != one:
                changed[field] = new
        return replace(value, **changed) if changed else value
    return value


def canonical(cell: Cell, also: Mapping[str, str] | None = None, *, ranked: bool = True) -> Cell:
    """The cell under canonical names and ranks; `also` renames its agent to the name its role is kept under."""
    found = marks(cell)
    names: dict[str, str] = dict(also or {})
    for number, name in enumerate((name for name, _ in cell.aside if ASIDE in name), start=1):
        owner = name.partition(ASIDE)[0]
        names[name] = f"{names.get(owner, owner)}{ASIDE}x{number}"
    counts: dict[str, int] = {}
    for name in found.names:
        kind = kind_of(name)
        counts[kind] = counts.get(kind, 0) + 1
        names[name] = f"{MARK}{kind}{counts[kind]}"
    numbers: dict[str, list[int]] = {}
    for field, value in found.numbers if ranked else ():
        numbers.setdefault(field, []).append(value)
    ranks: dict[tuple[str, int], int] = {}
    for field, values in numbers.items():
        ordered = sorted(values)
        for rank, value in enumerate(ordered, start=1):
            ranks[field, value] = rank if field == "turn" else value - ordered[0] + 1
    if all(key[1] == rank for key, rank in ranks.items()) and all(old == new for old, new in names.items()):
        return cell
    renamed: Cell = rename(cell, names, ranks)
    return renamed


def kind_of(name: str) -> str:
    """The kind of a made-up name: `m` a message, `w` a waiter, `d` a dispose, `h` a create."""
    return name.partition(MARK)[2].rstrip("0123456789")
