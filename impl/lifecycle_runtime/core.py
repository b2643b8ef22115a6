"""What the verbs, the driver and the teardown of one agent share: state and its smallest moves."""

import asyncio
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from lifecycle_runtime.behaviour import Behaviour
from lifecycle_runtime.context import Context
from lifecycle_runtime.errors import InvalidMessage, InvalidValue
from lifecycle_runtime.events import Aborted, AgentError, Discarded, Event, StatusChanged
from lifecycle_runtime.futures import TaskGroup, performed
from lifecycle_runtime.history import History
from lifecycle_runtime.inbox import ContextItem, Inbox, Item
from lifecycle_runtime.ports import ContextMessage, IdFactory, Model, Pace, PacePoint
from lifecycle_runtime.session import STEERING_MESSAGE, TURN_END, TURN_START, USER_MESSAGE, Session
from lifecycle_runtime.signals import AbortController
from lifecycle_runtime.status import Status, project
from lifecycle_runtime.store import FlushRun, SessionStore
from lifecycle_runtime.values import JsonObject, freeze

if TYPE_CHECKING:
    from lifecycle_runtime.agent import Agent


@dataclass(frozen=True)
class Policies:
    """The optional policies of the contract; the defaults are the contract's."""

    keep_inbox: bool = False
    cancelling_published: bool = True
    after_dispose: Literal["rejects", "parks"] = "rejects"
    cancel_after_dispose: Literal["silent", "publishes"] = "silent"
    parallel_tools: bool = False


async def yield_once(agent: "Agent", point: PacePoint) -> None:
    """Let other tasks run before the driver's next segment; the default pace."""
    await asyncio.sleep(0)


def random_id() -> str:
    """Mint a message id; the default id factory."""
    return uuid.uuid4().hex


@dataclass(frozen=True)
class AgentPorts:
    """What an agent runs on."""

    model: Model
    behaviour: Behaviour
    pace: Pace = yield_once
    ids: IdFactory = random_id
    policies: Policies = Policies()


def message_data(item: Item | ContextItem) -> dict[str, object]:
    """What a message record says."""
    return {"id": item.id, "content": item.content, "source": item.source}


class Holder(AbortController):
    """Cancellation owner of one prospective turn (S4)."""

    @property
    def live(self) -> bool:
        """Not aborted yet; whoever asks found it installed."""
        return not self.aborted


class AgentCore:
    """State of one agent. Every method is synchronous; each belongs to its caller's segment."""

    agent: "Agent"

    def __init__(self, session: Session, ctx: Context, store: SessionStore, ports: AgentPorts) -> None:
        self.session = session
        self.ctx = ctx
        self.store = store
        self.ports = ports
        self.inbox = Inbox()
        self.history = History(session)
        self.raw_status = Status.IDLE
        self.marker = False
        self.holder: Holder | None = None
        self.prefix: tuple[object] | None = None
        self.published = False
        self.batch_running = False
        self.deferred: list[ContextItem] = []
        self.flushes = TaskGroup()
        self.woken = False
        self.driver_started = False
        self.exited: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._alarm: asyncio.Future[None] | None = None
        self._waiters: list[asyncio.Future[None]] = []
        self._known_ids: set[str] = set()

    # --- status ---

    @property
    def status(self) -> Status:
        """The status as published."""
        if self.ports.policies.cancelling_published:
            return self.raw_status
        return project(self.raw_status)

    @property
    def disposed(self) -> bool:
        """Whether teardown has begun."""
        return self.raw_status is Status.DISPOSED

    def set_status(self, value: Status) -> None:
        """Change the status and publish it if what can be read changed (S2)."""
        before = self.status
        self.raw_status = value
        if self.status is not before:
            self.publish(StatusChanged(self.agent, self.status))

    def publish(self, event: Event) -> None:
        """Contained dispatch to global and scoped listeners."""
        self.ctx.bus.contained(event, self.ctx.scope)

    def fail(self, turn: int, step: int, error: BaseException) -> None:
        """Publish `agent/error`."""
        self.publish(AgentError(self.agent, turn, step, error))

    # --- inbox ---

    def accept(
        self,
        content: object,
        message_id: str | None,
        source: object,
        contexts: Sequence[ContextMessage],
        wakeup: bool,
    ) -> Item:
        """Validate and copy what a send form was given; nothing is stored yet (Q1)."""
        try:
            item = Item(
                id=self._identify(message_id),
                content=freeze(content, "content"),
                source=freeze(source, "source"),
                contexts=self.contexts(contexts),
                wakeup=wakeup,
            )
        except InvalidValue as error:
            raise InvalidMessage(f"message for agent {self.session.id!r}: {error}") from error
        if item.id in self._known_ids:
            raise InvalidMessage(f"message {item.id!r} was already given to agent {self.session.id!r}; use a fresh id")
        return item

    def contexts(self, contexts: Sequence[ContextMessage]) -> tuple[ContextItem, ...]:
        """Copy context messages and name the unnamed."""
        return tuple(ContextItem(self._identify(c.id), freeze(c.content, "context")) for c in contexts)

    def remember(self, item: Item) -> None:
        """Note that the id is used from now on (I6)."""
        self._known_ids.add(item.id)

    def park_item(self, item: Item) -> str:
        """Keep what a disposed agent was sent, silently and for good (policy after_dispose)."""
        self.remember(item)
        self.inbox.put(item)
        return item.id

    def discard(self, items: tuple[tuple[Item, bool], ...]) -> None:
        """Publish one discard of items already taken out, if there are any."""
        if items:
            self.publish(Discarded(self.agent, items))

    def ready(self) -> bool:
        """Whether a waking item is queued, after moving steering if none is (Q24)."""
        if not self.inbox.waking:
            self.inbox.reroute()
        return self.inbox.waking

    # --- log ---

    def append_message(self, kind: str, item: Item) -> None:
        """Log a message and its contexts."""
        self.session.append(kind, message_data(item))
        self.append_contexts(item.contexts)

    def deliver(self, item: Item, holder: Holder) -> bool:
        """Log a steering message and its contexts; False if a validator aborted the turn: it is consumed (Q13, I9)."""
        if self.session.append_while(lambda: holder.live, STEERING_MESSAGE, message_data(item)) is None:
            return False
        self.append_contexts(item.contexts)
        return True

    def append_contexts(self, contexts: Sequence[ContextItem]) -> None:
        """Log context messages as user messages."""
        for context in contexts:
            self.session.append(USER_MESSAGE, message_data(context))

    def inject(self, item: Item) -> None:
        """Append by what the log says: open turn, running tool batch, or a turn of its own (Q15)."""
        if self.session.open_turn is None:
            self._inject_turn(item)
        elif self.batch_running:
            self.deferred += [ContextItem(item.id, item.content, item.source), *item.contexts]
        else:
            self.append_message(USER_MESSAGE, item)

    def _inject_turn(self, item: Item) -> None:
        turn = self.session.next_turn
        self.session.append(TURN_START, {"turn": turn, "trigger": "injection"})
        failure: Exception | None = None
        try:
            self.append_message(USER_MESSAGE, item)
        except Exception as error:
            failure = error
        self.session.append(TURN_END, {"turn": turn, "reason": "completed"})
        if self.session.attached:
            self.flushes.start(self._settle_injection(self.store.begin_flush(self.session), turn))
        if failure is not None:
            raise failure

    async def _settle_injection(self, flush: FlushRun, turn: int) -> None:
        try:
            await flush.settle()
        except Exception as error:
            self.fail(turn, 0, error)

    # --- holder ---

    def abort(self, holder: Holder, cause: str) -> None:
        """Request the abort; on the first request fix the reason and run the observers now (C7)."""
        reason: JsonObject = MappingProxyType({"kind": cause})
        if holder.settle(reason):
            self.publish(Aborted(self.agent, reason))
            holder.notify(lambda error: self.ctx.bus.report(Aborted.name, self.agent, error))

    # --- driver ---

    def wake(self) -> None:
        """Ask the driver to look; it runs after the caller's segment (X1)."""
        self.woken = True
        if self._alarm is not None and not self._alarm.done():
            self._alarm.set_result(None)

    async def sleep(self) -> None:
        """Wait, as the driver, until woken."""
        if not self.woken:
            self._alarm = asyncio.get_running_loop().create_future()
            await self._alarm
            self._alarm = None
        self.woken = False

    async def pace(self, point: PacePoint) -> None:
        """Let the host decide when the driver's next segment runs; a failing pace is no reason to stop."""
        try:
            await performed(lambda: self.ports.pace(self.agent, point))
        except Exception as error:
            self.ctx.bus.report("pace", self.agent, error)

    def park(self) -> None:
        """Find nothing to do: drop the marker, resolve the waiters, then publish idle (S8, C9)."""
        self.marker = False
        self.woken = False
        self.resolve_waiters()
        self.set_status(Status.IDLE)

    def exit(self) -> None:
        """Note that the driver ended, or never will start; a waiter caught by disposal resolves (S8)."""
        self.holder = None
        if not self.exited.done():
            self.exited.set_result(None)
        self.resolve_waiters()

    # --- waiters ---

    def when_idle(self) -> "asyncio.Future[None]":
        """Return a future of the next moment without waking work (S7)."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        idle = self.raw_status is Status.IDLE and not self.inbox.waking
        if self.exited.done() if self.disposed else idle:
            waiter.set_result(None)
        else:
            self._waiters.append(waiter)
        return waiter

    def resolve_waiters(self) -> None:
        """Resolve everybody who waits."""
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    def _identify(self, given: object) -> str:
        if given is None:
            return self.ports.ids()
        if type(given) is not str or not given:
            raise InvalidValue(f"an id is a non-empty string, got {given!r}")
        freeze(given, "id")
        return given
