"""Own the thread that talks to the SQLite log file: the embedded default of the `Storage` port.

Refuses to buffer, to repair and to know what is live: the runtime's persistence does, over the port.

One process has one connection, used by one thread, in the order the calls were made; so the calls of one id
keep their order and never block the event loop. Writes that wait together are committed together: a
thousand agents flushing at once cost a few disk syncs, not a thousand. Each still fails or succeeds alone,
and none returns before its commit.
"""

import asyncio
import collections
import contextlib
import queue
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from lifecycle_runtime.ports import StoredLog
from lifecycle_runtime.sqlite_file import LogFile, StorageError
from lifecycle_runtime.values import JsonObject

T = TypeVar("T")

_REMEMBERED: Final = 10_000


class _Job(Generic[T]):
    """One call on its way to the thread and back to its loop."""

    def __init__(self, act: Callable[[LogFile], T], *, writes: bool) -> None:
        self.act, self.writes = act, writes
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[T] = self.loop.create_future()
        self._value: T | None = None
        self._error: BaseException | None = None

    def run(self, file: LogFile) -> None:
        try:
            self._value = self.act(file)
        except Exception as error:
            self._error = error
            raise

    def fail(self, error: BaseException) -> None:
        self._error = error

    def deliver(self) -> None:
        # a closed loop has nobody waiting
        with contextlib.suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self._settle)

    def _settle(self) -> None:
        if self.future.done():
            return
        if self._error is not None:
            self.future.set_exception(self._error)
        else:
            self.future.set_result(self._value)  # type: ignore[arg-type] # run() or fail() came first


class SqliteStorage:
    """Durable session logs in one SQLite file: write-ahead log, full synchronous commits.

    When `start` or `append` returned, what it wrote survives a SIGKILL and a power cut. A file that is
    damaged or of another application raises a `StorageError` naming it, here or at the first read that
    meets the damage, and is left as it was. `pending` counts the calls on their way, for whoever must know
    whether anything is still to come.
    """

    def __init__(self, path: Path | str, *, max_bytes: int | None = None) -> None:
        self.path = Path(path)
        file = LogFile(self.path, max_bytes=max_bytes)
        self.pending = 0
        self._closing: asyncio.Future[None] | None = None
        # which life this process writes: one that another process began later is not ours to continue
        self._life: collections.OrderedDict[str, int] = collections.OrderedDict()
        self._jobs: queue.SimpleQueue[_Job[Any] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=_work, args=(file, self._jobs), name="session-log", daemon=True)
        self._thread.start()

    async def has(self, session_id: str) -> bool:
        """Whether a log of the id is stored (G/r4)."""
        return await self._call(lambda file: file.newest(session_id) is not None)

    async def describe(self, session_id: str) -> JsonObject | None:
        """Metadata of the newest log, or None."""

        def act(file: LogFile) -> JsonObject | None:
            life = file.newest(session_id)
            return None if life is None else file.meta(life)

        return await self._call(act)

    async def load(self, session_id: str) -> StoredLog | None:
        """Give the newest log as stored, or None; later appends continue it (D/r5, D/r8)."""

        def act(file: LogFile) -> tuple[int, StoredLog] | None:
            life = file.newest(session_id)
            return None if life is None else (life, file.read(life))

        found = await self._call(act)
        if found is None:
            return None
        life, stored = found
        self._remember(session_id, life)
        return stored

    async def start(self, session_id: str, meta: JsonObject) -> None:
        """Begin a new, empty log; the former ones are kept aside (D7)."""
        self._remember(session_id, await self._call(lambda file: file.begin(session_id, meta), writes=True))

    async def append(self, session_id: str, first_seq: int, records: Sequence[JsonObject]) -> None:
        """Append to the log this process started or loaded last, else to the newest; all or nothing (D/r3)."""
        taken = tuple(records)
        mine = self._life.get(session_id)

        def act(file: LogFile) -> None:
            life = file.newest(session_id) if mine is None else mine
            if life is None:
                raise StorageError(f"{self.path} holds no log of {session_id[:80]!r} to append to; start one first")
            file.append(life, first_seq, taken)

        await self._call(act, writes=True)

    async def aside(self, session_id: str) -> tuple[StoredLog, ...]:
        """Give the former logs of the id, oldest first (D7)."""
        return await self._call(lambda file: tuple(file.read(life) for life in file.lives(session_id)[:-1]))

    async def sessions(self) -> tuple[str, ...]:
        """Give every id with a stored log, in the order they first began."""
        return await self._call(lambda file: tuple(file.sessions()))

    async def close(self) -> None:
        """Finish the calls already made, close the file, and let go of the thread. May be called again."""
        if self._closing is None:
            last = _Job(LogFile.close, writes=False)
            self._closing = last.future
            self._jobs.put(last)
            self._jobs.put(None)
        await asyncio.shield(self._closing)
        self._thread.join()

    def _remember(self, session_id: str, life: int) -> None:
        self._life[session_id] = life
        self._life.move_to_end(session_id)
        if len(self._life) > _REMEMBERED:
            self._life.popitem(last=False)

    async def _call(self, act: Callable[[LogFile], T], *, writes: bool = False) -> T:
        if self._closing is not None:
            raise StorageError(f"the log file {self.path} is closed; open it again")
        job = _Job(act, writes=writes)
        self.pending += 1
        try:
            self._jobs.put(job)
            return await job.future
        finally:
            self.pending -= 1


def _work(file: LogFile, jobs: "queue.SimpleQueue[_Job[Any] | None]") -> None:
    """Serve jobs in order until told to stop, writes that wait together in one transaction."""
    going = True
    while going:
        batch = [jobs.get()]
        with contextlib.suppress(queue.Empty):
            while True:
                batch.append(jobs.get_nowait())
        writes: list[_Job[Any]] = []
        for job in batch:
            if job is not None and job.writes:
                writes.append(job)
                continue
            _write(file, writes)
            writes = []
            if job is None:
                going = False
                break
            with contextlib.suppress(Exception):
                job.run(file)
            job.deliver()
        _write(file, writes)


def _write(file: LogFile, writes: list["_Job[Any]"]) -> None:
    if not writes:
        return
    try:
        with file.transaction():
            for job in writes:
                with contextlib.suppress(Exception), file.savepoint():
                    job.run(file)
    except Exception as error:
        for job in writes:
            job.fail(error)
    for job in writes:
        job.deliver()
