"""The models: the script, the demo, and the wire of an OpenAI-compatible endpoint."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import pytest

from lifecycle_runtime.model_openai import OpenAIModel
from lifecycle_runtime.models import (
    Fail,
    ModelError,
    Pause,
    ScriptedModel,
    choose_model,
    demo_reply,
    read_script,
    text_of,
)
from lifecycle_runtime.ports import (
    Finish,
    Model,
    ModelEvent,
    ModelMessage,
    ModelRequest,
    TextChunk,
    ToolCall,
    ToolInvocation,
    ToolResult,
)
from lifecycle_runtime.signals import AbortController, Signal
from lifecycle_runtime.values import JsonObject, JsonValue, freeze

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from lifecycle_runtime.agent import Agent


class Bash:
    """A tool that is only offered."""

    name = "bash"
    description = "run a command"
    parameters: JsonObject = MappingProxyType({"type": "object"})

    async def call(self, invocation: ToolInvocation) -> ToolResult:
        return ToolResult("")


def request(*messages: ModelMessage, prefix: object = None) -> ModelRequest:
    nobody = cast("Agent", None)
    return ModelRequest(nobody, 1, 1, prefix, None, messages, (Bash(),))


def user(content: JsonValue) -> ModelMessage:
    return ModelMessage("user", "m1", freeze(content))


async def collect(model: Model, asked: ModelRequest, signal: Signal | None = None) -> list[ModelEvent]:
    stream = cast("AsyncGenerator[ModelEvent]", model.stream(asked, signal or Signal()))
    async with aclosing(stream):
        return [event async for event in stream]


def test_a_script_is_played_in_order_and_then_its_end() -> None:
    async def run() -> None:
        model = ScriptedModel([[TextChunk("a"), Finish("max_tokens")], [Fail("no more")]], after=[TextChunk("z")])
        assert await collect(model, request(user("x"))) == [TextChunk("a"), Finish("max_tokens")]
        with pytest.raises(ModelError, match="no more"):
            await collect(model, request(user("x")))
        assert await collect(model, request(user("x"))) == [TextChunk("z")]
        assert len(model.requests) == 3

    asyncio.run(run())


def test_a_pause_ends_at_the_abort() -> None:
    async def run() -> None:
        controller = AbortController()
        model = ScriptedModel([[TextChunk("a"), Pause(3600), TextChunk("b")]])
        asyncio.get_running_loop().call_later(0.05, controller.abort, "stop")
        async with asyncio.timeout(5):
            assert await collect(model, request(user("x")), controller) == [TextChunk("a")]

    asyncio.run(run())


@pytest.mark.parametrize(
    ("words", "reply"),
    [
        ("hello", [TextChunk("You said: "), TextChunk("hello")]),
        ("run ls -l", [TextChunk("Running it.\n"), ToolCall("call-1-1", "bash", {"command": "ls -l"})]),
        ("fail", [Fail("the demo model was asked to fail")]),
    ],
)
def test_the_demo_does_as_told(words: str, reply: list[ModelEvent]) -> None:
    assert list(demo_reply(request(user([{"type": "text", "text": words}])))) == reply


def test_the_demo_shows_what_a_command_gave() -> None:
    shown = demo_reply(request(user("run x"), ModelMessage("tool", "tr1.1.1", "42", call_id="c")))
    assert "".join(event.text for event in shown if isinstance(event, TextChunk)) == "The command gave:\n42"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("a", "a"),
        ([{"type": "text", "text": "a"}, {"type": "resource_link", "uri": "file:///x"}], "a\n[file:///x]"),
        ({"resource": {"uri": "u", "text": "inside"}}, "inside"),
        ({"n": 1}, '{"n": 1}'),
        (None, ""),
        (5, "5"),
    ],
)
def test_any_content_has_a_text(content: JsonValue, text: str) -> None:
    assert text_of(freeze(content)) == text


def test_a_script_file_is_read_and_a_wrong_one_named(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(
        '[[{"text": "a"}, {"call": {"name": "bash", "arguments": {"command": "ls"}}}],'
        ' [{"pause": 1}, {"finish": "stop"}]]'
    )
    assert read_script(path) == [
        [TextChunk("a"), ToolCall("call-1-1", "bash", freeze({"command": "ls"}))],
        [Pause(1), Finish("stop")],
    ]
    for wrong in ("{}", "[[{}]]", '[[{"dance": 1}]]', "[1]", "nonsense", '[[{"call": {}}]]'):
        path.write_text(wrong)
        with pytest.raises(ModelError, match=r"script\.json"):
            read_script(path)


def test_a_model_is_chosen_by_name_and_an_unknown_one_refused(tmp_path: Path) -> None:
    assert isinstance(choose_model("demo", {}), ScriptedModel)
    assert isinstance(choose_model("openai:x", {"OPENAI_BASE_URL": "http://localhost:1/v1"}), OpenAIModel)
    for wrong in ("", "openai", "openai:", "gpt", "script:"):
        with pytest.raises(ModelError, match="use demo, script:FILE"):
            choose_model(wrong, {})
    with pytest.raises(ModelError, match="base URL"):
        choose_model("openai:x", {"OPENAI_BASE_URL": "file:///etc/passwd"})


# --- the wire ---------------------------------------------------------------------------------------


class Endpoint:
    """A loopback server that answers one way and remembers what it was sent."""

    def __init__(self, answer: Callable[[asyncio.StreamWriter], Awaitable[None]]) -> None:
        self.answer = answer
        self.bodies: list[dict[str, Any]] = []
        self.heads: list[str] = []
        self.closed = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            self.heads.append(head)
            length = next(int(line[15:]) for line in head.lower().splitlines() if line.startswith("content-length:"))
            self.bodies.append(json.loads(await reader.readexactly(length)))
            await self.answer(writer)
            await writer.drain()
        except ConnectionError:
            pass
        finally:
            self.closed.set()
            writer.close()


def asking(
    answer: Callable[[asyncio.StreamWriter], Awaitable[None]], act: Callable[[OpenAIModel, Endpoint], Awaitable[None]]
) -> None:
    async def run() -> None:
        endpoint = Endpoint(answer)
        server = await asyncio.start_server(endpoint.serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        model = OpenAIModel("m", base_url=f"http://127.0.0.1:{port}/v1/", api_key="key-1", timeout=20)
        try:
            async with asyncio.timeout(20):
                await act(model, endpoint)
                await model.aclose()
        finally:
            server.close()
            await server.wait_closed()

    asyncio.run(run())


def streaming(*data: object, status: str = "200 OK", kind: str = "text/event-stream") -> Callable[..., Awaitable[None]]:
    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n".encode())
        for item in data:
            text = item if isinstance(item, str) else f"data: {json.dumps(item)}\n\n"
            writer.write(text.encode())
            await writer.drain()

    return answer


def delta(finish: str | None = None, **fields: object) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def test_text_streams_and_the_request_carries_the_history() -> None:
    async def act(model: OpenAIModel, endpoint: Endpoint) -> None:
        history = (
            user([{"type": "text", "text": "hi"}]),
            ModelMessage("assistant", "am1.1", "", calls=(ToolCall("c1", "bash", freeze({"command": "ls"})),)),
            ModelMessage("tool", "tr1.1.1", freeze({"out": 1}), call_id="c1"),
            user([{"type": "image", "data": "AA==", "mimeType": "image/png"}, {"type": "text", "text": "see"}]),
        )
        events = await collect(model, request(*history, prefix="be brief"))
        assert events == [TextChunk("Hel"), TextChunk("lo"), Finish("stop")]
        (body,) = endpoint.bodies
        assert body["model"] == "m"
        assert body["stream"] is True
        assert body["messages"] == [
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": "hi"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": '{"out": 1}'},
            {
                "role": "user",
                "content": [
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
                    {"type": "text", "text": "see"},
                ],
            },
        ]
        assert body["tools"][0]["function"]["name"] == "bash"
        assert "POST /v1/chat/completions" in endpoint.heads[0]
        assert "Bearer key-1" in endpoint.heads[0]

    asking(
        streaming(
            ": keep-alive\n\n",
            delta(role="assistant"),
            delta(content="Hel"),
            delta(content="lo"),
            delta("stop"),
            "data: [DONE]\n\n",
        ),
        act,
    )


def test_tool_calls_are_put_together_from_their_pieces() -> None:
    first = {"index": 0, "id": "c1", "function": {"name": "bash", "arguments": '{"comm'}}
    rest = {"index": 0, "function": {"arguments": 'and": "ls"}'}}
    second = {"index": 1, "id": "c2", "function": {"name": "bash", "arguments": "not json"}}

    async def act(model: OpenAIModel, endpoint: Endpoint) -> None:
        assert await collect(model, request(user("x"))) == [
            ToolCall("c1", "bash", freeze({"command": "ls"})),
            ToolCall("c2", "bash", "not json"),
            Finish("tool_calls"),
        ]

    asking(
        streaming(delta(tool_calls=[first]), delta(tool_calls=[rest]), delta(tool_calls=[second]), delta("tool_calls")),
        act,
    )


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (streaming('{"error": "bad key"}', status="401 No"), "answered 401: .*bad key"),
        (streaming({"error": {"message": "overloaded"}}), "overloaded"),
        (streaming(delta(content="half")), "ended early"),
        (streaming("data: {nonsense\n\n"), "not JSON"),
        (streaming("data: [1]\n\n"), "no object"),
        (streaming(delta("content_filter")), "content filter"),
        (streaming(delta(tool_calls=[{"index": 0}]), delta("tool_calls")), "without a name"),
        (streaming("x" * 5000, status="500 No"), r"answered 500: x{500}…"),
    ],
)
def test_a_broken_reply_fails_the_request_and_never_shows_the_key(
    answer: Callable[..., Awaitable[None]], says: str
) -> None:
    async def act(model: OpenAIModel, endpoint: Endpoint) -> None:
        with pytest.raises(ModelError, match=says) as caught:
            await collect(model, request(user("x")))
        assert "key-1" not in str(caught.value)

    asking(answer, act)


def test_max_tokens_and_an_endpoint_that_does_not_stream() -> None:
    message = {"role": "assistant", "content": "all", "tool_calls": None}
    whole = json.dumps({"choices": [{"message": message, "finish_reason": "length"}]})

    async def act(model: OpenAIModel, endpoint: Endpoint) -> None:
        assert await collect(model, request(user("x"))) == [TextChunk("all"), Finish("max_tokens")]

    asking(streaming(whole, kind="application/json"), act)


@pytest.mark.parametrize("moment", ["before the head", "inside the stream"])
def test_an_abort_closes_the_connection(moment: str) -> None:
    async def answer(writer: asyncio.StreamWriter) -> None:
        if moment == "inside the stream":
            await streaming(delta(content="first"))(writer)
        while not writer.is_closing():
            await asyncio.sleep(0.02)
            if moment == "inside the stream":
                writer.write(b": still here\n\n")
            await writer.drain()

    async def act(model: OpenAIModel, endpoint: Endpoint) -> None:
        controller = AbortController()
        asyncio.get_running_loop().call_later(0.2, controller.abort, "stop")
        events = await collect(model, request(user("x")), controller)
        assert events == ([TextChunk("first")] if moment == "inside the stream" else [])
        if moment == "inside the stream":
            await endpoint.closed.wait()

    asking(answer, act)


def test_closing_the_stream_early_closes_the_connection() -> None:
    async def answer(writer: asyncio.StreamWriter) -> None:
        await streaming(delta(content="first"))(writer)
        while True:
            await asyncio.sleep(0.02)
            writer.write(b": still here\n\n")
            await writer.drain()

    async def act(model: OpenAIModel, endpoint: Endpoint) -> None:
        stream: AsyncIterator[ModelEvent] = model.stream(request(user("x")), Signal())
        assert await anext(stream) == TextChunk("first")
        await cast("AsyncGenerator[ModelEvent]", stream).aclose()
        await endpoint.closed.wait()

    asking(answer, act)


def test_an_endpoint_that_is_not_there_is_named() -> None:
    async def run() -> None:
        model = OpenAIModel("m", base_url="http://127.0.0.1:9/v1")
        with pytest.raises(ModelError, match=":9/v1/chat/completions failed"):
            await collect(model, request(user("x")))
        await model.aclose()

    asyncio.run(run())
