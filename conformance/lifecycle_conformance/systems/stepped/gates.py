"""Owns the gates: holds, watches, reactions on them, and who waits. Refuses to know what a gate is for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from lifecycle_conformance.systems.stepped.agent import Holder
from lifecycle_conformance.systems.stepped.bus import Refused
from lifecycle_conformance.systems.stepped.turn import Decided
from lifecycle_model.commands import AnyCommand, GateAddress, Hold, Outcome, React, Release, Watch, outcome_of
from lifecycle_model.wire import UNSET, Answer, Observation

CODES = {"flush": "flush_failed", "validation": "vetoed"}
"""The refusal codes of what some gates throw; the others' is `vetoed` as well."""


class Thrown(Refused):
    """Thrown by a gate or a listener because the judge said so."""

    def __init__(self, where: str) -> None:
        super().__init__(CODES.get(where, "vetoed"), f"thrown at {where}")
        self.where = where


@dataclass(frozen=True, slots=True)
class At:
    """One entering of a gate."""

    gate: str
    of: str
    turn: int | None = None
    call: int | None = None
    record: str | None = None
    listener: str | None = None
    holder: Holder | None = None

    def fits(self, address: GateAddress | Hold | Watch | Release) -> bool:
        """Whether the address means it; what an address leaves out may be anything."""
        wanted = (address.of, address.turn, address.call, address.record, address.listener)
        mine = (self.of, self.turn, self.call, self.record, self.listener)
        return address.gate == self.gate and all(
            one is None or one == other for one, other in zip(wanted, mine, strict=True)
        )

    def shown(self) -> Observation:
        """What is reported of it."""
        reason = self.holder.reason if self.holder is not None else None
        given = {"turn": self.turn, "call": self.call, "record": self.record, "listener": self.listener}
        known = {name: value for name, value in given.items() if value is not None}
        return Observation("gate", of=self.of, gate=self.gate, signal=UNSET if reason is None else reason, **known)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType] -- members by name


@dataclass(eq=False, slots=True)
class Entered:
    """A gate somebody entered: ready at once, when released, or, unless sticky, when its signal is aborted."""

    at: At
    outcome: Outcome | None = None
    error: Exception | None = None
    sticky: bool = True
    held: bool = False

    @property
    def ready(self) -> bool:
        """It may go on."""
        aborted = not self.sticky and self.at.holder is not None and self.at.holder.reason is not None
        return self.outcome is not None or self.error is not None or aborted

    @property
    def failure(self) -> Exception | None:
        """What it throws: recovery's and a tool's `fail` are ordinary outcomes."""
        if self.error is None and self.outcome is not None and self.outcome.outcome == "fail":
            return None if self.at.gate in ("recovery", "tool") else Thrown(self.at.gate)
        return self.error

    @property
    def decided(self) -> Decided:
        """How the turn goes on."""
        outcome = self.outcome or Outcome("default")
        return Decided(outcome.outcome, outcome.tools, outcome.context, outcome.reason, self.failure)


@dataclass(eq=False, slots=True)
class Armed:
    """A reaction on a gate, until it fired `left` times."""

    address: GateAddress
    command: React
    left: int


@dataclass
class Gates:
    """Every gate of a run. `show` reports, `perform` performs a reaction's commands."""

    show: Callable[[Observation], None]
    perform: Callable[[AnyCommand], Answer]
    holds: list[Hold] = field(default_factory=list[Hold])
    watches: list[Watch] = field(default_factory=list[Watch])
    armed: list[Armed] = field(default_factory=list[Armed])
    waiting: list[Entered] = field(default_factory=list[Entered])

    def enter(self, at: At, waits: bool = True) -> Entered:
        """Enter a gate: report it, let reactions act, wait if it is held."""
        hold = next((one for one in self.holds if at.fits(one)), None)
        reactions = [one for one in self.armed if at.fits(one.address)]
        entered = Entered(at)
        if hold is not None:
            self.holds.remove(hold)
            entered.sticky = hold.sticky
            if waits:
                # from here on a reaction may release it
                self.waiting.append(entered)
        if hold is not None or reactions or any(at.fits(one) for one in self.watches):
            self.show(at.shown())
        try:
            decided = [one for one in (self._fire(reaction) for reaction in reactions) if one is not None]
        except Thrown as error:
            entered.error = error
        else:
            if decided:
                entered.outcome = decided[-1]
        if entered.outcome is None and entered.error is None and (hold is None or not waits):
            entered.outcome = Outcome("default")
        entered.held = not entered.ready and entered in self.waiting
        self._tidy()
        return entered

    def again(self, before: Entered) -> Entered:
        """A model call goes on behind a chunk: it waits on if it was held, else it finishes."""
        entered = Entered(before.at, sticky=before.sticky, held=before.held)
        if before.held:
            self.waiting.insert(0, entered)
        else:
            entered.outcome = Outcome("default")
        return entered

    def release(self, command: Release) -> bool:
        """Let the oldest gate waiting at this address go on."""
        self._tidy()
        for entered in self.waiting:
            if entered.at.fits(command):
                entered.outcome = outcome_of(command.with_)
                self._tidy()
                return True
        return False

    def disarm(self, name: str | None) -> None:
        """Disarm the reactions of this name, or all."""
        for one in self.armed:
            if name is None or one.command.as_ == name:
                one.left = 0
        self.armed = [one for one in self.armed if one.left > 0]

    def _tidy(self) -> None:
        self.waiting = [one for one in self.waiting if not one.ready]

    def _fire(self, armed: Armed) -> Outcome | None:
        if armed.left <= 0:
            return None
        armed.left -= 1
        self.armed = [one for one in self.armed if one.left > 0]
        command = armed.command
        answers = tuple(self.perform(one) for one in command.then)
        if command.as_ is not None:
            of = armed.address.of
            self.show(
                Observation(
                    "heard",
                    of=UNSET if of is None else of,
                    as_=command.as_,
                    name=armed.address.gate,
                    answers=answers,
                )
            )
        if command.throw is not None:
            raise Thrown(armed.address.gate)
        return None if command.with_ is None else outcome_of(command.with_)
