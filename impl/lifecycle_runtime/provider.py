"""The agent provider: makes agents from its ports, and takes them all down when it is unloaded (P13)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from lifecycle_runtime.agent import Agent
from lifecycle_runtime.behaviour import Behaviour
from lifecycle_runtime.context import Context
from lifecycle_runtime.core import AgentPorts, Policies, random_id, yield_once
from lifecycle_runtime.creation import Creation
from lifecycle_runtime.futures import TaskGroup
from lifecycle_runtime.handle import AgentSpec, Handle, Mint
from lifecycle_runtime.ports import IdFactory, Model, Pace
from lifecycle_runtime.registry import AGENTS
from lifecycle_runtime.startup import ConfigAgent, Startup
from lifecycle_runtime.store import SESSIONS


def mint_nothing(agent: Agent) -> None:
    """Leave a fresh scope as it is; the default minting."""


@dataclass(frozen=True)
class ProviderOptions:
    """What the provider's agents run on unless their spec says otherwise."""

    model: Model
    behaviour: Behaviour = field(default_factory=Behaviour)
    mint: Mint = mint_nothing
    pace: Pace = yield_once
    ids: IdFactory = random_id
    policies: Policies = field(default_factory=Policies)
    configured: Sequence[ConfigAgent] = ()


class AgentProvider:
    """Fills the provider slot of the registry its owner sees, from construction to unload (P15)."""

    def __init__(self, owner: Context, options: ProviderOptions) -> None:
        owner.fiber.require_active()
        self.agents = owner.service(AGENTS)
        self.store = owner.service(SESSIONS)
        self.tasks = TaskGroup()
        self._options = options
        startup = Startup(self, options.configured)
        self.agents.require_free_slot()
        self.ctx = owner.fork("agent provider")
        self.agents.occupy(self)
        startup.start()

    @property
    def active(self) -> bool:
        """False from the start of the unload, its own or its owner's."""
        return self.ctx.active

    def unload(self) -> "asyncio.Future[None]":
        """Refuse new work now; the future resolves when rollbacks, teardowns and start-ups are through."""
        return self.ctx.unload()

    def create(self, owner: Context, spec: AgentSpec) -> "asyncio.Future[Handle]":
        """Admit and begin a creation."""
        creation = Creation(self, owner, random_id() if spec.id is None else spec.id, spec, "startup")
        creation.prepare()
        return self._run(creation)

    def create_sync(self, owner: Context, spec: AgentSpec) -> Handle:
        """Create in this segment."""
        creation = Creation(self, owner, random_id() if spec.id is None else spec.id, spec, "startup")
        creation.prepare()
        return creation.run_sync()

    def resume(self, owner: Context, spec: AgentSpec) -> "asyncio.Future[Handle]":
        """Admit and begin a resume of `spec.id`."""
        creation = Creation(self, owner, spec.id or "", spec, "resume")
        creation.begin_load()
        return self._run(creation)

    def mint(self, agent: Agent) -> object:
        """Furnish a fresh scope."""
        return self._options.mint(agent)

    def ports(self, spec: AgentSpec) -> AgentPorts:
        """Return what an agent of this spec runs on."""
        options = self._options
        return AgentPorts(
            model=spec.model or options.model,
            behaviour=spec.behaviour or options.behaviour,
            pace=options.pace,
            ids=options.ids,
            policies=options.policies,
        )

    def _run(self, creation: Creation) -> "asyncio.Future[Handle]":
        task = self.tasks.start(creation.run())
        task.add_done_callback(lambda _: creation.settled())
        return creation.result
