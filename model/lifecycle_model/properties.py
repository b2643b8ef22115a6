"""What a contract's model must and can do: safety, reachable and liveness properties, and the one step they look at.

A property reads one agent's cell and one segment's observations; it reads no row except to say which were taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lifecycle_model.canonical import Cell
from lifecycle_model.commands import AnyCommand
from lifecycle_model.ghost import Ghost, fold
from lifecycle_model.state import OpenGate
from lifecycle_model.table import Row
from lifecycle_model.wire import Answer, Observation


@dataclass(frozen=True)
class Step:
    """One segment as one agent saw it: its cell before and after, what was asked and what was observed of it."""

    name: str
    before: Cell
    after: Cell
    """With the names of this segment, not yet canonical."""
    seen: tuple[Observation, ...]
    answer: Answer
    rows: tuple[Row, ...]
    command: AnyCommand | None
    """What the environment asked of this agent; None for an internal segment, or when another agent was asked."""
    gate: OpenGate | None
    """The gate of this agent whose leaving made the segment."""
    heard: bool
    """A listener acted inside the segment."""

    @cached_property
    def walk(self) -> tuple[tuple[Ghost, Observation], ...]:
        """Each observation with the ghost right before it."""
        return tuple(self._walk())

    def _walk(self) -> Iterator[tuple[Ghost, Observation]]:
        ghost = self.before.ghost
        for one in self.seen:
            yield ghost, one
            ghost = fold(ghost, one, self.gate)

    @property
    def was(self) -> Any:
        """The component before."""
        return self.before.part

    @property
    def now(self) -> Any:
        """The component after."""
        return self.after.part

    def took(self, row: str) -> bool:
        """Tell whether a row was taken."""
        return any(one.id == row for one in self.rows)

    def events(self) -> list[str]:
        """The names of what was seen, in order, without what listeners and callers got."""
        return [one.event for one in self.seen if one.event not in ("heard", "contained", "settled", "gate")]


@dataclass(frozen=True)
class Safety:
    """An invariant: `check` says what is wrong with a step, or None."""

    id: str
    clauses: tuple[str, ...]
    about: str
    check: Callable[[Step], str | None]


@dataclass(frozen=True)
class Reachable:
    """Something that must happen somewhere: a model that does nothing must not pass."""

    id: str
    clauses: tuple[str, ...]
    about: str
    seen: Callable[[Step], bool]


@dataclass(frozen=True)
class Liveness:
    """Something that must not last: no fair run stays `stuck` for ever without a step that makes `progress`.

    `aborted_only`: of the gates the environment holds, only those that saw an abort are assumed to settle.
    `busy`: the run may be disturbed by endlessly many commands of the environment (else finitely many, F3).
    """

    id: str
    clauses: tuple[str, ...]
    about: str
    assumes: tuple[str, ...]
    stuck: Callable[[Cell], bool]
    progress: Callable[[Step], bool]
    aborted_only: bool = False
    busy: bool = False


@dataclass(frozen=True)
class Properties:
    """The properties an exploration checks."""

    safety: tuple[Safety, ...] = ()
    reachable: tuple[Reachable, ...] = ()
    liveness: tuple[Liveness, ...] = ()

    def only(self, name: str) -> Properties:
        """The one property of this id; raises KeyError naming the known ones."""
        found = Properties(
            tuple(one for one in self.safety if one.id == name),
            tuple(one for one in self.reachable if one.id == name),
            tuple(one for one in self.liveness if one.id == name),
        )
        if not (found.safety or found.reachable or found.liveness):
            raise KeyError(f"no property {name!r}; known are {', '.join(self.ids())}")
        return found

    def ids(self) -> list[str]:
        """Every property's id."""
        return [one.id for group in (self.safety, self.reachable, self.liveness) for one in group]
