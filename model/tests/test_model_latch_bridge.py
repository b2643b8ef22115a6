"""Variant `latch`: its bridge, its configured agents and what it restores, in runs worked out by hand (A, G, D8L)."""

from __future__ import annotations

from collections.abc import Sequence

from lifecycle_model.commands import (
    Abort,
    Acp,
    AnyCommand,
    Burst,
    Cancel,
    ConfigAgent,
    Create,
    Dispose,
    Hold,
    Inject,
    LoadProvider,
    React,
    Read,
    Release,
    Remove,
    Resume,
    Send,
    Storage,
    UnloadProvider,
)
from lifecycle_model.engine import Engine
from lifecycle_model.quiet import perform
from lifecycle_model.state import start
from lifecycle_model.variants.latch import latch
from lifecycle_model.wire import UNSET, Answer, BurstResult

OPEN = (Acp("connect"), Acp("new", "x", as_="n1"))
MODEL = Hold("model", "x", sticky=True)
ADMISSION = Hold("admission", "x", sticky=True)


def run(*bursts: AnyCommand | Burst) -> list[BurstResult]:
    """The one result the variant allows for each burst."""
    engine, here = Engine(latch()), start({})
    results: list[BurstResult] = []
    for one in bursts:
        (outcome,) = perform(engine, here, one if isinstance(one, tuple) else (one,))
        results.append(BurstResult(outcome.answers, outcome.seen))
        here = outcome.configuration
    return results


def settled(results: Sequence[BurstResult]) -> list[dict[str, object]]:
    """What settled in each burst: `ok` values as they are, refusals as their code."""
    return [
        {str(one.of): one.ok if one.refused is UNSET else one.refused for one in result.seen if one.event == "settled"}
        for result in results
    ]


def prompt(message: str = "m1", ref: str = "p1") -> Acp:
    """A prompt of session x."""
    return Acp("prompt", "x", message, ref)


def aborts(result: BurstResult) -> list[object]:
    """The reasons of the aborts seen."""
    return [one.reason for one in result.seen if one.event == "abort"]


def test_a_prompt_ends_its_turn() -> None:  # A/r8 A/r9L A/r11L
    assert settled(run(OPEN, prompt()))[1] == {"p1": "end_turn"}


def test_the_slot_is_occupied_while_a_prompt_is_admitted() -> None:  # A16L A/r6
    results = run(OPEN, (ADMISSION, prompt()), prompt("m2", "p2"), Release("admission", "x"))
    assert settled(results)[1:] == [{}, {"p2": "busy"}, {"p1": "end_turn"}]


def test_an_admission_that_is_not_sticky_ends_at_the_cancel() -> None:  # A16L
    results = run(OPEN, (Hold("admission", "x"), prompt()), Acp("cancel", "x"))
    assert settled(results)[2] == {"p1": "cancelled"}
    assert not [one for one in results[2].seen if one.event == "agent/inbox/enqueue"]


def test_a_prompt_settles_when_its_agent_is_idle_not_when_its_turn_ends() -> None:  # A4L
    results = run(OPEN, (MODEL, prompt()), (MODEL, Send("x", "m2")), Release("model", "x"), Release("model", "x"))
    assert settled(results)[1:] == [{}, {}, {}, {"p1": "end_turn"}]


def test_a_prompt_waits_for_the_replay_of_what_was_latched() -> None:  # A4L S7L
    results = run(
        OPEN, (MODEL, prompt()), Cancel("x", "parent"), (MODEL, Send("x", "m2")), *2 * [Release("model", "x")]
    )
    assert settled(results)[4:] == [{}, {"p1": "end_turn"}]


def test_cancelled_by_the_client_even_where_the_turn_failed() -> None:  # A5L
    results = run(OPEN, (MODEL, prompt()), Acp("cancel", "x"), Release("model", "x", with_="error"))
    assert aborts(results[2]) == ["user"]
    assert settled(results)[3] == {"p1": "cancelled"}


def test_an_error_of_the_agent_is_the_prompts_and_another_partys_cancel_is_not() -> None:  # A5L
    assert settled(run(OPEN, (MODEL, prompt()), Release("model", "x", with_="error")))[2] == {"p1": "*"}
    results = run(OPEN, (MODEL, prompt()), Cancel("x", "parent"), Release("model", "x"))
    assert settled(results)[3] == {"p1": "end_turn"}  # claimed, and foreign_abort_stop_reason is end_turn


def test_a_vetoed_turn_is_an_error() -> None:  # A/r15 Q7L
    veto = React({"gate": "validation", "of": "x", "record": "turn/start"}, with_="fail")
    assert settled(run(OPEN, (veto, prompt())))[1] == {"p1": "*"}


def test_a_prompt_that_others_drop_was_never_claimed() -> None:  # A8 A/r10L
    before = (OPEN, (MODEL, Send("x", "m0")), prompt())
    assert settled(run(*before, Remove("x", "m1"), Release("model", "x")))[4] == {"p1": "cancelled"}
    results = run(*before, Dispose("x", as_="d1"), Release("model", "x"))
    assert settled(results)[4] == {"p1": "cancelled", "d1": None}


def test_a_send_that_raises_frees_the_slot() -> None:  # A/r7 A2
    results = run(OPEN, (MODEL, Send("x", "m0")), Send("x", "m1"), prompt(), prompt("m2", "p2"))
    assert settled(results)[3:] == [{"p1": "*"}, {}]


def test_a_prompt_to_a_disposed_agent_was_never_claimed() -> None:  # A8 T5L
    assert settled(run(OPEN, Dispose("x", as_="d1"), prompt()))[2] == {"p1": "cancelled"}


def test_the_boundary_cancels_quiesces_and_only_then_disposes() -> None:  # A10L A/r14
    before = (OPEN, (MODEL, prompt()), (Acp("disconnect", as_="q1"), Acp("teardown", as_="q2")))
    results = run(*before, Acp("new", "y", as_="n2"), Release("model", "x"))
    assert aborts(results[2]) == ["user"]
    assert settled(results)[2:] == [{}, {"n2": "*"}, {"p1": "cancelled", "q1": None, "q2": None}]
    assert [one.cause for one in results[4].seen if one.event == "turn/end"] == ["user"]
    assert [one.event for one in results[4].seen][-5:] == [
        "scope",
        "agent/disposed",
        "session/disposed",
        *2 * ["settled"],
    ]


def test_the_boundary_waits_for_an_admission() -> None:  # A10L A16L
    results = run(OPEN, (ADMISSION, prompt()), Acp("disconnect", as_="q1"), Release("admission", "x"))
    assert settled(results)[2:] == [{}, {"p1": "cancelled", "q1": None}]


def test_the_boundary_goes_on_when_another_party_has_disposed_a_session() -> None:  # A10L
    before = (OPEN, Acp("new", "y", as_="n2"), (ADMISSION, prompt()), Dispose("x", as_="d1"))
    results = run(*before, Acp("disconnect", as_="q1"), Release("admission", "x"))
    assert settled(results)[4:] == [{}, {"p1": "cancelled", "q1": None}]


def test_no_session_is_loaded() -> None:  # policy session_load
    assert settled(run(OPEN, Acp("load", "x", as_="n2")))[1] == {"n2": "*"}


PERSISTED = (UnloadProvider("p1", "u1"),)


def configured(*agents: ConfigAgent) -> LoadProvider:
    """A provider that starts agents."""
    return LoadProvider("p2", configured=agents)


def births(result: BurstResult) -> list[object]:
    """Sources of the agents that started."""
    return [one.source for one in result.seen if one.event == "agent/session-start"]


def test_a_configured_id_is_resumed_where_it_is_stored() -> None:  # G/r4
    assert births(run(PERSISTED, configured(ConfigAgent("l1", id="a")))[1]) == ["startup"]
    stored = Storage(
        "put", "a", ({"event": "turn/start", "turn": 1}, {"event": "turn/end", "turn": 1, "reason": "completed"})
    )
    assert births(run((stored, *PERSISTED), configured(ConfigAgent("l1", id="a")))[1]) == ["resume"]


def test_without_persistence_a_configured_id_is_created_at_once() -> None:  # G/r3L
    taken = (Create("a", "h1"), (Hold("scope", "a", sticky=True), UnloadProvider("p1", "u1")))
    load = configured(ConfigAgent("l1", id="a"))
    reports = [one.event for one in run(Storage("off"), *taken, load)[3].seen if one.event.startswith("agent-loop")]
    assert reports == ["agent-loop/config-start-failed"]  # the id is taken, and nobody waits
    assert run(*taken, load)[2].seen == ()


def test_a_configured_resume_waits_for_persistence() -> None:  # G/r5L
    stored = Storage(
        "put", "a", ({"event": "turn/start", "turn": 1}, {"event": "turn/end", "turn": 1, "reason": "completed"})
    )
    results = run((stored, Storage("off"), *PERSISTED), configured(ConfigAgent("l1", resume="a")), Storage("on"))
    assert births(results[1]) == []
    assert births(results[2]) == ["resume"]


def test_both_ids_of_one_agent_are_refused() -> None:  # G/r1
    results = run(PERSISTED, configured(ConfigAgent("l1", id="a", resume="a")))
    assert results[1].calls == (Answer(refused="conflicting_ids"),)


def test_what_is_pending_is_stored_and_restored() -> None:  # D8L
    hold = Hold("model", "a", sticky=True)
    ends = (
        Create("a"),
        (hold, Send("a", "mA")),
        Dispose("a", as_="d1"),
        Send("a", "mB"),
        Inject("a", "mI"),
        Release("model", "a"),
    )
    results = run(*ends, Resume("a", "h2"), Read(agent="a"), Send("a", "mC"))
    assert [one.event for one in results[6].seen] == [
        "session/created",
        "agent/created",
        "agent/session-start",
        "settled",
    ]
    read = results[7].calls[0].ok
    assert isinstance(read, dict)
    assert (read["queued"], read["steering"]) == (["mB"], ["mI"])
    taken = [(one.event[6:], one.item) for one in results[8].seen if one.event == "agent/inbox/dequeue"]
    assert [item for _, item in taken] == ["mI", "mB", "mC"]


def test_nothing_is_stored_of_a_session_until_something_is_written() -> None:  # D/r3 D/r4
    stored = []
    for result in run(
        Create("a", "h1"), Read(session="a"), Inject("a", "m1"), Dispose("a", as_="d1"), Read(session="a")
    ):
        read = result.calls[0].ok
        stored += [read["stored"]] if isinstance(read, dict) else []
    assert stored == [None, []]


def test_an_agent_that_was_only_given_input_has_logged_something() -> None:  # D8L D/r4
    resumed = (Dispose("a", as_="d1"), Resume("a", "h2"))
    assert settled(run(Create("a", "h1"), *resumed))[2] == {"h2": "not_stored"}
    assert settled(run(Create("a", "h1"), Inject("a", "m1"), *resumed))[3] == {"h2": "handle"}
    taken_back = React({"event": "agent/session-start", "of": "a"}, (Abort("h1"),))
    assert settled(run((taken_back, Create("a", "h1")), Resume("a", "h2"))) == [{"h1": "aborted"}, {"h2": "not_stored"}]
    again = (Dispose("a", as_="d2"), Resume("a", "h3"))
    assert settled(run(Create("a", "h1"), Inject("a", "m1"), *resumed, *again))[5] == {"h3": "handle"}
