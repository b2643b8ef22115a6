"""Owns how the programs of a contract hang together: what opens, jumps to and wakes which, and whose machines they move.

Refuses to run anything: the runs of a component are found in `runs`.
"""

from __future__ import annotations

import re
from collections import defaultdict

from lifecycle_diagrams.mentions import mentions
from lifecycle_diagrams.runs import Component, Runs
from lifecycle_model.engine import AGAIN
from lifecycle_model.table import END, Contract, Program, Row

_WORD = re.compile(r"\w+")


class Flow:
    """The programs of a contract as a graph of control, computed once."""

    def __init__(self, contract: Contract) -> None:
        """Index the contract's programs, rows and gates."""
        self.contract = contract
        self.programs: dict[str, Program] = {program.id: program for program in contract.programs}
        self.home = {step: (program.id, i) for program in contract.programs for i, step in enumerate(program.steps)}
        self.rows: dict[str, list[Row]] = defaultdict(list)
        for row in contract.rows:
            self.rows[row.step].append(row)
        self.verbs = {program: verb for verb, program in contract.verbs.items()}
        self.woken = {row.id: self._woken(row) for row in contract.rows}
        """The programs that a row runs on other components, by a command too, or whose gates its effect opens there."""
        jumps = {self.goes_on(row) for row in contract.rows}
        opens = {self.opened(row) for row in contract.rows}
        self.heard = {
            ear.program: tuple(one.event for one in contract.ears if one.program == ear.program)
            for ear in contract.ears
        }
        """The programs that the system's own listeners run, with what they hear."""
        self.called = frozenset((*(row.runs for row in contract.rows if row.runs), *self.heard))
        """The programs that rows, or what they publish, run on other components in the same segment."""
        known = {*jumps, *opens, *self.verbs, *self.called}
        self.entered = frozenset(program for program in known if program is not None)
        """The programs that a command, a gate, a jump or a row enters."""
        self._kinds = {machine.name: type(contract.blank(machine.name, "")) for machine in contract.machines}
        self._runs: dict[tuple[str, ...], Runs] = {}

    def kinds(self) -> dict[str, tuple[str, ...]]:
        """The machines of each kind of component, by its name."""
        found: dict[str, list[str]] = defaultdict(list)
        for machine, kind in self._kinds.items():
            found[kind.__name__].append(machine)
        return {kind: tuple(machines) for kind, machines in found.items()}

    def runs(self, machine: str) -> Runs:
        """The runs that move this machine, together with the one of its component that moves with it most."""
        mine = [one for one in self.contract.machines if self._kinds[one.name] is self._kinds[machine]]
        partner = max(mine, key=lambda one: self._shared(machine, one.name))
        followed = tuple(one for one in mine if one.name in (machine, partner.name))
        names = tuple(one.name for one in followed)
        if names not in self._runs:
            self._runs[names] = Component(self, followed, frozenset(one.name for one in mine)).runs()
        return self._runs[names]

    def _shared(self, one: str, other: str) -> int:
        """How many programs move both machines."""
        if one == other:
            return 0
        moved: dict[str, set[str]] = defaultdict(set)
        for row in self.contract.rows:
            if row.to is not None:
                moved[self.home[row.step][0]].add(row.machine)
        return sum({one, other} <= machines for machines in moved.values())

    def first(self, place: str) -> str:
        """The step that a row's `then` means: itself, or the first of a program."""
        return place if place in self.home else self.programs[place].steps[0]

    def opened(self, row: Row) -> str | None:
        """The program behind the gate a row opens; None if it opens none, or waits on at its own."""
        kind, _, program = (row.opens or "").partition(" ")
        return None if not kind or kind == AGAIN else program or kind

    def _woken(self, row: Row) -> tuple[str, ...]:
        called = (*((row.runs,) if row.runs else ()), *self._given(row))
        if called or row.effect is None or any(one.runs for one in self.contract.rows):
            return called
        mine = {one.machine for one in self.contract.rows if self.home[one.step][0] == self.home[row.step][0]}
        named = mentions(row.effect) & set(self.programs)
        return tuple(
            program.id
            for program in self.contract.programs
            if program.id in named
            and not {one.machine for step in program.steps for one in self.rows[step]} & (mine | {row.machine})
        )

    def _given(self, row: Row) -> tuple[str, ...]:
        """The programs of the commands that a row gives to other components: its function's result names them."""
        if row.gives is None:
            return ()
        named = {word.lower() for word in _WORD.findall(str(row.gives.__annotations__.get("return", "")))}
        return tuple(program for verb, program in self.contract.verbs.items() if verb.replace("_", "") in named)

    def goes_on(self, row: Row) -> str | None:
        """The program a row jumps to, if it leaves its own."""
        if row.then is None or row.then == END:
            return None
        program = row.then if row.then in self.programs else self.home[row.then][0]
        return program if program != self.home[row.step][0] else None
