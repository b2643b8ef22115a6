"""A tiny correct system: one agent, turns that run in no time. The wrong ones beside it each change one thing.

Run as a program it serves protocol 1 on its standard streams.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from lifecycle_conformance.systems.serve import serve
from lifecycle_model import commands as ask
from lifecycle_model.commands import AnyCommand, Burst, Json
from lifecycle_model.wire import Answer, BurstResult, Description, Observation, Profile

COMMANDS = ("create", "send", "cancel", "when_idle")
OBSERVATIONS = ("agent/status", "turn/start", "turn/end", "settled")


class Honest:
    """Answers everything truthfully."""

    commands: tuple[str, ...] = COMMANDS
    observations: tuple[str, ...] = OBSERVATIONS
    gates: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self.seen: list[Observation] = []
        self.waiting: list[str] = []
        self.queued = 0
        self.turns = 0

    def describe(self) -> Description:
        profile = Profile(
            commands=self.commands,
            observations=self.observations,
            gates=self.gates,
            statuses=("idle", "running"),
        )
        return Description(name=type(self).__name__.lower(), version="1", language="python", profile=profile)

    def reset(self, policies: Mapping[str, Json]) -> None:
        self.begin()

    def run(self, bursts: Sequence[Burst]) -> list[BurstResult]:
        return [self.burst(burst) for burst in bursts]

    def burst(self, burst: Burst) -> BurstResult:
        self.seen = []
        calls = tuple(self.perform(command) for command in burst)
        self.until_quiet()
        return BurstResult(calls, tuple(self.seen))

    def perform(self, command: AnyCommand) -> Answer:
        if isinstance(command, ask.Create):
            self.seen.append(Observation("settled", of=command.as_, ok="handle"))
            return Answer(pending=command.as_)
        if isinstance(command, ask.Send):
            self.queued += 1
            return Answer(ok=command.message)
        if isinstance(command, ask.Cancel):
            self.queued = 0
            return Answer(ok=None)
        if isinstance(command, ask.WhenIdle):
            self.waiting.append(command.as_)
            return Answer(pending=command.as_)
        return Answer(refused="unsupported")

    def until_quiet(self) -> None:
        if self.queued:
            self.seen.append(Observation("agent/status", of="a", status="running"))
            for _ in range(self.queued):
                self.turn()
            self.queued = 0
            self.seen.append(Observation("agent/status", of="a", status="idle"))
        self.seen += [Observation("settled", of=ref, ok=None) for ref in self.waiting]
        self.waiting.clear()

    def turn(self) -> None:
        self.turns += 1
        self.seen.append(Observation("turn/start", of="a", turn=self.turns, trigger="message"))
        self.seen.append(Observation("turn/end", of="a", turn=self.turns, reason="completed"))

    def stop(self) -> None:
        return None


if __name__ == "__main__":
    sys.exit(serve(Honest()))
