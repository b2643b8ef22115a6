"""What a creator asks for and gets back: a specification, and the handle that may dispose."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from lifecycle_runtime.agent import Agent
from lifecycle_runtime.behaviour import Behaviour
from lifecycle_runtime.ports import Model
from lifecycle_runtime.signals import Signal
from lifecycle_runtime.teardown import Teardown
from lifecycle_runtime.values import JsonObject

Setup: TypeAlias = Callable[[Agent, Signal], Awaitable[object] | object]
"""Prepares an agent before it is published: registers listeners, tools and effects on `agent.ctx`. Calls no
verb of the agent. The signal aborts when the creation was deactivated; what comes later is inert (P6)."""

Mint: TypeAlias = Callable[[Agent], Awaitable[object] | object]
"""Furnishes a fresh scope before setup. Always awaited to its end, also when deactivated (P12)."""


@dataclass(frozen=True)
class AgentSpec:
    """What to create or resume. Model and behaviour default to the provider's; the id to a fresh one."""

    id: str | None = None
    setup: Setup | None = None
    meta: JsonObject | None = None
    seed: Sequence[JsonObject] = ()
    model: Model | None = None
    behaviour: Behaviour | None = None
    signal: Signal | None = None


class Handle:
    """The agent together with the right to dispose it (T11)."""

    def __init__(self, agent: Agent, teardown: Teardown) -> None:
        self.agent = agent
        self._teardown = teardown

    def dispose(self) -> "asyncio.Future[tuple[BaseException, ...]]":
        """Stop the agent now; the result comes when nothing of it is left: what its scope raised (T).

        Idempotent, and shared with the owner's and the provider's unload (T1). Never await it inside the
        agent's own turn: that turn would wait for itself (T14).
        """
        return self._teardown.begin()
