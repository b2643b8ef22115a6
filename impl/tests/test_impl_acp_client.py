"""The official Python ACP client drives the agent as a process: a life of sessions, and nothing left after it."""

import asyncio
import signal
import sys
import time
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from acp import PROTOCOL_VERSION, RequestError, text_block
from acp.client.connection import ClientSideConnection
from acp.schema import AllowedOutcome, DeniedOutcome, PermissionOption, RequestPermissionResponse, ToolCallUpdate
from acp.stdio import spawn_agent_process

FILES = ["sessions.db", "sessions.db-claims"]
"""What a closed store leaves: nothing of the write-ahead log."""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="bash and signals need a POSIX system")


class Editor:
    """A client that keeps what it is told and answers every question the same way."""

    def __init__(self) -> None:
        self.answer = "once"
        self.told: list[Any] = []
        self.asked: list[str] = []
        self.news = asyncio.Event()

    def on_connect(self, conn: object) -> None:
        pass

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.told.append(update)
        self.news.set()

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **_: Any
    ) -> RequestPermissionResponse:
        self.asked.append(str(tool_call.title))
        self.news.set()
        if self.answer == "never":
            await asyncio.Event().wait()
        if self.answer == "cancelled":
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=self.answer))

    @property
    def words(self) -> str:
        return "".join(u.content.text for u in self.told if u.session_update == "agent_message_chunk")

    @property
    def kinds(self) -> list[str]:
        return [u.session_update for u in self.told]

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(30):
            while not condition():
                self.news.clear()
                await self.news.wait()


class Connected:
    """One started agent with its client."""

    def __init__(self, editor: Editor, conn: ClientSideConnection, process: Process, home: Path) -> None:
        self.editor, self.conn, self.process, self.home = editor, conn, process, home

    async def new(self) -> str:
        return (await self.conn.new_session(cwd=str(self.home), mcp_servers=[])).session_id

    async def prompt(self, session_id: str, words: str) -> str:
        response = await self.conn.prompt(session_id=session_id, prompt=[text_block(words)])
        return response.stop_reason

    def prompting(self, session_id: str, words: str) -> "asyncio.Task[str]":
        return asyncio.get_running_loop().create_task(self.prompt(session_id, words))

    def descendants(self) -> list[str]:
        """Command lines of everything that inherited this test's own TMPDIR, the agent left out."""
        found: list[str] = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == self.process.pid:
                continue
            try:
                if f"TMPDIR={self.home}\0".encode() in (entry / "environ").read_bytes():
                    found.append((entry / "cmdline").read_text())
            except OSError:
                continue
        return found

    async def ended(self, seconds: float) -> int:
        """Wait for the agent's exit, then check that nothing it started is left."""
        began = time.monotonic()
        async with asyncio.timeout(seconds):
            status = await self.process.wait()
        while self.descendants() and time.monotonic() < began + seconds:
            await asyncio.sleep(0.02)
        assert self.descendants() == []
        return status


def connected(tmp_path: Path, act: Callable[[Connected], Awaitable[None]], *, clean: bool = True) -> None:
    """Start the agent, initialize, run `act`, and check that nothing is left."""

    async def run() -> None:
        editor = Editor()
        command = ("-m", "lifecycle_runtime.acp_server", "--store", str(tmp_path / "sessions.db"))
        client: Any = editor
        with (tmp_path / "stderr").open("ab") as errors:
            async with spawn_agent_process(
                client,
                sys.executable,
                *command,
                env={"TMPDIR": str(tmp_path)},
                transport_kwargs={"stderr": errors, "shutdown_timeout": 10.0},
            ) as (conn, process):
                agent = Connected(editor, conn, process, tmp_path)
                answered = await conn.initialize(protocol_version=PROTOCOL_VERSION)
                assert answered.protocol_version == PROTOCOL_VERSION
                assert answered.agent_capabilities is not None
                assert answered.agent_capabilities.load_session
                await act(agent)
        assert process.returncode is not None
        assert agent.descendants() == []

    asyncio.run(run())
    if clean:
        assert sorted(entry.name for entry in tmp_path.glob("sessions*")) == FILES


def test_a_whole_life(tmp_path: Path) -> None:
    sessions: list[str] = []

    async def first(agent: Connected) -> None:
        editor = agent.editor
        session, other = await agent.new(), await agent.new()
        sessions.append(session)
        assert session != other
        assert await agent.prompt(session, "hello") == "end_turn"
        assert editor.words == "You said: hello"
        editor.told.clear()
        assert await agent.prompt(session, "run pwd; echo $((6 * 7))") == "end_turn"
        assert editor.asked == ["pwd; echo $((6 * 7))"]
        assert editor.kinds == ["agent_message_chunk", "tool_call", "tool_call_update"] + ["agent_message_chunk"] * 2
        call, result = editor.told[1], editor.told[2]
        assert call.kind == "execute"
        assert result.tool_call_id == call.tool_call_id
        assert result.status == "completed"
        assert result.content[0].content.text == f"{tmp_path}\n42\n"
        with pytest.raises(RequestError, match="asked to fail"):
            await agent.prompt(session, "fail")
        # cancelled in the middle of a reply, while another session goes on
        editor.told.clear()
        slow, quick = agent.prompting(session, "slow 60"), agent.prompting(other, "hi")
        await editor.until(lambda: "1 " in editor.words)
        await agent.conn.cancel(session_id=session)
        assert await slow == "cancelled"
        assert await quick == "end_turn"
        # cancelled in the middle of a command: its whole tree is gone
        command = agent.prompting(session, "run setsid sleep 300 & touch up; sleep 300")
        while not (tmp_path / "up").exists():
            await asyncio.sleep(0.02)
        await agent.conn.cancel(session_id=session)
        assert await command == "cancelled"
        assert agent.descendants() == []
        # and the session is as good as before
        assert await agent.prompt(session, "still there?") == "end_turn"

    async def second(agent: Connected) -> None:
        (session,) = sessions
        await agent.conn.load_session(cwd=str(tmp_path), session_id=session, mcp_servers=[])
        assert agent.editor.kinds[:2] == ["user_message_chunk", "agent_message_chunk"]
        assert agent.editor.told[0].content.text == "hello"
        assert "tool_call" in agent.editor.kinds
        assert agent.editor.told[-1].content.text == "You said: still there?"
        agent.editor.told.clear()
        assert await agent.prompt(session, "again") == "end_turn"
        assert agent.editor.words == "You said: again"
        for wrong in (session, "nobody", "a/../b\0\u202e" + "x" * 10_000):  # the first is live already
            with pytest.raises(RequestError):
                await agent.conn.load_session(cwd=str(tmp_path), session_id=wrong, mcp_servers=[])

    async def third(agent: Connected) -> None:
        with pytest.raises(RequestError, match="works in"):
            await agent.conn.load_session(cwd="/", session_id=sessions[0], mcp_servers=[])

    for act in (first, second, third):
        connected(tmp_path, act)


def test_permission(tmp_path: Path) -> None:
    async def act(agent: Connected) -> None:
        editor = agent.editor

        async def answering(answer: str) -> str:
            """Run a command in a session of its own; give what became of it."""
            editor.answer, session = answer, await agent.new()
            editor.told.clear()
            for _ in range(2):
                assert await agent.prompt(session, f"run echo ran >> {answer}") == "end_turn"
            result = next(u for u in editor.told if u.session_update == "tool_call_update")
            return str(result.content[0].content.text)

        assert "the user refused" in await answering("no")
        assert not (tmp_path / "no").exists()
        assert await answering("once") == "[no output]"
        assert len(editor.asked) == 4, "once is asked every time"
        assert await answering("session") == "[no output]"
        assert len(editor.asked) == 5, "the whole session is asked for once"
        assert (tmp_path / "session").read_text() == "ran\nran\n"
        # a question that is cancelled, or open when the prompt is, cancels the prompt
        for answer in ("cancelled", "never"):
            editor.answer, session = answer, await agent.new()
            editor.asked.clear()
            prompt = agent.prompting(session, f"run touch {answer}")
            await editor.until(lambda: editor.asked)
            if answer == "never":
                await agent.conn.cancel(session_id=session)
            assert await prompt == "cancelled"
            assert not (tmp_path / answer).exists()

    connected(tmp_path, act)


def hang_up(agent: Connected) -> int:
    assert agent.process.stdin is not None
    agent.process.stdin.close()
    return 0


def terminate(agent: Connected) -> int:
    agent.process.terminate()
    return 128 + signal.SIGTERM


def kill(agent: Connected) -> int:
    agent.process.kill()
    return -signal.SIGKILL


COMMAND = "run (setsid sleep 300 &) ; trap '' TERM HUP; touch up; sleep 300; sleep 300"


@pytest.mark.parametrize(
    ("moment", "end"),
    [("slow 60", hang_up), ("slow 60", terminate), *((COMMAND, end) for end in (hang_up, terminate, kill))],
)
def test_the_end_in_the_middle_leaves_nothing(tmp_path: Path, moment: str, end: Callable[[Connected], int]) -> None:
    session: list[str] = []

    async def act(agent: Connected) -> None:
        session.append(await agent.new())
        prompt = agent.prompting(session[0], moment)
        if moment.startswith("slow"):
            await agent.editor.until(lambda: agent.editor.words)
        while "touch up" in moment and not (tmp_path / "up").exists():
            await asyncio.sleep(0.02)
        status = end(agent)
        assert await agent.ended(8.0) == status
        await asyncio.gather(prompt, return_exceptions=True)

    connected(tmp_path, act, clean=end is not kill)
    errors = (tmp_path / "stderr").read_text()
    assert errors == "", errors


STUCK = """
import asyncio, sys, time
from lifecycle_runtime import acp_server
from lifecycle_runtime.ports import TextChunk

class Stuck:
    async def stream(self, request, signal):
        print("printing is no protocol message", flush=True)
        if "loop" in str(request.messages[-1].content):
            time.sleep(600)
        while "never" in str(request.messages[-1].content):
            await asyncio.sleep(3600)
        yield TextChunk("fine")

acp_server.choose_model = lambda choice, environment: Stuck()
sys.exit(acp_server.main(["--store", "memory", "--grace", "1"]))
"""


@pytest.mark.parametrize(("stuck", "end"), [("loop", hang_up), ("loop", terminate), ("never", hang_up)])
def test_what_never_ends_does_not_outlive_the_grace(
    tmp_path: Path, stuck: str, end: Callable[[Connected], int]
) -> None:
    """A call that keeps the event loop, and one that ignores its signal and only waits."""

    async def run() -> None:
        editor: Any = Editor()
        with (tmp_path / "stderr").open("ab") as errors:
            async with spawn_agent_process(
                editor, sys.executable, "-c", STUCK, env={"TMPDIR": str(tmp_path)}, transport_kwargs={"stderr": errors}
            ) as (conn, process):
                agent = Connected(editor, conn, process, tmp_path)
                await conn.initialize(protocol_version=PROTOCOL_VERSION)
                session, other = await agent.new(), await agent.new()
                prompt = agent.prompting(session, f"hang: {stuck}")
                while "printing" not in (tmp_path / "stderr").read_text():
                    await asyncio.sleep(0.02)
                if stuck == "never":
                    await conn.cancel(session_id=session)
                    assert await agent.prompt(other, "hello") == "end_turn"
                    assert not prompt.done()
                end(agent)
                assert await agent.ended(5.0) == 1
                await asyncio.gather(prompt, return_exceptions=True)

    asyncio.run(run())
    assert "exiting all the same" in (tmp_path / "stderr").read_text()
