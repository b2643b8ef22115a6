"""The engines a check is made of, each as small tasks that a worker process can do alone: suites, walks, whole systems.

A task is data; `work` does it against a fresh system and gives back plain results in a fixed order.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from random import Random

from lifecycle_conformance import grounds, scopes
from lifecycle_conformance.contracts import contract_named
from lifecycle_conformance.oracle import Oracle, Outlook
from lifecycle_conformance.reach import Reach, ground_within_reach, probe, within_reach
from lifecycle_conformance.roaming import roam
from lifecycle_conformance.suite import (
    AGENT,
    Classes,
    Edge,
    explore,
    first_burst,
    labels,
    looking,
    plain_edges,
    reacting_edges,
)
from lifecycle_conformance.systems.adapter import System
from lifecycle_conformance.systems.load import SystemOptions, open_system
from lifecycle_conformance.tours import Tourist
from lifecycle_conformance.trial import Judge, Trial
from lifecycle_conformance.words import Label, Namer, Reacting, burst
from lifecycle_model.commands import Burst, Disarm
from lifecycle_model.engine import Engine
from lifecycle_model.quiet import Crowded, Restless
from lifecycle_model.state import Agent, start
from lifecycle_model.wire import Profile, to_json


@dataclass(frozen=True)
class Task:
    """What one worker does: an engine, a scope, and which part of how many."""

    engine: str
    scope: str
    part: int = 0
    parts: int = 1
    reactions: str = "none"
    """`none`, `kinds` (the shortest of each kind) or `all`."""
    seed: int = 0
    histories: int = 0


@dataclass
class Done:
    """What a task gave: counts, how often each row was taken, and the failing runs, one a cause."""

    task: Task
    runs: int = 0
    edges: int = 0
    classes: int = 0
    labels: int = 0
    several: int = 0
    rows: Counter[str] = field(default_factory=Counter[str])
    failures: list[tuple[tuple[Burst, ...], Mapping[str, object]]] = field(
        default_factory=list[tuple[tuple[Burst, ...], Mapping[str, object]]]
    )
    """The failing runs, one a cause: bursts and policies, for whoever wants to see them fail again."""
    causes: Counter[object] = field(default_factory=Counter[object])
    """How many runs failed, by their cause."""
    errors: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class Setting:
    """How a worker opens and judges the system."""

    system: str
    contract: str
    timeout: float
    causes: int = 60


class Worker:
    """One process's side: one open system, one model, one memory of what bursts may do."""

    def __init__(self, setting: Setting, system: System | None = None) -> None:
        """Open the system; raises what `open_system` raises."""
        gc.set_threshold(200_000, 20, 100)  # a suite's memory is made of frozen values: few cycles, many objects
        self.setting = setting
        self.system = system or open_system(setting.system, SystemOptions(timeout=setting.timeout))
        self.profile: Profile = self.system.describe().profile
        self.engine = Engine(contract_named(setting.contract))
        self.outlook = Outlook(self.engine)
        self.judge = Judge(self.outlook, self.profile)
        self.classes = cache(self._classes)
        self.scope = cache(self._scope)
        self.ground = cache(self._ground)

    @cached_property
    def reach(self) -> Reach:
        """What the system cannot be asked, beyond its profile; found out in one run."""
        return probe(self.system, self.profile, scopes.of(self.setting.contract))

    def _scope(self, name: str) -> scopes.SuiteScope | None:
        return within_reach(scopes.scope(name, self.setting.contract), self.profile, self.reach)

    def _ground(self, name: str) -> grounds.Ground | None:
        return ground_within_reach(grounds.ground(name, self.setting.contract), self.system, self.profile)

    def _classes(self, name: str) -> Classes | None:
        scope = self.scope(name)
        return None if scope is None else explore(self.engine, scope)

    def play(self, bursts: tuple[Burst, ...], policies: Mapping[str, object], keep_log: bool = True) -> Trial:
        """Run and judge one run; without the log what a request or a read of the log contains is not compared."""
        return self.judge.play(self.system, bursts, policies, keep_log)

    def oracle(self, policies: Mapping[str, object]) -> Oracle:
        """An oracle at a freshly reset system."""
        return Oracle(self.outlook, self.profile, dict(policies))

    def work(self, task: Task, tick: Callable[[int], None] = lambda runs: None) -> Done:
        """Do a task to its end; `tick` is told of every run."""
        done = Done(task)
        self.judge.rows.clear()
        self.judge.several = 0
        known: set[object] = set()
        for bursts, policies, edges in _ENGINES[task.engine](self, task, done):
            # classes forget the log, so that a suite's runs share what the model says of them
            trial = self.play(bursts, policies, keep_log=task.engine != "suite")
            done.runs += 1
            done.edges += edges
            tick(1)
            if trial.error is not None:
                done.errors.append(str(trial.error))
                if len(done.errors) >= 3:
                    break
            elif trial.violates:
                done.causes[trial.cause] += 1
                if trial.cause not in known and len(known) < self.setting.causes:
                    known.add(trial.cause)
                    done.failures.append((bursts, policies))
        done.rows = Counter(self.judge.rows)
        done.several = self.judge.several
        return done


Plan = Iterator[tuple[tuple[Burst, ...], Mapping[str, object], int]]


def _suite(worker: Worker, task: Task, done: Done) -> Plan:
    classes = worker.classes(task.scope)
    if classes is None:
        return
    done.classes, done.labels = len(classes.nodes), len(classes.edges)
    edges: list[Edge] = list(plain_edges(classes))
    if task.reactions != "none":
        edges += reacting_edges(classes, task.reactions == "all", worker.profile)
    tourist = Tourist(worker.outlook, classes, worker.profile)
    for tour in tourist.tours(edges[task.part :: task.parts]):
        yield tuple(tour.bursts), classes.scope.policies, sum(edge is not None for edge in tour.edges)


def _walk(worker: Worker, task: Task, done: Done) -> Plan:
    """Seeded histories: longer than a suite's, with reactions that stay armed across bursts."""
    scope = worker.scope(task.scope)
    if scope is None:
        return
    every = _LIFE if scope.lives else _EVENTS
    events = [one for one in every if dict(one)["event"] in worker.profile.observations]
    for history in range(task.part, task.histories, task.parts):
        chance = Random(f"{task.seed}:{task.scope}:{history}")
        name = Namer()
        bursts: list[Burst] = [first_burst(scope, name)]
        outcomes = worker.outlook.perform(start(dict(scope.policies), keep_log=False), bursts[0], to_json(bursts[0]))
        here = outcomes[0].configuration
        for _ in range(chance.randint(4, 24)):
            agent: Agent = here.get(AGENT) or Agent(AGENT)
            choices = list(labels(scope, here))
            if not choices or (not scope.lives and (agent.place == "Gone" or agent.released)):
                break
            label = chance.choice(choices)
            if scope.reactions and chance.random() < 0.35:
                label = Label(label.words, _chance_reaction(chance, scope, events))
            made = burst(name, AGENT, label, scope.holds, here)
            if len(here.world.reactions) > 2:
                made = (Disarm(), *made)
            try:
                here = worker.outlook.perform(here, made, to_json(made))[0].configuration
            except (Crowded, Restless):
                break  # what was drawn cannot be followed to its end: the history stops before it
            bursts.append(made)
        looks = looking(scope, worker.profile)
        yield (*bursts, *((looks,) if looks else ())), scope.policies, 0


def _whole(worker: Worker, task: Task, done: Done) -> Plan:
    """Seeded walks over a whole system: its sessions, tasks, owners, providers and logs, use after use."""
    ground = worker.ground(task.scope)
    if ground is None:
        return
    for history in range(task.part, task.histories, task.parts):
        yield roam(ground, worker.outlook, worker.profile, f"{task.seed}:{task.scope}:{history}"), ground.policies, 0


def planned(worker: Worker, task: Task) -> Plan:
    """The runs of a task, without playing them."""
    return _ENGINES[task.engine](worker, task, Done(task))


_EVENTS: tuple[tuple[tuple[str, object], ...], ...] = (
    (("event", "agent/status"), ("of", AGENT)),
    (("event", "agent/inbox/enqueue"), ("of", AGENT)),
    (("event", "agent/inbox/dequeue"), ("of", AGENT)),
    (("event", "agent/inbox/discard"), ("of", AGENT)),
    (("event", "agent/cancel-requested"), ("of", AGENT)),
    (("event", "abort"), ("of", AGENT)),
    (("event", "agent/error"), ("of", AGENT)),
    (("event", "turn/start"), ("of", AGENT)),
    (("event", "turn/end"), ("of", AGENT)),
    (("event", "step/start"), ("of", AGENT)),
    (("event", "step/end"), ("of", AGENT)),
    (("event", "user/message"), ("of", AGENT)),
    (("event", "steering/message"), ("of", AGENT)),
    (("event", "assistant/message"), ("of", AGENT)),
    (("event", "session/flush"), ("of", AGENT), ("state", "start")),
)

_LIFE: tuple[tuple[tuple[str, object], ...], ...] = (
    (("event", "session/created"), ("of", AGENT)),
    (("event", "agent/created"), ("of", AGENT)),
    (("event", "agent/session-start"), ("of", AGENT)),
    (("event", "agent/status"), ("of", AGENT)),
    (("event", "turn/start"), ("of", AGENT)),
    (("event", "turn/end"), ("of", AGENT)),
    (("event", "abort"), ("of", AGENT)),
    (("event", "agent/disposed"), ("of", AGENT)),
    (("event", "session/disposed"), ("of", AGENT)),
)


def _chance_reaction(
    chance: Random, scope: scopes.SuiteScope, events: list[tuple[tuple[str, object], ...]]
) -> Reacting:
    acts = scope.reactions
    pattern = chance.choice(events)
    act = chance.choice(acts)
    if act.startswith("throw") and dict(pattern)["event"] not in scope.unthrown:
        return Reacting(pattern, throw="sync" if act == "throw" else "async")
    words = tuple(
        (chance.choice([one for one in acts if not one.startswith("throw")]),) for _ in range(chance.randint(1, 2))
    )
    return Reacting(pattern, words)


_ENGINES: dict[str, Callable[[Worker, Task, Done], Plan]] = {"suite": _suite, "walk": _walk, "whole": _whole}
