"""Own how a log's records look to an ACP client. Reads records; sends nothing."""

from collections.abc import Mapping
from typing import Final, cast

from lifecycle_runtime.models import text_of
from lifecycle_runtime.session import (
    ASSISTANT_MESSAGE,
    STEERING_MESSAGE,
    TOOL_CALL,
    TOOL_RESULT,
    USER_MESSAGE,
    Record,
)
from lifecycle_runtime.values import JsonObject, JsonValue, thaw

SHOWN: Final = 100_000
"""Characters of a tool's result an update carries; the log keeps all of it."""

_USER_SOURCES: Final = ("user", "continuation")


def tool_call_id(turn: object, step: object, call: object) -> str:
    """Name a call for the client: unique in its session, whatever ids the model gives."""
    return f"call-{turn}.{step}.{call}"


def text_update(kind: str, text: str) -> JsonObject:
    """A chunk of text: `agent_message_chunk` or `user_message_chunk`."""
    return {"sessionUpdate": kind, "content": {"type": "text", "text": text}}


def live_updates(record: Record, own: str | None) -> list[JsonObject]:
    """What a record committed just now tells the client; replies were streamed, its `own` prompt it knows."""
    if record.type == ASSISTANT_MESSAGE or record.data.get("id") == own:
        return []
    return replayed_updates(record)


def replayed_updates(record: Record) -> list[JsonObject]:
    """What a record tells a client that has seen nothing yet (A/r5)."""
    data = record.data
    if record.type in (USER_MESSAGE, STEERING_MESSAGE):
        if data.get("source") not in _USER_SOURCES:
            return []
        return [
            {"sessionUpdate": "user_message_chunk", "content": block} for block in content_blocks(data.get("content"))
        ]
    if record.type == ASSISTANT_MESSAGE:
        text = text_of(data.get("content"))
        return [text_update("agent_message_chunk", text)] if text else []
    if record.type == TOOL_CALL:
        return [_tool_call(data)]
    if record.type == TOOL_RESULT:
        return [_tool_result(data)]
    return []


def content_blocks(content: JsonValue) -> list[JsonObject]:
    """Give a message's content as ACP content blocks."""
    if isinstance(content, (list, tuple)) and content and all(_is_block(part) for part in content):
        return [cast("JsonObject", thaw(part)) for part in content]
    text = text_of(content)
    return [{"type": "text", "text": text}] if text else []


def tool_call_view(turn: object, step: object, call: object, name: str, arguments: JsonValue) -> dict[str, JsonValue]:
    """How a call is shown, also in a request for permission."""
    command = arguments.get("command") if isinstance(arguments, Mapping) else None
    shell = name == "bash" and isinstance(command, str)
    return {
        "toolCallId": tool_call_id(turn, step, call),
        "title": command if shell else name,
        "kind": "execute" if shell else "other",
        "status": "pending",
        "rawInput": thaw(arguments),
    }


def _tool_call(data: JsonObject) -> JsonObject:
    name = data.get("name")
    view = tool_call_view(
        data.get("turn"),
        data.get("step"),
        data.get("call"),
        name if isinstance(name, str) else "",
        data.get("arguments"),
    )
    return {"sessionUpdate": "tool_call", **view}


def _tool_result(data: JsonObject) -> JsonObject:
    text = text_of(data.get("content"))
    if len(text) > SHOWN:
        text = f"{text[:SHOWN]}\n[{len(text) - SHOWN} more characters are in the log]"
    return {
        "sessionUpdate": "tool_call_update",
        "toolCallId": tool_call_id(data.get("turn"), data.get("step"), data.get("call")),
        "status": "failed" if data.get("error") else "completed",
        "content": [{"type": "content", "content": {"type": "text", "text": text}}],
    }


def _is_block(part: JsonValue) -> bool:
    return isinstance(part, Mapping) and isinstance(part.get("type"), str)
