"""Background tasks (O): who may read and kill them, how they end, and the notice to their owner.

A task's component is `task:ID`; one that is not the present executor's is unknown (`executors`). Refuses to let an
agent's life touch a task.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from lifecycle_model.commands import Inject
from lifecycle_model.engine import Now
from lifecycle_model.parts import Background, Executor, Present, Tool
from lifecycle_model.rows import words as w
from lifecycle_model.rows.durability import act
from lifecycle_model.rows.inbox import refuse
from lifecycle_model.state import Agent
from lifecycle_model.table import END, Program, Row
from lifecycle_model.wire import ANY, NEW, NOTHING, UNSET, Answer, Observation


def present(now: Now) -> str:
    """The component of the executor present, or nothing."""
    there: Present | None = now.part("present")
    return Present().executor if there is None else there.executor


def no_executor(now: Now) -> bool:
    """No executor is present."""
    return not present(now)


def unknown(now: Now) -> bool:
    """The present executor has no task of this id."""
    return now.it is None or now.it.executor != present(now)


def never_started(now: Now) -> bool:
    """No task of this id was ever started."""
    return now.it is None


def in_foreground(now: Now) -> bool:
    """The run is in the foreground."""
    return not now.command.background


def signal_aborted(now: Now) -> bool:
    """The start's signal is aborted."""
    return bool(now.command.aborted)


def not_spawned(now: Now) -> bool:
    """The process could not be started."""
    return not now.it.spawned


def caller(now: Now) -> str | None:
    """What the caller identifies himself by, or None."""
    token: str | None = now.command.token
    return now.command.caller if token is None else token


def foreign(now: Now) -> bool:
    """A token is present, and it is not the caller's."""
    return now.it.token is not None and now.it.token != caller(now)


def leaving(now: Now) -> bool:
    """The process has exited, and the executor has not yet noticed."""
    return bool(now.it.leaving)


def stays(now: Now) -> bool:
    """The killed process does not exit by itself."""
    return bool(now.it.resists)


def silenced(now: Now) -> bool:
    """The executor of the task is being unloaded."""
    there: Executor | None = now.part(now.it.executor)
    return there is not None and there.place != "Loaded"


def owner_hears(now: Now) -> bool:
    """The tool is loaded, and a live agent's id is the token."""
    tool: Tool | None = now.part("tool")
    agent = now.part(now.it.token) if now.it.token is not None else None
    return (tool is None or tool.place == "Loaded") and isinstance(agent, Agent) and agent.entered


def hears_first(now: Now) -> bool:
    """The owner can be told, and the tool's listener comes before the others."""
    return owner_hears(now) and not now.late


def hears_last(now: Now) -> bool:
    """The owner can be told, and was not told yet."""
    return owner_hears(now) and now.note("given") is None


def notice_fails(now: Now) -> bool:
    """The notice was refused, and not because the agent is disposed."""
    return any(answer.refused not in (UNSET, "disposed") for answer in now.note("given") or ())


def begin(now: Now) -> Background:
    """The task runs; its owner is the one named, else the caller, else nobody."""
    command = now.command
    now.answer = Answer(ok=command.task)
    if now.it is not None and now.it.place in ("Running", "Killed"):
        now.set_aside()
    return Background(
        command.task,
        token=caller(now),
        executor=present(now),
        spawned=command.spawn is None,
        resists=command.resists,
        leaving=command.spawn is not None,
    )


def answer_ran(now: Now) -> Any:
    """Answer with the result; no task is made."""
    now.answer = Answer(ok=ANY)
    return now.it


def serve(now: Now) -> Background:
    """Answer with what is new since the last read served, whoever made it."""
    it: Background = now.it
    ended = it.place in ENDED
    now.answer = Answer(ok=NEW if it.unread else NOTHING if ended and it.drained else ANY)
    return replace(it, unread=False, drained=True)


def answer_killed(now: Now) -> Background:
    """Answer true; what the process still writes can be read."""
    now.answer = Answer(ok=True)
    return stop(now)


def stop(now: Now) -> Background:
    """It is killed; what the process still writes can be read."""
    return replace(now.it, drained=False)


def answer_ended(now: Now) -> Background:
    """Answer false."""
    now.answer = Answer(ok=False)
    return now.it


def leave(now: Now) -> Background:
    """The process exits; the executor notices it in a segment of its own."""
    return replace(now.it, leaving=True)


def leave_output(now: Now) -> Background:
    """The task has ended, and what nobody has read can be read; whether it wrote more at its end is its own."""
    return replace(now.it, unread=not now.it.drained, drained=False, leaving=False)


def gone(now: Now) -> Background:
    """The process is gone."""
    return replace(now.it, leaving=False)


def completion(now: Now) -> Observation:
    """`completion` of the task."""
    return Observation("task", of=now.of, state="completion")


def contained_notice(now: Now) -> Observation:
    """`contained`: of the completion, or of what refused the notice."""
    return Observation("contained", of=now.of)


def notice(now: Now) -> tuple[Inject, ...]:
    """One inject into the owner; the system names it."""
    return (Inject(now.it.token, ANY),)


def its_executor(now: Now) -> Iterable[str]:
    """The executor that runs the task."""
    return (now.it.executor,)


T = "task"
ENDED = ("Killed", "Exited", "Completed")

PROGRAMS = (
    Program("background", "start; what happens to a process; read and kill through the tool",
            ("background.start", "background.process", "background.known", "background.foreign", "background.serve", "background.exits"), ("O5",)),
    Program("background.begin", "start a task, or run in the foreground",
            ("background.begin.executor", "background.begin.foreground", "background.begin.aborted", "background.begin.run", "background.begin.spawn"), ("O/r1", "O/r2", "O/r3")),
    Program("exit", "the executor notices that a process is gone: completion and notice",
            ("exit.silent", "exit.end", "exit.notice", "exit.failed", "exit.say", "exit.notice_last", "exit.failed_last"), ("O12", "O8")),
)  # fmt: skip

ROWS = (
    Row("O/r1 starts", T, (), "background.start", ("O/r1",), guard=act("start"), then="background.begin"),
    Row("O/r6 no process", T, (), "background.process", ("O/r6",), guard=w.both(act("finish", "exit", "abort"), never_started),
        effect=refuse("unknown_task"), then=END),
    Row("O/r9 leaves", T, ("Running", "Killed"), "background.process", ("O/r9", "O/r10"), guard=w.both(act("finish", "exit"), w.negate(leaving)),
        effect=leave, opens="exit", then=END),
    Row("O/r7 signal", T, ("Running",), "background.process", ("O/r7",), guard=act("abort"), to="Killed", effect=stop, then="background.exits"),
    Row("O12 over", T, (), "background.process", ("O12",), guard=act("finish", "exit", "abort"), then=END),
    Row("O/r6", T, (), "background.known", ("O/r6", "O2", "O11"), guard=unknown, effect=refuse("unknown_task"), then=END),
    Row("O/r4", T, (), "background.foreign", ("O/r4", "O3", "O4", "O5", "O6", "I18"), guard=foreign, effect=refuse("foreign_task"), then=END),
    Row("O/r5", T, (), "background.serve", ("O/r5", "O12", "I18"), guard=act("read"), effect=serve, then=END),
    Row("O/r7", T, ("Running",), "background.serve", ("O/r7", "O/r5", "O12"), to="Killed", effect=answer_killed),
    Row("O/r8", T, ENDED, "background.serve", ("O/r8", "O12"), effect=answer_ended, then=END),
    Row("O/r10 leaves", T, ("Killed",), "background.exits", ("O/r10", "O12"), guard=w.negate(w.either(leaving, stays)), effect=leave, opens="exit"),

    Row("O/r1 no executor", T, (), "background.begin.executor", ("O2",), guard=no_executor, effect=refuse(ANY), then=END),
    Row("O/r3", T, (), "background.begin.foreground", ("O/r3",), guard=in_foreground, effect=answer_ran, then=END),
    Row("O/r2", T, (), "background.begin.aborted", ("O/r2",), guard=signal_aborted, effect=refuse("aborted"), then=END),
    Row("O/r1", T, (), "background.begin.run", ("O/r1", "O1", "O6", "O11"), to="Running", effect=begin),
    Row("O/r9 not spawned", T, ("Running",), "background.begin.spawn", ("O/r9", "O12"), guard=not_spawned, opens="exit"),

    Row("O10 silent", T, (), "exit.silent", ("O10", "I19"), guard=silenced, to="Exited", effect=gone, runs="emptied", on=its_executor, then=END),
    Row("O/r9 spawn failed", T, ("Running",), "exit.end", ("O/r9",), guard=not_spawned, to="Exited", effect=leave_output),
    Row("O/r9", T, ("Running",), "exit.end", ("O/r9",), to="Completed", effect=leave_output),
    Row("O/r10", T, ("Killed",), "exit.end", ("O/r10", "O12"), to="Exited", effect=gone),
    Row("O/r11", T, (), "exit.notice", ("O/r11", "O/r12", "O/r13", "O6", "O7", "O8", "O9"), guard=hears_first, gives=notice),
    Row("O8 logged", T, (), "exit.failed", ("O8",), guard=notice_fails, says=(contained_notice,)),
    Row("O12", T, (), "exit.say", ("O12", "O/r9", "O/r10", "I19"), says=(completion,)),
    Row("O/r11 after other listeners", T, (), "exit.notice_last", ("O/r11", "O8"), guard=hears_last, gives=notice),
    Row("O8 logged last", T, (), "exit.failed_last", ("O8",), guard=notice_fails, says=(contained_notice,)),
)  # fmt: skip
