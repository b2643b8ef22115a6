"""Pending messages in two FIFO lists, queued and steering. Publishes nothing and wakes nobody."""

from dataclasses import dataclass, replace

from lifecycle_runtime.values import JsonValue


@dataclass(frozen=True)
class ContextItem:
    """A message to log beside something else, with its id, already frozen."""

    id: str
    content: JsonValue
    source: JsonValue = "context"


@dataclass(frozen=True)
class Item:
    """An accepted message; immune to whatever its sender does later (Q1)."""

    id: str
    content: JsonValue
    source: JsonValue
    contexts: tuple[ContextItem, ...]
    wakeup: bool


class Inbox:
    """The two lists. *Pending* means in either; *waking* is read of the queued list only."""

    def __init__(self) -> None:
        self._queued: list[Item] = []
        self._steering: list[Item] = []

    @property
    def queued(self) -> tuple[Item, ...]:
        """Items waiting for a turn of their own."""
        return tuple(self._queued)

    @property
    def steering(self) -> tuple[Item, ...]:
        """Items waiting for a step."""
        return tuple(self._steering)

    @property
    def pending(self) -> bool:
        """Whether anything waits."""
        return bool(self._queued or self._steering)

    @property
    def waking(self) -> bool:
        """Whether a queued item asks for a turn (Q3)."""
        return any(item.wakeup for item in self._queued)

    def put(self, item: Item) -> None:
        """Queue at the tail."""
        self._queued.append(item)

    def steer(self, item: Item) -> None:
        """Add to the steering tail."""
        self._steering.append(item)

    def claim(self) -> Item:
        """Take the queued head (Q5)."""
        return self._queued.pop(0)

    def take_steered(self) -> Item | None:
        """Take the first steering item (Q/r10)."""
        return self._steering.pop(0) if self._steering else None

    def reroute(self) -> None:
        """Move all steering to the queued tail, as waking, in order (Q12)."""
        self._queued.extend(replace(item, wakeup=True) for item in self._steering)
        self._steering.clear()

    def clear(self) -> tuple[tuple[Item, bool], ...]:
        """Take everything, queued first; each with whether it was steering."""
        taken = [(item, False) for item in self._queued]
        self._queued.clear()
        return (*taken, *self.clear_steering())

    def clear_steering(self) -> tuple[tuple[Item, bool], ...]:
        """Take all steering (Q11)."""
        taken = tuple((item, True) for item in self._steering)
        self._steering.clear()
        return taken
