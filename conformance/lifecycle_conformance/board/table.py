"""Owns a board as data: systems side by side, one cell for each check; refuses to run or to format anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

State = Literal["kept", "violated", "inconclusive", "out of reach", "not asked"]


class Row(msgspec.Struct, frozen=True):
    """A check or a clause group: its id, the group of rows it stands in, and its title."""

    id: str
    group: str
    title: str


class Failure(msgspec.Struct, frozen=True):
    """One failing run behind a red cell: what was done, what came back, the sentence, and how to repeat it."""

    run: str
    fingerprint: str
    summary: str
    sentence: str
    page: str
    sent: tuple[str, ...]
    came: tuple[str, ...]
    limit: str | None
    repeat: str

    @property
    def length(self) -> tuple[int, int, str]:
        """Return how long it is to read: the shortest one stands behind the cell."""
        return len(self.sent) + len(self.came), sum(map(len, (*self.sent, *self.came))), self.run


class Cell(msgspec.Struct, frozen=True):
    """How one system stands to one row; `why` says it for cells that are not violated and more than kept."""

    state: State
    runs: tuple[str, ...] = ()
    shortest: Failure | None = None
    why: str = ""

    @property
    def noted(self) -> bool:
        """Tell whether it is kept and something is worth knowing all the same."""
        return self.state == "kept" and bool(self.why)


class Column(msgspec.Struct, frozen=True):
    """One system: who it is, its verdict, its cells by row id; whether `repeats` whole runs found the `same`."""

    key: str
    name: str
    version: str
    package: str
    verdict: str
    about: str
    cells: dict[str, Cell]
    notes: tuple[str, ...] = ()
    repeats: int = 1
    same: bool = True


class Board(msgspec.Struct, frozen=True):
    """Several systems in one table, and the tree of sources it was made with."""

    title: str
    tree: str
    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    legend: str = ""

    def groups(self) -> tuple[str, ...]:
        """Return the groups of rows in their order."""
        return tuple(dict.fromkeys(row.group for row in self.rows))

    def cell(self, row: Row, column: Column) -> Cell:
        """Return a cell; a row that a system was never asked is `not asked`."""
        return column.cells.get(row.id, Cell("not asked"))


def shortest(failures: Sequence[Failure]) -> Failure | None:
    """Return the failure that takes least to read, or None where there is none."""
    return min(failures, key=lambda f: f.length, default=None)


def to_json(board: Board) -> bytes:
    """Encode a board; the same board gives the same bytes."""
    return msgspec.json.format(msgspec.json.encode(board, order="deterministic"), indent=2) + b"\n"


def from_json(data: bytes) -> Board:
    """Decode a board that `to_json` wrote."""
    return msgspec.json.decode(data, type=Board)
