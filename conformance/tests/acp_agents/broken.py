"""Owns agents that are each wrong in one named way: a few lines on top of the well-behaved one.

Run one as `python broken.py NAME`. Its docstring names the check that must find it (two, joined by +, where one
mistake breaks both) and the run that shows it.
"""

# a script's folder is on its path when it runs, which pyright cannot know: what comes from good is unknown to it
# pyright: reportMissingImports=false, reportUntypedBaseClass=false
# pyright: reportUnknownParameterType=false, reportUnknownLambdaType=false

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import Awaitable
from typing import Any

# good comes first: it makes importing acp fast; the folder of a script is on its path
from good import Good, Session, serve  # isort: skip
from acp import RequestError
from acp.schema import NewSessionResponse, PromptResponse


async def after_the_answer(say: Awaitable[None]) -> None:
    """Do something so many turns of the loop later that the answer being returned is surely out, and no later."""
    for _ in range(50):
        await asyncio.sleep(0)
    await say


class IdleCancelPoisons(Good):
    """L1 idle/cancel: a cancel with no prompt running makes the next prompt end cancelled."""

    def stop(self, session: Session) -> None:
        self.poisoned = session.turn is None
        super().stop(session)

    async def prompt(self, session_id: str, prompt: list[Any], **rest: Any) -> PromptResponse:
        if getattr(self, "poisoned", False):
            self.poisoned = False
            return PromptResponse(stop_reason="cancelled")
        return await super().prompt(session_id, prompt, **rest)


class CancelAnswersError(Good):
    """S3 streaming/cancel: the exception that aborting causes becomes the prompt's answer."""

    def reason(self, turn: asyncio.Task[str]) -> Any:
        if turn.cancelled():
            raise RequestError.internal_error({"details": "aborted"})
        return turn.result()


class CancelSaysEndTurn(Good):
    """S3 stalled/cancel: a cancelled prompt claims to have finished."""

    def reason(self, turn: asyncio.Task[str]) -> Any:
        return "end_turn" if turn.cancelled() else turn.result()


class SecondPromptLost(Good):
    """L6 stalled/prompt: a prompt that came while another ran is never answered."""

    async def make_room(self, session: Session) -> None:
        await asyncio.get_running_loop().create_future()


class OverlapsMix(Good):
    """L6 streaming/prompt: two prompts of one session run at once."""

    async def make_room(self, session: Session) -> None:
        session.history = list(session.history)


class CancelHitsAll(Good):
    """S11 stalled/other: a cancel stops every session's prompt."""

    async def cancel(self, session_id: str, **_: Any) -> None:
        for session in self.sessions.values():
            self.stop(session)


class CloseForgetsPrompt(Good):
    """S4 streaming/close: closing a session drops its prompt without an answer."""

    def stop(self, session: Session) -> None:
        self.closing = session.id not in self.sessions

    async def close_session(self, session_id: str, **rest: Any) -> Any:
        turn = self.live(session_id).turn
        answer = await super().close_session(session_id, **rest)
        if turn is not None:
            turn.cancel()
        return answer

    def reason(self, turn: asyncio.Task[str]) -> Any:
        return turn.result()

    async def prompt(self, session_id: str, prompt: list[Any], **rest: Any) -> PromptResponse:
        try:
            return await super().prompt(session_id, prompt, **rest)
        except asyncio.CancelledError:
            await asyncio.get_running_loop().create_future()
            raise


class CloseIsNotCancel(Good):
    """S8 streaming/close: the prompt of a closed session claims to have finished."""

    def reason(self, turn: asyncio.Task[str]) -> Any:
        return "end_turn" if turn.cancelled() and not self.sessions else super().reason(turn)


class OutputAfterAnswer(Good):
    """S5 streaming/cancel: a piece of text follows the cancelled answer."""

    def reason(self, turn: asyncio.Task[str]) -> Any:
        if turn.cancelled():
            session = next(iter(self.sessions.values()))
            self.task = asyncio.ensure_future(after_the_answer(self.say(session, "stopped")))
        return super().reason(turn)


class ContentAfterEndTurn(Good):
    """S12 settled/cancel: a prompt's text follows its end_turn."""

    async def say(self, session: Session, piece: str) -> None:
        self.held = [*getattr(self, "held", []), super().say(session, piece)]

    def reason(self, turn: asyncio.Task[str]) -> Any:
        held, self.held = self.held, []
        self.tasks = [asyncio.ensure_future(after_the_answer(text)) for text in held]
        return super().reason(turn)


class NeverAsksModel(Good):
    """S12 settled/cancel: after a cancel the next prompt is answered without asking the model."""

    async def cancel(self, session_id: str, **rest: Any) -> None:
        self.spoilt = True
        await super().cancel(session_id, **rest)

    async def run_turn(self, session: Session, text: str) -> str:
        return "end_turn" if getattr(self, "spoilt", False) else await super().run_turn(session, text)


class AnswersTwice(Good):
    """S4 settled/cancel: a prompt's answer is sent a second time."""

    async def prompt(self, session_id: str, prompt: list[Any], **rest: Any) -> PromptResponse:
        first, self.prompted = not getattr(self, "prompted", False), True
        response = await super().prompt(session_id, prompt, **rest)
        if first:  # the judge counts its requests from 1: initialize, session/new, session/prompt
            answer = {"jsonrpc": "2.0", "id": 3, "result": {"stopReason": "end_turn"}}
            print(json.dumps(answer), flush=True)
        return response


class DeafWhileStalled(Good):
    """L8 stalled/cancel: a cancel is looked at only when the model sends something."""

    def stop(self, session: Session) -> None:
        self.wanted = session.turn

    async def say(self, session: Session, piece: str) -> None:
        if session.turn is not None and getattr(self, "wanted", None) is session.turn:
            raise asyncio.CancelledError
        await super().say(session, piece)


class DeafWhileStreaming(Good):
    """L8 streaming/cancel: once the model speaks, a cancel is looked at only when it has finished."""

    speaking = wanted = False

    async def hear(self, session: Session) -> tuple[str, list[dict[str, Any]]]:
        try:
            return await super().hear(session)
        finally:
            self.speaking = False
            if self.wanted:
                self.wanted = False
                raise asyncio.CancelledError

    async def say(self, session: Session, piece: str) -> None:
        self.speaking = True
        await super().say(session, piece)

    def stop(self, session: Session) -> None:
        self.wanted = self.speaking
        if not self.speaking:
            super().stop(session)


class NoExitOnEof(Good):
    """L3 idle/eof: the process stays when its input ends."""

    stays = True


class IgnoresSigterm(Good):
    """L4 idle/sigterm: the process cannot be asked to end."""

    deaf = True


class OrphanedTool(Good):
    """L3 tool/eof: the shell command goes on when the agent has exited."""

    def end_tool(self, process: asyncio.subprocess.Process) -> None:
        pass


class PermissionIgnored(Good):
    """S7 permission/cancel: a tool runs although its permission request was answered cancelled."""

    async def permitted(self, session: Session, command: str) -> bool:
        try:
            return await super().permitted(session, command)
        except asyncio.CancelledError:
            await asyncio.create_subprocess_exec("bash", "-c", command, **self.tool_options())
            raise


class DuplicateIds(Good):
    """S2 idle/new: every session has the same id."""

    def new_id(self) -> str:
        return "session"


class ReplaysAfterResponse(Good):
    """S8 settled/restart-load: the conversation follows the answer to session/load."""

    async def replay(self, session: Session) -> None:
        self.task = asyncio.ensure_future(after_the_answer(super().replay(session)))


class ResumeReplays(Good):
    """S8 settled/restart-resume: session/resume sends the conversation."""

    async def resume_session(self, cwd: str, session_id: str, **rest: Any) -> Any:
        answer = await super().resume_session(cwd, session_id, **rest)
        await self.replay(self.sessions[session_id])
        return answer


class LiveLoadDoubles(Good):
    """L9 settled/load: after a load of the live session everything is said twice."""

    doubled = False

    async def load_live(self, session: Session) -> None:
        self.doubled = True
        await super().load_live(session)

    async def say(self, session: Session, piece: str) -> None:
        for _ in range(1 + self.doubled):
            await super().say(session, piece)


class LoadsUnknown(Good):
    """L10 idle/unknown: a session that never was is loaded as an empty one."""

    def stored(self, session_id: str) -> Session:
        return super().stored(session_id) if self.store(session_id).exists() else Session(session_id)


class PromptsUnknown(Good):
    """L5 idle/unknown: a prompt for a session that does not exist is run in some other one."""

    def live(self, session_id: str) -> Session:
        return self.sessions.get(session_id) or Session("stray")


class PrintsToStdout(Good):
    """S9 idle/cancel: a log line goes to stdout."""

    async def new_session(self, cwd: str, **rest: Any) -> NewSessionResponse:
        print("creating a session", flush=True)
        return await super().new_session(cwd, **rest)


class AnswersNotifications(Good):
    """S10 idle/cancel: the cancel notification gets a response."""

    async def cancel(self, session_id: str, **rest: Any) -> None:
        await super().cancel(session_id, **rest)
        print(json.dumps({"jsonrpc": "2.0", "id": None, "result": None}), flush=True)


class EchoesVersion(Good):
    """S1 boot/initialize: whatever version is asked for is agreed to."""

    def version(self, asked: int) -> int:
        return asked


class SecondCancelKills(Good):
    """L2 idle/cancel-twice: a second cancel ends the process."""

    def stop(self, session: Session) -> None:
        self.times = getattr(self, "times", 0) + 1
        if self.times == 2:
            sys.exit(3)
        super().stop(session)


class BatchedPromptLost(Good):
    """L7 streaming/cancel+prompt: a prompt written right behind a cancel is swallowed with it."""

    async def make_room(self, session: Session) -> None:
        if session.turn is not None and session.turn.cancelling():
            await asyncio.get_running_loop().create_future()
        await super().make_room(session)


class EndsTurnEarly(Good):
    """S12 stalled/cancel: the end of a cancelled turn, read late, is taken for the end of the next one."""

    left = False

    def reason(self, turn: asyncio.Task[str]) -> Any:
        self.left = turn.cancelled()
        return super().reason(turn)

    async def prompt(self, session_id: str, prompt: list[Any], **rest: Any) -> PromptResponse:
        if not self.left:
            return await super().prompt(session_id, prompt, **rest)
        self.left = False
        self.task = asyncio.ensure_future(super().prompt(session_id, prompt, **rest))
        return PromptResponse(stop_reason="end_turn")


class TextLostAfterCancel(Good):
    """S12 settled/cancel: a flag that a cancel sets is never taken back, and hides what the model says from then on."""

    async def cancel(self, session_id: str, **rest: Any) -> None:
        self.muted = True
        await super().cancel(session_id, **rest)

    async def say(self, session: Session, piece: str) -> None:
        if not getattr(self, "muted", False):
            await super().say(session, piece)


class FailureSticks(Good):
    """S12 failing/prompt: after the model refused one request the session answers every prompt with that error."""

    async def prompt(self, session_id: str, prompt: list[Any], **rest: Any) -> PromptResponse:
        if (failed := getattr(self, "failed", None)) is not None:
            raise failed
        try:
            return await super().prompt(session_id, prompt, **rest)
        except RequestError as error:
            self.failed = error
            raise


class EarlyCancelLost(Good):
    """S3+L8 accepted/cancel: a cancel that comes before the model is asked stops nothing."""

    async def run_turn(self, session: Session, text: str) -> str:
        self.deafened = True
        await asyncio.sleep(0.3)
        self.deafened = False
        return await super().run_turn(session, text)

    def stop(self, session: Session) -> None:
        if session.turn is not None and not self.deafened:
            session.turn.cancel()


class SpellsItCanceled(Good):
    """S3+S9 stalled/cancel: the stop reason of a cancelled prompt is no word of the schema."""

    async def prompt(self, session_id: str, prompt: list[Any], **rest: Any) -> PromptResponse:
        response = await super().prompt(session_id, prompt, **rest)
        cancelled = response.stop_reason == "cancelled"
        return PromptResponse.model_construct(stop_reason="canceled") if cancelled else response


class CancelledIsDenied(Good):
    """S7 permission/cancel: a permission answered cancelled counts as refused, and the turn goes on without the tool."""

    asking = False

    async def permitted(self, session: Session, command: str) -> bool:
        self.asking = True
        try:
            return await super().permitted(session, command)
        except asyncio.CancelledError:
            return False
        finally:
            self.asking = False

    def stop(self, session: Session) -> None:
        if not self.asking:
            super().stop(session)


class AdvertisesMissing(Good):
    """S8 settled/close: session/close is advertised and does not exist."""

    async def close_session(self, session_id: str, **_: Any) -> Any:
        raise RequestError.method_not_found("session/close")


class LoadForgets(Good):
    """S8 settled/restart-load: the conversation is shown to the client and not given to the model."""

    async def replay(self, session: Session) -> None:
        await super().replay(session)
        session.history = []


class LoadTakesOver(Good):
    """L9 streaming/load: a load of a live session puts a new one in its place, which no cancel gets past."""

    async def load_live(self, session: Session) -> None:
        self.sessions[session.id] = Session(session.id, list(session.history))
        await super().load_live(session)


class DiesLeavingTool(Good):
    """L4 tool/sigterm: SIGTERM ends the process at once, and the shell command goes on."""

    abrupt = True


class KeepsModelRequest(Good):
    """S6 stalled/cancel: the request to the model stays open after a cancel (a note, not a finding)."""

    async def run_turn(self, session: Session, text: str) -> str:
        work = asyncio.ensure_future(super().run_turn(session, text))
        return await asyncio.shield(work)

    async def say(self, session: Session, piece: str) -> None:
        if session.turn is not None and not session.turn.cancelling():
            await super().say(session, piece)


def main() -> None:
    """Run the agent whose class is named."""
    agent = globals()[sys.argv[1]]()

    async def run() -> None:
        if getattr(agent, "deaf", False):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            asyncio.get_running_loop().add_signal_handler = lambda *_: None  # type: ignore[method-assign]  # stays deaf
        if getattr(agent, "abrupt", False):
            asyncio.get_running_loop().add_signal_handler = lambda *_: None  # type: ignore[method-assign]  # dies of it
        await serve(agent)
        while getattr(agent, "stays", False):
            await asyncio.sleep(1)

    asyncio.run(run())


if __name__ == "__main__":
    main()
