"""The quiet reading: perform a burst, then run until only the environment can act; every outcome the contract allows.

Orders across subjects are not told apart: two outcomes are one when the configuration and each subject's own
observations are the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from lifecycle_model.commands import AnyCommand, Burst
from lifecycle_model.engine import Engine, ModelError, Segment
from lifecycle_model.state import Configuration, OpenGate
from lifecycle_model.table import Row
from lifecycle_model.wire import UNSET, Answer, Observation

MAX_SEGMENTS = 4000
"""Internal segments after one burst at most; more is a livelock."""


class Restless(ModelError):
    """The system never becomes quiet (fairness F3 forbids it)."""


@dataclass(frozen=True)
class Outcomes:
    """One way a burst may go: where it ends, what it answered, what was seen (with the row that says it, if any)."""

    configuration: Configuration
    answers: tuple[Answer, ...]
    seen: tuple[Observation, ...]
    said: tuple[Row | None, ...]
    rows: tuple[Row, ...]


def by_subject(seen: tuple[Observation, ...]) -> tuple[tuple[str, tuple[object, ...]], ...]:
    """The observations grouped by subject, hashable; settled calls are one unordered group."""
    groups: dict[str, list[Observation]] = {}
    for one in seen:
        key = "·settled" if one.event == "settled" else ("" if one.of is UNSET else str(one.of))
        groups.setdefault(key, []).append(one)
    if "·settled" in groups:
        groups["·settled"].sort(key=lambda one: str(one.of))
    return tuple((name, tuple(_hashable(one) for one in group)) for name, group in sorted(groups.items()))


def _hashable(one: Observation) -> object:
    """What a listener read is a dictionary: its text stands for it."""
    return one if one.answers is UNSET and isinstance(one.ok, bool | str | None | type(UNSET)) else repr(one)


def perform(engine: Engine, configuration: Configuration, burst: Burst) -> tuple[Outcomes, ...]:
    """Perform a burst in one segment, then run until quiet, in every order that matters."""
    answers: list[Answer] = []
    trail = _Trail(configuration, (), (), ())
    for command in burst:
        segment = engine.perform(trail.configuration, command)
        answers.append(segment.answer)
        trail = trail.then(segment)
    ends = _settle(engine, trail)
    return tuple(Outcomes(end.configuration, tuple(answers), end.seen, end.said, end.rows) for end in ends)


@dataclass(frozen=True)
class _Trail:
    configuration: Configuration
    seen: tuple[Observation, ...]
    said: tuple[Row | None, ...]
    rows: tuple[Row, ...]

    def then(self, segment: Segment) -> _Trail:
        speakers: list[Row | None] = [None] * len(segment.seen)
        for index, row in segment.said:
            speakers[index] = row
        return _Trail(
            segment.configuration,
            self.seen + segment.seen,
            self.said + tuple(speakers),
            self.rows + segment.rows,
        )


def _settle(engine: Engine, trail: _Trail) -> list[_Trail]:
    steps = 0
    ends: dict[object, _Trail] = {}
    known: set[object] = set()
    open_trails = [trail]
    while open_trails:
        now = open_trails.pop()
        choices = _choices(now.configuration, engine.ready(now.configuration))
        if not choices:
            ends.setdefault((now.configuration, by_subject(now.seen)), now)
            continue
        for gate in choices:
            steps += 1
            if steps > MAX_SEGMENTS:
                raise Restless("the model does not become quiet: listeners keep each other busy (F3)")
            after = now.then(engine.advance(now.configuration, gate))
            if len(choices) > 1 or open_trails:
                key = (after.configuration, by_subject(after.seen))
                if key in known:
                    continue
                known.add(key)
            open_trails.append(after)
    return list(ends.values())


def _choices(configuration: Configuration, ready: list[OpenGate]) -> list[OpenGate]:
    """What to branch on: all ready gates of one subject where subjects cannot touch each other, else all of them."""
    if len(ready) < 2 or _coupled(configuration):
        return ready
    first = ready[0].of
    return [gate for gate in ready if gate.of == first]


def _coupled(configuration: Configuration) -> bool:
    """Tell whether an armed reaction may reach from one subject to another."""
    for armed in configuration.world.reactions:
        source = dict(armed.on).get("of")
        if any(_subject(command) != source for command in armed.then):
            return True
    return False


def _subject(command: AnyCommand) -> object:
    return getattr(command, "agent", None) or getattr(command, "of", None)
