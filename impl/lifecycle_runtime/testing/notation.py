"""Events as short tokens, `deq(A)`, `TS(1)`, and ordered partial expectations over them. Drives nothing."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias, cast

from lifecycle_runtime import events as ev
from lifecycle_runtime import session as log

Brief: TypeAlias = Callable[[Any], str]


def _items(event: ev.Discarded) -> str:
    return "disc[" + ",".join(item.id for item, _ in event.items) + "]"


def _moved(word: str) -> Brief:
    return lambda e: f"{word}({e.item.id},steer)" if e.steering else f"{word}({e.item.id})"


def _record(event: ev.SessionEvent) -> str:
    data = cast("Mapping[str, Any]", event.record.data)
    brief = RECORDS.get(event.record.type)
    return brief(data) if brief else f"{event.record.type}"


RECORDS: dict[str, Brief] = {
    log.TURN_START: lambda d: f"TS({d['turn']})" if d["trigger"] == "message" else f"TS({d['turn']},{d['trigger']})",
    log.TURN_END: lambda d: f"TE({d['turn']},{d['reason']})",
    log.STEP_START: lambda d: f"SS({d['step']})",
    log.STEP_END: lambda d: f"SE({d['step']})",
    log.USER_MESSAGE: lambda d: f"UM({d['id']})",
    log.STEERING_MESSAGE: lambda d: f"SM({d['id']})",
    log.ASSISTANT_MESSAGE: lambda d: "AM",
    log.PROMPT_BLOCKED: lambda d: "blocked",
    log.TOOL_CALL: lambda d: f"TC({d['call']})",
    log.TOOL_RESULT: lambda d: f"TR({d['call']},{d['code']})" if "code" in d else f"TR({d['call']})",
}

EVENTS: dict[type[ev.Event], Brief] = {
    ev.AgentCreated: lambda e: "a+",
    ev.AgentDisposed: lambda e: "a-",
    ev.SessionCreated: lambda e: "s+",
    ev.SessionDisposed: lambda e: "s-",
    ev.SessionStart: lambda e: f"start({e.source})",
    ev.StatusChanged: lambda e: f"status({e.status})",
    ev.Enqueued: _moved("enq"),
    ev.Dequeued: _moved("deq"),
    ev.Discarded: _items,
    ev.CancelRequested: lambda e: f"creq({e.cause})",
    ev.Aborted: lambda e: f"abort({e.reason['kind']})",
    ev.AgentError: lambda e: f"err({e.turn},{e.step})",
    ev.Requested: lambda e: f"req({','.join(m.id for m in e.request.messages)})",
    ev.SessionEvent: _record,
    ev.SessionFlush: lambda e: "FL",
    ev.SessionFlushed: lambda e: "FL.",
    ev.ConfigStartFailed: lambda e: f"config-failed({e.label})",
    ev.TaskCompleted: lambda e: f"completion({e.task},{e.status})",
}


def brief(event: ev.Event) -> str:
    """Return the token of an event."""
    return EVENTS[type(event)](event)


def subject_id(event: ev.Event) -> str:
    """Return the id of the agent or session concerned; an agent and its session are one subject."""
    return str(getattr(event.subject, "id", ""))


def plain(turn: int, message: str) -> str:
    """Return the tokens of a plain turn."""
    return f"deq({message}) TS({turn}) UM({message}) SS(1) AM SE(1) TE({turn},completed) FL FL."


def tokens(text: str) -> list[str]:
    """Split an expectation; `;` and `...` are only for the reader."""
    return [token for token in text.split() if token not in (";", "...")]


def matches(wanted: str, seen: str) -> bool:
    """Whether a token is meant: exactly, or by its word alone (`UM` for any user message)."""
    return wanted == seen or wanted == re.split(r"[(\[]", seen, maxsplit=1)[0]


def mismatch(wanted: str, seen: Iterable[str]) -> str | None:
    """Say what is wrong, or None: wanted tokens occur in order, and up to the last as often as written."""
    actual = list(seen)
    expected = tokens(wanted)
    position = 0
    for token in expected:
        while position < len(actual) and not matches(token, actual[position]):
            position += 1
        if position == len(actual):
            return f"missing {token!r} in order\n  wanted: {' '.join(expected)}\n  seen:   {' '.join(actual)}"
        position += 1
    for token in dict.fromkeys(expected):
        written = sum(matches(token, other) for other in expected)
        occurred = sum(matches(token, other) for other in actual[:position])
        if occurred != written:
            return f"{token!r} occurred {occurred} times, wanted {written}\n  seen: {' '.join(actual)}"
    return None
