"""The event bus: three dispatch modes over global and scoped listeners. Knows no event by name."""

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar, cast

from lifecycle_runtime.errors import GateCancelled
from lifecycle_runtime.events import Event
from lifecycle_runtime.futures import FAILURES, TaskGroup, performed
from lifecycle_runtime.signals import Unsubscribe

E = TypeVar("E", bound=Event)
Listener: TypeAlias = Callable[[E], object]


@dataclass(frozen=True)
class ContainedFailure:
    """A failure that was kept from spreading: where, about whom, and what was raised."""

    event: str
    subject: object
    error: BaseException


ContainedHook: TypeAlias = Callable[[ContainedFailure], None]


def log_failure(failure: ContainedFailure) -> None:
    """Log a contained failure; the default hook."""
    logging.getLogger(__name__).error(
        "a listener of %s failed and was contained", failure.event, exc_info=failure.error
    )


class _Registration:
    """One listener; the same function may be registered twice."""

    def __init__(self, listener: "Listener[Event]") -> None:
        self.listener = listener


class AwaitedDispatch:
    """An awaited dispatch whose listeners have all been called; `settle` waits for them."""

    def __init__(self, outcomes: list[Awaitable[object] | BaseException]) -> None:
        self._outcomes = outcomes

    async def settle(self) -> None:
        """Wait for every listener, then raise the first failure in registration order."""
        waits = [_outcome(item) for item in self._outcomes if not isinstance(item, BaseException)]
        results = iter(await asyncio.gather(*waits) if waits else ())
        settled = [item if isinstance(item, BaseException) else next(results) for item in self._outcomes]
        for failure in settled:
            if isinstance(failure, asyncio.CancelledError):
                raise GateCancelled("a listener raised a cancellation") from failure
            if failure is not None:
                raise failure


async def _outcome(wait: Awaitable[object]) -> Exception | None:
    try:
        await performed(lambda: wait)
    except Exception as error:
        return error
    return None


class Bus:
    """Publishes events. Global listeners run before scoped ones, each group in registration order (P2)."""

    def __init__(self, contained: ContainedHook = log_failure) -> None:
        self._contained = contained
        # by scope (None: of every subject), so that one agent's events cost nothing per other agent
        self._registrations: dict[tuple[type[Event], object], list[_Registration]] = {}
        self._background = TaskGroup()

    def listen(self, event: type[E], listener: "Listener[E]", scope: object = None) -> Unsubscribe:
        """Register a listener: of every subject, or with a `scope` only of events published in it."""
        registration = _Registration(cast("Listener[Event]", listener))
        key = (event, scope)
        self._registrations.setdefault(key, []).append(registration)

        def remove() -> None:
            registered = self._registrations.get(key, [])
            if registration in registered:
                registered.remove(registration)
                if not registered:
                    del self._registrations[key]

        return remove

    @property
    def listeners(self) -> int:
        """How many listeners are registered."""
        return sum(map(len, self._registrations.values()))

    def contained(self, event: Event, scope: object = None) -> None:
        """Run every listener; failures, also later ones, only reach the contained hook."""
        for registration in self._audience(event, scope):
            try:
                outcome = registration.listener(event)
            except FAILURES as error:
                self.report(event.name, event.subject, error)
            else:
                self._watch(event, outcome)

    def vetoing(self, event: Event, scope: object = None) -> None:
        """Run listeners until one raises, and raise that; asynchronous failures are contained."""
        for registration in self._audience(event, scope):
            try:
                outcome = registration.listener(event)
            except asyncio.CancelledError as error:
                raise GateCancelled(f"a listener of {event.name} raised a cancellation") from error
            self._watch(event, outcome)

    def awaited(self, event: Event, scope: object = None) -> AwaitedDispatch:
        """Call every listener now; the result settles when all of them have."""
        outcomes: list[Awaitable[object] | BaseException] = []
        for registration in self._audience(event, scope):
            try:
                outcome = registration.listener(event)
            except FAILURES as error:
                outcomes.append(error)
            else:
                if inspect.isawaitable(outcome):
                    outcomes.append(outcome)
        return AwaitedDispatch(outcomes)

    def report(self, where: str, subject: object, error: BaseException) -> None:
        """Hand a failure to the contained hook; a failing hook is logged and changes nothing."""
        try:
            self._contained(ContainedFailure(where, subject, error))
        except Exception:
            logging.getLogger(__name__).exception("the hook for contained failures failed")

    def _audience(self, event: Event, scope: object) -> "list[_Registration]":
        everyone = self._registrations.get((type(event), None), [])
        scoped = self._registrations.get((type(event), scope), []) if scope is not None else []
        return [*everyone, *scoped]

    def _watch(self, event: Event, outcome: object) -> None:
        if inspect.isawaitable(outcome):
            self._background.start(self._await_contained(event, outcome))

    async def _await_contained(self, event: Event, outcome: Awaitable[object]) -> None:
        try:
            await performed(lambda: outcome)
        except Exception as error:
            self.report(event.name, event.subject, error)
