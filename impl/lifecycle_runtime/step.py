"""One step: a model request and its tool calls, in the order of Q25. Opens and closes no turn."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import TYPE_CHECKING, cast

from lifecycle_runtime.behaviour import ContinuationDecision, Continue, Stop
from lifecycle_runtime.events import Enqueued, Requested, Streamed
from lifecycle_runtime.futures import gated
from lifecycle_runtime.history import Reply
from lifecycle_runtime.ports import Finish, ModelEvent, ModelRequest, TextChunk, ToolCall
from lifecycle_runtime.session import ASSISTANT_MESSAGE, STEP_END, STEP_START
from lifecycle_runtime.toolbatch import ToolBatch
from lifecycle_runtime.tools import TOOLS

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from lifecycle_runtime.turn import Turn


class Interrupted(Exception):
    """A check found the signal aborted; the turn closes (C16). Never leaves the turn."""


class Step:
    """The turn's current step."""

    def __init__(self, turn: "Turn") -> None:
        self._turn = turn
        self._core = turn.core
        self._behaviour = turn.core.ports.behaviour

    async def run(self) -> bool:
        """Run to the decision about another step; raise to fail or interrupt the turn."""
        turn = self._turn
        turn.drain()
        assembly = await turn.gate(lambda: self._behaviour.assemble(turn.view))
        prefix = await self._prefix()
        await turn.gate(lambda: self._behaviour.pre_step(turn.view))
        self._log(STEP_START)
        turn.check()
        request = self._request(prefix, assembly)
        try:
            reply = await gated(lambda: self._consume(request))
        except Interrupted:
            raise
        except Exception as error:
            return await self._failed(error)
        return await self._body(reply)

    async def _prefix(self) -> object:
        """Compose the prefix only while none is cached; an interrupted one is not kept (C22)."""
        core = self._core
        if core.prefix is None:
            core.prefix = (await self._turn.gate(lambda: self._behaviour.compose_prefix(self._turn.view)),)
        return core.prefix[0]

    def _request(self, prefix: object, assembly: object) -> ModelRequest:
        core = self._core
        tools = core.ctx.find(TOOLS)
        request = ModelRequest(
            agent=core.agent,
            turn=self._turn.number,
            step=self._turn.step,
            prefix=prefix,
            assembly=assembly,
            messages=core.history.messages(),
            tools=tools.available(core.ctx.scope) if tools else (),
        )
        core.publish(Requested(core.agent, request))
        return request

    async def _consume(self, request: ModelRequest) -> Reply:
        """Read the stream, checking at each chunk before it is used, and at its end (C16); what is cut off is closed."""
        turn = self._turn
        reply = Reply()
        stream = self._core.ports.model.stream(request, turn.holder)
        try:
            if hasattr(stream, "aclose"):
                async with aclosing(cast("AsyncGenerator[ModelEvent]", stream)):
                    await self._read(stream, reply)
            else:
                await self._read(stream, reply)
        except Exception:
            turn.check()
            raise
        turn.check()
        return reply

    async def _read(self, stream: AsyncIterator[ModelEvent], reply: Reply) -> None:
        core, turn = self._core, self._turn
        async for event in stream:
            turn.check()
            if isinstance(event, TextChunk):
                reply.text += event.text
                core.publish(Streamed(core.agent, turn.number, turn.step, event.text))
            elif isinstance(event, ToolCall):
                reply.calls.append(event)
            elif isinstance(event, Finish):  # pyright: ignore[reportUnnecessaryIsInstance] - user input
                reply.finish = event.reason

    async def _failed(self, error: Exception) -> bool:
        """Close the step, then ask whether to try again (Q25, C23)."""
        turn = self._turn
        self._log(STEP_END)
        decision = await turn.gate(lambda: self._behaviour.recover(turn.view, error))
        if decision == "retry":
            return True
        raise error

    async def _body(self, reply: Reply) -> bool:
        core, turn = self._core, self._turn
        calls = tuple(reply.calls)
        batch = ToolBatch(turn, calls)
        batch.advertise(lambda: core.session.append(ASSISTANT_MESSAGE, reply.record(turn.number, turn.step)))
        turn.max_tokens = reply.finish == "max_tokens"
        if calls:
            await batch.run()
        else:
            turn.check()
        await turn.gate(lambda: self._behaviour.post_step(turn.view))
        delivered = turn.drain()
        self._log(STEP_END)
        default: ContinuationDecision = Continue() if calls else Stop()
        decision = await turn.gate(lambda: self._behaviour.continuation(turn.view, default))
        if isinstance(decision, Continue):
            self._steer(decision)
            return True
        if await turn.gate(lambda: self._behaviour.turn_stop(turn.view)) == "terminal":
            turn.terminal = True
            return False
        return delivered or bool(core.inbox.steering)

    def _steer(self, decision: Continue) -> None:
        """Turn a continuation reason into a steering item with its own event (Q10)."""
        if decision.reason is None:
            return
        core = self._core
        item = core.accept(decision.reason, decision.id, "continuation", decision.contexts, wakeup=True)
        core.remember(item)
        core.inbox.steer(item)
        core.publish(Enqueued(core.agent, item, steering=True))

    def _log(self, kind: str) -> None:
        self._core.session.append(kind, {"turn": self._turn.number, "step": self._turn.step})
