"""Creations, owners and providers beyond the vectors: what the contract allows, worked out by hand (P, T, X3)."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any


def _load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


S = _load("stories")
ALIVE = "s+ a+ start(startup)"
GONE = "status(disposed) a- s- scope"
LOG = (S.OPENED, S.NOTED, S.CLOSED)


def test_either_of_two_creations_wins() -> None:
    """P10: only entering the store decides, so both orders are allowed, and the loser leaves no trace."""
    tales = S.tell((S.create("h1"), S.create("h2")))
    assert sorted(sorted(tale.settled[0].items()) for tale in tales) == [
        [("h1", "duplicate_id"), ("h2", "handle")],
        [("h1", "handle"), ("h2", "duplicate_id")],
    ]
    for tale in tales:
        assert tale.shown[0]["x"].replace(" scope", "", 1).replace("scope ", "", 1) == ALIVE
        assert tale.read(owner="root") == {"records": ["x"]}


def test_unload_begins_teardown_now_or_later() -> None:
    """X3: an unload may let other work run before T/r1, so a send right behind it is refused, or queued and dropped."""
    tales = S.tell((S.create("h1", owner="f1"),), (S.unload(), S.send()))
    ways = {(str(tale.answers[1][1]), tale.shown[1]["x"]) for tale in tales}
    assert ("disposed", GONE) in ways
    assert ("m1", f"enq(m1) disc {GONE}") in ways
    assert sum(answer == "disposed" for answer, _ in ways) == 1
    for tale in tales:
        assert tale.shown[1]["x"].endswith("a- s- scope")
        assert tale.settled[1] == {"u1": None}


def test_unload_inside_a_segment_begins_now_or_later() -> None:
    """X3 in a listener: the reservation is disposed, or it goes on to its claim and the turn ends disposed."""
    running = S.react(S.on("agent/status", status="running"), S.unload())
    tales = S.tell((S.create("h1", owner="f1"),), (running, S.send()))
    ends = {tale.shown[1]["x"].rpartition("scope")[0].strip() for tale in tales}
    assert "enq(m1) status(running) disc abort(disposed) status(disposed) a- s-" in ends
    assert any("TS(message) abort(disposed) status(disposed) TE(disposed)" in end for end in ends)
    assert all(end.endswith("a- s-") for end in ends)


def test_first_to_settle_is_the_rejection() -> None:
    """P8: what was thrown before the failing check wins; after a deactivation the check may come first."""
    first = S.tell((S.hold("setup", "h1"), S.create("h1", owner="f1")), (S.release("setup", "h1", "fail"), S.unload()))
    assert [tale.settled[1]["h1"] for tale in first] == ["setup_failed"]
    second = S.tell((S.hold("setup", "h1"), S.create("h1", owner="f1")), (S.unload(), S.release("setup", "h1", "fail")))
    assert sorted(tale.settled[1]["h1"] for tale in second) == ["inactive_owner", "setup_failed"]


def test_plain_values_are_rejections() -> None:
    """P8: the rejection is the original thrown value, whatever its type."""
    plain = {"outcome": "fail", "value": True}
    for gate in ("setup", "scope_mint"):
        tale = S.only((S.hold(gate, "h1"), S.create("h1")), (S.release(gate, "h1", plain),))
        assert tale.settled[1] == {"h1": "value"}
    tale = S.only((S.react({"gate": "setup", "of": "h1"}, **{"with": plain}), S.create("h1", sync=True)))
    assert tale.answers[0][1] == "value"


def test_late_setup_is_inert() -> None:
    """P6, P11: the rejection does not wait for a setup that ignores its signal, whose result then changes nothing."""
    tale = S.only(
        (S.hold("setup", "h1"), S.create("h1")),
        ({"do": "abort", "ref": "h1"},),
        (S.create("h2"),),
        (S.release("setup", "h1"),),
    )
    assert tale.settled == [{}, {"h1": "aborted"}, {"h2": "handle"}, {}]
    assert tale.shown[3] == {}


def test_reference_used_again() -> None:
    """A gate of an earlier creation with this reference does not let the later one go on."""
    tale = S.only(
        (S.hold("setup", "h1"), S.create("h1")),
        ({"do": "abort", "ref": "h1"},),
        (S.hold("setup", "h1"), S.create("h1", "y")),
        (S.release("setup", "h1"),),
        (S.release("setup", "h1"),),
    )
    assert [tale.settled[3], tale.settled[4]] == [{}, {"h1": "handle"}]


def test_refused_before_it_begins() -> None:
    """Calls through nobody's ctx, synchronous resumes and unknown references are refused at once."""
    calls = (
        S.create("h1", "y", parent="x"),
        S.resume("h2", sync=True),
        {"do": "abort", "ref": "h9"},
        {"do": "dispose", "ref": "h9", "as": "d9"},
        S.unload_provider("p9"),
    )
    tale = S.only(calls)
    assert tale.answers[0] == ["not_live", "unsupported", "not_live", "not_live", "not_live"]


def test_children_go_with_the_scope() -> None:
    """P18, T/r6: what was made through an agent's ctx is unloaded as its scope unwinds; the dispose waits for it."""
    tales = S.tell(
        (S.create("h1"),),
        (S.create("h2", "y", parent="x"), S.hold("model", "y")),
        (S.send("m1", "y"),),
        (S.dispose(),),
        (S.release("model", "y", "finish"), S.create("h4", "v", parent="x")),
    )
    for tale in tales:
        assert tale.shown[3] == {"x": GONE, "y": "abort(disposed) status(disposed)"}
        assert tale.settled[3:] == [{}, {"h4": "inactive_owner", "d1": None}]
        assert tale.shown[4]["y"] == "end TE(disposed) FL FL. a- s- scope"
        assert tale.read(registry=True) == {"agents": [], "roots": []}


def test_child_of_an_agent_that_never_was() -> None:
    """R2: the scope of a failed setup takes with it what was made through it; the rejection waits."""
    tale = S.only(
        (S.hold("setup", "h1"), S.create("h1")),
        (S.create("h2", "y", parent="x"), S.hold("scope", "y")),
        (S.release("setup", "h1", "fail"),),
        (S.release("scope", "y"),),
    )
    assert tale.settled == [{}, {"h2": "handle"}, {}, {"h1": "setup_failed"}]
    assert tale.shown[2] == {"x": "scope", "y": "status(disposed) a- s- gate(scope)"}


def test_rollback_waits_for_an_injection() -> None:
    """P14, R4: entries go after a pending injection's flush, also those that were never announced."""
    inject = {"do": "inject", "agent": "x", "message": "i1"}
    tale = S.only(
        (S.hold("flush", "x"), S.react(S.on("session/created"), inject, throw="sync"), S.create("h1")),
        (S.release("flush", "x", "fail"),),
    )
    assert tale.shown[0]["x"] == "s+ TS(injection) UM(i1) TE(completed) FL gate(flush)"
    assert tale.shown[1]["x"] == "FL! error s- scope"
    assert tale.settled == [{}, {"h1": "vetoed"}]
    assert tale.read(agent="x")["registry"] is False
    assert tale.read(registry=True) == {"agents": [], "roots": []}


def test_id_names_the_agent_published_last() -> None:
    """P2, T11: from its s+ an id names the new agent, also once it was taken back; the old handle is the old agent's."""
    disposes = S.react(S.on("session/created"), {"do": "dispose", "agent": "x", "as": "d2"}, throw="sync")
    tale = S.only(
        (S.create("h1"),), (S.dispose(),), (disposes, S.create("h2")), ({"do": "dispose", "agent": "x", "as": "d3"},)
    )
    assert tale.settled == [{"h1": "handle"}, {"d1": None}, {"h2": "vetoed"}, {}]
    assert tale.read(agent="x")["status"] == "disposed"


def test_scope_disposer_fails() -> None:
    """T9: a failing disposer is contained, and everything completes."""
    fails = S.react({"gate": "scope", "of": "x"}, times=2, **{"with": "fail"})
    tale = S.only(
        (fails, S.create("h1")),
        (S.dispose(),),
        (S.hold("setup", "h2"), S.create("h2")),
        (S.release("setup", "h2", "fail"),),
    )
    assert tale.shown[1]["x"] == "status(disposed) a- s- gate(scope) scope contained(scope)"
    assert tale.settled[1] == {"d1": None}
    assert tale.shown[3]["x"] == "gate(scope) scope contained(scope)"
    assert tale.settled[3] == {"h2": "setup_failed"}


def test_unloads_join() -> None:
    """T1: a later unload joins the one under way, and one that is over resolves."""
    tale = S.only(
        (S.create("h1", owner="f1"), S.hold("scope", "x")),
        (S.unload("f1", "u1"), S.unload("f1", "u2"), S.unload_provider("p1", "u3"), S.unload_provider("p1", "u4")),
        (S.release("scope", "x"),),
        (S.unload("f1", "u5"), S.unload_provider("p1", "u6"), {"do": "dispose", "ref": "h1", "as": "d1"}),
    )
    assert tale.settled == [
        {"h1": "handle"},
        {},
        dict.fromkeys(("u1", "u2", "u3", "u4")),
        dict.fromkeys(("u5", "u6", "d1")),
    ]


def test_provider_goes_with_its_owner() -> None:
    """P15: the owner's unload frees the slot at once, and waits for the provider's agents."""
    tale = S.only(
        (S.unload_provider(), {"do": "load_provider", "as": "p2", "owner": "f1"}),
        (S.create("h1"), S.hold("scope", "x")),
        (S.unload("f1", "u2"), {"do": "load_provider", "as": "p3", "owner": "f1"}, {"do": "load_provider", "as": "p4"}),
        (S.create("h2", "y"),),
        (S.release("scope", "x"),),
    )
    assert tale.answers[2] == ["u2", "inactive_owner", None]
    assert tale.settled[2:] == [{}, {"h2": "handle"}, {"u2": None}]
    assert tale.read(registry=True)["agents"] == ["y"]


def test_ids_are_used_again_inside_their_own_end() -> None:
    """T8: a synchronous create inside s- begins a new life while the old one still unwinds."""
    again = S.react(S.on("session/disposed"), S.create("h2", sync=True))
    tale = S.only(
        (S.create("h1"), S.hold("scope", "x"), again), (S.dispose(),), (S.release("scope", "x"),), (S.send(),)
    )
    assert tale.shown[1]["x"] == f"status(disposed) a- s- {ALIVE} gate(scope)"
    assert tale.settled[2] == {"d1": None}
    assert "TE(completed)" in tale.shown[3]["x"]
    assert tale.read(owner="root") == {"records": ["x"]}


def test_scoped_listener_hears_its_own_agent_last() -> None:
    """P2: global listeners run before scoped ones; a scope is private and dies with its agent (T10)."""
    scoped = S.react(S.on("agent/status"), {"do": "cancel", "agent": "x"}, through="x", times=9)
    other = S.react(S.on("session/created", "y"), S.send("m9"), through="x")
    tale = S.only(
        (S.create("h1"),),
        (scoped, other),
        (S.create("h2", "y"),),
        (S.dispose(),),
        (scoped,),
        ({**scoped, "through": "q"},),
    )
    assert tale.shown[2] == {"y": ALIVE}
    assert tale.answers[4] == ["inactive_owner"]
    assert tale.answers[5] == ["not_live"]
