"""The runtime's own ports, each plugged with a gate: model, behaviour, tool, minting, setup, flush, storage, pace.

Refuses to decide anything: what a gate's outcome does not say is the port's ordinary success.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from lifecycle_conformance.systems.reference.gates import At, Gates, Waiting, checked
from lifecycle_conformance.systems.reference.thrown import Thrown
from lifecycle_model.commands import Outcome
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
from lifecycle_runtime.events import SessionFlush, SessionValidate
from lifecycle_runtime.inbox import Item
from lifecycle_runtime.ports import (
    ContextMessage,
    Finish,
    ModelEvent,
    ModelRequest,
    TextChunk,
    ToolCall,
    ToolInvocation,
    ToolResult,
)
from lifecycle_runtime.signals import Signal
from lifecycle_runtime.values import JsonObject

TOOL = "gated"
"""The one tool every agent has."""


class GatedModel:
    """Finishes at once, unless the model gate says otherwise; every chunk keeps the call open."""

    def __init__(self, gates: Gates) -> None:
        self._gates = gates

    async def stream(self, request: ModelRequest, signal: Signal) -> AsyncIterator[ModelEvent]:
        """Stream what the gate's outcomes say."""
        at = At("model", request.agent.id, request.turn, request.step, signal=signal)
        opened = self._gates.open(at)
        waiting = opened if isinstance(opened, Waiting) else None
        said = False
        try:
            while isinstance(opened, Waiting):
                outcome = await self._gates.next(opened)
                if outcome.outcome != "chunk":
                    opened = outcome
                    break
                said = True
                yield TextChunk("chunk ")
        finally:
            # a call that is given up after a chunk waits at its gate no longer
            if waiting is not None:
                self._gates.leave(waiting)
        outcome = checked(at, opened)
        if outcome.outcome == "error":
            raise Thrown("model")
        if said and outcome.outcome in ("finish", "default"):
            return  # all is said: the stream just ends, and only its end is left to check the signal at (C16)
        if outcome.outcome == "chunk":
            yield TextChunk("chunk ")
        else:
            yield TextChunk("reply")
        for index in range(1, outcome.tools + 1):
            yield ToolCall(f"{request.turn}.{request.step}.{index}", TOOL)
        yield Finish("tool_calls" if outcome.tools else "max_tokens" if outcome.outcome == "max_tokens" else "stop")


class GatedTool:
    """A tool that gives, or throws, what the tool gate says."""

    def __init__(self, gates: Gates) -> None:
        self._gates = gates
        self.running: dict[str, ToolInvocation] = {}
        """The last call of each agent that runs: what its tool does meanwhile, it does as this call."""
        self.name = TOOL
        self.description = "does what the environment decides"
        self.parameters: JsonObject = {"type": "object"}

    async def call(self, invocation: ToolInvocation) -> ToolResult:
        """Run one call."""
        at = At(
            "tool",
            invocation.agent.id,
            invocation.turn,
            invocation.step,
            call=invocation.index,
            signal=invocation.signal,
        )
        self.running[invocation.agent.id] = invocation
        try:
            outcome = await self._gates.enter(at)
        finally:
            if self.running.get(invocation.agent.id) is invocation:
                del self.running[invocation.agent.id]
        failed = outcome.outcome == "fail"
        if failed and not outcome.context:
            raise Thrown("tool")  # the plain way to fail; only a result can carry context
        return ToolResult(f"result of {invocation.call.id}", error=failed, contexts=contexts(outcome.context))


class GatedBehaviour(Behaviour):
    """Each gate of a turn."""

    def __init__(self, gates: Gates) -> None:
        self._gates = gates

    async def prompt_policy(self, view: TurnView, item: Item) -> PolicyDecision:
        """Gate `policy`."""
        outcome = await self._gates.enter(At("policy", view.agent.id, view.turn, signal=view.signal))
        return Block() if outcome.outcome == "block" else Allow()

    async def assemble(self, view: TurnView) -> object:
        """Gate `assembly`."""
        await self._enter("assembly", view)
        return None

    async def compose_prefix(self, view: TurnView) -> object:
        """Gate `prefix`."""
        await self._enter("prefix", view)
        return "prefix"

    async def pre_step(self, view: TurnView) -> None:
        """Gate `pre_step`."""
        await self._enter("pre_step", view)

    async def recover(self, view: TurnView, error: Exception) -> RecoveryDecision:
        """Gate `recovery`."""
        outcome = await self._enter("recovery", view)
        return "retry" if outcome.outcome == "retry" else "fail"

    async def post_step(self, view: TurnView) -> None:
        """Gate `post_step`."""
        await self._enter("post_step", view)

    async def continuation(self, view: TurnView, default: ContinuationDecision) -> ContinuationDecision:
        """Gate `continuation`; a reason is the id of the steering message it becomes."""
        outcome = await self._enter("continuation", view)
        if outcome.outcome == "continue":
            return Continue(outcome.reason, id=outcome.reason)
        return Stop() if outcome.outcome == "stop" else default

    async def turn_stop(self, view: TurnView) -> StopDecision:
        """Gate `stopping`."""
        outcome = await self._enter("stopping", view)
        return "terminal" if outcome.outcome == "terminal" else "ok"

    async def _enter(self, gate: str, view: TurnView) -> Outcome:
        return await self._gates.enter(At(gate, view.agent.id, view.turn, view.step, signal=view.signal))


class Flushes:
    """The flush listeners: one without a name, and one for each name the judge has used, in the order first named."""

    def __init__(self, gates: Gates, listen: Callable[[Callable[[SessionFlush], object]], object]) -> None:
        self._gates = gates
        self._listen = listen
        self._names: set[str | None] = set()
        self.name(None)

    def name(self, listener: str | None) -> None:
        """Register a listener, once for each name."""
        if listener in self._names:
            return
        self._names.add(listener)
        self._listen(lambda event: self._flush(event, listener))

    def _flush(self, event: SessionFlush, listener: str | None) -> Awaitable[object] | None:
        opened = self._gates.open(At("flush", event.session.id, listener=listener))
        if isinstance(opened, Waiting):
            return self._settle(opened)
        checked(At("flush"), opened)
        return None

    async def _settle(self, waiting: Waiting) -> None:
        checked(waiting.at, await self._gates.next(waiting))


def validator(gates: Gates) -> Callable[[SessionValidate], None]:
    """The listener that is the validation gate; it cannot wait."""

    def validate(event: SessionValidate) -> None:
        gates.enter_now(At("validation", event.session.id, record=event.record.type))

    return validate


def contexts(names: Sequence[str]) -> tuple[ContextMessage, ...]:
    """Context messages under the judge's names."""
    return tuple(ContextMessage(f"context {name}", id=name) for name in names)


def pace(driver: Callable[[str], Awaitable[None]]) -> Callable[[Agent, str], Awaitable[None]]:
    """The driver gate: where the driver's own segments begin."""

    async def wait(agent: Agent, _point: str) -> None:
        await driver(agent.id)

    return wait
