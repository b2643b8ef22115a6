"""The second reading of the rows: for each machine of a contract a `transitions` machine to import, step, ask and draw.

It knows control states only: triggers are program steps, conditions are guards; effects stay with the engine. A row of
another machine that comes earlier in the same step goes first, so it is an `unless`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from transitions.extensions import HierarchicalMachine, MachineFactory

from lifecycle_model.engine import ModelError, Now, Run
from lifecycle_model.local import LocalEngine
from lifecycle_model.table import Contract, Machine, Row

SEPARATOR = "_"


class Disagreement(ModelError):
    """The two readings of the rows took different rows."""


class Control:
    """What a `transitions` machine moves: its state is `state`, and `row` the row taken last."""

    state: str
    trigger: Callable[..., bool]
    may_trigger: Callable[..., bool]

    def __init__(self) -> None:
        """No row was taken yet."""
        self.row: Row | None = None


class ControlMachine:
    """One machine of a contract as a `transitions` machine."""

    def __init__(self, contract: Contract, machine: Machine, drawn: bool = False) -> None:
        """Build it from the rows; `drawn` gives a machine with `get_graph()` (Mermaid, no system package needed)."""
        self.spec = machine
        self.control = Control()
        kind: Any = MachineFactory.get_predefined(graph=True, nested=True) if drawn else HierarchicalMachine
        self.machine: Any = kind(
            self.control,
            states=_states(machine),
            initial=self.full(machine.initial),
            transitions=_transitions(contract, machine, self.full, self.control),
            auto_transitions=False,
            ignore_invalid_triggers=True,
            **({"graph_engine": "mermaid", "title": machine.name, "show_conditions": True} if drawn else {}),
        )

    def full(self, state: str) -> str:
        """The name of a control state with the one it is nested in."""
        parent = self.spec.parents.get(state)
        return f"{parent}{SEPARATOR}{state}" if parent else state

    @property
    def state(self) -> str:
        """The present control state, without the one it is nested in."""
        return self.control.state.rpartition(SEPARATOR)[2]

    def put(self, state: str) -> None:
        """Go to a control state, whatever the rows say."""
        self.machine.set_state(self.full(state))

    def step(self, step: str, now: Now) -> Row | None:
        """Run one program step on what the guards see; the row taken, or None."""
        self.control.row = None
        name = trigger(step)
        if name in self.machine.events:
            self.control.trigger(name, now)
        return self.control.row

    def may(self, step: str, now: Now) -> bool:
        """Tell whether the step would take a row."""
        name = trigger(step)
        return name in self.machine.events and bool(self.control.may_trigger(name, now))

    def text(self) -> str:
        """The machine as a Mermaid diagram (of a drawn machine)."""
        return str(self.machine.get_graph().draw(None))


def trigger(step: str) -> str:
    """A program step as the name of a trigger."""
    return step.replace(".", SEPARATOR)


def _states(machine: Machine) -> list[dict[str, Any]]:
    groups: dict[str, list[str]] = {}
    for state in machine.states:
        groups.setdefault(machine.parents.get(state, ""), []).append(state)
    found: list[dict[str, Any]] = [{"name": state} for state in groups.pop("", [])]
    found += [{"name": parent, "children": children} for parent, children in groups.items()]
    return found


def _transitions(
    contract: Contract, machine: Machine, full: Callable[[str], str], control: Control
) -> list[dict[str, Any]]:
    members = {one.name: one.member for one in contract.machines}
    found: list[dict[str, Any]] = []
    for position, row in enumerate(contract.rows):
        if row.machine != machine.name:
            continue
        earlier = [one for one in contract.rows[:position] if one.step == row.step and one.machine != machine.name]
        found.append(
            {
                "trigger": trigger(row.step),
                "source": [full(state) for state in row.states or machine.states],
                "dest": None if row.to is None else full(row.to),
                "conditions": [] if row.guard is None else [row.guard],
                "unless": [partial(_applies, one, members[one.machine]) for one in earlier],
                "before": partial(_took, row, control),
            }
        )
    return found


def _applies(row: Row, member: str, now: Now) -> bool:
    """Tell whether a row of another machine would be taken."""
    if row.states and getattr(now.it, member, None) not in row.states:
        return False
    return row.guard is None or row.guard(now)


def _took(row: Row, control: Control, now: Now) -> None:
    control.row = row


class Agreeing(LocalEngine):
    """An engine that reads every program step both ways, and raises Disagreement where the readings differ."""

    def __init__(self, contract: Contract) -> None:
        """Build a control machine for each machine of the contract."""
        super().__init__(contract)
        self.controls = [ControlMachine(self.contract, machine) for machine in self.contract.machines]
        self.compared: set[tuple[str, str, str, str]] = set()
        """Machine, step, control state and row compared so far."""

    def _choose(self, run: Run, now: Now, step: str) -> Row | None:
        chosen = super()._choose(run, now, step)
        part = run.parts.get(now.subject)
        if part is None:
            return chosen
        for control in self.controls:
            spec = control.spec
            state = getattr(part, spec.member, None)
            if state not in spec.states:
                continue  # a component of another kind
            control.put(state)
            taken = control.step(step, now)
            due = chosen if chosen is not None and chosen.machine == spec.name else None
            after = state if due is None or due.to is None else due.to
            if taken is not due or control.state != after:
                raise Disagreement(
                    f"{step} of machine {spec.name} in {state}: the engine takes {_id(due)} to {after}, "
                    f"the transitions machine {_id(taken)} to {control.state}"
                )
            self.compared.add((spec.name, step, state, _id(due)))
        return chosen


def _id(row: Row | None) -> str:
    return "nothing" if row is None else row.id
