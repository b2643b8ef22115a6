"""Suites from a scope: V (a shortest way to every class) x every label x W (what tells classes apart).

Works on the model alone; refuses to know a system. A *class* is a configuration with its names and numbers forgotten.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from lifecycle_conformance.scopes import SuiteScope
from lifecycle_conformance.words import Label, Namer, Reacting, Word, burst
from lifecycle_model.commands import Burst, Hold, React, Read
from lifecycle_model.engine import Engine
from lifecycle_model.quiet import Outcomes, perform
from lifecycle_model.state import Agent, Configuration, start
from lifecycle_model.wire import UNSET, Observation, Profile, members

AGENT = "a"


@dataclass(frozen=True)
class Node:
    """A class with a shortest way to it."""

    path: tuple[Label, ...]
    bursts: tuple[Burst, ...]
    configuration: Configuration
    names: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class SuiteRun:
    """One run of a suite."""

    scope: str
    bursts: tuple[Burst, ...]
    size: tuple[int, int]
    reacts: bool


@dataclass
class Classes:
    """The classes of a scope: how many, how they are connected, and whether every result was single."""

    scope: SuiteScope
    nodes: list[Node] = field(default_factory=list[Node])
    edges: list[tuple[int, Label, tuple[Outcomes, ...], tuple[Burst, ...]]] = field(
        default_factory=list[tuple[int, Label, tuple[Outcomes, ...], tuple[Burst, ...]]]
    )
    targets: list[int | None] = field(default_factory=list[int | None])
    several: int = 0
    """Labels after which the contract allows several results: not covered by the completeness statement."""


def key_of(configuration: Configuration) -> object:
    """The class of a configuration: message names, turn numbers and references forgotten."""
    agent: Agent | None = configuration.get(AGENT)
    world = configuration.world
    gates = tuple((gate.kind, gate.call, gate.outcome, gate.program) for gate in world.gates)
    armed = tuple(sorted(hold.gate for hold in world.holds))
    if agent is None:
        return None, gates, armed
    return (
        agent.place,
        agent.at,
        agent.status,
        tuple((item.wakeup, len(item.contexts)) for item in agent.queued),
        tuple(len(item.contexts) for item in agent.steering),
        agent.marker,
        agent.holder,
        bool(agent.waiters),
        agent.open,
        agent.step_open,
        min(agent.step, 2) if agent.open else 0,
        agent.calls,
        agent.call,
        agent.batch,
        len(agent.deferred),
        agent.delivered,
        agent.finish,
        agent.failed,
        agent.rejected,
        agent.terminal,
        agent.prefix,
        min(agent.flushes, 2),
        agent.exited,
        agent.entered,
        agent.stored,
        bool(agent.disposers),
        getattr(agent, "shape", ()),
        gates,
        armed,
        bool(world.stepped),
    )


def labels(scope: SuiteScope, configuration: Configuration) -> Iterator[Label]:
    """What may be asked in this configuration, within the scope's bounds."""
    agent: Agent = configuration[AGENT]
    words = [word for word in scope.words if _within(scope, agent, (word,))]
    for gate in configuration.world.gates:
        if gate.outcome is None and not gate.silent:
            outcomes = scope.gates.get(gate.kind, ())
            if agent.step >= scope.steps and gate.kind in ("continuation", "recovery", "model"):
                outcomes = tuple(one for one in outcomes if not one.startswith(("continue", "retry", "tools")))
            words += [("release", gate.kind, outcome) for outcome in outcomes]
    seen: set[Word] = set()
    for word in words:
        if word not in seen:
            seen.add(word)
            yield Label((word,))
    if scope.segments > 1:
        for first in scope.words:
            for second in scope.words:
                if _within(scope, agent, (first, second)):
                    yield Label((first, second))


def _within(scope: SuiteScope, agent: Agent, words: tuple[Word, ...]) -> bool:
    pending = len(agent.queued) + len(agent.steering) + sum(word[0] in scope.inputs for word in words)
    waiting = len(agent.waiters) + sum(word[0] == "when_idle" for word in words)
    injected = len(agent.deferred) + agent.flushes + sum(word[0] == "inject" for word in words)
    if any(word[0] == "dispose" for word in words) and len(agent.disposers) > 1:
        return False
    if agent.status == "disposed":
        return True
    return pending <= scope.pending and waiting <= scope.waiters and injected <= scope.injections


def first_burst(scope: SuiteScope, name: Namer) -> Burst:
    """Create the agent, with the scope's gates held."""
    words: tuple[Word, ...] = (("create",), ("hold_driver",)) if scope.stepped else (("create",),)
    return burst(name, AGENT, Label(words), scope.gates, None)


def explore(engine: Engine, scope: SuiteScope, limit: int = 20_000) -> Classes:
    """Every class of the scope, breadth first, with every label tried in it."""
    name = Namer()
    opening = first_burst(scope, name)
    (begun,) = perform(engine, start(dict(scope.policies), keep_log=False), opening)
    found = Classes(scope)
    root = Node((), (opening,), begun.configuration, tuple(sorted(name.counts.items())))
    index = {key_of(root.configuration): 0}
    found.nodes.append(root)
    queue = deque([0])
    while queue and len(found.nodes) < limit:
        at = queue.popleft()
        node = found.nodes[at]
        for label in labels(scope, node.configuration):
            name = Namer(dict(node.names))
            made = burst(name, AGENT, label, scope.gates, node.configuration)
            outcomes = perform(engine, node.configuration, made)
            found.edges.append((at, label, outcomes, (*node.bursts, made)))
            if len(outcomes) > 1:
                found.several += 1
                found.targets.append(None)
                continue
            after = outcomes[0].configuration
            key = key_of(after)
            if key not in index:
                index[key] = len(found.nodes)
                names = tuple(sorted(name.counts.items()))
                found.nodes.append(Node((*node.path, label), (*node.bursts, made), after, names))
                queue.append(index[key])
            found.targets.append(index[key])
    return found


@dataclass(frozen=True)
class Edge:
    """One thing a suite tries: a label, perhaps behind an armed reaction, in a class."""

    at: int
    label: Label

    @property
    def reacts(self) -> bool:
        """A reaction is armed."""
        return self.label.reaction is not None


def plain_edges(classes: Classes) -> Iterator[Edge]:
    """Every label in every class."""
    for at, label, _outcomes, _bursts in classes.edges:
        yield Edge(at, label)


def reacting_edges(classes: Classes, literal: bool) -> Iterator[Edge]:
    """Every single reaction at the observations of every label.

    Literally all of them, or for each (row that says it, place, word, reaction) the one with the shortest way.
    """
    known: set[object] = set()
    for at, label, outcomes, _bursts in classes.edges:
        before: Agent = classes.nodes[at].configuration[AGENT]
        for one, row in zip(outcomes[0].seen, outcomes[0].said, strict=True):
            pattern = _pattern(one, classes.scope.lists_shown)
            if pattern is None:
                continue
            for act in classes.scope.reactions:
                if act.startswith("throw") and one.event in classes.scope.unthrown:
                    continue
                kind: object = (at, label, pattern, act)
                if not literal:
                    kind = (row.id if row else one.event, pattern, before.place, before.at, label.words[-1][0], act)
                if kind not in known:
                    known.add(kind)
                    yield Edge(at, Label(label.words, _reaction(pattern, act)))


def size_of(classes: Classes, edge: Edge) -> tuple[int, int]:
    """Commands, then reactions, of the run of an edge."""
    before = sum(not isinstance(one, Hold | React) for made in classes.nodes[edge.at].bursts for one in made)
    words, reactions = edge.label.size()
    return before + words, reactions


def short_run(engine: Engine, classes: Classes, edge: Edge, profile: Profile) -> SuiteRun:
    """The run of one edge: a shortest way to its class, the label, and W."""
    node = classes.nodes[edge.at]
    made = burst(Namer(dict(node.names)), AGENT, edge.label, classes.scope.gates, node.configuration)
    looks: tuple[Burst, ...] = ((Read(agent=AGENT),),) if "read" in profile.commands else ()
    return SuiteRun(classes.scope.name, (*node.bursts, made, *looks), size_of(classes, edge), edge.reacts)


def _pattern(one: Observation, lists_shown: bool) -> tuple[tuple[str, object], ...] | None:
    if one.event in ("settled", "heard", "contained", "scope", "fault", "request") or one.state == "settled":
        return None
    if one.event == "gate":
        return (("gate", one.gate), ("of", one.of))
    keep = ("event", "of", "status", "state", *(("steering",) if lists_shown else ()))
    return tuple((name, value) for name, value in sorted(members(one).items()) if name in keep and value is not UNSET)


def _reaction(pattern: tuple[tuple[str, object], ...], act: str) -> Reacting:
    if act == "throw":
        return Reacting(pattern, throw="sync")
    if act == "throw_async":
        return Reacting(pattern, throw="async")
    return Reacting(pattern, ((act,),))
