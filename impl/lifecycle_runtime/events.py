"""What the runtime publishes. Every class is one event of the contract; its `name` is the contract's word."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from lifecycle_runtime.values import JsonObject

if TYPE_CHECKING:
    from lifecycle_runtime.agent import Agent
    from lifecycle_runtime.inbox import Item
    from lifecycle_runtime.ports import ModelRequest
    from lifecycle_runtime.session import Record, Session
    from lifecycle_runtime.status import Status


@dataclass(frozen=True)
class Event:
    """Base of all events."""

    name: ClassVar[str]

    @property
    def subject(self) -> object:
        """The agent or session concerned."""
        return getattr(self, "agent", None) or getattr(self, "session", None)


@dataclass(frozen=True)
class AgentCreated(Event):
    """`a+`, vetoing."""

    name = "agent/created"
    agent: "Agent"


@dataclass(frozen=True)
class AgentDisposed(Event):
    """`a-`."""

    name = "agent/disposed"
    agent: "Agent"


@dataclass(frozen=True)
class SessionStart(Event):
    """`start(source)`."""

    name = "agent/session-start"
    agent: "Agent"
    source: Literal["startup", "resume"]


@dataclass(frozen=True)
class StatusChanged(Event):
    """`status(x)`: published after the value is readable (S2)."""

    name = "agent/status"
    agent: "Agent"
    status: "Status"


@dataclass(frozen=True)
class Enqueued(Event):
    """`enq(m)`."""

    name = "agent/inbox/enqueue"
    agent: "Agent"
    item: "Item"
    steering: bool


@dataclass(frozen=True)
class Dequeued(Event):
    """`deq(m)`."""

    name = "agent/inbox/dequeue"
    agent: "Agent"
    item: "Item"
    steering: bool


@dataclass(frozen=True)
class Discarded(Event):
    """`disc[m..]`: items with the list they were in."""

    name = "agent/inbox/discard"
    agent: "Agent"
    items: tuple[tuple["Item", bool], ...]


@dataclass(frozen=True)
class CancelRequested(Event):
    """`creq(c)`."""

    name = "agent/cancel-requested"
    agent: "Agent"
    cause: str


@dataclass(frozen=True)
class Aborted(Event):
    """`abort(c)`: the abort observers run; reason is the single-key record `{"kind": cause}` (C7)."""

    name = "abort"
    agent: "Agent"
    reason: JsonObject


@dataclass(frozen=True)
class AgentError(Event):
    """`err(n,k)`: turn, last step prepared (0: none) and the error itself."""

    name = "agent/error"
    agent: "Agent"
    turn: int
    step: int
    error: BaseException


@dataclass(frozen=True)
class Requested(Event):
    """A model request is about to be made."""

    name = "request"
    agent: "Agent"
    request: "ModelRequest"


@dataclass(frozen=True)
class Streamed(Event):
    """A chunk of the reply arrived; for live output only, nothing of it is logged."""

    name = "agent/chunk"
    agent: "Agent"
    turn: int
    step: int
    text: str


@dataclass(frozen=True)
class SessionCreated(Event):
    """`s+`, vetoing."""

    name = "session/created"
    session: "Session"


@dataclass(frozen=True)
class SessionDisposed(Event):
    """`s-`."""

    name = "session/disposed"
    session: "Session"


@dataclass(frozen=True)
class SessionValidate(Event):
    """A record is about to be committed; a listener that raises vetoes it (L/r3). Not an observation."""

    name = "session/validate"
    session: "Session"
    record: "Record"


@dataclass(frozen=True)
class SessionEvent(Event):
    """A record was committed."""

    name = "session/event"
    session: "Session"
    record: "Record"

    @property
    def seq(self) -> int:
        """Index of the record in the log."""
        return self.record.seq


@dataclass(frozen=True)
class SessionFlush(Event):
    """`FL`, awaited: make what is logged so far durable."""

    name = "session/flush"
    session: "Session"


@dataclass(frozen=True)
class SessionFlushed(Event):
    """`FL.`: how the flush settled. For recorders; everything in the runtime reads the flush's own result."""

    name = "session/flushed"
    session: "Session"
    ok: bool


@dataclass(frozen=True)
class ConfigStartFailed(Event):
    """A config-started agent could not start (G/r6)."""

    name = "agent-loop/config-start-failed"
    label: str
    error: BaseException


@dataclass(frozen=True)
class TaskCompleted(Event):
    """A background task's process exited, or never started (O12)."""

    name = "task/completed"
    task: str
    owner: str | None
    status: str


EVENTS: tuple[type[Event], ...] = (
    AgentCreated,
    AgentDisposed,
    SessionStart,
    StatusChanged,
    Enqueued,
    Dequeued,
    Discarded,
    CancelRequested,
    Aborted,
    AgentError,
    Requested,
    SessionCreated,
    SessionDisposed,
    SessionEvent,
    SessionFlush,
    SessionFlushed,
    ConfigStartFailed,
    TaskCompleted,
)
"""Every observable event, for recorders that listen to all of them."""
