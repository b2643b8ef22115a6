"""Durability of session logs: buffers what is committed, drains at flushes, repairs at loads (D)."""

import asyncio
from collections.abc import Awaitable

from lifecycle_runtime.context import Context, ServiceKey
from lifecycle_runtime.errors import DuplicateId, NotStored, StaleLog
from lifecycle_runtime.events import SessionCreated, SessionDisposed, SessionEvent, SessionFlush
from lifecycle_runtime.futures import TaskGroup, first_of, performed
from lifecycle_runtime.ports import Storage, StoredLog
from lifecycle_runtime.repair import closers
from lifecycle_runtime.session import Session
from lifecycle_runtime.values import JsonObject


class _Buffer:
    """What of one live session is not stored yet."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.started = session.continues is not None
        self.written = session.continues or 0
        self.pending: list[JsonObject] = [record.json() for record in session.records[self.written :]]


class Load:
    """One load of a log for a resume. Abandoned, it writes nothing and holds up nothing (D5)."""

    def __init__(self, persistence: "Persistence", session_id: str) -> None:
        self.session_id = session_id
        self.abandoned: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.version = 0
        self._persistence = persistence
        self._task = persistence.tasks.start(persistence.perform_load(self))
        self._task.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def session(self) -> Session:
        """Return the loaded, repaired session, unattached."""
        await asyncio.wait({self._task})
        return self._task.result()

    def abandon(self) -> None:
        """Give the load up; what storage still answers is dropped."""
        if not self.abandoned.done():
            self.abandoned.set_result(None)

    def require_current(self) -> None:
        """Raise StaleLog if the log changed since it was loaded (P17)."""
        if self._persistence.version(self.session_id) != self.version:
            raise StaleLog(f"the log of {self.session_id!r} changed since it was loaded; resume it again")


class Persistence:
    """Keeps every announced session of its context's bus in a storage. Calls about one id run one by one."""

    def __init__(self, ctx: Context, storage: Storage) -> None:
        self.ctx = ctx
        self.tasks = TaskGroup()
        self._writes = TaskGroup()
        self._storage = storage
        self._buffers: dict[str, _Buffer] = {}
        self._versions: dict[str, int] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        ctx.on(SessionCreated, self._created)
        ctx.on(SessionEvent, self._committed)
        ctx.on(SessionFlush, self._flush)
        ctx.on(SessionDisposed, self._disposed)
        ctx.effect(self._close, label="persistence")

    def unload(self) -> "asyncio.Future[None]":
        """Write what is buffered and stop listening; live sessions go on without durability (D/r9)."""
        return self.ctx.unload()

    def begin_load(self, session_id: str) -> Load:
        """Queue a load; a live id is refused without touching its log (D/r7)."""
        return Load(self, session_id)

    async def has(self, session_id: str) -> bool:
        """Whether a log is stored, after everything queued before was written."""
        async with self._lock(session_id):
            return await self._storage.has(session_id)

    async def describe(self, session_id: str) -> JsonObject | None:
        """Return the metadata of the newest stored log, or None."""
        async with self._lock(session_id):
            return await self._storage.describe(session_id)

    async def aside(self, session_id: str) -> tuple[StoredLog, ...]:
        """Return the former logs of an id, oldest first (D7)."""
        async with self._lock(session_id):
            return await self._storage.aside(session_id)

    def version(self, session_id: str) -> int:
        """Return a number that grows with every change of the id's log, buffered ones included."""
        return self._versions.get(session_id, 0)

    async def perform_load(self, load: Load) -> Session:
        """Read, repair an open tail, and build the session (D/r5 to r8)."""
        session_id = load.session_id
        self._require_quiet(session_id)
        async with self._lock(session_id):
            load.version = self.version(session_id)
            stored = await self._read(load)
            if stored is None:
                raise NotStored(f"no log is stored under {session_id!r}; create it instead")
            missing = closers(session_id, stored)
            self._require_quiet(session_id)
            load.require_current()
            if missing:
                self._bump(session_id)
                load.version = self.version(session_id)
                await self._storage.append(session_id, len(stored.records), missing)
            session = Session(session_id, stored.meta, (*stored.records, *missing))
            session.continues = len(session)
            return session

    # --- listeners ---

    def _created(self, event: SessionCreated) -> None:
        """Begin to buffer; a new log starts now, before anything is flushed (D7)."""
        session = event.session
        if session.id in self._buffers:
            return
        buffer = self._buffers[session.id] = _Buffer(session)
        if not buffer.started or buffer.pending:
            self._bump(session.id)
        if not buffer.started:
            self._background(session, self._open(buffer))

    def _committed(self, event: SessionEvent) -> None:
        buffer = self._buffer(event.session)
        if buffer is not None:
            buffer.pending.append(event.record.json())
            self._bump(event.session.id)

    def _flush(self, event: SessionFlush) -> Awaitable[None] | None:
        buffer = self._buffer(event.session)
        return self._drain(buffer) if buffer is not None else None

    def _disposed(self, event: SessionDisposed) -> None:
        buffer = self._buffer(event.session)
        if buffer is not None:
            del self._buffers[event.session.id]
            self._background(event.session, self._drain(buffer))

    # --- storage ---

    async def _open(self, buffer: _Buffer) -> None:
        async with self._lock(buffer.session.id):
            await self._start(buffer)

    async def _drain(self, buffer: _Buffer) -> None:
        """Write everything buffered; what could not be written stays for the next drain (D4)."""
        async with self._lock(buffer.session.id):
            await self._start(buffer)
            records = tuple(buffer.pending)
            if records:
                await self._storage.append(buffer.session.id, buffer.written, records)
                buffer.written += len(records)
                del buffer.pending[: len(records)]

    async def _start(self, buffer: _Buffer) -> None:
        if not buffer.started:
            await self._storage.start(buffer.session.id, buffer.session.meta)
            buffer.started = True

    async def _read(self, load: Load) -> StoredLog | None:
        task = self.tasks.start(performed(lambda: self._storage.load(load.session_id)))
        await first_of(task, load.abandoned)
        if load.abandoned.done():
            task.add_done_callback(lambda late: late.cancelled() or late.exception())
            raise StaleLog(f"the load of {load.session_id!r} was given up")
        stored = task.result()
        return stored if isinstance(stored, StoredLog) else None

    async def _close(self) -> None:
        """Write what is still buffered when persistence goes."""
        buffers = list(self._buffers.values())
        self._buffers.clear()
        for buffer in buffers:
            self._background(buffer.session, self._drain(buffer))
        await self._writes.join()

    def _background(self, session: Session, work: Awaitable[None]) -> None:
        async def contained() -> None:
            try:
                await performed(lambda: work)
            except Exception as error:
                self.ctx.bus.report("storage", session, error)

        self._writes.start(contained())

    def _buffer(self, session: Session) -> _Buffer | None:
        buffer = self._buffers.get(session.id)
        return buffer if buffer is not None and buffer.session is session else None

    def _require_quiet(self, session_id: str) -> None:
        if session_id in self._buffers:
            raise DuplicateId(f"session {session_id!r} is live; dispose it before loading its log")

    def _bump(self, session_id: str) -> None:
        self._versions[session_id] = self.version(session_id) + 1

    def _lock(self, session_id: str) -> asyncio.Lock:
        return self._locks.setdefault(session_id, asyncio.Lock())


def provide_persistence(ctx: Context, storage: Storage) -> Persistence:
    """Make a storage the persistence of a context and what is below it, until it or the context is unloaded."""
    persistence = Persistence(ctx.fork("persistence"), storage)
    withdraw = ctx.provide(PERSISTENCE, persistence)
    persistence.ctx.fiber.effect(label="present persistence", deactivate=withdraw)
    return persistence


PERSISTENCE: ServiceKey[Persistence] = ServiceKey("persistence")
