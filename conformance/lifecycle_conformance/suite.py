"""Suites from a scope: V (a shortest way to every class) x every label x W (what tells classes apart).

Works on the model alone; refuses to know a system. A *class* is a configuration with its names and numbers forgotten.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from lifecycle_conformance.scopes import SuiteScope
from lifecycle_conformance.words import CHILD, CREATION_GATES, Label, Namer, Reacting, Word, burst, verb
from lifecycle_model.commands import Burst, Hold, React, Read
from lifecycle_model.engine import Engine
from lifecycle_model.parts import Provider, Transaction
from lifecycle_model.quiet import Outcomes, perform
from lifecycle_model.state import Agent, Configuration, World, start
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


def key_of(configuration: Configuration, scope: SuiteScope) -> object:
    """The class of a configuration: message names, turn numbers and references forgotten."""
    own = agent_key(configuration, AGENT)
    return (own, agent_key(configuration, CHILD), surroundings(configuration)) if scope.lives else own


def agent_key(configuration: Configuration, name: str) -> object:
    """What an agent, its gates and the holds armed are like."""
    agent: Agent | None = configuration.get(name)
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


FORGOTTEN = frozenset({"former", "log", "records", "readers", "waiting", "disposers", "turn"})
"""Members of which a class keeps only how many they are, up to two."""
INJECTIONS = ("inject", "inject_contexts")
"""The words after which an injection more may be under way."""
OVER = ("Released", "Rejected")
"""Places of a creation that nothing follows."""


def surroundings(configuration: Configuration) -> object:
    """Creations under way or live, owners, providers and storage, by their place and what they hold; names forgotten."""
    found: list[tuple[str, ...]] = []
    for name in configuration:
        part = configuration[name]
        if isinstance(part, Agent | World) or getattr(part, "place", "") in OVER:
            continue
        found.append(
            (type(part).__name__, *(_kind(member, getattr(part, member)) for member in part.__struct_fields__))
        )
    return tuple(sorted(found))


def _kind(member: str, value: object) -> str:
    """A member's value as a class keeps it: of names and lists only that they are there."""
    if isinstance(value, tuple):
        return str(min(len(value), 2))
    if member in FORGOTTEN or (isinstance(value, str) and any(one.isdigit() for one in value)):
        return str(bool(value))
    return str(value)


def labels(scope: SuiteScope, configuration: Configuration) -> Iterator[Label]:
    """What may be asked in this configuration, within the scope's bounds."""
    agent: Agent = configuration.get(AGENT) or Agent(AGENT)
    words = [word for word in scope.words if _within(scope, agent, (word,)) and _may_say(scope, configuration, word)]
    releases: list[Word] = []
    for gate in configuration.world.gates:
        if gate.outcome is None and not gate.silent:
            outcomes = scope.gates.get(gate.kind, ())
            if agent.step >= scope.steps and gate.kind in ("continuation", "recovery", "model"):
                outcomes = tuple(one for one in outcomes if not one.startswith(("continue", "retry", "tools")))
            whose = () if gate.kind in CREATION_GATES or gate.of == AGENT else (gate.of,)
            releases += [("release", gate.kind, outcome, *whose) for outcome in outcomes]
    words += releases
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
    creating = [word for word in words if verb(word) in ("create", "resume")]
    for first in (*creating, *dict.fromkeys(releases)):
        for follows in scope.seconds:
            yield Label((first, (follows,)))


def _may_say(scope: SuiteScope, configuration: Configuration, word: Word) -> bool:
    """Whether a creation, a provider or a word to the child is within the scope's bounds."""
    if not scope.lives:
        return True
    if word[0].endswith("_child") and configuration.get(CHILD if word[0] != "create_child" else AGENT) is None:
        return False
    if word[0] in ("send_child", "dispose_child"):
        child: Agent = configuration[CHILD]
        return len(child.disposers) < 2 if word[0] == "dispose_child" else not child.queued
    if word[0] == "load_provider":
        return sum(isinstance(configuration[name], Provider) for name in configuration) < 2
    if verb(word) in ("create", "resume"):
        return sum(isinstance(configuration[name], Transaction) for name in configuration) < scope.creations
    return True


def _within(scope: SuiteScope, agent: Agent, words: tuple[Word, ...]) -> bool:
    pending = len(agent.queued) + len(agent.steering) + sum(word[0] in scope.inputs for word in words)
    waiting = len(agent.waiters) + sum(word[0] == "when_idle" for word in words)
    injected = len(agent.deferred) + agent.flushes + sum(word[0] in INJECTIONS for word in words)
    if any(verb(word) == "dispose" for word in words) and len(agent.disposers) > 1:
        return False
    if agent.status == "disposed":
        return True
    return pending <= scope.pending and waiting <= scope.waiters and injected <= scope.injections


def first_burst(scope: SuiteScope, name: Namer) -> Burst:
    """Create the agent, with the scope's gates held."""
    words = (*scope.begins, ("hold_driver",)) if scope.stepped else scope.begins
    return burst(name, AGENT, Label(words), scope.holds, None)


def explore(engine: Engine, scope: SuiteScope, limit: int = 20_000) -> Classes:
    """Every class of the scope, breadth first, with every label tried in it."""
    name = Namer()
    opening = first_burst(scope, name)
    (begun,) = perform(engine, start(dict(scope.policies), keep_log=False), opening)
    found = Classes(scope)
    root = Node((), (opening,), begun.configuration, tuple(sorted(name.counts.items())))
    index = {key_of(root.configuration, scope): 0}
    found.nodes.append(root)
    queue = deque([0])
    while queue and len(found.nodes) < limit:
        at = queue.popleft()
        node = found.nodes[at]
        for label in labels(scope, node.configuration):
            name = Namer(dict(node.names))
            made = burst(name, AGENT, label, scope.holds, node.configuration)
            outcomes = perform(engine, node.configuration, made)
            found.edges.append((at, label, outcomes, (*node.bursts, made)))
            if len(outcomes) > 1:
                found.several += 1
                found.targets.append(None)
                continue
            after = outcomes[0].configuration
            key = key_of(after, scope)
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


def reacting_edges(classes: Classes, literal: bool, profile: Profile | None = None) -> Iterator[Edge]:
    """Every single reaction at the observations of every label; where a profile is given, at those that the system shows.

    Literally all of them, or for each (row that says it, place, word, reaction) the one with the shortest way.
    """
    known: set[object] = set()
    for at, label, outcomes, _bursts in classes.edges:
        before: Agent = classes.nodes[at].configuration.get(AGENT) or Agent(AGENT)
        for one, row in zip(outcomes[0].seen, outcomes[0].said, strict=True):
            pattern = pattern_of(one, classes.scope.lists_shown)
            if pattern is None or one.gate in classes.scope.together:
                continue
            if profile is not None and not shown(one, profile):
                continue  # nobody can listen to what the system does not publish
            for act in classes.scope.reactions:
                if act.startswith("throw") and one.event in classes.scope.unthrown:
                    continue
                kind: object = (at, label, pattern, act)
                if not literal:
                    last = label.words[-1] if classes.scope.lives else label.words[-1][0]
                    kind = (row.id if row else one.event, pattern, before.place, before.at, last, act)
                if kind not in known:
                    known.add(kind)
                    yield Edge(at, Label(label.words, reaction_to(pattern, act)))


def looking(scope: SuiteScope, profile: Profile) -> Burst:
    """W: the reads that tell classes apart, as far as the system offers them."""
    if "read" not in profile.commands:
        return ()
    lives = (Read(agent=CHILD), *((Read(registry=True),) if "lookup" in profile.reads else ())) if scope.lives else ()
    return (Read(agent=AGENT), *lives)


def size_of(classes: Classes, edge: Edge) -> tuple[int, int]:
    """Commands, then reactions, of the run of an edge."""
    before = sum(not isinstance(one, Hold | React) for made in classes.nodes[edge.at].bursts for one in made)
    words, reactions = edge.label.size()
    return before + words, reactions


def short_run(engine: Engine, classes: Classes, edge: Edge, profile: Profile) -> SuiteRun:
    """The run of one edge: a shortest way to its class, the label, and W."""
    node = classes.nodes[edge.at]
    made = burst(Namer(dict(node.names)), AGENT, edge.label, classes.scope.holds, node.configuration)
    looks = looking(classes.scope, profile)
    return SuiteRun(
        classes.scope.name, (*node.bursts, made, *((looks,) if looks else ())), size_of(classes, edge), edge.reacts
    )


def pattern_of(one: Observation, lists_shown: bool) -> tuple[tuple[str, object], ...] | None:
    """What a reaction to this observation is armed on; None where nobody can react."""
    if one.event in ("settled", "heard", "contained", "scope", "fault", "request") or one.state == "settled":
        return None
    if one.event == "gate":
        return (("gate", one.gate), ("of", one.of))
    keep = ("event", "of", "status", "state", *(("steering",) if lists_shown else ()))
    return tuple((name, value) for name, value in sorted(members(one).items()) if name in keep and value is not UNSET)


def shown(one: Observation, profile: Profile) -> bool:
    """Whether the system publishes this observation, or has this gate, so that a listener on it is ever called."""
    if one.event == "gate":
        return one.gate in profile.gates
    return one.event in profile.observations and (one.status is UNSET or one.status in profile.statuses)


def reaction_to(pattern: tuple[tuple[str, object], ...], act: str) -> Reacting:
    """The reaction that does a word, or throws."""
    if act == "throw":
        return Reacting(pattern, throw="sync")
    if act == "throw_async":
        return Reacting(pattern, throw="async")
    return Reacting(pattern, ((act,),))
