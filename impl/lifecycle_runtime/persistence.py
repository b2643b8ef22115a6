"""Durability of session logs: buffers what is committed, drains at flushes, repairs at loads (D)."""

import asyncio
from collections.abc import Awaitable, Sequence
from weakref import WeakValueDictionary

from lifecycle_runtime.context import Context, ServiceKey
from lifecycle_runtime.errors import DuplicateId, NotStored, StaleLog
from lifecycle_runtime.events import SessionCreated, SessionDisposed, SessionEvent, SessionFlush
from lifecycle_runtime.futures import TaskGroup, performed
from lifecycle_runtime.ports import Storage, StoredLog
from lifecycle_runtime.repair import closers
from lifecycle_runtime.session import Session
from lifecycle_runtime.store import SESSIONS
from lifecycle_runtime.values import JsonObject


class _Line:
    """What orders the operations of one id; it lives as long as one of them, a load or a live session."""

    def __init__(self) -> None:
        self.loads = asyncio.Lock()
        """One load at a time: one that waits for another holds no write up, and sees what was written before its turn."""
        self.lock = asyncio.Lock()
        """One operation on the storage at a time; a load in flight is one."""
        self.writes: set[asyncio.Task[None]] = set()
        """The writes that only loads wait for: of sessions that began, or are gone."""
        self.version = 0
        """Grows with every change of the log, buffered ones included."""


class _Buffer:
    """What of one live session is not stored yet."""

    def __init__(self, session: Session, line: _Line) -> None:
        self.session = session
        self.line = line
        self.started = session.continues is not None
        self.written = session.continues or 0
        self.pending: list[JsonObject] = [record.json() for record in session.since(self.written)]


class Load:
    """One load of a log for a resume. Abandoned, it writes nothing and holds up nothing (D5)."""

    def __init__(self, persistence: "Persistence", session_id: str) -> None:
        self._persistence = persistence
        self._id = session_id
        self._line = persistence.line(session_id)
        self._version = 0
        self._abandoned = False
        self._held: list[asyncio.Lock] = []
        self._writing = False

    async def session(self) -> Session:
        """Read, repair an open tail and return the session, unattached (D/r5 to r8).

        A live id is refused without touching its log: one buffered here when it is this load's turn (D/r7), one begun
        before this was loaded once storage has answered, since no log comes before live (P/r4). A log that changed meanwhile is returned as read, unrepaired; `require_current` refuses it (P/r7).
        """
        persistence = self._persistence
        try:
            await self._take_turn()
            persistence.require_unbuffered(self._id)
            self._version = self._line.version
            stored = await persistence.read(self._id)
            self._require_wanted()
            if stored is None:
                raise NotStored(f"no log is stored under {self._id!r}; create it instead")
            persistence.require_quiet(self._id)
            missing = closers(self._id, stored) if self._current else ()
            if missing:
                # from here the write must be waited for, or the next operation would meet half of it
                self._writing = True
                self._line.version += 1
                self._version = self._line.version
                await persistence.write(self._id, len(stored.records), missing)
            session = Session(self._id, stored.meta, (*stored.records, *missing))
            session.continues = len(session)
            return session
        finally:
            self._release()

    def abandon(self) -> None:
        """Give the load up; what storage still answers is dropped."""
        self._abandoned = True
        if not self._writing:
            self._release()

    def require_current(self) -> None:
        """Raise StaleLog if the log changed since it was loaded (P17)."""
        if not self._current:
            raise StaleLog(f"the log of {self._id!r} changed since it was loaded; resume it again")

    @property
    def _current(self) -> bool:
        return self._line.version == self._version

    async def _take_turn(self) -> None:
        """Wait for earlier loads, then for what sessions that are gone have still to write (D6)."""
        await self._take(self._line.loads)
        self._require_wanted()
        while self._line.writes:
            await asyncio.wait(set(self._line.writes))
        await self._take(self._line.lock)
        self._require_wanted()

    async def _take(self, lock: asyncio.Lock) -> None:
        await lock.acquire()
        self._held.append(lock)

    def _release(self) -> None:
        while self._held:
            self._held.pop().release()

    def _require_wanted(self) -> None:
        if self._abandoned:
            raise StaleLog(f"the load of {self._id!r} was given up")


class Persistence:
    """Keeps every announced session of its context's bus in a storage. Calls about one id run one by one."""

    def __init__(self, ctx: Context, storage: Storage) -> None:
        self.ctx = ctx
        self._writes = TaskGroup()
        self._storage = storage
        self._buffers: dict[str, _Buffer] = {}
        self._lines: WeakValueDictionary[str, _Line] = WeakValueDictionary()
        ctx.on(SessionCreated, self._created)
        ctx.on(SessionEvent, self._committed)
        ctx.on(SessionFlush, self._flush)
        ctx.on(SessionDisposed, self._disposed)
        ctx.effect(self._close, label="persistence")

    def unload(self) -> "asyncio.Future[None]":
        """Write what is buffered and stop listening; live sessions go on without durability (D/r9)."""
        return self.ctx.unload()

    def begin_load(self, session_id: str) -> Load:
        """Prepare a load of one id's log for a resume; ask it for its `session` once."""
        return Load(self, session_id)

    async def load(self, session_id: str) -> Session:
        """Load a log as a resume would, repair included (D/r5 to r8)."""
        return await self.begin_load(session_id).session()

    async def has(self, session_id: str) -> bool:
        """Whether a log is stored, after everything queued before was written."""
        line = self.line(session_id)
        async with line.lock:
            return await self._storage.has(session_id)

    async def describe(self, session_id: str) -> JsonObject | None:
        """Return the metadata of the newest stored log, or None."""
        line = self.line(session_id)
        async with line.lock:
            return await self._storage.describe(session_id)

    async def aside(self, session_id: str) -> tuple[StoredLog, ...]:
        """Return the former logs of an id, oldest first (D7)."""
        line = self.line(session_id)
        async with line.lock:
            return await self._storage.aside(session_id)

    async def read(self, session_id: str) -> StoredLog | None:
        """Read the newest log, as part of an operation that holds the id's lock."""
        return await self._storage.load(session_id)

    async def write(self, session_id: str, first_seq: int, records: Sequence[JsonObject]) -> None:
        """Append to the newest log, as part of an operation that holds the id's lock."""
        await self._storage.append(session_id, first_seq, records)

    # --- listeners ---

    def _created(self, event: SessionCreated) -> None:
        """Begin to buffer; a new log starts now, before anything is flushed (D7)."""
        session = event.session
        if session.id in self._buffers or not self.ctx.active:
            return  # one that is being unloaded takes nobody new (D/r9)
        buffer = self._buffers[session.id] = _Buffer(session, self.line(session.id))
        if not buffer.started or buffer.pending:
            buffer.line.version += 1
        if not buffer.started:
            self._background(buffer, self._open(buffer))

    def _committed(self, event: SessionEvent) -> None:
        buffer = self._buffer(event.session)
        if buffer is not None:
            buffer.pending.append(event.record.json())
            buffer.line.version += 1

    def _flush(self, event: SessionFlush) -> Awaitable[None] | None:
        buffer = self._buffer(event.session)
        return self._drain(buffer) if buffer is not None else None

    def _disposed(self, event: SessionDisposed) -> None:
        buffer = self._buffer(event.session)
        if buffer is not None:
            del self._buffers[event.session.id]
            self._background(buffer, self._drain(buffer))

    # --- storage ---

    async def _open(self, buffer: _Buffer) -> None:
        async with buffer.line.lock:
            await self._start(buffer)

    async def _drain(self, buffer: _Buffer) -> None:
        """Write everything buffered; what could not be written stays for the next drain (D4)."""
        async with buffer.line.lock:
            await self._start(buffer)
            records = tuple(buffer.pending)
            if records:
                await self.write(buffer.session.id, buffer.written, records)
                buffer.written += len(records)
                del buffer.pending[: len(records)]

    async def _start(self, buffer: _Buffer) -> None:
        if not buffer.started:
            await self._storage.start(buffer.session.id, buffer.session.meta)
            buffer.started = True

    async def _close(self) -> None:
        """Write what is still buffered when persistence goes."""
        buffers = list(self._buffers.values())
        self._buffers.clear()
        for buffer in buffers:
            self._background(buffer, self._drain(buffer))
        await self._writes.join()

    def _background(self, buffer: _Buffer, work: Awaitable[None]) -> None:
        async def contained() -> None:
            try:
                await performed(lambda: work)
            except Exception as error:
                self.ctx.bus.report("storage", buffer.session, error)

        write = self._writes.start(contained())
        buffer.line.writes.add(write)
        write.add_done_callback(buffer.line.writes.discard)

    def _buffer(self, session: Session) -> _Buffer | None:
        buffer = self._buffers.get(session.id)
        return buffer if buffer is not None and buffer.session is session else None

    def require_unbuffered(self, session_id: str) -> None:
        """Raise DuplicateId while a session of the id is buffered here (D/r7)."""
        self._refuse_live(session_id, session_id in self._buffers)

    def require_quiet(self, session_id: str) -> None:
        """Raise DuplicateId while a session of the id is live: buffered here, or begun before this was loaded (D5)."""
        sessions = self.ctx.find(SESSIONS)
        announced = sessions is not None and sessions.announced(session_id)
        self._refuse_live(session_id, session_id in self._buffers or announced)

    @staticmethod
    def _refuse_live(session_id: str, live: bool) -> None:
        if live:
            raise DuplicateId(f"session {session_id!r} is live; dispose it before loading its log")

    def line(self, session_id: str) -> _Line:
        """Return what orders the operations of an id; whoever works on the id keeps it."""
        line = self._lines.get(session_id)
        if line is None:
            line = self._lines[session_id] = _Line()
        return line


def provide_persistence(ctx: Context, storage: Storage) -> Persistence:
    """Make a storage the persistence of a context and what is below it, until it or the context is unloaded."""
    persistence = Persistence(ctx.fork("persistence"), storage)
    withdraw = ctx.provide(PERSISTENCE, persistence)
    persistence.ctx.fiber.effect(label="present persistence", deactivate=withdraw)
    return persistence


PERSISTENCE: ServiceKey[Persistence] = ServiceKey("persistence")
