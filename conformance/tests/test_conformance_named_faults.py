"""Twelve wrong runtimes of the core, each found by a run from which nothing can be left out, for its reason, again.

The runs are written down here; the judge must fail the wrong runtime on them for the clause group it was paired with,
must not fail the right one, must find nothing to leave out, and must say the same bytes again.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lifecycle_conformance.engines import Setting, Worker
from lifecycle_conformance.mutants.zoo import mutant
from lifecycle_conformance.shrink import shrink, size
from lifecycle_conformance.told import failure_of
from lifecycle_model.commands import (
    AnyCommand,
    Burst,
    Cancel,
    Create,
    Hold,
    React,
    Read,
    Release,
    Send,
    Steer,
    WhenIdle,
)
from lifecycle_model.wire import to_json

CREATE = Create(id="a", as_="h1")
MODEL = Hold("model", "a", sticky=True)
FIRST, SECOND, QUIET = Send("a", "m1"), Send("a", "m2"), Send("a", "m1", wakeup=False)
CANCEL = Cancel(agent="a")


def on(then: tuple[AnyCommand, ...], event: str, **more: str | bool) -> React:
    """A listener of an event of the agent that acts."""
    return React(on={"event": event, "of": "a", **more}, then=then)


FOUND: dict[str, tuple[Burst, ...]] = {
    # inbox cleared after the abort
    "clear-after-abort": ((CREATE,), (on((CANCEL,), "agent/status", status="running"), FIRST)),
    # notification after the clear
    "request-after-clear": ((CREATE,), (on((CANCEL,), "agent/inbox/enqueue"), FIRST)),
    # an idle cancel that drops the next prompt
    "idle-cancel-drops-next": ((CREATE,), (CANCEL, FIRST)),
    # marker consumption that drops a replacement prompt
    "replacement-dropped": ((CREATE,), (QUIET,), (on((SECOND,), "agent/inbox/discard"), CANCEL)),
    # holder removed after the turn end
    "holder-after-end": ((CREATE,), (on((CANCEL,), "turn/end"), FIRST)),
    # late steering dropped
    "late-steering-dropped": ((CREATE,), (on((Steer("a", "m2"),), "turn/end"), FIRST)),
    # steering delivered into an aborted turn
    "steering-into-aborted": (
        (CREATE, Hold("policy", "a", sticky=True)),
        (FIRST,),
        (Steer("a", "m2"),),
        (on((CANCEL,), "agent/inbox/dequeue", steering=True), Release("policy", "a", with_="allow")),
    ),
    # a second cause wins
    "second-cause-wins": ((CREATE, MODEL), (FIRST,), (CANCEL, Cancel(agent="a", cause="parent"), Read(agent="a"))),
    # a waiter resolved before replacement work
    "waiter-before-replacement": (
        (CREATE, MODEL),
        (QUIET,),
        (on((SECOND,), "agent/inbox/discard"), CANCEL, WhenIdle("a", as_="w1")),
    ),
    # idle published before the flush settled
    "idle-before-flush": ((CREATE,), (FIRST,)),
    # a throwing listener that starves the others
    "listener-starves-others": (
        (CREATE,),
        (
            React(on={"event": "agent/status", "of": "a"}, throw="sync"),
            React(on={"event": "agent/status", "of": "a"}, as_="by"),
            FIRST,
        ),
    ),
    # an item discarded twice
    "discarded-twice": ((CREATE,), (on((CANCEL,), "agent/inbox/enqueue"), FIRST)),
}


@pytest.fixture(scope="module")
def right() -> Iterator[Worker]:
    """The unchanged runtime under judgement."""
    worker = Worker(Setting("reference", "1", 10.0))
    yield worker
    worker.system.stop()


@pytest.mark.parametrize("name", FOUND)
def test_a_named_fault_is_found_for_its_reason_by_a_run_without_excess(name: str, right: Worker) -> None:
    bursts = FOUND[name]
    assert not right.play(bursts, {}).violates
    group = set(mutant(name).group)
    wrong = Worker(Setting(f"stdio:python -m lifecycle_conformance.mutants.serve {name}", "1", 10.0))
    try:
        trial = wrong.play(bursts, {})
        assert trial.violates
        assert group & set(trial.clauses), trial.clauses
        assert size(shrink(trial, wrong.play).bursts) == size(bursts)
        first, again = (failure_of(one, wrong.system.describe(), 0, "1") for one in (trial, wrong.play(bursts, {})))
        assert to_json(first.trace) == to_json(again.trace)
    finally:
        wrong.system.stop()


def test_there_are_twelve_named_faults_and_each_changes_something() -> None:
    assert len(FOUND) >= 12
    assert not any(mutant(name).equivalent for name in FOUND)
