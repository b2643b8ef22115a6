"""The executor and the tool plugin of one run, over processes that the environment ends."""

from __future__ import annotations

import asyncio

from lifecycle_conformance.systems.reference.processes import GatedSpawner, Patient
from lifecycle_runtime.bash_tool import provide_bash_tool
from lifecycle_runtime.context import Context
from lifecycle_runtime.errors import InactiveOwner
from lifecycle_runtime.executor import Executor, provide_executor
from lifecycle_runtime.ports import Tool
from lifecycle_runtime.signals import AbortController
from lifecycle_runtime.tools import TOOLS


class Shell:
    """The present executor and tool plugin of one world, and the judge's names for tasks."""

    def __init__(self, root: Context) -> None:
        self._root = root
        self.spawner = GatedSpawner()
        self.ids: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.signals: dict[str, AbortController] = {}
        self.executor: Executor | None = None
        self._last: Executor | None = None
        self._tool: Context | None = None
        self.load_executor()
        self.load_tool()

    def load_executor(self) -> None:
        """Load an executor if there is none."""
        if self.executor is None:
            self.executor = self._last = provide_executor(self._root, self.spawner, clock=Patient())

    def unload_executor(self) -> asyncio.Future[None]:
        """Unload the present executor; again and again it is the same unload."""
        self.executor = None
        assert self._last is not None
        return self._last.unload()

    def load_tool(self) -> None:
        """Load the tool plugin if it is not loaded."""
        if self._tool is None:
            self._tool = provide_bash_tool(self._root)

    def unload_tool(self) -> None:
        """Unload it; tasks do not notice."""
        if self._tool is not None:
            self._tool.unload()
            self._tool = None

    def bash(self) -> Tool | None:
        """The plugin's tool that starts commands, while it is loaded."""
        return self._root.service(TOOLS).lookup(None, "bash")

    def present(self) -> Executor:
        """The executor, or the refusal that there is none."""
        if self.executor is None:
            raise InactiveOwner("no executor is loaded")
        return self.executor

    def values(self, task: str) -> dict[str, object]:
        """What can be read of a task: its status and owner."""
        number = self.ids.get(task, task)
        status = self._last.status(number) if self._last is not None else None
        return {
            "owner_of": self.executor.owner_of(number) if self.executor is not None else None,
            "status": str(status) if status is not None else None,
        }
