"""The executor of background tasks and the tool plugin (O): unload and load. Refuses to touch agents.

The present executor is named by `present`; an earlier one may still wait for its processes.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.parts import Executor, Present
from lifecycle_model.rows import words as w
from lifecycle_model.rows.durability import act
from lifecycle_model.rows.tasks import leave, leaving, stays
from lifecycle_model.table import END, Program, Row
from lifecycle_model.wire import Answer


def its_tasks(now: Now) -> Iterable[str]:
    """The tasks of the executor."""
    return [name for name in now.names("task:") if now.part(name).executor == now.subject]


def nothing_runs(now: Now) -> bool:
    """Every process of the executor is gone."""
    return not any(now.part(name).place in ("Running", "Killed") for name in its_tasks(now))


def leave_slot(now: Now) -> Executor:
    """No executor is present any more; the unload waits for the exits, with those before it."""
    now.put("present", Present(""))
    now.answer = Answer(pending=now.command.as_)
    it: Executor = now.it if now.it is not None else Executor(now.subject)
    return replace(it, waiting=(*it.waiting, now.command.as_))


def take_slot(now: Now) -> Executor:
    """The executor is present, and its table is empty."""
    now.put("present", Present(now.subject))
    return Executor(now.subject)


def settle_waiting(now: Now) -> Executor:
    """Every unload settles."""
    for ref in now.it.waiting:
        now.settle(ref)
    return replace(now.it, waiting=())


def vanish(now: Now) -> None:
    """Nothing is left of the task."""
    now.drop()


E, T, P = "executor", "task", "tool"

PROGRAMS = (
    Program("executor", "unload or load the executor", ("executor.load", "executor.unload", "executor.over"), ("O10", "O11")),
    Program("perish", "an unload kills a task", ("perish.kill", "perish.exits"), ("O10", "O/r14")),
    Program("emptied", "an executor whose processes are gone is unloaded", ("emptied.check",), ("O/r14", "V6", "V10")),
    Program("vanish", "an unloaded executor's table is empty", ("vanish.now",), ("O/r14", "O11")),
    Program("plugin", "unload or load the tool plugin", ("plugin.change",), ("O/r13", "O7")),
)  # fmt: skip

ROWS = (
    Row("O11", E, (), "executor.load", ("O11", "O2"), guard=act("load"), to="Loaded", effect=take_slot, then=END),
    Row("O/r14", E, (), "executor.unload", ("O/r14", "O10", "O2"), to="Unloading", effect=leave_slot, runs="perish", on=its_tasks),
    Row("O/r14 waits", E, ("Unloading",), "executor.over", ("O/r14", "O10"), then="emptied"),
    Row("O10 kills", T, ("Running",), "perish.kill", ("O10", "O/r14"), to="Killed"),
    Row("O10 exits", T, ("Killed",), "perish.exits", ("O10", "V10"), guard=w.negate(w.either(leaving, stays)), effect=leave, opens="exit"),
    Row("V6 executor", E, ("Unloading",), "emptied.check", ("O/r14", "V6", "V10"), guard=nothing_runs, to="Unloaded",
        effect=settle_waiting, runs="vanish", on=its_tasks),
    Row("O/r14 empty", T, (), "vanish.now", ("O/r14", "O11"), effect=vanish),
    Row("O/r13 unload", P, (), "plugin.change", ("O/r13", "O7"), guard=act("unload"), to="Unloaded"),
    Row("O/r13 load", P, (), "plugin.change", ("O/r13", "O7"), guard=act("load"), to="Loaded", constant="a plugin is loaded or unloaded"),
)  # fmt: skip
