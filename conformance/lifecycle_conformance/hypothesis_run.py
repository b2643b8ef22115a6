"""Runs the Hypothesis machine for a check, without its example database, and gives back what failed as trials.

Hypothesis is imported only when a run begins: it costs more than everything else the command line imports.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from lifecycle_conformance.engines import Worker
from lifecycle_conformance.systems.errors import SystemsError
from lifecycle_conformance.trial import Trial


@dataclass
class Found:
    """What the histories gave."""

    histories: int = 0
    rows: Counter[str] = field(default_factory=Counter[str])
    failures: list[Trial] = field(default_factory=list[Trial])
    errors: list[str] = field(default_factory=list[str])


def explore_histories(worker: Worker, seed: int, examples: int, steps: int = 30) -> Found:
    """Play `examples` histories of at most `steps` rules; a failing one is shrunk and given as a trial."""
    from hypothesis import HealthCheck, settings
    from hypothesis import seed as seeded
    from hypothesis.stateful import run_state_machine_as_test

    from lifecycle_conformance.machine import Disagreement, Lifecycle, machine

    found = Found()
    needed = {"send", "cancel"}
    if not needed <= set(worker.profile.commands):
        return found

    class Counted(machine(worker)):  # type: ignore[misc]  # a class made for this worker
        def __init__(self) -> None:
            super().__init__()
            found.histories += 1

    worker.judge.rows.clear()
    try:
        run_state_machine_as_test(
            seeded(seed)(Counted),
            settings=settings(
                max_examples=examples,
                stateful_step_count=steps,
                database=None,
                deadline=None,
                print_blob=False,
                report_multiple_bugs=False,
                suppress_health_check=list(HealthCheck),
            ),
        )
    except Disagreement:
        found.failures.append(worker.play(tuple(Lifecycle.played), Lifecycle.policies))
    except SystemsError as error:
        found.errors.append(f"Hypothesis: {error}")
    found.rows = Counter(worker.judge.rows)
    return found
