"""The whole zoo: every table's mutants by id, the twelve the first issue names, and those that change nothing."""

from __future__ import annotations

from lifecycle_conformance.mutants.mutant import Mutant
from lifecycle_conformance.mutants.tables import (
    again,
    bridge,
    cancel,
    config,
    equivalent,
    inbox,
    injections,
    loads,
    marker,
    owners,
    publication,
    session,
    status,
    steering,
    stopping,
    tasks,
    teardown,
    turns,
    waiters,
)
from lifecycle_conformance.systems.errors import UsageError

TABLES = (
    status,
    waiters,
    inbox,
    injections,
    steering,
    turns,
    cancel,
    marker,
    stopping,
    teardown,
    owners,
    publication,
    session,
    loads,
    tasks,
    config,
    bridge,
    again,
    equivalent,
)

ZOO: tuple[Mutant, ...] = tuple(mutant for table in TABLES for mutant in table.MUTANTS)
"""Every mutant, table by table."""

NAMED: tuple[str, ...] = (
    "clear-after-abort",
    "request-after-clear",
    "idle-cancel-drops-next",
    "replacement-dropped",
    "holder-after-end",
    "late-steering-dropped",
    "steering-into-aborted",
    "second-cause-wins",
    "waiter-before-replacement",
    "idle-before-flush",
    "listener-starves-others",
    "discarded-twice",
)
"""Those every check of the core must find within seconds."""

_BY_ID = {mutant.id: mutant for mutant in ZOO}


def mutant(name: str) -> Mutant:
    """A mutant by id; `UsageError` names those that sound like it."""
    found = _BY_ID.get(name)
    if found is None:
        like = [known for known in _BY_ID if any(word in known.split("-") for word in name.split("-"))]
        raise UsageError(f"there is no mutant {name!r}", hint="known: " + ", ".join(like or _BY_ID))
    return found
