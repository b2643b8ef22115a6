"""Owns what the benchmark's own competitors say: one alphabet of rules, unguarded, guarded by hand, or drawn uniformly.

Refuses to be clever: these are what somebody would write who has the oracle, but neither the suites nor our machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, ClassVar

from hypothesis import HealthCheck, Phase, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from lifecycle_conformance.engines import Worker
from lifecycle_conformance.oracle import Oracle
from lifecycle_conformance.words import Namer, command
from lifecycle_model.commands import AnyCommand, Burst, Create, Hold, React
from lifecycle_model.state import Agent, Configuration
from lifecycle_model.wire import to_json

A = "a"
LENGTH = 30
"""Commands of a history, as Hypothesis' own step count is set."""
WORDS = ("send", "quiet", "steer", "inject", "cancel", "when_idle", "dispose")
GATES: Mapping[str, tuple[str, ...]] = {
    "model": ("finish", "error", "tools1"),
    "flush": ("ok", "fail"),
    "tool": ("ok",),
}
EVENTS = (
    "agent/status",
    "agent/inbox/enqueue",
    "agent/inbox/dequeue",
    "agent/inbox/discard",
    "agent/cancel-requested",
    "abort",
    "turn/start",
    "turn/end",
)
ACTS = ("send", "steer", "cancel", "dispose")


class Over(BaseException):
    """The hunt is over. No `Exception`: Hypothesis would begin to shrink it; what it makes of this one does not matter."""


class Spent:
    """Counts the commands of one hunt; begins histories and judges bursts. `found` is how many it took."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.commands = 0
        self.over = False
        self.found: int | None = None
        self.oracle: Oracle
        self._worker: Worker

    def history(self, worker: Worker, policies: Mapping[str, Any], keep_log: bool = True) -> None:
        """Begin one."""
        self._worker = worker
        worker.system.reset(policies)
        self.oracle = Oracle(worker.outlook, worker.profile, dict(policies), keep_log)

    def play(self, burst: Burst) -> None:
        """Play and judge a burst; raises `Over` once it is found, or the budget spent."""
        self.count(len(burst))
        (result,) = self._worker.system.run([burst])
        self.judged(self.oracle.judge(burst, to_json(burst), result) is None)

    def count(self, commands: int) -> None:
        """Spend some of the budget."""
        if self.over or self.commands + commands > self.budget:
            self.over = True
            raise Over
        self.commands += commands

    def judged(self, allowed: bool) -> None:
        """The oracle has judged a burst."""
        if not allowed:
            self.over, self.found = True, self.commands
            raise Over

    @property
    def here(self) -> Configuration:
        """The configuration, as the oracle has it."""
        return self.oracle.hypotheses[0].configuration


class Ruled(RuleBasedStateMachine):
    """The state of one history: names, and what is armed in front of the next command."""

    spent: ClassVar[Spent]
    worker: ClassVar[Worker]

    def __init__(self) -> None:
        super().__init__()
        self.name = Namer()
        self.pending: list[AnyCommand] = []
        self.said = 0

    @initialize()
    def begin(self) -> None:
        """A fresh agent."""
        self.spent.history(self.worker, {})
        self.spent.play((Create(A, as_=self.name.next("h")),))

    def say(self, *word: str) -> None:
        """One command, behind what was armed."""
        burst = (*self.pending, command(self.name, A, word))
        self.pending = []
        self.said += 1
        self.spent.play(burst)

    def hold(self, gate: str) -> None:
        """Arm a hold."""
        self.pending.append(Hold(gate, A, sticky=True))

    def react(self, event: str, act: str) -> None:
        """Arm a reaction."""
        on: dict[str, Any] = {"event": event, "of": A}
        self.pending.append(React(on=on, then=(command(self.name, A, (act,)),)))

    @property
    def agent(self) -> Agent:
        """The agent, as the oracle has it."""
        found = self.spent.here.get(A)
        return found if isinstance(found, Agent) else Agent(A)

    def waits(self, gate: str) -> bool:
        """Whether a gate of this kind waits."""
        return any(one.kind == gate and one.outcome is None for one in self.spent.here.world.gates)


def default_machine(of: Worker) -> type[Ruled]:
    """A rule a command, nothing else."""
    return type(
        "Default", (Ruled,), {"worker": of, **{f"rule_{name}": _rule(gives, does) for name, gives, does, _ in RULES}}
    )


def tuned_machine(of: Worker) -> type[Ruled]:
    """The same rules, each behind the precondition that somebody would write who knows the contract."""
    rules = {f"rule_{name}": _when(when, _rule(gives, does)) for name, gives, does, when in RULES}
    return type("Tuned", (Ruled,), {"worker": of, **rules})


def _rule(gives: Mapping[str, Any], does: Callable[..., None]) -> Callable[..., None]:
    untyped: Any = rule
    made: Callable[..., None] = untyped(**gives)(does)
    return made


def _when(condition: Callable[[Any], bool], does: Callable[..., None]) -> Callable[..., None]:
    untyped: Any = precondition
    made: Callable[..., None] = untyped(condition)(does)
    return made


def _rules() -> list[tuple[str, dict[str, st.SearchStrategy[str]], Callable[..., None], Callable[[Any], bool]]]:
    """Name, what is drawn, what is done, and the precondition of the tuned machine."""

    def always(_: Ruled) -> bool:
        return True

    def word(said: str) -> Callable[[Ruled], None]:
        def say(self: Ruled) -> None:
            self.say(said)

        return say

    def release(kind: str) -> Callable[..., None]:
        def let(self: Ruled, outcome: str) -> None:
            self.say("release", kind, outcome)

        return let

    def hold(kind: str) -> Callable[[Ruled], None]:
        def arm(self: Ruled) -> None:
            self.hold(kind)

        return arm

    def react(self: Ruled, event: str, act: str) -> None:
        self.react(event, act)

    when: dict[str, Callable[[Any], bool]] = {
        "steer": lambda self: self.agent.status == "running",
        "cancel": lambda self: bool(self.agent.holder or self.agent.queued or self.agent.steering),
        "when_idle": lambda self: self.agent.status != "idle" or bool(self.agent.queued),
        "dispose": lambda self: self.said > LENGTH // 2 and self.agent.status != "disposed",
    }
    found: list[Any] = [(one, {}, word(one), when.get(one, always)) for one in WORDS]
    for kind, outcomes in GATES.items():
        waiting = {"outcome": st.sampled_from(outcomes)}
        found.append((f"release_{kind}", waiting, release(kind), lambda self, kind=kind: self.waits(kind)))
        unarmed = lambda self, kind=kind: not self.waits(kind) and len(self.pending) < 2  # noqa: E731
        found.append((f"hold_{kind}", {}, hold(kind), unarmed))
    drawn = {"event": st.sampled_from(EVENTS), "act": st.sampled_from(ACTS)}
    found.append(("react", drawn, react, lambda self: len(self.pending) < 2))
    return found


RULES = _rules()


def play_machine(machine: type[RuleBasedStateMachine], worker: Worker, spent: Spent, seed: int) -> None:
    """Run a machine, generation only, until it fails or the budget is spent."""
    own = worker if issubclass(machine, Ruled) else _Counting(worker, spent)
    counted = type("Counted", (machine,), {"spent": spent, "worker": own})
    run_state_machine_as_test(
        seeded(seed)(counted),
        settings=settings(
            max_examples=spent.budget,
            stateful_step_count=LENGTH,
            database=None,
            deadline=None,
            phases=(Phase.generate,),
            suppress_health_check=list(HealthCheck),
        ),
    )


class _Counting:
    """A worker whose system and oracle count what our own machine asks."""

    def __init__(self, worker: Worker, spent: Spent) -> None:
        self._worker = worker
        self._spent = spent
        self.system = self

    def __getattr__(self, name: str) -> Any:
        return getattr(self._worker, name)

    def reset(self, policies: Mapping[str, Any]) -> None:
        """Begin a history."""
        self._worker.system.reset(policies)

    def run(self, bursts: list[Burst]) -> Any:
        """Count, then run."""
        self._spent.count(sum(map(len, bursts)))
        return self._worker.system.run(bursts)

    def oracle(self, policies: Mapping[str, Any]) -> Any:
        """An oracle whose disagreement ends the hunt."""
        return _Ending(self._worker.oracle(policies), self._spent)


class _Ending(Oracle):
    """An oracle that ends the hunt where it disagrees."""

    def __init__(self, oracle: Oracle, spent: Spent) -> None:
        self.__dict__.update(oracle.__dict__)
        self._spent = spent

    def judge(self, *given: Any) -> None:
        """As the oracle; raises `Over` where it disagrees."""
        self._spent.judged(super().judge(*given) is None)


def random_walk(worker: Worker, spent: Spent, seed: int) -> None:
    """The rules of the unguarded machine, drawn uniformly by a seed."""
    chance = Random(f"random {seed}")
    choices = {
        name: {key: list(_values(strategy)) for key, strategy in gives.items()} for name, gives, _does, _when in RULES
    }
    walk = type("Walk", (default_machine(worker),), {"spent": spent})
    while True:
        machine = walk()
        spent.history(worker, {})
        spent.play((Create(A, as_=machine.name.next("h")),))
        for _ in range(LENGTH):
            name, _gives, does, _when = chance.choice(RULES)
            does(machine, **{key: chance.choice(values) for key, values in choices[name].items()})


def _values(strategy: Any) -> tuple[str, ...]:
    """What a `sampled_from` samples from."""
    return tuple(strategy.wrapped_strategy.elements if hasattr(strategy, "wrapped_strategy") else strategy.elements)
