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
"""Internal segments after one burst at most, in one order; more is a livelock."""

MAX_ORDERS = 12_000
"""Internal segments after one burst at most, in all orders together: seconds of work."""


UNORDERED = ("settled", "output")
"""Events and gates whose order among the others is not the contract's."""


class Restless(ModelError):
    """The system never becomes quiet (fairness F3 forbids it)."""


class Crowded(ModelError):
    """More happens at once than its orders can be told apart in reasonable time: a limit of ours, nobody's fault."""


@dataclass(frozen=True)
class Outcomes:
    """One way a burst may go: where it ends, what it answered, what was seen (with the row that says it, if any)."""

    configuration: Configuration
    answers: tuple[Answer, ...]
    seen: tuple[Observation, ...]
    said: tuple[Row | None, ...]
    rows: tuple[Row, ...]


def by_subject(seen: tuple[Observation, ...]) -> tuple[tuple[str, tuple[object, ...]], ...]:
    """The observations grouped by subject, hashable; settled calls, and gates of output, are unordered."""
    groups: dict[str, list[Observation]] = {}
    for one in seen:
        if one.event == "output":
            continue  # which records make an update is the system's to choose
        loose = one.event if one.event in UNORDERED else one.gate
        key = f"·{loose}" if loose in UNORDERED else ("" if one.of is UNSET else str(one.of))
        groups.setdefault(key, []).append(one)
    for name in UNORDERED:
        groups.get(f"·{name}", []).sort(key=lambda one: str(one.of))
    return tuple((name, tuple(_hashable(one) for one in group)) for name, group in sorted(groups.items()))


def _hashable(one: Observation) -> object:
    """What a listener read is a dictionary: its text stands for it."""
    return one if one.answers is UNSET and isinstance(one.ok, bool | str | None | type(UNSET)) else repr(one)


def perform(engine: Engine, configuration: Configuration, burst: Burst) -> tuple[Outcomes, ...]:
    """Perform a burst in one segment, then run until quiet, in every order that matters."""
    trails = [_Trail(configuration)]
    for command in burst:
        trails = [trail.then(one) for trail in trails for one in _either(engine, trail, command)]
    ends = [end for trail in trails for end in _settle(engine, trail)]
    found: dict[object, _Trail] = {}
    for end in ends:
        found.setdefault((end.configuration, _hashable_answers(end.answers), by_subject(end.seen)), end)
    return tuple(Outcomes(end.configuration, end.answers, end.seen, end.said, end.rows) for end in found.values())


def _either(engine: Engine, trail: _Trail, command: AnyCommand) -> list[Segment]:
    """The command's segment; the other one, too, where the contract lets something happen now or later."""
    now = engine.perform(trail.configuration, command)
    return [now, engine.perform(trail.configuration, command, late=True)] if now.either else [now]


def _hashable_answers(answers: tuple[Answer, ...]) -> object:
    return tuple(repr(one) if isinstance(one.ok, dict | list) else one for one in answers)


@dataclass(frozen=True)
class _Trail:
    configuration: Configuration
    answers: tuple[Answer, ...] = ()
    seen: tuple[Observation, ...] = ()
    said: tuple[Row | None, ...] = ()
    rows: tuple[Row, ...] = ()
    length: int = 0
    """Segments so far that nobody asked for."""

    def then(self, segment: Segment, answered: bool = True) -> _Trail:
        """The trail with one more segment."""
        speakers: list[Row | None] = [None] * len(segment.seen)
        for index, row in segment.said:
            speakers[index] = row
        return _Trail(
            segment.configuration,
            (*self.answers, segment.answer) if answered else self.answers,
            self.seen + segment.seen,
            self.said + tuple(speakers),
            self.rows + segment.rows,
            self.length + (not answered),
        )


def _settle(engine: Engine, trail: _Trail) -> list[_Trail]:
    steps = 0
    ends: dict[object, _Trail] = {}
    known: set[object] = set()
    open_trails = [trail]
    while open_trails:
        now = open_trails.pop()
        choices = _choices(engine, now.configuration, engine.ready(now.configuration))
        if not choices:
            ends.setdefault((now.configuration, by_subject(now.seen)), now)
            continue
        for gate in choices:
            steps += 1
            if now.length > MAX_SEGMENTS:
                raise Restless("the model does not become quiet: listeners keep each other busy (F3)")
            if steps > MAX_ORDERS:
                raise Crowded(
                    "too many orders of what runs at once to tell apart: let listeners act on their own agent, or less in one burst"
                )
            segment = engine.advance(now.configuration, gate)
            both = [segment, engine.advance(now.configuration, gate, late=True)] if segment.either else [segment]
            for one in both:
                after = now.then(one, answered=False)
                if len(choices) > 1 or len(both) > 1 or open_trails:
                    key = (after.configuration, by_subject(after.seen))
                    if key in known:
                        continue
                    known.add(key)
                open_trails.append(after)
    return list(ends.values())


def _choices(engine: Engine, configuration: Configuration, ready: list[OpenGate]) -> list[OpenGate]:
    """What to branch on: all ready gates of one group where groups cannot touch each other, else all of them."""
    if len(ready) < 2 or _coupled(configuration):
        return ready
    groups = [engine.contract.together(configuration, gate) for gate in ready]
    return ready if "" in groups else [gate for gate, group in zip(ready, groups, strict=True) if group == groups[0]]


def _coupled(configuration: Configuration) -> bool:
    """Tell whether an armed reaction may reach from one subject to another."""
    for armed in configuration.world.reactions:
        source = dict(armed.on).get("of")
        if any(_subject(command) != source for command in armed.then):
            return True
    return False


def _subject(command: AnyCommand) -> object:
    return getattr(command, "agent", None) or getattr(command, "of", None)
