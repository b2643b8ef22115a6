"""A forked child for each mutant: it starts with everything its parent has planned, and takes its runtime with it.

Refuses to wait for ever: a child that does not answer in time is ended, and a sentence says so.
"""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection


def in_child(work: Callable[[], bytes], seconds: float) -> bytes | str:
    """What `work` gives in a forked child; a sentence if it gave nothing."""
    context = multiprocessing.get_context("fork")
    mine, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_answer, args=(work, theirs))
    # what is shared stays shared: a collection would touch, and so copy, all of it in every child
    gc.freeze()
    child.start()
    theirs.close()
    try:
        if not mine.poll(seconds):
            return f"it did not end within {seconds:g} s"
        done, given = mine.recv()
        return given if done else f"its process raised {given}"
    except EOFError:
        return "its process ended without an answer"
    finally:
        child.kill()
        child.join()
        mine.close()


def _answer(work: Callable[[], bytes], pipe: Connection) -> None:
    try:
        pipe.send((True, work()))
    except BaseException as error:
        pipe.send((False, f"{type(error).__name__}: {error}"))
