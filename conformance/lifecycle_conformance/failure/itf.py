"""Owns a trace in the Informal Trace Format that model checkers share: one state a burst. Refuses to lose a value.

An object is a map, since members such as `as` are no names of record fields in every reader; null is a variant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import msgspec

from lifecycle_model.commands import Json
from lifecycle_model.wire import Trace

VARS = ("burst", "do", "calls", "seen")


def to_itf(trace: Trace) -> dict[str, Json]:
    """The trace as an ITF document: in state n the n-th burst, what was asked, answered and seen."""
    about = {name: getattr(trace, name) for name in ("system", "version", "contract", "engine", "verdict", "about")}
    meta = {"format": "ITF", "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html"}
    states: list[Json] = []
    for index, burst in enumerate(trace.bursts):
        told = cast("Mapping[str, Json]", msgspec.to_builtins(burst))
        values = {name: _value(told.get(name, [])) for name in VARS[1:]}
        states.append({"#meta": {"index": index}, "burst": _value(index), **values})
    return {
        "#meta": {**meta, **{name: value for name, value in about.items() if value}, "seed": trace.seed},
        "vars": list(VARS),
        "states": states,
    }


def _value(value: Json) -> Json:
    if value is None:
        return {"tag": "Null", "value": "U_OF_UNIT"}
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return {"#bigint": str(value)}
    if isinstance(value, Mapping):
        given = cast("Mapping[str, Json]", value)
        return {"#map": [[name, _value(given[name])] for name in sorted(given)]}
    if isinstance(value, list | tuple):
        return [_value(part) for part in cast("Sequence[Json]", value)]
    # the format knows no fractions
    return {"#unserializable": msgspec.json.encode(value).decode()}
