"""The quiet loop: what it waits for, what it jumps over, what it calls quiet, and what it reports as a fault."""

from __future__ import annotations

import asyncio
import threading
import time
import warnings
from collections.abc import Iterator

import pytest

from lifecycle_conformance.systems.errors import NeverQuiet
from lifecycle_conformance.systems.quiet import Quiet


class Owned:
    """A quiet loop and the faults it reported."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.quiet = Quiet(self.faults.append, patience=0.5, turns=500)
        self.events: list[str] = []

    def start(self, work: object) -> asyncio.Task[object]:
        return self.quiet.loop.create_task(work)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType] -- a coroutine


@pytest.fixture
def owned() -> Iterator[Owned]:
    one = Owned()
    yield one
    one.quiet.close()


def test_a_segment_is_uninterrupted_and_then_the_loop_runs_until_quiet(owned: Owned) -> None:
    async def work(name: str) -> None:
        for step in range(3):
            owned.events.append(f"{name}{step}")
            await asyncio.sleep(0)

    def act() -> None:
        owned.start(work("a"))
        owned.start(work("b"))
        owned.events.append("acted")

    owned.quiet.settle(act)
    assert owned.events == ["acted", "a0", "b0", "a1", "b1", "a2", "b2"]


def test_what_waits_for_the_environment_is_quiet(owned: Owned) -> None:
    gate = asyncio.Event()

    async def work() -> None:
        await gate.wait()
        owned.events.append("through")

    owned.quiet.settle(lambda: owned.events.append(owned.start(work()).get_name()[:0]))
    assert owned.events == [""]
    owned.quiet.settle()
    assert owned.events == [""]
    owned.quiet.settle(gate.set)
    assert owned.events == ["", "through"]


def test_timers_jump_in_their_order_without_taking_time(owned: Owned) -> None:
    async def work(seconds: float) -> None:
        await asyncio.sleep(seconds)
        owned.events.append(f"{seconds:g}")

    began = time.monotonic()
    owned.quiet.settle(lambda: [owned.start(work(seconds)) for seconds in (3600, 60, 7200)].clear())
    assert owned.events == ["60", "3600", "7200"]
    assert time.monotonic() - began < 1
    assert owned.quiet.loop.time() == pytest.approx(7200)


def test_work_in_an_executor_is_waited_for(owned: Owned) -> None:
    async def work() -> None:
        await asyncio.to_thread(time.sleep, 0.05)
        owned.events.append("slept")

    owned.quiet.settle(lambda: owned.events.append(str(owned.start(work()).done())))
    assert owned.events == ["False", "slept"]
    assert owned.faults == []


def test_a_thread_that_a_port_counts_is_waited_for(owned: Owned) -> None:
    loop = owned.quiet.loop

    def act() -> None:
        outside = owned.quiet.outside("the worker")
        outside.__enter__()

        def work() -> None:
            time.sleep(0.05)
            loop.call_soon_threadsafe(owned.events.append, "worked")
            outside.__exit__(None, None, None)

        threading.Thread(target=work).start()

    owned.quiet.settle(act)
    assert owned.events == ["worked"]
    assert owned.faults == []


def test_a_thread_that_nobody_counts_is_a_fault(owned: Owned) -> None:
    def act() -> None:
        thread = threading.Thread(target=owned.quiet.loop.call_soon_threadsafe, args=(lambda: None,))
        thread.start()
        thread.join()

    owned.quiet.settle(act)
    assert owned.faults == ["work in a thread that no port counts reached the event loop"]


def test_counted_work_that_never_ends_is_named(owned: Owned) -> None:
    stuck = owned.quiet.outside("the stuck worker")
    stuck.__enter__()
    with pytest.raises(NeverQuiet, match="the stuck worker"):
        owned.quiet.settle()
    stuck.__exit__(None, None, None)


def test_a_loop_that_polls_is_never_quiet(owned: Owned) -> None:
    async def poll() -> None:
        while True:
            await asyncio.sleep(0)

    with pytest.raises(NeverQuiet, match="still running"):
        owned.quiet.settle(lambda: owned.events.append(str(owned.start(poll()).done())))
    assert owned.quiet.clear() == []


def test_a_timer_that_renews_itself_is_never_quiet(owned: Owned) -> None:
    def again() -> None:
        owned.quiet.loop.call_later(1, again)

    with pytest.raises(NeverQuiet, match="still running"):
        owned.quiet.settle(again)


def test_what_the_segment_raises_is_raised(owned: Owned) -> None:
    def act() -> None:
        raise LookupError("here")

    with pytest.raises(LookupError, match="here"):
        owned.quiet.settle(act)
    owned.quiet.settle(lambda: owned.events.append("after"))
    assert owned.events == ["after"]


def test_unhandled_errors_and_warnings_are_faults_without_addresses(owned: Owned) -> None:
    async def fail() -> None:
        raise ValueError(f"bad {object()!r}")

    def act() -> None:
        owned.start(fail())
        made = [fail()]
        made.clear()  # never awaited
        warnings.warn("old", DeprecationWarning, stacklevel=1)

    with owned.quiet.listening():
        owned.quiet.settle(act)
    assert sorted(owned.faults) == [
        "DeprecationWarning: old",
        "RuntimeWarning: coroutine "
        "'test_unhandled_errors_and_warnings_are_faults_without_addresses.<locals>.fail' was never awaited",
        "Task exception was never retrieved: ValueError: bad <object object at 0x…>",
    ]


def test_clearing_cancels_what_is_left_unheard_and_begins_anew(owned: Owned) -> None:
    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            raise ValueError("on the way out")

    owned.quiet.settle(lambda: owned.events.append(str(owned.start(wait()).done())))
    assert len(owned.quiet.tasks()) == 1
    loop = owned.quiet.loop
    assert owned.quiet.clear() == []
    assert owned.quiet.tasks() == []
    assert owned.quiet.loop is loop
    assert owned.faults == []


def test_tasks_that_ignore_cancellation_are_named_and_left_behind(owned: Owned) -> None:
    async def stubborn() -> None:
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                owned.events.append("no")

    def act() -> None:
        owned.start(stubborn()).set_name("the stubborn one")

    owned.quiet.settle(act)
    before = owned.quiet.loop
    assert owned.quiet.clear() == ["the stubborn one"]
    assert owned.quiet.loop is not before
    owned.quiet.settle(lambda: owned.events.append("fresh"))
    assert owned.events[-1] == "fresh"


def test_a_burst_costs_little() -> None:
    owned = Owned()
    gate = asyncio.Event()

    async def echo() -> None:
        while True:
            await gate.wait()
            gate.clear()

    owned.quiet.settle(lambda: owned.events.append(str(owned.start(echo()).done())))
    best = 1.0
    for _ in range(5):
        began = time.perf_counter()
        for _ in range(200):
            owned.quiet.settle(gate.set)
        best = min(best, (time.perf_counter() - began) / 200)
    owned.quiet.close()
    assert best < 0.00015, f"{best * 1e6:.0f} µs"
