"""Owns what the checks found in one run: which were exercised, and what was seen against which."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from lifecycle_conformance.acp.record import Record, Wait


@dataclass(frozen=True, slots=True)
class Seen:
    """Something seen against a check: one sentence, the lines it rests on, the limit it rests on if any."""

    check: str
    summary: str
    at: tuple[int, ...]
    wait: Wait | None = None
    note: bool = False


@dataclass(slots=True)
class Ledger:
    """The outcome of examining one run."""

    record: Record
    exercised: set[str] = field(default_factory=set[str])
    seen: list[Seen] = field(default_factory=list[Seen])

    def expect(self, check: str, holds: bool, summary: str, at: Iterable[int] = (), wait: Wait | None = None) -> None:
        """Note that a check was exercised and, unless it holds, what was seen against it."""
        self.exercised.add(check)
        if not holds:
            self.seen.append(Seen(check, summary, tuple(at), wait))

    def note(self, check: str, summary: str, at: Iterable[int] = (), wait: Wait | None = None) -> None:
        """Note something worth knowing that violates nothing."""
        self.exercised.add(check)
        self.seen.append(Seen(check, summary, tuple(at), wait, note=True))
