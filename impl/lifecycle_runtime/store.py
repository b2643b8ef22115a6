"""The session store: which sessions are live, their announcements, flushes and out-of-band appends."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from lifecycle_runtime.bus import AwaitedDispatch, Bus
from lifecycle_runtime.context import Context, ServiceKey
from lifecycle_runtime.entries import Entry, EntryTable
from lifecycle_runtime.errors import AlreadyEntered, Busy, InvalidValue, NotLive
from lifecycle_runtime.events import (
    SessionCreated,
    SessionDisposed,
    SessionEvent,
    SessionFlush,
    SessionFlushed,
    SessionValidate,
)
from lifecycle_runtime.futures import TaskGroup, mirror, resolved
from lifecycle_runtime.session import STRUCTURE, TURN_END, TURN_START, Record, Session
from lifecycle_runtime.values import JsonObject, freeze_object


class FlushRun:
    """A flush whose listeners have been called; `settle` waits for them and says how it went (L/r13)."""

    def __init__(self, bus: Bus, session: Session, scope: object) -> None:
        self._bus = bus
        self._session = session
        self._scope = scope
        self._dispatch: AwaitedDispatch = bus.awaited(SessionFlush(session), scope)

    async def settle(self, pause: Callable[[], Awaitable[None]] | None = None) -> None:
        """Wait for every listener, then `pause`; raise the first failure in registration order (VE13)."""
        ok = False
        try:
            await self._dispatch.settle()
            ok = True
        finally:
            if pause is not None:
                await pause()
            self._bus.contained(SessionFlushed(self._session, ok), self._scope)


class _StoreAttachment:
    """Ties a session to its entry in one store."""

    def __init__(self, store: "SessionStore", entry: Entry[Session], scope: object) -> None:
        self.store = store
        self.entry = entry
        self.scope = scope
        self.busy = False
        self.out_of_band: asyncio.Task[Record] | None = None

    def appending(self) -> None:
        self.store.table.hold(self.entry)

    def appended(self) -> None:
        self.store.table.release(self.entry)

    def validate(self, record: Record) -> None:
        self.store.bus.vetoing(SessionValidate(self.entry.value, record), self.scope)

    def publish(self, record: Record) -> None:
        self.store.bus.contained(SessionEvent(self.entry.value, record), self.scope)


class SessionStore:
    """Live sessions by id. Entering it alone decides id conflicts (P10)."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.table: EntryTable[Session] = EntryTable("session", self._farewell)
        self._tasks = TaskGroup()

    def prepare(self, session_id: str, meta: object = None, records: Iterable[object] = ()) -> Session:
        """Build an unattached session from copied values; raise InvalidValue if they are not lossless."""
        return Session(session_id, meta, records)

    def get(self, session_id: str) -> Session | None:
        """Return the live session of an id."""
        entry = self.table.get(session_id)
        return entry.value if entry else None

    def announced(self, session_id: str) -> bool:
        """Whether a session of the id is live and announced."""
        entry = self.table.get(session_id)
        return entry is not None and entry.announced

    def list(self) -> tuple[Session, ...]:
        """Return the live sessions."""
        return tuple(entry.value for entry in self.table.all())

    def enter(self, session: Session, scope: object = None) -> Entry[Session]:
        """Attach an unattached session under its free id (L/r6, r7)."""
        if session.attached:
            raise AlreadyEntered(f"session {session.id!r} is attached already; detach that entry first")
        entry = self.table.enter(session.id, session)
        session.attachment = _StoreAttachment(self, entry, scope)
        return entry

    def announce(self, entry: Entry[Session]) -> None:
        """Publish `session/created` once; a listener's veto is raised and the entry stays (L/r8)."""
        event = SessionCreated(entry.value)
        scope = self._scope(entry.value)
        self.table.announce(entry, lambda: self.bus.vetoing(event, scope))

    def detach(self, entry: Entry[Session]) -> "asyncio.Future[None]":
        """Request the entry's removal; the future resolves once it is gone (L/r10-r12)."""
        self.table.detach(entry)
        return self.table.when_gone(entry)

    def create(
        self, ctx: Context, session_id: str, meta: object = None, records: Iterable[object] = ()
    ) -> Entry[Session]:
        """Prepare, enter and announce a session owned by `ctx`; a veto detaches it again and is raised."""
        ctx.fiber.require_active()
        entry = self.enter(self.prepare(session_id, meta, records))
        effect = ctx.fiber.effect(
            lambda: self.detach(entry), label=f"session {session_id}", deactivate=lambda: self.table.detach(entry)
        )
        self.table.when_gone(entry).add_done_callback(lambda _: effect.release())
        try:
            self.announce(entry)
        except BaseException:
            self.table.detach(entry)
            raise
        return entry

    def begin_flush(self, session: Session) -> FlushRun:
        """Call the flush listeners now; raise NotLive without calling any if detached (L8)."""
        attachment = self._attachment(session)
        return FlushRun(self.bus, session, attachment.scope)

    def flush(self, session: Session) -> "asyncio.Future[None]":
        """Begin a flush and return its result; the first failure in registration order is raised."""
        return mirror(self._tasks.start(self.begin_flush(session).settle()))

    def append_out_of_band(self, session: Session, kind: str, data: object = None) -> "asyncio.Future[Record]":
        """Append from outside any turn: inside an open one as is, else wrapped and flushed (L/r15, r16).

        The entry stays live until the flush settled. Raises at once if nothing was written; the future
        carries the record, or the record's own error before a flush error (L9).
        """
        attachment = self._attachment(session)
        frozen = freeze_object({} if data is None else data, f"{kind} data")
        if kind in STRUCTURE:
            raise InvalidValue(f"{kind} cannot be appended out of band; append a record of your own type")
        if attachment.busy:
            raise Busy(f"session {session.id!r} has an out-of-band append running; await it first")
        attachment.busy = True
        self.table.hold(attachment.entry)
        try:
            if session.open_turn is not None:
                return resolved(session.append(kind, frozen))
            attachment.out_of_band = self._wrap(attachment, session, kind, frozen)
            return mirror(attachment.out_of_band)
        finally:
            if attachment.out_of_band is None:
                self._free(attachment)

    def _wrap(
        self, attachment: _StoreAttachment, session: Session, kind: str, data: JsonObject
    ) -> "asyncio.Task[Record]":
        turn = session.next_turn
        session.append(TURN_START, {"turn": turn, "trigger": "plugin"})
        outcome: Record | Exception
        try:
            outcome = session.append(kind, data)
        except Exception as error:
            outcome = error
        session.append(TURN_END, {"turn": turn, "reason": "completed"})
        return self._tasks.start(self._finish(attachment, self.begin_flush(session), outcome))

    def _free(self, attachment: _StoreAttachment) -> None:
        attachment.busy = False
        attachment.out_of_band = None
        self.table.release(attachment.entry)

    def out_of_band_running(self, session: Session) -> "asyncio.Future[None] | None":
        """Return a future of the end of the running out-of-band append, if there is one (T/r3)."""
        attachment = session.attachment
        if not isinstance(attachment, _StoreAttachment) or attachment.out_of_band is None:
            return None
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def settle(_: "asyncio.Task[Record]") -> None:
            if not ended.done():
                ended.set_result(None)

        attachment.out_of_band.add_done_callback(settle)
        return ended

    async def _finish(self, attachment: _StoreAttachment, flush: FlushRun, outcome: Record | Exception) -> Record:
        failure = outcome if isinstance(outcome, Exception) else None
        try:
            await flush.settle()
        except Exception as error:
            failure = failure or error
        finally:
            self._free(attachment)
        if failure is not None:
            raise failure
        assert isinstance(outcome, Record)
        return outcome

    def _attachment(self, session: Session) -> _StoreAttachment:
        attachment = session.attachment
        if not isinstance(attachment, _StoreAttachment) or attachment.store is not self:
            raise NotLive(f"session {session.id!r} is not live in this store; enter it first")
        return attachment

    def _scope(self, session: Session) -> object:
        attachment = session.attachment
        return attachment.scope if isinstance(attachment, _StoreAttachment) else None

    def _farewell(self, entry: Entry[Session]) -> None:
        scope = self._scope(entry.value)
        entry.value.attachment = None
        if entry.announced:
            self.bus.contained(SessionDisposed(entry.value), scope)


SESSIONS: ServiceKey[SessionStore] = ServiceKey("sessions")
