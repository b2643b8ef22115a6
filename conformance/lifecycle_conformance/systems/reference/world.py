"""One run's world: a fresh runtime with every port gated, and the judge's names for what is in it.

Refuses to know commands: `perform` hands each to the function that its section registered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from lifecycle_conformance.systems.errors import AdapterError
from lifecycle_conformance.systems.reference import ports
from lifecycle_conformance.systems.reference.births import Births
from lifecycle_conformance.systems.reference.client import Client, Connection
from lifecycle_conformance.systems.reference.drivers import Drivers
from lifecycle_conformance.systems.reference.gates import Gates
from lifecycle_conformance.systems.reference.reactions import RECORDED, Reactions
from lifecycle_conformance.systems.reference.recorder import contained, observation
from lifecycle_conformance.systems.reference.shell import Shell
from lifecycle_conformance.systems.reference.storage import Persisted
from lifecycle_conformance.systems.reference.thrown import refusal
from lifecycle_model.commands import AnyCommand, Command
from lifecycle_model.wire import Answer, Observation
from lifecycle_runtime.acp_slot import BridgePolicies
from lifecycle_runtime.agent import Agent
from lifecycle_runtime.bus import ContainedFailure
from lifecycle_runtime.context import Context
from lifecycle_runtime.core import Policies
from lifecycle_runtime.entries import Entry
from lifecycle_runtime.events import EVENTS, Event, SessionCreated, SessionFlush, SessionValidate, TaskCompleted
from lifecycle_runtime.handle import Handle
from lifecycle_runtime.provider import AgentProvider, ProviderOptions
from lifecycle_runtime.registry import AGENTS
from lifecycle_runtime.runtime import Runtime
from lifecycle_runtime.session import Session
from lifecycle_runtime.startup import ConfigAgent
from lifecycle_runtime.store import SessionStore

C = TypeVar("C", bound=Command)
T = TypeVar("T")
Perform = Callable[["World", Any], "Answer | Later"]

OK = Answer(ok=None)
"""Done, nothing to say."""


@dataclass(slots=True)
class Later:
    """An answer that is known when the burst is over: the call has no reference to settle by."""

    future: asyncio.Future[Any]
    shape: Callable[[Any], Any] = field(default=lambda value: value)


_PERFORM: dict[type[Command], Perform] = {}


def performs(kind: type[C]) -> Callable[[Callable[[World, C], Answer | Later]], Callable[[World, C], Answer | Later]]:
    """Register the function that performs a command."""

    def register(function: Callable[[World, C], Answer | Later]) -> Callable[[World, C], Answer | Later]:
        _PERFORM[kind] = function
        return function

    return register


def performed() -> tuple[str, ...]:
    """The verbs that can be performed."""
    return tuple(sorted(str(kind.__struct_config__.tag) for kind in _PERFORM))


class World:
    """Everything of one run. Made inside the event loop; dropped whole at the next reset."""

    def __init__(self, policies: Policies, bridge_policies: BridgePolicies) -> None:
        self.seen: list[Observation] = []
        self.broken: BaseException | None = None
        self.pending: dict[str, int] = {}
        self.torn = False
        self.gates = Gates(self.record, self.react)
        self.reactions = Reactions(self.record, self.react, self.observation)
        self.drivers = Drivers(self.gates, self.record)
        self.births = Births(self.gates, self.record)
        self.handles: dict[str, Handle] = {}
        self.held: dict[str, Handle] = {}
        self.passed: dict[str, dict[str, object]] = {}
        self.cause: dict[str, object] = {}
        self.owners: dict[str, Context] = {}
        self.providers: dict[str, AgentProvider] = {}
        self.sessions: dict[str, Session] = {}
        self.entries: dict[str, Entry[Session]] = {}
        self._stores: dict[str, SessionStore] = {}
        self._agents: dict[str, Agent] = {}
        self._work: set[asyncio.Task[Any]] = set()
        self._minted_ids = 0
        self._policies = policies
        self._bridge_policies = bridge_policies
        self.client = Client(self._connect)
        self.runtime = Runtime(self._contained)
        self.home = self.runtime.root.fork("environment")
        for kind in EVENTS:
            self.runtime.bus.listen(kind, self._observe)
        self.persisted = Persisted(self.runtime.root, self.gates, self.births.loading, self.births.label)
        self.flushes = ports.Flushes(self.gates, lambda listener: self.home.on(SessionFlush, listener))
        self.home.on(SessionValidate, ports.validator(self.gates))
        self.tool = ports.GatedTool(self.gates)
        self.runtime.tools.register(self.home, self.tool)
        self.load_provider("p1", None)

    # what is asked

    def perform(self, command: AnyCommand) -> Answer | Later:
        """Perform a command; what the runtime raises is a refusal, what nobody should raise breaks the run."""
        function = _PERFORM.get(type(command))
        if function is None:
            return Answer(refused="unsupported", message=f"{command.verb} is not offered")
        try:
            return function(self, command)
        except Exception as error:
            refused = refusal(error)
            if refused is None:
                self.broken = self.broken or error
                raise
            return refused

    def react(self, command: AnyCommand) -> Answer:
        """Perform a reaction's command."""
        answer = self.perform(command)
        if isinstance(answer, Later):
            answer.future.add_done_callback(lambda done: done.cancelled() or done.exception())
            return Answer(refused="unsupported", message="a reaction cannot wait for the answer of this command")
        return answer

    def follow(self, ref: str, future: asyncio.Future[Any], ok: Callable[[Any], object] = lambda value: None) -> Answer:
        """Answer pending, and record when and how the call settles."""
        self.pending[ref] = self.pending.get(ref, 0) + 1

        def settle(done: asyncio.Future[Any]) -> None:
            self.pending[ref] -= 1
            self.torn = True
            self.record(self._settled(ref, done, ok))

        future.add_done_callback(settle)
        return Answer(pending=ref)

    def lift(self, call: Callable[[], asyncio.Future[T]]) -> asyncio.Future[T]:
        """The future of a call that may refuse at once; the refusal is then how it settles."""
        try:
            return call()
        except Exception as error:
            future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
            future.set_exception(error)
            return future

    def _settled(self, ref: str, done: asyncio.Future[Any], ok: Callable[[Any], object]) -> Observation:
        error = done.exception()
        if error is None:
            return Observation("settled", of=ref, ok=ok(done.result()))
        answer = refusal(error)
        if answer is None:
            self.broken = self.broken or error
            answer = Answer(refused="unsupported")
        return Observation("settled", of=ref, refused=answer.refused, value=answer.value)

    # what is seen

    def record(self, seen: Observation) -> None:
        """Add an observation."""
        self.seen.append(seen)
        if seen.event in RECORDED:
            self.reactions.recorded(seen)

    def _observe(self, event: Event) -> None:
        if isinstance(event, SessionCreated):
            self._publish(event.session.id)
        self.record(self.observation(event))

    def _publish(self, session_id: str) -> None:
        """From its s+ on, an id names this agent: what is rolled back afterwards can still be asked what it is."""
        agent = self.runtime.agents.get(session_id)
        if agent is not None:
            self._agents[session_id] = agent

    def observation(self, event: Event) -> Observation:
        """What the judge is shown of an event, in its names."""
        if isinstance(event, TaskCompleted):
            return Observation("task", of=self.shell.names.get(event.task, event.task), state="completion")
        return observation(event)

    def _contained(self, failure: ContainedFailure) -> None:
        if refusal(failure.error) is None:
            self.broken = self.broken or failure.error
        self.record(contained(failure))

    # names

    @cached_property
    def shell(self) -> Shell:
        """Executor and tool plugin, loaded when first needed: most runs are not about tasks, and a reset is cheap."""
        return Shell(self.runtime.root)

    def agent(self, name: str) -> Agent | None:
        """The live agent of this name, else the one published last under it."""
        return self._agents.get(name)

    def context(self, name: str) -> Context | None:
        """The context of the agent of this name, also while it is in setup; a live one's before one in setup."""
        preparing, agent = self.births.contexts.get(name), self.agent(name)
        if agent is not None and (agent.ctx.active or preparing is None or not preparing.active):
            return agent.ctx
        return preparing

    def owner(self, name: str | None, parent: str | None = None) -> Context | None:
        """The owner's context: a fiber, made when first named, or an agent's own; None if that agent is not known."""
        if parent is not None:
            return self.context(parent)
        name = name or "root"
        if name not in self.owners:
            sees = [AGENTS] if name == "bare" else None
            self.owners[name] = self.runtime.root.fork(name, sees=sees)
        return self.owners[name]

    def store(self, name: str | None) -> SessionStore:
        """The runtime's store `s1`, or another one, made when first named."""
        if name in (None, "s1"):
            return self.runtime.sessions
        return self._stores.setdefault(str(name), SessionStore(self.runtime.bus))

    def session(self, name: str) -> Session | None:
        """The session object of this name; a live one of this id before one made earlier."""
        live = next((one for store in self._known_stores() if (one := store.get(name)) is not None), None)
        return live or self.sessions.get(name) or self._log_of(name)

    def home_of(self, session: Session) -> SessionStore:
        """The store that has the session, else the runtime's."""
        has = (store for store in self._known_stores() if store.get(session.id) is session)
        return next(has, self.runtime.sessions)

    def _known_stores(self) -> tuple[SessionStore, ...]:
        return (self.runtime.sessions, *self._stores.values())

    def _log_of(self, name: str) -> Session | None:
        agent = self.agent(name)
        return agent.session if agent is not None else None

    def entry(self, name: str) -> Entry[Session] | None:
        """The entry that the judge entered under this name; an agent's own is its teardown's alone (T11)."""
        return self.entries.get(name)

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run work of the environment."""
        task = asyncio.get_running_loop().create_task(work)
        self._work.add(task)
        task.add_done_callback(self._work.discard)
        return task

    def load_provider(self, name: str, owner: Context | None, configured: tuple[ConfigAgent, ...] = ()) -> None:
        """Register a provider whose every port is gated."""
        options = ProviderOptions(
            model=ports.GatedModel(self.gates),
            behaviour=ports.GatedBehaviour(self.gates),
            mint=self.births.mint,
            ids=self._identify,
            pace=ports.pace(self.drivers.wait),
            policies=self._policies,
            configured=configured,
        )
        self.providers[name] = AgentProvider(owner or self.runtime.root, options)

    def _connect(self) -> Connection:
        return Connection(self.runtime.root, self.gates, self.births, self.record, self._bridge_policies)

    def _identify(self) -> str:
        self._minted_ids += 1
        return f"i{self._minted_ids}"

    # the end of a burst

    def check(self) -> None:
        """Raise what broke the run: a mistake of this adapter, or an error the runtime should not raise."""
        if self.broken is not None:
            error, self.broken = self.broken, None
            raise AdapterError(
                f"an error that is no refusal: {type(error).__name__}: {error}", hint="--debug shows where"
            ) from error

    @property
    def starting(self) -> bool:
        """Whether a provider still has agents to start."""
        return any(provider.active and provider.tasks.busy for provider in self.providers.values())

    @property
    def over(self) -> bool:
        """Whether nothing is left that could still run: no entry, no waiting gate, no pending call."""
        return (
            not any(self.pending.values())
            and self.gates.idle
            and not self.runtime.agents.list()
            and not self.runtime.sessions.list()
        )


def answer(later: Later) -> Answer:
    """The answer of a call that has settled; `busy` if it has not."""
    if not later.future.done():
        return Answer(refused="busy", message="it did not settle in this burst")
    error = later.future.exception()
    if error is not None:
        return refusal(error) or Answer(refused="unsupported", message=str(error))
    return Answer(ok=later.shape(later.future.result()))
