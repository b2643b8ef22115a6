"""Agents on the SQLite store: what a flush promises, what a load repairs, and what failing storage leaves (D)."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from lifecycle_runtime.errors import DuplicateId
from lifecycle_runtime.events import AgentError
from lifecycle_runtime.handle import AgentSpec
from lifecycle_runtime.models import Reply, ScriptedModel
from lifecycle_runtime.persistence import PERSISTENCE, provide_persistence
from lifecycle_runtime.ports import TextChunk, ToolCall, ToolInvocation, ToolResult
from lifecycle_runtime.provider import AgentProvider, ProviderOptions
from lifecycle_runtime.runtime import Runtime
from lifecycle_runtime.session import TURN_END
from lifecycle_runtime.sqlite_file import WriteRefused
from lifecycle_runtime.storage_sqlite import SqliteStorage
from lifecycle_runtime.values import JsonObject, freeze_object


class Wait:
    """A tool in which the process dies."""

    name = "wait"
    description = "waits"

    @property
    def parameters(self) -> JsonObject:
        return freeze_object({"type": "object"})

    async def call(self, invocation: ToolInvocation) -> ToolResult:
        os.kill(os.getpid(), signal.SIGKILL)
        return ToolResult()


async def host(path: Path, script: list[Reply], *, max_bytes: int | None = None) -> tuple[Runtime, SqliteStorage]:
    runtime, storage = Runtime(), SqliteStorage(path, max_bytes=max_bytes)
    provide_persistence(runtime.root, storage)
    runtime.tools.register(runtime.root, Wait())
    AgentProvider(runtime.root, ProviderOptions(model=ScriptedModel(script)))
    return runtime, storage


def in_process(path: Path, script: list[Reply], act: Callable[[Runtime, SqliteStorage], Awaitable[None]]) -> None:
    async def run() -> None:
        runtime, storage = await host(path, script)
        await act(runtime, storage)
        await runtime.unload()
        await storage.close()

    asyncio.run(run())


async def turn(runtime: Runtime, name: str, *, resume: bool = False) -> list[str]:
    """Open an agent, run one turn, dispose it; give its log."""
    opening = runtime.agents.resume if resume else runtime.agents.create
    handle = await opening(runtime.root, AgentSpec(id=name))
    handle.agent.send("go")
    await handle.agent.when_idle()
    await handle.dispose()
    return [record.type for record in handle.agent.session.records]


def test_a_log_that_ends_inside_a_tool_call_is_closed_once_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    child = os.fork()
    if child == 0:  # a writer that dies in its second turn, inside the tool, with everything before it flushed
        calls: Reply = [ToolCall("c1", "wait", {}), ToolCall("c2", "wait", {})]

        async def die(runtime: Runtime, _: SqliteStorage) -> None:
            handle = await runtime.agents.create(runtime.root, AgentSpec(id="x"))

            for number in range(2):
                handle.agent.send(f"turn {number}")
                await handle.agent.when_idle()

        try:
            in_process(path, [[TextChunk("first")], calls], die)
        finally:
            os._exit(70)
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL

    async def after(runtime: Runtime, storage: SqliteStorage) -> None:
        stored = await storage.load("x")
        assert stored is not None
        flushed = len(stored.records)
        assert stored.records[-1]["type"] == TURN_END
        # the second turn was never flushed; write its beginning, as a flush in the middle would have
        records: list[JsonObject] = [
            {"type": "turn/start", "turn": 2, "trigger": "message"},
            {"type": "user/message", "id": "m2", "content": "turn 1", "source": "user"},
            {"type": "step/start", "turn": 2, "step": 1},
            {
                "type": "assistant/message",
                "id": "am2.1",
                "turn": 2,
                "step": 1,
                "content": "",
                "finish": "stop",
                "calls": [{"id": "c1", "name": "wait", "arguments": {}}, {"id": "c2", "name": "wait", "arguments": {}}],
            },
            {"type": "tool/call", "id": "c1", "turn": 2, "step": 1, "call": 1, "name": "wait", "arguments": {}},
        ]
        await storage.append("x", flushed, records)
        for _ in range(2):
            handle = await runtime.agents.resume(runtime.root, AgentSpec(id="x"))
            log = handle.agent.session.records
            closers = [record.type for record in log[flushed + len(records) :]]
            assert closers == ["tool/result", "tool/call", "tool/result", "step/end", "turn/end"]
            assert log[-1].data["reason"] == "interrupted"
            with pytest.raises(DuplicateId):
                await runtime.root.service(PERSISTENCE).begin_load("x").session()
            await handle.dispose()
        assert (await turn(runtime, "x", resume=True))[-1] == TURN_END
        again = await storage.load("x")
        assert again is not None
        assert [record["turn"] for record in again.records if record["type"] == "turn/start"] == [1, 2, 3]

    in_process(path, [], after)


def test_a_create_over_a_stored_id_keeps_the_former_log_aside(tmp_path: Path) -> None:
    async def act(runtime: Runtime, storage: SqliteStorage) -> None:
        first = await turn(runtime, "x")
        second = await turn(runtime, "x")
        assert first == second
        third = await turn(runtime, "x", resume=True)
        assert len(third) == 2 * len(second)
        (former,) = await storage.aside("x")
        newest = await storage.load("x")
        assert newest is not None
        assert (len(former.records), len(newest.records)) == (len(first), len(third))

    in_process(tmp_path / "log.db", [], act)


def test_a_full_store_fails_the_flush_and_the_next_one_catches_up(tmp_path: Path) -> None:
    path = tmp_path / "log.db"

    async def run() -> None:
        runtime, storage = await host(path, [[TextChunk("x" * 60_000)]], max_bytes=60_000)
        errors: list[BaseException] = []
        runtime.root.on(AgentError, lambda event: errors.append(event.error))
        handle = await runtime.agents.create(runtime.root, AgentSpec(id="x"))
        handle.agent.send("go")
        await handle.agent.when_idle()
        assert isinstance(errors[0], WriteRefused)
        assert "full" in str(errors[0])
        assert str(path) in str(errors[0])
        assert handle.agent.status == "idle"
        stored = await storage.load("x")
        assert stored is not None
        assert stored.records == ()
        await handle.dispose()
        await runtime.unload()
        await storage.close()
        # there is room again: the log goes on where it stood
        runtime, storage = await host(path, [])
        assert len(await turn(runtime, "x", resume=True)) > 0
        await runtime.unload()
        await storage.close()

    asyncio.run(run())


def test_many_agents_flushing_at_once_are_all_stored(tmp_path: Path) -> None:
    async def act(runtime: Runtime, storage: SqliteStorage) -> None:
        names = [f"a{number}" for number in range(200)]
        logs = await asyncio.gather(*(turn(runtime, name) for name in names))
        for name, log in zip(names, logs, strict=True):
            stored = await storage.load(name)
            assert stored is not None
            assert [record["type"] for record in stored.records] == log

    in_process(tmp_path / "log.db", [], act)
