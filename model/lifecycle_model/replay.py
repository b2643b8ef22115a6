"""Paths of an exploration performed again with concrete names: what was asked, what went on by itself, what was seen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from dataclasses import replace as dataclass_replace
from typing import Any

import msgspec

from lifecycle_model import system
from lifecycle_model.canonical import MARK, Cell, names_in, rename
from lifecycle_model.commands import AnyCommand, Create, Hold, Outcome, Release
from lifecycle_model.engine import Engine, ModelError, Segment
from lifecycle_model.ghost import Ghost
from lifecycle_model.labels import (
    Label,
    Seat,
    after_of,
    lives,
    look,
    look_all,
    own_gates,
    perform,
    subjects_of,
    until_quiet,
)
from lifecycle_model.properties import Step
from lifecycle_model.space import Hop, Space
from lifecycle_model.state import Configuration, OpenGate, start
from lifecycle_model.wire import UNSET, Answer, Observation, members, to_json


class Astray(ModelError):
    """A replay did not reach the configuration that the exploration reached."""


@dataclass(frozen=True)
class Moment:
    """One segment of a concrete run."""

    text: str
    commands: tuple[AnyCommand, ...]
    """What the environment asked, in one burst; empty for an internal segment."""
    gate: OpenGate | None
    """The gate passed by an internal segment."""
    configuration: Configuration
    answer: Answer
    seen: tuple[Observation, ...]
    rows: tuple[str, ...]

    def lines(self) -> list[str]:
        """The moment as text: what was done, then what was seen."""
        shown = ", ".join(short(one) for one in self.seen if one.event != "heard")
        refused = "" if self.answer.refused is UNSET else f"  refused: {self.answer.refused}"
        return [f"{self.text}{refused}"] + ([f"    {shown}"] if shown else [])


class Replay:
    """A concrete run of a scope, hop by hop."""

    def __init__(self, space: Space, keep_log: bool = True) -> None:
        """Begin where the exploration began."""
        self.space = space
        scope = space.scope
        self.engine = Engine(space.contract)
        self.names = list(scope.agents)
        """The concrete agent in each seat."""
        others = [name for role in scope.roles for name in role.also]
        self.ghosts = {name: Ghost() for name in (*self.names, *others)}
        self.counters: dict[str, int] = {}
        keep_log = keep_log and not any(role.whole for role in scope.roles)
        self.configuration = start(dict(scope.policies), keep_log)
        self.moments: list[Moment] = []
        for watch in scope.watches:
            self.configuration = self.engine.perform(self.configuration, watch).configuration
        for seat, name in enumerate(self.names):
            role = scope.roles[space.roles[seat]]
            if role.ticks:
                self.configuration = self.engine.perform(self.configuration, Hold("driver", of=name)).configuration
            if role.born:
                self._create(seat, name)
            for command in role.first:
                self._begin(seat, command)

    def _begin(self, seat: int, command: AnyCommand) -> None:
        for asked, gate, segment in until_quiet(self.engine, self.configuration, command):
            label = Label(asked, passes=gate is not None)
            for step in look_all(self._seat(seat), segment, asked, gate, label, ()):
                self.ghosts[step.name] = step.after.ghost
            self.configuration = segment.configuration
            text = f"({gate.kind} of {gate.of} goes on)" if gate is not None else tell(command)
            self._keep([] if asked is None else [asked], gate, segment, text)

    def _create(self, seat: int, name: str) -> None:
        label = Label(Create("self", "", sync=True))
        segment, command, gate, _ = self._perform((self._seat(seat),), label, [])
        assert command is not None
        self._keep([command], gate, segment, f"create {name}")

    def _seat(self, seat: int) -> Seat:
        name = self.names[seat]
        role = self.space.scope.roles[self.space.roles[seat]]
        if role.whole:
            cell = system.after(
                name, role, self.configuration, {one: (ghost, ()) for one, ghost in self.ghosts.items()}
            )
            return Seat(name, name, role, cell, len(names_in(cell)))
        others = lives(self.configuration, name)
        gates = own_gates(self.configuration, name, others)
        cell = Cell(self.configuration.get(name), gates, self.ghosts[name], others)
        return Seat(name, name, role, cell, len(names_in(cell)))

    def _fresh(self, seat: Seat, kind: str) -> str:
        self.counters[kind] = self.counters.get(kind, 0) + 1
        return f"{seat.prefix}{MARK}{kind}{self.counters[kind]}"

    def _perform(
        self, seats: tuple[Seat, ...], label: Label, given: list[AnyCommand]
    ) -> tuple[Segment, AnyCommand | None, OpenGate | None, list[Step]]:
        segment, command, gate = perform(self.engine, self.configuration, seats, label, self._fresh, given)
        if seats[0].role.whole:
            steps = look_all(seats[0], segment, command, gate, label, given)
        else:
            steps = [look(seat, segment, command, gate, label, index) for index, seat in enumerate(seats)]
        for step in steps:
            self.ghosts[step.name] = step.after.ghost
        self.configuration = segment.configuration
        return segment, command, gate, steps

    def _arm_holds(self) -> list[AnyCommand]:
        given: list[AnyCommand] = []
        for seat, name in enumerate(self.names):
            for held, of in subjects_of(self.space.scope.roles[self.space.roles[seat]], name):
                if not any(arm.gate == held.gate and arm.of == of for arm in self.configuration.world.holds):
                    hold = Hold(held.gate, of=of, sticky=held.sticky)
                    self.configuration = self.engine.perform(self.configuration, hold).configuration
                    given.append(hold)
        return given

    def hop(self, key: int, hop: Hop) -> Moment:
        """Perform one hop that leaves the configuration `key`; raises Astray if it ends elsewhere."""
        cells = self.space.unpack(key)[0]
        given = self._arm_holds()
        seats = (self._seat(hop.seat), *((self._seat(hop.other),) if hop.other >= 0 else ()))
        label = hop.label
        unknown = Label(
            label.command, label.gate, label.kind, label.program, label.outcome, label.passes,
            tuple(msgspec_free(heard) for heard in label.heard), late=label.late,
        )  # fmt: skip
        segment, command, gate, steps = self._perform(seats, unknown, given)
        if command is not None:
            given.append(command)
        targets = hop.move.targets if hop.reply is None else (*hop.move.targets, *hop.reply.targets)
        for step, seat, target in zip(steps, seats, targets, strict=False):
            reached = self.space.cells.numbers.get(after_of(without_log(step), seat))
            if reached != target:
                raise Astray(f"{describe(label, seats)} of {step.name} reached another configuration than explored")
        cells[hop.seat] = targets[0]
        if hop.other >= 0:
            cells[hop.other] = targets[1]
        for group in self.space.groups:
            ranked = sorted(group, key=lambda seat: cells[seat])
            names = [self.names[seat] for seat in ranked]
            for seat, name in zip(group, names, strict=True):
                self.names[seat] = name
        return self._keep(given, gate if label.passes else None, segment, describe(label, seats, command, gate, given))

    def _keep(self, given: list[AnyCommand], gate: OpenGate | None, segment: Segment, text: str) -> Moment:
        moment = Moment(
            plain(text),
            tuple(plain(one) for one in given),
            None if gate is None else plain(gate),
            Configuration({name: plain(part) for name, part in segment.configuration.items()}),
            plain(segment.answer),
            tuple(plain(one) for one in segment.seen),
            tuple(row.id for row in segment.rows),
        )
        self.moments.append(moment)
        return moment


def without_log(step: Step) -> Step:
    """The step as an exploration sees it, which keeps no logs."""
    part = step.after.part
    if not getattr(part, "log", ()):
        return step
    return dataclass_replace(step, after=step.after._replace(part=msgspec.structs.replace(part, log=())))


def msgspec_free(heard: Any) -> Any:
    """The listener without the pattern of another run."""
    return type(heard)(heard.at, heard.listener)


def plain(value: Any) -> Any:
    """The value with names as a judge writes them: `m1` for `a#m1`."""
    if isinstance(value, str):
        words = value.split(" ")
        return " ".join(word.rpartition(MARK)[2] for word in words)
    if isinstance(value, dict):
        return {plain(key): plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    names: dict[str, str] = {}
    _collect(value, names)
    return rename(value, names, {}) if names else value


def _collect(value: Any, names: dict[str, str]) -> None:
    if isinstance(value, str):
        if MARK in value:
            names[value] = value.rpartition(MARK)[2]
    elif isinstance(value, tuple | list):
        for one in value:
            _collect(one, names)
    elif isinstance(value, msgspec.Struct):
        for one in msgspec.structs.astuple(value):
            _collect(one, names)


def describe(
    label: Label,
    seats: tuple[Seat, ...],
    command: AnyCommand | None = None,
    gate: OpenGate | None = None,
    given: Iterable[AnyCommand] = (),
) -> str:
    """One line on a hop: `send a m1`, `release model of a: finish`, `model of a goes on`; and who listens."""
    if command is not None:
        text = tell(command)
    elif gate is not None:
        text = f"({gate.kind} of {gate.of} goes on)"
    else:
        text = label.kind or (label.command.verb if label.command is not None else "")
    reactions = [tell(one) for one in given if one.verb == "react"]
    return text + "".join(f"  [{one}]" for one in reactions)


def tell(command: AnyCommand) -> str:
    """A command in a few words."""
    if isinstance(command, Release):
        given = command.with_
        word = given if isinstance(given, str) else "ok" if given is None else _outcome(given)
        return f"release {command.gate} of {command.of}: {word}"
    known = msgspec.to_builtins(command)
    verb = known.pop("do")
    if verb == "react":
        on = {name: value for name, value in known["on"].items() if name not in ("of", "wakeup")}
        what = " ".join(str(value) for value in on.values())
        acts = ", ".join(tell(one) for one in getattr(command, "then", ()))
        throw = f"throw {known['throw']}" if "throw" in known else ""
        outcome = getattr(command, "with_", None)
        given = "" if outcome is None else f"give {outcome if isinstance(outcome, str) else _outcome(outcome)}"
        return f"at {what}: {', '.join(part for part in (acts, throw, given) if part)}"
    return " ".join([verb, *(_word(name, value) for name, value in known.items())])


def _word(name: str, value: object) -> str:
    return str(value) if name in ("agent", "id", "message", "as", "cause", "gate", "of") else f"{name}={value}"


def _outcome(outcome: Outcome) -> str:
    rest = [f"{outcome.tools} calls"] if outcome.tools else []
    rest += [outcome.reason] if outcome.reason else []
    return " ".join([outcome.outcome, *rest])


SHORT = {
    "agent/inbox/enqueue": "enq", "agent/inbox/dequeue": "deq", "agent/inbox/discard": "disc",
    "agent/cancel-requested": "creq", "agent/status": "status", "agent/session-start": "start", "agent/error": "err",
    "turn/start": "TS", "turn/end": "TE", "step/start": "SS", "step/end": "SE", "user/message": "UM",
    "steering/message": "SM", "assistant/message": "AM", "tool/call": "TC", "tool/result": "TR",
    "session/created": "s+", "session/disposed": "s-", "agent/created": "a+", "agent/disposed": "a-",
}  # fmt: skip


def short(seen: Observation) -> str:
    """An observation in the contract's short form."""
    if seen.event == "session/flush":
        return "FL" if seen.state == "start" else "FL."
    known = {name: value for name, value in members(seen).items() if name not in ("event", "of", "wakeup", "trigger")}
    if seen.event == "agent/inbox/discard":
        items = () if seen.items is UNSET else seen.items
        return f"disc[{' '.join(one.id for one in items)}]"
    if known.get("steering") is False:
        del known["steering"]
    elif known.get("steering") is True:
        known["steering"] = "steer"
    values = ",".join(str(value) for value in known.values() if value is not None)
    name = SHORT.get(seen.event, seen.event)
    if seen.event == "settled":
        return f"settled({seen.of})"
    return f"{name}({values})" if values else name


def replay(space: Space, hops: Iterable[tuple[int, Hop]], keep_log: bool = True) -> list[Moment]:
    """Perform a path from the beginning with concrete names."""
    run = Replay(space, keep_log)
    for key, hop in hops:
        run.hop(key, hop)
    return run.moments


def text_of(moments: Iterable[Moment]) -> str:
    """A run as numbered lines."""
    lines: list[str] = []
    for number, moment in enumerate(moments, start=1):
        first, *rest = moment.lines()
        lines.append(f"{number:>3}  {first}")
        lines += [f"     {line}" for line in rest]
    return "\n".join(lines)


def as_json(moments: Iterable[Moment]) -> bytes:
    """A run's commands and observations, byte for byte reproducible."""
    return to_json([{"do": moment.commands, "seen": moment.seen} for moment in moments])
