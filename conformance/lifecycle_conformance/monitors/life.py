"""Owns what the observations so far say of one incarnation of an agent or session. Refuses to judge any of it.

Everything here is read off the stream, by the words of the contract's *Terms* and *What is observable*; no row is
consulted. A monitor sees an observation together with the life *before* it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from lifecycle_conformance.monitors.finding import DEQUEUE, DISCARD, ENQUEUE, FLUSH, STATUS, Shown
from lifecycle_model.wire import UNSET, Observation


@dataclass(eq=False, slots=True)
class Pending:
    """One accepted message that has not left the inbox."""

    id: str
    steering: bool


@dataclass(eq=False, slots=True)
class Turn:
    """A turn that is open in the log."""

    number: int
    trigger: str | None
    step: int | None = None
    last_step: int = 0
    blocked: bool = False
    failed: bool = False

    @property
    def of_message(self) -> bool:
        """Whether it is a message turn; one without a trigger is taken for one."""
        return self.trigger in (None, "message")


@dataclass(eq=False, slots=True)
class Life:
    """One incarnation of a subject: from the announcement of its session to the removal of it; `born` in which burst.

    `holder` is none, live or aborted, as far as it can be told; `settled` counts the flushes settled since the last
    message turn ended, `flushes` those in flight. `meddled` holds the verbs of `session` the environment used on this
    id, and `seed` if it gave a log to begin with.
    """

    id: str
    shown: Shown
    born: int = 0
    session_created: bool = False
    agent_created: bool = False
    started: bool = False
    agent_gone: bool = False
    session_gone: bool = False
    status: str = "idle"
    status_seen: bool = False
    disposed: bool = False
    inbox: list[Pending] = field(default_factory=list[Pending])
    discarded: set[str] = field(default_factory=set[str])
    claimed: str | None = None
    holder: str = "none"
    reason: str | None = None
    turn: Turn | None = None
    last_turn: int = 0
    ended: bool = False
    flushes: int = 0
    settled: int = 0
    meddled: set[str] = field(default_factory=set[str])

    @property
    def loose(self) -> bool:
        """Whether its log may have begun, or ended, in a way no observation shows."""
        return not self.meddled.isdisjoint(("prepare", "enter", "seed"))

    @property
    def over(self) -> bool:
        """Whether its session, or where that is not shown its agent, is gone."""
        return self.session_gone or (self.agent_gone and not self.shown.has("session/disposed"))

    @property
    def listed(self) -> bool:
        """Whether its agent was announced and is not gone."""
        return self.agent_created and not self.agent_gone

    def take(self, seen: Observation) -> None:
        """Note an observation of this subject."""
        taker = _TAKERS.get(seen.event)
        if taker is not None:
            taker(self, seen)

    def forget(self, ids: list[str]) -> None:
        """Remove one pending message for each id."""
        for id_ in ids:
            found = next((item for item in self.inbox if item.id == id_), None)
            if found is not None:
                self.inbox.remove(found)


def _session_created(life: Life, _seen: Observation) -> None:
    life.session_created = True


def _agent_created(life: Life, _seen: Observation) -> None:
    life.agent_created = True


def _started(life: Life, _seen: Observation) -> None:
    life.started = True


def _agent_gone(life: Life, _seen: Observation) -> None:
    life.agent_gone = True


def _session_gone(life: Life, _seen: Observation) -> None:
    life.session_gone = True


def _enqueued(life: Life, seen: Observation) -> None:
    if isinstance(seen.item, str):
        life.inbox.append(Pending(seen.item, seen.steering is True))


def _dequeued(life: Life, seen: Observation) -> None:
    if not isinstance(seen.item, str):
        return
    life.forget([seen.item])
    if seen.steering is not True:
        # a claim is made under a live holder only
        life.claimed = seen.item
        life.holder, life.reason = "live", None


def _discarded(life: Life, seen: Observation) -> None:
    ids = [dropped.id for dropped in seen.items] if seen.items is not UNSET else []
    life.forget(ids)
    life.discarded.update(ids)


def _status(life: Life, seen: Observation) -> None:
    life.status = str(seen.status)
    life.status_seen = True
    if life.status == "running":
        life.holder, life.reason = "live", None
    elif life.status == "idle":
        life.holder, life.reason = "none", None
    elif not life.shown.has("abort") and life.holder == "live":
        life.holder = "aborted"
    if life.status == "disposed":
        life.disposed = True


def _aborted(life: Life, seen: Observation) -> None:
    life.holder = "aborted"
    life.reason = life.reason or str(seen.reason)
    if seen.reason == "disposed":
        life.disposed = True


def _turn_start(life: Life, seen: Observation) -> None:
    assert seen.turn is not UNSET
    trigger = None if seen.trigger is UNSET else seen.trigger
    life.turn = Turn(seen.turn, trigger)
    life.last_turn = max(life.last_turn, seen.turn)
    if life.turn.of_message:
        life.claimed = None
        if life.holder == "none":
            life.holder, life.reason = "live", None


def _turn_end(life: Life, _seen: Observation) -> None:
    if life.turn is not None and life.turn.of_message:
        life.holder, life.reason = "none", None
        life.ended, life.settled = True, 0
    life.turn = None


def _step_start(life: Life, seen: Observation) -> None:
    if life.turn is not None and seen.step is not UNSET:
        life.turn.step = life.turn.last_step = seen.step


def _step_end(life: Life, _seen: Observation) -> None:
    if life.turn is not None:
        life.turn.step = None


def _blocked(life: Life, _seen: Observation) -> None:
    if life.turn is not None:
        life.turn.blocked = True


def _error(life: Life, seen: Observation) -> None:
    if life.turn is not None:
        life.turn.failed = life.turn.failed or life.turn.number == seen.turn
    if life.claimed is not None and seen.step == 0:
        # a vetoed turn start (Q7): the claimed item is consumed and the holder removed
        life.claimed = None
        life.holder, life.reason = "none", None


def _flush(life: Life, seen: Observation) -> None:
    if seen.state == "start":
        life.flushes += 1
    elif seen.state == "settled":
        life.flushes = max(0, life.flushes - 1)
        life.settled += 1


_TAKERS: dict[str, Callable[[Life, Observation], None]] = {
    "session/created": _session_created,
    "agent/created": _agent_created,
    "agent/session-start": _started,
    "agent/disposed": _agent_gone,
    "session/disposed": _session_gone,
    ENQUEUE: _enqueued,
    DEQUEUE: _dequeued,
    DISCARD: _discarded,
    STATUS: _status,
    "abort": _aborted,
    "turn/start": _turn_start,
    "turn/end": _turn_end,
    "step/start": _step_start,
    "step/end": _step_end,
    "prompt/blocked": _blocked,
    "agent/error": _error,
    FLUSH: _flush,
}
