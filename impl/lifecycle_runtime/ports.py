"""The ports a host plugs its own world into: model, tools, storage, processes, clock. Implements nothing."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from lifecycle_runtime.signals import Signal
from lifecycle_runtime.values import JsonObject, JsonValue

if TYPE_CHECKING:
    from lifecycle_runtime.agent import Agent


# --- model -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ModelMessage:
    """One message of a request, taken from the log. `id` names it: a message id, `am1.2`, `tr1.2.1`."""

    role: Literal["user", "assistant", "tool"]
    id: str
    content: JsonValue
    calls: tuple["ToolCall", ...] = ()
    call_id: str | None = None


@dataclass(frozen=True)
class ModelRequest:
    """What one step asks the model: prefix (cached), assembled context, history, offered tools."""

    agent: "Agent"
    turn: int
    step: int
    prefix: object
    assembly: object
    messages: Sequence[ModelMessage]
    tools: tuple["Tool", ...]


@dataclass(frozen=True)
class TextChunk:
    """A streamed piece of the reply."""

    text: str


@dataclass(frozen=True)
class ToolCall:
    """A tool call the model advertises."""

    id: str
    name: str
    arguments: JsonValue = None


@dataclass(frozen=True)
class Finish:
    """The end of a reply. A stream that ends without one finished with `stop`."""

    reason: Literal["stop", "tool_calls", "max_tokens"] = "stop"


ModelEvent: TypeAlias = TextChunk | ToolCall | Finish


class Model(Protocol):
    """A streaming model. An exception from the iterator is a failed request (Q25)."""

    def stream(self, request: ModelRequest, signal: Signal) -> AsyncIterator[ModelEvent]:
        """Stream one reply. `signal` is the turn's: end early once it is aborted (C16)."""
        ...


# --- tools -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ContextMessage:
    """Content logged as a user message beside an item or a tool result. Without an id one is minted."""

    content: JsonValue
    id: str | None = None


@dataclass(frozen=True)
class ToolResult:
    """What a tool gives back; `contexts` follow the whole batch as user messages (Q16)."""

    content: JsonValue = None
    error: bool = False
    contexts: tuple[ContextMessage, ...] = ()


@dataclass(frozen=True)
class ToolInvocation:
    """One running call as the tool sees it."""

    agent: "Agent"
    turn: int
    step: int
    index: int
    call: ToolCall
    signal: Signal


class Tool(Protocol):
    """Something the model may call. Raising makes an error result, never a failed turn (Q25)."""

    @property
    def name(self) -> str:
        """The name the model uses."""
        ...

    @property
    def description(self) -> str:
        """What the model is told."""
        ...

    @property
    def parameters(self) -> JsonObject:
        """JSON Schema of the arguments."""
        ...

    async def call(self, invocation: ToolInvocation) -> ToolResult:
        """Run one call; under an aborted signal finish soon and return what there is (C17)."""
        ...


# --- storage ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StoredLog:
    """One stored log: the session's metadata and its records as JSON objects, in seq order."""

    meta: JsonObject
    records: tuple[JsonObject, ...]


class Storage(Protocol):
    """Durable logs, several per session id, of which the newest is the log and the others lie aside (D7).

    The runtime's `Persistence` buffers, serialises the calls of one id and repairs open tails; a backend
    only makes each call atomic and durable before it returns. Different ids may be called concurrently.
    """

    async def has(self, session_id: str) -> bool:
        """Whether a log is stored (the look-up of config-started agents, G/r4)."""
        ...

    async def describe(self, session_id: str) -> JsonObject | None:
        """Metadata of the newest log, or None."""
        ...

    async def load(self, session_id: str) -> StoredLog | None:
        """Return the newest log as stored, or None if the id has none (D/r5, r8)."""
        ...

    async def start(self, session_id: str, meta: JsonObject) -> None:
        """Begin a new, empty log; a former one is kept aside, never overwritten (D7)."""
        ...

    async def append(self, session_id: str, first_seq: int, records: Sequence[JsonObject]) -> None:
        """Append to the newest log; `first_seq` is the seq of the first record and equals its length.

        All or nothing. Raise if there is no log or `first_seq` does not fit.
        """
        ...

    async def aside(self, session_id: str) -> tuple[StoredLog, ...]:
        """Return the former logs, oldest first."""
        ...


# --- processes -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ProcessSpec:
    """A resolved command. `owner` is always present; None means nobody owns the task (O1)."""

    command: str
    owner: str | None
    cwd: str | None = None
    env: Mapping[str, str] = field(default_factory=dict[str, str])


class Process(Protocol):
    """A started process together with everything it started (its process group)."""

    def terminate(self) -> None:
        """Ask the whole group to end; no error if it is gone."""
        ...

    def kill(self) -> None:
        """End the whole group by force; no error if it is gone (F5)."""
        ...

    async def wait(self) -> int:
        """Return the exit status once the process exited and its output was delivered."""
        ...


class Spawner(Protocol):
    """Starts processes. Output arrives through `output` in order, on the loop."""

    async def spawn(self, spec: ProcessSpec, output: Callable[[str], None]) -> Process:
        """Start one; raise with a readable diagnostic if it cannot start (O/r9)."""
        ...


# --- time and pace ---------------------------------------------------------------------------------


class Clock(Protocol):
    """The only source of delays."""

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


PacePoint: TypeAlias = Literal["wake", "settle", "converge"]

Pace: TypeAlias = "Callable[[Agent, PacePoint], Awaitable[None]]"
"""Awaited by the driver before each segment of its own: `wake` precedes X4, `settle` the end of a turn's flush
(FL.), `converge` the re-route after it (X6). The default yields to the loop once."""

IdFactory: TypeAlias = Callable[[], str]
