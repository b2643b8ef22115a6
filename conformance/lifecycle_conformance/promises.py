"""What listeners and asynchronous calls are promised, to blame what no row says. Refuses to read rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lifecycle_model.commands import AnyCommand, React
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


def called(burst: Sequence[AnyCommand]) -> dict[str, str]:
    """The verb of every call that a burst names, reactions included, by its reference."""
    return {str(name): one.verb for one in _every(burst) if (name := getattr(one, "as_", None))}


def promised(expected: object, seen: object, verbs: Mapping[str, str]) -> tuple[str, ...]:
    """The promise broken where `seen` came instead of `expected`: a listener starved, a call settled when it must not."""
    if isinstance(expected, Observation) and expected.event == "heard":
        return ("S9", "C21")
    if expected is None and isinstance(seen, Observation) and seen.event == "settled":
        return PROMISES.get(verbs.get(str(seen.of), ""), ())
    return ()


def _every(commands: Sequence[AnyCommand]) -> Iterator[AnyCommand]:
    for one in commands:
        if isinstance(one, React):
            yield from _every(one.then)
        else:
            yield one
