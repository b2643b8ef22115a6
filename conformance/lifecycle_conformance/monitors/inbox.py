"""Owns the invariants of the inbox: I6, I7, I9. Refuses to know why an item left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from lifecycle_conformance.monitors.base import Monitor, PerLife
from lifecycle_conformance.monitors.feed import Feed, Saw
from lifecycle_conformance.monitors.finding import DEQUEUE, DISCARD, ENQUEUE, FLUSH
from lifecycle_conformance.monitors.life import Life
from lifecycle_model.wire import UNSET, Observation


@dataclass(eq=False, slots=True)
class _Passed:
    entered: Counter[str] = field(default_factory=Counter[str])
    left: Counter[str] = field(default_factory=Counter[str])


def left_by(seen: Observation) -> list[str]:
    """The ids an observation takes out of the inbox."""
    if seen.event == DEQUEUE and isinstance(seen.item, str):
        return [seen.item]
    if seen.event == DISCARD and seen.items is not UNSET:
        return [dropped.id for dropped in seen.items]
    return []


class OneWayThrough(Monitor):
    """I6: per id one enqueue, then at most one of dequeue and discard; an id may be used as often as it was sent."""

    clause = "I6"
    events = frozenset({ENQUEUE, DEQUEUE, DISCARD})

    def __init__(self, feed: Feed) -> None:
        super().__init__(feed)
        self._passed = PerLife(_Passed)

    def saw(self, moment: Saw) -> Iterator[str]:
        """Judge what enters and what leaves."""
        passed, seen, life = self._passed.of(moment.life), moment.seen, moment.life
        if seen.event == ENQUEUE and isinstance(seen.item, str):
            passed.entered[seen.item] += 1
            if passed.entered[seen.item] > max(1, self.story.offers[seen.item]):
                yield f"{life.id} enqueued {seen.item} again"
        for id_ in left_by(seen):
            passed.left[id_] += 1
            entered = passed.entered[id_] if self.shown.has(ENQUEUE) else 1
            if passed.left[id_] > max(entered, 1):
                yield f"{life.id} let {id_} leave the inbox twice"
            elif not entered:
                yield f"{life.id} let {id_} leave the inbox before it was enqueued"


@dataclass(eq=False, slots=True)
class _Turns:
    claimed: list[str] = field(default_factory=list[str])


class OneClaimPerTurn(Monitor):
    """I7: one claimed message per message turn, first in first out, after the previous message turn's flush."""

    clause = "I7"
    events = frozenset({DEQUEUE, "turn/start", "agent/error"})

    def __init__(self, feed: Feed) -> None:
        super().__init__(feed)
        self._turns = PerLife(_Turns)

    def saw(self, moment: Saw) -> Iterator[str]:
        """Judge claims, and the turns they lead to."""
        seen, life = moment.seen, moment.life
        turns = self._turns.of(life)
        if "detach" in life.meddled:
            # its log is not shown any more (L8), and so its turns are not
            return
        if seen.event == DEQUEUE and seen.steering is not True and isinstance(seen.item, str):
            yield from self._claim(life, seen.item)
            if turns.claimed and self.shown.has("turn/start", "agent/error"):
                yield f"{life.id} claimed {seen.item} on top of {turns.claimed[-1]}, which has got no turn"
            turns.claimed.append(seen.item)
        elif seen.event == "agent/error" and seen.step == 0:
            # a vetoed claim is consumed without a turn (Q7)
            turns.claimed.clear()
        elif seen.event == "turn/start" and seen.trigger == "message":
            yield from self._start(life, seen, turns)

    def _claim(self, life: Life, id_: str) -> Iterator[str]:
        place = next((n for n, item in enumerate(life.inbox) if item.id == id_), None)
        if place is None or not self.shown.inbox:
            return
        late = life.inbox[place].steering
        for earlier in life.inbox[:place]:
            # steering that came earlier may still wait for a step; moved to the tail it stays in order
            if earlier.id != id_ and (not earlier.steering or late):
                yield f"{life.id} claimed {id_} before {earlier.id}, which was accepted earlier"
                return

    def _start(self, life: Life, seen: Observation, turns: _Turns) -> Iterator[str]:
        if "append" in life.meddled or "append_out_of_band" in life.meddled:
            turns.claimed.clear()
            return
        if not turns.claimed and self.shown.has(DEQUEUE):
            yield f"{life.id} started message turn {seen.turn} without a claimed message"
        turns.claimed.clear()
        if life.ended and not life.settled and self.shown.has(FLUSH, "turn/end") and "flush" not in life.meddled:
            yield f"{life.id} started turn {seen.turn} before the flush of its previous message turn settled"


@dataclass(eq=False, slots=True)
class _Thrown:
    away: set[str] = field(default_factory=set[str])


class DiscardedStaysOut(Monitor):
    """I9: a discarded item is never dequeued; no steering message is logged in a turn after its holder was aborted."""

    clause = "I9"
    events = frozenset({ENQUEUE, DEQUEUE, DISCARD, "steering/message"})

    def __init__(self, feed: Feed) -> None:
        super().__init__(feed)
        self._thrown = PerLife(_Thrown)

    def saw(self, moment: Saw) -> Iterator[str]:
        """Judge dequeues against discards, and steering against the abort."""
        seen, life = moment.seen, moment.life
        away = self._thrown.of(life).away
        if seen.event == ENQUEUE:
            away.discard(str(seen.item))
        elif seen.event == DISCARD:
            away.update(left_by(seen))
        elif seen.event == DEQUEUE and seen.item in away:
            yield f"{life.id} dequeued {seen.item} after it was discarded"
        elif seen.event == "steering/message" and life.holder == "aborted" and not life.meddled:
            turn = life.turn.number if life.turn is not None else "no turn"
            yield f"{life.id} logged steering message {seen.message} in turn {turn} after its holder was aborted"
