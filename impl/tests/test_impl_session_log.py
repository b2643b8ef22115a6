"""The Session log, Durability and kernel scenarios, by hand from the catalogue."""

import asyncio
import gc
from collections.abc import Sequence
from typing import Any

import pytest

from lifecycle_runtime.agent import Agent
from lifecycle_runtime.context import Context
from lifecycle_runtime.errors import (
    AlreadyAnnounced,
    AlreadyEntered,
    Busy,
    DuplicateId,
    InactiveOwner,
    InvalidValue,
    NotLive,
    ReentrantAppend,
)
from lifecycle_runtime.events import SessionEvent, SessionFlush, SessionValidate
from lifecycle_runtime.fibers import Fiber
from lifecycle_runtime.handle import AgentSpec
from lifecycle_runtime.persistence import provide_persistence
from lifecycle_runtime.ports import StoredLog
from lifecycle_runtime.session import Session
from lifecycle_runtime.storage_memory import MemoryStorage
from lifecycle_runtime.store import SessionStore
from lifecycle_runtime.testing.stage import Stage, log_of, staged
from lifecycle_runtime.values import JsonObject


def boom() -> None:
    """Fail."""
    raise RuntimeError("boom")


async def boom_later() -> None:
    """Fail asynchronously."""
    raise RuntimeError("later")


@staged(agent=False)
async def test_ve01_failing_observers(s: Stage) -> None:
    session = s.runtime.sessions.create(s.root, "x").value
    s.react("note", boom)
    s.react("note", boom_later)
    heard: list[int] = []
    s.root.on(SessionEvent, lambda e: heard.append(e.seq))
    record = session.append("note", {"n": 1})
    assert (record.seq, heard, len(session)) == (0, [0], 1)
    await s.quiet()
    assert s.contained == ["session/event"]


@staged(agent=False)
async def test_ve02_validation_veto_then_retry(s: Stage) -> None:
    session = s.runtime.sessions.create(s.root, "x").value
    s.vetoes.append("note")
    with pytest.raises(ValueError, match="vetoed"):
        session.append("note")
    assert s.only("note") == ""
    assert session.append("note").seq == 0


@staged(agent=False)
async def test_ve04_detach_inside_append(s: Stage) -> None:
    store = s.runtime.sessions
    entry = store.create(s.root, "x")
    live: list[bool] = []
    s.react("note", lambda: store.detach(entry))
    s.root.on(SessionEvent, lambda _: live.append(store.get("x") is entry.value))
    entry.value.append("note")
    assert live == [True]
    s.expect("note s-")
    assert store.get("x") is None


@staged(agent=False)
async def test_ve06_announce_again(s: Stage) -> None:
    store = s.runtime.sessions
    entry = store.enter(store.prepare("x"))
    caught: list[Exception] = []

    def again() -> None:
        try:
            store.announce(entry)
        except AlreadyAnnounced as error:
            caught.append(error)

    s.react("s+", again)
    store.announce(entry)
    again()
    store.detach(entry)
    store.detach(entry)
    assert len(caught) == 2
    assert s.tokens() == ["s+", "s-"]


@staged(agent=False)
async def test_ve07_stale_enter(s: Stage) -> None:
    store = s.runtime.sessions
    first, second = store.prepare("x"), store.prepare("x")
    live = store.enter(first)
    with pytest.raises(DuplicateId):
        store.enter(second)
    with pytest.raises(AlreadyEntered):
        SessionStore(s.runtime.bus).enter(first)
    assert store.get("x") is first
    store.detach(live)


@staged(agent=False)
async def test_ve09_detach_before_announce(s: Stage) -> None:
    store = s.runtime.sessions
    entry = store.enter(store.prepare("x"))
    store.detach(entry)
    with pytest.raises(NotLive):
        store.announce(entry)
    assert s.tokens() == []


@staged(agent=False)
async def test_ve10_failing_disposed_listeners(s: Stage) -> None:
    store = s.runtime.sessions
    entry = store.create(s.root, "x")
    s.react("s-", boom)
    heard: list[str] = []
    s.react("s-", lambda: heard.append("second"))
    store.detach(entry)
    assert heard == ["second"] or s.contained == ["session/disposed"]
    assert store.get("x") is None


@staged(agent=False)
async def test_ve12_append_after_detach(s: Stage) -> None:
    store = s.runtime.sessions
    entry = store.create(s.root, "x")
    store.detach(entry)
    entry.value.append("note")
    assert len(entry.value) == 1
    s.expect("s+ s-", never="note")


@staged(agent=False)
async def test_ve13_flush_failures(s: Stage) -> None:
    session = s.runtime.sessions.create(s.root, "x").value
    s.hold("flush")
    late = ValueError("first registered, fails later")

    def fail_now(event: SessionFlush) -> None:
        raise ValueError("second registered, fails now")

    s.root.on(SessionFlush, fail_now)
    flushed = s.runtime.sessions.flush(session)
    await s.quiet()
    assert not flushed.done()
    await s.release("flush", late)
    assert flushed.exception() is late
    s.expect("FL FL.")


@staged(agent=False)
async def test_ve14_flush_when_not_live(s: Stage) -> None:
    store = s.runtime.sessions
    session = store.prepare("x")
    with pytest.raises(NotLive):
        store.flush(session)
    store.detach(store.enter(session))
    with pytest.raises(NotLive):
        store.flush(session)
    with pytest.raises(NotLive):
        store.append_out_of_band(session, "note")
    assert s.tokens() == []


@staged(agent=False)
async def test_ve15_out_of_band_no_turn_open(s: Stage) -> None:
    store = s.runtime.sessions
    entry = store.create(s.root, "x")
    s.hold("flush")
    s.react("TS", lambda: store.detach(entry))
    written = store.append_out_of_band(entry.value, "note")
    await s.quiet()
    s.expect("TS(1,plugin) note TE(1,completed) FL", never="s-")
    with pytest.raises(Busy):
        store.append_out_of_band(entry.value, "note")
    await s.release("flush")
    s.expect("FL. ; s-")
    assert written.result().seq == 1


@staged(agent=False)
async def test_ve17_out_of_band_record_rejected(s: Stage) -> None:
    store = s.runtime.sessions
    session = store.create(s.root, "x").value
    s.vetoes.append("note")
    s.gates.answer("flush", ValueError("disk full"))
    written = store.append_out_of_band(session, "note")
    await s.quiet()
    s.expect("TS(1,plugin) TE(1,completed) FL FL.", never="note")
    assert "vetoed" in str(written.exception())
    s.vetoes.append("turn/start")
    with pytest.raises(ValueError, match="vetoed"):
        store.append_out_of_band(session, "note")
    assert len(session) == 2


@staged()
async def test_out_of_band_inside_an_open_turn(s: Stage) -> None:
    s.hold("model")
    s.send("A")
    await s.quiet()
    written = s.runtime.sessions.append_out_of_band(s.agent.session, "note")
    assert written.done()
    s.expect("SS(1) note", never="TS(1,plugin)")


@staged(agent=False)
async def test_ve18_owner_unload_inside_session_created(s: Stage) -> None:
    owner = s.root.fork("f1")
    unloads: list[asyncio.Future[None]] = []
    s.react("s+", lambda: unloads.append(owner.unload()))
    s.runtime.sessions.create(owner, "x")
    s.expect("s+ s-")
    await s.quiet()
    assert unloads[0].done()
    assert s.runtime.sessions.get("x") is None


@staged(agent=False)
async def test_a_vetoed_direct_session_is_gone(s: Stage) -> None:
    s.react("s+", boom)
    with pytest.raises(RuntimeError):
        s.runtime.sessions.create(s.root, "x")
    assert s.tokens() == ["s+", "s-"]
    await s.quiet()
    assert "session x" not in s.root.fiber.records


@staged(agent=False)
async def test_the_log_refuses_what_cannot_follow(s: Stage) -> None:
    session = s.runtime.sessions.create(s.root, "x").value
    for kind, data in (
        ("turn/end", {"turn": 1, "reason": "completed"}),
        ("step/start", {"turn": 1, "step": 1}),
        ("turn/start", {}),
        ("note", {"x": {1}}),
        ("note", {"type": "other"}),
        ("", {}),
    ):
        with pytest.raises(InvalidValue):
            session.append(kind, data)
    session.append("turn/start", {"turn": 4, "trigger": "plugin"})
    for kind, data in (
        ("turn/start", {"turn": 5}),
        ("step/end", {"turn": 4, "step": 1}),
        ("turn/end", {"turn": 3}),
    ):
        with pytest.raises(InvalidValue):
            session.append(kind, data)
    session.append("step/start", {"turn": 4, "step": 1})
    with pytest.raises(InvalidValue):
        session.append("turn/end", {"turn": 4, "reason": "completed"})
    assert (session.open_turn, session.open_step, session.next_turn) == (4, 1, 5)


@staged(agent=False)
async def test_validators_cannot_append_either(s: Stage) -> None:
    session = s.runtime.sessions.create(s.root, "x").value
    s.root.on(SessionValidate, lambda _: session.append("nested"))
    with pytest.raises(ReentrantAppend):
        session.append("note")
    assert len(session) == 0


# --- durability ---

OPEN_TAIL: list[JsonObject] = [
    {"type": "turn/start", "turn": 1, "trigger": "message"},
    {"type": "turn/end", "turn": 1, "reason": "completed"},
    {"type": "turn/start", "turn": 2, "trigger": "message"},
    {"type": "user/message", "id": "A", "content": "A", "source": "user"},
    {"type": "step/start", "turn": 2, "step": 1},
]


async def store_log(s: Stage, records: Sequence[JsonObject]) -> None:
    await s.storage.start("x", {})
    await s.storage.append("x", 0, records)


async def stored(s: Stage) -> list[str]:
    log = await s.storage.load("x")
    assert log is not None
    return [str(record["type"]) for record in log.records]


@staged(agent=False, persistence=True)
async def test_vd01_vd02_crash_repair_and_numbering(s: Stage) -> None:
    await store_log(s, OPEN_TAIL)
    assert s.persistence is not None
    for _ in range(2):
        session = await s.persistence.load("x")
        assert log_of(session.records)[-2:] == ["step/end", "turn/end"]
        assert dict(session.records[-1].data) == {"turn": 2, "reason": "interrupted"}
        assert len(await stored(s)) == 7
    await s.resume()
    s.send("B")
    await s.quiet()
    s.expect("TS(3)")


@staged(persistence=True)
async def test_vd03_successor_after_dispose(s: Stage) -> None:
    s.hold("model")
    s.send("A")
    await s.quiet()
    resumed: list[asyncio.Future[Any]] = []
    s.react("s-", lambda: resumed.append(s.runtime.agents.resume(s.root, AgentSpec("x"))))
    s.dispose()
    s.gates.open("model")
    await s.quiet()
    agent = s.keep(await resumed[0])
    assert dict(agent.session.records[-1].data) == {"turn": 1, "reason": "disposed"}


@staged(persistence=True)
async def test_vd04_failed_turn_flush(s: Stage) -> None:
    s.gates.answer("flush", ValueError("disk full"))
    s.send("A")
    s.send("B")
    await s.quiet()
    s.expect("TE(1,completed) FL FL. err(1,1) deq(B) TS(2)")
    assert s.only("err") == "err(1,1)"


@staged(persistence=True)
async def test_vd05_create_over_a_stored_id(s: Stage) -> None:
    s.send("A")
    await s.quiet()
    s.dispose()
    await s.quiet()
    s.forget()
    await s.create()
    s.send("B")
    await s.quiet()
    s.expect("TS(1) UM(B)")
    s.dispose()
    await s.quiet()
    agent = await s.resume()
    users = [record.data["id"] for record in agent.session.records if record.type == "user/message"]
    assert users == ["B"]
    assert s.persistence is not None
    (former,) = await s.persistence.aside("x")
    assert [record["id"] for record in former.records if record["type"] == "user/message"] == ["A"]


@staged(agent=False, persistence=True)
async def test_vd06_repair_inside_a_tool_batch(s: Stage) -> None:
    calls = tuple[JsonObject, ...]([{"id": "c1", "name": "tool"}, {"id": "c2", "name": "tool"}])
    message: JsonObject = {"type": "assistant/message", "id": "am2.1", "content": "", "calls": calls}
    call: JsonObject = {"type": "tool/call", "id": "c1", "turn": 2, "step": 1, "call": 1}
    await store_log(s, [*OPEN_TAIL, message, call])
    assert s.persistence is not None
    for _ in range(2):
        session = await s.persistence.load("x")
        assert log_of(session.records)[7:] == ["tool/result", "tool/call", "tool/result", "step/end", "turn/end"]
        results = [record.data for record in session.records if record.type == "tool/result"]
        assert [(data["id"], data["error"]) for data in results] == [("c1", True), ("c2", True)]


@staged(persistence=True)
async def test_a_live_id_is_not_loaded(s: Stage) -> None:
    s.hold("model")
    s.send("A")
    await s.quiet()
    assert s.persistence is not None
    with pytest.raises(DuplicateId):
        await s.persistence.load("x")


class HungStorage(MemoryStorage):
    """Hangs in its first load."""

    def __init__(self) -> None:
        super().__init__()
        self.hung: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def load(self, session_id: str) -> StoredLog | None:
        if not self.hung.done():
            await self.hung
        return await super().load(session_id)


@staged(agent=False)
async def test_a_deactivated_load_holds_up_nothing(s: Stage) -> None:
    s.storage = hung = HungStorage()
    await store_log(s, OPEN_TAIL)
    provide_persistence(s.root, hung)
    owner = s.root.fork("f1")
    future = s.runtime.agents.resume(owner, AgentSpec("x"))
    await s.quiet()
    owner.unload()
    await s.quiet()
    assert isinstance(future.exception(), InactiveOwner)
    await s.create()
    s.send("A")
    await s.quiet()
    hung.hung.set_result(None)
    await s.quiet()
    assert (await stored(s))[:2] == ["turn/start", "user/message"]
    (former,) = await s.storage.aside("x")
    assert len(former.records) == len(OPEN_TAIL)


@staged(persistence=True)
async def test_d5_a_persistence_loaded_later_does_not_repair_what_is_live(s: Stage) -> None:
    s.send("A")
    await s.quiet()
    s.hold("model")
    s.send("B")
    await s.quiet()
    flushed = s.runtime.sessions.flush(s.agent.session)
    await s.quiet()
    assert flushed.exception() is None
    assert s.persistence is not None
    s.persistence.unload()
    await s.quiet()
    again = provide_persistence(s.root, s.storage)
    before = await stored(s)
    assert before[-1] == "step/start", "the stored log is open, as that of a process that was killed would be"
    with pytest.raises(DuplicateId):
        await again.load("x")
    with pytest.raises(DuplicateId):
        await s.resume()
    assert await stored(s) == before
    await s.release("model")


# --- kernel ---


@staged(agent=False)
async def test_siblings_unwind_concurrently_and_steps_last_first(s: Stage) -> None:
    owner = s.root.fork("f1")
    order: list[str] = []
    s.hold("one", "two")
    owner.effect(lambda: order.append("outer"), lambda: s.gates.enter("one"), boom)
    owner.effect(lambda: s.gates.enter("two"))
    child = owner.fork("child")
    child.effect(lambda: order.append("child"))
    unloaded = owner.unload()
    assert not child.active
    with pytest.raises(InactiveOwner):
        child.effect(lambda: None)
    await s.quiet()
    assert s.gates.waits("one")
    assert s.gates.waits("two")
    s.gates.open_all()
    await s.quiet()
    assert order == ["child", "outer"]
    assert unloaded.done()
    assert owner.fiber.records == ()
    assert "fiber f1" not in s.root.fiber.records


@staged(agent=False)
async def test_a_session_is_nothing_but_its_records(s: Stage) -> None:
    session = Session("alone", {"cwd": "/tmp"}, [{"type": "note", "n": 1}])
    session.append("note", {"n": 2})
    assert [record.json() for record in session.records] == [{"type": "note", "n": 1}, {"type": "note", "n": 2}]
    assert isinstance(s.root, Context)


@staged(agent=False, persistence=True)
async def test_a_long_lived_runtime_keeps_nothing_of_who_has_gone(s: Stage) -> None:
    """Measured in objects, because no public list shows what is merely not collected."""

    async def life(number: int) -> None:
        owner = s.root.fork(f"connection {number}")
        handle = await s.runtime.agents.create(owner, AgentSpec(f"a{number}"))
        handle.agent.send("hello")
        await s.quiet()
        await handle.dispose()
        await owner.unload()

    def kept() -> int:
        gc.collect()
        return sum(type(found) in (Fiber, Agent, asyncio.Lock) for found in gc.get_objects())

    await life(0)
    before = kept()
    for number in range(1, 6):
        await life(number)
    assert kept() == before
