"""The model's view of a log, and the reply it gives. Reads records; appends none."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from lifecycle_runtime.ports import ModelMessage, ToolCall
from lifecycle_runtime.session import ASSISTANT_MESSAGE, STEERING_MESSAGE, TOOL_RESULT, USER_MESSAGE, Session
from lifecycle_runtime.values import JsonValue


@dataclass
class Reply:
    """What a stream has given so far."""

    text: str = ""
    calls: list[ToolCall] = field(default_factory=list[ToolCall])
    finish: str = "stop"

    def record(self, turn: int, step: int) -> dict[str, JsonValue]:
        """Return the data of the assistant message."""
        return {
            "id": f"am{turn}.{step}",
            "turn": turn,
            "step": step,
            "content": self.text,
            "calls": [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in self.calls],
            "finish": self.finish,
        }


def advertised(data: Mapping[str, JsonValue]) -> tuple[ToolCall, ...]:
    """Return the calls of an assistant message's data; records of other shapes advertise none."""
    calls = data.get("calls")
    if not isinstance(calls, (list, tuple)):
        return ()
    return tuple(
        ToolCall(str(call["id"]), str(call.get("name", "")), call.get("arguments"))
        for call in calls
        if isinstance(call, Mapping) and "id" in call
    )


def history(session: Session) -> tuple[ModelMessage, ...]:
    """Return every message of the log in order, as a request carries it."""
    messages: list[ModelMessage] = []
    for record in session.records:
        data = record.data
        if record.type in (USER_MESSAGE, STEERING_MESSAGE):
            messages.append(ModelMessage("user", _text(data, "id"), data.get("content")))
        elif record.type == ASSISTANT_MESSAGE:
            messages.append(ModelMessage("assistant", _text(data, "id"), data.get("content"), calls=advertised(data)))
        elif record.type == TOOL_RESULT:
            messages.append(
                ModelMessage("tool", _text(data, "message"), data.get("content"), call_id=_text(data, "id"))
            )
    return tuple(messages)


def _text(data: Mapping[str, JsonValue], key: str) -> str:
    return cast("str", data.get(key, ""))
