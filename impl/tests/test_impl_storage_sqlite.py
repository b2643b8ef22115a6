"""The SQLite storage: what survives, what is kept apart, and what a wrong file gets."""

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from lifecycle_runtime.claims import SessionClaims
from lifecycle_runtime.sqlite_file import DamagedFile, LogFile, NotOurFile, StorageError, WriteRefused
from lifecycle_runtime.storage_sqlite import SqliteStorage
from lifecycle_runtime.values import JsonObject, freeze_object


def record(number: int, **more: object) -> JsonObject:
    return freeze_object({"type": "user/message", "number": number, **more})


def using(path: Path, act: Callable[[SqliteStorage], Awaitable[None]]) -> None:
    async def run() -> None:
        storage = SqliteStorage(path)
        try:
            await act(storage)
            assert storage.pending == 0
        finally:
            await storage.close()

    asyncio.run(run())


def test_records_come_back_in_order_from_another_connection(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "log.db"

    async def write(storage: SqliteStorage) -> None:
        assert await storage.load("a") is None
        assert not await storage.has("a")
        await storage.start("a", {"cwd": "/x"})
        await storage.append("a", 0, [record(0), record(1, nested={"list": [1, 2.5, None, "ü"]})])
        await storage.append("a", 2, [record(2)])

    async def read(storage: SqliteStorage) -> None:
        stored = await storage.load("a")
        assert stored is not None
        assert [item["number"] for item in stored.records] == [0, 1, 2]
        assert stored.records[1]["nested"] == {"list": [1, 2.5, None, "ü"]}
        assert await storage.describe("a") == {"cwd": "/x"}
        assert await storage.sessions() == ("a",)

    using(path, write)
    using(path, read)
    assert path.stat().st_mode & 0o077 == 0


def test_a_new_log_keeps_the_former_aside(tmp_path: Path) -> None:
    async def act(storage: SqliteStorage) -> None:
        await storage.start("a", {"life": 1})
        await storage.append("a", 0, [record(0)])
        await storage.start("a", {"life": 2})
        await storage.append("a", 0, [record(10), record(11)])
        newest = await storage.load("a")
        assert newest is not None
        assert newest.meta == {"life": 2}
        assert [item["number"] for item in newest.records] == [10, 11]
        (former,) = await storage.aside("a")
        assert former.meta == {"life": 1}
        assert [item["number"] for item in former.records] == [0]
        assert await storage.aside("b") == ()

    using(tmp_path / "log.db", act)


def test_an_append_that_does_not_continue_the_log_is_refused_whole(tmp_path: Path) -> None:
    async def act(storage: SqliteStorage) -> None:
        with pytest.raises(StorageError, match="start one first"):
            await storage.append("a", 0, [record(0)])
        await storage.start("a", {})
        await storage.append("a", 0, [record(0)])
        for first in (0, 2):
            with pytest.raises(WriteRefused, match="holds 1 records"):
                await storage.append("a", first, [record(5), record(6)])
        stored = await storage.load("a")
        assert stored is not None
        assert [item["number"] for item in stored.records] == [0]

    using(tmp_path / "log.db", act)


def test_a_failing_write_of_a_batch_fails_alone(tmp_path: Path) -> None:
    async def act(storage: SqliteStorage) -> None:
        for name in ("a", "b", "c"):
            await storage.start(name, {})
        outcomes = await asyncio.gather(
            storage.append("a", 0, [record(0)]),
            storage.append("b", 7, [record(1)]),
            storage.append("c", 0, [record(2)]),
            storage.append("a", 1, [record(3)]),
            return_exceptions=True,
        )
        assert [type(outcome) for outcome in outcomes] == [type(None), WriteRefused, type(None), type(None)]
        lengths = [len(stored.records) for name in "abc" if (stored := await storage.load(name)) is not None]
        assert lengths == [2, 0, 1]

    using(tmp_path / "log.db", act)


@pytest.mark.parametrize(
    "session",
    ["", "../../etc/passwd", "a\0b", "x" * 10_000, "é", "e\u0301", "\u202etxt", "\ud800", "' or 1=1 --"],
    ids=["empty", "slashes", "nul", "10kB", "composed", "decomposed", "override", "surrogate", "quote"],
)
def test_any_string_is_an_id_of_its_own(tmp_path: Path, session: str) -> None:
    async def act(storage: SqliteStorage) -> None:
        await storage.start("other", {})
        await storage.start("é" if session != "é" else "e\u0301", {})
        await storage.start(session, {"mine": True})
        await storage.append(session, 0, [record(0)])
        stored = await storage.load(session)
        assert stored is not None
        assert stored.meta == {"mine": True}
        assert session in await storage.sessions()
        assert len(await storage.sessions()) == 3

    using(tmp_path / "log.db", act)
    assert [entry.name for entry in tmp_path.iterdir()] == ["log.db"]


BEGIN = """
import pathlib, sys
from lifecycle_runtime.sqlite_file import LogFile
file = LogFile(pathlib.Path(sys.argv[1]))
with file.transaction():
    file.append(file.begin("a", {}), 0, [{"type": "x", "number": 2}])
file.close()
"""

CLAIM = """
import pathlib, sys
from lifecycle_runtime.claims import ClaimedElsewhere, SessionClaims
claims = SessionClaims(pathlib.Path(sys.argv[1]))
claims.take("b")
try:
    claims.take("a")
except ClaimedElsewhere as error:
    print(error)
"""


def test_a_second_process_may_begin_a_life_without_mixing_two(tmp_path: Path) -> None:
    path = tmp_path / "log.db"

    async def act(storage: SqliteStorage) -> None:
        await storage.start("a", {})
        subprocess.run([sys.executable, "-c", BEGIN, str(path)], check=True)
        await storage.append("a", 0, [record(1)])
        (former,) = await storage.aside("a")
        newest = await storage.load("a")
        assert newest is not None
        assert (former.records[0]["number"], newest.records[0]["number"]) == (1, 2)

    using(path, act)


def test_a_process_has_one_connection_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "log.db"

    async def act(storage: SqliteStorage) -> None:
        (tmp_path / "link").symlink_to(path)
        for name in ("log.db", "link"):
            with pytest.raises(StorageError, match="open in this process already"):
                SqliteStorage(tmp_path / name)

    for _ in range(2):
        using(path, act)
        (tmp_path / "link").unlink()


def test_a_session_is_claimed_by_one_process(tmp_path: Path) -> None:
    store = tmp_path / "log.db"
    claims = SessionClaims(store)
    claims.take("a")
    claims.take("a")
    command = [sys.executable, "-c", CLAIM, str(store)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "'a' is open in another process" in said
    claims.take("b")  # the other process is gone, and its claim with it
    claims.close()
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == ""


def _diary(path: Path) -> None:
    path.write_text("dear diary")


def _sqlite_of_another(path: Path) -> None:
    db = sqlite3.connect(path)
    db.execute("create table people (name)")
    db.commit()
    db.close()


def _later_format(path: Path) -> None:
    LogFile(path).close()
    db = sqlite3.connect(path)
    db.execute("pragma user_version = 99")
    db.close()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (_diary, "no SQLite file"),
        (_sqlite_of_another, "another application"),
        (_later_format, "format 99"),
    ],
    ids=["text", "other application", "later format"],
)
def test_a_foreign_file_is_named_and_untouched(tmp_path: Path, make: Callable[[Path], None], says: str) -> None:
    path = tmp_path / "precious"
    make(path)
    before = path.read_bytes()
    with pytest.raises(NotOurFile, match=says) as caught:
        SqliteStorage(path)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["precious"]


def test_a_directory_in_the_way_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be opened") as caught:
        SqliteStorage(tmp_path)
    assert str(tmp_path) in str(caught.value)


def test_an_empty_file_becomes_a_log(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    path.touch()

    async def act(storage: SqliteStorage) -> None:
        await storage.start("a", {})
        assert await storage.has("a")

    using(path, act)


def _filled(path: Path) -> None:
    async def act(storage: SqliteStorage) -> None:
        for name in ("a", "b"):
            await storage.start(name, {"cwd": "/"})
            for number in range(200):
                await storage.append(name, number, [record(number, text="x" * 500)])

    using(path, act)


def test_torn_pages_give_an_error_naming_the_file_and_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    _filled(path)
    content = bytearray(path.read_bytes())
    page = 4096
    for start in range(2 * page, len(content), page):
        content[start : start + 64] = b"\xff" * 64
    path.write_bytes(content)

    async def act(storage: SqliteStorage) -> None:
        with pytest.raises(DamagedFile, match="malformed") as caught:
            await storage.load("a")
        assert str(path) in str(caught.value)
        assert "copy it away" in str(caught.value)

    using(path, act)
    assert path.read_bytes() == content


def test_a_cut_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    path.write_bytes(b"SQLite format 3\0 and no more")
    with pytest.raises(DamagedFile, match="inside its header"):
        SqliteStorage(path)


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        ("delete from records where seq = 5", "no record 5"),
        ("update records set record = '{' where seq = 5", "record 5 of log 1 is not JSON"),
        ("update records set record = '[]' where seq = 5", "record 5 of log 1 is not an object"),
        ("update lives set meta = 'x'", "the metadata of log 1 is not JSON"),
    ],
)
def test_a_hole_or_a_broken_record_is_named(tmp_path: Path, damage: str, says: str) -> None:
    path = tmp_path / "log.db"
    _filled(path)
    db = sqlite3.connect(path)
    db.execute(damage)
    db.commit()
    db.close()

    async def act(storage: SqliteStorage) -> None:
        with pytest.raises(DamagedFile, match=says):
            await storage.load("a")

    using(path, act)


def test_a_full_disk_fails_the_append_and_keeps_what_was_stored(tmp_path: Path) -> None:
    async def fill(storage: SqliteStorage) -> None:
        await storage.start("a", {})
        await storage.append("a", 0, [record(0)])
        with pytest.raises(WriteRefused, match="full"):
            await storage.append("a", 1, [record(number, text="x" * 4000) for number in range(1, 50)])
        stored = await storage.load("a")
        assert stored is not None
        assert len(stored.records) == 1

    async def go_on(storage: SqliteStorage) -> None:
        await storage.load("a")
        await storage.append("a", 1, [record(1)])

    async def run() -> None:
        for limit, act in ((40_000, fill), (None, go_on)):
            storage = SqliteStorage(tmp_path / "log.db", max_bytes=limit)
            await act(storage)
            await storage.close()

    asyncio.run(run())


def test_calls_after_close_are_refused_and_close_may_be_repeated(tmp_path: Path) -> None:
    async def run() -> None:
        storage = SqliteStorage(tmp_path / "log.db")
        waiting = asyncio.ensure_future(storage.start("a", {}))
        await asyncio.sleep(0)
        await asyncio.gather(storage.close(), storage.close())
        await waiting
        with pytest.raises(StorageError, match="is closed"):
            await storage.load("a")
        assert sorted(entry.name for entry in tmp_path.iterdir()) == ["log.db"]

    asyncio.run(run())


def test_a_cancelled_caller_does_not_undo_or_block_the_write(tmp_path: Path) -> None:
    async def act(storage: SqliteStorage) -> None:
        task = asyncio.ensure_future(storage.start("a", {}))
        await asyncio.sleep(0)
        assert storage.pending == 1
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert await storage.has("a")

    using(tmp_path / "log.db", act)
