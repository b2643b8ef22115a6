"""Owns a session's log: append-only, validated, observed record by record (sections L and Q25's grammar of numbers)."""

from __future__ import annotations

from collections.abc import Callable

from lifecycle_conformance.systems.stepped.bus import Awaited, Bus, Event, Refused

UNVALIDATED = frozenset({"step/end", "turn/end", "tool/call", "tool/result"})
"""Records no validation may refuse (L/r3)."""


class Log:
    """One session's records. `attached` while a store has it: only then appends are validated and observed (L8)."""

    def __init__(self, of: str, bus: Bus, validate: Callable[[str, str], None]) -> None:
        self.of = of
        self.records: list[tuple[str, dict[str, object]]] = []
        self.attached = False
        self.appending = False
        self.turn: int | None = None
        """The open turn."""
        self.step: int | None = None
        """The open step."""
        self.last = 0
        """The highest turn number logged."""
        self._bus = bus
        self._validate = validate

    def append(self, name: str, **says: object) -> None:
        """Append one record; returns exactly when it is committed (L2). Raises, and leaves nothing, if it is refused."""
        self.append_unless(lambda: False, name, says)

    def append_unless(self, given_up: Callable[[], bool], name: str, says: dict[str, object]) -> bool:
        """As `append`; but if it is given up by the time it is validated, nothing is left, and this gives False."""
        if self.appending:
            raise Refused("reentrant_append", "an observer of an append appends to the same log")
        if name == "turn/start" and self.turn is not None:
            raise Refused("invalid", "a turn is open")
        self.appending = self.attached
        try:
            if self.attached and name not in UNVALIDATED:
                self._validate(self.of, name)
            if given_up():
                return False
            self.records.append((name, says))
            self._count(name, says)
            if self.attached:
                self._bus.publish(Event(name, self.of, says))
        finally:
            self.appending = False
        return True

    def flush(self) -> Awaited:
        """Begin a flush."""
        return self._bus.ask(Event("session/flush", self.of, {"state": "start"}))

    def flushed(self, flush: Awaited) -> Exception | None:
        """Say that a flush settled; gives its failure."""
        self._bus.observe(Event("session/flush", self.of, {"state": "settled", "ok": flush.failure is None}))
        return flush.failure

    def _count(self, name: str, says: dict[str, object]) -> None:
        number = says.get("turn")
        if name == "turn/start" and isinstance(number, int):
            self.turn = number
            self.last = max(self.last, number)
        elif name == "turn/end":
            self.turn = self.step = None
        elif name == "step/start":
            step = says["step"]
            self.step = step if isinstance(step, int) else None
        elif name == "step/end":
            self.step = None
