"""One side of a review: a model that performs bursts from configurations it keeps. Refuses to compare.

The same object serves in this process and, over a pipe, in a process of its own that imports another revision's model.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Protocol

import msgspec

from lifecycle_conformance.review.behaviour import behaviour
from lifecycle_conformance.review.shape import catalog
from lifecycle_conformance.review.values import Answered, Ask, Catalog, Met, Performed, Plain, Result, Try
from lifecycle_conformance.review.watched import Watched, watching
from lifecycle_conformance.scopes import SuiteScope
from lifecycle_conformance.suite import AGENT, first_burst, key_of, labels, pattern_of, reaction_to
from lifecycle_conformance.words import Label, Namer, burst
from lifecycle_model.commands import AnyCommand, Burst
from lifecycle_model.engine import Engine
from lifecycle_model.explore import explore
from lifecycle_model.quiet import Outcomes, perform
from lifecycle_model.state import Agent, Configuration, start
from lifecycle_model.stated import chosen, properties_of
from lifecycle_model.table import Contract
from lifecycle_model.wire import to_json

Handles = tuple[int, ...]
Names = tuple[tuple[str, int], ...]
Run = tuple[dict[str, object], tuple[tuple[Plain, ...], ...]]
"""Policies and bursts."""
LARGEST = 6000
"""Configurations visited in one scope of the properties at most: five times what the largest has."""
OWN = frozenset(Agent.__struct_fields__) - {"log"}
CONSIDERED = frozenset(
    [
        "name",
        "place",
        "at",
        "status",
        "queued",
        "steering",
        "marker",
        "holder",
        "waiters",
        "open",
        "step_open",
        "step",
        "calls",
        "call",
        "batch",
        "deferred",
        "delivered",
        "finish",
        "failed",
        "rejected",
        "terminal",
        "prefix",
        "flushes",
        "exited",
        "entered",
        "stored",
        "disposers",
        "turn",
        "item",
        "contexts",
        "running",
        "closing",
        "appending",
        "aside",
        "entry",
        "listing",
        "started",
        "known",
        "mark",
        "source",
        "handle",
        "unwound",
        "released",
    ]
)
"""Members of an agent that a class keeps or knowingly forgets; what a revision adds to them is kept as it is."""


class Side(Protocol):
    """A model asked from outside."""

    def catalog(self) -> Catalog:
        """What its contract consists of."""
        ...

    def begin(self, scope: SuiteScope, about: tuple[str, ...]) -> Performed:
        """Start a scope; of the rows taken, those that results shall name."""
        ...

    def scenario(self, policies: dict[str, object], burst: tuple[Plain, ...]) -> Performed:
        """Start a run of one's own with its first burst."""
        ...

    def expand(self, nodes: Sequence[Ask]) -> list[list[Performed]]:
        """For each node (configurations that look alike from outside) everything the scope tries in it."""
        ...

    def perform(self, asked: Sequence[Try], full: bool = True) -> list[Performed]:
        """Perform given bursts, each from all configurations of a node."""
        ...

    def give(self, nodes: Sequence[Handles]) -> list[bytes]:
        """The configurations of nodes, for a side with the same classes of components."""
        ...

    def take(self, given: Sequence[bytes]) -> list[Handles]:
        """Keep what another side gave."""
        ...

    def alone(self, scope: SuiteScope, most: int) -> bytes:
        """Everything a scope tries on this side alone, up to this many nodes, encoded (see `alone`)."""
        ...

    def met(self, runs: Sequence[Run]) -> list[Met]:
        """What runs, each with its policies, meet on every way."""
        ...

    def properties(self, scopes: tuple[str, ...], watches: bool = False) -> list[Answered]:
        """What explorations of these scopes say of the properties; if it `watches`, also what each met."""
        ...


@dataclass(frozen=True)
class _Tried:
    label: str
    made: Burst
    names: Names
    outcomes: tuple[Outcomes, ...]
    failed: str
    reacts: bool
    words: tuple[tuple[str, ...], ...]
    met: Met

    def performed(self, result: Callable[[Outcomes], Result]) -> Performed:
        """The same as plain values."""
        plain = tuple(msgspec.to_builtins(command) for command in self.made)
        asked = f"{self.label} {to_json(plain).decode()}"
        results = tuple(result(one) for one in self.outcomes)
        return Performed(self.label, plain, self.names, asked, results, self.failed, self.reacts, self.words, self.met)


class Local:
    """A side whose contract is in this process."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self._engine = Engine(contract)
        self._watched = Watched(contract)
        self._catalog: Catalog | None = None
        self._scope: SuiteScope | None = None
        self._known: list[Configuration] = []
        self._reacted: set[object] = set()
        self._about: frozenset[str] = frozenset()
        self.watches = False
        """Whether what is performed tells the steps looked at."""

    def catalog(self) -> Catalog:
        """What the contract consists of."""
        if self._catalog is None:
            self._catalog = catalog(self._contract)
        return self._catalog

    def begin(self, scope: SuiteScope, about: tuple[str, ...]) -> Performed:
        """Start a scope, forgetting the one before."""
        self._scope = scope
        self._about = frozenset(about)
        self._known = []
        self._reacted = set()
        name = Namer()
        opening = first_burst(scope, name)
        root = self._keep(start(dict(scope.policies), keep_log=False))
        return self._try("begin", (root,), opening, name).performed(self._full)

    def scenario(self, policies: dict[str, object], burst: tuple[Plain, ...]) -> Performed:
        """Start a run with its log kept."""
        self._scope = None
        self._known = []
        return self._try("", (self._keep(start(policies)),), _commands(burst), Namer()).performed(self._full)

    def expand(self, nodes: Sequence[Ask]) -> list[list[Performed]]:
        """Every label, and every reaction that is new, of each node."""
        return [list(self._expanded(node)) for node in nodes]

    def perform(self, asked: Sequence[Try], full: bool = True) -> list[Performed]:
        """Perform given bursts."""
        shown = self._full if full else self._brief
        return [
            self._try(one.label, one.handles, _commands(one.burst), Namer(dict(one.names)), one.reacts).performed(shown)
            for one in asked
        ]

    def everything(self, handles: Handles, names: Names) -> list[Performed]:
        """Everything the scope tries in one node."""
        return list(self._expanded(Ask(handles, names)))

    def row_names(self) -> tuple[str, ...]:
        """The rows, in order."""
        return tuple(row.id for row in self._contract.rows)

    def step_names(self) -> tuple[str, ...]:
        """The steps of all programs, in order."""
        return tuple(step for program in self._contract.programs for step in program.steps)

    def give(self, nodes: Sequence[Handles]) -> list[bytes]:
        """The components of each configuration, pickled: their classes are named alike on both sides."""
        return [pickle.dumps([dict(self._known[handle]) for handle in handles]) for handles in nodes]

    def take(self, given: Sequence[bytes]) -> list[Handles]:
        """Keep what was given."""
        return [tuple(self._keep(Configuration(parts)) for parts in pickle.loads(one)) for one in given]

    def alone(self, scope: SuiteScope, most: int) -> bytes:
        """Explore a scope on this side alone."""
        from lifecycle_conformance.review.alone import explore_alone

        return msgspec.msgpack.encode(explore_alone(self, scope, most))

    def met(self, runs: Sequence[Run]) -> list[Met]:
        """Perform runs in every way they may go."""
        self.watches = True
        found = [self._met(*run) for run in runs]
        self.watches = False
        return found

    def _met(self, policies: dict[str, object], bursts: Sequence[tuple[Plain, ...]]) -> Met:
        self._scope, self._known = None, []
        handles: Handles = (self._keep(start(policies)),)
        steps: set[str] = set()
        rows: set[str] = set()
        for made in bursts:
            done = self._try("", handles, _commands(made), Namer())
            steps |= self._watched.steps
            rows |= self._watched.rows
            handles = tuple(self._keep(one.configuration) for one in done.outcomes)
        return Met(tuple(sorted(steps)), tuple(sorted(rows)))

    def properties(self, scopes: tuple[str, ...], watches: bool = False) -> list[Answered]:
        """Explore scopes of the model; those it lacks are left out."""
        known = {one.name: one for one in (*chosen("small", self._contract.name),)}
        return [self._answered(name, watches) for name in scopes if name in known]

    def _answered(self, name: str, watches: bool) -> Answered:
        scope = chosen(name, self._contract.name)[0]
        with watching() if watches else nullcontext(self._watched) as engine:
            engine.forget()
            try:
                found = explore(self._contract, scope, properties_of(self._contract), limit=LARGEST)
            except Exception as error:  # as above
                return Answered(
                    name, {"of the exploration": f"{type(error).__name__}: {error}"}, (), (), (), engine.met
                )
        violated = {one: each.text for one, each in found.violations.items()}
        witnessed, stuck = tuple(found.witnesses), tuple(found.lassos)
        return Answered(name, violated, witnessed, stuck, tuple(found.judged), engine.met)

    def _keep(self, configuration: Configuration) -> int:
        self._known.append(configuration)
        return len(self._known) - 1

    def _expanded(self, asked: Ask) -> Iterator[Performed]:
        scope, handles, names = self._scope, asked.handles, asked.names
        assert scope is not None
        tried: dict[Label, None] = {}
        for handle in handles:
            tried.update(dict.fromkeys(labels(scope, self._known[handle])))
        for label in tried:
            if asked.only is not None and label.words not in asked.only:
                continue
            found = self._tried(scope, handles, names, label)
            yield found.performed(self._brief)
            for reacting in self._reacting(scope, handles[0], label, found.outcomes):
                yield self._tried(scope, handles, names, reacting).performed(self._brief)

    def _tried(self, scope: SuiteScope, handles: Handles, names: Names, label: Label) -> _Tried:
        name = Namer(dict(names))
        made = burst(name, AGENT, label, scope.holds, self._known[handles[0]])
        return self._try(told(label), handles, made, name, label.reaction is not None, label.words)

    def _reacting(self, scope: SuiteScope, at: int, label: Label, outcomes: Sequence[Outcomes]) -> Iterator[Label]:
        if not outcomes or len(label.words) > 1:
            return
        before: Agent = self._known[at].get(AGENT) or Agent(AGENT)
        for one, row in zip(outcomes[0].seen, outcomes[0].said, strict=True):
            pattern = pattern_of(one, scope.lists_shown)
            if pattern is None:
                continue
            for act in scope.reactions:
                if act.startswith("throw") and one.event in scope.unthrown:
                    continue
                kind = (row.id if row else one.event, pattern, before.place, before.at, label.words[-1][0], act)
                if kind not in self._reacted:
                    self._reacted.add(kind)
                    yield Label(label.words, reaction_to(pattern, act))

    def _try(
        self,
        label: str,
        handles: Handles,
        made: Burst,
        name: Namer,
        reacts: bool = False,
        words: tuple[tuple[str, ...], ...] = (),
    ) -> _Tried:
        names = tuple(sorted(name.counts.items()))
        self._watched.forget()
        engine = self._watched if self.watches else self._engine
        found: list[Outcomes] = []
        failed = ""
        try:
            found = [one for handle in handles for one in perform(engine, self._known[handle], made)]
        except Exception as error:  # rows of a revision may do anything; that they give up is what they allow
            found, failed = [], f"{type(error).__name__}: {error}"
        met = self._watched.met if self.watches else Met((), ())
        return _Tried(label, made, names, tuple(found), failed, reacts, words, met)

    def _brief(self, one: Outcomes) -> Result:
        rows = tuple(dict.fromkeys(row.id for row in one.rows if row.id in self._about)) if self._about else ()
        state = state_print(one.configuration)
        return Result(self._keep(one.configuration), self._key(one.configuration), behaviour(one), rows, state=state)

    def _full(self, one: Outcomes) -> Result:
        return Result(
            self._keep(one.configuration),
            self._key(one.configuration),
            behaviour(one),
            tuple(dict.fromkeys(row.id for row in one.rows)),
            tuple(msgspec.to_builtins(each) for each in one.answers),
            tuple(msgspec.to_builtins(each) for each in one.seen),
            tuple("" if row is None else row.id for row in one.said),
            state_print(one.configuration),
        )

    def _key(self, configuration: Configuration) -> str:
        if self._scope is None:
            return ""
        agent = configuration.get(AGENT)
        added = OWN - CONSIDERED
        kept = tuple((member, getattr(agent, member)) for member in sorted(added)) if agent is not None else ()
        key = repr((key_of(configuration, self._scope), kept))
        return hashlib.blake2b(key.encode(), digest_size=8).hexdigest()


def state_print(configuration: Configuration) -> str:
    """A print of a whole configuration: names, counters and all."""
    parts = [(name, type(configuration[name]).__name__, configuration[name]) for name in configuration]
    try:
        text = msgspec.json.encode(parts, order="deterministic")
    except TypeError:
        text = repr(parts).encode()
    return hashlib.blake2b(text, digest_size=8).hexdigest()


def told(label: Label) -> str:
    """A label in words: `send+cancel`, `release model finish`, `send / status idle: cancel`."""
    words = "+".join(" ".join(word) for word in label.words)
    if label.reaction is None:
        return words
    on = " ".join(str(value) for _, value in label.reaction.on)
    does = label.reaction.throw or "+".join(" ".join(word) for word in label.reaction.words)
    return f"{words} / {on}: {'throw ' if label.reaction.throw else ''}{does}"


def _commands(made: Iterable[Plain]) -> Burst:
    return tuple(msgspec.convert(list(made), list[AnyCommand]))
