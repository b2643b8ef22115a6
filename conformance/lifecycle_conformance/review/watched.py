"""An engine that remembers what it meets, and the same for engines that others make. Refuses to know why it is asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lifecycle_conformance.review.values import Met
from lifecycle_model.engine import Engine, Now
from lifecycle_model.engine import Run as Segments
from lifecycle_model.table import Contract, Row


class Watched(Engine):
    """An engine that remembers at which steps it looked for a row, and the rows it took."""

    def __init__(self, contract: Contract) -> None:
        super().__init__(contract)
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        self.steps: set[str] = set()
        self.rows: set[str] = set()

    @property
    def met(self) -> Met:
        """What was met since it began."""
        return Met(tuple(self.steps), tuple(self.rows))

    def _choose(self, run: Segments, now: Now, step: str) -> Row | None:
        self.steps.add(step)
        row = super()._choose(run, now, step)
        if row is not None:
            self.rows.add(row.id)
        return row


@contextmanager
def watching() -> Iterator[Watched]:
    """Have every engine made meanwhile tell one that watches what it meets."""
    told = Watched.__new__(Watched)
    told.forget()
    usual = Engine._choose

    def choose(engine: Engine, run: Segments, now: Now, step: str) -> Row | None:
        told.steps.add(step)
        row = usual(engine, run, now, step)
        if row is not None:
            told.rows.add(row.id)
        return row

    Engine._choose = choose  # type: ignore[method-assign, assignment]  # an explorer makes engines of its own
    try:
        yield told
    finally:
        Engine._choose = usual  # type: ignore[method-assign]
