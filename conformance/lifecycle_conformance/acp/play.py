"""Owns what each command does in whatever window it finds; refuses to judge what comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Literal

from lifecycle_conformance.acp import processes
from lifecycle_conformance.acp.enter import enter, fail_replies, release
from lifecycle_conformance.acp.errors import Missed
from lifecycle_conformance.acp.record import Exit, Prompt, stop_reason
from lifecycle_conformance.acp.stage import Stage

NOWHERE = "00000000-0000-4000-8000-000000000000"


async def play(stage: Stage) -> None:
    """Play the run of a stage that was entered; raises OutOfReach or Missed where it cannot be played."""
    command = stage.record.run.command.name
    if command == "initialize":
        await _initialize(stage)
        return
    await stage.boot()
    session = await stage.session()
    await _COMMANDS[command](stage, session)


async def _initialize(stage: Stage) -> None:
    await stage.spawn()
    params = {"protocolVersion": 65_535, "clientCapabilities": {}}
    await stage.call("initialize", params, "version", None, "start")
    await stage.quiet()


async def _unknown_method(stage: Stage, session: str) -> None:
    stage.wire.send({"jsonrpc": "2.0", "method": "lifecycle/unknown_notification", "params": {}})
    await stage.call("lifecycle/unknown_method", {}, "unknown-method", None, "cancel")
    await _follow_up(stage, session)


async def _cancel(stage: Stage, session: str, times: int = 1) -> None:
    main = await enter(stage, session)
    stage.note_cancel(session, stage.wire.send(*[stage.cancel_message(session)] * times))
    stage.cancel_permissions()
    if main is not None:
        await _converge(stage, main)
    else:
        await stage.barrier()
    await _follow_up(stage, session)


async def _cancel_twice(stage: Stage, session: str) -> None:
    await _cancel(stage, session, 2)


async def _converge(stage: Stage, main: Prompt) -> None:
    """Wait for a cancelled prompt; if the limit passes, open its gates and see what it says then."""
    stage.allow = False
    wait = await stage.answered(main, "cancel")
    if not wait.lapsed:
        await _work_stops(stage, main)
    await release(stage, main)
    if wait.lapsed:
        await stage.answered(main, "answer")
    await asyncio.sleep(stage.limits.quiet)


async def _work_stops(stage: Stage, main: Prompt) -> None:
    log = stage.model.log
    stage.record.model_stopped = await stage.wait(
        "the model request to be dropped",
        "cancel",
        lambda: all(r.state != "open" for r in log.of(main.key)),
        poll=0.05,
    )
    if stage.record.tool is not None:
        stage.record.tool.stopped = await stage.wait(
            "the tool's process to be gone", "cancel", lambda: not stage.saw_tool(), poll=0.05
        )


async def _second_prompt(stage: Stage, session: str) -> None:
    if stage.record.run.window.name == "failing":
        failed = stage.prompt("main", session, *fail_replies())
        await stage.answered(failed, "answer")
        await _follow_up(stage, session)
        return
    main = await _must_enter(stage, session)
    second = stage.prompt("overlap", session)
    await stage.barrier()
    await release(stage, main)
    await stage.answered(main, "answer")
    await stage.answered(second, "answer")
    await _follow_up(stage, session)


async def _cancel_and_prompt(stage: Stage, session: str) -> None:
    main = await enter(stage, session)
    batched, message = stage.draft("batched", session)
    stage.freeze()
    position = stage.wire.send(stage.cancel_message(session), message)
    batched.sent = position + 1
    stage.note_cancel(session, position)
    stage.cancel_permissions()
    if main is not None:
        await _converge(stage, main)
    stage.allow = True
    await stage.answered(batched, "answer")
    await _follow_up(stage, session)


async def _load(stage: Stage, session: str, times: int = 1) -> None:
    main = await enter(stage, session)
    drafts = [stage.wire.request("session/load", {"sessionId": session, **stage.place()}) for _ in range(times)]
    position = stage.wire.send(*(message for _, message in drafts))
    calls = [
        stage.note(identity, "session/load", "live-load", session, position + i)
        for i, (identity, _) in enumerate(drafts)
    ]
    for call in calls:
        await stage.settle(call, "answer")
    if main is not None and not stage.wire.answers(main.id):
        stage.note_cancel(session, stage.wire.send(stage.cancel_message(session)))
        stage.cancel_permissions()
        await _converge(stage, main)
    await _follow_up(stage, session)


async def _load_twice(stage: Stage, session: str) -> None:
    await _load(stage, session, 2)


async def _restart(stage: Stage, session: str, method: Literal["load", "resume"]) -> None:
    await enter(stage, session)
    stage.wire.close_input()
    await stage.wait("the exit", "exit", lambda: stage.wire.exited is not None)
    await stage.wire.end()
    processes.reap(stage.mark)
    stage.freeze()
    await stage.boot()
    params = {"sessionId": session, **stage.place()}
    await stage.call(f"session/{method}", params, f"restart-{method}", session, "new")
    answer = stage.record.answer(stage.record.calls[-1].id)
    if answer is not None and "result" in answer:
        await stage.quiet()
        await _follow_up(stage, session)


async def _restart_load(stage: Stage, session: str) -> None:
    await _restart(stage, session, "load")


async def _restart_resume(stage: Stage, session: str) -> None:
    await _restart(stage, session, "resume")


async def _new(stage: Stage, session: str) -> None:
    main = await enter(stage, session)
    call = await stage.call("session/new", stage.place(), "second-session", None, "new")
    result = (stage.record.answer(call.id) or {}).get("result")
    second = result.get("sessionId") if isinstance(result, dict) else None
    if isinstance(second, str):
        stage.record.sessions.append(second)
        await stage.answered(stage.prompt("other", second), "answer")
    if main is not None:
        await release(stage, main)
        await stage.answered(main, "answer")
    await _follow_up(stage, session)


async def _close(stage: Stage, session: str) -> None:
    main = await enter(stage, session)
    identity, message = stage.wire.request("session/close", {"sessionId": session})
    running = [prompt for prompt in stage.record.prompts if not stage.wire.answers(prompt.id)]
    position = stage.wire.send(message)
    for prompt in running:
        prompt.closed = position
    stage.cancel_permissions()
    call = stage.note(identity, "session/close", "close", session, position)
    await stage.settle(call, "cancel")
    if "error" in (stage.record.answer(call.id) or {}):
        # a session whose close was refused was not closed: its prompt goes on, and it may be prompted again
        for prompt in running:
            prompt.closed = None
            await release(stage, prompt)
            await stage.answered(prompt, "answer")
    else:
        if main is not None:
            await _converge(stage, main)
        await stage.answered(stage.prompt("closed", session), "answer")
    await stage.quiet()


async def _end(stage: Stage, session: str, cause: Literal["eof", "sigterm"]) -> None:
    await enter(stage, session)
    if cause == "eof":
        stage.wire.close_input()
    else:
        stage.wire.terminate()
    limit = "exit" if cause == "eof" else "terminate"
    wait = await stage.wait("the exit", limit, lambda: stage.wire.exited is not None)
    after = None
    if wait.lapsed and cause == "eof":
        stage.wire.terminate()
        after = await stage.wait("the exit", "terminate", lambda: stage.wire.exited is not None)
    stage.record.exit = Exit(cause, wait, [], after_term=after)
    if stage.wire.exited is not None:
        await _leftovers(stage, stage.record.exit)


async def _leftovers(stage: Stage, ended: Exit) -> None:
    """Note what still lives some time after the exit, deliberate daemons apart."""

    def left() -> list[processes.Process]:
        return [p for p in stage.processes() if not p.allowed(stage.options.daemons)]

    ended.gone = await stage.lapse("the end of what it started", "leftovers", lambda: not left())
    ended.left = left()


async def _eof(stage: Stage, session: str) -> None:
    await _end(stage, session, "eof")


async def _sigterm(stage: Stage, session: str) -> None:
    await _end(stage, session, "sigterm")


async def _unknown(stage: Stage, session: str) -> None:
    main = await enter(stage, session)
    stage.wire.send(stage.cancel_message(NOWHERE))
    await stage.barrier()
    stray = stage.prompt("unknown", NOWHERE)
    await stage.answered(stray, "answer")
    if stage.record.capabilities.get("loadSession"):
        await stage.call("session/load", {"sessionId": NOWHERE, **stage.place()}, "unknown-load", NOWHERE, "answer")
    if main is not None:
        await release(stage, main)
        await stage.answered(main, "answer")
    await _follow_up(stage, session)


async def _other(stage: Stage, session: str) -> None:
    second = await stage.session()
    main = await _must_enter(stage, session)
    other = await enter(stage, second, "other")
    if other is None:
        raise Missed("the other session has no prompt in flight")
    stage.note_cancel(session, stage.wire.send(stage.cancel_message(session)))
    stage.cancel_permissions()
    wait = await stage.answered(main, "cancel")
    await stage.barrier()
    if not wait.lapsed:
        await _work_stops(stage, main)  # or the release below would have the model speak to who was still leaving it
    stage.model.release(main.key)
    await release(stage, other)
    await stage.answered(other, "answer")
    if wait.lapsed:
        await stage.answered(main, "answer")
    await _follow_up(stage, session)


async def _must_enter(stage: Stage, session: str) -> Prompt:
    main = await enter(stage, session)
    if main is None:
        raise Missed("no prompt is in flight in this window")
    return main


async def _follow_up(stage: Stage, session: str) -> None:
    """Prompt once more where the client may: every earlier prompt of the session was answered."""
    stage.allow = True
    await stage.barrier()
    earlier = [p for p in stage.record.prompts if p.session == session]
    if any(stop_reason(stage.freeze().answer(p.id)) != "end_turn" for p in earlier):
        # what such a turn leaves behind is there by then, for every run alike
        await asyncio.sleep(stage.limits.calm)
    if not stage.over() and all(stop_reason(stage.freeze().answer(p.id)) is not None for p in earlier):
        await stage.answered(stage.prompt("follow-up", session), "answer")
    await stage.quiet()


_COMMANDS: dict[str, Callable[[Stage, str], Awaitable[None]]] = {
    "unknown-method": _unknown_method,
    "cancel": _cancel,
    "cancel-twice": _cancel_twice,
    "prompt": _second_prompt,
    "cancel+prompt": _cancel_and_prompt,
    "load": _load,
    "load-twice": _load_twice,
    "restart-load": _restart_load,
    "restart-resume": _restart_resume,
    "new": _new,
    "close": _close,
    "eof": _eof,
    "sigterm": _sigterm,
    "unknown": _unknown,
    "other": _other,
}
