"""Owns the invariants of entries and announcements: I12, I13, I14, I17. Refuses to know how a rollback goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from lifecycle_conformance.monitors.base import Monitor, PerLife
from lifecycle_conformance.monitors.feed import Asked, Feed, Looked, Quiet, Saw
from lifecycle_conformance.monitors.finding import STATUS
from lifecycle_conformance.monitors.life import Life
from lifecycle_model.commands import Json, React, Release, Session
from lifecycle_model.wire import RECORDS, UNSET, Observation, matches

CREATED = ("session/created", "agent/created")
GONE = ("session/disposed", "agent/disposed")
BY_HAND = frozenset({"prepare", "enter", "announce", "detach"})
"""Verbs with which the environment moves entries itself."""


def names(value: Json) -> list[str]:
    """The ids in a list that was read."""
    return [one for one in value if isinstance(one, str)] if isinstance(value, list | tuple) else []


class OneEntryEach(Monitor):
    """I12: an agent entry implies the session entry of same id; one live entry of each kind per id."""

    clause = "I12"
    events = frozenset(CREATED + GONE)

    def __init__(self, feed: Feed) -> None:
        super().__init__(feed)
        self._listed: list[str] | None = None
        self._stored: dict[str, list[str]] = {}

    def saw(self, moment: Saw) -> Iterator[str]:
        """Judge announcements and removals against what is live."""
        life, event = moment.life, moment.seen.event
        if not self.shown.has(*CREATED, *GONE) or life.meddled & BY_HAND:
            return
        if event == "session/created" and life.session_created and not life.session_gone:
            yield f"session {life.id} was announced while a session of that id is live"
        elif event == "agent/created" and life.listed:
            yield f"agent {life.id} was announced while an agent of that id is live"
        elif event == "agent/created" and (life.session_gone or not life.session_created):
            yield f"agent {life.id} was announced without a live session of that id"
        elif event == "session/disposed" and life.listed:
            yield f"session {life.id} was removed while the agent of that id is live"

    def quiet(self, moment: Quiet) -> Iterator[str]:
        """Forget what was read: what comes next may change it."""
        self._listed, self._stored = None, {}
        yield from ()

    def looked(self, moment: Looked) -> Iterator[str]:
        """Judge the registry and the stores, read in one go at quiet."""
        if moment.command.registry:
            self._listed = names(moment.values.get("agents"))
            yield from self._twice("the registry", self._listed)
        elif moment.command.store is not None:
            stored = names(moment.values.get("sessions"))
            self._stored[moment.command.store] = stored
            yield from self._twice(f"store {moment.command.store}", stored)
        else:
            return
        if moment.when == "quiet" and self._listed is not None and self._stored and not self._other_stores():
            for id_ in self._listed:
                by_hand = self.feed.meddled.get(id_, set()) & BY_HAND
                if not by_hand and not any(id_ in stored for stored in self._stored.values()):
                    yield f"agent {id_} is listed and no session {id_} is stored"

    def _other_stores(self) -> bool:
        # a session may live in a second store, which was not read
        return bool(self.story.stores - self._stored.keys())

    def _twice(self, where: str, ids: list[str]) -> Iterator[str]:
        for id_ in sorted({id_ for id_ in ids if ids.count(id_) > 1}):
            yield f"{where} lists {id_} more than once"


class NothingEarlyNothingLeft(Monitor):
    """I13: no entry or announcement begins before setup completes or after deactivation; failures leave nothing.

    A transaction is judged where it is the only one about its id, so whose announcement it is cannot be mistaken.
    """

    clause = "I13"
    events = frozenset({*CREATED, "gate"})

    def __init__(self, feed: Feed) -> None:
        super().__init__(feed)
        self._held: dict[str, int] = {}

    def asked(self, moment: Asked) -> Iterator[str]:
        """A released setup may complete in this burst."""
        command = moment.command
        if isinstance(command, Release) and command.gate == "setup":
            self._held = {} if command.of is None else {k: v for k, v in self._held.items() if k != command.of}
        yield from ()

    def saw(self, moment: Saw) -> Iterator[str]:
        """Judge an announcement against the one transaction that can have made it."""
        life, seen = moment.life, moment.seen
        if seen.event == "gate":
            if seen.gate == "setup" and isinstance(seen.of, str) and self._waits(seen.of):
                self._held.setdefault(seen.of, moment.index)
            return
        transaction = self.story.latest(life.id)
        if transaction is None or life.meddled & BY_HAND:
            return
        if self._held.get(transaction.ref, moment.index) < moment.index:
            yield f"{seen.event} of {life.id} was published while the setup of {transaction.ref} is held"
        elif transaction.state == "refused" and transaction.settled_in < moment.index:
            yield f"{seen.event} of {life.id} was published after {transaction.ref} was rejected"

    def looked(self, moment: Looked) -> Iterator[str]:
        """Judge what is listed at quiet against what was announced and not yet removed."""
        if moment.when != "quiet":
            return
        if moment.command.registry and self.shown.has("agent/created", "agent/disposed"):
            for id_ in names(moment.values.get("agents")):
                life = self.feed.lives.get(id_)
                if life is None or not life.listed:
                    yield f"agent {id_} is listed though no live agent of that id was announced"
        elif moment.command.store is not None and self.shown.has("session/created", "session/disposed"):
            for id_ in names(moment.values.get("sessions")):
                life = self.feed.lives.get(id_)
                by_hand = bool(self.feed.meddled.get(id_, set()) & BY_HAND)
                if not by_hand and (life is None or not life.session_created or life.session_gone):
                    yield f"session {id_} is stored though no live session of that id was announced"

    def quiet(self, moment: Quiet) -> Iterator[str]:
        """A transaction rejected in this burst has been rolled back (P11), save for a synchronous one (P14)."""
        for transaction in self.story.transactions:
            if transaction.state != "refused" or transaction.settled_in != moment.index or not transaction.awaited:
                continue
            life = self.feed.lives.get(transaction.id)
            if self.story.latest(transaction.id) is not transaction or life is None or life.meddled & BY_HAND:
                continue
            if life.born < transaction.burst:
                continue
            for event, there in (("session", life.session_created), ("agent", life.agent_created)):
                gone = life.session_gone if event == "session" else life.agent_gone
                if there and not gone and self.shown.has(f"{event}/disposed"):
                    yield f"{transaction.ref} was rejected and the {event} {life.id} it announced is still there"

    def _waits(self, ref: str) -> bool:
        # a gate that is only watched, or decided by a reaction, is passed at once
        return ("setup", ref) in self.story.holds and "setup" not in self.story.gates_reacted


class AnnouncedInOrder(Monitor):
    """I14: s+ before a+ before start before the first status; begun announcements and disposals pair one to one."""

    clause = "I14"
    events = frozenset({*CREATED, *GONE, "agent/session-start", STATUS})

    def saw(self, moment: Saw) -> Iterator[str]:
        """Judge an event by what must have come before it in this life."""
        life, shown, event = moment.life, self.shown, moment.seen.event
        if life.meddled & BY_HAND:
            return
        if event == "agent/created" and shown.has(CREATED[0]) and not life.session_created:
            yield f"agent {life.id} was announced before its session"
        elif event == "agent/session-start" and shown.has(CREATED[1]) and not life.agent_created:
            yield f"{life.id} published its start before agent/created"
        elif event == "agent/session-start" and life.started:
            yield f"{life.id} published its start twice"
        elif event == STATUS and shown.has("agent/session-start") and not life.started:
            yield f"{life.id} published status({moment.seen.status}) before its start"
        elif event in GONE:
            yield from self._gone(life, event)

    def _gone(self, life: Life, event: str) -> Iterator[str]:
        kind = event.split("/")[0]
        begun = life.agent_created if kind == "agent" else life.session_created
        ended = life.agent_gone if kind == "agent" else life.session_gone
        if ended:
            yield f"{event} of {life.id} was published twice for one announcement"
        elif not begun and self.shown.has(f"{kind}/created"):
            yield f"{event} of {life.id} was published though no {kind}/created was"
        elif kind == "session" and life.listed and self.shown.has("agent/disposed"):
            yield f"session {life.id} was removed and its agent/created has no agent/disposed"


@dataclass(eq=False, slots=True)
class _Recent:
    seen: list[Observation] = field(default_factory=list[Observation])


class CommitAndDetach(Monitor):
    """I17: commit and return coincide; a detach is invisible inside its entry's dispatches."""

    clause = "I17"

    def __init__(self, feed: Feed) -> None:
        super().__init__(feed)
        self._recent = PerLife(_Recent)
        self._appends: list[tuple[Session, Asked]] = []

    def asked(self, moment: Asked) -> Iterator[str]:
        """Note an append made at the top of a burst; what a reaction appends is not told apart."""
        command = moment.command
        if isinstance(command, Session) and command.act == "append" and isinstance(command.record, Mapping):
            self._appends.append((command, moment))
        yield from ()

    def saw(self, moment: Saw) -> Iterator[str]:
        """Remember what was seen of each subject; judge what a listener heard inside its dispatch."""
        recent, seen = self._recent.of(moment.life).seen, moment.seen
        reaction = self.story.reactions.get(str(seen.as_)) if seen.event == "heard" else None
        if reaction is not None and "event" in reaction.on:
            yield from self._heard(moment.life, recent, reaction)
        recent.append(seen)

    def quiet(self, moment: Quiet) -> Iterator[str]:
        """Judge each append by what was seen: a record exactly when the call returned."""
        for command, asked in self._appends:
            yield from self._appended(command, asked)
        self._appends = []
        for _, recent in self._recent:
            recent.seen.clear()

    def _heard(self, life: Life, recent: list[Observation], reaction: React) -> Iterator[str]:
        place = next((n for n in range(len(recent) - 1, -1, -1) if matches(reaction.on, recent[n])), None)
        if place is None:
            return
        event = recent[place].event
        kept = GONE if event in (*CREATED, "agent/session-start") else GONE[:1] if event in RECORDS else ()
        for inside in recent[place + 1 :]:
            if inside.event in kept:
                yield f"{inside.event} of {life.id} was published inside the dispatch of its {event}"

    def _appended(self, command: Session, asked: Asked) -> Iterator[str]:
        id_, record = command.id or "", cast("Mapping[str, Json]", command.record)
        event = str(record.get("event"))
        # only where nobody else can have written the same record
        alone = sum(each.record == record for each, _ in self._appends) == 1 and "session" not in self.story.by_reaction
        life = self.feed.lives.get(id_)
        if not alone or life is None or not self.shown.has(event) or life.agent_created or id_ in self.story.uncertain:
            return
        there = any(matches(dict(record), seen) for seen in self._recent.of(life).seen)
        if asked.answer.refused is not UNSET and there and "append_out_of_band" not in life.meddled:
            yield f"{id_} committed {event} though its append was refused"
        was = asked.life
        attached = was is life and life.session_created and not life.session_gone and not life.meddled & BY_HAND
        if asked.answer.ok is not UNSET and not there and attached:
            yield f"the append of {event} to {id_} returned and {event} was not committed"
