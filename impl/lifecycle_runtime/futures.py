"""Small tools over awaitables: one shared result for many callers, gates that may be plain functions."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar, cast

from lifecycle_runtime.errors import GateCancelled

T = TypeVar("T")

FAILURES = (Exception, asyncio.CancelledError)
"""What a plain call may raise without ending the program; no plain call can be cancelled in earnest."""


def mirror(source: "asyncio.Future[T]") -> "asyncio.Future[T]":
    """Return a future of the same result that its caller may cancel without touching `source`."""
    copy: asyncio.Future[T] = source.get_loop().create_future()

    def settle(done: "asyncio.Future[T]") -> None:
        if copy.done():
            return
        if done.cancelled():
            copy.cancel()
            return
        error = done.exception()
        if error is not None:
            copy.set_exception(error)
        else:
            copy.set_result(done.result())

    if source.done():
        settle(source)
    else:
        source.add_done_callback(settle)
    return copy


def resolved(value: T) -> "asyncio.Future[T]":
    """Return a future that already has its result."""
    future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
    future.set_result(value)
    return future


async def gated(call: Callable[[], Awaitable[T]]) -> T:
    """Enter a gate and wait for its outcome; a plain function in place of an async one is fine too.

    Code that cancels itself counts as failed (Q22); a cancellation of *this* task passes through.
    """
    return cast("T", await performed(call))


async def performed(call: Callable[[], object]) -> object:
    """Call something and, if it returns an awaitable, wait for it; as `gated`."""
    try:
        outcome = call()
        if inspect.isawaitable(outcome):
            return cast("object", await outcome)
        return outcome
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        raise GateCancelled("the gate cancelled itself; raise an ordinary exception to fail it") from error


async def first_of(*futures: "asyncio.Future[Any]") -> None:
    """Wait until one of the futures is done; none is cancelled and no outcome is consumed."""
    await asyncio.wait(futures, return_when=asyncio.FIRST_COMPLETED)


class TaskGroup:
    """Keeps background tasks alive until they end. Never cancels them."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        """Run `work` as a task that cannot be collected early."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    @property
    def busy(self) -> bool:
        """Whether a task is still running."""
        return bool(self._tasks)

    async def join(self) -> None:
        """Wait until no task is left, those started meanwhile included; outcomes stay with their owners."""
        while self._tasks:
            await asyncio.wait(set(self._tasks))
