"""The adapter around the reference runtime: gates, reactions, reads and names mean what the protocol says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from lifecycle_conformance.systems.errors import AdapterError
from lifecycle_conformance.systems.load import open_system
from lifecycle_conformance.systems.reference.ports import GatedBehaviour
from lifecycle_model.commands import AnyCommand, Burst
from lifecycle_model.wire import BurstResult
from lifecycle_runtime.behaviour import TurnView

Json = dict[str, Any]
Play = Callable[..., list[Json]]


def burst(*commands: Json) -> Burst:
    """Commands as a trace has them."""
    return msgspec.convert(commands, tuple[AnyCommand, ...])


def told(result: BurstResult) -> Json:
    """A result as a trace has it."""
    plain: Json = msgspec.json.decode(msgspec.json.encode(result))
    return plain


@pytest.fixture(scope="module")
def reference() -> Iterator[Any]:
    system = open_system("reference")
    yield system
    system.stop()


@pytest.fixture
def play(reference: Any) -> Play:
    """Run bursts on a fresh runtime; each result has `calls` and `seen`."""

    def run(*bursts: list[Json], **policies: object) -> list[Json]:
        reference.reset(policies)
        return [told(result) for result in reference.run([burst(*commands) for commands in bursts])]

    return run


def create(agent: str = "a", ref: str = "h1", **more: object) -> Json:
    return {"do": "create", "id": agent, "as": ref, **more}


def send(message: str, agent: str = "a", **more: object) -> Json:
    return {"do": "send", "agent": agent, "message": message, **more}


def hold(gate: str, of: str = "a", **more: object) -> Json:
    return {"do": "hold", "gate": gate, "of": of, **more}


def release(gate: str, of: str = "a", *, to: object = None, **more: object) -> Json:
    outcome = {} if to is None else {"with": to}
    return {"do": "release", "gate": gate, "of": of, **outcome, **more}


def cancel(agent: str = "a", **more: object) -> Json:
    return {"do": "cancel", "agent": agent, **more}


def events(result: Json) -> list[str]:
    """The names of what was seen, in order."""
    return [seen["event"] for seen in result["seen"]]


def only(result: Json, event: str) -> list[Json]:
    """What was seen of one event."""
    return [seen for seen in result["seen"] if seen["event"] == event]


# a turn, exactly


def test_a_turn_as_it_is_told(play: Play) -> None:
    _, turn = play([create()], [send("m1"), {"do": "when_idle", "agent": "a", "as": "w1"}])
    assert turn["calls"] == [{"ok": "m1"}, {"pending": "w1"}]
    assert turn["seen"] == [
        {"event": "agent/inbox/enqueue", "of": "a", "item": "m1", "steering": False, "wakeup": True},
        {"event": "agent/status", "of": "a", "status": "running"},
        {"event": "agent/inbox/dequeue", "of": "a", "item": "m1", "steering": False, "wakeup": True},
        {"event": "turn/start", "of": "a", "turn": 1, "trigger": "message"},
        {"event": "user/message", "of": "a", "message": "m1"},
        {"event": "step/start", "of": "a", "turn": 1, "step": 1},
        {"event": "request", "of": "a", "turn": 1, "step": 1, "messages": ["m1"]},
        {"event": "assistant/message", "of": "a", "message": "am1.1"},
        {"event": "step/end", "of": "a", "turn": 1, "step": 1},
        {"event": "turn/end", "of": "a", "turn": 1, "reason": "completed"},
        {"event": "session/flush", "of": "a", "state": "start"},
        {"event": "session/flush", "of": "a", "state": "settled", "ok": True},
        {"event": "agent/status", "of": "a", "status": "idle"},
        {"event": "settled", "of": "w1", "ok": None},
    ]


def test_calls_and_results_have_the_judges_names(play: Play) -> None:
    _, held, done = play(
        [create()], [hold("model"), send("m1")], [release("model", to={"outcome": "tools", "tools": 2})]
    )
    assert held["seen"][-1] == {"event": "gate", "of": "a", "gate": "model", "turn": 1, "step": 1}
    calls = [(seen["event"], seen["id"]) for seen in done["seen"] if seen["event"].startswith("tool/")]
    assert calls == [
        ("tool/call", "1.1.1"),
        ("tool/result", "1.1.1"),
        ("tool/call", "1.1.2"),
        ("tool/result", "1.1.2"),
    ]
    assert only(done, "request")[0]["messages"] == ["m1", "am1.1", "tr1.1.1", "tr1.1.2"]


# holds


def test_a_hold_is_used_up_by_the_first_gate_it_fits(play: Play) -> None:
    _, first, second = play([create()], [hold("model"), send("m1"), send("m2")], [release("model")])
    assert len(only(first, "gate")) == 1
    assert [seen["turn"] for seen in only(second, "turn/end")] == [1, 2]
    assert only(second, "gate") == []


def test_two_holds_hold_two_gates_and_are_released_oldest_first(play: Play) -> None:
    _, _, first, second = play(
        [create(), create("b", "h2")],
        [hold("model"), hold("model", "b"), send("m1"), send("m2", "b")],
        [{"do": "release", "gate": "model"}],
        [{"do": "release", "gate": "model"}],
    )
    assert [seen["of"] for seen in only(first, "turn/end")] == ["a"]
    assert [seen["of"] for seen in only(second, "turn/end")] == ["b"]


def test_an_address_is_compared_where_it_says_something(play: Play) -> None:
    _, first, second = play(
        [create()], [hold("policy", turn=2), send("m1"), send("m2")], [release("policy", turn=1), release("policy")]
    )
    assert [seen["turn"] for seen in only(first, "gate")] == [2]
    assert [call.get("refused") for call in second["calls"]] == ["no_such_gate", None]


@pytest.mark.parametrize("gate", ["policy", "assembly", "prefix", "pre_step", "model", "post_step", "continuation"])
def test_a_held_gate_of_a_turn_ends_by_itself_at_an_abort_unless_it_is_sticky(play: Play, gate: str) -> None:
    _, _, soft = play([create()], [hold(gate), send("m1")], [cancel()])
    assert only(soft, "turn/end")[0]["reason"] == "aborted"
    _, _, sticky, late = play([create()], [hold(gate, sticky=True), send("m1")], [cancel()], [release(gate)])
    assert only(sticky, "turn/end") == []
    assert only(late, "turn/end")[0]["reason"] == "aborted"


def test_a_gate_entered_with_an_aborted_signal_says_so_and_does_not_wait(play: Play) -> None:
    on = {"event": "step/end", "of": "a"}
    react = {"do": "react", "on": on, "then": [cancel(cause="parent")]}
    _, done = play([create()], [react, hold("continuation"), send("m1")])
    assert only(done, "gate") == [
        {"event": "gate", "of": "a", "gate": "continuation", "turn": 1, "step": 1, "signal": "parent"}
    ]
    assert only(done, "turn/end")[0]["reason"] == "aborted"


def test_a_chunk_leaves_the_model_waiting_without_another_report(play: Play) -> None:
    _, _, chunk, done = play(
        [create()], [hold("model"), send("m1")], [release("model", to="chunk")], [release("model")]
    )
    assert chunk["seen"] == []
    assert events(done)[0] == "assistant/message"


def test_a_release_where_nothing_waits_is_refused(play: Play) -> None:
    assert play([create(), release("model")])[0]["calls"][1]["refused"] == "no_such_gate"
    assert play([hold("kitchen")])[0]["calls"][0]["refused"] == "no_such_gate"


def test_a_watched_gate_is_reported_each_time_and_never_waits(play: Play) -> None:
    _, done = play([create()], [{"do": "watch", "gate": "stopping", "of": "a"}, send("m1"), send("m2")])
    assert [(seen["gate"], seen["turn"]) for seen in only(done, "gate")] == [("stopping", 1), ("stopping", 2)]


def test_a_setup_is_held_by_its_reference_and_shown_the_loaded_log(play: Play) -> None:
    records = [
        {"event": "turn/start", "turn": 1, "trigger": "injection"},
        {"event": "user/message", "message": "m1"},
        {"event": "turn/end", "turn": 1, "reason": "completed"},
    ]
    held, done = play(
        [
            {"do": "storage", "act": "put", "id": "a", "records": records},
            hold("setup", "h1"),
            {"do": "resume", "id": "a", "as": "h1"},
        ],
        [release("setup", "h1"), {"do": "read", "session": "a"}],
    )
    assert only(held, "gate") == [{"event": "gate", "of": "h1", "gate": "setup", "length": 3}]
    assert only(done, "settled") == [{"event": "settled", "of": "h1", "ok": "handle"}]
    assert done["calls"][1]["ok"]["stored"] == records


def test_a_held_load_ends_with_its_creation(play: Play) -> None:
    _, aborted, late = play(
        [{"do": "storage", "act": "put", "id": "a"}, hold("load", "h1"), {"do": "resume", "id": "a", "as": "h1"}],
        [{"do": "abort", "ref": "h1"}],
        [release("load", "h1")],
    )
    assert only(aborted, "settled")[0]["refused"] == "aborted"
    assert late["calls"][0]["refused"] == "no_such_gate"


@pytest.mark.parametrize(("gate", "code"), [("setup", "setup_failed"), ("scope_mint", "mint_failed")])
def test_a_failing_gate_of_a_creation_is_its_rejection(play: Play, gate: str, code: str) -> None:
    held, plain = play([hold(gate, "h1"), create()], [release(gate, "h1", to="fail")])
    assert only(held, "gate")[0]["of"] == "h1"
    assert only(plain, "settled") == [{"event": "settled", "of": "h1", "refused": code}]
    _, value = play([hold(gate, "h1"), create()], [release(gate, "h1", to={"outcome": "fail", "value": True})])
    assert only(value, "settled")[0]["value"] == "thrown"


def test_a_gate_in_a_synchronous_create_has_its_outcome_from_a_reaction(play: Play) -> None:
    react = {"do": "react", "on": {"gate": "setup", "of": "h1"}, "with": "fail"}
    failed, fine = play([react, create(sync=True)], [hold("setup", "h1"), create(sync=True)])
    assert failed["calls"][1]["refused"] == "setup_failed"
    assert only(failed, "session/created") == []
    assert fine["calls"][1] == {"ok": "handle"}
    assert only(fine, "gate") == [{"event": "gate", "of": "h1", "gate": "setup", "length": 0}]


def test_naming_a_flush_listener_makes_one(play: Play) -> None:
    _, held, first, second = play(
        [create()],
        [hold("flush", listener="l1"), hold("flush", listener="l2"), send("m1")],
        [release("flush", listener="l2", to="fail")],
        [release("flush", listener="l1")],
    )
    assert [seen["listener"] for seen in only(held, "gate")] == ["l1", "l2"]
    assert only(first, "session/flush") == []
    assert only(second, "session/flush") == [{"event": "session/flush", "of": "a", "state": "settled", "ok": False}]
    assert only(second, "agent/error") == [{"event": "agent/error", "of": "a", "turn": 1, "step": 1}]


# the driver


def test_a_held_driver_waits_at_its_own_segments_and_at_no_gate_of_a_turn(play: Play) -> None:
    tick = {"do": "tick", "agent": "a"}
    _, woken, turn, settled, routed, again, free = play(
        [create()], [hold("driver"), send("m1"), send("m2")], [tick], [tick], [tick], [tick], [release("driver"), tick]
    )
    driver = {"event": "gate", "of": "a", "gate": "driver"}
    assert [seen["event"] for seen in woken["seen"]] == ["agent/inbox/enqueue", "agent/inbox/enqueue", "gate"]
    assert turn["seen"][-2:] == [{"event": "session/flush", "of": "a", "state": "start"}, driver]
    assert settled["seen"] == [{"event": "session/flush", "of": "a", "state": "settled", "ok": True}, driver]
    assert routed["seen"] == [driver]
    assert only(again, "turn/end")[0]["turn"] == 2
    assert free["calls"][1]["refused"] == "no_such_gate"
    assert events(free) == ["session/flush", "agent/status"]


# reactions


def test_a_reaction_acts_inside_its_dispatch_and_reports_what_it_was_answered(play: Play) -> None:
    react = {
        "do": "react",
        "on": {"event": "turn/end", "of": "a"},
        "then": [{"do": "read", "agent": "a"}, release("model"), send("m2")],
        "as": "l1",
    }
    _, done = play([create()], [react, send("m1")])
    names = events(done)
    heard = only(done, "heard")[0]
    assert names[names.index("turn/end") + 1 :][:3] == ["agent/inbox/enqueue", "heard", "session/flush"]
    assert (heard["of"], heard["as"], heard["name"]) == ("a", "l1", "turn/end")
    assert heard["answers"][0]["ok"]["status"] == "running"
    assert [next(iter(answer)) for answer in heard["answers"]] == ["ok", "refused", "ok"]
    assert len(only(done, "turn/end")) == 2, "it was armed once"


def test_reactions_fire_in_the_order_armed_the_scoped_after_the_global(play: Play) -> None:
    on = {"event": "agent/status", "of": "a", "status": "running"}
    reactions: list[Json] = [{"do": "react", "on": on, "as": name} for name in ("l1", "l2", "l3")]
    reactions[0]["through"] = "a"
    _, done = play([create()], [*reactions, send("m1")])
    assert [seen["as"] for seen in only(done, "heard")] == ["l2", "l3", "l1"]


def test_a_reaction_stays_armed_until_it_fired_as_often_as_told_or_is_disarmed(play: Play) -> None:
    on = {"event": "turn/start", "of": "a"}
    twice = {"do": "react", "on": on, "as": "l1", "times": 2}
    never = {"do": "react", "on": on, "as": "l2"}
    _, done = play([create()], [twice, never, {"do": "disarm", "as": "l2"}, send("m1"), send("m2"), send("m3")])
    assert [seen["as"] for seen in only(done, "heard")] == ["l1", "l1"]


@pytest.mark.parametrize("throw", ["sync", "async"])
def test_a_throw_in_a_contained_dispatch_is_reported_and_stops_nobody(play: Play, throw: str) -> None:
    on = {"event": "turn/start", "of": "a"}
    _, done = play(
        [create()], [{"do": "react", "on": on, "throw": throw}, {"do": "react", "on": on, "as": "l2"}, send("m1")]
    )
    assert only(done, "contained") == [{"event": "contained", "of": "a", "name": "turn/start"}]
    assert len(only(done, "heard")) == 1
    assert only(done, "turn/end")[0]["reason"] == "completed"


def test_a_throw_vetoes_an_announcement_only_at_once(play: Play) -> None:
    on = {"event": "agent/created", "of": "a"}
    vetoed = play([{"do": "react", "on": on, "throw": "sync"}, create()])[0]
    assert only(vetoed, "settled") == [{"event": "settled", "of": "h1", "refused": "vetoed"}]
    later = play([{"do": "react", "on": on, "throw": "async"}, create()])[0]
    assert only(later, "settled") == [{"event": "settled", "of": "h1", "ok": "handle"}]
    assert len(only(later, "contained")) == 1


def test_a_throw_fails_a_flush(play: Play) -> None:
    on = {"event": "session/flush", "of": "a"}
    _, done = play([create()], [{"do": "react", "on": on, "throw": "sync"}, send("m1")])
    assert only(done, "session/flush")[-1]["ok"] is False


def test_a_gates_reaction_gives_the_outcome_or_makes_it_fail(play: Play) -> None:
    gate = {"gate": "policy", "of": "a"}
    _, blocked = play([create()], [{"do": "react", "on": gate, "with": "block", "as": "l1"}, send("m1")])
    assert only(blocked, "turn/end")[0]["reason"] == "rejected"
    assert only(blocked, "heard")[0]["name"] == "policy"
    _, failed = play([create()], [{"do": "react", "on": gate, "throw": "sync"}, send("m1")])
    assert only(failed, "turn/end")[0]["reason"] == "error"


def test_a_reaction_on_a_discard_compares_its_items(play: Play) -> None:
    on = {"event": "agent/inbox/discard", "of": "a", "items": [{"id": "m1", "steering": False}]}
    _, done = play([create()], [{"do": "react", "on": on, "as": "l1"}, send("m1", wakeup=False), cancel()])
    assert len(only(done, "heard")) == 1


def test_wrong_reactions_are_refused(play: Play) -> None:
    calls = play(
        [
            {"do": "react", "on": {"event": "settled"}},
            {"do": "react", "on": {"gate": "model", "step": 1}},
            {"do": "react", "on": {"gate": "kitchen"}},
            {"do": "react", "on": {"event": "agent/status"}, "through": "nobody"},
        ]
    )[0]["calls"]
    assert [call["refused"] for call in calls] == ["unsupported", "invalid", "no_such_gate", "not_live"]


# names and reads


def test_reading_an_agent(play: Play) -> None:
    _, _, asked = play(
        [create()], [hold("model"), send("m1")], [send("m2"), send("m3", wakeup=False), {"do": "read", "agent": "a"}]
    )
    assert asked["calls"][2]["ok"] == {
        "status": "running",
        "inspect": {
            "status": "running",
            "queued": ["m2", "m3"],
            "steering": [],
            "marker": False,
            "holder": "live",
            "turn": 1,
            "step": 1,
        },
        "log": [
            {"event": "turn/start", "turn": 1, "trigger": "message"},
            {"event": "user/message", "message": "m1"},
            {"event": "step/start", "turn": 1, "step": 1},
        ],
        "stored": [],
        "registry": True,
    }


def test_the_marker_and_the_reason_can_be_read(play: Play) -> None:
    read = {"do": "read", "agent": "a"}
    _, marked, held, aborted = play(
        [create()],
        [send("m1"), cancel(), read],
        [hold("model", sticky=True), send("m2")],
        [cancel(cause="parent"), read],
    )
    assert marked["calls"][2]["ok"]["inspect"]["marker"] is True
    assert held["seen"][-1]["event"] == "gate"
    assert aborted["calls"][1]["ok"]["inspect"]["holder"] == "parent"


def test_a_name_means_the_live_agent_else_the_last_one(play: Play) -> None:
    _, _, gone, new = play(
        [create()],
        [{"do": "dispose", "agent": "a", "as": "d1"}],
        [send("m1"), {"do": "read", "agent": "a"}, {"do": "read", "registry": True, "store": "s1"}],
        [create("a", "h2"), {"do": "dispose", "ref": "h1", "as": "d2"}, send("m2")],
    )
    assert gone["calls"][0]["refused"] == "disposed"
    assert gone["calls"][1]["ok"]["status"] == "disposed"
    assert gone["calls"][2]["ok"] == {"sessions": [], "agents": [], "roots": []}
    assert {seen["of"]: seen["ok"] for seen in only(new, "settled")} == {"d2": None, "h2": "handle"}


def test_unknown_names_are_refused_not_raised(play: Play) -> None:
    calls = play(
        [
            send("m1"),
            cancel(),
            {"do": "dispose", "agent": "a"},
            {"do": "dispose", "ref": "h7"},
            {"do": "abort", "ref": "h7"},
            {"do": "read", "agent": "a"},
            {"do": "unload_provider", "provider": "p7"},
            create(parent="nobody"),
            {"do": "tick", "agent": "a"},
            {"do": "acp", "act": "connect"},
        ]
    )[0]["calls"]
    refused = [call.get("refused") for call in calls]
    assert refused[:8] == ["not_live"] * 8
    assert refused[8] == "no_such_gate"


def test_what_was_passed_can_be_mutated_without_being_seen(play: Play) -> None:
    mutate = [{"do": "mutate", "of": "m1"}, {"do": "mutate", "of": "cause"}]
    _, done = play([create()], [hold("model", sticky=True), send("m1"), {"do": "mutate", "of": "m1"}])
    assert only(done, "user/message")[0]["message"] == "m1"
    on = {"event": "agent/cancel-requested", "of": "a"}
    _, _, cancelled = play(
        [create()],
        [hold("model", sticky=True), send("m1")],
        [{"do": "react", "on": on, "then": mutate}, cancel(cause="parent"), {"do": "read", "agent": "a"}],
    )
    assert only(cancelled, "abort")[0]["reason"] == "parent"
    assert cancelled["calls"][2]["ok"]["inspect"]["holder"] == "parent"


def test_an_invalid_message_is_refused_and_leaves_nothing(play: Play) -> None:
    _, done = play(
        [create()], [send("m1", invalid=True), {"do": "inject", "agent": "a", "message": "m2", "invalid": True}]
    )
    assert [call["refused"] for call in done["calls"]] == ["invalid_message", "invalid_message"]
    assert done["seen"] == []


def test_owners_and_children_are_told_apart(play: Play) -> None:
    read = {"do": "read", "owner": "f1", "registry": True}
    owned, unloaded = play(
        [create(owner="f1"), create("b", "h2", owner="f1")],
        [read, {"do": "unload_owner", "fiber": "f1", "as": "u1"}],
    )
    assert len(only(owned, "settled")) == 2
    assert unloaded["calls"][0]["ok"]["records"] == ["a", "b"]
    assert {seen["of"] for seen in only(unloaded, "agent/disposed")} == {"a", "b"}
    _, child, seen = play([create()], [create("b", "h2", parent="a")], [{"do": "read", "registry": True}])
    assert only(child, "settled")[0]["ok"] == "handle"
    assert seen["calls"][0]["ok"] == {"agents": ["a", "b"], "roots": ["a"]}


def test_the_bare_owner_sees_only_the_registry_and_its_setup_sees_tools(play: Play) -> None:
    _, done = play([hold("setup", "h1"), create(owner="bare")], [release("setup", "h1", to="tools")])
    assert only(done, "settled")[0]["ok"] == "handle"


# runs


def test_a_reset_begins_afresh(play: Play) -> None:
    bursts = ([create()], [hold("model", sticky=True), send("m1")], [cancel(), send("m2")])
    first = play(*bursts)
    assert play(*bursts) == first
    assert play(*bursts[:1]) == first[:1]


def test_policies_are_offered_and_checked(reference: Any, play: Play) -> None:
    kept, _, done = play(
        [create()], [hold("model", sticky=True), send("m1"), send("m2")], [cancel(keep_inbox=True)], keep_inbox="on"
    )
    assert only(kept, "settled")
    assert only(done, "agent/inbox/discard") == []
    _, off = play([create()], [send("m1"), cancel(keep_inbox=True)])
    assert off["calls"][1]["refused"] == "unsupported"
    with pytest.raises(AdapterError, match="offered"):
        reference.reset({"keep_inbox": "maybe"})
    with pytest.raises(AdapterError, match="unknown policy"):
        reference.reset({"generosity": "on"})
    assert set(reference.describe().profile.policies) >= {"keep_inbox", "cancelling_published"}


def test_the_projection_of_statuses(play: Play) -> None:
    _, _, done = play(
        [create()],
        [hold("model", sticky=True), send("m1")],
        [cancel(), {"do": "read", "agent": "a"}],
        cancelling_published=False,
    )
    assert only(done, "agent/status") == []
    assert done["calls"][1]["ok"]["status"] == "running"


def test_a_task_left_behind_is_a_fault(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    left: set[asyncio.Task[object]] = set()

    async def wait_for_ever() -> None:
        await asyncio.Event().wait()

    async def leak(self: GatedBehaviour, view: TurnView) -> None:
        left.add(asyncio.ensure_future(wait_for_ever()))

    monkeypatch.setattr(GatedBehaviour, "pre_step", leak)
    _, turn, gone = play([create()], [send("m1")], [{"do": "dispose", "agent": "a", "as": "d1"}])
    assert only(turn, "fault") == []
    (fault,) = only(gone, "fault")
    assert "wait_for_ever" in fault["text"]


def test_a_whole_life_leaves_no_task(play: Play) -> None:
    *_, gone = play(
        [create()],
        [send("m1")],
        [{"do": "inject", "agent": "a", "message": "m2"}],
        [{"do": "dispose", "agent": "a", "as": "d1"}],
    )
    assert events(gone)[-1] == "settled"
    assert only(gone, "fault") == []
