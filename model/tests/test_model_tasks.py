"""Background tasks, the tool and the executor beyond the vectors: what the contract allows, worked out by hand (O)."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

from lifecycle_model.wire import ANY, NEW, NOTHING


def _load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


S = _load("stories")
NOTICE = "TS(injection) UM(*) TE(completed) FL FL."


def task(act: str, name: str = "t1", **more: Any) -> dict[str, Any]:
    """A verb of a task."""
    return {"do": "task", "act": act, "task": name, **more}


def executor(act: str, ref: str = "u1") -> dict[str, Any]:
    """A verb of the executor."""
    return {"do": "executor", "act": act, "as": ref}


def tool(act: str) -> dict[str, Any]:
    """A verb of the tool."""
    return {"do": "tool", "act": act}


def test_read_is_incremental_and_a_refused_one_moves_nothing() -> None:
    """O5, O12: the last output is there for the owner after a refusal, once, for whoever reads first."""
    tale = S.only(
        (S.create("h1"), task("start", caller="x")),
        (task("finish"),),
        (task("read", caller="y"), task("read"), task("read", caller="x"), task("read", token="x")),
    )
    assert tale.answers[2] == ["foreign_task", "foreign_task", NEW, NOTHING]


def test_what_a_running_task_has_written_is_open() -> None:
    """O12: while it runs a read may give anything; at its end what nobody read is left, and perhaps more."""
    tale = S.only(
        (S.create("h1"), task("start", caller="x")),
        (task("read", caller="x"), task("read", caller="x")),
        (task("finish"),),
        (task("read", caller="x"),),
    )
    assert [tale.answers[1], tale.answers[3]] == [[ANY, ANY], [ANY]]
    unread = S.only((S.create("h1"), task("start", caller="x")), (task("finish"),), (task("read", caller="x"),))
    assert unread.answers[2] == [NEW]


def test_exit_is_noticed_after_what_follows_in_the_segment() -> None:
    """O12: kill behind a finish finds the task running, and there is one completion."""
    tale = S.only(
        (S.create("h1"), task("start", caller="x")),
        (task("finish"), task("kill", caller="x"), task("kill", caller="x"), task("finish")),
    )
    assert tale.answers[1] == [None, True, False, None]
    assert tale.shown[1] == {"t1": "task", "x": NOTICE}
    assert tale.read(task="t1") == {"status": "killed", "owner_of": "x"}


def test_notice_comes_before_or_after_other_listeners() -> None:
    """O8: the tool is one of the listeners of a completion."""
    heard = S.react(S.on("task", "t1"), S.send("m2"))
    tales = S.tell((S.create("h1"), task("start", caller="x")), (heard, task("finish")))
    first = {tale.shown[1]["x"].split()[0] for tale in tales}
    assert first == {"TS(injection)", "enq(m2)"}


def test_completion_in_the_gap_of_a_tool_reload_is_lost_for_good() -> None:
    """O7: neither the gap nor the new tool gives the notice; a later completion does."""
    tale = S.only(
        (S.create("h1"), task("start", caller="x"), task("start", "t2", caller="x")),
        (tool("unload"), task("finish")),
        (tool("load"),),
        (task("finish", "t2"),),
    )
    assert tale.shown[1:] == [{"t1": "task"}, {}, {"t2": "task", "x": NOTICE}]


def test_reload_while_the_old_executor_waits_for_its_processes() -> None:
    """O11: the new one knows no task, the old id is fenced anew, and each unload waits for its own tasks."""
    tale = S.only(
        (S.create("h1"), S.create("h2", "y"), task("start", caller="x", resists=True)),
        (executor("unload"), task("kill", caller="x"), executor("unload", "u2")),
        (executor("load"), task("read", caller="x"), task("start", "t2", caller="y")),
        (executor("unload", "u3"),),
        (task("exit"),),
        (executor("unload", "u4"),),
    )
    assert tale.answers[1] == ["u1", "unknown_task", "u2"]
    assert tale.answers[2] == [None, "unknown_task", "t2"]
    assert tale.settled[1:] == [{}, {}, {"u3": None}, {"u1": None, "u2": None}, {"u4": None}]
    assert all(shown == {} for shown in tale.shown[1:])
    assert tale.read(task="t2") == {"status": None, "owner_of": None}


def test_without_an_executor_nothing_starts() -> None:
    """O2: every id is unknown, and loading one that is there changes nothing."""
    tale = S.only(
        (S.create("h1"), executor("load"), task("start", caller="x")),
        (executor("unload"),),
        (task("start", "t2"), task("kill", caller="x"), executor("unload", "u2")),
    )
    assert tale.answers[0][1:] == [None, "t1"]
    assert tale.answers[2] == [ANY, "unknown_task", "u2"]
    assert tale.settled[2] == {"u2": None}


def test_name_used_again_while_the_first_runs() -> None:
    """Both processes are waited for; the name means the later one."""
    tale = S.only(
        (task("start", resists=True), task("start", token="k", resists=True)),
        (executor("unload"), task("exit")),
    )
    assert tale.settled[1] == {}
    assert tale.read(task="t1") == {"status": "killed", "owner_of": None}
