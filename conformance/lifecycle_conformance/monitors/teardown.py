"""Owns the invariants of teardown: I15, I16. Refuses to know which trigger began it."""

from __future__ import annotations

from collections.abc import Iterator

from lifecycle_conformance.monitors.base import Monitor
from lifecycle_conformance.monitors.feed import Asked, Feed, Quiet, Saw
from lifecycle_conformance.monitors.finding import DEQUEUE, FLUSH, STATUS
from lifecycle_conformance.monitors.life import Life
from lifecycle_model.commands import Dispose
from lifecycle_model.wire import UNSET


class OneChain(Monitor):
    """I15: driver exit and flushes, then a-, then s-, then the scope unwound, then dispose resolves."""

    clause = "I15"
    events = frozenset({"agent/disposed", "scope", STATUS, DEQUEUE, "request", "step/start", "settled"})

    def __init__(self, feed: Feed) -> None:
        super().__init__(feed)
        self._asked: dict[str, Life] = {}
        self._resolved: dict[int, tuple[Life, int]] = {}

    def asked(self, moment: Asked) -> Iterator[str]:
        """Remember which life a dispose is about: its id may be used again before it resolves."""
        command, life = moment.command, moment.life
        if isinstance(command, Dispose):
            life = life or self._by_ref(command)
            if life is not None and moment.answer.pending is not UNSET and life.listed:
                self._asked[command.as_] = life
        yield from ()

    def saw(self, moment: Saw) -> Iterator[str]:
        """Judge a link of the chain by the links before it."""
        life, seen = moment.life, moment.seen
        if seen.event == "agent/disposed":
            yield from self._agent(life)
        elif seen.event == "scope":
            yield from self._scope(moment)
        elif life.agent_gone and not life.meddled and seen.event in (STATUS, DEQUEUE, "request", "step/start"):
            yield f"the driver of {life.id} published {seen.event} after agent/disposed"
        elif seen.event == "settled" and seen.of in self._asked:
            disposed = self._asked.pop(str(seen.of))
            if seen.ok is not UNSET:
                self._resolved.setdefault(id(disposed), (disposed, moment.index))

    def quiet(self, moment: Quiet) -> Iterator[str]:
        """A dispose that resolved in this burst has gone through the whole chain."""
        for life, index in self._resolved.values():
            if index != moment.index or life.meddled:
                continue
            for event, gone in (("agent/disposed", life.agent_gone), ("session/disposed", life.session_gone)):
                if self.shown.has(event) and not gone:
                    yield f"dispose of {life.id} resolved before {event}"

    def _by_ref(self, command: Dispose) -> Life | None:
        known = self.story.transactions
        place = next((place for place in reversed(range(len(known))) if known[place].ref == command.ref), None)
        if place is None or any(later.id == known[place].id for later in known[place + 1 :]):
            return None  # another creation of the id came later: whose life it is now nobody can tell
        return self.feed.lives.get(known[place].id)

    def _agent(self, life: Life) -> Iterator[str]:
        if life.meddled - {"append_out_of_band"}:
            return
        if life.turn is not None and self.shown.has("turn/end"):
            yield f"agent {life.id} was removed while turn {life.turn.number} is open"
        if life.flushes and self.shown.has(FLUSH):
            yield f"agent {life.id} was removed while a flush is in flight"

    def _scope(self, moment: Saw) -> Iterator[str]:
        life = moment.life
        # the scope of a losing or rolled back transaction about the same id unwinds as well
        others = self.story.asked_times(life.id) != 1 or life.id in self.story.uncertain
        if others or life.meddled:
            return
        if life.session_created and not life.session_gone and self.shown.has("session/created", "session/disposed"):
            yield f"the scope of {life.id} unwound before session/disposed"
        resolved = self._resolved.get(id(life))
        if resolved is not None and resolved[1] < moment.index:
            yield f"the scope of {life.id} unwound after its dispose resolved"


class NothingAfterTeardown(Monitor):
    """I16: no claim after teardown begins; only handle, owner or provider disposes a live agent."""

    clause = "I16"
    events = frozenset({DEQUEUE, STATUS, "agent/disposed"})

    def saw(self, moment: Saw) -> Iterator[str]:
        """Judge a dequeue after the disposal, and a disposal by what was asked."""
        life, seen = moment.life, moment.seen
        if seen.event == DEQUEUE and life.disposed:
            yield f"{life.id} dequeued {seen.item} after its teardown began"
        elif (seen.event == "agent/disposed" or seen.status == "disposed") and not life.disposed:
            yield from self._disposed(life)

    def _disposed(self, life: Life) -> Iterator[str]:
        story = self.story
        # a creation that loses its id to another one takes the children made through its ctx with it
        lost = any(story.asked_times(one.id) > 1 for one in story.transactions)
        someone = story.disposers & {"*", life.id} or (story.children and (story.disposers or lost))
        # what was announced may also be rolled back, when a listener or a gate throws
        if not someone and not story.throws and "detach" not in life.meddled:
            yield f"{life.id} was disposed, and nobody disposed it: no handle, owner or provider"
