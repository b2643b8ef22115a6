"""The tool registry: which tools an agent offers its model. Runs none."""

from collections.abc import Sequence

from lifecycle_runtime.context import Context, ServiceKey
from lifecycle_runtime.errors import DuplicateId
from lifecycle_runtime.fibers import Effect
from lifecycle_runtime.ports import Tool


class ToolRegistry:
    """Tools by name: for every agent, or for one agent when registered through its context."""

    def __init__(self) -> None:
        self._tools: list[tuple[object, Tool]] = []

    def register(self, ctx: Context, tool: Tool) -> Effect:
        """Offer a tool until `ctx` begins to unload or the effect is disposed; a name is taken once per level."""
        ctx.fiber.require_active()
        if any(scope is ctx.scope and known.name == tool.name for scope, known in self._tools):
            raise DuplicateId(f"tool {tool.name!r} is registered already; unload it first")
        entry = (ctx.scope, tool)
        self._tools.append(entry)

        def withdraw() -> None:
            if entry in self._tools:
                self._tools.remove(entry)

        # at once, so that its successor can be loaded in the same segment (O/r13)
        return ctx.fiber.effect(withdraw, label=f"tool {tool.name}", deactivate=withdraw)

    def available(self, scope: object) -> tuple[Tool, ...]:
        """Return what an agent's model is offered; an agent's own tool hides a global one of its name."""
        own = self._of(scope) if scope is not None else []
        hidden = {tool.name for tool in own}
        return (*(tool for tool in self._of(None) if tool.name not in hidden), *own)

    def lookup(self, scope: object, name: str) -> Tool | None:
        """Return the tool a call by this name runs now."""
        return next((tool for tool in self.available(scope) if tool.name == name), None)

    def _of(self, scope: object) -> Sequence[Tool]:
        return [tool for owner, tool in self._tools if owner is scope]


TOOLS: ServiceKey[ToolRegistry] = ServiceKey("tools")
