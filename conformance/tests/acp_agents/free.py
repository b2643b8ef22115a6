"""Owns a second well-behaved ACP agent, which takes every freedom that the first one does not.

Run it as `python free.py [--bare]`. It asks for no permission, sends a text whole once the model is done, thinks and
reports its tool calls, takes its time before it asks the model, merges a prompt that overlaps into the running turn,
has titles made by requests that no cancel stops, sends late what may come late, answers a refused model request as
text, uses other error codes, and keeps a daemon. With `--bare` it offers nothing optional.
"""

# a script's folder is on its path when it runs, which pyright cannot know: what comes from good is unknown to it
# pyright: reportMissingImports=false, reportUntypedBaseClass=false
# pyright: reportUnknownParameterType=false, reportUnknownLambdaType=false

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable
from typing import Any

# good comes first: it makes importing acp fast; the folder of a script is on its path
from good import Good, Session, ask_model, serve  # isort: skip
from acp import RequestError, start_tool_call, update_agent_thought_text, update_tool_call, update_user_message_text
from acp.schema import (
    AvailableCommandsUpdate,
    InitializeResponse,
    LoadSessionResponse,
    NewSessionResponse,
    PromptResponse,
    SessionInfoUpdate,
    UsageUpdate,
)

DAEMON = ("sleep", "86399")


class Free(Good):
    """The agent."""

    bare = False

    def __init__(self) -> None:
        super().__init__(live_load="refuse")
        self.later = set[asyncio.Task[None]]()
        self.joined = dict[str, list[str]]()

    def after(self, work: Awaitable[None], pause: float = 0.05) -> None:
        """Do something a little later, whatever becomes of the request that asked for it."""

        async def run() -> None:
            await asyncio.sleep(pause)
            await work

        self.later.add(task := asyncio.ensure_future(run()))
        task.add_done_callback(self.later.discard)

    # sessions

    async def initialize(self, protocol_version: int, **rest: Any) -> InitializeResponse:
        subprocess.Popen(DAEMON, start_new_session=True, stdin=-3, stdout=-3, stderr=-3)
        answer = await super().initialize(protocol_version, **rest)
        return InitializeResponse(protocol_version=1, agent_info=answer.agent_info) if self.bare else answer

    async def new_session(self, cwd: str, **rest: Any) -> NewSessionResponse:
        answer = await super().new_session(cwd, **rest)
        self.after(self.offer(answer.session_id))
        return answer

    async def load_session(self, cwd: str, session_id: str, **rest: Any) -> LoadSessionResponse:
        if session_id not in self.sessions and not self.store(session_id).exists():
            raise RequestError.internal_error({"details": "nothing is stored"})
        answer = await super().load_session(cwd, session_id, **rest)
        self.after(self.offer(session_id))
        return answer

    async def offer(self, session_id: str) -> None:
        update = AvailableCommandsUpdate(session_update="available_commands_update", available_commands=[])
        await self.conn.session_update(session_id, update)

    def live(self, session_id: str) -> Session:
        if session_id not in self.sessions:
            raise RequestError.invalid_params({"details": "no such session"})
        return self.sessions[session_id]

    # prompts

    async def prompt(self, session_id: str, prompt: list[Any], **rest: Any) -> PromptResponse:
        session = self.live(session_id)
        text = "".join(getattr(block, "text", "") for block in prompt)
        if session.turn is not None and not session.turn.cancelling():
            turn = session.turn
            self.joined.setdefault(session_id, []).append(text)
            await asyncio.wait((turn,))
            return PromptResponse(stop_reason=self.reason(turn))
        self.after(self.title(session_id, text), 0)
        response = await super().prompt(session_id, prompt, **rest)
        usage = UsageUpdate(session_update="usage_update", used=1, size=2)
        self.after(self.conn.session_update(session_id, usage))
        return response

    async def title(self, session_id: str, text: str) -> None:
        said = ""
        async for delta in ask_model([{"role": "user", "content": f"A title for: {text}"}], tools=[]):
            said += delta.get("content") or ""
        update = SessionInfoUpdate(session_update="session_info_update", title=f"{said} ({text})")
        await self.conn.session_update(session_id, update)

    async def run_turn(self, session: Session, text: str) -> str:
        await self.conn.session_update(session.id, update_user_message_text(text))
        await asyncio.sleep(0.3)
        await self.conn.session_update(session.id, update_agent_thought_text("Hm."))
        try:
            reason = await super().run_turn(session, text)
            while more := self.joined.pop(session.id, []):
                reason = await super().run_turn(session, "\n".join(more))
        except asyncio.CancelledError:
            self.joined.pop(session.id, None)
            await self.conn.session_update(session.id, update_agent_thought_text("Stopped."))
            raise
        except RequestError as error:
            await self.say(session, f"The model failed: {error}")
            return "end_turn"
        return reason

    async def hear(self, session: Session) -> tuple[str, list[dict[str, Any]]]:
        said, calls = "", list[dict[str, Any]]()
        async for delta in ask_model(session.history):
            said += delta.get("content") or ""
            calls += delta.get("tool_calls") or []
        if said:
            await self.say(session, said)
        return said, calls

    async def run_tool(self, session: Session, command: str) -> str:
        await self.conn.session_update(session.id, start_tool_call("t1", command, kind="execute", status="pending"))
        status: Any = "failed"
        try:
            said = await super().run_tool(session, command)
            status = "completed"
        finally:
            await self.conn.session_update(session.id, update_tool_call("t1", status=status))
        return said

    async def permitted(self, session: Session, command: str) -> bool:
        return True


def main() -> None:
    """Run the agent."""
    agent = Free()
    agent.bare = "--bare" in sys.argv
    asyncio.run(serve(agent))


if __name__ == "__main__":
    main()
