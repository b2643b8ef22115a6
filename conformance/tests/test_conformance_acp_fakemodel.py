"""The fake model: three wire forms, its gates, and a log that tells open from dropped."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from lifecycle_conformance.acp.fakemodel import Call, Fail, FakeModel, Hold, Reply, Say, Slow

KEY = "LK00000001"
PATHS = {"chat": "/v1/chat/completions", "responses": "/v1/responses", "messages": "/v1/messages"}
PARAMETERS = {
    "type": "object",
    "properties": {"command": {"type": "string"}, "why": {"type": "string"}},
    "required": ["command", "why"],
}


def body(form: str, stream: bool = True, tools: bool = True, key: str = KEY) -> dict[str, Any]:
    """Make a request as a client of this form would."""
    said = [{"role": "user", "content": f"This is {key}."}]
    function = {"name": "run_shell", "parameters": PARAMETERS}
    spelled: dict[str, dict[str, Any]] = {
        "chat": {"messages": said, "tools": [{"type": "function", "function": function}]},
        "responses": {"input": said, "tools": [{"type": "function", **function}]},
        "messages": {"messages": said, "tools": [{"name": "run_shell", "input_schema": PARAMETERS}]},
    }
    request = {"model": "m", "stream": stream, **spelled[form]}
    if not tools:
        del request["tools"]
    return request


def events(text: str) -> list[dict[str, Any]]:
    """Decode a stream of server-sent events."""
    lines = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


def text_of(form: str, answer: list[dict[str, Any]]) -> str:
    """Put the text of a streamed answer together as a client of this form would."""
    if form == "chat":
        return "".join(c["delta"].get("content") or "" for e in answer for c in e["choices"])
    if form == "responses":
        return "".join(e["delta"] for e in answer if e["type"] == "response.output_text.delta")
    return "".join(e["delta"].get("text", "") for e in answer if e["type"] == "content_block_delta")


def call_of(form: str, answer: list[dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    """Find the tool call of a streamed answer as a client of this form would."""
    if form == "chat":
        calls = [c for e in answer for choice in e["choices"] for c in choice["delta"].get("tool_calls", [])]
        return calls[0]["function"]["name"], json.loads(calls[0]["function"]["arguments"])
    if form == "responses":
        item = next(e["item"] for e in answer if e["type"] == "response.output_item.done")
        return item["name"], json.loads(item["arguments"])
    start = next(e["content_block"] for e in answer if e["type"] == "content_block_start")
    parts = [e["delta"]["partial_json"] for e in answer if e["type"] == "content_block_delta"]
    return start["name"], json.loads("".join(parts))


async def ask(model: FakeModel, form: str, **kind: Any) -> httpx.Response:
    """Send one request and read the whole answer."""
    async with httpx.AsyncClient(trust_env=False) as client:
        return await client.post(model.url + PATHS[form], json=body(form, **kind))


@pytest.mark.parametrize("form", PATHS)
def test_a_streamed_answer_is_text_that_names_its_key(form: str) -> None:
    async def scenario() -> None:
        async with FakeModel() as model:
            model.plan(KEY, Say(chunks=3))
            answer = await ask(model, form)
            assert text_of(form, events(answer.text)) == f"{KEY}.1 {KEY}.2 {KEY}.3 "
            (request,) = model.log.of(KEY)
            assert (request.form, request.state, request.chunks) == (form, "finished", 3)
            assert request.first is not None
            assert request.opened <= request.first <= (request.ended or 0)

    asyncio.run(scenario())


@pytest.mark.parametrize("form", PATHS)
def test_an_answer_that_is_not_streamed_says_the_same(form: str) -> None:
    async def scenario() -> None:
        async with FakeModel() as model:
            answer = await ask(model, form, stream=False)
            assert f"{KEY}.1 {KEY}.2 " in json.dumps(answer.json())

    asyncio.run(scenario())


@pytest.mark.parametrize("form", PATHS)
def test_a_call_goes_to_the_tool_that_runs_commands_with_all_it_requires(form: str) -> None:
    async def scenario() -> None:
        async with FakeModel() as model:
            model.plan(KEY, Call("true"))
            name, arguments = call_of(form, events((await ask(model, form)).text))
            assert name == "run_shell"
            assert arguments["command"] == "true"
            assert set(arguments) == {"command", "why"}
            again = await ask(model, form)
            assert text_of(form, events(again.text)), "the request after the call's result is answered in text"

    asyncio.run(scenario())


@pytest.mark.parametrize("form", PATHS)
def test_a_failure_has_the_status_asked_for(form: str) -> None:
    async def scenario() -> None:
        async with FakeModel() as model:
            model.plan(KEY, Fail(429))
            assert (await ask(model, form)).status_code == 429
            assert model.log.of(KEY)[0].state == "failed"

    asyncio.run(scenario())


@pytest.mark.parametrize("reply", [Hold(), Slow(pace=0.01)])
def test_a_gated_request_is_open_until_released(reply: Reply) -> None:
    async def scenario() -> None:
        async with FakeModel() as model:
            model.plan(KEY, reply)
            asking = asyncio.ensure_future(ask(model, "chat"))
            assert await model.log.until(lambda: bool(model.log.of(KEY)), 5)
            (request,) = model.log.of(KEY)
            if isinstance(reply, Slow):
                assert await model.log.until(lambda: request.chunks > 2, 5)
            else:
                assert request.first is None
            assert request.ended is None
            model.release(KEY)
            await asking
            assert request.state == "finished"

    asyncio.run(scenario())


@pytest.mark.parametrize("reply", [Hold(), Slow(pace=0.01)])
def test_a_client_that_leaves_has_dropped_its_request(reply: Reply) -> None:
    async def scenario() -> None:
        async with FakeModel() as model:
            model.plan(KEY, reply)
            asking = asyncio.ensure_future(ask(model, "messages"))
            assert await model.log.until(lambda: bool(model.log.of(KEY)), 5)
            asking.cancel()
            (request,) = model.log.of(KEY)
            assert await model.log.until(lambda: request.state == "dropped", 5)

    asyncio.run(scenario())


def test_a_request_without_tools_is_auxiliary_where_the_agent_offers_some() -> None:
    async def scenario() -> None:
        async with FakeModel(needs_tools=True) as model:
            model.plan(KEY, Fail())
            assert (await ask(model, "chat", tools=False)).status_code == 200
            assert (await ask(model, "chat")).status_code == 400, "the title's request used up no planned reply"
            assert not model.log.of("LK00000002")
            assert len(model.log.of(KEY)) == len(model.log.of(KEY, auxiliary=True)) == 1

    asyncio.run(scenario())


def test_whatever_would_leave_the_machine_is_refused_and_noted() -> None:
    async def scenario() -> None:
        async with FakeModel() as model:
            reader, writer = await asyncio.open_connection("127.0.0.1", model.port)
            writer.write(b"CONNECT api.example.com:443 HTTP/1.1\r\n\r\n")
            assert b" 403 " in await reader.readline()
            writer.close()
            assert model.log.outside == ["api.example.com:443"]

    asyncio.run(scenario())


def test_a_malformed_request_is_refused_and_the_server_goes_on() -> None:
    async def scenario() -> None:
        async with FakeModel() as model:
            async with httpx.AsyncClient(trust_env=False) as client:
                broken = await client.post(model.url + PATHS["chat"], content=b"{")
                missing = await client.post(model.url + "/v1/elsewhere", json={})
            assert (broken.status_code, missing.status_code) == (400, 404)
            assert (await ask(model, "chat")).status_code == 200

    asyncio.run(scenario())
