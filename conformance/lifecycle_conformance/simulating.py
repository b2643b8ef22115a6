"""The words of `lifecycle simulate`: typed lines to commands, two configurations to their difference. Prints nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from lifecycle_model.commands import (
    AnyCommand,
    Burst,
    Cancel,
    Create,
    Disarm,
    Dispose,
    Hold,
    Inject,
    React,
    Read,
    Release,
    Send,
    Steer,
    Tick,
    Watch,
    WhenIdle,
)
from lifecycle_model.state import Configuration

POSITIONS = {
    "resume": ("id", "as"),
    "abort": ("ref",),
    "unload_owner": ("fiber", "as"),
    "unload_provider": ("provider", "as"),
    "load_provider": ("as",),
    "session": ("act", "id"),
    "storage": ("act", "id"),
    "task": ("act", "task"),
    "tool": ("act",),
    "executor": ("act", "as"),
    "acp": ("act", "session", "message", "as"),
}
"""What the words behind a verb stand for, in order; others are given as `member=value`."""


class Misread(ValueError):
    """A typed line that is no command; says which word, and what would be one."""


def parse(line: str) -> Burst:
    """One burst from one typed line: commands separated by `;`, or JSON (a command, or a list of them)."""
    text = line.strip()
    if text.startswith(("{", "[")):
        try:
            if text.startswith("["):
                return msgspec.json.decode(text.encode(), type=tuple[AnyCommand, ...])
            return (msgspec.json.decode(text.encode(), type=AnyCommand),)
        except msgspec.DecodeError as error:
            raise Misread(f"{text[:60]!r} is no command of the protocol: {error}") from error
    return tuple(_command(part.strip()) for part in text.split(";") if part.strip())


def _command(text: str) -> AnyCommand:
    if text.startswith("react "):
        return _react(text)
    words = text.split()
    try:
        made = _made(words)
    except (IndexError, ValueError):
        made = None
    if made is None:
        raise Misread(
            f"{text!r} is no command; for example `send a m1`, `hold model a`, `release model a finish`; try help"
        )
    return made


def _made(words: list[str]) -> AnyCommand | None:
    verb, rest = words[0], words[1:]
    agent = rest[0] if rest else "a"
    second = rest[1] if len(rest) > 1 else ""
    if verb == "create":
        return Create(id=agent, as_=second or "h1")
    if verb == "send":
        return Send(agent, rest[1], wakeup="quiet" not in rest[2:])
    if verb == "steer":
        return Steer(agent, rest[1])
    if verb == "inject":
        return Inject(agent, rest[1])
    if verb == "cancel":
        return Cancel(agent, cause="parent" if "parent" in rest else "user", keep_inbox="keep" in rest)
    if verb == "when_idle":
        return WhenIdle(agent, as_=second or "w1")
    if verb == "dispose":
        return Dispose(agent=agent, as_=second or "d1")
    if verb == "read":
        return Read(agent=agent)
    if verb == "tick":
        return Tick(agent)
    if verb == "disarm":
        return Disarm()
    if verb == "hold":
        return Hold(rest[0], rest[1], sticky="sticky" in rest)
    if verb == "watch":
        return Watch(rest[0], rest[1])
    if verb == "release":
        return Release(rest[0], rest[1], with_=rest[2] if len(rest) > 2 else None)
    return _by_members(verb, rest) if verb in POSITIONS else None


def _by_members(verb: str, words: list[str]) -> AnyCommand:
    """A command from words in their order and `member=value` pairs; a value may be JSON. Raises ValueError."""
    plain = [word for word in words if "=" not in word]
    members: dict[str, Any] = {"do": verb, **dict(zip(POSITIONS[verb], plain, strict=False))}
    for name, _, value in (word.partition("=") for word in words if "=" in word):
        try:
            members[name] = msgspec.json.decode(value.encode())
        except msgspec.DecodeError:
            members[name] = value
    if len(plain) > len(POSITIONS[verb]):
        raise ValueError(f"{plain[-1]!r} is a word too many")
    made: AnyCommand = msgspec.convert(members, AnyCommand)
    return made


def _react(text: str) -> AnyCommand:
    head, colon, body = text.removeprefix("react ").partition(":")
    words = head.split()
    if not colon or len(words) < 2:
        raise Misread(f"{text!r} arms nothing; for example `react agent/status a running : cancel a`")
    on: dict[str, object] = {"event": words[0], "of": words[1]}
    if len(words) > 2:
        on["status"] = words[2]
    if body.strip() == "throw":
        return React(on=on, throw="sync")
    return React(on=on, then=tuple(_command(part.strip()) for part in body.split(",") if part.strip()))


def difference(before: Configuration, after: Configuration) -> Iterator[str]:
    """What changed, component by component, member by member."""
    for name in after:
        old, new = before.get(name), after[name]
        if old == new:
            continue
        if old is None:
            yield f"{name} begins: {_short(new)}"
            continue
        for member in new.__struct_fields__:
            if member == "log":
                continue
            was, now = getattr(old, member), getattr(new, member)
            if was != now:
                yield f"{name}.{member}: {_value(was)} -> {_value(now)}"
    yield from (f"{name} is gone" for name in before if name not in after)


def _short(part: Any) -> str:
    shown = [
        f"{m}={_value(v)}" for m in part.__struct_fields__ if (v := getattr(part, m)) not in ("", 0, (), None, False)
    ]
    return " ".join(text for text in shown if not text.startswith("log="))[:200]


def _value(value: Any) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_value(one) for one in value) + "]"
    if hasattr(value, "id"):
        return str(value.id)
    if hasattr(value, "kind"):
        outcome = value.outcome
        return f"<{value.kind} of {value.of}{'' if outcome is not None else ', waits'}>"
    return str(value)
