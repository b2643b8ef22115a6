"""One create or resume attempt as a transaction: all of P, or a rollback that leaves nothing (P7)."""

import asyncio
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, cast

from lifecycle_runtime.agent import Agent
from lifecycle_runtime.context import Context
from lifecycle_runtime.core import AgentCore
from lifecycle_runtime.driver import Driver
from lifecycle_runtime.errors import (
    CreationAborted,
    InactiveOwner,
    InactiveProvider,
    NoPersistence,
    Unsupported,
)
from lifecycle_runtime.events import SessionStart
from lifecycle_runtime.fibers import Fiber
from lifecycle_runtime.futures import first_of, performed
from lifecycle_runtime.handle import AgentSpec, Handle
from lifecycle_runtime.persistence import PERSISTENCE, Load
from lifecycle_runtime.session import Session
from lifecycle_runtime.signals import AbortController, Unsubscribe
from lifecycle_runtime.teardown import Teardown

if TYPE_CHECKING:
    from lifecycle_runtime.provider import AgentProvider


class Creation:
    """The transaction. Constructing it admits it (P/r1 to r3) or raises."""

    def __init__(
        self,
        provider: "AgentProvider",
        owner: Context,
        agent_id: str,
        spec: AgentSpec,
        source: Literal["startup", "resume"],
    ) -> None:
        if not provider.active:
            raise InactiveProvider("the agent provider is unloading; load another one")
        owner.fiber.require_active()
        self._provider = provider
        self._owner = owner
        self._id = agent_id
        self._spec = spec
        self._source: Literal["startup", "resume"] = source
        self._session: Session | None = None
        self._load: Load | None = None
        self._teardown: Teardown | None = None
        self._live = False
        self._reason: Exception | None = None
        self._deactivated: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.result: asyncio.Future[Handle] = asyncio.get_running_loop().create_future()
        """The caller's: it has the handle before the driver acts; cancelling it cancels no creation."""
        self._finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._setup_signal = AbortController()
        self._owner_effect = owner.fiber.effect(
            self._wait,
            label=f"agent {agent_id}",
            deactivate=lambda: self.deactivate(
                InactiveOwner(f"owner disposed: {owner.name} was unloaded while it owned agent {agent_id!r}")
            ),
        )
        self._provider_effect = provider.ctx.fiber.effect(
            self._wait,
            label=f"agent {agent_id}",
            deactivate=lambda: self.deactivate(_inactive_provider(agent_id)),
        )
        self._unsubscribe: Unsubscribe = lambda: None
        if spec.signal is not None:
            signal = spec.signal
            self._unsubscribe = signal.on_abort(lambda: self.deactivate(_aborted(agent_id, signal.reason)))

    def deactivate(self, reason: Exception) -> None:
        """Stop: the live agent is torn down now; a transaction fails its next check (X3, P6)."""
        if self._live:
            self._dispose()
        elif self._reason is None:
            self._reason = reason
            self._deactivated.set_result(None)
            self._setup_signal.abort(reason)

    def prepare(self) -> None:
        """P/r4 of a create: a session from copied values under an id that is free so far."""
        store = self._provider.store
        self._guard(lambda: self._adopt(store.prepare(self._id, self._spec.meta, self._spec.seed)))

    def begin_load(self) -> None:
        """P/r4 of a resume, up to the load."""
        persistence = self._provider.ctx.find(PERSISTENCE)

        def begin() -> None:
            self._provider.store.prepare(self._id, self._spec.meta)
            if persistence is None:
                raise NoPersistence(f"cannot resume {self._id!r}: no persistence is loaded")
            self._load = persistence.begin_load(self._id)

        self._guard(begin)

    def run_sync(self) -> Handle:
        """Do the rest in this segment (P14)."""
        try:
            agent = self._mint()
            _call_now("minting", lambda: self._provider.mint(agent))
            self._check()
            if self._spec.setup is not None:
                setup = self._spec.setup
                _call_now("setup", lambda: setup(agent, self._setup_signal))
                self._check()
            return self._publish(agent)
        except Exception:
            self._roll_back()
            raise
        finally:
            self.settled()

    async def run(self) -> None:
        """Do the rest, waiting at load, minting and setup, and settle `result`; a rejection follows the rollback (P11)."""
        try:
            await self._run()
        except Exception as error:
            if not self.result.done():
                self.result.set_exception(error)
        except BaseException:
            self.result.cancel()
            raise

    async def _run(self) -> Handle:
        try:
            if self._load is not None:
                await self._loaded(self._load)
            agent = self._mint()
            await performed(lambda: self._provider.mint(agent))
            self._check()
            if self._spec.setup is not None:
                setup = self._spec.setup
                await self._race(lambda: setup(agent, self._setup_signal))
                self._check()
            return self._publish(agent)
        except BaseException:
            self._roll_back()
            if self._teardown is not None:
                await self._teardown.begin()
            raise

    # --- steps ---

    async def _loaded(self, load: Load) -> None:
        """Wait for the load; abandoned by a deactivation it holds up nothing (D5)."""
        try:
            session = await self._race(load.session)
        except BaseException:
            load.abandon()
            raise
        self._adopt(cast("Session", session))
        self._check()

    def _adopt(self, session: Session) -> None:
        self._provider.store.table.require_free(session.id)
        self._session = session
        self._check()

    def _mint(self) -> Agent:
        """Claim the driver and make the scope (P/r5); from here a rollback unwinds it."""
        assert self._session is not None
        provider = self._provider
        fiber = Fiber(f"agent {self._id}", provider.ctx.bus.report)
        ctx = provider.ctx.scoped(fiber, fiber)
        core = AgentCore(self._session, ctx, provider.store, provider.ports(self._spec))
        agent = Agent(core)
        fiber.subject = agent
        self._driver = Driver(core)
        self._core = core
        self._teardown = Teardown(core, provider.agents.table, self._release)
        return agent

    def _publish(self, agent: Agent) -> Handle:
        """P/r7 to r12, one segment (X7)."""
        provider, core, teardown = self._provider, self._core, self._teardown
        assert teardown is not None
        session = agent.session
        provider.store.table.require_free(session.id)
        if self._load is not None:
            self._load.require_current()
        teardown.session_entry = provider.store.enter(session, core.ctx.scope)
        teardown.agent_entry = provider.agents.enter(agent, _parent(self._owner))
        provider.store.announce(teardown.session_entry)
        self._check()
        provider.agents.announce(teardown.agent_entry)
        self._check()
        core.published = True
        core.publish(SessionStart(agent, self._source))
        self._check()
        handle = Handle(agent, teardown)
        if not self.result.done():
            self.result.set_result(handle)
        self._driver.start()
        self._live = True
        self._unsubscribe()
        return handle

    # --- failure ---

    def _check(self) -> None:
        """Raise the structural cause if deactivated: provider first, then the first reason (P8)."""
        if self._reason is not None:
            raise self._reason if self._provider.active else _inactive_provider(self._id)

    def _guard(self, step: Callable[[], None]) -> None:
        try:
            step()
            if self._load is None:
                self._check()
        except Exception:
            self._roll_back()
            self.settled()
            raise

    async def _race(self, call: Callable[[], object]) -> object:
        """Wait for something that may never settle, or for the deactivation."""
        task = self._provider.tasks.start(performed(call))
        await first_of(task, self._deactivated)
        if not task.done():
            # released in the segment of the deactivation, its failure was thrown before this check (P8)
            await asyncio.sleep(0)
        if task.done():
            return task.result()
        task.add_done_callback(lambda late: late.cancelled() or late.exception())
        self._check()
        raise AssertionError("unreachable: only a deactivation ends the race early")

    def _roll_back(self) -> None:
        """Undo what was acquired, in the order of the teardown (R0 to R6)."""
        self._unsubscribe()
        if self._teardown is None:
            self._release()
        else:
            self._dispose()

    def _dispose(self) -> None:
        assert self._teardown is not None
        self._teardown.begin()

    def _release(self) -> None:
        self._owner_effect.release()
        self._provider_effect.release()

    def settled(self) -> None:
        """Note that the caller has its result."""
        if not self._finished.done():
            self._finished.set_result(None)

    async def _wait(self) -> None:
        """What an unload waits for: the caller's result and the whole teardown (P13, T1)."""
        await self._finished
        if self._teardown is not None:
            await self._teardown.begin()


def _call_now(what: str, call: Callable[[], object]) -> None:
    """Call something that must not wait."""
    outcome = call()
    if inspect.isawaitable(outcome):
        if inspect.iscoroutine(outcome):
            outcome.close()
        raise Unsupported(f"{what} waits, which a synchronous create cannot; use create")


def _parent(owner: Context) -> Agent | None:
    subject = owner.scope.subject if isinstance(owner.scope, Fiber) else None
    return subject if isinstance(subject, Agent) else None


def _inactive_provider(agent_id: str) -> InactiveProvider:
    return InactiveProvider(f"the agent provider was unloaded before agent {agent_id!r} was published")


def _aborted(agent_id: str, reason: object) -> Exception:
    """Give back an error reason as it is; wrap anything else (P8)."""
    if isinstance(reason, Exception):
        return reason
    return CreationAborted(f"the creation of agent {agent_id!r} was aborted: {reason!r}", reason)
