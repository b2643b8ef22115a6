"""One message turn from its first checkpoint to its settled flush (Q25, X5). Steps are elsewhere."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from lifecycle_runtime.behaviour import Block, TurnView
from lifecycle_runtime.core import AgentCore, Holder
from lifecycle_runtime.events import Dequeued
from lifecycle_runtime.futures import gated
from lifecycle_runtime.inbox import Item
from lifecycle_runtime.session import (
    PROMPT_BLOCKED,
    STEP_END,
    TURN_END,
    USER_MESSAGE,
)
from lifecycle_runtime.step import Interrupted, Step
from lifecycle_runtime.store import FlushRun

T = TypeVar("T")


class Turn:
    """A turn whose TS is logged. `run` returns once its flush settled; it raises nothing."""

    def __init__(self, core: AgentCore, holder: Holder, item: Item, number: int) -> None:
        self.core = core
        self.holder = holder
        self.number = number
        self.step = 0
        self.terminal = False
        self.max_tokens = False
        self._item = item
        self._rejected = False

    @property
    def view(self) -> TurnView:
        """What a gate is shown."""
        return TurnView(self.core.agent, self.number, self.step, self.holder)

    async def run(self) -> None:
        """Work, close, flush."""
        failure: Exception | None = None
        try:
            await self._work()
        except Interrupted:
            pass
        except Exception as error:
            failure = error
        flush = self._close(failure)
        if flush is None:
            return
        try:
            await flush.settle(lambda: self.core.pace("settle"))
        except Exception as error:
            self.core.fail(self.number, self.step, error)

    def check(self) -> None:
        """Leave if the turn was aborted (C16)."""
        if self.holder.aborted:
            raise Interrupted

    async def gate(self, call: Callable[[], Awaitable[T]]) -> T:
        """Enter a gate; an abort beats whatever comes out of it, failures included (C16, C23)."""
        try:
            outcome = await gated(call)
        except Exception:
            self.check()
            raise
        self.check()
        return outcome

    def drain(self) -> bool:
        """Deliver steering while the holder is live (Q/r10); True if any was delivered."""
        core = self.core
        delivered = False
        while self.holder.live:
            item = core.inbox.take_steered()
            if item is None:
                break
            core.publish(Dequeued(core.agent, item, steering=True))
            if self.holder.aborted:
                break
            if not core.deliver(item, self.holder):
                break
            delivered = True
        return delivered

    async def _work(self) -> None:
        core = self.core
        behaviour = core.ports.behaviour
        self.check()
        decision = await self.gate(lambda: behaviour.prompt_policy(self.view, self._item))
        if isinstance(decision, Block):
            core.session.append(PROMPT_BLOCKED, {"turn": self.number, "id": self._item.id})
            self._rejected = True
            return
        core.append_message(USER_MESSAGE, self._item)
        more = True
        while more:
            self.step += 1
            self.max_tokens = False
            more = await Step(self).run()

    def _close(self, failure: Exception | None) -> FlushRun | None:
        """X5: discard after a terminal stop, SE, last checkpoint, classification, err, TE, FL."""
        core = self.core
        session = core.session
        if self.terminal:
            core.discard(core.inbox.clear_steering())
        if session.open_turn == self.number and session.open_step is not None:
            session.append(STEP_END, {"turn": self.number, "step": session.open_step})
        reason = self._reason(failure)
        if reason == "error" and failure is not None:
            core.fail(self.number, self.step, failure)
        core.holder = None
        if session.open_turn == self.number:
            session.append(TURN_END, {"turn": self.number, "reason": reason})
        return core.store.begin_flush(session) if session.attached else None

    def _reason(self, failure: Exception | None) -> str:
        """C18; read after SE, before the error is published."""
        if self.core.disposed:
            return "disposed"
        if self.holder.aborted:
            return "aborted"
        if failure is not None:
            return "error"
        if self._rejected:
            return "rejected"
        return "max-tokens" if self.max_tokens else "completed"
