"""Traces as ITF data (the Informal Trace Format of Apalache and Quint): a value per component and segment, as JSON.

Numbers are `#bigint`, tuples are sequences, mappings `#map`, what is missing the variant `Absent`. Writes no file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from lifecycle_model.replay import Moment
from lifecycle_model.wire import UNSET

NONE: dict[str, Any] = {"tag": "Absent", "value": "U_OF_UNIT"}
"""What has no value. Its tag is no word of any language that reads it."""
VARIABLES = ("did", "segment", "components", "gates", "seen")


def value_of(value: Any) -> Any:
    """One value of a component as ITF."""
    if value is None or value is UNSET:
        return NONE
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return {"#bigint": str(value)}
    if isinstance(value, msgspec.Struct):
        pairs = zip(value.__struct_fields__, msgspec.structs.astuple(value), strict=True)
        return {name: value_of(one) for name, one in pairs if one is not UNSET}
    if isinstance(value, Mapping):
        return {"#map": [[value_of(key), value_of(one)] for key, one in sorted(value.items())]}
    if isinstance(value, frozenset | set):
        return {"#set": [value_of(one) for one in sorted(value)]}
    if isinstance(value, Sequence):
        return [value_of(one) for one in value]
    raise TypeError(f"{type(value).__name__} has no ITF form; components hold plain values only")


def to_itf(moments: Sequence[Moment], cycle: Sequence[Moment] = (), source: str = "") -> dict[str, Any]:
    """A run as ITF data, one state after each segment; `cycle` is the part of a lasso that repeats."""
    every = [*moments, *cycle]
    trace: dict[str, Any] = {
        "#meta": {"format": "ITF", "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html"},
        "params": [],
        "vars": list(VARIABLES),
        "states": [_state(index, moment) for index, moment in enumerate(every)],
    }
    if source:
        trace["#meta"]["source"] = source
    if cycle:
        trace["loop"] = len(moments)
    return trace


def _state(index: int, moment: Moment) -> dict[str, Any]:
    components = {name: part for name, part in moment.configuration.items() if name != "world"}
    return {
        "#meta": {"index": index},
        "did": moment.text,
        "segment": "internal" if moment.gate is not None else "environment",
        "components": value_of(components),
        "gates": value_of(moment.configuration.world.gates),
        "seen": value_of(moment.seen),
    }
