"""Storage in memory, for tests and short-lived hosts. Durable only as long as the object lives."""

from collections.abc import Sequence

from lifecycle_runtime.errors import InvalidValue, NotStored
from lifecycle_runtime.ports import StoredLog
from lifecycle_runtime.values import JsonObject, freeze_object


class MemoryStorage:
    """Implements `Storage`; every call settles without waiting."""

    def __init__(self) -> None:
        self._logs: dict[str, list[tuple[JsonObject, list[JsonObject]]]] = {}

    async def has(self, session_id: str) -> bool:
        """Whether a log is stored."""
        return session_id in self._logs

    async def describe(self, session_id: str) -> JsonObject | None:
        """Metadata of the newest log."""
        logs = self._logs.get(session_id)
        return logs[-1][0] if logs else None

    async def load(self, session_id: str) -> StoredLog | None:
        """Return the newest log."""
        logs = self._logs.get(session_id)
        return _stored(*logs[-1]) if logs else None

    async def start(self, session_id: str, meta: JsonObject) -> None:
        """Begin a new log beside the former ones."""
        self._logs.setdefault(session_id, []).append((freeze_object(meta), []))

    async def append(self, session_id: str, first_seq: int, records: Sequence[JsonObject]) -> None:
        """Append to the newest log."""
        logs = self._logs.get(session_id)
        if not logs:
            raise NotStored(f"no log is stored under {session_id!r}; start one first")
        _, kept = logs[-1]
        if first_seq != len(kept):
            raise InvalidValue(f"log {session_id!r} holds {len(kept)} records, not {first_seq}")
        kept += [freeze_object(record) for record in records]

    async def aside(self, session_id: str) -> tuple[StoredLog, ...]:
        """Return the former logs."""
        return tuple(_stored(*log) for log in self._logs.get(session_id, [])[:-1])


def _stored(meta: JsonObject, records: Sequence[JsonObject]) -> StoredLog:
    return StoredLog(meta, tuple(records))
