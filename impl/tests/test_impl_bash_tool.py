"""The bash tools on real processes: what a model may do, whose a task is, and what is left afterwards (O)."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from lifecycle_runtime.agent import Agent
from lifecycle_runtime.bash_tool import BashOptions, provide_bash_tool
from lifecycle_runtime.context import Context
from lifecycle_runtime.executor import Executor, provide_executor
from lifecycle_runtime.handle import AgentSpec, Handle
from lifecycle_runtime.models import Reply, ScriptedModel
from lifecycle_runtime.ports import TextChunk, ToolCall, ToolInvocation
from lifecycle_runtime.provider import AgentProvider, ProviderOptions
from lifecycle_runtime.runtime import Runtime
from lifecycle_runtime.session import TOOL_RESULT, USER_MESSAGE
from lifecycle_runtime.shell import BashSpawner, default_environment
from lifecycle_runtime.values import JsonValue


def call(name: str, **arguments: JsonValue) -> Reply:
    """A reply that calls one tool."""
    return [ToolCall(f"c{time.monotonic_ns()}", name, arguments)]


class Host:
    """A runtime with real bash. An agent's next replies are what `script` holds."""

    def __init__(self, marker: Path, options: BashOptions) -> None:
        self.runtime = Runtime()
        self.root = self.runtime.root
        self.marker = marker
        self.options = options
        self.executor = self.load_executor()
        self.plugin: Context = provide_bash_tool(self.root, options)
        self.script: list[Reply] = []
        model = ScriptedModel(lambda _: self.script.pop(0) if self.script else [TextChunk("done")])
        AgentProvider(self.root, ProviderOptions(model=model))
        self.handles: dict[str, Handle] = {}

    def load_executor(self) -> Executor:
        env = {**default_environment(), "MARKER": str(self.marker)}
        return provide_executor(self.root, BashSpawner(env=env, grace=0.3), grace=0.3)

    async def agent(self, name: str) -> Agent:
        spec = AgentSpec(id=name, meta={"cwd": str(self.marker)})
        self.handles[name] = await self.runtime.agents.create(self.root, spec)
        return self.handles[name].agent

    async def do(self, agent: Agent, *replies: Reply) -> str:
        """Run one turn that makes the calls; give the last result."""
        self.script += replies
        agent.send("go")
        await agent.when_idle()
        return results(agent)[-1]

    def left(self) -> list[str]:
        found: list[str] = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    if str(self.marker).encode() in (entry / "environ").read_bytes():
                        found.append((entry / "cmdline").read_text())
                except OSError:
                    continue
        return found


def results(agent: Agent) -> list[str]:
    return [str(record.data["content"]) for record in agent.session.records if record.type == TOOL_RESULT]


def notices(agent: Agent) -> list[str]:
    records = [record.data for record in agent.session.records if record.type == USER_MESSAGE]
    return [str(data["content"]) for data in records if data["source"] == "task"]


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.01)


def hosted(tmp_path: Path, act: Callable[[Host], Awaitable[None]], options: BashOptions | None = None) -> None:
    async def run() -> None:
        host = Host(tmp_path, options or BashOptions())
        await act(host)
        async with asyncio.timeout(20):
            await host.runtime.unload()
        assert host.left() == []
        with pytest.raises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)

    asyncio.run(run())


def test_a_command_runs_in_the_sessions_directory(tmp_path: Path) -> None:
    async def act(host: Host) -> None:
        agent = await host.agent("x")
        assert await host.do(agent, call("bash", command="pwd; echo oops >&2; exit 3")) == (
            f"{tmp_path}\noops\n[exit status 3]"
        )
        assert await host.do(agent, call("bash", command="true")) == "[no output]"

    hosted(tmp_path, act)


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("bash", {}, "non-empty string 'command'"),
        ("bash", {"command": 5}, "non-empty string 'command'"),
        ("bash", {"command": "true", "background": "yes"}, "true or false"),
        ("bash", {"command": "true", "timeout": -1}, "between 0 and 600"),
        ("bash", {"command": "true", "timeout": 1e9}, "between 0 and 600"),
        ("bash", {"command": "echo \0"}, "NUL character"),
        ("bash_output", {"task": ""}, "non-empty string 'task'"),
        ("bash_output", {"task": "99"}, "unknown task"),
        ("bash_kill", {"task": "../1"}, "unknown task"),
    ],
)
def test_wrong_arguments_are_told_to_the_model(
    tmp_path: Path, name: str, arguments: dict[str, JsonValue], says: str
) -> None:
    async def act(host: Host) -> None:
        assert says in await host.do(await host.agent("x"), call(name, **arguments))

    hosted(tmp_path, act)


def test_a_foreground_command_ends_at_its_timeout(tmp_path: Path) -> None:
    async def act(host: Host) -> None:
        told = await host.do(await host.agent("x"), call("bash", command="echo up; sleep 300", timeout=0.4))
        assert told == "up\n[ended after 0.4 s]"

    hosted(tmp_path, act)


def test_a_cancel_ends_the_foreground_command_and_keeps_its_output(tmp_path: Path) -> None:
    async def act(host: Host) -> None:
        agent = await host.agent("x")
        host.script += [call("bash", command="echo up > here; echo up; setsid sleep 300 & sleep 300")]
        agent.send("go")
        await until((tmp_path / "here").exists)
        agent.cancel()
        await agent.when_idle()
        assert results(agent) == ["up\n[ended because the turn was stopped]"]
        assert agent.session.records[-1].data["reason"] == "aborted"
        await until(lambda: not host.left())

    hosted(tmp_path, act)


def test_a_task_outlives_its_turn_and_its_output_is_read_piece_by_piece(tmp_path: Path) -> None:
    async def act(host: Host) -> None:
        agent = await host.agent("x")
        command = "echo one; while [ ! -e go ]; do sleep 0.02; done; echo two"
        assert await host.do(agent, call("bash", command=command, background=True)) == "Started as background task 1."
        read = ""
        while "one" not in read:
            read = await host.do(agent, call("bash_output", task="1"))
        assert read == "one\n[task 1: running]"
        agent.cancel()
        (tmp_path / "go").touch()
        await until(lambda: notices(agent))
        assert notices(agent) == ["Background task 1 completed. Use bash_output to read what it printed."]
        assert agent.status == "idle"
        assert await host.do(agent, call("bash_output", task="1")) == "two\n[task 1: completed, exit status 0]"
        assert await host.do(agent, call("bash_kill", task="1")) == "Task 1 had ended already."

    hosted(tmp_path, act)


def test_only_its_owner_touches_a_task_and_a_re_created_one_is_its_owner(tmp_path: Path) -> None:
    async def act(host: Host) -> None:
        x, y = await host.agent("x"), await host.agent("y")
        await host.do(x, call("bash", command="echo mine; sleep 300", background=True))
        for name in ("bash_output", "bash_kill"):
            assert "belongs to another session" in await host.do(y, call(name, task="1"))
        assert host.executor.status("1") == "running"
        await host.handles["x"].dispose()
        assert host.left(), "a task outlives its agent (O9)"
        again = await host.agent("x")
        assert await host.do(again, call("bash_kill", task="1")) == "Task 1 was killed."
        await until(lambda: notices(again))
        assert notices(again) == ["Background task 1 killed. Use bash_output to read what it printed."]
        assert notices(y) == []

    hosted(tmp_path, act)


def test_reloading_the_tool_changes_no_task_and_loses_the_notice_of_the_gap(tmp_path: Path) -> None:
    async def act(host: Host) -> None:
        agent = await host.agent("x")
        await host.do(agent, call("bash", command="while [ ! -e go ]; do sleep 0.02; done", background=True))
        await host.plugin.unload()
        assert host.executor.owner_of("1") == "x"
        assert "no tool named 'bash'" in await host.do(agent, call("bash", command="true"))
        (tmp_path / "go").touch()
        await until(lambda: host.executor.status("1") == "completed")
        host.plugin = provide_bash_tool(host.root, host.options)
        assert await host.do(agent, call("bash_output", task="1")) == "[task 1: completed, exit status 0]"
        assert notices(agent) == []

    hosted(tmp_path, act)


def test_a_tool_is_reloaded_in_one_segment_and_the_old_one_tells_nobody_any_more(tmp_path: Path) -> None:
    async def act(host: Host) -> None:
        agent = await host.agent("x")
        told = await host.do(agent, call("bash", command="echo old; sleep 0.2", background=True))
        assert "task" in told
        host.plugin.unload()
        host.plugin = provide_bash_tool(host.root, host.options)
        assert await host.do(agent, call("bash", command="echo new")) == "new\n"
        await until(lambda: notices(agent))
        assert len(notices(agent)) == 1

    hosted(tmp_path, act)


def test_unloading_the_executor_ends_every_tree_by_force_if_needed(tmp_path: Path) -> None:
    async def act(host: Host) -> None:
        agent = await host.agent("x")
        stubborn = "trap '' TERM HUP; (setsid bash -c 'trap \"\" TERM; while :; do sleep 0.05; done' &); echo up > up; "
        stubborn += "while :; do sleep 0.05; done"
        await host.do(agent, call("bash", command=stubborn, background=True))
        await host.do(agent, call("bash", command="sleep 300", background=True))
        await until((tmp_path / "up").exists)
        async with asyncio.timeout(10):
            await host.executor.unload()
        assert host.left() == []
        assert host.executor.owner_of("1") is None
        assert "no executor is loaded" in await host.do(agent, call("bash", command="true"))
        assert notices(agent) == []
        host.executor = host.load_executor()
        assert await host.do(agent, call("bash", command="true", background=True)) == "Started as background task 1."

    hosted(tmp_path, act)


@pytest.mark.parametrize(("answer", "ran"), [(None, True), ("the user refused", False)])
def test_every_command_is_approved_first(tmp_path: Path, answer: str | None, ran: bool) -> None:
    asked: list[str] = []

    async def approve(invocation: ToolInvocation, command: str) -> str | None:
        asked.append(command)
        return answer

    async def act(host: Host) -> None:
        agent = await host.agent("x")
        told = await host.do(agent, call("bash", command="echo hi > ran"))
        assert told == (answer or "[no output]")
        assert (tmp_path / "ran").exists() is ran
        await host.do(agent, call("bash", command="sleep 0", background=True))
        assert asked == ["echo hi > ran", "sleep 0"]

    hosted(tmp_path, act, BashOptions(approve=approve))


def test_nothing_starts_if_the_turn_was_stopped_while_asking(tmp_path: Path) -> None:
    async def act(host: Host) -> None:
        agent = await host.agent("x")
        host.script += [call("bash", command="echo hi > ran")]
        agent.send("go")
        await until(lambda: waiting)
        agent.cancel()
        waiting[0].set_result(None)
        await agent.when_idle()
        assert "was not started: the turn was aborted" in results(agent)[-1]
        assert not (tmp_path / "ran").exists()

    waiting: list[asyncio.Future[None]] = []

    async def approve(invocation: ToolInvocation, command: str) -> None:
        waiting.append(asyncio.get_running_loop().create_future())
        await waiting[0]

    hosted(tmp_path, act, BashOptions(approve=approve))


def test_output_of_50_megabytes_is_cut_and_the_turn_goes_on(tmp_path: Path) -> None:
    async def act(host: Host) -> None:
        told = await host.do(await host.agent("x"), call("bash", command="yes | head -c 50000000"))
        assert len(told) < 1_100_000
        assert "output cut after 1048576 bytes" in told

    hosted(tmp_path, act)
