"""Own the wire of OpenAI-compatible chat completions: one streamed request a step, nothing kept between two.

Refuses to retry: whether a failed request is tried again is the turn's recovery decision.
"""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from typing import Any, Final, cast

import httpx

from lifecycle_runtime.abortable import AbortedWait, unless_aborted
from lifecycle_runtime.errors import InvalidValue
from lifecycle_runtime.models import ModelError, text_of
from lifecycle_runtime.ports import Finish, ModelEvent, ModelMessage, ModelRequest, TextChunk, Tool, ToolCall
from lifecycle_runtime.signals import Signal
from lifecycle_runtime.values import JsonValue, freeze, thaw

_QUOTED: Final = 500
_FINISH: Final[Mapping[str, Finish]] = {
    "length": Finish("max_tokens"),
    "tool_calls": Finish("tool_calls"),
    "function_call": Finish("tool_calls"),
}


class OpenAIModel:
    """A chat-completions endpoint as a `Model`.

    Text arrives chunk by chunk, tool calls when they are complete. An aborted signal closes the connection,
    so the endpoint stops generating. An HTTP error, a broken stream or an error event fails the request
    with a `ModelError` that quotes the endpoint and never the key.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str,
        api_key: str | None = None,
        timeout: float = 120.0,
        options: Mapping[str, JsonValue] | None = None,
    ) -> None:
        url = httpx.URL(base_url.rstrip("/") + "/chat/completions")
        if url.scheme not in ("http", "https") or not url.host:
            raise ModelError(f"{base_url!r} is no base URL of an endpoint; give one like http://localhost:8080/v1")
        self._url, self._model, self._options = url, model, dict(options or {})
        headers = {} if api_key is None else {"Authorization": f"Bearer {api_key}"}
        # an endpoint on this machine is not behind a proxy
        direct = {f"all://{host}": None for host in ("localhost", "127.0.0.1", "[::1]")}
        self._client = httpx.AsyncClient(headers=headers, timeout=httpx.Timeout(timeout, connect=15.0), mounts=direct)

    async def aclose(self) -> None:
        """Close idle connections."""
        await self._client.aclose()

    async def stream(self, request: ModelRequest, signal: Signal) -> AsyncIterator[ModelEvent]:
        """Send one request and give its reply as it arrives (C16: an abort ends it)."""
        body = {**self._options, "model": self._model, "stream": True, "messages": _messages(request)}
        if request.tools:
            body["tools"] = [_tool(tool) for tool in request.tools]
        try:
            async with aclosing(self._exchange(body, signal)) as events:
                async for event in events:
                    yield event
        except AbortedWait:
            return
        except httpx.HTTPError as error:
            said = str(error) or type(error).__name__
            raise ModelError(f"the request to {self._url} failed: {said}") from error

    async def _exchange(self, body: dict[str, Any], signal: Signal) -> AsyncGenerator[ModelEvent]:
        sending = self._client.send(self._client.build_request("POST", self._url, json=body), stream=True)
        response = await unless_aborted(sending, signal)
        try:
            if response.status_code != 200:
                said = await unless_aborted(response.aread(), signal)
                raise ModelError(f"{self._url} answered {response.status_code}: {_quote(said)}")
            reply = _Reply(f"the reply of {self._model} from {self._url}")
            if response.headers.get("content-type", "").startswith("application/json"):
                for event in reply.whole(_parse(await unless_aborted(response.aread(), signal))):
                    yield event
                return
            lines = response.aiter_lines()
            while (line := await unless_aborted(anext(lines, None), signal)) is not None:
                if not line.startswith("data:"):
                    continue
                data = line[5:].strip()
                if data == "[DONE]":
                    reply.done = True
                    break
                for event in reply.part(_parse(data)):
                    yield event
            for event in reply.end():
                yield event
        finally:
            # a response that was not read to its end takes its connection with it
            await response.aclose()


class _Reply:
    """Puts the pieces of one streamed reply together."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._calls: dict[int, dict[str, str]] = {}
        self._finish: str | None = None
        self.done = False

    def part(self, chunk: Mapping[str, Any]) -> list[ModelEvent]:
        """Take one chunk in; give what can be passed on at once."""
        if chunk.get("error"):
            raise ModelError(f"{self._place} is an error: {_quote(json.dumps(chunk['error']).encode())}")
        found: list[ModelEvent] = []
        for choice in _dicts(chunk.get("choices"))[:1]:
            delta = cast("dict[str, Any]", choice.get("delta") or {})
            if isinstance(delta.get("content"), str) and delta["content"]:
                found.append(TextChunk(delta["content"]))
            for position, piece in enumerate(_dicts(delta.get("tool_calls"))):
                index = piece.get("index")
                call = self._calls.setdefault(index if isinstance(index, int) else position, {})
                function = cast("dict[str, Any]", piece.get("function") or {})
                for name, value in (("id", piece.get("id")), ("name", function.get("name"))):
                    if isinstance(value, str) and value:
                        call[name] = value
                if isinstance(function.get("arguments"), str):
                    call["arguments"] = call.get("arguments", "") + function["arguments"]
            self._finish = choice.get("finish_reason") or self._finish
        return found

    def whole(self, completion: Mapping[str, Any]) -> list[ModelEvent]:
        """Take an endpoint's answer that ignored `stream`."""
        choices = [{**choice, "delta": choice.get("message")} for choice in _dicts(completion.get("choices"))]
        self.done = bool(choices)
        return self.part({**completion, "choices": choices}) + self.end()

    def end(self) -> list[ModelEvent]:
        """Give the tool calls and the finish; a stream that just broke off is a failure."""
        if not self.done and self._finish is None:
            raise ModelError(f"{self._place} ended early, before a finish reason")
        if self._finish == "content_filter":
            raise ModelError(f"{self._place} was stopped by a content filter")
        found: list[ModelEvent] = []
        for index, call in sorted(self._calls.items()):
            if "name" not in call:
                raise ModelError(f"{self._place} calls a tool without a name")
            arguments = _arguments(call.get("arguments", ""))
            found.append(ToolCall(call.get("id", f"call-{index}"), call["name"], arguments))
        return [*found, _FINISH.get(self._finish or "", Finish("tool_calls" if found else "stop"))]


def _arguments(text: str) -> JsonValue:
    """Read the arguments; what is no JSON stays text, which the tool refuses where the model can see it."""
    try:
        return freeze(json.loads(text)) if text.strip() else {}
    except (ValueError, InvalidValue):
        return text


def _parse(data: str | bytes) -> dict[str, Any]:
    try:
        value: object = json.loads(data)
    except ValueError as error:
        raw = data if isinstance(data, bytes) else data.encode()
        raise ModelError(f"the endpoint sent something that is not JSON: {_quote(raw)}") from error
    if not isinstance(value, dict):
        raise ModelError("the endpoint sent JSON that is no object")
    return cast("dict[str, Any]", value)


def _dicts(value: object) -> list[dict[str, Any]]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", item) for item in items if isinstance(item, dict)]


def _quote(raw: bytes) -> str:
    text = raw[:_QUOTED].decode("utf-8", "replace")
    return text if len(raw) <= _QUOTED else text + "…"


def _messages(request: ModelRequest) -> list[dict[str, Any]]:
    head = [{"role": "system", "content": part} for part in (request.prefix, request.assembly) if isinstance(part, str)]
    return [*head, *(_message(message) for message in request.messages)]


def _message(message: ModelMessage) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call_id or "", "content": text_of(message.content)}
    if message.role == "user":
        return {"role": "user", "content": _user_content(message.content)}
    told: dict[str, Any] = {"role": "assistant", "content": text_of(message.content) or None}
    if message.calls:
        told["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": _argument_text(call.arguments)},
            }
            for call in message.calls
        ]
    return told


def _argument_text(arguments: JsonValue) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(thaw(arguments))


def _user_content(content: JsonValue) -> object:
    """Give text, or parts if there is an image among the blocks."""
    if not isinstance(content, (list, tuple)):
        return text_of(content)
    parts: list[dict[str, Any]] = []
    pictured = False
    for block in content:
        image: Mapping[str, JsonValue] = block if isinstance(block, Mapping) else {}
        if image.get("type") == "image" and isinstance(image.get("data"), str):
            pictured = True
            url = f"data:{image.get('mimeType', 'image/png')};base64,{image['data']}"
            parts.append({"type": "image_url", "image_url": {"url": url}})
        else:
            parts.append({"type": "text", "text": text_of(block)})
    return parts if pictured else text_of(content)


def _tool(tool: Tool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": thaw(tool.parameters)}
    return {"type": "function", "function": function}
