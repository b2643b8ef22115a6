"""Owns reading the compact notation back into observations, for traces that people and tests write down by hand."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from lifecycle_conformance.failure.notation import SHORT
from lifecycle_model.wire import MEMBERS, Dropped, Observation

EVENTS = {short: event for event, short in SHORT.items()}
_WORD = re.compile(r"(?P<name>[\w+./-]+?)(?P<settled>\.)?(?:\((?P<args>[^)]*)\))?(?:\[(?P<items>[^\]]*)\])?$")
_GATE = re.compile(r"<(?P<gate>\w+)(?::(?P<signal>\w+))?>$")
_MEMBERS: dict[str, tuple[str, ...]] = {
    "agent/status": ("status",),
    "agent/session-start": ("source",),
    "agent/inbox/enqueue": ("item",),
    "agent/inbox/dequeue": ("item",),
    "agent/cancel-requested": ("cause",),
    "abort": ("reason",),
    "agent/error": ("turn", "step"),
    "turn/start": ("turn", "trigger"),
    "turn/end": ("turn", "reason"),
    "step/start": ("step",),
    "step/end": ("step",),
    "user/message": ("message",),
    "steering/message": ("message",),
    "assistant/message": ("message",),
    "tool/call": ("id",),
    "tool/result": ("id", "code"),
    "request": ("turn", "step"),
    "contained": ("name",),
    "task": ("state",),
    "agent-loop/config-start-failed": ("label",),
}


class NotationError(ValueError):
    """A word that is no observation in short; says which."""


def read(text: str, of: str) -> tuple[Observation, ...]:
    """Read observations in short, of one subject unless a word such as `b:` names another.

    A step belongs to the turn started last. Raises `NotationError` for a word that means nothing.
    """
    seen: list[Observation] = []
    turn: dict[str, int] = {}
    subject = of
    for word in text.split():
        if word.endswith(":"):
            subject = word[:-1]
            continue
        one = _read(word, subject)
        if one.event == "turn/start" and isinstance(one.turn, int):
            turn[subject] = one.turn
        elif one.event in ("step/start", "step/end"):
            one = msgspec.structs.replace(one, turn=turn.get(subject, 0))
        seen.append(one)
    return tuple(seen)


def _read(word: str, of: str) -> Observation:
    if (gate := _GATE.match(word)) is not None:
        given = {"event": "gate", "of": of, "gate": gate["gate"], **({"signal": s} if (s := gate["signal"]) else {})}
        return msgspec.convert(given, Observation)
    if "=" in word:
        return _settled(word)
    if word.endswith("!"):
        return Observation("heard", of=of, as_=word[:-1], answers=())
    found = _WORD.match(word)
    if found is None:
        raise NotationError(f"{word!r} is no observation in short; for example status(running) or deq(m1)")
    if found["name"] == "FL":
        state = "settled" if found["settled"] else "start"
        given = {"state": state, **({"ok": found["args"] != "failed"} if state == "settled" else {})}
        return msgspec.convert({"event": "session/flush", "of": of, **given}, Observation)
    event = EVENTS.get(found["name"], found["name"])
    if event not in MEMBERS:
        raise NotationError(
            f"{word!r} names no observation of the protocol; known in short: {', '.join(sorted(EVENTS))}"
        )
    return _INBOX.get(event, _plain)(event, of, (found["args"] or "").split(","), found["items"] or "")


def _settled(word: str) -> Observation:
    ref, _, outcome = word.partition("=")
    if outcome.startswith("refused("):
        return Observation("settled", of=ref, refused=outcome[len("refused(") : -1])
    return Observation("settled", of=ref, ok=msgspec.json.decode(outcome))


def _plain(event: str, of: str, args: list[str], items: str) -> Observation:
    names = _MEMBERS.get(event, ())
    given: dict[str, object] = {"event": event, "of": of}
    for name, arg in zip(names, args, strict=False):
        if arg:
            given[name] = int(arg) if name in ("turn", "step") else arg
    if event == "turn/start":
        given.setdefault("trigger", "message")
    if event == "request":
        given["messages"] = [name for name in items.split(",") if name]
    return msgspec.convert(given, Observation)


def _enqueued(event: str, of: str, args: list[str], _items: str) -> Observation:
    return Observation(event, of=of, item=args[0], steering="steer" in args[1:], wakeup="quiet" not in args[1:])


def _discarded(event: str, of: str, _args: list[str], items: str) -> Observation:
    dropped = tuple(Dropped(name.rstrip("*"), name.endswith("*")) for name in items.split(",") if name)
    return Observation(event, of=of, items=dropped)


_INBOX: dict[str, Callable[[str, str, list[str], str], Observation]] = {
    "agent/inbox/enqueue": _enqueued,
    "agent/inbox/dequeue": _enqueued,
    "agent/inbox/discard": _discarded,
}
