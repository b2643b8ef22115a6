"""The composition root of one runtime: a bus, a root context and the services every host needs."""

import asyncio

from lifecycle_runtime.bus import Bus, ContainedHook, log_failure
from lifecycle_runtime.context import Context, ServiceTable
from lifecycle_runtime.fibers import Fiber
from lifecycle_runtime.registry import AGENTS, AgentRegistry
from lifecycle_runtime.store import SESSIONS, SessionStore
from lifecycle_runtime.tools import TOOLS, ToolRegistry


class Runtime:
    """One runtime on the running event loop. Everything else is loaded onto `root` or a fork of it."""

    def __init__(self, contained: ContainedHook = log_failure) -> None:
        self.bus = Bus(contained)
        self.root = Context(Fiber("root", self.bus.report), self.bus, ServiceTable())
        self.sessions = SessionStore(self.bus)
        self.agents = AgentRegistry(self.bus)
        self.tools = ToolRegistry()
        self.root.provide(SESSIONS, self.sessions)
        self.root.provide(AGENTS, self.agents)
        self.root.provide(TOOLS, self.tools)

    def unload(self) -> "asyncio.Future[None]":
        """Take everything down."""
        return self.root.unload()
