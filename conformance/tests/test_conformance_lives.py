"""Suites over creations, owners, children, providers and resumes: they pass a right system and find a wrong one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from lifecycle_conformance import scopes
from lifecycle_conformance.check import Options, tasks
from lifecycle_conformance.engines import Setting, Task, Worker
from lifecycle_conformance.reach import within_reach
from lifecycle_conformance.suite import explore
from lifecycle_conformance.words import Namer, command
from lifecycle_model.commands import Abort, Burst, Release
from lifecycle_model.engine import Engine
from lifecycle_model.quiet import perform
from lifecycle_model.state import start
from lifecycle_model.table import Contract
from lifecycle_model.variants.latch import latch
from lifecycle_model.wire import MEMBERS, BurstResult, Description, Profile

PROFILE = Profile(
    commands=(*latch().verbs, "hold", "release", "react", "disarm", "read"),
    observations=tuple(MEMBERS),
    statuses=("idle", "running"),
    gates=tuple(latch().gates),
    reads=("lookup",),
    contract="latch",
)


class Modelled:
    """A system that does what a contract says: of several things allowed, the first."""

    def __init__(self, contract: Contract) -> None:
        self.engine = Engine(contract)
        self.here = start({})

    def describe(self) -> Description:
        return Description(name="modelled", version="0", language="python", profile=PROFILE)

    def reset(self, policies: Mapping[str, Any]) -> None:
        self.here = start(dict(policies), keep_log=False)

    def run(self, bursts: Sequence[Burst]) -> list[BurstResult]:
        results: list[BurstResult] = []
        for burst in bursts:
            outcome = perform(self.engine, self.here, burst)[0]
            self.here = outcome.configuration
            results.append(BurstResult(outcome.answers, outcome.seen))
        return results

    def stop(self) -> None:
        return None


def played(contract: Contract, scope: str) -> tuple[int, set[str]]:
    """How many runs the suite of a scope plays, and the clauses it finds broken."""
    worker = Worker(Setting("modelled", "latch", 10.0), Modelled(contract))
    done = worker.work(Task("suite", scope))
    assert done.errors == []
    return done.runs, {clause for bursts, policies in done.failures for clause in worker.play(bursts, policies).clauses}


def test_a_system_that_does_what_the_variant_says_passes() -> None:
    runs, broken = played(latch(), "children")
    assert runs > 20
    assert broken == set()


WRONG = {
    "P19L commit throws": "creation",
    "T15L waits": "children",
    "D/r4 nothing": "resume",
}
"""A row that a wrong system lacks, and the scope whose suite finds it."""


@pytest.mark.parametrize("row", WRONG)
def test_a_system_without_a_row_is_found(row: str) -> None:
    _, broken = played(latch().overlay("latch", drop=(row,)), WRONG[row])
    assert broken


@pytest.mark.parametrize("scope", ["creation", "children", "resume"])
def test_the_reference_passes_the_suites_of_lives(scope: str) -> None:
    worker = Worker(Setting("reference", "1", 10.0))
    done = worker.work(Task("suite", scope, reactions="kinds"))
    worker.system.stop()
    assert (done.failures, done.errors) == ([], [])
    assert done.classes > 20


def test_a_check_of_contract_1_plays_lives() -> None:
    played = {task.scope for task in tasks(Options(), PROFILE) if task.engine == "suite"}
    assert played >= {scope.name for scope in scopes.LIVES}


@pytest.mark.parametrize("scope", scopes.LIVES, ids=lambda scope: scope.name)
def test_a_scope_is_out_of_reach_without_a_verb_it_is_about(scope: scopes.SuiteScope) -> None:
    assert within_reach(scope, PROFILE) is not None
    for verb in scope.needs:
        lacking = replace(PROFILE, commands=tuple(one for one in PROFILE.commands if one != verb))
        assert within_reach(scope, lacking) is None


def test_the_scopes_of_lives_are_finite_and_small() -> None:
    engine = Engine(latch())
    named = {one.name: one for one in scopes.of("latch") if one.lives}
    assert set(named) == {"creation", "owners", "children", "provider", "resume"}
    assert all(10 < len(explore(engine, named[name]).nodes) < 300 for name in ("creation", "children", "resume"))


def test_a_word_about_a_creation_is_about_the_one_that_waits() -> None:
    name = Namer()
    command(name, "a", ("create",))
    assert command(name, "a", ("abort",)) == Abort("h1")
    name.coming = True
    assert command(name, "a", ("abort",)) == Abort("h2")
    name.under_way = ("h7",)
    assert command(name, "a", ("release", "setup", "ok")) == Release("setup", "h7", with_="ok")
    assert command(name, "a", ("release", "model", "finish", "b")) == Release("model", "b", with_="finish")
