"""Owns how three wire forms read a request and spell an answer; refuses to decide what to answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from lifecycle_conformance.acp.fakemodel.log import KEY
from lifecycle_conformance.acp.fakemodel.script import Tool


@dataclass(frozen=True, slots=True)
class Asked:
    """What any form's request comes down to."""

    keys: tuple[str, ...]
    tools: tuple[Tool, ...]
    stream: bool
    model: str


class Form(Protocol):
    """One way to spell a streamed answer: `begin`, then `text` pieces or one `call`, then `end`."""

    name: str

    def read(self, body: dict[str, Any]) -> Asked: ...  # noqa: D102 - said in the class docstring
    def begin(self, number: int, model: str) -> Iterator[bytes]: ...  # noqa: D102
    def text(self, piece: str) -> Iterator[bytes]: ...  # noqa: D102
    def call(self, name: str, arguments: str) -> Iterator[bytes]: ...  # noqa: D102
    def end(self) -> Iterator[bytes]: ...  # noqa: D102
    def whole(self) -> dict[str, Any]: ...  # noqa: D102
    def error(self, message: str) -> dict[str, Any]: ...  # noqa: D102


def _event(data: dict[str, Any], name: str | None = None) -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data, separators=(',', ':'))}\n\n".encode()


def _asked(body: dict[str, Any], history: object, tools: Iterator[Tool]) -> Asked:
    keys = tuple(KEY.findall(json.dumps(history)))
    return Asked(keys, tuple(tools), bool(body.get("stream")), str(body.get("model", "fake-model")))


class Chat:
    """OpenAI chat completions."""

    name = "chat"

    def __init__(self) -> None:
        self._id, self._model, self._text = "", "", ""
        self._calls: list[dict[str, Any]] = []

    def read(self, body: dict[str, Any]) -> Asked:
        """Read messages and function tools."""
        functions = (t.get("function", {}) for t in body.get("tools") or [])
        tools = (Tool(f.get("name", ""), f.get("parameters") or {}) for f in functions)
        return _asked(body, body.get("messages"), tools)

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        kind = "chat.completion.chunk"
        return _event({"id": self._id, "object": kind, "created": 1, "model": self._model, "choices": [choice]})

    def begin(self, number: int, model: str) -> Iterator[bytes]:
        """Open with the assistant's role."""
        self._id, self._model = f"chatcmpl-{number}", model
        yield self._chunk({"role": "assistant", "content": ""})

    def text(self, piece: str) -> Iterator[bytes]:
        """Add one content delta."""
        self._text += piece
        yield self._chunk({"content": piece})

    def call(self, name: str, arguments: str) -> Iterator[bytes]:
        """Add one complete tool call."""
        call = {
            "id": f"call_{self._id}",
            "type": "function",
            "function": {"name": name, "arguments": arguments},
        }
        self._calls.append(call)
        yield self._chunk({"tool_calls": [{"index": 0, **call}]})

    def end(self) -> Iterator[bytes]:
        """Finish and say done."""
        yield self._chunk({}, "tool_calls" if self._calls else "stop")
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        yield _event(
            {
                "id": self._id,
                "object": "chat.completion.chunk",
                "created": 1,
                "model": self._model,
                "choices": [],
                "usage": usage,
            }
        )
        yield b"data: [DONE]\n\n"

    def whole(self) -> dict[str, Any]:
        """Spell the same answer without streaming."""
        message: dict[str, Any] = {"role": "assistant", "content": self._text or None}
        if self._calls:
            message["tool_calls"] = self._calls
        finish = "tool_calls" if self._calls else "stop"
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        choice = {"index": 0, "message": message, "finish_reason": finish}
        return {
            "id": self._id,
            "object": "chat.completion",
            "created": 1,
            "model": self._model,
            "choices": [choice],
            "usage": usage,
        }

    def error(self, message: str) -> dict[str, Any]:
        """Spell a refusal."""
        return {"error": {"message": message, "type": "invalid_request_error", "code": None}}


class Responses:
    """OpenAI responses."""

    name = "responses"

    def __init__(self) -> None:
        self._number, self._sequence, self._model = 0, 0, ""
        self._items: list[dict[str, Any]] = []
        self._text: str | None = None

    def read(self, body: dict[str, Any]) -> Asked:
        """Read input items and function tools."""
        functions = (t for t in body.get("tools") or [] if t.get("type") == "function")
        tools = (Tool(f.get("name", ""), f.get("parameters") or {}) for f in functions)
        return _asked(body, body.get("input"), tools)

    def _say(self, kind: str, **data: object) -> bytes:
        self._sequence += 1
        return _event({"type": kind, "sequence_number": self._sequence, **data}, kind)

    def _response(self, status: str) -> dict[str, Any]:
        usage = {
            "input_tokens": 1,
            "output_tokens": 1,
            "total_tokens": 2,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        }
        return {
            "id": f"resp_{self._number}",
            "object": "response",
            "created_at": 1,
            "status": status,
            "model": self._model,
            "output": self._items,
            "error": None,
            "incomplete_details": None,
            "instructions": None,
            "metadata": {},
            "parallel_tool_calls": False,
            "temperature": 1.0,
            "top_p": 1.0,
            "tool_choice": "auto",
            "tools": [],
            "usage": usage if status == "completed" else None,
        }

    def begin(self, number: int, model: str) -> Iterator[bytes]:
        """Open the response."""
        self._number, self._model = number, model
        yield self._say("response.created", response=self._response("in_progress"))

    def text(self, piece: str) -> Iterator[bytes]:
        """Open a message item if none is open, and add one text delta."""
        item = f"msg_{self._number}"
        if self._text is None:
            self._text = ""
            opened = {
                "id": item,
                "type": "message",
                "role": "assistant",
                "status": "in_progress",
                "content": [],
            }
            part = {"type": "output_text", "text": "", "annotations": []}
            yield self._say("response.output_item.added", output_index=0, item=opened)
            yield self._say("response.content_part.added", item_id=item, output_index=0, content_index=0, part=part)
        self._text += piece
        yield self._say(
            "response.output_text.delta",
            item_id=item,
            output_index=0,
            content_index=0,
            delta=piece,
            logprobs=[],
        )

    def call(self, name: str, arguments: str) -> Iterator[bytes]:
        """Add one complete function call item."""
        index = len(self._items)
        item: dict[str, Any] = {"id": f"fc_{self._number}", "type": "function_call", "status": "in_progress"}
        item |= {"call_id": f"call_{self._number}", "name": name, "arguments": ""}
        yield self._say("response.output_item.added", output_index=index, item=item)
        ids: dict[str, Any] = {"item_id": item["id"], "output_index": index}
        yield self._say("response.function_call_arguments.delta", **ids, delta=arguments)
        yield self._say("response.function_call_arguments.done", **ids, name=name, arguments=arguments)
        done = {**item, "status": "completed", "arguments": arguments}
        self._items.append(done)
        yield self._say("response.output_item.done", output_index=index, item=done)

    def end(self) -> Iterator[bytes]:
        """Close an open message item and complete the response."""
        if self._text is not None:
            item = f"msg_{self._number}"
            part = {"type": "output_text", "text": self._text, "annotations": []}
            ids: dict[str, Any] = {"item_id": item, "output_index": 0, "content_index": 0}
            yield self._say("response.output_text.done", **ids, text=self._text, logprobs=[])
            yield self._say("response.content_part.done", **ids, part=part)
            done = {
                "id": item,
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [part],
            }
            self._items.append(done)
            yield self._say("response.output_item.done", output_index=0, item=done)
        yield self._say("response.completed", response=self._response("completed"))

    def whole(self) -> dict[str, Any]:
        """Spell the same answer without streaming."""
        return self._response("completed")

    def error(self, message: str) -> dict[str, Any]:
        """Spell a refusal."""
        return {"error": {"message": message, "type": "invalid_request_error", "code": None, "param": None}}


class Messages:
    """Anthropic messages."""

    name = "messages"

    def __init__(self) -> None:
        self._number, self._model = 0, ""
        self._blocks: list[dict[str, Any]] = []
        self._open = False

    def read(self, body: dict[str, Any]) -> Asked:
        """Read messages and tools."""
        tools = (Tool(t.get("name", ""), t.get("input_schema") or {}) for t in body.get("tools") or [])
        return _asked(body, body.get("messages"), tools)

    def _message(self, stop: str | None) -> dict[str, Any]:
        return {
            "id": f"msg_{self._number}",
            "type": "message",
            "role": "assistant",
            "model": self._model,
            "content": self._blocks if stop else [],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }

    def begin(self, number: int, model: str) -> Iterator[bytes]:
        """Open the message."""
        self._number, self._model = number, model
        yield _event({"type": "message_start", "message": self._message(None)}, "message_start")

    def _start(self, block: dict[str, Any]) -> bytes:
        data = {"type": "content_block_start", "index": len(self._blocks), "content_block": block}
        return _event(data, "content_block_start")

    def _delta(self, delta: dict[str, Any], index: int) -> bytes:
        return _event({"type": "content_block_delta", "index": index, "delta": delta}, "content_block_delta")

    def text(self, piece: str) -> Iterator[bytes]:
        """Open a text block if none is open, and add one delta."""
        if not self._open:
            yield self._start({"type": "text", "text": ""})
            self._blocks.append({"type": "text", "text": ""})
            self._open = True
        self._blocks[-1]["text"] += piece
        yield self._delta({"type": "text_delta", "text": piece}, len(self._blocks) - 1)

    def call(self, name: str, arguments: str) -> Iterator[bytes]:
        """Add one complete tool_use block."""
        block = {"type": "tool_use", "id": f"toolu_{self._number:08d}", "name": name}
        yield self._start({**block, "input": {}})
        self._blocks.append({**block, "input": json.loads(arguments)})
        yield self._delta({"type": "input_json_delta", "partial_json": arguments}, len(self._blocks) - 1)
        yield self._stop(len(self._blocks) - 1)

    def _stop(self, index: int) -> bytes:
        return _event({"type": "content_block_stop", "index": index}, "content_block_stop")

    def _reason(self) -> str:
        return "tool_use" if any(b["type"] == "tool_use" for b in self._blocks) else "end_turn"

    def end(self) -> Iterator[bytes]:
        """Close an open block and stop."""
        if self._open:
            yield self._stop(len(self._blocks) - 1)
        delta = {"stop_reason": self._reason(), "stop_sequence": None}
        yield _event({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 1}}, "message_delta")
        yield _event({"type": "message_stop"}, "message_stop")

    def whole(self) -> dict[str, Any]:
        """Spell the same answer without streaming."""
        return self._message(self._reason())

    def error(self, message: str) -> dict[str, Any]:
        """Spell a refusal."""
        return {"type": "error", "error": {"type": "invalid_request_error", "message": message}}


def form_for(path: str) -> Form | None:
    """Choose the wire form by the end of the request's path; a fresh object holds one answer's state."""
    if path.endswith("/chat/completions"):
        return Chat()
    if path.endswith("/responses"):
        return Responses()
    return Messages() if path.endswith("/messages") else None
