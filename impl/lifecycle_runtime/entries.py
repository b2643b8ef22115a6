"""Entries of a live table: presence under an id, announced or not, detached once. Publishes only what it is told."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from lifecycle_runtime.errors import AlreadyAnnounced, DuplicateId, NotLive
from lifecycle_runtime.futures import mirror

T = TypeVar("T")


class Entry(Generic[T]):
    """One presence of one object; a replacement under the same id is another entry (T8)."""

    def __init__(self, entry_id: str, value: T) -> None:
        self.id = entry_id
        self.value = value
        self.announced = False
        self.live = True
        self.holds = 0
        self.leaving = False
        self.gone: asyncio.Future[None] | None = None


class EntryTable(Generic[T]):
    """Live entries by id. Each is held while an operation runs on it; a detach then waits (L4)."""

    def __init__(self, kind: str, farewell: Callable[[Entry[T]], None]) -> None:
        self._kind = kind
        self._farewell = farewell
        self._entries: dict[str, Entry[T]] = {}

    def get(self, entry_id: str) -> Entry[T] | None:
        """Return the live entry of an id."""
        return self._entries.get(entry_id)

    def all(self) -> tuple[Entry[T], ...]:
        """Return the live entries in the order they entered."""
        return tuple(self._entries.values())

    def require_free(self, entry_id: str) -> None:
        """Raise DuplicateId if the id is live (P10)."""
        if entry_id in self._entries:
            raise DuplicateId(f"{self._kind} {entry_id!r} already exists; dispose it or choose another id")

    def enter(self, entry_id: str, value: T) -> Entry[T]:
        """Make an object live under a free id (L/r6)."""
        self.require_free(entry_id)
        entry = Entry(entry_id, value)
        self._entries[entry_id] = entry
        return entry

    def announce(self, entry: Entry[T], dispatch: Callable[[], None]) -> None:
        """Publish the created event, once; the entry stays live throughout, and after a veto (L/r8)."""
        self.require_live(entry)
        if entry.announced:
            raise AlreadyAnnounced(f"{self._kind} {entry.id!r} was announced before; announce once")
        entry.announced = True
        self.hold(entry)
        try:
            dispatch()
        finally:
            self.release(entry)

    def require_live(self, entry: Entry[T]) -> None:
        """Raise NotLive if the entry is gone."""
        if not entry.live:
            raise NotLive(f"{self._kind} {entry.id!r} is not live: its entry was detached")

    def hold(self, entry: Entry[T]) -> None:
        """Keep the entry visible until `release`."""
        entry.holds += 1

    def release(self, entry: Entry[T]) -> None:
        """End one hold; the last one runs a deferred detach."""
        entry.holds -= 1
        if entry.leaving and not entry.holds:
            self._remove(entry)

    def detach(self, entry: Entry[T]) -> None:
        """Remove exactly this entry, now or when the last operation on it ends; else a no-op (L/r10-r12)."""
        if not entry.live or entry.leaving:
            return
        entry.leaving = True
        if not entry.holds:
            self._remove(entry)

    def when_gone(self, entry: Entry[T]) -> "asyncio.Future[None]":
        """Return a future of the entry's removal."""
        if entry.gone is None:
            entry.gone = asyncio.get_running_loop().create_future()
            if not entry.live:
                entry.gone.set_result(None)
        return mirror(entry.gone)

    def _remove(self, entry: Entry[T]) -> None:
        entry.live = False
        del self._entries[entry.id]
        self._farewell(entry)
        if entry.gone is not None:
            entry.gone.set_result(None)
