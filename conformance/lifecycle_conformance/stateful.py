"""The Hypothesis machine as a test of your project: your settings, your example database. Owns no judgement.

Refuses to be a check: it has no suites and no vectors, and says nothing when nothing was found.
"""

from __future__ import annotations

import unittest
from pathlib import Path
from typing import Any

from lifecycle_conformance.engines import Setting, Worker
from lifecycle_conformance.failure.lines import lines
from lifecycle_conformance.failure.pasted import replay_line
from lifecycle_conformance.machine import Disagreement, Lifecycle, machine
from lifecycle_conformance.reports.found import found_in_run
from lifecycle_conformance.reports.write import keep_trace
from lifecycle_conformance.systems.adapter import System
from lifecycle_conformance.systems.errors import UsageError
from lifecycle_conformance.systems.wellformed import Checked

IN_PROCESS = "python"


def state_machine(system: str | System, contract: str = "1", timeout: float = 10.0) -> type[unittest.TestCase]:
    """A test class that plays histories on a system and compares every burst with the model.

        TestHistories = state_machine("stdio:node my-adapter.mjs")

    The system is one's name as on the command line, which is opened here, or an object. Hypothesis' own settings hold:
    profiles, `--hypothesis-seed`, and the example database, so that a failure found on one machine is the first run of
    every other that shares it. A failing test tells the shrunk run in the lines of `lifecycle check`, and keeps its trace in
    `.lifecycle`. Raises `UsageError`
    for a system that cannot be driven this way, and what opening it raises.
    """
    if isinstance(system, str):
        worker = Worker(Setting(system, contract, timeout))
    else:
        worker = Worker(Setting(IN_PROCESS, contract, timeout), Checked(system))
    missing = sorted({"create", "send", "cancel"} - set(worker.profile.commands))
    if missing:
        name = worker.system.describe().name
        worker.system.stop()
        raise UsageError(
            f"{name} offers no {', '.join(missing)}",
            hint="histories need create, send and cancel; vectors alone: lifecycle check --section S",
        )
    base: Any = machine(worker).TestCase

    class Histories(base):  # type: ignore[misc]  # a class made for this system
        def runTest(self) -> None:  # unittest's name
            """Play; a disagreement is told as a failure of a check is."""
            try:
                super().runTest()
            except Disagreement as disagreement:
                trial = worker.play(tuple(Lifecycle.played), Lifecycle.policies)
                told = found_in_run(trial, worker.system.describe()).failure
                written = keep_trace(told, Path(".lifecycle"))
                named = worker.setting.system != IN_PROCESS and written.path is not None
                replay = replay_line(str(written.path), worker.setting.system) if named else ""
                raise AssertionError("\n".join(lines(told, replay))) from disagreement

        @classmethod
        def tearDownClass(cls) -> None:  # unittest's name
            """Stop the system."""
            worker.system.stop()

    Histories.__name__ = Histories.__qualname__ = "Histories"
    return Histories
