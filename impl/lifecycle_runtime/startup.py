"""Config-started agents: created or resumed when their provider loads, owned by it (G)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from lifecycle_runtime.errors import ConflictingIds
from lifecycle_runtime.events import ConfigStartFailed
from lifecycle_runtime.futures import first_of
from lifecycle_runtime.handle import AgentSpec
from lifecycle_runtime.persistence import PERSISTENCE, Persistence

if TYPE_CHECKING:
    from lifecycle_runtime.provider import AgentProvider


@dataclass(frozen=True)
class ConfigAgent:
    """One configured agent: `id` continues or begins that id, `resume` insists on a stored log, neither is fresh."""

    label: str
    id: str | None = None
    resume: str | None = None
    spec: AgentSpec = field(default_factory=AgentSpec)


class _GivenUp(Exception):
    """The provider was unloaded while a start waited (G/r7)."""


class Startup:
    """The start jobs of one provider. Rejects contradictory configuration before any agent starts (G2)."""

    def __init__(self, provider: "AgentProvider", configured: Sequence[ConfigAgent]) -> None:
        self._provider = provider
        self._configured = tuple(configured)
        self._closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        claimed: set[str] = set()
        for agent in self._configured:
            if agent.id is not None and agent.resume is not None:
                raise ConflictingIds(f"agent {agent.label!r} has both an id and a resume id; keep one")
            wanted = agent.id if agent.id is not None else agent.resume
            if wanted in claimed:
                raise ConflictingIds(f"the id {wanted!r} is configured twice; choose another for {agent.label!r}")
            if wanted is not None:
                claimed.add(wanted)

    def start(self) -> None:
        """Begin every job; the provider's unload joins them (G5)."""
        for agent in self._configured:
            self._own(agent, self._provider.tasks.start(self._job(agent)))

    def _own(self, agent: ConfigAgent, job: "asyncio.Task[None]") -> None:
        effect = self._provider.ctx.fiber.effect(
            lambda: first_of(job), label=f"start of {agent.label}", deactivate=self._close
        )
        job.add_done_callback(lambda _: effect.release())

    def _close(self) -> None:
        if not self._closed.done():
            self._closed.set_result(None)

    async def _job(self, agent: ConfigAgent) -> None:
        """Start one agent; report a failure once, unless the provider is going (G4, G5)."""
        try:
            await self._begin(agent)
        except _GivenUp:
            pass
        except Exception as error:
            if self._provider.active:
                self._provider.ctx.bus.contained(ConfigStartFailed(agent.label, error))

    async def _begin(self, agent: ConfigAgent) -> None:
        provider = self._provider
        if agent.resume is not None:
            await self._persistence()
            await self._entries_gone(agent.resume)
            await provider.resume(provider.ctx, replace(agent.spec, id=agent.resume))
            return
        stored = False
        if agent.id is not None:
            await self._entries_gone(agent.id)
            persistence = provider.ctx.find(PERSISTENCE)
            stored = persistence is not None and await persistence.has(agent.id)
        spec = replace(agent.spec, id=agent.id)
        start = provider.resume if stored else provider.create
        await start(provider.ctx, spec)

    async def _persistence(self) -> Persistence:
        while True:
            changed = self._provider.ctx.services_changed()
            persistence = self._provider.ctx.find(PERSISTENCE)
            if persistence is not None:
                return persistence
            await self._until(changed)

    async def _entries_gone(self, agent_id: str) -> None:
        """Wait until the agent and session of that id that are live now are gone; never a second time (G4)."""
        agents, sessions = self._provider.agents.table, self._provider.store.table
        agent, session = agents.get(agent_id), sessions.get(agent_id)
        if agent is not None:
            await self._until(agents.when_gone(agent))
        if session is not None:
            await self._until(sessions.when_gone(session))

    async def _until(self, event: "asyncio.Future[None]") -> None:
        await first_of(event, self._closed)
        if self._closed.done():
            raise _GivenUp
