"""The calls of one assistant message: every advertised call gets a result, whatever happens (I11, C17)."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from lifecycle_runtime.errors import InvalidValue
from lifecycle_runtime.futures import gated
from lifecycle_runtime.inbox import ContextItem
from lifecycle_runtime.ports import ToolCall, ToolInvocation, ToolResult
from lifecycle_runtime.session import TOOL_CALL, TOOL_RESULT
from lifecycle_runtime.tools import TOOLS
from lifecycle_runtime.values import JsonValue, freeze

if TYPE_CHECKING:
    from lifecycle_runtime.turn import Turn

ABORTED_BEFORE_DISPATCH = "ABORTED_BEFORE_DISPATCH"
UNKNOWN_TOOL = "UNKNOWN_TOOL"


class ToolBatch:
    """Runs the calls one after another in model order, or together (policy parallel_tools).

    Injects arriving between the assistant message and the last result wait for the end (Q16).
    """

    def __init__(self, turn: "Turn", calls: tuple[ToolCall, ...]) -> None:
        self._turn = turn
        self._core = turn.core
        self._calls = calls

    def advertise(self, append: Callable[[], object]) -> None:
        """Log the assistant message; with calls the batch runs from its dispatch on (Q/r7)."""
        self._core.batch_running = bool(self._calls)
        try:
            append()
        except BaseException:
            self._core.batch_running = False
            self._core.deferred.clear()
            raise

    async def run(self) -> None:
        """Run or refuse every call, then log the deferred context in arrival order."""
        core = self._core
        running: list[asyncio.Task[None]] = []
        try:
            for index, call in enumerate(self._calls, 1):
                aborted = self._turn.holder.aborted
                self._log(TOOL_CALL, index, call, {"name": call.name, "arguments": call.arguments})
                if aborted:
                    text = "not started: the turn was aborted"
                    self._finish(index, call, ToolResult(text, error=True), ABORTED_BEFORE_DISPATCH)
                elif core.ports.policies.parallel_tools:
                    running.append(asyncio.create_task(self._perform(index, call)))
                else:
                    await self._perform(index, call)
            await asyncio.gather(*running)
        finally:
            core.batch_running = False
            deferred, core.deferred = core.deferred, []
        core.append_contexts(deferred)

    async def _perform(self, index: int, call: ToolCall) -> None:
        tools = self._core.ctx.find(TOOLS)
        tool = tools.lookup(self._core.ctx.scope, call.name) if tools else None
        if tool is None:
            result = ToolResult(f"there is no tool named {call.name!r}", error=True)
            self._finish(index, call, result, UNKNOWN_TOOL)
            return
        turn = self._turn
        invocation = ToolInvocation(self._core.agent, turn.number, turn.step, index, call, turn.holder)
        try:
            result = await gated(lambda: tool.call(invocation))
        except Exception as error:
            result = ToolResult(_told(error), error=True)
        self._finish(index, call, result)

    def _finish(self, index: int, call: ToolCall, result: ToolResult, code: str | None = None) -> None:
        """Log the result whatever it holds; its contexts wait for the end of the batch."""
        contexts: tuple[ContextItem, ...] = ()
        try:
            content = freeze(result.content, f"result of {call.name}")
            contexts = self._core.contexts(result.contexts)
            failed = bool(result.error)
        except (InvalidValue, AttributeError, TypeError) as error:
            content, failed = f"the tool {call.name!r} returned an unusable result: {error}", True
        data: dict[str, JsonValue] = {
            "message": f"tr{self._turn.number}.{self._turn.step}.{index}",
            "content": content,
            "error": failed,
        }
        if code is not None:
            data["code"] = code
        self._log(TOOL_RESULT, index, call, data)
        self._core.deferred += contexts

    def _log(self, kind: str, index: int, call: ToolCall, data: dict[str, JsonValue]) -> None:
        turn = self._turn
        self._core.session.append(kind, {"id": call.id, "turn": turn.number, "step": turn.step, "call": index, **data})


def _told(error: Exception) -> str:
    """What the model is told of a failed tool; an error that cannot be put into words has its name at least."""
    name = type(error).__name__
    try:
        return f"{name}: {error}"
    except Exception:
        return name
