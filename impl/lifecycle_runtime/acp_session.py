"""Own one session of a bridge: what its agent does, turned into updates and fed to the prompt in flight (A/r9 to r11).

Refuses to hear any other agent: it listens on its own agent's scope (A12).
"""

import asyncio

from lifecycle_runtime.acp_output import Output, OutputQueue
from lifecycle_runtime.acp_slot import BridgePolicies, Slot
from lifecycle_runtime.acp_updates import live_updates, replayed_updates, text_update
from lifecycle_runtime.agent import Agent
from lifecycle_runtime.events import (
    AgentDisposed,
    AgentError,
    Dequeued,
    Discarded,
    SessionEvent,
    SessionFlushed,
    Streamed,
)
from lifecycle_runtime.handle import Handle
from lifecycle_runtime.session import TURN_END


class BridgeSession:
    """A session the bridge made or loaded. It has a handle, and tells its client things, once it is open (A/r2, r5)."""

    def __init__(self, deliver: Output, policies: BridgePolicies) -> None:
        self.policies = policies
        self.handle: Handle | None = None
        self.slot: Slot | None = None
        self.output = OutputQueue(lambda update: deliver(self.agent.id, update))
        self._driver: asyncio.Task[object] | None = None

    def attach(self, agent: Agent) -> None:
        """Begin to listen, during setup: nothing of the agent happened yet."""
        self.agent = agent
        ctx = agent.ctx
        ctx.on(Dequeued, self._dequeued)
        ctx.on(Discarded, self._discarded)
        ctx.on(SessionEvent, self._recorded)
        ctx.on(SessionFlushed, self._flushed)
        ctx.on(AgentError, self._failed)
        ctx.on(Streamed, self._streamed)
        ctx.on(AgentDisposed, self._disposed)

    @property
    def busy(self) -> Slot | None:
        """The slot, while it is occupied."""
        return self.slot if self.slot is not None and not self.slot.settled else None

    def replay(self) -> None:
        """Tell the client what the log holds."""
        for record in self.agent.session.records:
            for update in replayed_updates(record):
                self.output.put(update)

    def delivered(self) -> "asyncio.Future[None]":
        """Give a future of the moment when everything told so far is delivered."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def settle() -> None:
            if not future.done():  # its waiter may have been cancelled
                future.set_result(None)

        self.output.after(settle)
        return future

    def _dequeued(self, event: Dequeued) -> None:
        if self.busy and not event.steering:
            self.busy.dequeued(event.item.id)

    def _discarded(self, event: Discarded) -> None:
        if self.busy and any(item.id == self.busy.message for item, _ in event.items):
            self.busy.dropped()

    def _recorded(self, event: SessionEvent) -> None:
        slot = self.busy
        if slot is not None:
            slot.recorded(event.record)
            if event.record.type == TURN_END and event.record.data.get("turn") == slot.turn:
                self._driver = asyncio.current_task()
        if self.handle is not None:
            for update in live_updates(event.record, slot.message if slot is not None else None):
                self.output.put(update)

    def _streamed(self, event: Streamed) -> None:
        if self.handle is not None and event.text:
            self.output.put(text_update("agent_message_chunk", event.text))

    def _flushed(self, event: SessionFlushed) -> None:
        # a turn's own flush settles in its driver's task; every other flush of the log has a task of its own
        if self.busy and self._driver is asyncio.current_task():
            self.busy.converged()

    def _failed(self, event: AgentError) -> None:
        if self.busy:
            self.busy.failed(event.turn, event.error)

    def _disposed(self, event: AgentDisposed) -> None:
        if self.busy:
            self.busy.gone()
