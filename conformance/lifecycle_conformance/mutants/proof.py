"""Shows that a mutant changes nothing: the same change made to the contract's rows gives the same observations everywhere.

The contract and the changed contract are walked together, every label and every single reaction of a scope tried in
every pair of configurations reached. Refuses to look at the runtime: what it shows is about the rows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace

from msgspec.structs import replace as changed

from lifecycle_conformance.contracts import contract_named
from lifecycle_conformance.scopes import SuiteScope
from lifecycle_conformance.suite import (
    AGENT,
    Classes,
    Node,
    first_burst,
    key_of,
    labels,
    reacting_edges,
)
from lifecycle_conformance.words import Label, Namer, burst
from lifecycle_model.engine import Engine, Now
from lifecycle_model.quiet import Outcomes, by_subject, perform
from lifecycle_model.state import Agent, Configuration, start
from lifecycle_model.table import Contract, Effect, Guard, Row


@dataclass(frozen=True)
class Proof:
    """What was walked in one scope, and the first difference: empty if there is none."""

    mutant: str
    scope: str
    pairs: int
    labels: int
    reactions: int
    difference: str = ""

    @property
    def holds(self) -> bool:
        """Nothing differed."""
        return not self.difference


def _without_holder(row: Row) -> Row:
    return replace(row, guard=_held_and_running)


def _held_and_running(now: Now) -> bool:
    return bool(now.note("held")) and now.it.status == "running"


def _kept_kind(row: Row) -> Row:
    return replace(row, effect=_reroute)


def _reroute(now: Now) -> Agent:
    return changed(now.it, queued=now.it.queued + now.it.steering, steering=())  # type: ignore[no-any-return]


def _kept_finish(row: Row) -> Row:
    effect = row.effect
    assert effect is not None
    return replace(row, effect=_keeping_finish(effect))


def _keeping_finish(effect: Effect) -> Effect:
    return lambda now: changed(effect(now), finish=now.it.finish)


def _failures_first(row: Row) -> Row:
    guard = row.guard
    assert guard is not None
    return replace(row, guard=_unless_it_failed(guard))


def _unless_it_failed(guard: Guard) -> Guard:
    return lambda now: guard(now) and now.outcome.outcome != "fail"


CHECKED = ("policy", "assembly", "prefix", "pre_step", "post_step", "continuation", "stopping")

CHANGES = {
    "cancelling-asks-status-only": (("S/r9", "S/r13"), _without_holder),
    "rerouted-keeps-its-kind": (("Q24 at wake", "Q24 abandoned", "Q/r13"), _kept_kind),
    "finish-kept-between-steps": (("Q20 step prepared",), _kept_finish),
    "failing-gate-beats-abort": (tuple(f"C16/{gate}.check" for gate in CHECKED), _failures_first),
}
"""Equivalent mutant to the rows that state the mutated line, and the same change to them."""


def prove(mutant: str, scope: SuiteScope, reactions: bool = True) -> Proof:
    """Walk the contract and the contract changed as the mutant is, side by side. KeyError for one without a change."""
    names, change = CHANGES[mutant]
    contract = contract_named("1")
    rows = {row.id: row for row in contract.rows}
    other = contract.overlay(f"{contract.name} with {mutant}", rows=[change(rows[name]) for name in names])
    return compare(mutant, contract, other, scope if reactions else replace(scope, reactions=()))


def compare(name: str, contract: Contract, other: Contract, scope: SuiteScope) -> Proof:
    """Walk two contracts side by side; the difference found first, if there is one."""
    return _Walk(name, scope, Engine(contract), Engine(other)).proof()


@dataclass
class _Walk:
    mutant: str
    scope: SuiteScope
    left: Engine
    right: Engine
    labels: int = 0
    reactions: int = 0

    def proof(self) -> Proof:
        name = Namer()
        opening = first_burst(self.scope, name)
        begin = start(dict(self.scope.policies), keep_log=False)
        mine, theirs = perform(self.left, begin, opening), perform(self.right, begin, opening)
        seen: set[object] = set()
        queue: deque[tuple[Configuration, Configuration, Mapping[str, int]]] = deque()

        def reach(one: tuple[Outcomes, ...], other: tuple[Outcomes, ...], names: Mapping[str, int]) -> None:
            for here, there in zip(one, other, strict=True):
                key = key_of(here.configuration, self.scope), key_of(there.configuration, self.scope)
                if key not in seen:
                    seen.add(key)
                    queue.append((here.configuration, there.configuration, names))

        reach(mine, theirs, name.counts)
        while queue:
            here, there, names = queue.popleft()
            for label in labels(self.scope, here):
                self.labels += 1
                namer = Namer(dict(names))
                mine, theirs, difference = self._try(here, there, label, namer)
                if difference:
                    return self._end(len(seen), difference)
                reach(mine, theirs, namer.counts)
                node = Node((), (), here, tuple(sorted(names.items())))
                for edge in reacting_edges(Classes(self.scope, [node], [(0, label, mine, ())]), literal=True):
                    self.reactions += 1
                    *_, difference = self._try(here, there, edge.label, Namer(dict(names)))
                    if difference:
                        return self._end(len(seen), difference)
        return self._end(len(seen), "")

    def _try(
        self, here: Configuration, there: Configuration, label: Label, name: Namer
    ) -> tuple[tuple[Outcomes, ...], tuple[Outcomes, ...], str]:
        made = burst(name, AGENT, label, self.scope.holds, here)
        mine, theirs = perform(self.left, here, made), perform(self.right, there, made)
        if [_shown(one) for one in mine] != [_shown(one) for one in theirs]:
            return mine, theirs, f"{label} differs where the agent is {here[AGENT]}"
        return mine, theirs, ""

    def _end(self, pairs: int, difference: str) -> Proof:
        return Proof(self.mutant, self.scope.name, pairs, self.labels, self.reactions, difference)


def _shown(outcome: Outcomes) -> object:
    return outcome.answers, by_subject(outcome.seen)
