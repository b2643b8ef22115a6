"""An event loop that knows when it is quiet: nothing in it can run before the environment acts.

Refuses to sleep and to guess: the loop's own selector sees whether the loop would run on, wait for a timer (its
clock is virtual and jumps), wait for work outside the loop (counted, and waited for by name), or block. Only the
last is quiet. An endless synchronous loop cannot be seen from inside: judge such a system over stdio.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import selectors
import sys
import threading
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Generator, Mapping
from typing import TYPE_CHECKING, Any, TextIO

from lifecycle_conformance.systems.errors import NeverQuiet
from lifecycle_conformance.systems.schedule import Schedule

if TYPE_CHECKING:
    from _typeshed import FileDescriptorLike

PATIENCE = 10.0
"""Seconds to wait for counted work outside the loop."""

TURNS = 100_000
"""Turns of the loop, timers included, that one burst may take."""

_GLANCE = 0.02
"""Seconds after which work outside is looked after again."""

_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_CANCELLATIONS = 4  # as often is a task asked to end that goes on after a cancellation
_OWN_DESCRIPTORS = 1  # the loop's self-pipe


class _Outside:
    """Counts work outside the loop by name; any thread may enter and leave."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._names: Counter[str] = Counter()

    def __bool__(self) -> bool:
        return bool(self._names)

    def enter(self, name: str) -> None:
        """One more piece of work of this name."""
        with self._lock:
            self._names[name] += 1

    def leave(self, name: str) -> None:
        """One less."""
        with self._lock:
            self._names[name] -= 1
            if not self._names[name]:
                del self._names[name]

    def names(self) -> list[str]:
        """What is still waited for."""
        with self._lock:
            return sorted(self._names)


class _Selector(selectors.BaseSelector):
    """Sees what the loop is about to do, because the loop asks it with the time it is ready to wait."""

    def __init__(self, patience: float, turns: int) -> None:
        self._real = selectors.DefaultSelector()
        self._patience = patience
        self._limit = turns
        self._turns = 0
        self.outside = _Outside()
        self.on_quiet: Callable[[], None] = lambda: None
        self.arrange: Callable[[], bool] = lambda: False
        self.on_timer: Callable[[float], None] = lambda seconds: None

    def begin(self) -> None:
        """Start counting the turns of one burst."""
        self._turns = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Poll if the loop has work; else wait for counted work, jump to the next timer, or be quiet."""
        self._turns += 1
        if self._turns > self._limit:
            raise NeverQuiet(
                f"the system is still running after {self._limit} turns of its event loop",
                hint="something in it polls; wait for an event instead, or make the poll a gate",
            )
        if self.arrange():
            timeout = 0
        if self.outside:
            return self._wait_outside(timeout)
        events = self._real.select(0) if len(self._real.get_map()) > _OWN_DESCRIPTORS else []
        if not events and (timeout is None or timeout > 0):
            if timeout is None:
                self.on_quiet()
            else:
                self.on_timer(timeout)
        return events

    def _wait_outside(self, timeout: float | None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None and timeout <= 0:
            return self._real.select(0)
        until = time.monotonic() + self._patience
        while (left := until - time.monotonic()) > 0:
            events = self._real.select(min(left, _GLANCE))
            # work may end without a word to the loop, as when its last word came before its end
            if events or not self.outside:
                return events
        raise NeverQuiet(
            f"work outside the event loop did not end in {self._patience:g} s: {', '.join(self.outside.names())}",
            hint="end what a port began, also when it fails",
        )

    def register(self, fileobj: FileDescriptorLike, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: FileDescriptorLike) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def modify(self, fileobj: FileDescriptorLike, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.modify(fileobj, events, data)

    def get_map(self) -> Mapping[FileDescriptorLike, selectors.SelectorKey]:
        return self._real.get_map()

    def close(self) -> None:
        self._real.close()


class _Loop(asyncio.SelectorEventLoop):
    """An event loop on a virtual clock that stops itself when it would block."""

    def __init__(self, selector: _Selector, fault: Callable[[str], None]) -> None:
        self._clock = 0.0
        self._watch = selector
        self._fault = fault
        self._owner = threading.get_ident()
        self._held: list[asyncio.Handle] = []
        self.schedule: Schedule | None = None
        super().__init__(selector)
        selector.on_quiet = self.stop
        selector.arrange = self._arrange
        selector.on_timer = self._jump
        self.set_exception_handler(self._unhandled)

    def time(self) -> float:
        """Virtual seconds since the loop was made; they pass only when nothing else can run."""
        return self._clock

    def _arrange(self) -> bool:
        """Let one ready task run next, as the schedule says, and hold the others; True if there is one.

        Callbacks that are no task's step run first, in their order.
        """
        if self.schedule is None and not self._held:
            return False
        ready: deque[asyncio.Handle] = self._ready  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue] -- asyncio's own queue of what runs next
        steps = [*self._held, *(handle for handle in ready if _is_step(handle))]
        if not steps:
            return False
        rest = [handle for handle in ready if not _is_step(handle)]
        if self.schedule is None:
            chosen, self._held = steps, []
        else:
            chosen = [steps.pop(self.schedule.choose(len(steps)) if len(steps) > 1 else 0)]
            self._held = steps
        ready.clear()
        ready.extend((*rest, *chosen))
        return True

    def _jump(self, seconds: float) -> None:
        self._clock += seconds

    def _unhandled(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        said = str(context.get("message", "unhandled error"))
        self._fault(f"{said}: {type(error).__name__}: {error}" if error is not None else said)

    def call_soon_threadsafe(  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride] -- typeshed's TypeVarTuple is not repeated here
        self,
        callback: Callable[..., object],
        *args: Any,
        context: Any = None,
    ) -> asyncio.Handle:
        """As asyncio's; a call from a thread that no port counts is a fault, for quiet cannot see it coming."""
        if not self._watch.outside and threading.get_ident() != self._owner:
            self._fault("work in a thread that no port counts reached the event loop")
        return super().call_soon_threadsafe(callback, *args, context=context)

    def run_in_executor(  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride] -- as above
        self,
        executor: Any,
        func: Callable[..., Any],
        *args: Any,
    ) -> asyncio.Future[Any]:
        """As asyncio's, counted until its result is in the loop."""
        name = getattr(func, "__qualname__", type(func).__name__)
        self._watch.outside.enter(name)
        future: asyncio.Future[Any] = super().run_in_executor(executor, func, *args)
        future.add_done_callback(lambda _done: self._watch.outside.leave(name))
        return future


def _is_step(handle: asyncio.Handle) -> bool:
    """Whether a handle is a task's next step."""
    return isinstance(getattr(getattr(handle, "_callback", None), "__self__", None), asyncio.Task)


class Quiet:
    """Owns one event loop and runs it from quiet to quiet.

    `on_fault` hears of unhandled errors, warnings and uncounted threads while `listening`. Use from one thread.
    """

    def __init__(self, on_fault: Callable[[str], None], *, patience: float = PATIENCE, turns: int = TURNS) -> None:
        self._on_fault = on_fault
        self._options = (patience, turns)
        self._muted = False
        self._open()

    def _open(self) -> None:
        self._spoiled = False
        self._selector = _Selector(*self._options)
        self._scheduled = _Loop(self._selector, self._fault)
        self.loop: asyncio.AbstractEventLoop = self._scheduled

    def follow(self, schedule: Schedule | None) -> None:
        """Run ready tasks in the order of a schedule from now on; None for the loop's own order."""
        self._scheduled.schedule = schedule

    def _fault(self, text: str) -> None:
        if not self._muted:
            self._on_fault(_ADDRESS.sub("0x…", text))

    def _warned(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,  # the names are the hook's own; where and when never reach the judge
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        self._fault(f"{category.__name__}: {message}")

    def settle(self, act: Callable[[], None] | None = None) -> None:
        """Perform `act` in one uninterrupted segment, then run until quiet. Raises what `act` raised."""
        raised: list[BaseException] = []

        def segment() -> None:
            try:
                if act is not None:
                    act()
            except BaseException as error:  # carried out of the loop, whatever it is
                raised.append(error)
                self.loop.stop()

        self._selector.begin()
        self.loop.call_soon(segment)
        try:
            self.loop.run_forever()
        except NeverQuiet:
            self._spoiled = True
            raise
        if raised:
            raise raised[0]

    @contextlib.contextmanager
    def outside(self, name: str) -> Generator[None]:
        """Count work outside the loop while it lasts: the loop is not quiet before. Any thread may leave it."""
        loop, outside = self.loop, self._selector.outside
        outside.enter(name)
        try:
            yield
        finally:
            # first the wake is queued, then the count falls: the loop never blocks in between
            loop.call_soon_threadsafe(lambda: None)
            outside.leave(name)

    def tasks(self) -> list[asyncio.Task[Any]]:
        """The tasks of the loop that have not ended."""
        return [task for task in asyncio.all_tasks(self.loop) if not task.done()]

    def clear(self) -> list[str]:
        """Cancel whatever is left, unheard; names the tasks that would not end (the loop is then a new one)."""
        self._muted = True
        try:
            names = self._cancel_all()
        finally:
            self._muted = False
        names += self._selector.outside.names()
        if names:
            self._abandon()
            self._open()
        return names

    def _cancel_all(self) -> list[str]:
        left = self.tasks()
        for _ in range(_CANCELLATIONS):
            if not left and not self._spoiled:
                break
            for task in left:
                task.cancel()
            try:
                self.settle()
            except NeverQuiet:
                return sorted(task.get_name() for task in self.tasks()) or ["something that never ends"]
            self._spoiled = False
            left = self.tasks()
        return sorted(task.get_name() for task in left)

    def _abandon(self) -> None:
        """Let go of a loop whose tasks ignore cancellation: it never runs again."""
        self.loop.set_exception_handler(lambda loop, context: None)
        self.loop.close()

    def close(self) -> None:
        """End everything in the loop and close it; closing twice is allowed."""
        if not self.loop.is_closed():
            self.clear()
            self._muted = True
            self.settle(lambda: _ignore(self.loop.create_task(self.loop.shutdown_asyncgens())))
            self.loop.close()

    @contextlib.contextmanager
    def listening(self) -> Generator[None]:
        """Report warnings and unraisable errors as faults while it lasts."""
        unraisable = sys.unraisablehook
        sys.unraisablehook = lambda args: self._fault(
            f"ignored error: {args.err_msg or ''}{args.exc_type.__name__}: {args.exc_value}"
        )
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always")
                warnings.showwarning = self._warned
                yield
        finally:
            sys.unraisablehook = unraisable


def _ignore(_value: object) -> None:
    return None
