"""What a mutant is: the reference runtime with one wrong line, and the clause group it breaks. Refuses to run anything.

The pairing of a mutant and its group is written from the contract before the mutant is run for the first time.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from lifecycle_conformance.systems.errors import SystemsError

SECTIONS = "SQCTPLDOAG"
"""The sections of the contract that mutants are sorted by."""


class MutantError(SystemsError):
    """Base of what goes wrong with mutants: the harness's fault, never a verdict."""


class MutantStale(MutantError):
    """The runtime changed under a mutant: its snippet does not occur exactly once. Names the mutant and the module."""


@dataclass(frozen=True)
class Mutant:
    """The runtime wrong in one named way.

    `old` and `new` are whole lines, indented as they relate to each other; where they stand in the module is the
    loader's to find. `group` holds the clauses whose sentence the mutant contradicts, the rows that state the same
    step and the invariant that watches it, the plainest first.
    """

    id: str
    about: str
    """What is wrong, in one sentence."""
    module: str
    """A module of `lifecycle_runtime`, by its last name."""
    old: str
    new: str
    group: tuple[str, ...]
    faults: tuple[str, ...] = ()
    """The reports of faults seen in real runtimes that it abstracts."""
    equivalent: str = ""
    """Why it changes nothing observable; empty for a mutant that must be found."""

    @property
    def section(self) -> str:
        """The contract section of the plainest clause that has one; segments and properties belong to none."""
        return next(clause[0] for clause in self.group if clause[0] in SECTIONS)

    def mutate(self, source: str) -> str:
        """The module's source with the one wrong line; raises `MutantStale` unless the snippet occurs exactly once."""
        lines = source.splitlines()
        old, new = self._lines()
        places = [at for at in range(len(lines) - len(old) + 1) if _same(lines[at : at + len(old)], old)]
        if len(places) != 1:
            how = "does not occur" if not places else f"occurs {len(places)} times"
            raise MutantStale(
                f"mutant {self.id}: its snippet {how} in lifecycle_runtime.{self.module}:\n"
                + textwrap.indent("\n".join(old), "    "),
                hint="the runtime changed: write the mutant's lines again as they stand there now",
            )
        at = places[0]
        indent = lines[at][: _depth(lines[at]) - _depth(old[0])]
        lines[at : at + len(old)] = [indent + line if line else line for line in new]
        return "\n".join(lines) + "\n"

    def _lines(self) -> tuple[list[str], list[str]]:
        """Both snippets without the margin that the table gives the first."""
        old = self.old.strip("\n").rstrip().splitlines()
        margin = min(_depth(line) for line in old if line.strip())
        new = self.new.strip("\n").rstrip().splitlines()
        return [line[margin:] for line in old], [line[margin:] for line in new]


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _same(found: list[str], wanted: list[str]) -> bool:
    return found[-1].endswith(wanted[-1]) and textwrap.dedent("\n".join(found)).splitlines() == wanted
