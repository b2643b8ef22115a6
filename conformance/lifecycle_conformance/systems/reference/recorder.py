"""From the runtime's events to the judge's observations, one for one. Refuses to add, drop or reorder any."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from lifecycle_conformance.systems.reference.gates import reason_text
from lifecycle_model.wire import UNSET, Dropped, Observation
from lifecycle_runtime import events
from lifecycle_runtime.bus import ContainedFailure
from lifecycle_runtime.session import Record

Listener = Callable[[events.Event], object]


def observation(event: events.Event) -> Observation:
    """What the judge is shown of an event; a record is flattened out of its `session/event`."""
    return _SHOWN[type(event)](event)


def flattened(record: Record, of: str | None = None) -> Observation:
    """A log record as an observation; without `of` as a line of a log."""
    data = record.data
    subject = UNSET if of is None else of
    kind = record.type
    if kind == "turn/start":
        trigger = data.get("trigger")  # a log that the judge stored may leave it out
        return Observation(
            kind, of=subject, turn=_int(data["turn"]), trigger=UNSET if trigger is None else str(trigger)
        )
    if kind == "turn/end":
        return Observation(kind, of=subject, turn=_int(data["turn"]), reason=str(data["reason"]))
    if kind in ("step/start", "step/end"):
        return Observation(kind, of=subject, turn=_int(data["turn"]), step=_int(data["step"]))
    if kind in ("user/message", "steering/message", "assistant/message"):
        return Observation(kind, of=subject, message=message_name(str(data["id"]), data.get("content")))
    if kind == "tool/call":
        return Observation(kind, of=subject, id=str(data["id"]))
    if kind == "tool/result":
        code = data.get("code")
        return Observation(kind, of=subject, id=str(data["id"]), code=UNSET if code is None else str(code))
    return Observation(kind, of=subject)


def message_name(given: str, content: object) -> str:
    """The judge's name of a message: the one its content carries, which a mutation of what was passed would change."""
    name = cast("Mapping[str, object]", content).get("name") if isinstance(content, Mapping) else None
    return name if isinstance(name, str) else given


def contained(failure: ContainedFailure) -> Observation:
    """A contained failure: about whom, and the event or gate; a record's observer is named by the record."""
    name = getattr(failure.error, "where", failure.event)
    about = UNSET if failure.subject is None else subject_id(failure.subject)
    return Observation("contained", of=about, name=str(name))


def subject_id(subject: object) -> str:
    """The judge's name of an agent or session; they share it."""
    return str(getattr(subject, "id", ""))


def _int(value: object) -> int:
    assert isinstance(value, int)
    return value


def _created(event: events.Event) -> Observation:
    return Observation(event.name, of=subject_id(event.subject))


def _start(event: events.Event) -> Observation:
    start = cast("events.SessionStart", event)
    return Observation(start.name, of=start.agent.id, source=start.source)


def _status(event: events.Event) -> Observation:
    changed = cast("events.StatusChanged", event)
    return Observation(changed.name, of=changed.agent.id, status=str(changed.status))


def _inbox(event: events.Event) -> Observation:
    moved = cast("events.Enqueued | events.Dequeued", event)
    name = message_name(moved.item.id, moved.item.content)
    return Observation(moved.name, of=moved.agent.id, item=name, steering=moved.steering, wakeup=moved.item.wakeup)


def _discarded(event: events.Event) -> Observation:
    discarded = cast("events.Discarded", event)
    items = tuple(Dropped(item.id, steering) for item, steering in discarded.items)
    return Observation(discarded.name, of=discarded.agent.id, items=items)


def _cancel(event: events.Event) -> Observation:
    asked = cast("events.CancelRequested", event)
    return Observation(asked.name, of=asked.agent.id, cause=asked.cause)


def _abort(event: events.Event) -> Observation:
    aborted = cast("events.Aborted", event)
    return Observation(aborted.name, of=aborted.agent.id, reason=reason_text(aborted.reason))


def _error(event: events.Event) -> Observation:
    error = cast("events.AgentError", event)
    return Observation(error.name, of=error.agent.id, turn=error.turn, step=error.step)


def _request(event: events.Event) -> Observation:
    asked = cast("events.Requested", event)
    messages = tuple(message_name(message.id, message.content) for message in asked.request.messages)
    return Observation(
        asked.name, of=asked.agent.id, turn=asked.request.turn, step=asked.request.step, messages=messages
    )


def _record(event: events.Event) -> Observation:
    committed = cast("events.SessionEvent", event)
    return flattened(committed.record, committed.session.id)


def _flush(event: events.Event) -> Observation:
    return Observation("session/flush", of=subject_id(event.subject), state="start")


def _flushed(event: events.Event) -> Observation:
    flushed = cast("events.SessionFlushed", event)
    return Observation("session/flush", of=flushed.session.id, state="settled", ok=flushed.ok)


def _config(event: events.Event) -> Observation:
    return Observation(event.name, label=cast("events.ConfigStartFailed", event).label)


_SHOWN: dict[type[events.Event], Callable[[events.Event], Observation]] = {
    events.AgentCreated: _created,
    events.AgentDisposed: _created,
    events.SessionStart: _start,
    events.StatusChanged: _status,
    events.Enqueued: _inbox,
    events.Dequeued: _inbox,
    events.Discarded: _discarded,
    events.CancelRequested: _cancel,
    events.Aborted: _abort,
    events.AgentError: _error,
    events.Requested: _request,
    events.SessionCreated: _created,
    events.SessionDisposed: _created,
    events.SessionEvent: _record,
    events.SessionFlush: _flush,
    events.SessionFlushed: _flushed,
    events.ConfigStartFailed: _config,
}
