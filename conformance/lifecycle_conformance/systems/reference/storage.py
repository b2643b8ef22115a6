"""Stored logs in memory behind the gates `load`, `write` and `config_lookup`, and persistence that can be taken away.

Refuses to know what a log means; translating records is `records.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeAlias, TypeVar, cast

from lifecycle_conformance.systems.reference.gates import At, Gates
from lifecycle_runtime.context import Context
from lifecycle_runtime.persistence import PERSISTENCE, Persistence
from lifecycle_runtime.ports import StoredLog
from lifecycle_runtime.signals import Signal, Unsubscribe
from lifecycle_runtime.storage_memory import MemoryStorage
from lifecycle_runtime.values import JsonObject

T = TypeVar("T")

Loading: TypeAlias = Callable[[str], tuple[str, Signal | None]]
"""The reference of the resume that loads this id, and the signal that ends its wait; no reference: no gate."""


class GatedStorage(MemoryStorage):
    """Memory storage whose load, write and look-up are gates."""

    def __init__(self, gates: Gates, loading: Loading, label: Callable[[str], str]) -> None:
        super().__init__()
        self._gates = gates
        self._loading = loading
        self._label = label

    async def load(self, session_id: str) -> StoredLog | None:
        """Gate `load` of the resume that loads."""
        ref, signal = self._loading(session_id)
        if ref:
            outcome = await self._gates.enter(At("load", ref, signal=signal))
            if outcome.outcome == "missing":
                return None
        return await super().load(session_id)

    async def append(self, session_id: str, first_seq: int, records: Sequence[JsonObject]) -> None:
        """Gate `write` of the session whose records are written."""
        await self._gates.enter(At("write", session_id))
        await super().append(session_id, first_seq, records)

    async def has(self, session_id: str) -> bool:
        """Gate `config_lookup` of the configured agent that asks."""
        outcome = await self._gates.enter(At("config_lookup", self._label(session_id)))
        if outcome.outcome == "missing":
            return False
        return await super().has(session_id)


class Persisted:
    """The stored logs, and whether persistence is loaded."""

    def __init__(self, root: Context, gates: Gates, loading: Loading, label: Callable[[str], str]) -> None:
        self.storage = GatedStorage(gates, loading, label)
        self._root = root
        self._home: Context | None = None
        self._withdraw: Unsubscribe | None = None
        self.persistence: Persistence | None = None
        self.on()

    def on(self) -> None:
        """Load persistence over the same stored logs."""
        if self._home is None:
            self._home = self._root.fork("persistence")
            self.persistence = Persistence(self._home, self.storage)
            self._withdraw = self._root.provide(PERSISTENCE, self.persistence)

    def off(self) -> None:
        """Unload it; what was stored stays stored."""
        if self._home is not None and self._withdraw is not None:
            self._withdraw()
            self._home.unload()
            self._home, self._withdraw, self.persistence = None, None, None

    def put(self, session_id: str, records: Sequence[JsonObject]) -> None:
        """Store a log, as if an earlier life had left it."""
        now(self.storage.start(session_id, {}))
        now(MemoryStorage.append(self.storage, session_id, 0, records))

    def stored(self, session_id: str) -> StoredLog | None:
        """The newest stored log, past every gate."""
        return now(MemoryStorage.load(self.storage, session_id))

    def aside(self, session_id: str) -> tuple[StoredLog, ...]:
        """The former logs."""
        return now(self.storage.aside(session_id))


def now(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never waits."""
    try:
        work.send(None)
    except StopIteration as done:
        return cast("T", done.value)
    work.close()
    raise AssertionError("what was to answer at once waited")
