"""Own one SQLite log file: its format, its one connection, and what a damaged or foreign file gets.

Refuses to know sessions that are live, buffers or threads: every method blocks and must be called from one
thread.

The file holds *lives*: each is one log of one session id, numbered in the order they began. The newest life
of an id is its log; the former ones stay where they are (D7). Nothing here deletes or rewrites a record.
"""

import contextlib
import json
import os
import sqlite3
import tempfile
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import ClassVar, Final, cast

from lifecycle_runtime.errors import LifecycleError
from lifecycle_runtime.ports import StoredLog
from lifecycle_runtime.values import JsonObject

MAGIC: Final = b"SQLite format 3\0"
APPLICATION: Final = 0x4C434C47
FORMAT: Final = 1

_SCHEMA: Final = """
create table lives (
  life integer primary key autoincrement,
  session blob not null,
  meta text not null
);
create index lives_of_session on lives (session, life);
create table records (
  life integer not null references lives (life),
  seq integer not null,
  record text not null,
  primary key (life, seq)
) without rowid;
"""


class StorageError(LifecycleError):
    """Base of everything the durable storage raises; the message names the file."""

    code = "storage"


class NotOurFile(StorageError):
    """The file is something else; it was not changed."""

    code = "not_our_file"


class DamagedFile(StorageError):
    """The file cannot be read as the log it should be; it was not changed."""

    code = "damaged_file"


class WriteRefused(StorageError):
    """A write failed or would not continue the stored log; nothing of it was kept."""

    code = "write_refused"


def _key(session: str) -> bytes:
    # a blob: NULs, lone surrogates and look-alike characters stay what they are
    return session.encode("utf-8", "surrogatepass")


class LogFile:
    """An open log file. Created if absent; anything else that is not ours is refused untouched.

    With `max_bytes` a write that would let the file grow beyond is refused, as on a full disk.
    """

    _open: ClassVar[set[tuple[int, int]]] = set()

    def __init__(self, path: Path, *, max_bytes: int | None = None) -> None:
        self.path = path
        self._refuse_second(path)
        if _is_new(path):
            _create(path)
        _check_header(path)
        self._identity = _identity(path)
        with self._telling("opened"):
            self._db = sqlite3.connect(path, timeout=10.0, isolation_level=None, check_same_thread=False)
            self._db.execute("pragma synchronous = full")
            self._db.execute("pragma foreign_keys = on")
            if max_bytes is not None:
                page = int(self._db.execute("pragma page_size").fetchone()[0])
                self._db.execute(f"pragma max_page_count = {max(1, max_bytes // page)}")
            tables = {str(row[0]) for row in self._db.execute("select name from sqlite_master where type = 'table'")}
        if not {"lives", "records"} <= tables:
            self._db.close()
            raise DamagedFile(f"{path} is damaged: its tables are missing. {_KEPT}")

        LogFile._open.add(self._identity)

    @staticmethod
    def _refuse_second(path: Path) -> None:
        """One connection a process: closing any other descriptor of the file would drop SQLite's locks on it."""
        if path.exists() and _identity(path) in LogFile._open:
            raise StorageError(f"{path} is open in this process already; share that storage, or close it first")

    def close(self) -> None:
        """Close the connection; the write-ahead log is folded into the file."""
        with self._telling("closed"):
            self._db.close()
        LogFile._open.discard(self._identity)

    @contextlib.contextmanager
    def transaction(self) -> Generator[None]:
        """Do the writes inside durably: when this returns they survive a SIGKILL and a power cut."""
        with self._telling("written"):
            self._db.execute("begin immediate")
        try:
            yield
        except BaseException:
            with contextlib.suppress(sqlite3.Error):  # a full disk has already rolled it back
                self._db.execute("rollback")
            raise
        with self._telling("written"):
            self._db.execute("commit")

    @contextlib.contextmanager
    def savepoint(self) -> Generator[None]:
        """Inside a transaction: undo the writes inside, and only them, if they fail."""
        if not self._db.in_transaction:  # a full disk ends it early; going on would commit piece by piece
            raise WriteRefused(f"{self.path} cannot be written: a write before this one ended the transaction")
        self._db.execute("savepoint one")
        try:
            yield
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self._db.execute("rollback to one")
                self._db.execute("release one")
            raise
        self._db.execute("release one")

    def begin(self, session: str, meta: JsonObject) -> int:
        """Start a new life of the id; the former ones are kept aside."""
        with self._telling("written"):
            cursor = self._db.execute("insert into lives (session, meta) values (?, ?)", (_key(session), _dump(meta)))
        return cast("int", cursor.lastrowid)

    def append(self, life: int, first: int, records: Sequence[JsonObject]) -> None:
        """Add records from position `first` on, or refuse if the stored log does not end there."""
        with self._telling("written"):
            stored = self.length(life)
            if stored != first:
                raise WriteRefused(
                    f"log {life} in {self.path} holds {stored} records, so record {first} cannot follow: "
                    "another process wrote to it. Let one process own a session."
                )
            self._db.executemany(
                "insert into records (life, seq, record) values (?, ?, ?)",
                ((life, first + index, _dump(record)) for index, record in enumerate(records)),
            )

    def length(self, life: int) -> int:
        """Count the records of a life."""
        with self._telling("read"):
            row = self._db.execute("select max(seq) from records where life = ?", (life,)).fetchone()
        return 0 if row[0] is None else int(row[0]) + 1

    def lives(self, session: str) -> list[int]:
        """Give the numbers of all lives of the id, oldest first."""
        with self._telling("read"):
            rows = self._db.execute("select life from lives where session = ? order by life", (_key(session),))
            return [int(row[0]) for row in rows]

    def sessions(self) -> list[str]:
        """Give every stored id, in the order they first began."""
        with self._telling("read"):
            rows = self._db.execute("select session from lives group by session order by min(life)")
            return [bytes(row[0]).decode("utf-8", "surrogatepass") for row in rows]

    def newest(self, session: str) -> int | None:
        """Give the number of the newest life of the id, if there is one."""
        with self._telling("read"):
            row = self._db.execute("select max(life) from lives where session = ?", (_key(session),)).fetchone()
        return None if row[0] is None else int(row[0])

    def meta(self, life: int) -> JsonObject:
        """Read the metadata of a life."""
        with self._telling("read"):
            row = self._db.execute("select meta from lives where life = ?", (life,)).fetchone()
        if row is None:
            raise StorageError(f"{self.path} holds no log {life}")
        return self._parse(row[0], f"the metadata of log {life}")

    def read(self, life: int) -> StoredLog:
        """Read one life, checking that its records are whole and in order."""
        with self._telling("read"):
            rows = self._db.execute("select seq, record from records where life = ? order by seq", (life,)).fetchall()
        records: list[JsonObject] = []
        for index, (seq, text) in enumerate(rows):
            if seq != index:
                raise DamagedFile(f"{self.path} is damaged: log {life} has no record {index}. {_KEPT}")
            records.append(self._parse(text, f"record {index} of log {life}"))
        return StoredLog(self.meta(life), tuple(records))

    def _parse(self, text: object, what: str) -> JsonObject:
        try:
            value: object = json.loads(cast("str", text))
        except (ValueError, TypeError) as error:
            raise DamagedFile(f"{self.path} is damaged: {what} is not JSON ({error}). {_KEPT}") from error
        if not isinstance(value, dict):
            raise DamagedFile(f"{self.path} is damaged: {what} is not an object. {_KEPT}")
        return cast("JsonObject", value)

    @contextlib.contextmanager
    def _telling(self, act: str) -> Generator[None]:
        """Say which file a database error is about."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise WriteRefused(f"{self.path} cannot be {act}: {error}. Nothing was lost; try again.") from error
        except sqlite3.DatabaseError as error:
            raise DamagedFile(f"{self.path} cannot be {act}: {error}. {_KEPT}") from error


_KEPT: Final = "The file was left as it is: copy it away before anything else, and start with another file."


def _dump(value: JsonObject) -> str:
    try:
        # frozen records are read-only mappings, which json does not know
        return json.dumps(value, separators=(",", ":"), allow_nan=False, default=dict)
    except (TypeError, ValueError) as error:
        raise WriteRefused(f"a record cannot be written as JSON: {error}") from error


def _identity(path: Path) -> tuple[int, int]:
    about = path.stat()
    return about.st_dev, about.st_ino


def _is_new(path: Path) -> bool:
    try:
        return path.stat().st_size == 0
    except FileNotFoundError:
        return True
    except OSError as error:
        raise StorageError(f"{path} cannot be looked at: {error}") from error


def _check_header(path: Path) -> None:
    """Refuse what is not ours by its first bytes, before SQLite may write a journal next to it."""
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        raise StorageError(f"{path} cannot be opened: {error}. Choose another file for the session logs.") from error
    if header[:16] != MAGIC:
        raise NotOurFile(f"{path} is not a session log: it is no SQLite file. It was not touched; choose another.")
    if len(header) < 100:
        raise DamagedFile(f"{path} is damaged: it ends inside its header. {_KEPT}")
    application = int.from_bytes(header[68:72], "big")
    if application != APPLICATION:
        raise NotOurFile(
            f"{path} is a SQLite file of another application (id {application:#x}). It was not touched; choose another."
        )
    version = int.from_bytes(header[60:64], "big")
    if version != FORMAT:
        raise NotOurFile(
            f"{path} has log format {version}, and this version reads {FORMAT}. It was not touched; use the version "
            "that wrote it."
        )


def _create(path: Path) -> None:
    """Put a complete empty log in place in one step, so that no crash leaves a half-made file."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        os.close(descriptor)
        temporary = Path(name)
        try:
            db = sqlite3.connect(temporary, isolation_level=None)
            try:
                db.execute(f"pragma application_id = {APPLICATION}")
                db.execute(f"pragma user_version = {FORMAT}")
                db.executescript(_SCHEMA)
                db.execute("pragma journal_mode = wal")
            finally:
                db.close()
            with temporary.open("rb") as file:
                os.fsync(file.fileno())
            with contextlib.suppress(FileExistsError):
                # another process may have made it meanwhile; an empty file is replaced, a log never
                os.link(temporary, path)
                return
            if _is_new(path):
                temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
            directory = os.open(path.parent, os.O_RDONLY)
            os.fsync(directory)
            os.close(directory)
    except (OSError, sqlite3.Error) as error:
        raise StorageError(f"{path} cannot be created: {error}. Choose another file for the session logs.") from error
