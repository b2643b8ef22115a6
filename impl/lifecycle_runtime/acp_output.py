"""Own the order of what one bridge session tells its client: one update after another, and what waits for them.

Refuses to know prompts or updates: who waits says what happens when everything before it is delivered.
"""

import asyncio
import collections
import inspect
from collections.abc import Awaitable, Callable
from typing import Protocol

from lifecycle_runtime.futures import TaskGroup
from lifecycle_runtime.values import JsonObject


class Output(Protocol):
    """Where a bridge's updates go: the client, or whatever stands in for it.

    None says that the update is delivered; an awaitable, that it will be when that settles. Raising, at once or later,
    is failed output (A5).
    """

    def __call__(self, session_id: str, update: JsonObject) -> Awaitable[object] | None:
        """Deliver one update of a session."""
        ...


class OutputQueue:
    """Updates of one session in order, each delivered before the next is handed over (A4)."""

    def __init__(self, deliver: Callable[[JsonObject], Awaitable[object] | None]) -> None:
        self.failures: list[Exception] = []
        self._deliver = deliver
        self._waiting: collections.deque[JsonObject | Callable[[], None]] = collections.deque()
        self._under_way: asyncio.Task[None] | None = None
        self._tasks = TaskGroup()
        self._dropped = False
        self._handing_over = False

    @property
    def drained(self) -> bool:
        """Whether nothing is undelivered."""
        return not self._waiting and self._under_way is None and not self._handing_over

    def put(self, update: JsonObject) -> None:
        """Add one update; dropped output takes no more."""
        if self._dropped:
            return
        self._waiting.append(update)
        self._go_on()

    def after(self, then: Callable[[], None]) -> None:
        """Call `then` when all put before it is delivered: now, in this segment, if it is already."""
        if self.drained:
            then()
        else:
            self._waiting.append(then)

    def drop(self) -> None:
        """Give up what is undelivered; it counts as drained (A13)."""
        self._dropped = True
        self._under_way = None  # left to end by itself; it no longer holds anything up
        waiting, self._waiting = self._waiting, collections.deque()
        for item in waiting:
            if callable(item):
                item()

    def _go_on(self) -> None:
        if self._handing_over:
            return  # called from inside a delivery or a callback: the loop below goes on with it
        self._handing_over = True
        try:
            while self._waiting and self._under_way is None:
                item = self._waiting.popleft()
                if callable(item):
                    item()
                else:
                    self._hand_over(item)
        finally:
            self._handing_over = False

    def _hand_over(self, update: JsonObject) -> None:
        try:
            outcome = self._deliver(update)
        except Exception as error:
            self.failures.append(error)
            return
        if inspect.isawaitable(outcome) and not self._dropped:
            self._under_way = self._tasks.start(self._finish(outcome))

    async def _finish(self, outcome: Awaitable[object]) -> None:
        try:
            await outcome
        except Exception as error:
            if not self._dropped:
                self.failures.append(error)
        if self._under_way is asyncio.current_task():
            self._under_way = None
            self._go_on()
