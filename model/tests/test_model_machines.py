"""The second reading of the rows: `transitions` machines agree with the engine wherever exploration goes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from lifecycle_model.commands import Cancel, Outcome, Send
from lifecycle_model.contract1 import contract
from lifecycle_model.engine import DEFAULT, Now, Run
from lifecycle_model.explorer import search
from lifecycle_model.local import LocalEngine
from lifecycle_model.machines import Agreeing, ControlMachine, Disagreement, trigger
from lifecycle_model.properties import Properties
from lifecycle_model.scopes import scope_named
from lifecycle_model.state import Agent, Item, World
from lifecycle_model.table import Machine


def machine(name: str) -> Machine:
    return next(one for one in contract().machines if one.name == name)


def now_of(agent: Agent, command: Any = None) -> Now:
    engine = LocalEngine(contract())
    run = Run(engine, {agent.name: agent, "world": World()})
    return Now(run, agent.name, command, None, DEFAULT)


@pytest.mark.parametrize("name", ["keep-inbox-off", "rebirth", "turn"])
def test_both_readings_agree_on_every_local_configuration(name: str) -> None:
    found = search(contract(), scope_named(name), Properties(), engine=Agreeing)
    engine = found.space.cells.engine
    assert isinstance(engine, Agreeing)
    assert found.space.complete
    states = {state for spec, _, state, _ in engine.compared if spec == "agent"}
    assert {"Parked", "Woken", "InTurn", "Settling", "Between"} <= states
    assert len(engine.compared) > 200


def test_disagreement_is_noticed() -> None:
    class Lying(Agreeing):
        """Its second reading lacks a row."""

        def __init__(self, of: Any) -> None:
            super().__init__(of)
            thinner = replace(self.contract, rows=tuple(row for row in self.contract.rows if row.id != "S/r13"))
            self.controls = [ControlMachine(thinner, machine("agent"))]

    with pytest.raises(Disagreement, match=r"cancel\.mark of machine agent in InTurn"):
        search(contract(), scope_named("keep-inbox-off"), Properties(), engine=Lying)


def test_machine_can_be_stepped_by_hand() -> None:
    control = ControlMachine(contract(), machine("agent"))
    assert control.state == "Unpublished"
    control.put("InTurn")
    now = now_of(Agent("a", place="InTurn", status="running", holder="live"), Cancel("a"))
    assert control.step("cancel.enter", now) is not None
    now.notes["held"] = True
    assert control.may("cancel.mark", now)
    row = control.step("cancel.mark", now)
    assert row is not None
    assert row.id == "S/r13"
    assert control.state == "Cancelling"
    assert control.control.state == "cancelling_Cancelling"
    assert not control.may("cancel.mark", now)
    assert control.step("cancel.mark", now) is None
    assert control.step("no.such.step", now) is None
    assert not control.may("no.such.step", now)


def test_guards_are_conditions() -> None:
    control = ControlMachine(contract(), machine("agent"))
    control.put("Woken")
    waking = now_of(Agent("a", place="Woken", queued=(Item("m1"),)))
    quiet = now_of(Agent("a", place="Woken", queued=(Item("m1", wakeup=False),)))
    assert not control.may("driver.wake.marker", waking)
    assert control.may("driver.wake.marker", quiet)
    row = control.step("driver.wake.marker", quiet)
    assert row is not None
    assert control.state == "Parked"


def test_row_of_another_machine_goes_first() -> None:
    """A vetoed turn start is the agent's row; the turn's own row of that step must stand back."""
    control = ControlMachine(contract(), machine("turn"))
    now = now_of(Agent("a", place="InTurn", holder="live"))
    assert control.may("driver.wake.start", now)
    now.outcome = Outcome("fail")
    assert not control.may("driver.wake.start", now)


@pytest.mark.parametrize("spec", contract().machines, ids=lambda spec: spec.name)
def test_machine_is_nested_and_drawn(spec: Machine) -> None:
    control = ControlMachine(contract(), spec, drawn=True)
    text = control.text()
    assert "stateDiagram" in text
    for state in spec.states:
        assert control.full(state) in text
    for parent in set(spec.parents.values()):
        assert f'state "{parent}"' in text
    assert len(control.machine.get_nested_state_names()) == len(spec.states) + len(set(spec.parents.values()))


def test_triggers_are_distinct() -> None:
    steps = [step for program in contract().programs for step in program.steps]
    assert len({trigger(step) for step in steps}) == len(set(steps))


def test_send_is_not_a_trigger_of_the_turn() -> None:
    control = ControlMachine(contract(), machine("turn"))
    assert not control.may("send.store", now_of(Agent("a", place="Parked"), Send("a", "m1")))
