"""What a contract's model must and can do: safety, reachable and liveness properties, and the one step they look at.

A property reads one agent's cell and one segment's observations; it reads no row except to say which were taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from lifecycle_model.canonical import Cell, kind_of
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
    policies: Mapping[str, object] = field(default_factory=dict[str, object])
    whole: tuple[Observation, ...] | None = None
    """Everything observed in the segment, where the cell is a whole system."""

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

    @cached_property
    def taken(self) -> frozenset[str]:
        """The ids of the rows taken."""
        return frozenset(row.id for row in self.rows)

    def took(self, row: str) -> bool:
        """Tell whether a row was taken."""
        return row in self.taken

    def events(self) -> list[str]:
        """The names of what was seen, in order, without what listeners and callers got."""
        return [one.event for one in self.seen if one.event not in ("heard", "contained", "settled", "gate")]


def next_text(found: Iterator[str]) -> str | None:
    """The first thing that is wrong, or None."""
    return next(found, None)


def settles(seen: Observation, kind: str) -> bool:
    """Tell whether a call of this kind settled: `w` a waiter, `d` a dispose."""
    return seen.event == "settled" and kind_of(str(seen.of)) == kind


@dataclass(frozen=True)
class Safety:
    """An invariant: `check` says what is wrong with a step; `each` with one observation of the given events."""

    id: str
    clauses: tuple[str, ...]
    about: str
    check: Callable[[Step], str | None] | None = None
    each: Callable[[Ghost, Observation], str | None] | None = None
    events: tuple[str, ...] = ()

    def wrong(self, step: Step) -> str | None:
        """What is wrong with a step, or None."""
        if self.check is not None:
            return self.check(step)
        assert self.each is not None
        found = (self.each(ghost, seen) for ghost, seen in step.walk if seen.event in self.events)
        return next((text for text in found if text is not None), None)


@dataclass(frozen=True)
class Reachable:
    """Something that must happen somewhere: a model that does nothing must not pass.

    Shown by a step that satisfies `seen`, or by taking any row of `rows`.
    """

    id: str
    clauses: tuple[str, ...]
    about: str
    seen: Callable[[Step], bool] | None = None
    rows: frozenset[str] = frozenset()


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

    @cached_property
    def by_event(self) -> dict[str, list[Safety]]:
        """The invariants over single observations, by the event they look at."""
        found: dict[str, list[Safety]] = {}
        for one in self.safety:
            for event in one.events:
                found.setdefault(event, []).append(one)
        return found

    @cached_property
    def by_step(self) -> list[Safety]:
        """The invariants over whole steps."""
        return [one for one in self.safety if one.check is not None]

    def broken(self, step: Step) -> list[tuple[str, str]]:
        """Every invariant the step breaks, with what is wrong."""
        found: dict[str, str] = {}
        by_event = self.by_event
        for ghost, seen in step.walk:
            for one in by_event.get(seen.event, ()):
                assert one.each is not None
                if (text := one.each(ghost, seen)) is not None:
                    found.setdefault(one.id, text)
        for one in self.by_step:
            assert one.check is not None
            if (text := one.check(step)) is not None:
                found.setdefault(one.id, text)
        return list(found.items())

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
