"""Owns when a written value stands for a seen one, and what a system that shows less is still held to.

A pattern's members must be there and equal, deeply; "*" is any value that is there; lists are equal in length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import msgspec

from lifecycle_model.commands import Json
from lifecycle_model.wire import Observation

ANY = "*"

LEFT_OUT: Mapping[str, frozenset[str]] = {
    "agent/inbox/enqueue": frozenset({"steering", "wakeup"}),
    "agent/inbox/dequeue": frozenset({"steering", "wakeup"}),
    "turn/start": frozenset({"trigger"}),
    "agent/session-start": frozenset({"source"}),
    "assistant/message": frozenset({"message"}),
    "request": frozenset({"messages"}),
    "session/flush": frozenset({"ok"}),
    "heard": frozenset({"name"}),
    "contained": frozenset({"name", "of"}),
}
"""Members a system may leave out of an observation: what must be seen is then seen without them."""


def plain(value: object) -> Json:
    """A wire value as JSON has it."""
    return cast("Json", msgspec.to_builtins(value))


def fits(pattern: Json, value: Json) -> bool:
    """Whether the written value stands for the seen one; true is not 1."""
    if pattern == ANY:
        return True
    if isinstance(pattern, Mapping):
        wanted = cast("Mapping[str, Json]", pattern)
        return isinstance(value, Mapping) and all(n in value and fits(part, value[n]) for n, part in wanted.items())
    if isinstance(pattern, list | tuple):
        parts = cast("Sequence[Json]", pattern)
        return isinstance(value, list | tuple) and len(parts) == len(value) and all(map(fits, parts, value))
    return pattern == value and isinstance(pattern, bool) == isinstance(value, bool)


def shows(pattern: Mapping[str, Json], seen: Observation) -> bool:
    """Whether an observation is the one written, whatever it leaves out that it may leave out."""
    there = cast("Mapping[str, Json]", plain(seen))
    may_lack = LEFT_OUT.get(seen.event, frozenset())
    return all(fits(part, there[n]) if n in there else n in may_lack for n, part in pattern.items())


def is_exactly(pattern: Mapping[str, Json], seen: Observation) -> bool:
    """Whether an observation certainly is the one written; what it leaves out is not presumed."""
    return fits(pattern, plain(seen))
