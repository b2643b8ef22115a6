"""Every transition that the model takes is an arrow of a picture: rows are recorded while seeded runs are performed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from lifecycle_conformance.vectors import bursts_of, load_vectors
from lifecycle_diagrams.views import moves_of
from lifecycle_model.commands import (
    Abort,
    AnyCommand,
    Cancel,
    Create,
    Dispose,
    Hold,
    Inject,
    Outcome,
    React,
    Release,
    Resume,
    Send,
    Steer,
    UnloadOwner,
    WhenIdle,
)
from lifecycle_model.contract1 import contract
from lifecycle_model.engine import Engine, ModelError
from lifecycle_model.quiet import perform
from lifecycle_model.state import start
from lifecycle_model.table import Contract, Row
from lifecycle_model.variants.latch import latch

Taken = set[tuple[str, str, str, str]]
GATES = {
    "policy": ("allow", "block", "fail"), "assembly": ("ok", "fail"), "model": ("finish", "error", "max_tokens"),
    "recovery": ("fail", "retry"), "continuation": ("stop", "continue", "fail"), "stopping": ("ok", "terminal", "fail"),
    "flush": ("ok", "fail"), "tool": ("ok", "fail"), "setup": ("ok", "fail"), "scope": ("ok", "fail"), "load": ("ok", "missing", "fail"),
    "scope_mint": ("ok", "fail"), "pre_step": ("ok", "fail"), "post_step": ("ok", "fail"), "prefix": ("ok", "fail"),
}  # fmt: skip
EVENTS = ("agent/status", "agent/inbox/enqueue", "agent/inbox/dequeue", "agent/cancel-requested", "abort", "turn/start",
          "turn/end", "step/end", "session/created", "agent/created", "agent/session-start")  # fmt: skip


def recording(base: Contract, taken: Taken) -> Contract:
    """The same contract, whose moving rows note from where to where they moved a component."""
    members = {machine.name: machine.member for machine in base.machines}

    def noting(row: Row) -> Callable[[Any], Any]:
        def effect(now: Any) -> Any:
            found = now.it
            came = "" if found is None else getattr(found, members[row.machine])
            after = row.effect(now) if row.effect is not None else now.before
            taken.add((row.machine, came, str(row.to), row.id))
            return after

        return effect

    rows = [replace(row, effect=noting(row)) for row in base.rows if row.to is not None]
    return base.overlay(base.name, rows=rows)


def commands(rng: random.Random) -> Iterator[AnyCommand]:
    """A seeded history of one or two agents: everything that moves them, held gates, reactions."""
    count = 0
    handles = {"a": "ha", "b": "hb"}
    while True:
        count += 1
        agent = rng.choice("aab")
        gate = rng.choice(sorted(GATES))
        of = handles[agent] if gate in ("setup", "load", "scope_mint", "scope") and rng.random() < 0.5 else agent
        listen = rng.choice(
            (Cancel(agent), Send(agent, f"r{count}"), Dispose(agent, as_=f"dr{count}"), Steer(agent, f"r{count}"))
        )
        fresh = f"h{agent}{count}"
        command = rng.choice(
            (
                Create(id=agent, as_=fresh, owner=rng.choice((None, "f1"))),
                Resume(id=agent, as_=fresh),
                Create(id=agent, as_=fresh, sync=True),
                Abort(handles[agent]),
                Send(agent, f"m{count}"),
                Send(agent, f"m{count}"),
                Send(agent, f"q{count}", wakeup=False),
                Steer(agent, f"s{count}"),
                Inject(agent, f"i{count}"),
                Cancel(agent, rng.choice(("user", "parent"))),
                WhenIdle(agent, as_=f"w{count}"),
                Dispose(agent, as_=f"d{count}"),
                UnloadOwner("f1", as_=f"u{count}"),
                Hold(gate, of),
                Release(gate, of, with_=rng.choice(GATES[gate])),
                Release("model", agent, with_=Outcome("tools", tools=2)),
                React({"event": rng.choice(EVENTS), "of": agent}, then=(listen,)),
                React({"gate": "validation", "of": agent, "record": rng.choice(("turn/start", "user/message"))}, throw="sync"),
            )
        )  # fmt: skip
        if isinstance(command, Create | Resume):
            handles[agent] = fresh
        yield command


def walk(base: Contract, seed: int, steps: int, taken: Taken) -> None:
    """Perform one seeded history; gates that are ready settle in a seeded order."""
    engine = Engine(recording(base, taken))
    rng = random.Random(seed)
    configuration = start()
    for _, command in zip(range(steps), commands(rng), strict=False):
        try:
            configuration = engine.perform(configuration, command).configuration
            for _ in range(rng.choice((0, 1, 3, 40))):
                ready = engine.ready(configuration)
                if not ready:
                    break
                configuration = engine.advance(configuration, rng.choice(ready)).configuration
        except ModelError:
            return  # listeners that call each other without end are not a history (F3)


def play_vectors(base: Contract, taken: Taken) -> None:
    """Perform every hand-written vector in the model."""
    engine = Engine(recording(base, taken))
    for vector in load_vectors():
        here = start(dict(vector.policies))
        for burst in bursts_of(vector):
            here = perform(engine, here, burst)[0].configuration


def taken_by(base: Contract) -> Taken:
    """Transitions taken, but for rows that name no state and find their target reached already: they show nothing."""
    taken: Taken = set()
    if base.name == contract().name:
        play_vectors(base, taken)
    for seed in range(30):
        walk(base, seed, 60, taken)
    anywhere = {row.id for row in base.rows if not row.states}
    return {(machine, came, to, row) for machine, came, to, row in taken if came != to or row not in anywhere}


def drawn_for(base: Contract) -> Taken:
    """Moves drawn. One from the first state also stands for a component that is not there yet, or not any more."""
    first = {machine.name: machine.initial for machine in base.machines}
    last = {machine.name: machine.states[-1] for machine in base.machines}
    found: Taken = set()
    for machine in base.machines:
        for move in moves_of(base, machine.name).moves:
            begins = move.source in ("", first[machine.name])
            sources = {"", last[machine.name]} if begins and not move.row.states else {""} if begins else set[str]()
            found |= {(machine.name, source, move.target, move.row.id) for source in {move.source, *sources}}
    return found


@pytest.mark.parametrize("base", [contract(), latch()], ids=["contract 1", "variant latch"])
def test_every_transition_taken_is_an_arrow(base: Contract) -> None:
    taken = taken_by(base)
    assert taken - drawn_for(base) == set()
    assert len(taken) > 30


def test_a_transition_that_no_row_names_is_missed() -> None:
    """The comparison is able to fail: without its row a transition taken has no arrow."""
    base = contract()
    without = base.overlay(base.name, drop=("S/r4",))
    assert ("agent", "Parked", "Woken", "S/r4") in taken_by(base) - drawn_for(without)
