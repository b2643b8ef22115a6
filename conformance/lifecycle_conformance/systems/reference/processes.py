"""Processes that end when the environment says so, and a clock whose grace never runs out by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from lifecycle_runtime.ports import ProcessSpec


class SpawnFailed(Exception):
    """The process could not be started."""


class GatedProcess:
    """A process that exits when told to; a resisting one ignores the polite request, not the forced one."""

    def __init__(self, resists: bool) -> None:
        self._resists = resists
        self._status: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def exit(self, status: int) -> None:
        """Exit now, unless it has."""
        if not self._status.done():
            self._status.set_result(status)

    def terminate(self) -> None:
        """Asked to end."""
        if not self._resists:
            self.exit(143)

    def kill(self) -> None:
        """Ended by force."""
        self.exit(137)

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
    """A clock on which a killed process may take its time: only the environment ends it."""

    async def sleep(self, seconds: float) -> None:
        """Wait for ever; whoever waits stops waiting when the process exits."""
        await asyncio.get_running_loop().create_future()
