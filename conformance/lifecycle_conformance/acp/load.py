"""Owns knowing how busy the machine is; refuses to blame an agent for what the machine did to it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Self

_BEAT = 0.05


class Load:
    """Measures, while it is entered, how late this process is woken: a slow machine shows here first."""

    def __init__(self) -> None:
        self._late: list[tuple[float, float]] = []
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.ensure_future(self._beat())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _beat(self) -> None:
        while True:
            due = time.monotonic() + _BEAT
            await asyncio.sleep(_BEAT)
            late = time.monotonic() - due
            if late > _BEAT / 2:
                self._late.append((time.monotonic(), late))
                del self._late[:-10_000]

    def since(self, start: float) -> float:
        """Return the seconds by which wake-ups since `start` were late, in all."""
        return sum(late for at, late in self._late if at >= start)
