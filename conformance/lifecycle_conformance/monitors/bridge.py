"""Owns the invariants of the ACP bridge: I20, I21. Refuses to judge prompts that reactions make."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lifecycle_conformance.monitors.base import Monitor, PerLife
from lifecycle_conformance.monitors.feed import Asked, Feed, Quiet, Saw
from lifecycle_conformance.monitors.finding import DEQUEUE, FLUSH
from lifecycle_conformance.monitors.life import Life
from lifecycle_model.commands import Acp
from lifecycle_model.wire import UNSET

FULL = ("end_turn", "max_tokens")
"""Results that only a turn of one's own gives."""


@dataclass(eq=False, slots=True)
class _Prompt:
    """A prompt call. `blocked`: made while another of its session was in flight.

    `life` is the session's when it was made: one loaded again has a record, and a slot, of its own (A/r5).
    """

    ref: str
    session: str
    message: str
    blocked: str | None
    life: Life | None
    settled: int = 0
    result: object = None


@dataclass(eq=False, slots=True)
class _Claims:
    claimed: str | None = None
    running: str | None = None
    converging: set[str] = field(default_factory=set[str])
    converged: set[str] = field(default_factory=set[str])


class OneSlot(Monitor):
    """I20: one slot per session, settled once, by its own turn or message only."""

    clause = "I20"
    events = frozenset({DEQUEUE, "turn/start", "turn/end", FLUSH, "settled"})

    def __init__(self, feed: Feed) -> None:
        super().__init__(feed)
        self._prompts: dict[str, _Prompt] = {}
        self._claims = PerLife(_Claims)
        self._judges_turns = feed.shown.has(DEQUEUE, "turn/start", "turn/end", FLUSH)

    def asked(self, moment: Asked) -> Iterator[str]:
        """Note a prompt, and whether the slot was certainly occupied when it came."""
        command = moment.command
        if isinstance(command, Acp) and command.act == "prompt" and moment.answer.pending is not UNSET:
            session = command.session or ""
            ref = str(moment.answer.pending)
            life = self.feed.lives.get(session)
            known = (p for p in self._prompts.values() if p.session == session and p.life is life and not p.settled)
            busy = next((p.ref for p in known), None)
            blocked = busy if moment.first else None
            self._prompts[ref] = _Prompt(ref, session, command.message or "", blocked, life)
        yield from ()

    def saw(self, moment: Saw) -> Iterator[str]:
        """Follow claims to their turns' convergence; judge a settlement as it comes."""
        seen = moment.seen
        if seen.event == "settled":
            prompt = self._prompts.get(str(seen.of))
            if prompt is not None:
                prompt.settled += 1
                prompt.result = seen.ok if seen.ok is not UNSET else None
                if prompt.settled > 1:
                    yield f"prompt {prompt.ref} of {prompt.session} settled {prompt.settled} times"
                elif prompt.blocked is not None and seen.ok is not UNSET:
                    yield f"prompt {prompt.ref} was served while {prompt.blocked} held the slot of {prompt.session}"
        else:
            self._follow(moment)

    def quiet(self, moment: Quiet) -> Iterator[str]:
        """Judge what is in flight, and what settled in this burst, by the turns seen up to now."""
        waiting: dict[tuple[str, int], str] = {}
        for prompt in list(self._prompts.values()):
            if not prompt.settled:
                slot = prompt.session, id(prompt.life)
                if slot in waiting:
                    yield f"prompts {waiting[slot]} and {prompt.ref} of {prompt.session} are both in flight"
                waiting[slot] = prompt.ref
            elif prompt.result in FULL and self._judges_turns and not self._converged(prompt):
                yield f"prompt {prompt.ref} settled as {prompt.result} and no turn of {prompt.message} converged"
            if prompt.settled:
                # a reference may be used again, and a second settlement is told from the first by now
                prompt.result = None

    def _follow(self, moment: Saw) -> None:
        seen, claims = moment.seen, self._claims.of(moment.life)
        if seen.event == DEQUEUE and seen.steering is not True:
            claims.claimed = str(seen.item)
        elif seen.event == "turn/start" and seen.trigger in ("message", UNSET):
            claims.running, claims.claimed = claims.claimed, None
        elif seen.event == "turn/end" and claims.running is not None and self._of_message(moment.life):
            claims.converging.add(claims.running)
            claims.running = None
        elif seen.event == FLUSH and seen.state == "settled":
            claims.converged |= claims.converging
            claims.converging.clear()

    def _of_message(self, life: Life) -> bool:
        return life.turn is not None and life.turn.of_message

    def _converged(self, prompt: _Prompt) -> bool:
        return any(prompt.message in claims.converged for life, claims in self._claims if life.id == prompt.session)


class NothingAfterClosing(Monitor):
    """I21: after quiescing no bridge entry exists; after closing none is created."""

    clause = "I21"
    events = frozenset({"session/created", "agent/created", "settled"})

    def __init__(self, feed: Feed) -> None:
        super().__init__(feed)
        self._closing: dict[str, frozenset[str]] = {}
        self._closed: tuple[int, bool] | None = None
        self._bridged: set[str] = set()
        self._quiesced: set[str] = set()

    def asked(self, moment: Asked) -> Iterator[str]:
        """Note what the bridge is asked to create, and when it was closed."""
        command = moment.command
        if not isinstance(command, Acp):
            return
        if command.act in ("new", "load") and command.session is not None:
            self._bridged.add(command.session)
        elif command.act == "connect" and self._closed is not None:
            # another bridge: what the closed one made is its own to take down
            self._closed = None
            self._bridged = set()
        elif command.act in ("disconnect", "teardown"):
            self._closed = self._closed or (moment.index, moment.first)
            if moment.answer.pending is not UNSET:
                self._closing[str(moment.answer.pending)] = frozenset(self._bridged)
        yield from ()

    def saw(self, moment: Saw) -> Iterator[str]:
        """Judge what is announced after the bridge was closed."""
        seen, life = moment.seen, moment.life
        if seen.event == "settled":
            if seen.of in self._closing and seen.ok is not UNSET:
                self._quiesced |= self._closing.pop(str(seen.of))
            return
        if self._closed is None or not self._of_bridge(life.id):
            return
        index, at_once = self._closed
        if index < moment.index or at_once:
            yield f"{seen.event} of {life.id} was published after its bridge closed"

    def quiet(self, moment: Quiet) -> Iterator[str]:
        """A bridge that quiesced in this burst has left nothing."""
        quiesced, self._quiesced = self._quiesced, set()
        for id_ in sorted(quiesced) if self._closed is not None else ():
            life = self.feed.lives.get(id_)
            if life is None or self.story.asked_times(id_) or life.meddled:
                continue
            if life.listed and self.shown.has("agent/created", "agent/disposed"):
                yield f"agent {id_} is still there although its bridge quiesced"
            elif life.session_created and not life.session_gone and self.shown.has("session/disposed"):
                yield f"session {id_} is still there although its bridge quiesced"

    def _of_bridge(self, id_: str) -> bool:
        return id_ in self._bridged and not self.story.asked_times(id_)
