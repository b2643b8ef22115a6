"""Waiting that ends at an abort: the one way the models, tools and processes here watch a signal."""

import asyncio
from collections.abc import Awaitable, Generator
from contextlib import contextmanager
from typing import TypeVar

from lifecycle_runtime.errors import LifecycleError
from lifecycle_runtime.signals import Signal

T = TypeVar("T")


class AbortedWait(LifecycleError):
    """The signal was aborted while something was awaited; what was awaited has ended."""

    code = "aborted_wait"


@contextmanager
def abort_future(signal: Signal) -> "Generator[asyncio.Future[None]]":
    """Give a future that is done once the signal is aborted; the observer is removed at the end."""
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def settle() -> None:
        if not future.done():
            future.set_result(None)

    remove = signal.on_abort(settle)
    try:
        yield future
    finally:
        remove()
        settle()


async def unless_aborted(work: Awaitable[T], signal: Signal) -> T:
    """Await `work`, or cancel it at the abort, wait for its end, and raise `AbortedWait`."""
    task = asyncio.ensure_future(work)
    with abort_future(signal) as aborted:
        try:
            await asyncio.wait((task, aborted), return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task})
    if task.cancelled():
        raise AbortedWait("stopped: the turn was aborted")
    return task.result()
