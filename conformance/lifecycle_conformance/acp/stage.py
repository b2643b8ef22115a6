"""Owns one run's world: a fresh HOME, a model, an agent process, and the small steps every run is made of."""

from __future__ import annotations

import asyncio
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

from lifecycle_conformance.acp import processes
from lifecycle_conformance.acp.environment import agent_environment, prepare_home
from lifecycle_conformance.acp.errors import Missed, OutOfReach
from lifecycle_conformance.acp.fakemodel import FakeModel, Reply, Say
from lifecycle_conformance.acp.load import Load
from lifecycle_conformance.acp.options import Options
from lifecycle_conformance.acp.record import Call, Prompt, Record, Role, ToolFact, Wait, stop_reason
from lifecycle_conformance.acp.refusal import recognise
from lifecycle_conformance.acp.survey import Survey
from lifecycle_conformance.acp.table import Run
from lifecycle_conformance.acp.wire import Line, Wire


def absolute(command: Sequence[str]) -> list[str]:
    """Make words that name files from here absolute: the agent is started in a folder of its own."""
    return [
        str(Path(word).absolute()) if Path(word).is_file() and (i > 0 or "/" in word) else word
        for i, word in enumerate(command)
    ]


class Stage:
    """One run's world. Enter it, `boot`, then drive; `record` holds all that was seen. Leaving kills everything."""

    def __init__(self, command: Sequence[str], options: Options, survey: Survey, run: Run, load: Load) -> None:
        self.options, self.limits, self.survey = options, options.limits, survey
        self.record = Record(
            run,
            gated=survey.gated,
            turn_takes=survey.turn,
            reports=survey.reports,
            doubles=survey.doubles,
            remembers=survey.remembers,
            cancel_slow=options.limits.cancel_slow,
        )
        self.model = FakeModel(needs_tools=survey.offers_tools)
        self.allow = True
        self.pending: list[Line] = []
        self.number = secrets.randbelow(9 * 10**8) + 10**8
        self._command, self._load = absolute(command), load
        self._root = Path(tempfile.mkdtemp(prefix=processes.folder_prefix()))
        self.mark = str(self._root)
        self._before = processes.living()
        self.home, self.cwd = self._root / "home", self._root / "work"
        self._wire: Wire | None = None
        self._env: dict[str, str] = {}

    @property
    def wire(self) -> Wire:
        """Return the agent's wire; the agent must have been spawned."""
        assert self._wire is not None, "spawn the agent first"
        return self._wire

    async def __aenter__(self) -> Self:
        try:
            await self.model.__aenter__()
            self._env = agent_environment(self.options, self.model.url, self.home, self.cwd)
            await prepare_home(self.options, self._env, self.home, self.cwd)
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        self.freeze()
        # an interrupt may come at any of these steps: the ones after it are done all the same
        try:
            if self._wire is not None:
                await self._wire.end()
        finally:
            processes.reap(self.mark)
            try:
                await self.model.__aexit__()
            finally:
                shutil.rmtree(self._root, ignore_errors=True)

    def freeze(self) -> Record:
        """Copy what was seen into the record."""
        record, wire = self.record, self._wire
        record.requests = self.model.log.requests
        if wire is not None:
            record.lines, record.flooded = wire.lines, record.flooded or wire.flooded
        return record

    # starting

    async def spawn(self) -> None:
        """Start a process for the agent; a second one shares HOME and cwd and continues the first's record."""
        before = self._wire.lines if self._wire is not None else []
        try:
            self._wire = await Wire.spawn(self._command, self._env, str(self.cwd))
        except OSError as error:
            raise OutOfReach("start", f"{self._command[0]} cannot be started: {error.strerror}") from error
        self._wire.continue_from(before)
        self._wire.on_request(self._asked)

    async def boot(self, version: int = 1) -> dict[str, Any]:
        """Spawn and initialize; returns the result, raises OutOfReach where there is none."""
        await self.spawn()
        params = {
            "protocolVersion": version,
            "clientCapabilities": {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False},
            "clientInfo": {"name": "lifecycle", "title": "lifecycle check", "version": "1"},
        }
        answer = await self._must_answer("initialize", params, "start")
        self.record.capabilities = answer.get("agentCapabilities") or {}
        if self.options.authenticate is not None:
            await self._must_answer("authenticate", {"methodId": self.options.authenticate}, "start")
        return answer

    async def session(self) -> str:
        """Make a session; raises OutOfReach where there is none."""
        answer = await self._must_answer("session/new", self.place(), "new")
        session = answer.get("sessionId")
        if not isinstance(session, str) or not session:
            raise OutOfReach("protocol", f"session/new was answered without a sessionId: {answer}")
        self.record.sessions.append(session)
        if self.options.mode is not None:
            await self._must_answer("session/set_mode", {"sessionId": session, "modeId": self.options.mode}, "new")
        return session

    def place(self) -> dict[str, Any]:
        """Return where a session is: the parameters of new and load."""
        return {"cwd": str(self.cwd), "mcpServers": []}

    async def _must_answer(self, method: str, params: dict[str, Any], limit: str) -> dict[str, Any]:
        call = await self.call(method, params, "start", None, limit)
        answer = self.record.answer(call.id)
        result = answer.get("result") if answer is not None else None
        if isinstance(result, dict):
            return result
        if answer is not None and "result" in answer:
            return {}
        raise recognise(self, method, answer, call.wait)

    # asking

    async def call(self, method: str, params: dict[str, Any], purpose: str, session: str | None, limit: str) -> Call:
        """Send a request and wait for its answer."""
        identity, message = self.wire.request(method, params)
        return await self.settle(self.note(identity, method, purpose, session, self.wire.send(message)), limit)

    def note(self, identity: int, method: str, purpose: str, session: str | None, sent: int) -> Call:
        """Record a request that was sent."""
        call = Call(purpose, method, identity, sent, session)
        self.record.calls.append(call)
        return call

    async def settle(self, call: Call, limit: str) -> Call:
        """Wait for the answer of a request that was sent."""
        call.wait = await self.wait(f"the answer to {call.method}", limit, lambda: bool(self.wire.answers(call.id)))
        self.freeze()
        return call

    def draft(self, role: Role, session: str, *replies: Reply, shell: bool = False) -> tuple[Prompt, dict[str, Any]]:
        """Plan a prompt's answers and make its message, unsent."""
        key = f"LK{secrets.token_hex(4)}"
        self.model.plan(key, *(replies or (Say(),)))
        wish = "run the shell command we agreed on" if shell else "answer in one word"
        text = f"This is request {key}. Please {wish}."
        params = {"sessionId": session, "prompt": [{"type": "text", "text": text}]}
        identity, message = self.wire.request("session/prompt", params)
        letter = chr(ord("A") + len(self.record.prompts))
        prompt = Prompt(letter, role, key, session, identity, len(self.wire.lines))
        self.record.prompts.append(prompt)
        return prompt, message

    def prompt(self, role: Role, session: str, *replies: Reply, shell: bool = False) -> Prompt:
        """Send a prompt."""
        prompt, message = self.draft(role, session, *replies, shell=shell)
        prompt.sent = self.wire.send(message)
        return prompt

    def cancel_message(self, session: str) -> dict[str, Any]:
        """Make a session/cancel notification."""
        return {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}}

    def note_cancel(self, session: str, position: int) -> None:
        """Mark the prompts of a session that a cancel at `position` reaches."""
        for prompt in self.record.prompts:
            running = prompt.session == session and prompt.cancelled is None and prompt.sent < position
            if running and not self.wire.answers(prompt.id):
                prompt.cancelled = position

    # waiting

    async def wait(self, what: str, limit: str, condition: Callable[[], bool], poll: float | None = None) -> Wait:
        """Wait for a condition on the wire; the result says how long, and what the machine added."""
        bound: float = getattr(self.limits, limit)
        start = time.monotonic()
        before = processes.run_delay(self.processes()) if bound >= 1 else 0.0
        ended = self.over
        came = await self.wire.until(lambda: condition() or ended(), bound, poll or 0.25)
        if came and condition():
            return Wait(what, limit, bound, time.monotonic() - start, 0.0)
        if came:
            # the process is gone: give the pipe's rest a moment to be read, then nothing more can come
            await self.wire.until(lambda: condition() or self.wire.ended_output is not None, 1)
            return Wait(what, limit, bound, time.monotonic() - start if condition() else None, 0.0)
        after = processes.run_delay(self.processes())
        return Wait(what, limit, bound, None, max(0.0, after - before) + self._load.since(start))

    async def lapse(self, what: str, limit: str, condition: Callable[[], bool]) -> Wait:
        """Wait for a condition that nobody rings for and that the agent's own exit does not end."""
        bound: float = getattr(self.limits, limit)
        start = time.monotonic()
        came = await self.wire.until(condition, bound, 0.05)
        took = time.monotonic() - start if came else None
        return Wait(what, limit, bound, took, 0.0 if came else self._load.since(start))

    def over(self) -> bool:
        """Tell whether the agent's process is gone and nothing more can come from it."""
        # a grandchild may hold the output open for ever: a second after the exit nothing more is expected
        exited = self.wire.exited
        if self.wire.flooded:
            return True
        return exited is not None and (self.wire.ended_output is not None or time.monotonic() - exited > 1)

    async def answered(self, prompt: Prompt, limit: str) -> Wait:
        """Wait for a prompt's answer."""
        wait = await self.wait(f"the answer to prompt {prompt.name}", limit, lambda: bool(self.wire.answers(prompt.id)))
        prompt.waits.append(wait)
        return wait

    async def barrier(self) -> None:
        """Wait until the agent has read all we wrote: ask for a method that does not exist."""
        if not self.survey.answers_unknown:
            await asyncio.sleep(self.limits.quiet)
            return
        identity, message = self.wire.request("lifecycle/barrier", {})
        self.wire.send(message)
        await self.wire.until(lambda: bool(self.wire.answers(identity)) or self.over(), self.limits.cancel)

    async def quiet(self) -> None:
        """Let what the agent still had to say arrive, before the run is judged."""
        await self.barrier()
        await asyncio.sleep(self.limits.quiet)
        if self.record.tool is not None:
            self.saw_tool()
        if self.wire.exited is not None and self.record.exit is None:
            self.record.died = self.wire.returncode

    # permission and tools

    def _asked(self, line: Line) -> None:
        message = line.message or {}
        if message.get("method") != "session/request_permission":
            error = {"code": -32601, "message": "this client does not offer the method"}
            self.wire.send({"jsonrpc": "2.0", "id": message.get("id"), "error": error})
            return
        self.pending.append(line)
        if self.allow:
            self.permit()
        self.wire.changes.ring()

    def permit(self) -> None:
        """Allow every pending permission request once."""
        for line in self._take():
            options: list[dict[str, Any]] = ((line.message or {}).get("params") or {}).get("options") or []
            kinds = {o.get("kind"): o.get("optionId") for o in reversed(options)}
            first = options[0].get("optionId") if options else "allow"
            chosen = kinds.get("allow_once") or kinds.get("allow_always") or first
            self._respond(line, {"outcome": "selected", "optionId": chosen})

    def cancel_permissions(self) -> None:
        """Answer every pending permission request as cancelled, as a client that cancels must."""
        for line in self._take():
            self._respond(line, {"outcome": "cancelled"})

    def _take(self) -> list[Line]:
        pending, self.pending = self.pending, []
        return pending

    def _respond(self, line: Line, outcome: dict[str, Any]) -> None:
        message = {"jsonrpc": "2.0", "id": (line.message or {}).get("id"), "result": {"outcome": outcome}}
        self.wire.send(message)

    @property
    def tool_command(self) -> str:
        """Return the shell command of this run: it runs until it is ended, and no other process looks like it."""
        return f"tail -n {self.number} -f /dev/null"

    def tool_processes(self) -> list[processes.Process]:
        """Return the processes of the tool's command itself, not those of shells and supervisors around it."""
        return [p for p in self.processes() if p.command.startswith(f"tail -n {self.number}")]

    def watch_tool(self) -> ToolFact:
        """Start keeping the fact whether the tool ran."""
        self.record.tool = self.record.tool or ToolFact(self.tool_command)
        return self.record.tool

    def processes(self) -> list[processes.Process]:
        """Return the living processes of this run."""
        return processes.marked(self.mark, self._before)

    def saw_tool(self) -> bool:
        """Look whether the tool runs, and remember it if it does."""
        found = bool(self.tool_processes())
        fact = self.watch_tool()
        fact.ran = fact.ran or found
        return found

    def missed(self, prompt: Prompt, what: str) -> Missed:
        """Make the error that says why a window was not reached."""
        reason = stop_reason(self.record.answer(prompt.id))
        after = f"; the prompt was answered {reason}" if reason else ""
        return Missed(f"{what}{after}")
