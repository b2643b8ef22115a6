"""Seeded walks through everything the reference can be asked: each is answered, twice alike, and alike over stdio."""

from __future__ import annotations

import random
import shlex
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from lifecycle_conformance.systems.adapter import Run, run_all
from lifecycle_conformance.systems.load import open_system
from lifecycle_model import commands as ask
from lifecycle_model.commands import AnyCommand, Burst, Outcome
from lifecycle_model.wire import BurstResult

TURN_GATES = ("policy", "assembly", "prefix", "pre_step", "model", "recovery", "tool", "post_step", "continuation")
OTHER_GATES = ("stopping", "flush", "scope", "validation", "driver")
CREATION_GATES = ("setup", "scope_mint", "load")
OUTCOMES: dict[str, list[str | Outcome]] = {
    "model": ["finish", "chunk", "error", "max_tokens", Outcome(tools=2)],
    "policy": ["allow", "block", "fail"],
    "recovery": ["retry", "fail"],
    "tool": ["ok", "fail"],
    "continuation": ["stop", "continue", "fail"],
    "stopping": ["ok", "terminal", "fail"],
}
EVENTS = (
    "agent/created",
    "agent/disposed",
    "agent/session-start",
    "agent/status",
    "agent/inbox/enqueue",
    "agent/inbox/dequeue",
    "agent/inbox/discard",
    "agent/cancel-requested",
    "abort",
    "agent/error",
    "session/created",
    "session/disposed",
    "session/flush",
    "turn/start",
    "turn/end",
    "step/start",
    "step/end",
    "user/message",
    "assistant/message",
    "request",
)
SERVE = (
    "import sys;"
    "from lifecycle_conformance.systems.load import SystemOptions, open_raw;"
    "from lifecycle_conformance.systems.serve import serve;"
    "sys.exit(serve(open_raw('reference', SystemOptions())))"
)


class Walk:
    """One history, drawn from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._names = 0

    def bursts(self) -> tuple[Burst, ...]:
        count = self._random.randrange(2, 9)
        drawn = (tuple(self.command() for _ in range(self._random.randrange(1, 4))) for _ in range(count))
        return ((ask.Create("a", self.name("h")),), *drawn)

    def name(self, kind: str) -> str:
        self._names += 1
        return f"{kind}{self._names}"

    def gate(self) -> tuple[str, str]:
        """A gate and a subject that may come to it."""
        gate = self._random.choice((*(["model"] * 6), *TURN_GATES, *OTHER_GATES, *CREATION_GATES))
        return gate, f"h{self._names + 1}" if gate in CREATION_GATES else self.agent()

    def agent(self) -> str:
        return self._random.choice("aaab")

    def command(self, *, nested: bool = False) -> AnyCommand:
        pick, agent = self._random, self.agent()
        kind = pick.choice(KINDS)
        if kind == "create":
            owner, signal = pick.choice([None, "f1", "bare"]), pick.choice([None, None, None, "error", "value"])
            return ask.Create(agent, self.name("h"), owner=owner, sync=pick.random() < 0.2, signal=signal)
        if kind == "resume":
            return ask.Resume(agent, self.name("h"))
        if kind == "send":
            return ask.Send(agent, self.name("m"), wakeup=pick.random() < 0.8, invalid=pick.random() < 0.05)
        if kind == "steer":
            return ask.Steer(agent, self.name("m"))
        if kind == "inject":
            return ask.Inject(agent, self.name("m"))
        if kind == "cancel":
            return ask.Cancel(agent, pick.choice(["user", "parent"]))
        if kind == "end":
            ending: list[AnyCommand] = [
                ask.Dispose(agent, as_=self.name("d")),
                ask.UnloadOwner(pick.choice(["root", "f1"]), self.name("u")),
                ask.UnloadProvider("p1", self.name("u")),
                ask.LoadProvider("p2"),
            ]
            return pick.choice(ending)
        if kind == "hold":
            gate, of = self.gate()
            return ask.Hold(gate, of, sticky=pick.random() < 0.4)
        if kind == "release":
            gate, of = self.gate()
            subject = None if gate in CREATION_GATES else of
            return ask.Release(gate, subject, with_=pick.choice(OUTCOMES.get(gate, ["ok", "fail"])))
        if kind == "tools":
            return ask.React({"gate": "model", "of": agent}, with_=Outcome(tools=2))
        if kind == "react" and not nested:
            return self.reaction()
        rest: list[AnyCommand] = [
            ask.WhenIdle(agent, self.name("w")),
            ask.Read(agent=agent),
            ask.Tick(agent),
            ask.Disarm(),
            ask.Mutate("cause"),
            ask.Session("append_out_of_band", self.name("o"), agent, record={"event": "user/message", "message": "mo"}),
        ]
        return pick.choice(rest)

    def reaction(self) -> AnyCommand:
        pick = self._random
        gate, of = self.gate()
        on: dict[str, object] = pick.choice(
            [{"event": pick.choice(EVENTS), "of": self.agent()}, {"gate": gate, "of": of}]
        )
        then = tuple(self.command(nested=True) for _ in range(pick.randrange(3)))
        throw = pick.choice([None, None, None, "sync", "async"])
        outcome = pick.choice(OUTCOMES.get(gate, ["ok", "fail"])) if "gate" in on and pick.random() < 0.5 else None
        times, name = pick.choice([1, 1, 2]), pick.choice([None, "l1"])
        return ask.React(on, then, throw=throw, with_=outcome, times=times, as_=name)


WEIGHTS = {
    "create": 1,
    "resume": 1,
    "send": 4,
    "steer": 3,
    "inject": 2,
    "cancel": 3,
    "end": 2,
    "hold": 3,
    "release": 4,
    "react": 3,
    "tools": 1,
    "rest": 3,
}
KINDS = tuple(kind for kind, weight in WEIGHTS.items() for _ in range(weight))


@pytest.fixture(scope="module")
def reference() -> Iterator[Any]:
    system = open_system("reference")
    yield system
    system.stop()


def played(system: Any, seeds: range) -> list[list[BurstResult]]:
    """What the walks of these seeds give; a failing adapter fails the test."""
    outcomes: list[list[BurstResult]] = []
    for seed, outcome in zip(seeds, run_all(system, [Run(Walk(seed).bursts()) for seed in seeds]), strict=True):
        assert isinstance(outcome, list), f"seed {seed}: {outcome}"
        outcomes.append(outcome)
    return outcomes


def test_walks_are_answered_alike_twice_and_without_faults(reference: Any) -> None:
    seeds = range(250)
    first = played(reference, seeds)
    assert played(reference, seeds) == first
    faults = [seen for run in first for result in run for seen in result.seen if seen.event == "fault"]
    assert faults == []


def test_walks_reach_what_they_are_about(reference: Any) -> None:
    shown = {seen.event for run in played(reference, range(250)) for result in run for seen in result.seen}
    assert shown >= {*EVENTS, "gate", "heard", "contained", "settled", "scope", "steering/message", "tool/result"}


def test_walks_over_stdio_are_the_same(reference: Any) -> None:
    seeds = range(60)
    child = open_system(f"stdio:{shlex.join([sys.executable, '-c', SERVE])}")
    try:
        assert child.describe() == reference.describe()
        assert played(child, seeds) == played(reference, seeds)
    finally:
        child.stop()
