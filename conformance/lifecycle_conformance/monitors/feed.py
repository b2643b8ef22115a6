"""Owns the order in which a monitor meets a trace: what was asked, what was seen, what was read, and quiet.

Refuses to order what the protocol leaves open: the commands of a burst come before all it shows, observations count
in order per subject, and a read in the middle of a burst has no place among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from lifecycle_conformance.monitors.finding import Shown
from lifecycle_conformance.monitors.life import Life
from lifecycle_conformance.monitors.story import INERT, Story, inner
from lifecycle_model.commands import AnyCommand, Create, Json, Read, Resume, Session
from lifecycle_model.wire import UNSET, Answer, Observation, TraceBurst

Values = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Asked:
    """A command with its answer. `first`: nothing before it in its burst could have changed anything."""

    index: int
    command: AnyCommand
    answer: Answer
    first: bool
    life: Life | None


@dataclass(frozen=True, slots=True)
class Saw:
    """An observation and its subject's life before it; nothing lives that has no subject."""

    index: int
    at: int
    seen: Observation
    life: Life


@dataclass(frozen=True, slots=True)
class Looked:
    """What a read gave. `when`: at `quiet`, `inside` the dispatch just heard of, or some `time` in the burst."""

    index: int
    at: int
    command: Read
    values: Values
    when: str
    life: Life | None

    @property
    def inspect(self) -> Values | None:
        """The snapshot, if the read gave one."""
        value = self.values.get("inspect")
        return cast("Values", value) if isinstance(value, Mapping) else None

    @property
    def status(self) -> Json:
        """The status read."""
        inspect = self.inspect or {}
        return inspect.get("status", self.values.get("status"))


@dataclass(frozen=True, slots=True)
class Quiet:
    """A burst came to its end: nothing runs until the environment acts."""

    index: int


Moment = Asked | Saw | Looked | Quiet


@dataclass(eq=False, slots=True)
class Feed:
    """Reads bursts into moments and keeps what everyone needs: the story, and every subject's present life."""

    shown: Shown
    story: Story = field(default_factory=Story)
    lives: dict[str, Life] = field(default_factory=dict[str, Life])
    meddled: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    entries: dict[str, str] = field(default_factory=dict[str, str])

    def moments(self, bursts: Sequence[TraceBurst]) -> Iterator[Moment]:
        """Give every moment in order. A life is brought up to date after the moment that changes it."""
        for index, burst in enumerate(bursts):
            answers = [burst.calls[n] if n < len(burst.calls) else Answer() for n in range(len(burst.do))]
            ahead = next((n for n, command in enumerate(burst.do) if not isinstance(command, Read)), len(burst.do))
            for command, answer in zip(burst.do[:ahead], answers[:ahead], strict=True):
                yield from self._looked(index, -1, command, answer, "quiet")
            self.story.ask(index, burst.do, answers)
            self._before(index, burst.do)
            first = True
            for command, answer in zip(burst.do, answers, strict=True):
                yield Asked(index, command, answer, first, self.lives.get(_about(command)))
                first = first and isinstance(command, INERT)
            for command, answer in zip(burst.do[ahead:], answers[ahead:], strict=True):
                yield from self._looked(index, -1, command, answer, "time")
            for at, seen in enumerate(burst.seen):
                if self.shown.has(seen.event):
                    yield from self._saw(index, at, seen)
            yield Quiet(index)

    def _saw(self, index: int, at: int, seen: Observation) -> Iterator[Moment]:
        if seen.event == "settled":
            self.story.settle(index, seen)
        life = self._life(index, seen)
        yield Saw(index, at, seen, life)
        if self._begins(seen) and (life.session_created or life.agent_created or life.over):
            # announced over a life that never ended: the monitors saw it; what follows is judged as a new one
            life = self._new(index, life.id)
        life.take(seen)
        if seen.event == "heard":
            yield from self._heard(index, at, seen)

    def _heard(self, index: int, at: int, seen: Observation) -> Iterator[Looked]:
        reaction = self.story.reactions.get(str(seen.as_))
        if reaction is None or seen.answers is UNSET:
            return
        for command, answer in zip(reaction.then, seen.answers, strict=False):
            when = "inside" if isinstance(command, Read) and command.agent == seen.of else "time"
            yield from self._looked(index, at, command, answer, when)

    def _looked(self, index: int, at: int, command: AnyCommand, answer: Answer, when: str) -> Iterator[Looked]:
        if isinstance(command, Read) and isinstance(answer.ok, Mapping):
            yield Looked(index, at, command, cast("Values", answer.ok), when, self.lives.get(_about(command)))

    def _life(self, index: int, seen: Observation) -> Life:
        id_ = seen.of if isinstance(seen.of, str) else ""
        life = self.lives.get(id_)
        if life is None or (life.over and self._begins(seen)):
            life = self._new(index, id_)
        return life

    def _new(self, index: int, id_: str) -> Life:
        self.lives[id_] = Life(id_, self.shown, index, meddled=self.meddled.setdefault(id_, set()))
        return self.lives[id_]

    def _begins(self, seen: Observation) -> bool:
        first = next((name for name in _ANNOUNCING if self.shown.has(name)), None)
        return seen.event == first

    def _before(self, index: int, commands: Sequence[AnyCommand]) -> None:
        """Note what a burst does to logs and ids behind the driver's back, before what it shows."""
        for command in commands:
            for each in inner(command):
                if isinstance(each, Session):
                    self._meddle(each)
                elif isinstance(each, Create | Resume):
                    self._asked_again(index, each)

    def _meddle(self, command: Session) -> None:
        id_ = command.id if command.id is not None else self.entries.get(str(command.as_))
        if id_ is None:
            return
        if command.as_ is not None:
            self.entries[command.as_] = id_
        self.meddled.setdefault(id_, set()).add(command.act)

    def _asked_again(self, index: int, command: Create | Resume) -> None:
        if isinstance(command, Create) and command.seed:
            self.meddled.setdefault(command.id, set()).add("seed")
        life = self.lives.get(command.id)
        announced = not self.shown.events.isdisjoint(_ANNOUNCING)
        if life is not None and not announced and (life.over or life.disposed):
            self._new(index, command.id)


_ANNOUNCING = ("session/created", "agent/created", "agent/session-start")


def _about(command: AnyCommand) -> str:
    """Whom a command names."""
    for name in ("agent", "session", "id", "of"):
        found = getattr(command, name, None)
        if isinstance(found, str):
            return found
    return ""
