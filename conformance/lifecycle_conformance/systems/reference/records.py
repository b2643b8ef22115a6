"""Log records between the judge's flattened form and the runtime's. Refuses a record that names no event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import msgspec

from lifecycle_conformance.systems.reference.ports import TOOL
from lifecycle_conformance.systems.reference.recorder import flattened
from lifecycle_runtime.errors import InvalidValue
from lifecycle_runtime.session import Record
from lifecycle_runtime.values import JsonObject, JsonValue

_MESSAGES = ("user/message", "steering/message", "assistant/message")


def from_judge(given: object) -> tuple[str, dict[str, JsonValue]]:
    """The type and data of a record as the runtime has them."""
    record = dict(cast("Mapping[str, JsonValue]", given)) if isinstance(given, Mapping) else {}
    kind = record.pop("event", None)
    if not isinstance(kind, str):
        raise InvalidValue(f"{given!r} is no record: it names no event")
    record.pop("of", None)
    if kind in _MESSAGES and "message" in record:
        message = record.pop("message")
        record["id"] = message
        record["content"] = f"content of {message}"
    if kind == "assistant/message" and isinstance(count := record.pop("tools", 0), int):
        number = str(record.get("id", "am0.0")).removeprefix("am")
        record["calls"] = [{"id": f"{number}.{index}", "name": TOOL} for index in range(1, count + 1)]
    return kind, record


def stored(given: Sequence[object]) -> tuple[JsonObject, ...]:
    """Records as a storage keeps them."""
    return tuple({"type": kind, **data} for kind, data in map(from_judge, given))


def log(records: Sequence[Record]) -> list[object]:
    """A log as the judge reads it."""
    return [msgspec.to_builtins(flattened(record)) for record in records]


def stored_log(records: Sequence[JsonObject]) -> list[object]:
    """A stored log as the judge reads it."""
    parted = (dict(record) for record in records)
    return log([Record(seq, str(data.pop("type")), data) for seq, data in enumerate(parted)])
