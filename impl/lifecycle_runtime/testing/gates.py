"""Gates a rehearsal can hold, answer and react to: behaviour, model, tool, minting, flush, pace."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any, cast

from lifecycle_runtime.agent import Agent
from lifecycle_runtime.behaviour import (
    Allow,
    Behaviour,
    Block,
    ContinuationDecision,
    Continue,
    PolicyDecision,
    RecoveryDecision,
    Stop,
    StopDecision,
    TurnView,
)
from lifecycle_runtime.inbox import Item
from lifecycle_runtime.ports import (
    Finish,
    ModelEvent,
    ModelRequest,
    PacePoint,
    TextChunk,
    ToolCall,
    ToolInvocation,
    ToolResult,
)
from lifecycle_runtime.signals import Signal
from lifecycle_runtime.values import JsonObject

Seen = Callable[[str, str], None]


class Gates:
    """One place where every gate of a stage asks for its outcome. Unheld gates answer at once."""

    def __init__(self, seen: Seen) -> None:
        self._seen = seen
        self._held: set[str] = set()
        self._waiting: dict[str, list[asyncio.Future[Any]]] = {}
        self._answers: dict[str, list[Any]] = {}
        self._reactions: dict[str, list[Callable[[], object]]] = {}

    def hold(self, kind: str) -> None:
        """Make every later entry of this gate wait."""
        self._held.add(kind)

    def answer(self, kind: str, *outcomes: Any) -> None:
        """Queue outcomes for the next entries; an exception is raised there."""
        self._answers.setdefault(kind, []).extend(outcomes)

    def at(self, kind: str, action: Callable[[], object]) -> None:
        """Run an action inside the next entry of a gate."""
        self._reactions.setdefault(kind, []).append(action)

    def release(self, kind: str, outcome: Any = None) -> None:
        """Let the longest waiting entry go on; an outcome given here beats a queued answer."""
        waiting = self._waiting.get(kind, [])
        if not waiting:
            raise LookupError(f"nothing waits at {kind!r}; waiting: {[k for k, v in self._waiting.items() if v]}")
        waiting.pop(0).set_result(outcome)

    def disarm(self) -> None:
        """Forget every answer and reaction that was not used."""
        self._answers.clear()
        self._reactions.clear()

    def open(self, kind: str) -> None:
        """Stop holding a gate and let everything at it go on."""
        self._held.discard(kind)
        while self._waiting.get(kind):
            self.release(kind)

    def open_all(self) -> None:
        """Open every gate."""
        for kind in [*self._held, *self._waiting]:
            self.open(kind)

    def waits(self, kind: str) -> int:
        """How many entries wait at a gate."""
        return len(self._waiting.get(kind, []))

    async def enter(self, kind: str, subject: str = "", signal: Signal | None = None) -> Any:
        """Enter a gate: note it, run a reaction, wait if held, give the outcome."""
        self.note(kind, subject, signal)
        outcome = None
        if kind in self._held:
            future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            self._waiting.setdefault(kind, []).append(future)
            outcome = await future
        return self._outcome(kind, outcome)

    def note(self, kind: str, subject: str, signal: Signal | None) -> None:
        """Record the entry, `<kind>` or `<kind!>` under an aborted signal, and run a reaction."""
        self._seen(subject, f"<{kind}!>" if signal is not None and signal.aborted else f"<{kind}>")
        reactions = self._reactions.get(kind)
        if reactions:
            reactions.pop(0)()

    def pass_sync(self, kind: str, subject: str = "") -> Any:
        """Enter a gate that cannot wait."""
        self.note(kind, subject, None)
        return self._outcome(kind, None)

    def _outcome(self, kind: str, outcome: Any) -> Any:
        if outcome is None and self._answers.get(kind):
            outcome = self._answers[kind].pop(0)
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome


class GatedBehaviour(Behaviour):
    """Every gate of a turn, asked of the stage."""

    def __init__(self, gates: Gates) -> None:
        self._gates = gates

    async def prompt_policy(self, view: TurnView, item: Item) -> PolicyDecision:
        """`block` blocks."""
        return Block() if await self._enter("policy", view) == "block" else Allow()

    async def assemble(self, view: TurnView) -> object:
        """Any outcome is the assembly."""
        return await self._enter("assembly", view)

    async def compose_prefix(self, view: TurnView) -> object:
        """Any outcome is the prefix."""
        return await self._enter("prefix", view)

    async def pre_step(self, view: TurnView) -> None:
        """Only failing matters."""
        await self._enter("pre_step", view)

    async def recover(self, view: TurnView, error: Exception) -> RecoveryDecision:
        """`retry` retries."""
        return "retry" if await self._enter("recovery", view) == "retry" else "fail"

    async def post_step(self, view: TurnView) -> None:
        """Only failing matters."""
        await self._enter("post_step", view)

    async def continuation(self, view: TurnView, default: ContinuationDecision) -> ContinuationDecision:
        """`stop`, `continue` or a ready decision."""
        outcome = await self._enter("continuation", view)
        if outcome in ("stop", "continue"):
            return Stop() if outcome == "stop" else Continue()
        return outcome if isinstance(outcome, (Stop, Continue)) else default

    async def turn_stop(self, view: TurnView) -> StopDecision:
        """`terminal` stops terminally."""
        return "terminal" if await self._enter("turn_stop", view) == "terminal" else "ok"

    async def _enter(self, kind: str, view: TurnView) -> Any:
        return await self._gates.enter(kind, view.agent.id, view.signal)


class GatedModel:
    """A model whose every event is an outcome: `chunk`, `finish`, `max_tokens`, a number of tool calls."""

    def __init__(self, gates: Gates) -> None:
        self._gates = gates

    async def stream(self, request: ModelRequest, signal: Signal) -> AsyncIterator[ModelEvent]:
        """Stream what the stage says; `finish` is the default."""
        while True:
            outcome = await self._gates.enter("model", request.agent.id, signal)
            if outcome == "chunk":
                yield TextChunk("…")
            elif isinstance(outcome, int):
                for number in range(1, outcome + 1):
                    yield ToolCall(f"c{request.turn}.{request.step}.{number}", "tool", {})
                return
            else:
                yield Finish("max_tokens" if outcome == "max_tokens" else "stop")
                return


class GatedTool:
    """A tool named `tool` whose result is an outcome."""

    name = "tool"
    description = "does what the stage says"

    def __init__(self, gates: Gates) -> None:
        self._gates = gates

    @property
    def parameters(self) -> JsonObject:
        """No arguments."""
        return {"type": "object"}

    async def call(self, invocation: ToolInvocation) -> ToolResult:
        """Give the stage's `ToolResult`, or an empty one."""
        outcome = await self._gates.enter("tool", invocation.agent.id, invocation.signal)
        return outcome if isinstance(outcome, ToolResult) else ToolResult("done")


def gated_pace(gates: Gates) -> Callable[[Agent, PacePoint], Any]:
    """Return a pace that waits at `wake`, `settle` and `converge` when those are held."""

    async def pace(agent: Agent, point: PacePoint) -> None:
        await gates.enter(point, agent.id)

    return cast("Callable[[Agent, PacePoint], Any]", pace)
