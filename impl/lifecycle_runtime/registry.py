"""The agent registry: live agents, their parents, and the one slot of the provider that makes them."""

import asyncio
from typing import Protocol

from lifecycle_runtime.agent import Agent
from lifecycle_runtime.bus import Bus
from lifecycle_runtime.context import Context, ServiceKey
from lifecycle_runtime.entries import Entry, EntryTable
from lifecycle_runtime.errors import InactiveProvider, ProviderTaken
from lifecycle_runtime.events import AgentCreated, AgentDisposed
from lifecycle_runtime.handle import AgentSpec, Handle


class Provider(Protocol):
    """Makes agents."""

    @property
    def active(self) -> bool:
        """False from the start of its unload."""
        ...

    def create(self, owner: Context, spec: AgentSpec) -> "asyncio.Future[Handle]":
        """See `AgentRegistry.create`."""
        ...

    def create_sync(self, owner: Context, spec: AgentSpec) -> Handle:
        """See `AgentRegistry.create_sync`."""
        ...

    def resume(self, owner: Context, spec: AgentSpec) -> "asyncio.Future[Handle]":
        """See `AgentRegistry.resume`."""
        ...


class AgentRegistry:
    """Where agents are found and asked for."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._provider: Provider | None = None
        self._parents: dict[Agent, Agent] = {}
        self.table: EntryTable[Agent] = EntryTable("agent", self._farewell)

    def create(self, owner: Context, spec: AgentSpec) -> "asyncio.Future[Handle]":
        """Admit a creation now and return its result; it rejects after its rollback (P).

        Created through an agent's context the new agent is its child (P18).
        """
        try:
            return self._require().create(owner, spec)
        except Exception as error:
            return rejected(error)

    def create_sync(self, owner: Context, spec: AgentSpec) -> Handle:
        """Create in this segment; `setup` and minting must not wait (P14)."""
        return self._require().create_sync(owner, spec)

    def resume(self, owner: Context, spec: AgentSpec) -> "asyncio.Future[Handle]":
        """Continue the newest stored log of `spec.id` (P17)."""
        try:
            return self._require().resume(owner, spec)
        except Exception as error:
            return rejected(error)

    def get(self, agent_id: str) -> Agent | None:
        """Return the live agent of an id."""
        entry = self.table.get(agent_id)
        return entry.value if entry else None

    def list(self) -> tuple[Agent, ...]:
        """Return the live agents."""
        return tuple(entry.value for entry in self.table.all())

    def roots(self) -> tuple[Agent, ...]:
        """Return the live agents without parent (P18)."""
        return tuple(agent for agent in self.list() if agent not in self._parents)

    def parent(self, agent: Agent) -> Agent | None:
        """Return the agent through whose context this one was created."""
        return self._parents.get(agent)

    def require_free_slot(self) -> None:
        """Raise ProviderTaken while an active provider fills the slot (P15)."""
        if self._provider is not None and self._provider.active:
            raise ProviderTaken("an agent provider is loaded already; unload it first")

    def occupy(self, provider: Provider) -> None:
        """Take the provider slot; it is free again from the start of the provider's unload (P15)."""
        self.require_free_slot()
        self._provider = provider

    def enter(self, agent: Agent, parent: Agent | None) -> Entry[Agent]:
        """List an agent whose session has entered (I12)."""
        entry = self.table.enter(agent.id, agent)
        if parent is not None:
            self._parents[agent] = parent
        return entry

    def announce(self, entry: Entry[Agent]) -> None:
        """Publish `agent/created`; a listener's veto is raised."""
        event = AgentCreated(entry.value)
        self.table.announce(entry, lambda: self._bus.vetoing(event, entry.value.ctx.scope))

    def _require(self) -> Provider:
        if self._provider is None or not self._provider.active:
            raise InactiveProvider("no active agent provider; load one before creating agents")
        return self._provider

    def _farewell(self, entry: Entry[Agent]) -> None:
        self._parents.pop(entry.value, None)
        if entry.announced:
            self._bus.contained(AgentDisposed(entry.value), entry.value.ctx.scope)


def rejected(error: Exception) -> "asyncio.Future[Handle]":
    """Return a future that failed."""
    future: asyncio.Future[Handle] = asyncio.get_running_loop().create_future()
    future.set_exception(error)
    return future


AGENTS: ServiceKey[AgentRegistry] = ServiceKey("agents")
