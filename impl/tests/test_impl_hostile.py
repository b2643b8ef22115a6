"""Hostile input to the runtime itself: what is no JSON, ids of every kind, tools that misbehave. The wire's is beside."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from lifecycle_runtime.agent import Agent
from lifecycle_runtime.errors import InvalidMessage, InvalidValue
from lifecycle_runtime.handle import AgentSpec
from lifecycle_runtime.persistence import provide_persistence
from lifecycle_runtime.ports import (
    Finish,
    ModelEvent,
    ModelRequest,
    TextChunk,
    ToolCall,
    ToolInvocation,
    ToolResult,
)
from lifecycle_runtime.provider import AgentProvider, ProviderOptions
from lifecycle_runtime.runtime import Runtime
from lifecycle_runtime.session import TOOL_RESULT, TURN_END
from lifecycle_runtime.signals import Signal
from lifecycle_runtime.storage_sqlite import SqliteStorage
from lifecycle_runtime.testing.stage import Stage, staged
from lifecycle_runtime.values import MAX_DEPTH, JsonObject, freeze


def nested(levels: int, inner: Any = "end") -> Any:
    """A value inside so many arrays and objects."""
    for level in range(levels):
        inner = [inner] if level % 2 else {"in": inner}
    return inner


def looped() -> list[Any]:
    """A list that contains itself."""
    value: list[Any] = []
    value.append(value)
    return value


class Text(str):
    """A string that is not quite one."""


NO_JSON: dict[str, tuple[Any, str]] = {
    "nan": (float("nan"), "which JSON cannot carry"),
    "infinite": ([1.0, float("-inf")], r"\[1\] is -inf"),
    "bytes": (b"x", "is a bytes"),
    "set": ({"a": {1}}, r"\.a is a set"),
    "object": (object(), "is a object"),
    "function": ([print], "which JSON cannot give back"),
    "subclass": (Text("x"), "is a Text"),
    "key": ({1: "x"}, "has the key 1"),
    "no key": ({None: "x"}, "has the key None"),
    "surrogate": ("\ud800", "lone surrogate"),
    "surrogate key": ({"\udfff": 1}, "lone surrogate"),
    "itself": (looped(), "contains itself"),
    "deep": (nested(MAX_DEPTH + 10), f"deeper than {MAX_DEPTH} levels"),
    "bottomless": (nested(200_000), f"deeper than {MAX_DEPTH} levels"),
    "digits": (10**5_000, "pass it as text"),
}


@pytest.mark.parametrize("name", NO_JSON)
def test_what_is_no_message_is_refused_and_leaves_nothing(name: str) -> None:
    value, says = NO_JSON[name]

    @staged()
    async def test(s: Stage) -> None:
        for verb in (s.agent.send, s.agent.steer, s.agent.inject):
            with pytest.raises(InvalidMessage, match=says) as caught:
                verb(value)
            assert len(str(caught.value)) < 500
        with pytest.raises(InvalidValue):
            s.agent.session.append("note", {"value": value})
        await s.quiet()
        assert s.tokens() == []
        assert len(s.agent.session) == 0
        s.send("A")
        await s.quiet()
        s.expect("enq(A) TE(1,completed)")

    test()


def test_the_deepest_message_is_accepted_logged_and_given_back() -> None:
    @staged()
    async def test(s: Stage) -> None:
        with pytest.raises(InvalidMessage, match="deeper than"):
            s.agent.send(nested(MAX_DEPTH + 1))
        s.agent.send(nested(MAX_DEPTH))
        await s.quiet()
        s.expect("TE(1,completed)")
        json.dumps([record.json() for record in s.agent.session.records])

    test()
    assert freeze(freeze(nested(MAX_DEPTH))) == freeze(nested(MAX_DEPTH))


# real ones: a runtime on SQLite, a model that calls whatever it is told to, a tool that does what it likes


class Caller:
    """A model that calls the tool `odd` once a turn, with the message as arguments."""

    async def stream(self, request: ModelRequest, signal: Signal) -> AsyncIterator[ModelEvent]:
        last = request.messages[-1]
        if last.role == "user":
            yield ToolCall(f"c{request.turn}", "odd", last.content)
        else:
            yield TextChunk("seen")
        yield Finish()


class Odd:
    """A tool of any conduct."""

    name = "odd"
    description = "does what a test says"

    def __init__(self) -> None:
        self.parameters: JsonObject = {"type": "object"}
        self.conduct: Callable[[ToolInvocation], Awaitable[Any]] | None = None

    async def call(self, invocation: ToolInvocation) -> ToolResult:
        assert self.conduct is not None
        result: ToolResult = await self.conduct(invocation)
        return result


class Host:
    """A runtime with the two."""

    def __init__(self, store: Path) -> None:
        self.runtime = Runtime()
        self.storage = SqliteStorage(store)
        self.tool = Odd()
        provide_persistence(self.runtime.root, self.storage)
        self.runtime.tools.register(self.runtime.root, self.tool)
        AgentProvider(self.runtime.root, ProviderOptions(model=Caller()))

    async def turn(self, agent: Agent, content: Any = "go") -> str:
        """Run one turn; give how it ended."""
        agent.send(content)
        await agent.when_idle()
        return str(next(r for r in reversed(agent.session.records) if r.type == TURN_END).data["reason"])


def hosted(tmp_path: Path, act: Callable[[Host], Awaitable[None]]) -> None:
    """Act on a runtime, then unload it within seconds."""

    async def run() -> None:
        host = Host(tmp_path / "log.db")
        await act(host)
        async with asyncio.timeout(20):
            await host.runtime.unload()
        await host.storage.close()
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(run())


def result_of(agent: Agent) -> JsonObject:
    return next(record for record in reversed(agent.session.records) if record.type == TOOL_RESULT).data


IDS = ["../../etc/passwd", "/", "a\0b", "x" * 10_000, "é", "e\u0301", "\u202etxt", "\u200b", "' or 1=1 --", "😀", " "]


def test_any_well_formed_text_is_an_id_of_its_own_from_creation_to_resume(tmp_path: Path) -> None:
    async def nothing(invocation: ToolInvocation) -> ToolResult:
        return ToolResult("ok")

    async def act(host: Host) -> None:
        agents, root = host.runtime.agents, host.runtime.root
        host.tool.conduct = nothing
        handles = [await agents.create(root, AgentSpec(id)) for id in IDS]
        for handle in handles:
            assert await host.turn(handle.agent, handle.agent.id) == "completed"
        assert {agent.id for agent in agents.list()} == set(IDS)
        await asyncio.gather(*(handle.dispose() for handle in handles))
        for id in IDS:
            resumed = (await agents.resume(root, AgentSpec(id))).agent
            assert resumed.id == id
            assert resumed.session.records[1].data["content"] == id
        for wrong in ("", "\ud800"):
            with pytest.raises(InvalidValue):
                await agents.create(root, AgentSpec(wrong))
            with pytest.raises(InvalidValue):
                await agents.resume(root, AgentSpec(wrong))
        assert len(agents.list()) == len(IDS)

    hosted(tmp_path, act)
    assert {entry.name for entry in tmp_path.iterdir()} == {"log.db"}


def test_a_tool_that_never_returns_keeps_its_own_turn_only(tmp_path: Path) -> None:
    async def act(host: Host) -> None:
        never = asyncio.Event()

        async def conduct(invocation: ToolInvocation) -> ToolResult:
            if invocation.agent.id == "stuck":
                await never.wait()
            return ToolResult("ok")

        host.tool.conduct = conduct
        root = host.runtime.root
        stuck = await host.runtime.agents.create(root, AgentSpec("stuck"))
        other = await host.runtime.agents.create(root, AgentSpec("other"))
        stuck.agent.send("go")
        assert await host.turn(other.agent) == "completed"
        stuck.agent.cancel()
        disposal = stuck.dispose()
        assert await host.turn(other.agent) == "completed"
        await other.dispose()
        # it is awaited, not abandoned (C16): nothing of it is gone before it ends
        assert not disposal.done()
        assert [agent.id for agent in host.runtime.agents.list()] == ["stuck"]
        never.set()
        await disposal
        assert stuck.agent.session.records[-1].data["reason"] == "disposed"

    hosted(tmp_path, act)


def test_a_result_of_50_megabytes_is_logged_stored_and_given_back(tmp_path: Path) -> None:
    async def act(host: Host) -> None:
        async def conduct(invocation: ToolInvocation) -> ToolResult:
            return ToolResult("x" * 50_000_000)

        host.tool.conduct = conduct
        root = host.runtime.root
        handle = await host.runtime.agents.create(root, AgentSpec("x"))
        assert await host.turn(handle.agent) == "completed"
        await handle.dispose()
        resumed = await host.runtime.agents.resume(root, AgentSpec("x"))
        content = result_of(resumed.agent)["content"]
        assert isinstance(content, str)
        assert len(content) == 50_000_000

    hosted(tmp_path, act)


class Unspeakable(Exception):
    """Cannot be put into words."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


def returning(value: Any) -> Callable[[ToolInvocation], Awaitable[Any]]:
    async def conduct(invocation: ToolInvocation) -> Any:
        return value

    return conduct


def raising(error: BaseException) -> Callable[[ToolInvocation], Awaitable[Any]]:
    async def conduct(invocation: ToolInvocation) -> Any:
        raise error

    return conduct


@pytest.mark.parametrize(
    ("conduct", "says"),
    [
        (returning(None), "unusable result"),
        (returning(ToolResult(object())), "unusable result"),  # type: ignore[arg-type] # pyright: ignore - on purpose
        (returning(ToolResult(float("nan"))), "unusable result"),
        (returning(ToolResult(nested(100_000))), "deeper than"),
        (returning(ToolResult("\ud800")), "lone surrogate"),
        (raising(ValueError("broken \ud800")), "lone surrogate"),
        (raising(Unspeakable()), "Unspeakable"),
        (raising(asyncio.CancelledError()), "cancelled itself"),
        (raising(RecursionError("deep")), "RecursionError: deep"),
    ],
    ids=["none", "object", "nan", "deep", "surrogate", "words", "unspeakable", "cancelled", "recursion"],
)
def test_a_tool_that_misbehaves_gives_an_error_result_and_the_turn_goes_on(
    tmp_path: Path, conduct: Callable[[ToolInvocation], Awaitable[Any]], says: str
) -> None:
    async def act(host: Host) -> None:
        host.tool.conduct = conduct
        handle = await host.runtime.agents.create(host.runtime.root, AgentSpec("x"))
        assert await host.turn(handle.agent) == "completed"
        result = result_of(handle.agent)
        assert result["error"] is True
        assert says in str(result["content"])

    hosted(tmp_path, act)


def test_a_model_that_says_what_no_log_can_hold_fails_its_turn_only(tmp_path: Path) -> None:
    async def act(host: Host) -> None:
        host.tool.conduct = returning(ToolResult("ok"))
        root = host.runtime.root
        spoken: list[list[Any]] = [
            [TextChunk("\ud800")],
            [ToolCall("c", "odd", nested(100_000))],
            [ToolCall("c", "odd", float("inf"))],
        ]

        class Spoken:
            def __init__(self, said: list[Any]) -> None:
                self.said = said

            async def stream(self, request: ModelRequest, signal: Signal) -> AsyncIterator[ModelEvent]:
                for event in self.said if request.turn == 1 else [TextChunk("fine")]:
                    yield event

        for number, said in enumerate(spoken):
            spec = AgentSpec(f"a{number}", model=Spoken(said))
            handle = await host.runtime.agents.create(root, spec)
            assert await host.turn(handle.agent) == "error"
            assert await host.turn(handle.agent) == "completed"

    hosted(tmp_path, act)
