"""A forked child for each mutant: it starts with everything its parent has planned, and takes its runtime with it.

Refuses to wait for ever: a child that has used its processor time is ended, and a sentence says so. The time is the
processor's, not the clock's, so a busy machine ends no hunt early.
"""

from __future__ import annotations

import gc
import math
import multiprocessing
import resource
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection

PATIENCE = 20
"""Seconds of the clock for each second of the processor: a child that waits for nothing ends, too."""


def in_child(work: Callable[[], bytes], seconds: float) -> bytes | str:
    """What `work` gives in a forked child; a sentence if it gave nothing."""
    context = multiprocessing.get_context("fork")
    mine, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_answer, args=(work, theirs, seconds))
    # what is shared stays shared: a collection would touch, and so copy, all of it in every child
    gc.freeze()
    child.start()
    theirs.close()
    try:
        if not mine.poll(seconds * PATIENCE):
            return f"it did not end within {seconds * PATIENCE:g} s"
        done, given = mine.recv()
        return given if done else f"its process raised {given}"
    except EOFError:
        child.join()
        if child.exitcode == -signal.SIGXCPU:
            return f"it did not end within {seconds:g} s of processor time"
        return f"its process ended without an answer ({child.exitcode})"
    finally:
        child.kill()
        child.join()
        mine.close()


def _answer(work: Callable[[], bytes], pipe: Connection, seconds: float) -> None:
    spare = math.ceil(seconds) + 5
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), spare))
    try:
        pipe.send((True, work()))
    except BaseException as error:
        pipe.send((False, f"{type(error).__name__}: {error}"))
