"""Owns dispatch: contained, vetoing and awaited, to global listeners before scoped ones. Knows no event by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol


class Refused(Exception):
    """What a verb raises: a code the caller can tell apart."""

    def __init__(self, code: str, text: str = "") -> None:
        super().__init__(text or code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Event:
    """Something published: its name, whom it is about, and what it says."""

    name: str
    of: str
    says: dict[str, object]


class Ticket(Protocol):
    """What is waited for: whether it came, and with which failure."""

    @property
    def ready(self) -> bool:
        """It came."""
        ...

    @property
    def failure(self) -> Exception | None:
        """What it failed with; asked once it is ready."""
        ...


@dataclass(frozen=True, slots=True)
class Failing:
    """What a listener gives that fails only after it returned."""

    failure: Exception
    ready: bool = True


Listener = Callable[[Event], Ticket | None]


@dataclass(eq=False, slots=True)
class Listening:
    """One listener's registration; `scope` is the agent whose scope it dies with."""

    hears: Listener
    scope: str | None = None
    live: bool = True


class Awaited:
    """An awaited dispatch under way: settled when every listener is, failed with the first failure in their order."""

    def __init__(self, tickets: list[Ticket]) -> None:
        self._tickets = tickets

    @property
    def ready(self) -> bool:
        """Every listener is done."""
        return all(ticket.ready for ticket in self._tickets)

    @property
    def failure(self) -> Exception | None:
        """The first failure in the order of registration."""
        return next((one.failure for one in self._tickets if one.failure is not None), None)


class Bus:
    """Publishes. `observe` sees everything first and cannot fail; `contained` is told of failures nobody else hears."""

    def __init__(self, observe: Callable[[Event], None], contained: Callable[[Event, Exception], None]) -> None:
        self.observe = observe
        self._contained = contained
        self._listening: list[Listening] = []

    def listen(self, listening: Listening) -> Listening:
        """Register a listener."""
        self._listening.append(listening)
        return listening

    def end_scope(self, scope: str) -> None:
        """Remove what was registered for a scope."""
        for one in self._listening:
            if one.scope == scope:
                one.live = False
        self._listening = [one for one in self._listening if one.live]

    def publish(self, event: Event) -> None:
        """Contained: every listener runs, and what fails is only logged."""
        self.observe(event)
        for one in self._audience(event):
            try:
                later = one.hears(event)
            except Exception as error:
                self._contained(event, error)
            else:
                if later is not None and later.failure is not None:
                    self._contained(event, later.failure)

    def offer(self, event: Event) -> None:
        """Vetoing: what a listener throws stops the dispatch and reaches the publisher."""
        self.observe(event)
        for one in self._audience(event):
            later = one.hears(event)
            if later is not None and later.failure is not None:
                self._contained(event, later.failure)

    def ask(self, event: Event) -> Awaited:
        """Awaited: every listener runs; what they give is waited for."""
        self.observe(event)
        tickets: list[Ticket] = []
        for one in self._audience(event):
            try:
                ticket = one.hears(event)
            except Exception as error:
                ticket = Failing(error)
            if ticket is not None:
                tickets.append(ticket)
        return Awaited(tickets)

    def _audience(self, event: Event) -> Iterator[Listening]:
        """Who hears it: global listeners, then those of the subject's scope; one removed on the way no more."""
        everyone = [one for one in self._listening if one.scope is None]
        everyone += [one for one in self._listening if one.scope == event.of]
        return (one for one in everyone if one.live)
