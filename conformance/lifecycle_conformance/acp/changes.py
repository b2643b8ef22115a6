"""Owns waiting for a condition to become true; refuses to guess by sleeping."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable


class Changes:
    """A bell that is rung whenever something was recorded, and a bounded wait on it."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[None]] = set()

    def ring(self) -> None:
        """Wake everyone who waits; each looks at its own condition again."""
        for future in self._waiting:
            if not future.done():
                future.set_result(None)

    async def until(self, condition: Callable[[], bool], limit: float, poll: float | None = None) -> bool:
        """Return True as soon as the condition holds, False when `limit` seconds passed without it.

        `poll` looks again at least that often, for conditions that nobody rings for (a process list).
        """
        deadline = time.monotonic() + limit
        while not condition():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.add(future)
            try:
                await asyncio.wait((future,), timeout=left if poll is None else min(left, poll))
            finally:
                self._waiting.discard(future)
        return True
