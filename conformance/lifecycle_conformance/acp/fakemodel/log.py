"""Owns the record of every request the fake model saw: when it opened, what was sent, how it ended."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from lifecycle_conformance.acp.changes import Changes
from lifecycle_conformance.acp.fakemodel.script import State, Tool

# a key marks one prompt; it survives any quoting an agent may do, and no prose contains it by chance
KEY = re.compile(r"LK[0-9a-f]{8}")


@dataclass(slots=True)
class ModelRequest:
    """One request of the agent to its model. Times are `time.monotonic()`; `None` means not yet."""

    number: int
    form: str
    key: str | None
    keys: frozenset[str]
    tools: tuple[Tool, ...]
    opened: float
    auxiliary: bool = False
    first: float | None = None
    ended: float | None = None
    state: State = "open"
    chunks: int = 0
    called: str | None = None
    wants_shell: bool = False
    gate: asyncio.Event = field(default_factory=asyncio.Event, repr=False)


@dataclass(slots=True)
class Log:
    """All requests in order of arrival, and the hosts an agent asked the server to connect it to."""

    requests: list[ModelRequest] = field(default_factory=list[ModelRequest])
    unknown_paths: list[str] = field(default_factory=list[str])
    outside: list[str] = field(default_factory=list[str])
    changes: Changes = field(default_factory=Changes)

    def of(self, key: str, *, auxiliary: bool = False) -> list[ModelRequest]:
        """Return the requests whose newest prompt is `key`."""
        return [r for r in self.requests if r.key == key and r.auxiliary is auxiliary]

    def reached(self, key: str) -> bool:
        """Tell whether a prompt's text was in any main request, as the newest prompt or merged into another."""
        return any(key in r.keys for r in self.requests if not r.auxiliary)

    async def until(self, condition: Callable[[], bool], limit: float) -> bool:
        """Wait for a condition over this log, at most `limit` seconds."""
        return await self.changes.until(condition, limit)

    def end(self, request: ModelRequest, state: State) -> None:
        """Record how a request ended; the first ending counts."""
        if request.state == "open":
            request.state, request.ended = state, time.monotonic()
            self.changes.ring()
