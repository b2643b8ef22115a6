"""Owns the form of a monitor: one invariant over raw moments, with a tiny state of its own. Refuses to read rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Generic, TypeVar

from lifecycle_conformance.monitors.feed import Asked, Feed, Looked, Quiet, Saw
from lifecycle_conformance.monitors.finding import Shown
from lifecycle_conformance.monitors.life import Life
from lifecycle_conformance.monitors.story import Story

S = TypeVar("S")


class Monitor:
    """Judges one I clause. Each hook yields what is wrong, in a sentence that names the subject.

    `events` names the observations it wants (none: all of them); a monitor that is never asked costs nothing.
    """

    clause: ClassVar[str]
    events: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, feed: Feed) -> None:
        self.feed = feed

    @property
    def shown(self) -> Shown:
        """What may be judged."""
        return self.feed.shown

    @property
    def story(self) -> Story:
        """What was asked so far."""
        return self.feed.story

    def asked(self, moment: Asked) -> Iterator[str]:
        """A command, before anything its burst shows."""
        yield from ()

    def saw(self, moment: Saw) -> Iterator[str]:
        """An observation, with the life before it."""
        yield from ()

    def looked(self, moment: Looked) -> Iterator[str]:
        """What a read gave."""
        yield from ()

    def quiet(self, moment: Quiet) -> Iterator[str]:
        """The end of a burst."""
        yield from ()


class PerLife(Generic[S]):
    """A monitor's own state for every life, made when first asked for."""

    def __init__(self, make: type[S]) -> None:
        self._make = make
        self._kept: dict[int, tuple[Life, S]] = {}

    def of(self, life: Life) -> S:
        """The state of this life."""
        found = self._kept.get(id(life))
        if found is None:
            # the life is kept with its state, so its identity is never given to another
            found = self._kept[id(life)] = (life, self._make())
        return found[1]

    def __iter__(self) -> Iterator[tuple[Life, S]]:
        return iter(list(self._kept.values()))
