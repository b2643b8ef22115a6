"""Owns the JSON trace file: what is written, its JSON Schema, and reading one back. Refuses a trace it cannot replay."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from lifecycle_model.commands import Json
from lifecycle_model.wire import PROTOCOL, Trace, to_json

_decode = msgspec.json.Decoder(Trace).decode


class TraceError(Exception):
    """What was given is no trace that can be replayed here; says what, why, and what to do."""


class _Version(msgspec.Struct):
    protocol: int = PROTOCOL


def trace_json(trace: Trace) -> bytes:
    """The trace as a file: readable, members in a fixed order, ending with a line break; equal traces, equal bytes."""
    return msgspec.json.format(to_json(trace), indent=2) + b"\n"


def read_trace(data: bytes, name: str = "the trace") -> Trace:
    """Read a trace file. Raises `TraceError` for one that is malformed, or of a newer protocol."""
    try:
        protocol = msgspec.json.decode(data, type=_Version).protocol
        if protocol > PROTOCOL:
            raise TraceError(
                f"{name} is of protocol {protocol}, this is protocol {PROTOCOL}; next: update lifecycle-spec"
            )
        return _decode(data)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise TraceError(f"{name} is no trace: {error}; next: name a trace that `lifecycle check` kept") from error


def trace_schema() -> Mapping[str, Json]:
    """The JSON Schema of a trace file, generated from the types."""
    _, components = msgspec.json.schema_components([Trace], schema_hook=_any, ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A lifecycle trace, protocol {PROTOCOL}",
        "$ref": "#/$defs/Trace",
        "$defs": components,
    }


def _any(kind: type) -> dict[str, object]:
    # a schema without a constraint allows every value, which is what `object` stands for
    if kind is object:
        return {"description": "any JSON value"}
    raise NotImplementedError(f"{kind} has no schema")
