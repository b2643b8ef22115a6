"""The one object the judge drives: describe, reset, run, stop. Refuses to say how a system does it.

A `System` in process is an ordinary object with these four methods; over stdio the same four are the requests
`initialize`, `reset`, `run` and the end of input (`stdio_client`, `serve`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from lifecycle_conformance.systems.errors import AdapterError, SystemsError, UsageError
from lifecycle_model.commands import Burst, Json
from lifecycle_model.wire import BurstResult, Description

__all__ = [
    "AdapterError",
    "Pipelined",
    "Run",
    "RunOutcome",
    "System",
    "SystemsError",
    "UsageError",
    "blamed",
    "run_all",
]

NO_POLICIES: Mapping[str, Json] = {}
"""Every optional policy at its default."""


class System(Protocol):
    """A system under test as the judge sees it. Any exception but `AdapterError` is a fault of the adapter too."""

    def describe(self) -> Description:
        """Who this is and what it can be asked; the same at every call."""
        ...

    def reset(self, policies: Mapping[str, Json]) -> None:
        """Begin afresh, with these policies; nothing of earlier runs is left, and observing starts anew."""
        ...

    def run(self, bursts: Sequence[Burst]) -> list[BurstResult]:
        """Perform each burst in one uninterrupted segment, then run until quiet; one result a burst."""
        ...

    def stop(self) -> None:
        """Give back every resource. A stopped system is not used again; stopping twice is allowed."""
        ...


@dataclass(frozen=True, slots=True)
class Run:
    """One history from a fresh system: a reset with policies, then bursts."""

    bursts: tuple[Burst, ...]
    policies: Mapping[str, Json] = field(default_factory=dict[str, Json])


RunOutcome = list[BurstResult] | AdapterError
"""What became of one run: a result per burst, or who failed. The runs after it are not lost."""


@runtime_checkable
class Pipelined(Protocol):
    """A system that is faster when it is told several runs ahead."""

    def run_all(self, runs: Iterable[Run]) -> Iterator[RunOutcome]:
        """Give the outcome of each run, in order."""
        ...


@contextlib.contextmanager
def blamed(what: str) -> Generator[None]:
    """Turn whatever a system in process raises into an `AdapterError`: a system answers, it does not raise."""
    try:
        yield
    except SystemsError:
        raise
    except Exception as error:
        raise AdapterError(
            f"{what} raised {type(error).__name__}: {error}", hint="an adapter answers refusals, it raises none"
        ) from error


def run_one(system: System, run: Run) -> list[BurstResult]:
    """Reset and run; insist on one result a burst and one answer a command, else blame the adapter."""
    with blamed("reset"):
        system.reset(run.policies)
    with blamed("run"):
        results = system.run(run.bursts)
    check_counts(run.bursts, results)
    return results


def run_all(system: System, runs: Iterable[Run]) -> Iterator[RunOutcome]:
    """Give the outcome of each run, in order, as fast as the system allows; an `AdapterError` ends only its run."""
    if isinstance(system, Pipelined):
        yield from system.run_all(runs)
        return
    for run in runs:
        try:
            yield run_one(system, run)
        except AdapterError as error:
            yield error


def check_counts(bursts: Sequence[Burst], results: Sequence[BurstResult]) -> None:
    """Raise `AdapterError` unless every burst has a result and every command an answer."""
    if len(results) != len(bursts):
        raise AdapterError(
            f"the system gave {len(results)} results for {len(bursts)} bursts", hint="answer one result per burst"
        )
    for index, (burst, result) in enumerate(zip(bursts, results, strict=True)):
        if len(result.calls) != len(burst):
            raise AdapterError(
                f"burst {index} has {len(burst)} commands and the system gave {len(result.calls)} answers",
                hint="every command is answered at once with ok, refused or pending",
                burst=index,
            )
