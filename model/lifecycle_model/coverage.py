"""What explorations did not touch: rows, programs, steps and guards; and clauses that nothing in this package carries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from lifecycle_model.properties import Liveness, Properties, Reachable, Safety
from lifecycle_model.table import Contract

OBSERVED: Mapping[str, str] = {
    "S9": "engine: a listener's throw is contained where the event is not vetoing or awaited",
    "S10": "engine: an observation is appended when it is published, before its listeners act",
    "Q22": "engine: a throwing gate is an outcome of its program, never an exception",
    "C21": "engine: a reaction cannot shorten the program that published",
    "X9": "engine: segments end at gates, and the explorer lets others act there",
    "I19": "judge: monitor over completions",
    "L1": "model: a log is a tuple, and rows only append to it; judge: monitor over records, reads of logs",
    "T14": "assumed: F4; breaking it is a documented deadlock, not an outcome",
    "policy cancelling_published": "rows: status(cancelling) and the running that follows it are not said; judge: the status projection in reads",
    "F5": "assumed: whoever forces a process to end is the environment's",
    "T9": "engine: a failing gate is an outcome like any other",
}
"""Clauses carried by the way observations are made, or by a monitor of the judge alone, and how."""


class Taken(Protocol):
    """What coverage needs of an exploration: bits of the rows taken, and two bits a row of how its guard answered."""

    @property
    def rows(self) -> int: ...  # noqa: D102 - bit n: row n was taken
    @property
    def guards(self) -> int: ...  # noqa: D102 - bits 2n, 2n + 1: the guard of row n was seen true, seen false


@dataclass(frozen=True)
class Coverage:
    """What a set of explorations of one contract left out."""

    contract: str
    rows_taken: tuple[str, ...]
    rows_untaken: tuple[str, ...]
    """Never taken, and no reason given."""
    rows_unreachable: Mapping[str, str]
    """Never taken, with the table's reason."""
    rows_refuted: tuple[str, ...]
    """Taken although the table calls them unreachable."""
    programs_untaken: tuple[str, ...]
    steps_untaken: tuple[str, ...]
    guards_never_true: tuple[str, ...]
    guards_never_false: tuple[str, ...]
    """Never seen false, and no reason given."""
    guards_constant: Mapping[str, str]
    """Never seen false, with the table's reason."""
    guards_refuted: tuple[str, ...]
    """Seen false although the table calls them constant."""
    clauses_uncarried: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Nothing is left out, apart from clauses."""
        return not (
            self.rows_untaken
            or self.rows_refuted
            or self.programs_untaken
            or self.steps_untaken
            or self.guards_never_true
            or self.guards_never_false
            or self.guards_refuted
        )

    def text(self) -> str:
        """The report, one fact a line."""
        lines = [f"rows taken: {len(self.rows_taken)}"]
        for title, names in (
            ("rows never taken", self.rows_untaken),
            ("rows taken although called unreachable", self.rows_refuted),
            ("programs never run", self.programs_untaken),
            ("steps that never fired a row", self.steps_untaken),
            ("guards never true", self.guards_never_true),
            ("guards never false", self.guards_never_false),
            ("guards false although called constant", self.guards_refuted),
            ("clauses that nothing here carries", self.clauses_uncarried),
        ):
            if names:
                lines.append(f"{title} ({len(names)}): {', '.join(names)}")
        lines += [f"unreachable: {row} because {why}" for row, why in self.rows_unreachable.items()]
        lines += [f"constant: {row} because {why}" for row, why in self.guards_constant.items()]
        return "\n".join(lines)


def carriers(contract: Contract, properties: Properties) -> dict[str, list[str]]:
    """For each clause, what carries it: rows, programs, properties, the way things are observed."""
    found: dict[str, list[str]] = {clause: [] for clause in contract.clauses}

    def carry(clauses: Iterable[str], what: str) -> None:
        for clause in clauses:
            found.setdefault(clause, []).append(what)

    for program in contract.programs:
        carry(program.clauses, f"program {program.id}")
    for row in contract.rows:
        carry(row.clauses, f"row {row.id}")
    every: list[Safety | Reachable | Liveness] = [*properties.safety, *properties.reachable, *properties.liveness]
    for one in every:
        carry(one.clauses, f"property {one.id}")
    for live in properties.liveness:
        carry(live.assumes, f"assumed by {live.id}")
    for clause, how in OBSERVED.items():
        carry((clause,), how)
    return found


def coverage(contract: Contract, explorations: Iterable[Taken], properties: Properties) -> Coverage:
    """Merge explorations of one contract and say what they left out."""
    rows = guards = 0
    for one in explorations:
        rows |= one.rows
        guards |= one.guards
    taken = [row for index, row in enumerate(contract.rows) if rows >> index & 1]
    left = [row for index, row in enumerate(contract.rows) if not rows >> index & 1]
    fired = {row.step for row in taken}
    steps = [step for program in contract.programs for step in program.steps]
    running = {step.rpartition(".")[0] for step in fired}
    excused = {row.id for row in left if row.unreachable}
    never_true: list[str] = []
    never_false: list[str] = []
    constant: dict[str, str] = {}
    refuted: list[str] = []
    for index, row in enumerate(contract.rows):
        if row.guard is None or row.id in excused:
            continue
        if not guards >> 2 * index & 1:
            never_true.append(row.id)
        if guards >> 2 * index & 2:
            refuted += [row.id] if row.constant else []
        elif row.constant:
            constant[row.id] = row.constant
        else:
            never_false.append(row.id)
    return Coverage(
        contract.name,
        tuple(row.id for row in taken),
        tuple(row.id for row in left if not row.unreachable),
        {row.id: row.unreachable for row in left if row.unreachable},
        tuple(row.id for row in taken if row.unreachable),
        tuple(program.id for program in contract.programs if not _runs(program.steps, fired, running)),
        tuple(step for step in steps if step not in fired and not _excused(contract, step, excused)),
        tuple(never_true),
        tuple(never_false),
        constant,
        tuple(refuted),
        tuple(clause for clause, by in carriers(contract, properties).items() if not by),
    )


def _runs(steps: tuple[str, ...], fired: set[str], running: set[str]) -> bool:
    return any(step in fired for step in steps)


def _excused(contract: Contract, step: str, excused: set[str]) -> bool:
    rows = [row for row in contract.rows if row.step == step]
    return bool(rows) and all(row.id in excused for row in rows)
