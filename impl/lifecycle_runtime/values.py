"""Lossless JSON values: what may enter a log. Copies and freezes; refuses anything JSON could not give back."""

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias, cast

from lifecycle_runtime.errors import InvalidValue

JsonValue: TypeAlias = (
    "bool | int | float | str | list[JsonValue] | tuple[JsonValue, ...] | Mapping[str, JsonValue] | None"
)
"""What callers hand in. Stored values use tuples and read-only mappings only."""

JsonObject: TypeAlias = Mapping[str, JsonValue]

MAX_DEPTH: Final = 128
"""Arrays and objects inside each other; more is no message, and would exhaust the stack of whoever reads it."""

_ENVELOPE: Final = 8
"""Levels a record may add around a value: what was accepted as content is never refused by its log."""

_MAX_BITS: Final = 14_000
"""Of an integer; beyond about 4,200 digits Python itself refuses to write or read it."""


def freeze(value: object, where: str = "value") -> JsonValue:
    """Return a deep, immutable copy of a JSON value (Q1, L1); raise InvalidValue naming the offending path.

    Refused, too, is what no reader would give back: more than `MAX_DEPTH` levels, integers of thousands of digits.
    """
    return _freeze(value, where, (), MAX_DEPTH)


def freeze_object(value: object, where: str = "value") -> JsonObject:
    """Freeze a JSON object that carries values, such as a record; anything else is invalid."""
    frozen = _freeze(value, where, (), MAX_DEPTH + _ENVELOPE)
    if not isinstance(frozen, Mapping):
        raise InvalidValue(f"{where} must be a JSON object, got {type(value).__name__}; pass a dict")
    return frozen


def thaw(value: JsonValue) -> JsonValue:
    """Return a mutable copy made of plain dicts and lists, ready for `json.dumps`."""
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [thaw(item) for item in value]
    return value


def _freeze(value: object, where: str, outer: tuple[int, ...], deepest: int) -> JsonValue:
    if value is None or type(value) is bool:
        return value
    if type(value) is int:
        if value.bit_length() > _MAX_BITS:
            raise InvalidValue(f"{where} is an integer of {value.bit_length()} bits; pass it as text")
        return value
    if type(value) is float:
        if not math.isfinite(value):
            raise InvalidValue(f"{where} is {value}, which JSON cannot carry; use a finite number")
        return value
    if type(value) is str:
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise InvalidValue(f"{where} holds a lone surrogate; pass well-formed text") from None
        return value
    if id(value) in outer:
        raise InvalidValue(f"{_short(where)} contains itself; pass a tree")
    if len(outer) >= deepest:
        raise InvalidValue(f"{_short(where)} is nested deeper than {deepest} levels; pass a flatter value")
    inner = (*outer, id(value))
    if type(value) in (list, tuple):
        items = cast("Iterable[object]", value)
        return tuple(_freeze(item, f"{where}[{index}]", inner, deepest) for index, item in enumerate(items))
    if type(value) in (dict, MappingProxyType):
        mapping = cast("Mapping[object, object]", value)
        for key in mapping:
            if type(key) is not str:
                raise InvalidValue(f"{where} has the key {key!r}; JSON keys are strings")
        pairs = cast("Mapping[str, object]", mapping)
        return MappingProxyType(
            {
                str(_freeze(k, where, inner, deepest)): _freeze(v, f"{where}.{k}", inner, deepest)
                for k, v in pairs.items()
            }
        )
    raise InvalidValue(f"{where} is a {type(value).__name__}, which JSON cannot give back; pass plain JSON data")


def _short(where: str) -> str:
    return where if len(where) <= 100 else f"{where[:60]}…{where[-30:]}"
