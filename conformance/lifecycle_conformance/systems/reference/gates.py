"""Gates: where the environment decides when and how the runtime goes on. Knows holds, watches, releases, reactions.

Refuses to know what a gate is for: the ports in `ports.py` say which point of the runtime is which gate, and what
its outcome means there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar, cast

from lifecycle_conformance.systems.reference.thrown import Thrown, failure
from lifecycle_model.commands import AnyCommand, GateAddress, Hold, Outcome, React, Release, Watch, outcome_of
from lifecycle_model.wire import UNSET, Answer, Observation, UnsetType
from lifecycle_runtime.signals import Signal

T = TypeVar("T")

DEFAULT = Outcome("default")
"""The gate's success."""


@dataclass(frozen=True, slots=True)
class At:
    """One entering of a gate: where, and what the gate is shown."""

    gate: str
    of: str | None = None
    turn: int | None = None
    step: int | None = None
    call: int | None = None
    record: str | None = None
    listener: str | None = None
    length: int | None = None
    signal: Signal | None = None

    def fits(self, address: GateAddress | Hold | Watch | Release) -> bool:
        """Whether the address means this gate; what it leaves out is not compared."""
        return (
            self.gate == address.gate
            and address.of in (None, self.of)
            and address.turn in (None, self.turn)
            and address.call in (None, self.call)
            and address.record in (None, self.record)
            and address.listener in (None, self.listener)
        )

    def observation(self) -> Observation:
        """What is reported of the entering."""
        aborted = self.signal is not None and self.signal.aborted
        return Observation(
            "gate",
            of=_given(self.of),
            gate=self.gate,
            turn=_given(self.turn),
            step=_given(self.step),
            call=_given(self.call),
            record=_given(self.record),
            listener=_given(self.listener),
            length=_given(self.length),
            signal=reason_text(self.signal.reason) if aborted and self.signal is not None else UNSET,
        )


@dataclass(slots=True)
class Reaction:
    """A gate's reaction, armed until it fired `left` times."""

    address: GateAddress
    command: React
    left: int


@dataclass(eq=False, slots=True)
class Waiting:
    """A gate somebody waits at."""

    at: At
    outcomes: asyncio.Queue[Outcome] = field(default_factory=asyncio.Queue[Outcome])


class Gates:
    """All gates of one run."""

    def __init__(
        self,
        record: Callable[[Observation], None],
        perform: Callable[[AnyCommand], Answer],
    ) -> None:
        self._record = record
        self._perform = perform
        self._holds: list[Hold] = []
        self._watches: list[Watch] = []
        self._reactions: list[Reaction] = []
        self._waiting: list[Waiting] = []

    def hold(self, command: Hold) -> None:
        """Arm one hold; one that is armed already is not armed twice."""
        if command not in self._holds:
            self._holds.append(command)

    def watch(self, command: Watch) -> None:
        """Report every entering from now on."""
        self._watches.append(command)

    def release(self, command: Release) -> bool:
        """Let the oldest waiting gate at this address go on; False if none waits. A chunk leaves it waiting."""
        for waiting in self._waiting:
            if waiting.at.fits(command):
                outcome = outcome_of(command.with_)
                if outcome.outcome != "chunk":
                    self._waiting.remove(waiting)
                waiting.outcomes.put_nowait(outcome)
                return True
        return False

    def leave(self, waiting: Waiting) -> None:
        """Wait at this gate no longer; nothing if it was released."""
        if waiting in self._waiting:
            self._waiting.remove(waiting)

    def react(self, address: GateAddress, command: React) -> None:
        """Arm a reaction on a gate."""
        self._reactions.append(Reaction(address, command, command.times))

    def disarm(self, name: str | None) -> bool:
        """Disarm the gate reactions of this name, or all; False if there was none."""
        kept = [armed for armed in self._reactions if name is not None and armed.command.as_ != name]
        found = len(kept) < len(self._reactions)
        self._reactions = kept
        return found

    @property
    def idle(self) -> bool:
        """Whether nobody waits at a gate."""
        return not self._waiting

    async def enter(self, at: At) -> Outcome:
        """Pass a gate: report it, let reactions act, wait if it is held. Raises `Thrown` for a failure."""
        opened = self.open(at)
        outcome = await self.next(opened) if isinstance(opened, Waiting) else opened
        return checked(at, outcome)

    def enter_now(self, at: At) -> Outcome:
        """Pass a gate inside a synchronous call: it cannot wait, its outcome comes from a reaction."""
        opened = self.open(at, waits=False)
        return DEFAULT if isinstance(opened, Waiting) else checked(at, opened)

    def open(self, at: At, *, waits: bool = True) -> Outcome | Waiting:
        """Enter without awaiting: the outcome, or where to wait for it. Raises `Thrown` if a reaction does."""
        hold = next((armed for armed in self._holds if at.fits(armed)), None)
        reactions = [armed for armed in self._reactions if at.fits(armed.address)]
        if hold is None and not reactions and not any(at.fits(watch) for watch in self._watches):
            return DEFAULT
        waiting: Waiting | None = None
        if hold is not None:
            self._holds.remove(hold)
            if waits:
                waiting = Waiting(at)
                self._waiting.append(waiting)
        self._record(at.observation())
        decided: Outcome | None = None
        try:
            for armed in reactions:
                decided = self._fire(armed, at) or decided
        except Thrown:
            self._leave(waiting)
            raise
        if decided is not None or waiting is None or hold is None:
            self._leave(waiting)
            return decided or DEFAULT
        if at.signal is not None and not hold.sticky:
            at.signal.on_abort(lambda: self._interrupt(waiting))
        return waiting

    async def next(self, waiting: Waiting) -> Outcome:
        """The next outcome of a gate that waits."""
        try:
            return await waiting.outcomes.get()
        except asyncio.CancelledError:
            self._leave(waiting)
            raise

    def _interrupt(self, waiting: Waiting) -> None:
        if waiting in self._waiting:
            self._waiting.remove(waiting)
            waiting.outcomes.put_nowait(DEFAULT)

    def _leave(self, waiting: Waiting | None) -> None:
        if waiting in self._waiting:
            self._waiting.remove(waiting)

    def _fire(self, armed: Reaction, at: At) -> Outcome | None:
        if armed not in self._reactions or armed.left <= 0:
            # an earlier reaction disarmed it, or it fired itself on the way here
            return None
        armed.left -= 1
        if armed.left == 0:
            self._reactions.remove(armed)
        command = armed.command
        answers = tuple(self._perform(inner) for inner in command.then)
        if command.as_ is not None:
            self._record(Observation("heard", of=_given(at.of), as_=command.as_, name=at.gate, answers=answers))
        if command.throw is not None:
            raise Thrown(at.gate)
        return outcome_of(command.with_) if command.with_ is not None else None


def checked(at: At, outcome: Outcome) -> Outcome:
    """The outcome, unless it is a failure: recovery's is a decision, every other gate's is thrown."""
    if outcome.outcome == "fail" and at.gate not in ("recovery", "tool"):
        raise failure(at.gate, outcome)
    return outcome


def reason_text(reason: object) -> str:
    """A signal's reason as the judge knows it: the kind of a cancellation, else `error` or `value`."""
    if isinstance(reason, BaseException):
        return "error"
    kind = cast("Mapping[str, object]", reason).get("kind") if isinstance(reason, Mapping) else None
    return kind if isinstance(kind, str) else "value"


def _given(value: T | None) -> T | UnsetType:
    return UNSET if value is None else value
