"""Tiny systems, each lying in one way: the class name says which. `python liars.py NAME` serves one."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence

from honest import COMMANDS, OBSERVATIONS, Honest

from lifecycle_conformance.systems.serve import serve
from lifecycle_model import commands as ask
from lifecycle_model.commands import AnyCommand, Burst, Json
from lifecycle_model.wire import Answer, BurstResult, Observation


class DeclaresSteer(Honest):
    """Declares a command that it refuses as unsupported."""

    commands = (*COMMANDS, "steer")


class DeclaresModelGate(Honest):
    """Declares a gate that it never reports."""

    commands = (*COMMANDS, "hold", "release")
    observations = (*OBSERVATIONS, "gate")
    gates = ("model",)

    def perform(self, command: AnyCommand) -> Answer:
        if isinstance(command, ask.Hold | ask.Release):
            return Answer(ok=None)
        return super().perform(command)


class ShowsUndeclared(Honest):
    """Shows an event its profile does not have."""

    def turn(self) -> None:
        super().turn()
        self.seen.append(Observation("user/message", of="a", message="m1"))


class ShowsUnasked(Honest):
    """Reports a gate that nobody held, watched or reacted to."""

    observations = (*OBSERVATIONS, "gate")

    def turn(self) -> None:
        super().turn()
        self.seen.append(Observation("gate", of="a", gate="model"))


class SettlesTwice(Honest):
    """Settles every call twice."""

    def until_quiet(self) -> None:
        self.waiting += self.waiting
        super().until_quiet()


class InventsCode(Honest):
    """Refuses with a code of its own."""

    def perform(self, command: AnyCommand) -> Answer:
        return Answer(refused="nope") if isinstance(command, ask.Cancel) else super().perform(command)


class InventsEvent(Honest):
    """Shows an event of its own."""

    def turn(self) -> None:
        super().turn()
        self.seen.append(Observation("turn/middle", of="a"))


class ForgetsMember(Honest):
    """Shows a turn's end without its reason."""

    def turn(self) -> None:
        self.turns += 1
        self.seen.append(Observation("turn/start", of="a", turn=self.turns))
        self.seen.append(Observation("turn/end", of="a", turn=self.turns))


class AnswersTooLittle(Honest):
    """Leaves out the last answer of a burst."""

    def burst(self, burst: Burst) -> BurstResult:
        result = super().burst(burst)
        return BurstResult(result.calls[:-1], result.seen)


class ResetsNothing(Honest):
    """Counts turns on through every reset."""

    def reset(self, policies: Mapping[str, Json]) -> None:
        turns = self.turns
        super().reset(policies)
        self.turns = turns


class ChangesItsMind(Honest):
    """Answers differently in every other run."""

    runs = 0

    def reset(self, policies: Mapping[str, Json]) -> None:
        self.runs += 1
        super().reset(policies)

    def turn(self) -> None:
        super().turn()
        if self.runs % 2:
            self.seen[-1] = Observation("turn/end", of="a", turn=self.turns, reason="aborted")


class AnswersTooEarly(Honest):
    """Answers before it is quiet: what is left is shown with the next burst."""

    def __init__(self) -> None:
        self.late: list[Observation] = []
        super().__init__()

    def begin(self) -> None:
        super().begin()
        self.late = []

    def burst(self, burst: Burst) -> BurstResult:
        late, self.late = self.late, []
        result = super().burst(burst)
        self.late = list(result.seen[1:])
        return BurstResult(result.calls, (*late, *result.seen[:1]))


class AnswersSlowly(Honest):
    """Sleeps in every burst."""

    def run(self, bursts: Sequence[Burst]) -> list[BurstResult]:
        time.sleep(0.06)
        return super().run(bursts)


class MisspellsProfile(Honest):
    """Declares a command that is no command."""

    commands = (*COMMANDS, "whenIdle")


class Raises(Honest):
    """Raises where it should answer."""

    def perform(self, command: AnyCommand) -> Answer:
        if isinstance(command, ask.Cancel):
            raise KeyError("no agent")
        return super().perform(command)


class Faulty(Honest):
    """Notices an unhandled error of its own."""

    def turn(self) -> None:
        super().turn()
        self.seen.append(Observation("fault", text="Task exception was never retrieved: ValueError: 7"))


ALL: dict[str, type[Honest]] = {kind.__name__: kind for kind in Honest.__subclasses__()}

if __name__ == "__main__":
    sys.exit(serve(ALL[sys.argv[1]]()))
