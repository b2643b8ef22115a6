"""Owns the worker processes of a long job: they end with the process that started them, however it ends.

Knows nothing of the work; refuses to outlive an interrupt by waiting for what nobody wants any more.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any


@contextmanager
def workers(jobs: int, opened: Callable[..., None] | None = None, *given: Any) -> Iterator[ProcessPoolExecutor]:
    """So many processes, each begun with `opened(*given)`; leaving with an exception ends them at once."""
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _open, (opened, given)) as pool:
        try:
            yield pool
        except BaseException:
            end(pool)
            raise


def end(pool: ProcessPoolExecutor) -> None:
    """End the processes with what they are at; what has not begun is cancelled."""
    for child in multiprocessing.active_children():
        child.terminate()
    pool.shutdown(wait=False, cancel_futures=True)


def _open(opened: Callable[..., None] | None, given: tuple[Any, ...]) -> None:
    # an interrupt at the terminal reaches every process; the one that was started decides what becomes of it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow, daemon=True).start()
    if opened is not None:
        opened(*given)


def _follow() -> None:
    """End this process when the one that started it has ended: a killed one cannot end its workers itself."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
