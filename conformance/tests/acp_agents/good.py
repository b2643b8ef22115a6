"""Owns a small well-behaved ACP agent on the official package, and the freedoms the protocol leaves it.

Run it as `python good.py [--overlap queue|refuse|replace] [--live-load replay|refuse]`. Its model is whatever
OPENAI_BASE_URL names; it streams, runs one shell tool after asking, keeps sessions under HOME, and ends with
its input. The broken agents beside it each override one of its small methods.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import json
import os
import secrets
import signal
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pydantic
from pydantic._internal import _fields


def _nothing(*_: object, **__: object) -> None:
    pass


# these only make the start of this process faster (it starts once for every run of the judge): half of importing
# the official package goes to reading its own source for descriptions of fields, which nobody here looks at
gc.disable()
pydantic.BaseModel.model_config["defer_build"] = True
with contextlib.suppress(AttributeError):
    _fields._update_fields_from_docstrings = _nothing  # pyright: ignore[reportPrivateUsage]

from acp import RequestError, run_agent, update_agent_message_text, update_user_message_text  # noqa: E402
from acp.schema import (  # noqa: E402
    AgentCapabilities,
    CloseSessionResponse,
    Implementation,
    InitializeResponse,
    LoadSessionResponse,
    NewSessionResponse,
    PermissionOption,
    PromptResponse,
    ResumeSessionResponse,
    SessionCapabilities,
    SessionCloseCapabilities,
    SessionResumeCapabilities,
    ToolCallUpdate,
)

SHELL = {
    "type": "function",
    "function": {
        "name": "bash",
        "description": "Run a shell command.",
        "parameters": {
            "type": "object",
            "properties": {"command": {"type": "string"}},
            "required": ["command"],
        },
    },
}


@dataclass
class Session:
    """One conversation: what was said, and the turn that runs if one does."""

    id: str
    history: list[dict[str, Any]] = field(default_factory=list)
    turn: asyncio.Task[str] | None = None
    waiting: list[asyncio.Future[None]] = field(default_factory=list)


class Good:
    """The agent. Every method is as small as it is so that a broken one can replace it."""

    def __init__(self, overlap: str = "queue", live_load: str = "replay") -> None:
        self.overlap, self.live_load = overlap, live_load
        self.sessions: dict[str, Session] = {}
        self.conn: Any = None

    def on_connect(self, conn: Any) -> None:
        self.conn = conn

    # sessions

    async def initialize(self, protocol_version: int, **_: Any) -> InitializeResponse:
        session = SessionCapabilities(close=SessionCloseCapabilities(), resume=SessionResumeCapabilities())
        return InitializeResponse(
            protocol_version=self.version(protocol_version),
            agent_info=Implementation(name=type(self).__name__, version="1"),
            agent_capabilities=AgentCapabilities(load_session=True, session_capabilities=session),
        )

    def version(self, asked: int) -> int:
        return 1

    async def new_session(self, cwd: str, **_: Any) -> NewSessionResponse:
        session = Session(self.new_id())
        self.sessions[session.id] = session
        return NewSessionResponse(session_id=session.id)

    def new_id(self) -> str:
        return secrets.token_hex(8)

    def store(self, session_id: str) -> Path:
        return Path(os.environ["HOME"]) / f"{session_id}.json"

    def live(self, session_id: str) -> Session:
        if session_id not in self.sessions:
            raise RequestError.resource_not_found(session_id)
        return self.sessions[session_id]

    def stored(self, session_id: str) -> Session:
        if not self.store(session_id).exists():
            raise RequestError.resource_not_found(session_id)
        return Session(session_id, json.loads(self.store(session_id).read_text()))

    async def load_session(self, cwd: str, session_id: str, **_: Any) -> LoadSessionResponse:
        if session_id in self.sessions:
            await self.load_live(self.sessions[session_id])
        else:
            self.sessions[session_id] = self.stored(session_id)
            await self.replay(self.sessions[session_id])
        return LoadSessionResponse()

    async def load_live(self, session: Session) -> None:
        if self.live_load == "refuse":
            raise RequestError.invalid_request({"details": "the session is live"})
        await self.replay(session)

    async def replay(self, session: Session) -> None:
        kinds = {"user": update_user_message_text, "assistant": update_agent_message_text}
        for message in session.history:
            if message["role"] in kinds and message.get("content"):
                await self.conn.session_update(session.id, kinds[message["role"]](message["content"]))

    async def resume_session(self, cwd: str, session_id: str, **_: Any) -> ResumeSessionResponse:
        self.sessions[session_id] = self.stored(session_id)
        return ResumeSessionResponse()

    async def close_session(self, session_id: str, **_: Any) -> CloseSessionResponse:
        session = self.live(session_id)
        self.stop(session)
        del self.sessions[session_id]
        return CloseSessionResponse()

    # prompts

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> PromptResponse:
        session = self.live(session_id)
        text = "".join(getattr(block, "text", "") for block in prompt)
        if session.turn is not None:
            await self.make_room(session)
        session.turn = asyncio.ensure_future(self.run_turn(session, text))
        try:
            await asyncio.wait((session.turn,))
            reason = self.reason(session.turn)
        finally:
            session.turn = None
            if session.waiting:
                session.waiting.pop(0).set_result(None)
        return PromptResponse(stop_reason=reason)

    def reason(self, turn: asyncio.Task[str]) -> Any:
        return "cancelled" if turn.cancelled() else turn.result()

    async def make_room(self, session: Session) -> None:
        if self.overlap == "refuse":
            raise RequestError.invalid_request({"details": "a prompt is running"})
        if self.overlap == "replace":
            self.stop(session)
        while session.turn is not None:
            free = asyncio.get_running_loop().create_future()
            session.waiting.append(free)
            await free

    async def cancel(self, session_id: str, **_: Any) -> None:
        if session_id in self.sessions:
            self.stop(self.sessions[session_id])

    def stop(self, session: Session) -> None:
        if session.turn is not None:
            session.turn.cancel()

    # one turn

    async def run_turn(self, session: Session, text: str) -> str:
        session.history.append({"role": "user", "content": text})
        while True:
            said, calls = await self.hear(session)
            session.history.append({"role": "assistant", "content": said, "tool_calls": calls})
            if not calls:
                self.store(session.id).write_text(json.dumps(session.history))
                return "end_turn"
            for call in calls:
                command = json.loads(call["function"]["arguments"])["command"]
                result = await self.run_tool(session, command)
                session.history.append({"role": "tool", "tool_call_id": call["id"], "content": result})

    async def hear(self, session: Session) -> tuple[str, list[dict[str, Any]]]:
        said, calls = "", list[dict[str, Any]]()
        async for delta in ask_model(session.history):
            if piece := delta.get("content"):
                said += piece
                await self.say(session, piece)
            calls += delta.get("tool_calls") or []
        return said, calls

    async def say(self, session: Session, piece: str) -> None:
        await self.conn.session_update(session.id, update_agent_message_text(piece))

    async def run_tool(self, session: Session, command: str) -> str:
        if not await self.permitted(session, command):
            return "not permitted"
        process = await asyncio.create_subprocess_exec("bash", "-c", command, **self.tool_options())
        try:
            await process.wait()
        finally:
            self.end_tool(process)
        return f"exited {process.returncode}"

    def tool_options(self) -> dict[str, Any]:
        null = asyncio.subprocess.DEVNULL
        return {"stdin": null, "stdout": null, "stderr": null, "start_new_session": True}

    def end_tool(self, process: asyncio.subprocess.Process) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    async def permitted(self, session: Session, command: str) -> bool:
        options = [PermissionOption(option_id="yes", name="Yes", kind="allow_once")]
        call = ToolCallUpdate(tool_call_id="t1", title=command)
        answer = await self.conn.request_permission(session.id, call, options)
        if answer.outcome.outcome == "cancelled":
            raise asyncio.CancelledError
        return True


async def ask_model(history: list[dict[str, Any]], tools: Sequence[Any] = (SHELL,)) -> AsyncIterator[dict[str, Any]]:
    """Stream the deltas of one chat completion; leaving the loop closes the connection."""
    url = urlsplit(os.environ["OPENAI_BASE_URL"])
    body = json.dumps({"model": "fake", "stream": True, "messages": history, "tools": tools}).encode()
    reader, writer = await asyncio.open_connection(url.hostname, url.port)
    try:
        head = f"POST {url.path}/chat/completions HTTP/1.1\r\nHost: m\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        status = await reader.readline()
        if b" 200 " not in status:
            raise RequestError.internal_error({"details": f"the model said {status.decode().strip()}"})
        async for line in reader:
            if line.startswith(b"data: {"):
                for choice in json.loads(line[6:])["choices"]:
                    yield choice["delta"]
    finally:
        writer.close()


async def serve(agent: Any) -> None:
    """Run until the input ends or SIGTERM comes; either way every turn is stopped before the process exits."""
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await run_agent(agent, use_unstable_protocol=True)


def main() -> None:
    """Run the well-behaved agent with the freedoms asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--overlap", default="queue", choices=["queue", "refuse", "replace"])
    parser.add_argument("--live-load", default="replay", choices=["replay", "refuse"])
    asyncio.run(serve(Good(**vars(parser.parse_args()))))


if __name__ == "__main__":
    main()
