"""A runtime with gated ports and a recorder: act, wait until quiet, compare. Time plays no part."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from lifecycle_runtime.agent import Agent
from lifecycle_runtime.bus import ContainedFailure
from lifecycle_runtime.context import Context
from lifecycle_runtime.core import Policies
from lifecycle_runtime.events import Event, SessionFlush, SessionValidate
from lifecycle_runtime.handle import AgentSpec, Handle
from lifecycle_runtime.persistence import Persistence, provide_persistence
from lifecycle_runtime.ports import ContextMessage, Storage
from lifecycle_runtime.provider import AgentProvider, ProviderOptions
from lifecycle_runtime.runtime import Runtime
from lifecycle_runtime.session import Record
from lifecycle_runtime.signals import Signal
from lifecycle_runtime.startup import ConfigAgent
from lifecycle_runtime.storage_memory import MemoryStorage
from lifecycle_runtime.testing.gates import GatedBehaviour, GatedModel, GatedTool, Gates, gated_pace
from lifecycle_runtime.testing.notation import EVENTS, brief, matches, mismatch, subject_id
from lifecycle_runtime.values import JsonObject


class Reaction:
    """An armed re-entrant listener."""

    def __init__(self, token: str, subject: str, action: Callable[[], object], times: int) -> None:
        self.token = token
        self.subject = subject
        self.action = action
        self.times = times


class Stage:
    """One rehearsal. The verbs without an agent mean the agent `x`."""

    def __init__(
        self, policies: Policies | None = None, storage: Storage | None = None, persistence: bool = False
    ) -> None:
        self.contained: list[str] = []
        self.seen: dict[str, list[str]] = {}
        self.faults: list[str] = []
        self.runtime = Runtime(lambda failure: self._contained(failure))
        self.root = self.runtime.root
        self.policies = policies or Policies()
        self.gates = Gates(self._note)
        self.handles: dict[str, Handle] = {}
        self.mint_effects: list[Callable[[], object]] = []
        self.sync_mint: Callable[[], object] | None = None
        self._reactions: list[Reaction] = []
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: self.faults.append(str(context.get("exception") or context["message"]))
        )
        for event in EVENTS:
            self.root.on(event, self._record)
        for event in EVENTS:
            self.root.on(event, self._react)
        self.root.on(SessionValidate, self._validate)
        self.storage = storage or MemoryStorage()
        self.persistence: Persistence | None = None
        if persistence:
            self.persistence = provide_persistence(self.root, self.storage)
        self.root.on(SessionFlush, self._flush)
        self.runtime.tools.register(self.root, GatedTool(self.gates))
        self.vetoes: list[str] = []
        self.provider = self.load_provider()

    # --- set-up ---

    def load_provider(self, owner: Context | None = None, configured: Sequence[ConfigAgent] = ()) -> AgentProvider:
        """Load a gated provider."""
        options = ProviderOptions(
            model=GatedModel(self.gates),
            behaviour=GatedBehaviour(self.gates),
            mint=self._mint,
            pace=gated_pace(self.gates),
            policies=self.policies,
            configured=configured,
        )
        self.provider = AgentProvider(owner or self.root, options)
        return self.provider

    def spec(
        self,
        agent_id: str = "x",
        *,
        setup: Callable[[Agent], object] | None = None,
        meta: JsonObject | None = None,
        seed: Sequence[JsonObject] = (),
        signal: Signal | None = None,
    ) -> AgentSpec:
        """Return a spec whose setup is a gate and whose scope records its unwinding."""

        async def gated_setup(agent: Agent, signal: object) -> None:
            agent.ctx.effect(lambda: self._note(agent_id, "scope"), label="recorder")
            if setup is not None:
                setup(agent)
            await self.gates.enter("setup", agent_id)

        return AgentSpec(agent_id, gated_setup, meta=meta, seed=seed, signal=signal)

    def creating(
        self,
        agent_id: str = "x",
        owner: Context | None = None,
        *,
        setup: Callable[[Agent], object] | None = None,
        meta: JsonObject | None = None,
        seed: Sequence[JsonObject] = (),
        signal: Signal | None = None,
    ) -> "asyncio.Future[Handle]":
        """Begin a creation."""
        spec = self.spec(agent_id, setup=setup, meta=meta, seed=seed, signal=signal)
        return self.runtime.agents.create(owner or self.root, spec)

    async def create(
        self,
        agent_id: str = "x",
        owner: Context | None = None,
        *,
        setup: Callable[[Agent], object] | None = None,
        seed: Sequence[JsonObject] = (),
    ) -> Agent:
        """Create an agent and wait until quiet."""
        future = self.creating(agent_id, owner, setup=setup, seed=seed)
        await self.quiet()
        return self.keep(await future)

    async def resume(self, agent_id: str = "x", *, setup: Callable[[Agent], object] | None = None) -> Agent:
        """Resume an agent."""
        return self.keep(await self.runtime.agents.resume(self.root, self.spec(agent_id, setup=setup)))

    def keep(self, handle: Handle) -> Agent:
        """Remember a handle."""
        self.handles[handle.agent.id] = handle
        return handle.agent

    # --- acts ---

    @property
    def agent(self) -> Agent:
        """The agent `x`."""
        return self.handles["x"].agent

    def send(self, message: str, **more: Any) -> str:
        """Send a message whose content is its id."""
        return self.agent.send(message, id=message, **more)

    def quiet_send(self, message: str) -> str:
        """Send without waking."""
        return self.agent.send(message, id=message, wakeup=False)

    def steer(self, message: str) -> str:
        """Steer."""
        return self.agent.steer(message, id=message)

    def inject(self, message: str, **more: Any) -> str:
        """Inject."""
        return self.agent.inject(message, id=message, **more)

    def cancel(self, cause: Any = "user", **more: Any) -> None:
        """Cancel."""
        self.agent.cancel(cause, **more)

    def dispose(self, agent_id: str = "x") -> "asyncio.Future[tuple[BaseException, ...]]":
        """Dispose by the handle."""
        return self.handles[agent_id].dispose()

    def react(self, token: str, action: Callable[[], object], *, times: int = 1, subject: str = "x") -> None:
        """Perform an action inside the dispatch of the next matching event."""
        self._reactions.append(Reaction(token, subject, action, times))

    def disarm(self) -> None:
        """Forget every reaction, answer and veto that was not used."""
        self._reactions.clear()
        self.vetoes.clear()
        self.gates.disarm()

    def hold(self, *kinds: str) -> None:
        """Hold gates."""
        for kind in kinds:
            self.gates.hold(kind)

    async def release(self, kind: str, outcome: Any = None) -> None:
        """Release one gate and wait until quiet."""
        self.gates.release(kind, outcome)
        await self.quiet()

    async def quiet(self) -> None:
        """Wait until nothing on the loop can run."""
        ready: Any = getattr(asyncio.get_running_loop(), "_ready")  # noqa: B009 - private, and only here
        await asyncio.sleep(0)
        while ready:
            await asyncio.sleep(0)

    # --- looking ---

    def tokens(self, subject: str = "x") -> list[str]:
        """Everything seen of a subject."""
        return self.seen.setdefault(subject, [])

    def expect(self, wanted: str, *, subject: str = "x", never: str = "") -> None:
        """Assert that tokens occurred in order, and that others never did."""
        problem = mismatch(wanted, self.tokens(subject))
        assert problem is None, problem
        for token in never.split():
            found = [seen for seen in self.tokens(subject) if matches(token, seen)]
            assert not found, f"{token} must not occur: {' '.join(self.tokens(subject))}"

    def only(self, words: str, subject: str = "x") -> str:
        """Return the tokens of the given words only, as one string."""
        kept = [seen for seen in self.tokens(subject) if any(matches(word, seen) for word in words.split())]
        return " ".join(kept)

    def forget(self, subject: str = "x") -> None:
        """Start looking from here."""
        self.tokens(subject).clear()

    # --- inside ---

    def _record(self, event: Event) -> None:
        self._note(subject_id(event), brief(event))

    def _note(self, subject: str, token: str) -> None:
        self.seen.setdefault(subject, []).append(token)

    def _react(self, event: Event) -> object:
        token, subject = brief(event), subject_id(event)
        result: object = None
        for reaction in list(self._reactions):
            if reaction.times and reaction.subject == subject and matches(reaction.token, token):
                reaction.times -= 1
                if not reaction.times:
                    self._reactions.remove(reaction)
                result = reaction.action()
        return result if asyncio.iscoroutine(result) else None

    def _validate(self, event: SessionValidate) -> None:
        kind = event.record.type
        if kind in self.vetoes:
            self.vetoes.remove(kind)
            raise ValueError(f"{kind} vetoed")

    def _flush(self, event: SessionFlush) -> Awaitable[object]:
        return self.gates.enter("flush", event.session.id)

    def _mint(self, agent: Agent) -> Awaitable[object] | None:
        for undo in self.mint_effects:
            agent.ctx.effect(undo)
        if self.sync_mint is not None:
            self.sync_mint()
            return None
        return self.gates.enter("mint", agent.id)

    def _contained(self, failure: ContainedFailure) -> None:
        self.contained.append(failure.event)

    async def close(self) -> None:
        """Open every gate, unload everything and check that nothing is left."""
        await self.quiet()
        self.gates.open_all()
        unloaded = self.runtime.unload()
        await self.quiet()
        self.gates.open_all()
        await asyncio.wait_for(unloaded, 5)
        assert not self.runtime.agents.list()
        assert not self.runtime.sessions.list()
        assert not self.faults, self.faults


def staged(
    agent: bool = True, policies: Policies | None = None, **options: Any
) -> Callable[[Callable[[Stage], Awaitable[None]]], Callable[[], None]]:
    """Run an async test on a fresh stage, by default with the agent `x` parked and its birth forgotten."""

    def wrap(test: Callable[[Stage], Awaitable[None]]) -> Callable[[], None]:
        async def rehearse() -> None:
            stage = Stage(policies, **options)
            if agent:
                await stage.create()
                stage.forget()
            await test(stage)
            await stage.close()

        def run() -> None:
            asyncio.run(rehearse())

        run.__name__ = getattr(test, "__name__", "test")
        run.__doc__ = test.__doc__
        return run

    return wrap


def in_order(*actions: Callable[[], object]) -> Callable[[], None]:
    """Return one action that performs several."""

    def perform() -> None:
        for action in actions:
            action()

    return perform


def context(content: str) -> ContextMessage:
    """Return a context message whose content is its id."""
    return ContextMessage(content, content)


def log_of(records: Sequence[Record]) -> list[str]:
    """Return the types of records."""
    return [record.type for record in records]
