"""Reactions on events: each is one ordinary listener of the runtime's bus, global or on an agent's context.

Refuses to fire outside a dispatch: a reaction acts synchronously inside the one it hears, and what it throws is the
listener's failure, to be contained, to veto or to fail a flush as the runtime's dispatch has it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import cast

import msgspec

from lifecycle_conformance.systems.reference.thrown import Thrown
from lifecycle_model.commands import AnyCommand, React
from lifecycle_model.wire import RECORDS, Answer, Observation, matches
from lifecycle_runtime import events
from lifecycle_runtime.context import Context

_LISTENED: dict[str, type[events.Event]] = (
    {kind.name: kind for kind in events.EVENTS if kind not in (events.SessionFlushed, events.SessionEvent)}
    | {record: events.SessionEvent for record in RECORDS}
    | {"task": events.TaskCompleted}
)

RECORDED = frozenset({"scope", "contained"})
"""Observations that are no event of the bus; a reaction on them acts right after they are recorded."""


@dataclass(eq=False, slots=True)
class Armed:
    """An armed reaction."""

    command: React
    left: int
    remove: Callable[[], None]


class Reactions:
    """The armed reactions on events of one run."""

    def __init__(
        self,
        record: Callable[[Observation], None],
        perform: Callable[[AnyCommand], Answer],
        observe: Callable[[events.Event], Observation],
    ) -> None:
        self._record = record
        self._perform = perform
        self._observe = observe
        self._armed: list[Armed] = []

    def arm(self, command: React, context: Context) -> bool:
        """Listen on this context; False for an event nobody can listen to."""
        command = msgspec.structs.replace(command, on={name: _frozen(value) for name, value in command.on.items()})
        name = command.on.get("event")
        if name in RECORDED:
            self._armed.append(Armed(command, command.times, lambda: None))
            return True
        kind = _LISTENED.get(str(name))
        if kind is None:
            return False
        armed = Armed(command, command.times, lambda: None)
        armed.remove = context.on(kind, lambda event: self._hear(armed, self._observe(event)))
        self._armed.append(armed)
        return True

    def disarm(self, name: str | None) -> bool:
        """Disarm the reactions of this name, or all; False if there was none."""
        gone = [armed for armed in self._armed if name is None or armed.command.as_ == name]
        for armed in gone:
            self._end(armed)
        return bool(gone)

    def recorded(self, seen: Observation) -> None:
        """Let the reactions on an observation that is no event of the bus act."""
        for armed in [armed for armed in self._armed if armed.command.on.get("event") == seen.event]:
            self._hear(armed, seen)

    def _hear(self, armed: Armed, seen: Observation) -> Awaitable[None] | None:
        command = armed.command
        if armed not in self._armed or armed.left <= 0 or not matches(command.on, seen):
            return None
        armed.left -= 1
        if armed.left == 0:
            self._end(armed)
        answers = tuple(self._perform(inner) for inner in command.then)
        if command.as_ is not None:
            self._record(Observation("heard", of=seen.of, as_=command.as_, name=seen.event, answers=answers))
        if command.throw == "async":
            return _later(seen.event)
        if command.throw is not None and seen.event not in RECORDED:
            raise Thrown(seen.event)
        return None

    def _end(self, armed: Armed) -> None:
        self._armed.remove(armed)
        armed.remove()


def _frozen(value: object) -> object:
    """A pattern's value as observations hold it: arrays are tuples."""
    if isinstance(value, list | tuple):
        return tuple(_frozen(item) for item in cast("Sequence[object]", value))
    return value


async def _later(event: str) -> None:
    await asyncio.sleep(0)
    raise Thrown(event)
