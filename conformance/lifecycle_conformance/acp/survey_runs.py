"""Owns the two control runs: what an agent offers when nothing unusual is asked, and how fast it is."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence

from lifecycle_conformance.acp import processes
from lifecycle_conformance.acp.enter import release
from lifecycle_conformance.acp.errors import OutOfReach, Why
from lifecycle_conformance.acp.evidence import tidy
from lifecycle_conformance.acp.fakemodel import Call, Slow
from lifecycle_conformance.acp.fakemodel.script import shell_call
from lifecycle_conformance.acp.load import Load
from lifecycle_conformance.acp.options import Options
from lifecycle_conformance.acp.record import Prompt, content_of
from lifecycle_conformance.acp.refusal import classify, recognise
from lifecycle_conformance.acp.stage import Stage
from lifecycle_conformance.acp.survey import Survey
from lifecycle_conformance.acp.table import WINDOWS, Command, Run
from lifecycle_conformance.acp.wire import Line

# how many pieces a slow model says before an agent that showed none of them is known to send its text whole
_ENOUGH = 4
_PLAIN = Command("control", "one prompt, nothing else", (), ("settled",), "S4", ())
_TOOL = Command("control-tool", "one prompt that runs a shell command", (), ("tool",), "S4", ())


async def survey(command: Sequence[str], options: Options, load: Load, progress: Callable[[str], None]) -> Survey:
    """Play the control runs; raises OutOfReach where even a plain prompt is not answered."""
    found = Survey(gated=options.model == "loopback")
    progress("control run: one prompt")
    windows = {w.name: w for w in WINDOWS}
    # the first start of an agent often writes state and compiles: only the second one is measured
    async with Stage(command, options, found, Run(windows["settled"], _PLAIN), load) as stage:
        await _plain(stage, found)
    if found.gated and found.shell_tool is not None:
        progress("control run: one shell command")
        async with Stage(command, options, found, Run(windows["tool"], _TOOL), load) as stage:
            await _tool(stage, found)
    return found


async def _plain(stage: Stage, found: Survey) -> None:
    start = time.monotonic()
    answer = await stage.boot()
    found.boot = time.monotonic() - start
    found.protocol = answer.get("protocolVersion", 0)
    if found.protocol != 1:
        raise OutOfReach("protocol", f"it answered protocol version {found.protocol}; this profile judges version 1")
    info = answer.get("agentInfo") or {}
    found.name, found.version = str(info.get("name", "")), str(info.get("version", ""))
    found.capabilities = stage.record.capabilities
    start = time.monotonic()
    session = await stage.session()
    found.new = time.monotonic() - start
    start = time.monotonic()
    prompt = stage.prompt("main", session)
    wait = await stage.answered(prompt, "answer")
    found.turn = time.monotonic() - start
    reason = stage.freeze().stop_reason(prompt)
    if reason != "end_turn":
        raise _no_turn(stage, prompt, reason, wait.lapsed)
    content = [line for line in stage.record.lines if content_of(line, session)]
    mine = [r for r in stage.model.log.requests if prompt.key in r.keys]
    if found.gated and not mine:
        _excused(stage, content)
    found.gated = found.gated and bool(mine)
    found.reach = mine[0].opened - start if mine else 0.0
    found.offers_tools = any(r.tools for r in mine)
    shells = (shell_call(r.tools, "true") for r in mine)
    found.shell_tool = next((s[0] for s in shells if s is not None), None)
    pieces = re.findall(re.escape(prompt.key) + r"\.\d+", "\n".join(line.text for line in content))
    found.reports, found.doubles = len(set(pieces)) > 0, len(pieces) != len(set(pieces))
    identity, message = stage.wire.request("lifecycle/barrier", {})
    stage.wire.send(message)
    found.answers_unknown = await stage.wire.until(lambda: bool(stage.wire.answers(identity)), 2)
    if found.gated:
        await _second(stage, found, prompt)


def _excused(stage: Stage, content: list[Line]) -> None:
    """Raise OutOfReach if an agent that never asked its model says in the answer itself that it lacks something."""
    said = "\n".join(line.text for line in content)
    outside = stage.model.log.outside
    if (why := classify(said, outside)) is not None:
        text = tidy(stage.record, content[-1].text) if content else "nothing"
        reach = f"; it tried to reach {', '.join(sorted(set(outside))[:3])}" if outside else ""
        raise OutOfReach(why, f"it answered a plain session/prompt without asking its model{reach}; it said: {text}")


async def _second(stage: Stage, found: Survey, first: Prompt) -> None:
    """Prompt again, with a slow model: what comes back while it speaks, and what it is told of the turn before."""
    stage.model.needs_tools = found.offers_tools  # known by now: a request for a title takes no planned reply
    log, second = stage.model.log, stage.prompt("follow-up", first.session, Slow())

    def came() -> bool:
        return any(second.key in line.text for line in stage.wire.lines if content_of(line, first.session))

    def over() -> bool:
        return bool(stage.wire.answers(second.id)) or any(r.chunks >= _ENOUGH for r in log.of(second.key))

    await stage.wire.until(lambda: came() or over(), stage.limits.model, poll=0.1)
    found.streams = came()
    await release(stage, second)
    await stage.answered(second, "answer")
    # an agent whose model keeps the conversation sends only what is new: its memory cannot be seen from here
    found.remembers = any({first.key, second.key} <= r.keys for r in log.requests)


def _no_turn(stage: Stage, prompt: Prompt, reason: str | None, lapsed: bool) -> OutOfReach:
    answer = stage.record.answer(prompt.id)
    if reason is None or reason == "error":
        error = recognise(stage, "a plain session/prompt", answer, prompt.waits[-1])
        if reason is None and stage.model.log.reached(prompt.key):
            return OutOfReach("protocol", f"{error}; its request to the model was answered")
        if reason is None and stage.wire.returncode is None and lapsed:
            why: Why = "network" if error.why == "timeout" else error.why
            return OutOfReach(why, f"{error}; it never asked the model it was given")
        return error
    return OutOfReach("protocol", f"a plain session/prompt was answered {reason}")


async def _tool(stage: Stage, found: Survey) -> None:
    await stage.boot()
    session = await stage.session()
    stage.watch_tool()
    stage.allow = False
    prompt = stage.prompt("main", session, Call(stage.tool_command), shell=True)

    def something() -> bool:
        return bool(stage.pending) or stage.saw_tool() or bool(stage.wire.answers(prompt.id))

    await stage.wire.until(something, stage.limits.tool, poll=0.05)
    found.asks_permission = bool(stage.pending)
    stage.allow = True
    stage.permit()
    await stage.wire.until(
        lambda: stage.saw_tool() or bool(stage.wire.answers(prompt.id)), stage.limits.tool, poll=0.05
    )
    if not stage.saw_tool():
        return
    await release(stage, prompt)
    wait = await stage.answered(prompt, "answer")
    # a tool that cannot be ended from outside would make every tool run end in a limit
    found.runs_tool = not wait.lapsed and bool(processes.can_look())
