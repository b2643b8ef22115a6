"""What listeners and asynchronous calls are promised, to blame what no row says. Refuses to read rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lifecycle_conformance.compare import read_agrees
from lifecycle_model.commands import AnyCommand, Create, Dispose, React, Read, Resume, Tick, WhenIdle
from lifecycle_model.wire import Observation

PROMISES: Mapping[str, tuple[str, ...]] = {
    "when_idle": ("S7", "V4"),
    "dispose": ("T1", "T6"),
    "create": ("P11", "P1"),
    "resume": ("P11", "P17"),
    "unload_owner": ("T1", "T6"),
    "unload_provider": ("P13", "T1"),
    "session": ("D4",),
    "executor": ("O10",),
    "acp": ("A4", "A3"),
}
"""The clauses that say when a call of a verb settles."""


ORDERED: Mapping[str, tuple[str, ...]] = {
    "when_idle": ("S8", "S7"),
    "dispose": ("T/r7", "I15"),
    "create": ("P/r12", "P2"),
    "resume": ("P/r12", "P2"),
}
"""The clauses that say before and after what a call of a verb settles."""

READ: Mapping[str, tuple[str, ...]] = {
    "status": ("S1", "S2"),
    "inspected": ("S1", "S2"),
    "marker": ("C9", "I5"),
    "holder": ("S4", "I3", "I10"),
    "queued": ("Q5", "Q18"),
    "steering": ("Q4", "Q12"),
    "turn": ("Q19", "I2"),
    "step": ("Q20", "I2"),
    "log": ("L1", "L2"),
    "stored": ("D6", "D7"),
    "registry": ("T7", "I12"),
    "agents": ("T7", "I12"),
    "roots": ("P18",),
    "sessions": ("T7", "L4"),
    "records": ("T10", "P7"),
    "owner_of": ("O1", "O2"),
}
"""The clauses that say what a value that is read must be, where no row of the burst does: most bursts that read have none."""

WAKES = ("Q3", "X4")
"""What says when a driver wakes: a driver that waits to be stepped although nothing woke it, or does not although it was."""


def called(burst: Sequence[AnyCommand]) -> dict[str, str]:
    """The verb of every call that a burst names, reactions included, by its reference."""
    return {str(name): one.verb for one in _every(burst) if (name := getattr(one, "as_", None))}


def promised(expected: object, seen: object, verbs: Mapping[str, str]) -> tuple[str, ...]:
    """The promise broken where `seen` came instead of `expected`: a listener starved, a call settled when it must not."""
    if isinstance(expected, Observation) and expected.event == "heard":
        return ("S9", "C21")
    if isinstance(expected, Observation) and expected.event == "settled" and isinstance(seen, Observation):
        return ORDERED.get(verbs.get(str(seen.of), ""), ()) if expected == seen else ()
    if expected is None and isinstance(seen, Observation) and seen.event == "settled":
        return PROMISES.get(verbs.get(str(seen.of), ""), ())
    return ()


def about(burst: Sequence[AnyCommand]) -> dict[str, str]:
    """The agent of every call that a burst names, reactions included, by its reference; of a dispose by handle none."""
    calls = [one for one in _every(burst) if isinstance(one, Create | Resume | WhenIdle | Dispose)]
    agents = {one.as_: one.id if isinstance(one, Create | Resume) else one.agent for one in calls}
    return {ref: agent for ref, agent in agents.items() if agent is not None}


def answered(command: AnyCommand, expected: object, seen: object) -> tuple[str, ...]:
    """The clauses about what a read answered wrongly, or a tick; of another command none, its row has them."""
    if isinstance(command, Tick):
        return WAKES
    mine, theirs = _read(expected), _read(seen)
    if not isinstance(command, Read):
        return ()
    both = [name for name in READ if name in mine and name in theirs]
    wrong = [name for name in both if not read_agrees({name: mine[name]}, {name: theirs[name]})]
    return tuple(dict.fromkeys(clause for name in wrong for clause in READ[name]))[:3]


def _read(answer: object) -> dict[str, Any]:
    """The values of a read; those of `inspect` among them."""
    values = getattr(answer, "ok", None)
    found: dict[str, Any] = dict(values) if isinstance(values, dict) else {}
    inspect = found.get("inspect")
    return {"inspected": inspect.get("status"), **inspect, **found} if isinstance(inspect, dict) else found


def _every(commands: Sequence[AnyCommand]) -> Iterator[AnyCommand]:
    for one in commands:
        if isinstance(one, React):
            yield from _every(one.then)
        else:
            yield one
