"""The public agent: verbs and reads. A bare agent gives no right to dispose it (T11)."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lifecycle_runtime.context import Context
from lifecycle_runtime.core import AgentCore
from lifecycle_runtime.errors import Disposed, InvalidValue, Unsupported
from lifecycle_runtime.events import CancelRequested, Enqueued
from lifecycle_runtime.inbox import Item
from lifecycle_runtime.ports import ContextMessage
from lifecycle_runtime.session import Session
from lifecycle_runtime.status import Status
from lifecycle_runtime.values import JsonValue

CAUSES = frozenset({"user", "parent"})


@dataclass(frozen=True)
class Inspection:
    """A read-only snapshot for debugging. `holder` is `none`, `live` or the reason it was aborted with."""

    status: Status
    queued: tuple[str, ...]
    steering: tuple[str, ...]
    marker: bool
    holder: str
    turn: int | None
    step: int | None


class Agent:
    """A conversation partner with one inbox, one log and one driver.

    Every verb is one synchronous segment; the driver runs later, on the loop (X1, X2).
    """

    def __init__(self, core: AgentCore) -> None:
        self._core = core
        core.agent = self

    def __repr__(self) -> str:
        return f"<Agent {self.id!r} {self.status}>"

    @property
    def id(self) -> str:
        """Equal to `session.id`."""
        return self._core.session.id

    @property
    def status(self) -> Status:
        """`idle`, `running`, `cancelling` or `disposed` (S1)."""
        return self._core.status

    @property
    def session(self) -> Session:
        """The log."""
        return self._core.session

    @property
    def ctx(self) -> Context:
        """The agent's scope: what is registered here dies with it."""
        return self._core.ctx

    def send(
        self,
        content: JsonValue,
        *,
        id: str | None = None,
        source: JsonValue = "user",
        contexts: Sequence[ContextMessage] = (),
        wakeup: bool = True,
    ) -> str:
        """Queue a message and return its id; a quiet one (`wakeup=False`) never wakes the driver (Q2, Q3)."""
        core = self._core
        self._require_open()
        item = core.accept(content, id, source, contexts, wakeup)
        if core.disposed:
            return core.park_item(item)
        core.remember(item)
        core.inbox.put(item)
        self._enqueued(item, steering=False)
        return item.id

    def steer(
        self,
        content: JsonValue,
        *,
        id: str | None = None,
        source: JsonValue = "user",
        contexts: Sequence[ContextMessage] = (),
    ) -> str:
        """Hand a message to the running turn's next delivery; unless running it is a waking send (Q4)."""
        core = self._core
        self._require_open()
        item = core.accept(content, id, source, contexts, wakeup=True)
        if core.disposed:
            return core.park_item(item)
        core.remember(item)
        running = core.raw_status is Status.RUNNING
        if running:
            core.inbox.steer(item)
        else:
            core.inbox.put(item)
        self._enqueued(item, steering=running)
        return item.id

    def inject(
        self,
        content: JsonValue,
        *,
        id: str | None = None,
        source: JsonValue = "user",
        contexts: Sequence[ContextMessage] = (),
    ) -> str:
        """Log a user message without asking the model: into the open turn, else as a turn of its own.

        During a tool batch it follows the batch (Q16). Raises inside an observer of the log's own append.
        """
        core = self._core
        self._require_open()
        item = core.accept(content, id, source, contexts, wakeup=False)
        if core.disposed:
            return core.park_item(item)
        core.inject(item)
        core.remember(item)
        return item.id

    def cancel(self, cause: str | Mapping[str, object] = "user", keep_inbox: bool = False) -> None:
        """Clear what is pending and ask the turn in progress to stop, in one segment (C2, C4).

        A cancel that finds neither a turn nor anything pending does nothing (C3). `keep_inbox` needs the
        policy of that name.
        """
        core = self._core
        kind = _cause(cause)
        if keep_inbox and not core.ports.policies.keep_inbox:
            raise Unsupported(f"agent {self.id!r}: keep_inbox is off; enable Policies(keep_inbox=True)")
        holder = core.holder
        if core.disposed:
            if holder is not None and core.ports.policies.cancel_after_dispose == "publishes":
                core.publish(CancelRequested(self, kind))
            return
        if holder is None:
            if keep_inbox or not core.inbox.pending:
                return
            core.marker = True
        core.publish(CancelRequested(self, kind))
        if not keep_inbox:
            core.discard(core.inbox.clear())
        if holder is not None:
            if holder.live and core.raw_status is Status.RUNNING:
                core.set_status(Status.CANCELLING)
            core.abort(holder, kind)

    def when_idle(self) -> "asyncio.Future[None]":
        """Return a future that resolves once no waking work remains, or the driver exited (S7)."""
        return self._core.when_idle()

    def inspect(self) -> Inspection:
        """Return a snapshot of the state, hidden parts included."""
        core = self._core
        holder = "none"
        if core.holder is not None:
            reason = core.holder.reason
            holder = str(reason["kind"]) if isinstance(reason, Mapping) else "live"
        return Inspection(
            status=core.status,
            queued=tuple(item.id for item in core.inbox.queued),
            steering=tuple(item.id for item in core.inbox.steering),
            marker=core.marker,
            holder=holder,
            turn=core.session.open_turn,
            step=core.session.open_step,
        )

    def _enqueued(self, item: Item, *, steering: bool) -> None:
        core = self._core
        core.publish(Enqueued(self, item, steering))
        if item.wakeup and not core.disposed:
            core.wake()

    def _require_open(self) -> None:
        core = self._core
        if core.disposed and core.ports.policies.after_dispose == "rejects":
            raise Disposed(f"agent {self.id!r} was disposed and accepts no message; create a new one")


def _cause(cause: str | Mapping[str, object]) -> str:
    kind = cause if isinstance(cause, str) else cause.get("kind")
    if not isinstance(kind, str) or kind not in CAUSES:
        raise InvalidValue(f"{kind!r} is no cancel cause; use 'user' or 'parent'")
    return kind
