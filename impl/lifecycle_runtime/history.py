"""The model's view of a log, and the reply it gives. Reads records; appends none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast, overload

from lifecycle_runtime.ports import ModelMessage, ToolCall
from lifecycle_runtime.session import (
    ASSISTANT_MESSAGE,
    STEERING_MESSAGE,
    TOOL_RESULT,
    USER_MESSAGE,
    Record,
    Session,
)
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


class Messages(Sequence[ModelMessage]):
    """What one request carries: the first `length` messages of a list that only grows. Never copied, never changes."""

    def __init__(self, growing: Sequence[ModelMessage], length: int) -> None:
        self._growing = growing
        self._length = length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> ModelMessage: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[ModelMessage, ...]: ...

    def __getitem__(self, index: int | slice) -> ModelMessage | tuple[ModelMessage, ...]:
        places = range(self._length)[index]
        if isinstance(places, range):
            return tuple(self._growing[place] for place in places)
        return self._growing[places]


class History:
    """Every message of one log in order, read once: a request costs what the log grew by since the last."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._read = 0
        self._messages: list[ModelMessage] = []

    def messages(self) -> Messages:
        """The messages logged up to now, as a request carries them."""
        new = self._session.since(self._read)
        self._read += len(new)
        self._messages += [message for message in map(_message, new) if message is not None]
        return Messages(self._messages, len(self._messages))


def _message(record: Record) -> ModelMessage | None:
    data = record.data
    if record.type in (USER_MESSAGE, STEERING_MESSAGE):
        return ModelMessage("user", _text(data, "id"), data.get("content"))
    if record.type == ASSISTANT_MESSAGE:
        return ModelMessage("assistant", _text(data, "id"), data.get("content"), calls=advertised(data))
    if record.type == TOOL_RESULT:
        return ModelMessage("tool", _text(data, "message"), data.get("content"), call_id=_text(data, "id"))
    return None


def _text(data: Mapping[str, JsonValue], key: str) -> str:
    return cast("str", data.get(key, ""))
