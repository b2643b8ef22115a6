"""A tiny agent that keeps contract 1 as far as it goes: a queue, a driver, turns, a cancel. Knows no protocol.

What it publishes goes to the callable `publish`; what answers a turn is the coroutine `model`, which is given an event
that is set when the turn is cancelled.
"""
# ruff: noqa: INP001 -- used by a program of its own, in no package

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

Publish = Callable[..., None]
Model = Callable[[str, asyncio.Event], Awaitable[None]]


class ToyAgent:
    """One agent; its driver is one task for all its life."""

    def __init__(self, name: str, publish: Publish, model: Model) -> None:
        self.name = name
        self.status = "idle"
        self._publish = publish
        self._model = model
        self._queue: deque[bool] = deque()
        self._turn = 0
        self._abort: asyncio.Event | None = None
        self._wake = asyncio.Event()
        self._driver = asyncio.ensure_future(self._drive())

    def send(self, waking: bool) -> None:
        """Queue a message; only a waking one starts a run (Q2, Q3)."""
        self._queue.append(waking)
        if waking:
            self._wake.set()

    def cancel(self) -> None:
        """Drop what is queued and abort the open turn, if any (C4); its work ends when it will (C16)."""
        self._queue.clear()
        if self._abort is not None and not self._abort.is_set():
            self._become("cancelling")
            self._abort.set()

    async def _drive(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            # a quiet item runs, in its place, when a waking one does (Q6)
            while any(self._queue):
                self._abort = abort = asyncio.Event()
                self._become("running")
                self._queue.popleft()
                self._turn += 1
                self._publish("turn/start", of=self.name, turn=self._turn, trigger="message")
                await self._model(self.name, abort)
                self._abort = None
                reason = "aborted" if abort.is_set() else "completed"
                self._publish("turn/end", of=self.name, turn=self._turn, reason=reason)
            self._become("idle")

    def _become(self, status: str) -> None:
        if status != self.status:
            self.status = status
            self._publish("agent/status", of=self.name, status=status)
