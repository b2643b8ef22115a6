"""Processes that end when the environment says so, and a clock whose grace runs out when it says so, too."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import ContextVar

from lifecycle_runtime.ports import ProcessSpec


class SpawnFailed(Exception):
    """The process could not be started."""


class GatedProcess:
    """A process that exits when told to; a resisting one ignores the polite request, not the forced one."""

    def __init__(self, resists: bool) -> None:
        self._resists = resists
        self._asked = False
        self._status: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.grace: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def exit(self, status: int) -> None:
        """Exit now, unless it has; one that resists exits by force, once its grace is over (V10, F5)."""
        if not (self._asked and self._resists):
            self._exit(status)
        elif not self.grace.done():
            self.grace.set_result(None)

    def terminate(self) -> None:
        """Asked to end; whoever asked may wait for its grace."""
        ENDING.set(self)
        self._asked = True
        if not self._resists:
            self._exit(143)

    def kill(self) -> None:
        """Ended by force."""
        self._exit(137)

    def _exit(self, status: int) -> None:
        if not self._status.done():
            self._status.set_result(status)

    async def wait(self) -> int:
        """The exit status, once there is one."""
        return await asyncio.shield(self._status)


class GatedSpawner:
    """Starts nothing real; the command line of a task is its name."""

    def __init__(self) -> None:
        self.resisting: set[str] = set()
        self.failing: set[str] = set()
        self.at_once: set[str] = set()
        self.processes: dict[str, GatedProcess] = {}

    async def spawn(self, spec: ProcessSpec, output: Callable[[str], None]) -> GatedProcess:
        """Start one, or fail as told."""
        if spec.command in self.failing:
            raise SpawnFailed(f"{spec.command} cannot be started")
        process = self.processes[spec.command] = GatedProcess(spec.command in self.resisting)
        output(f"output of {spec.command}\n")
        if spec.command in self.at_once:
            process.exit(0)
        return process


class Patient:
    """A clock that stands still: a grace runs out only when the environment says so."""

    async def sleep(self, seconds: float) -> None:
        """Wait for the grace of the process that this task asked to end; for ever, if it asked none."""
        process = ENDING.get()
        await (asyncio.get_running_loop().create_future() if process is None else process.grace)


ENDING: ContextVar[GatedProcess | None] = ContextVar("ending", default=None)
"""The process that the running task asked to end last."""
