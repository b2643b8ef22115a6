"""Owns how a guard, an effect and a publication are called in a picture: the contract's short forms, the functions' names.

Refuses to invent a word: everything is read from a function's name or the first line of its docstring.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from lifecycle_model.table import Row

SHORT = {
    "agent/created": "a+",
    "agent/disposed": "a-",
    "session/created": "s+",
    "session/disposed": "s-",
    "agent/session-start": "start",
    "agent/error": "err(n,k)",
    "turn/start": "TS",
    "turn/end": "TE(reason)",
    "step/start": "SS",
    "step/end": "SE",
    "user/message": "UM",
    "steering/message": "SM",
    "assistant/message": "AM",
    "prompt/blocked": "blocked",
    "tool/call": "TC",
    "tool/result": "TR",
    "scope": "scope",
    "session/flush": "FL.",
    "agent/inbox/discard": "disc[…]",
}
"""The contract's short form of an event that a saying is named after."""

_QUOTED = re.compile(r"`([^`]+)`")


def first_line(thing: Callable[..., Any] | None) -> str:
    """The first line of a docstring, without its full stop."""
    lines = (getattr(thing, "__doc__", None) or "").strip().splitlines()
    return lines[0].strip().rstrip(".") if lines else ""


def guard_name(guard: Callable[..., Any] | None) -> str:
    """A guard's name in words, `no waking item`; nothing for no guard; `…` for one without a name."""
    if guard is None:
        return ""
    name = guard.__name__.replace("<lambda>", "…").replace("_", " ")
    return re.sub(r"^outcome ", "outcome: ", name)


def effect_text(effect: Callable[..., Any] | None) -> str:
    """What an effect does, in its own words, without what only keeps a log record."""
    if effect is None:
        return ""
    said = " ".join((effect.__doc__ or "").split())
    said = re.sub(r"\s*Log [a-z/]+\.", "", said).strip()
    return said.rstrip(".")


def said_name(say: Callable[..., Any]) -> str:
    """A publication in the contract's short form: the quoted part of its docstring, its event's, or its name."""
    doc = first_line(say)
    quoted = _QUOTED.search(doc)
    if quoted is not None:
        return quoted.group(1)
    return SHORT.get(doc) or (doc if doc and " " not in doc else say.__name__.replace("_", " "))


def short(event: str) -> str:
    """An event in the contract's short form, or by the last part of its name."""
    return SHORT.get(event, event.rsplit("/", 1)[-1]).partition("(")[0]


def may_be_silent(say: Callable[..., Any]) -> bool:
    """A saying that can decide to publish nothing."""
    return "None" in str(getattr(say, "__annotations__", {}).get("return", ""))


def published(row: Row) -> tuple[str, ...]:
    """What a row publishes, in order; `?` behind what it may leave out."""
    return tuple(said_name(say) + ("?" if may_be_silent(say) else "") for say in row.says)
