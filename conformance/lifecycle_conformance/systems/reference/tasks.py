"""The commands of section O: background tasks, the tool plugin and the executor."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial

from lifecycle_conformance.systems.reference.life import Answered, abort_with
from lifecycle_conformance.systems.reference.storage import now
from lifecycle_conformance.systems.reference.world import OK, Later, World, performs
from lifecycle_model import commands as ask
from lifecycle_model.wire import Answer
from lifecycle_runtime.errors import UnknownTask
from lifecycle_runtime.executor import Executor
from lifecycle_runtime.ports import ToolCall
from lifecycle_runtime.signals import AbortController
from lifecycle_runtime.values import JsonObject


@performs(ask.Task)
def task(world: World, command: ask.Task) -> Answered:
    """Perform one of the verbs of section O."""
    shell = world.shell
    spawner = shell.spawner
    if command.act == "start":
        return _start(world, command)
    if command.act in ("finish", "exit"):
        process = spawner.processes.get(command.task)
        if process is None and command.task not in shell.signals:
            raise UnknownTask(f"task {command.task} was never started")
        if process is not None:  # one that could not be started has nothing to end
            process.exit(1 if command.outcome == "fail" else 0)
        return OK
    if command.act == "abort":
        signal = shell.signals.get(command.task)
        if signal is None:
            raise UnknownTask(f"task {command.task} was never started")
        abort_with(signal, None)
        return OK
    caller = command.token if command.token is not None else command.caller
    number = shell.ids.get(command.task, command.task)
    if command.act in ("read", "kill") and shell.executor is None:
        raise UnknownTask(f"unknown task {command.task}: no executor is loaded")
    if command.act == "read":
        return Answer(ok=shell.present().read(number, caller).text)
    if command.act == "kill":
        return Answer(ok=shell.present().kill(number, caller))
    return Answer(refused="unsupported", message=f"there is no task act {command.act}")


def _start(world: World, command: ask.Task) -> Answered:
    shell, name = world.shell, command.task
    spawner = shell.spawner
    for told, group in (
        (command.resists, spawner.resisting),
        (command.spawn == "fail", spawner.failing),
        (not command.background, spawner.at_once),
    ):
        group.discard(name)
        if told:
            group.add(name)
    signal = AbortController()
    if command.aborted:
        abort_with(signal, None)
    executor = shell.present()
    if not command.background:
        run = executor.run(name, caller=command.caller, signal=signal)
        return Later(asyncio.ensure_future(run), lambda result: result.text)
    call = world.tool.running.get(command.caller or "") if command.token is None and not command.aborted else None
    bash = shell.bash() if call is not None else None
    if call is not None and bash is not None:
        # an agent in a call starts its task as models do, through the plugin: the turn's end is not the task's (O9)
        arguments: JsonObject = {"command": name, "background": True}
        now(bash.call(replace(call, call=ToolCall(call.call.id, bash.name, arguments))))
        number = executor.tasks()[-1]
        signal.on_abort(partial(_kill, executor, number, command.caller))
    else:
        number = executor.start(name, caller=command.caller, owner=command.token, signal=signal)
    shell.ids[name], shell.names[number], shell.signals[name] = number, name, signal
    return Answer(ok=name)


def _kill(executor: Executor, number: str, caller: str | None) -> None:
    if executor.status(number) is not None:
        executor.kill(number, caller)


@performs(ask.Tool)
def tool(world: World, command: ask.Tool) -> Answered:
    """Unload or load the tool plugin."""
    if command.act == "unload":
        world.shell.unload_tool()
    else:
        world.shell.load_tool()
    return OK


@performs(ask.Executor)
def executor(world: World, command: ask.Executor) -> Answered:
    """Unload or load the executor."""
    if command.act == "unload":
        return world.follow(command.as_, world.shell.unload_executor())
    world.shell.load_executor()
    return OK
