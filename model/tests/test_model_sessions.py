"""Session entries and storage beyond the vectors: what the contract allows, worked out by hand (L, D)."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest


def _load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


S = _load("stories")
LOG = (S.OPENED, S.NOTED, S.CLOSED)


def step(event: str, turn: int, number: int) -> dict[str, Any]:
    return {"event": event, "turn": turn, "step": number}


def append(record: Any, id_: str = "z") -> dict[str, Any]:
    return {"do": "session", "act": "append", "id": id_, "record": record}


def aside(ref: str, record: Any, id_: str = "z") -> dict[str, Any]:
    return {"do": "session", "act": "append_out_of_band", "id": id_, "record": record, "as": ref}


@pytest.mark.parametrize(
    ("records", "refused"),
    [
        ((S.OPENED, {**S.OPENED, "turn": 2}), 1),
        ((S.OPENED, step("step/start", 1, 1), S.CLOSED), 2),
        ((S.OPENED, step("step/start", 1, 2), step("step/end", 1, 1)), 2),
        ((S.OPENED, step("step/start", 1, 1), step("step/end", 1, 1), step("step/start", 1, 1)), 3),
        ((S.OPENED, S.CLOSED, {**S.OPENED, "turn": 1}), 2),
        ((S.CLOSED,), 0),
        ((3,), 0),
        (({"turn": 1},), 0),
        (({"event": "turn/start"},), 0),
        (({"event": "step/start", "turn": 1},), 0),
        (({"event": "turn/start", "turn": "one"},), 0),
    ],
)
def test_grammar(records: tuple[Any, ...], refused: int) -> None:
    """L/r1, L10: the first record that does not fit is refused and leaves the log as it was."""
    tale = S.only((S.session("create"),), tuple(append(record) for record in records))
    assert tale.answers[1] == [None] * refused + ["invalid"]
    assert len(tale.read(session="z")["log"]) == refused
    seeded = S.only((S.create("h1", "w", seed=list(records)),))
    assert seeded.settled[0] == {"h1": "invalid"}


def test_seed_with_a_turn_open() -> None:
    """Q7: the first claim finds a turn open in the log and is consumed without a turn."""
    tale = S.only((S.create("h1", seed=[S.OPENED, S.NOTED]),), (S.send(),))
    assert tale.shown[1]["x"] == "enq(m1) status(running) dequeue(m1) error status(idle)"


def test_detach_waits_for_the_last_operation() -> None:
    """L/r11: a detach inside s+ and an append inside it runs once, at the end of the outermost."""
    inside = S.react(S.on("session/created", "z"), S.session("detach"), append(S.OPENED), S.session("detach"))
    tale = S.only((inside, S.session("create", owner="f1")))
    assert tale.shown[0]["z"] == "s+ TS(plugin) s-"
    assert tale.read(owner="f1") == {"records": []}
    assert tale.read(session="z")["stored"] == [S.OPENED]


def test_unload_waits_for_a_busy_entry() -> None:
    """L11, L/r11: an owner's unload completes when its session is gone, after the out-of-band flush."""
    tale = S.only(
        (S.session("create", owner="f1"), S.hold("flush", "z")),
        (aside("o1", S.NOTED), S.unload()),
        (S.release("flush", "z"),),
        (S.session("create", owner="f1"),),
    )
    assert tale.shown[1]["z"] == "TS(plugin) UM(mP) TE(completed) FL gate(flush)"
    assert tale.shown[2]["z"] == "FL. s-"
    assert tale.settled[1:3] == [{}, {"o1": None, "u1": None}]
    assert tale.answers[3] == ["inactive_owner"]


def test_vetoed_creation_leaves_nothing() -> None:
    """L/r8: the veto raises; what create entered is gone again, announced and disposed once."""
    tale = S.only(
        (S.react(S.on("session/created", "z"), throw="sync"), S.session("create", owner="f1")), (S.session("create"),)
    )
    assert tale.answers == [[None, "vetoed"], [None]]
    assert tale.shown[0]["z"] == "s+ s-"
    assert tale.read(owner="f1") == {"records": []}
    assert tale.read(store="s1") == {"sessions": ["z"]}


def test_object_enters_again() -> None:
    """L/r6: an object that left its store is unattached and may enter again; the announcement is new."""
    tale = S.only(
        (S.session("create"),),
        (S.session("detach"), S.session("enter"), S.session("announce"), S.session("detach"), S.session("detach")),
    )
    assert tale.answers[1] == [None] * 5
    assert tale.shown[1]["z"] == "s- s+ s-"


def test_created_again_inside_its_own_end() -> None:
    """T8, L5: inside s- the id is free, and the end of the first entry does not touch the second."""
    again = S.react(S.on("session/disposed", "z"), S.session("create"))
    tale = S.only(
        (S.session("create"), append(S.OPENED), again), (S.session("detach"),), (append({**S.OPENED, "turn": 7}),)
    )
    assert tale.shown[1]["z"] == "s- s+"
    assert tale.shown[2]["z"] == "TS(plugin)"
    assert tale.read(store="s1") == {"sessions": ["z"]}
    kept = S.only((S.session("create"), append(S.OPENED), again), (S.session("detach"),), (S.storage("aside", "z"),))
    assert kept.answers[2] == [[S.OPENED]]


def test_agents_session_is_its_agents() -> None:
    """I16, T11: nobody detaches an agent's session from outside, or enters and announces it again."""
    calls = tuple(S.session(act, "x") for act in ("detach", "enter", "announce", "create"))
    tale = S.only((S.create("h1"),), calls, (S.session("flush", "q", **{"as": "o1"}), append(S.OPENED, "q")))
    assert tale.answers[1] == ["*", "already_entered", "already_announced", "duplicate_id"]
    assert tale.shown[1] == {}
    assert tale.answers[2] == ["not_live", "not_live"]
    gone = S.only((S.create("h1"),), (S.dispose(),), (S.session("enter", "x"), S.session("announce", "x")))
    assert gone.answers[2] == ["*", "not_live"]


def test_never_entered() -> None:
    """L/r10: there is nothing to detach before the object was entered."""
    tale = S.only((S.session("prepare"), S.session("detach"), S.session("announce")))
    assert tale.answers[0] == [None, "not_live", "not_live"]


def test_out_of_band_refusals() -> None:
    """L9, L/r2: overlapping, re-entrant and bracketing records are refused and leave nothing."""
    inner = S.react(
        S.on("user/message", "z"), aside("o2", S.NOTED), S.session("append", "z", record=S.NOTED), **{"as": "l1"}
    )
    tale = S.only((S.session("create"), inner), (aside("o1", S.NOTED),), (aside("o3", S.OPENED), aside("o4", 3)))
    assert tale.settled[1] == {"o1": None, "o2": "busy"}
    assert tale.settled[2] == {"o3": "invalid", "o4": "invalid"}
    assert len(tale.read(session="z")["log"]) == 3
    plain = S.only((S.session("create"), append(S.OPENED), inner), (append(S.NOTED),))
    assert plain.settled[1] == {"o2": "reentrant_append"}


def test_out_of_band_in_an_open_turn() -> None:
    """L/r15: the record alone is appended; a veto refuses it; a detach inside it waits."""
    veto = S.react({"gate": "validation", "of": "z", "record": "user/message"}, **{"with": "fail"})
    leaves = S.react(S.on("user/message", "z"), S.session("detach"))
    tale = S.only((S.session("create"), append(S.OPENED)), (veto, aside("o1", S.NOTED)), (leaves, aside("o2", S.NOTED)))
    assert tale.settled[1:] == [{"o1": "vetoed"}, {"o2": None}]
    assert tale.shown[2]["z"] == "UM(mP) s-"


def test_one_failing_listener_among_several() -> None:
    """L/r13: all listeners are waited for; of two failures the first registered is raised, a plain value or not."""
    plain = {"outcome": "fail", "value": True}
    tale = S.only(
        (S.session("create"), S.hold("flush", "z", listener="l1"), S.hold("flush", "z", listener="l2")),
        (S.session("flush", "z", **{"as": "o1"}),),
        (S.release("flush", "z", plain, listener="l2"),),
        (S.release("flush", "z", "fail", listener="l1"),),
    )
    assert tale.shown[1]["z"] == "FL gate(flush) gate(flush)"
    assert tale.settled[2:] == [{}, {"o1": "flush_failed"}]


def test_nobody_listens_to_a_settled_flush() -> None:
    """Calls: a reaction to flushes fires at their start only."""
    tale = S.only(
        (S.session("create"), S.react(S.on("session/flush", "z"), S.send(), times=9)),
        (S.session("flush", "z", **{"as": "o1"}),),
    )
    assert tale.shown[1] == {"z": "FL FL."}


def test_load_waits_for_a_load_and_a_flush_for_both() -> None:
    """D5: operations of one id are serialized; a deactivated resume holds up nothing."""
    held = ((S.put("x", *LOG), S.hold("load", "h1"), S.resume("h1")), (S.resume("h2"),), (S.create("h3"),))
    flush = (S.send(),)
    tale = S.only(*held, flush, (S.release("load", "h1"),))
    assert tale.settled[:4] == [{}, {}, {"h3": "handle"}, {}]
    assert tale.shown[3]["x"].endswith("TE(completed) FL")
    assert tale.settled[4] == {"h1": "duplicate_id", "h2": "duplicate_id"}
    assert tale.shown[4]["x"] == "FL. status(idle)"
    cut = S.only(*held, flush, ({"do": "abort", "ref": "h2"},), ({"do": "abort", "ref": "h1"},))
    assert cut.settled[4:] == [{"h2": "aborted"}, {"h1": "aborted"}]
    assert cut.shown[5]["x"] == "FL. status(idle)"


def test_load_sees_what_was_stored_when_it_began() -> None:
    """D5, P17: a load in flight comes before what is stored meanwhile, so its resume is stale."""
    tale = S.only(
        (S.put("x", *LOG), S.hold("load", "h1"), {"do": "watch", "gate": "setup", "of": "h1"}, S.resume("h1")),
        (S.create("h2"),),
        (S.dispose(),),
        (S.release("load", "h1"),),
    )
    assert tale.settled[3] == {"h1": "stale_log"}
    assert "gate(setup)" in tale.shown[3]["h1"]


def test_load_outcomes() -> None:
    """P/r4: what a load throws, or does not find, rejects; of a log that is in use the id's life decides."""
    plain = {"outcome": "fail", "value": True}
    for outcome, code in (("fail", "load_failed"), (plain, "value"), ("missing", "not_stored")):
        tale = S.only((S.put("x", *LOG), S.react({"gate": "load", "of": "h1"}, **{"with": outcome}), S.resume("h1")))
        assert tale.settled[0] == {"h1": code}
    early = S.only((S.put("x", *LOG), S.hold("load", "h1"), S.resume("h1", signal="error")))
    assert early.settled[0] == {"h1": "aborted"}
    later = S.only((S.put("x", *LOG), S.resume("h1", signal="error")))
    assert later.settled[0] == {"h1": "aborted"}
    assert later.read(owner="root") == {"records": []}


def test_repair_comes_with_the_load() -> None:
    """D/r6, P6: the closers are stored although the resume was deactivated, and only once."""
    tale = S.only(
        (S.put("x", S.OPENED, S.NOTED),),
        (S.resume("h1"), {"do": "abort", "ref": "h1"}),
        (S.storage("load"), S.storage("load")),
    )
    closed = [S.OPENED, S.NOTED, {"event": "turn/end", "turn": 1, "reason": "interrupted"}]
    assert tale.settled[1] == {"h1": "aborted"}
    assert tale.answers[2] == [closed, closed]


def test_persistence_comes_and_goes() -> None:
    """P17: without persistence nothing is stored or loaded; what a session logged without it is not caught up."""
    tale = S.only(
        (S.create("h1"),),
        (S.storage("off", None), S.storage("load")),
        (S.send(),),
        (S.storage("on", None), S.dispose()),
        (S.storage("load"), S.put("x", 3), S.put("x", *LOG), S.storage("aside"), S.storage("aside", "q")),
    )
    assert tale.answers[1] == [None, "no_persistence"]
    assert tale.answers[4] == [[], "invalid", None, [], []]


def test_what_a_flush_leaves_open_is_not_read() -> None:
    """D/r3: whether a record logged during a flush is stored is open until the next flush, so `stored` is not told."""
    tale = S.only(
        (S.session("create"), S.hold("flush", "z")), (S.session("flush", "z", **{"as": "o1"}), append(S.OPENED))
    )
    assert "stored" not in tale.read(session="z")
    settled = S.only(
        (S.session("create"), S.hold("flush", "z")),
        (S.session("flush", "z", **{"as": "o1"}), append(S.OPENED)),
        (S.release("flush", "z"),),
        (S.session("flush", "z", **{"as": "o2"}),),
    )
    assert settled.read(session="z")["stored"] == [S.OPENED]
