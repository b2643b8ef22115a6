"""Lossless JSON values: what may enter a log. Copies and freezes; refuses anything JSON could not give back."""

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TypeAlias, cast

from lifecycle_runtime.errors import InvalidValue

JsonValue: TypeAlias = (
    "bool | int | float | str | list[JsonValue] | tuple[JsonValue, ...] | Mapping[str, JsonValue] | None"
)
"""What callers hand in. Stored values use tuples and read-only mappings only."""

JsonObject: TypeAlias = Mapping[str, JsonValue]


def freeze(value: object, where: str = "value") -> JsonValue:
    """Return a deep, immutable copy of a JSON value (Q1, L1); raise InvalidValue naming the offending path."""
    return _freeze(value, where, ())


def freeze_object(value: object, where: str = "value") -> JsonObject:
    """Freeze a JSON object; anything else is invalid."""
    frozen = freeze(value, where)
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


def _freeze(value: object, where: str, outer: tuple[int, ...]) -> JsonValue:
    if value is None or type(value) in (bool, int):
        return cast("JsonValue", value)
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
        raise InvalidValue(f"{where} contains itself; pass a tree")
    inner = (*outer, id(value))
    if type(value) in (list, tuple):
        items = cast("Iterable[object]", value)
        return tuple(_freeze(item, f"{where}[{index}]", inner) for index, item in enumerate(items))
    if type(value) in (dict, MappingProxyType):
        mapping = cast("Mapping[object, object]", value)
        for key in mapping:
            if type(key) is not str:
                raise InvalidValue(f"{where} has the key {key!r}; JSON keys are strings")
        pairs = cast("Mapping[str, object]", mapping)
        return MappingProxyType(
            {str(_freeze(k, where, inner)): _freeze(v, f"{where}.{k}", inner) for k, v in pairs.items()}
        )
    raise InvalidValue(f"{where} is a {type(value).__name__}, which JSON cannot give back; pass plain JSON data")
