"""Owns bringing a session into a window and letting its prompt go on from there; clocks start from the model's log."""

from __future__ import annotations

import contextlib
import os
import signal

from lifecycle_conformance.acp.errors import Missed
from lifecycle_conformance.acp.fakemodel import Call, Fail, Hold, Reply, Slow
from lifecycle_conformance.acp.processes import Process
from lifecycle_conformance.acp.record import Prompt, Role, content_of
from lifecycle_conformance.acp.stage import Stage


async def enter(stage: Stage, session: str, role: Role = "main") -> Prompt | None:
    """Bring `session` into the run's window; returns its prompt if one is in flight, raises Missed if it fails."""
    window = stage.record.run.window.name
    if window in {"idle", "boot", "failing"}:
        return None
    if window == "settled":
        first = stage.prompt("main", session)
        await stage.answered(first, "answer")
        if stage.record.stop_reason(first) != "end_turn":
            raise stage.missed(first, "the first prompt did not end with end_turn")
        return None
    stage.allow = window != "permission"
    if window in {"tool", "permission"}:
        stage.watch_tool()
    prompt = stage.prompt(role, session, *_replies(stage, window), shell=window in {"tool", "permission"})
    if window != "accepted":
        await _await_window(stage, window, prompt)
    return prompt


def _replies(stage: Stage, window: str) -> tuple[Reply, ...]:
    if window == "streaming":
        return (Slow(),)
    if window in {"tool", "permission"}:
        return (Call(stage.tool_command),)
    # an agent without gates is in flight for as long as its own model takes
    return (Hold(),) if stage.survey.gated else ()


async def _await_window(stage: Stage, window: str, prompt: Prompt) -> None:
    log = stage.model.log
    limits = stage.limits

    def answered() -> bool:
        return bool(stage.wire.answers(prompt.id))

    if not await log.until(lambda: bool(log.of(prompt.key)) or answered(), limits.model) or answered():
        raise stage.missed(prompt, f"the agent's model was not asked within {limits.model:g} s (limit model)")
    if window == "streaming" and not await _first_piece(stage, prompt):
        raise stage.missed(prompt, f"no piece of the model's answer arrived within {limits.model:g} s (limit model)")
    if window == "permission" and not await stage.wire.until(lambda: bool(stage.pending) or answered(), limits.tool):
        raise stage.missed(prompt, f"no permission request within {limits.tool:g} s (limit tool)")
    if window == "tool" and not await stage.wire.until(lambda: stage.saw_tool() or answered(), limits.tool, poll=0.05):
        raise stage.missed(prompt, f"the tool's process was not seen within {limits.tool:g} s (limit tool)")
    if answered():
        raise stage.missed(prompt, "the prompt was over before its window")


async def _first_piece(stage: Stage, prompt: Prompt) -> bool:
    log = stage.model.log
    if not stage.survey.streams:
        return await log.until(lambda: any(r.chunks > 1 for r in log.of(prompt.key)), stage.limits.model)

    def arrived() -> bool:
        lines = stage.wire.lines[prompt.sent :]
        return any(content_of(line, prompt.session) and prompt.key in line.text for line in lines)

    return await stage.wire.until(lambda: arrived() or bool(stage.wire.answers(prompt.id)), stage.limits.model)


async def release(stage: Stage, prompt: Prompt) -> None:
    """Let a prompt go on to its natural end: permit what it asks, end its tool, open its model's gate."""
    prompt.released = True
    window = stage.record.run.window.name
    if window == "permission":
        stage.allow = True
        if stage.pending:
            stage.permit()

            def ran() -> bool:
                # a prompt that was replaced meanwhile runs no tool any more
                return stage.saw_tool() or bool(stage.wire.answers(prompt.id))

            if not await stage.wire.until(ran, stage.limits.tool, poll=0.05):
                raise Missed("the permitted tool's process was not seen")
    if window in {"tool", "permission"}:
        _end_tool(stage.tool_processes())
    stage.model.release(prompt.key)


def _end_tool(found: list[Process]) -> None:
    """End the tool as if it had finished; its shell reports it."""
    for process in found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGTERM)


def fail_replies() -> tuple[Reply, ...]:
    """Return what the failing window's model says: an error, however often the agent tries again."""
    return (Fail(),) * 40
