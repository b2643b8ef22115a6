"""The gates of a creation: setup, minting, the scope's unwinding, the load; and whose creation is under way.

Refuses to begin one: `life.py` does, and `startup` of the runtime for configured agents.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any

from lifecycle_conformance.systems.reference.gates import At, Gates
from lifecycle_model.commands import ConfigAgent as Configured
from lifecycle_model.wire import Observation
from lifecycle_runtime.agent import Agent
from lifecycle_runtime.context import Context
from lifecycle_runtime.handle import AgentSpec
from lifecycle_runtime.signals import AbortController
from lifecycle_runtime.startup import ConfigAgent
from lifecycle_runtime.tools import TOOLS

CREATING: ContextVar[str] = ContextVar("creating", default="")
"""The reference of the create or resume whose work this is; tasks of the runtime inherit it."""


@dataclass(slots=True)
class Birth:
    """A create or resume under way: the judge's end of its signal, and whether it must not wait."""

    signal: AbortController
    over: AbortController
    sync: bool


class Births:
    """The creations of one run, by reference; a configured agent's reference is its label."""

    def __init__(self, gates: Gates, record: Callable[[Observation], None]) -> None:
        self._gates = gates
        self._record = record
        self._births: dict[str, Birth] = {}
        self._labels: dict[str, str] = {}
        self.contexts: dict[str, Context] = {}

    def begin(self, ref: str, *, sync: bool) -> Birth:
        """Note a creation; its load stops waiting when it is over, whoever ended it."""
        birth = Birth(AbortController(), AbortController(), sync)
        birth.signal.on_abort(lambda: birth.over.abort(birth.signal.reason))
        self._births[ref] = birth
        return birth

    def get(self, ref: str) -> Birth | None:
        """The creation of this reference."""
        return self._births.get(ref)

    def configured(self, agent: Configured) -> ConfigAgent:
        """A config-started agent; its label is the reference its gates are addressed by."""
        self.begin(agent.label, sync=False)
        for name in (agent.id, agent.resume):
            if name is not None:
                self._labels[name] = agent.label
        return ConfigAgent(agent.label, agent.id, agent.resume, AgentSpec(setup=self.setup(agent.label)))

    def labels(self) -> dict[str, str]:
        """The label each configured id was given last."""
        return dict(self._labels)

    def relabel(self, labels: dict[str, str]) -> None:
        """Give ids the labels that they had."""
        self._labels = labels

    def setup(self, ref: str) -> Callable[[Agent, Any], Any]:
        """The setup of a creation: the gate `setup`, and where the agent's context becomes known."""
        sync = self._births[ref].sync

        def enter(agent: Agent, signal: Any) -> Any:
            self.contexts[agent.id] = agent.ctx
            at = At("setup", ref, length=len(agent.session), signal=signal)
            if sync:
                return _resolve(agent, self._gates.enter_now(at).outcome)
            return self._setup(agent, at)

        return enter

    async def _setup(self, agent: Agent, at: At) -> None:
        _resolve(agent, (await self._gates.enter(at)).outcome)

    def mint(self, agent: Agent) -> Any:
        """The minting of every agent: the gate `scope_mint`, then the scope has something to unwind."""
        ref = CREATING.get() or self.label(agent.id)
        birth = self._births.get(ref)
        at = At("scope_mint", ref)
        if birth is not None and birth.sync:
            self._gates.enter_now(at)
            return self._furnish(agent)
        return self._mint(agent, at)

    async def _mint(self, agent: Agent, at: At) -> None:
        await self._gates.enter(at)
        self._furnish(agent)

    def _furnish(self, agent: Agent) -> None:
        """One effect of two steps: the gate `scope` unwinds first, and what is shown is the step it must not skip (T9)."""
        shown = partial(self._record, Observation("scope", of=agent.id))
        agent.ctx.effect(shown, partial(self._gates.enter, At("scope", agent.id)), label="environment")

    def loading(self, session_id: str) -> tuple[str, AbortController | None]:
        """Whose load this is, and the signal that ends its wait."""
        ref = CREATING.get() or self._labels.get(session_id, "")
        birth = self._births.get(ref)
        return ref, birth.over if birth is not None else None

    def label(self, agent_id: str) -> str:
        """The label a configured id was given, else the id."""
        return self._labels.get(agent_id, agent_id)


def _resolve(agent: Agent, outcome: str) -> None:
    """A setup may resolve a service first; the provider's services are seen whoever asked (P16)."""
    if outcome == "tools":
        agent.ctx.service(TOOLS)
