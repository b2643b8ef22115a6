"""Own what a model may do with bash: the tools `bash`, `bash_output` and `bash_kill`, and the notice of a task's end.

Refuses to own tasks: they live on the executor, so unloading and loading this plugin changes none of them (O7).
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from lifecycle_runtime.context import Context
from lifecycle_runtime.errors import Disposed, LifecycleError, MissingService, TaskAborted
from lifecycle_runtime.events import TaskCompleted
from lifecycle_runtime.executor import EXECUTOR, Executor, RunResult, TaskStatus
from lifecycle_runtime.ports import Tool, ToolInvocation, ToolResult
from lifecycle_runtime.registry import AGENTS
from lifecycle_runtime.signals import AbortController
from lifecycle_runtime.tools import TOOLS
from lifecycle_runtime.values import JsonObject, freeze_object

NOTICE_SOURCE: Final = "task"
"""The source of the injected notices."""

Approve: TypeAlias = Callable[[ToolInvocation, str], Awaitable[str | None]]
"""Asked before every command: None lets it run, a text refuses it and is told to the model."""


class BadArguments(LifecycleError):
    """The model's arguments are not what the tool takes; the message says what it takes."""

    code = "bad_arguments"


@dataclass(frozen=True)
class BashOptions:
    """How commands of the model run.

    `approve` is asked before each. `timeout` ends a foreground command whose model names none, `longest` bounds what
    it may name.
    """

    approve: Approve | None = None
    timeout: float = 120.0
    longest: float = 600.0


def provide_bash_tool(ctx: Context, options: BashOptions | None = None) -> Context:
    """Load the plugin for every agent below `ctx`; unload the context given back to reload it (O7)."""
    plugin = ctx.fork("bash tool")
    chosen = options or BashOptions()
    registry, agents = plugin.service(TOOLS), plugin.service(AGENTS)
    tools: tuple[Tool, ...] = (_Bash(chosen), _Output(), _Kill())
    for tool in tools:
        registry.register(plugin, tool)

    def notify(event: TaskCompleted) -> None:
        """Tell the owner, if it is live (O/r11); it is not woken (O8). An unloading plugin tells nobody (O7)."""
        agent = agents.get(event.owner) if event.owner is not None and plugin.active else None
        if agent is None:
            return
        text = f"Background task {event.task} {event.status}. Use bash_output to read what it printed."
        with contextlib.suppress(Disposed):  # listed still, but past its end: there is nobody to tell
            agent.inject(text, source=NOTICE_SOURCE)

    plugin.on(TaskCompleted, notify)
    return plugin


def _schema(required: str, **properties: JsonObject) -> JsonObject:
    return freeze_object({"type": "object", "properties": properties, "required": [required]})


def _executor(invocation: ToolInvocation) -> Executor:
    executor = invocation.agent.ctx.find(EXECUTOR)
    if executor is None:
        raise MissingService("no executor is loaded, so no command can run; load one with provide_executor")
    return executor


def _argument(invocation: ToolInvocation, name: str) -> str:
    arguments = invocation.call.arguments
    value = arguments.get(name) if isinstance(arguments, Mapping) else None
    if not isinstance(value, str) or not value:
        raise BadArguments(f"{invocation.call.name} takes an object with a non-empty string {name!r}")
    return value


class _Bash:
    """Run a command."""

    name = "bash"
    description = (
        "Run a bash command in the session's directory and give its output. What it leaves running ends with it; "
        "with background=true it runs on as a task whose id is given, for bash_output and bash_kill."
    )
    parameters: JsonObject = _schema(
        "command",
        command={"type": "string", "description": "the command line"},
        background={"type": "boolean", "description": "run it as a task and do not wait"},
        timeout={"type": "number", "description": "seconds after which a foreground command is ended"},
    )

    def __init__(self, options: BashOptions) -> None:
        self.options = options

    async def call(self, invocation: ToolInvocation) -> ToolResult:
        """Ask for approval, then run; an abort meanwhile ends it (C17)."""
        command = _argument(invocation, "command")
        background, timeout = self._how(invocation)
        executor = _executor(invocation)
        if self.options.approve is not None:
            refusal = await self.options.approve(invocation, command)
            if refusal is not None:
                return ToolResult(refusal, error=True)
        if invocation.signal.aborted:  # asking takes time; nothing starts for a turn that was stopped meanwhile
            raise TaskAborted(f"{command[:80]!r} was not started: the turn was aborted")
        caller, cwd = invocation.agent.id, invocation.agent.session.meta.get("cwd")
        where = cwd if isinstance(cwd, str) else None
        if background:
            # a task outlives its turn (O9), so the turn's signal is not handed on
            task = executor.start(command, caller=caller, cwd=where)
            return ToolResult(f"Started as background task {task}.")
        return await self._foreground(invocation, executor, command, where, timeout)

    async def _foreground(
        self, invocation: ToolInvocation, executor: Executor, command: str, cwd: str | None, timeout: float
    ) -> ToolResult:
        stop = AbortController()
        forget = invocation.signal.on_abort(lambda: stop.abort("aborted"))
        timer = asyncio.get_running_loop().call_later(timeout, stop.abort, "timeout")
        try:
            result = await executor.run(command, caller=invocation.agent.id, cwd=cwd, signal=stop)
        finally:
            timer.cancel()
            forget()
        return _told(result, f"after {timeout:g} s" if stop.reason == "timeout" else "because the turn was stopped")

    def _how(self, invocation: ToolInvocation) -> tuple[bool, float]:
        arguments = invocation.call.arguments
        assert isinstance(arguments, Mapping)
        background, timeout = arguments.get("background", False), arguments.get("timeout", self.options.timeout)
        if not isinstance(background, bool):
            raise BadArguments("bash takes background as true or false")
        if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 < timeout <= self.options.longest:
            raise BadArguments(f"bash takes a timeout between 0 and {self.options.longest:g} seconds")
        return background, timeout


def _told(result: RunResult, ended: str) -> ToolResult:
    text = result.text
    if text and not text.endswith("\n"):
        text += "\n"
    if result.status is TaskStatus.KILLED:
        return ToolResult(f"{text}[ended {ended}]" if result.exit_code is not None else text, error=True)
    if result.exit_code:
        return ToolResult(f"{text}[exit status {result.exit_code}]", error=True)
    return ToolResult(text or "[no output]")


class _Output:
    """Read a task."""

    name = "bash_output"
    description = "Give what a background task printed since the last read, and how it stands."
    parameters: JsonObject = _schema("task", task={"type": "string", "description": "the task's id"})

    async def call(self, invocation: ToolInvocation) -> ToolResult:
        """Read on from the shared cursor; a task of another session is refused (O/r4 to r6)."""
        task = _argument(invocation, "task")
        output = _executor(invocation).read(task, invocation.agent.id)
        how = (
            output.status.value
            if output.exit_code is None
            else f"{output.status.value}, exit status {output.exit_code}"
        )
        return ToolResult(f"{output.text}[task {task}: {how}]")


class _Kill:
    """Kill a task."""

    name = "bash_kill"
    description = "End a background task and everything it started."
    parameters: JsonObject = _schema("task", task={"type": "string", "description": "the task's id"})

    async def call(self, invocation: ToolInvocation) -> ToolResult:
        """Kill at once; a task of another session is refused (O/r4, r7, r8)."""
        task = _argument(invocation, "task")
        killed = _executor(invocation).kill(task, invocation.agent.id)
        return ToolResult(f"Task {task} was killed." if killed else f"Task {task} had ended already.")
