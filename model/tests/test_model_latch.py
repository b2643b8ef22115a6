"""Variant `latch`: its contract fits together, its scenarios hold in it, and runs checked by hand go as its text says."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lifecycle_conformance.vectors import bursts_of, check_vector, load_vectors
from lifecycle_model.commands import (
    Abort,
    AnyCommand,
    Burst,
    Cancel,
    Create,
    Dispose,
    Hold,
    Inject,
    Maintenance,
    Outcome,
    React,
    Release,
    Resume,
    Send,
    Steer,
    UnloadOwner,
    UnloadProvider,
    WhenIdle,
)
from lifecycle_model.contract1 import contract
from lifecycle_model.engine import Engine
from lifecycle_model.explore import explore
from lifecycle_model.quiet import perform
from lifecycle_model.state import start
from lifecycle_model.stated import chosen, properties_of
from lifecycle_model.table import Contract
from lifecycle_model.variants.latch import latch
from lifecycle_model.variants.latch_clauses import LATCH_CLAUSES
from lifecycle_model.wire import MEMBERS, UNSET, BurstResult, Observation, Profile, Vector

PROFILE = Profile(
    commands=(*latch().verbs, "hold", "release", "react", "disarm", "read"),
    observations=tuple(MEMBERS),
    statuses=("idle", "running"),
    gates=tuple(latch().gates),
    reads=("lookup",),
    contract="latch",
)
VECTORS = load_vectors(contract="latch")


def run(bursts: Sequence[Burst]) -> list[BurstResult]:
    """The one result the variant allows for each burst."""
    engine, here = Engine(latch()), start({})
    results: list[BurstResult] = []
    for burst in bursts:
        (outcome,) = perform(engine, here, burst)
        results.append(BurstResult(outcome.answers, outcome.seen))
        here = outcome.configuration
    return results


def short(seen: Observation) -> str:
    """An observation in a few letters."""
    words = [seen.event.rpartition("/")[2] if seen.event.startswith("agent") else seen.event]
    items = [dropped.id for dropped in seen.items] if seen.items is not UNSET else []
    parts = (seen.status, seen.item, *items, seen.reason, seen.cause, seen.turn, seen.step, seen.message, seen.gate)
    return " ".join([*words, *(str(part) for part in parts if part is not UNSET)])


def shown(*bursts: AnyCommand | Burst) -> list[str]:
    """What the last of these bursts shows of agent a, requests left out."""
    made = [(Create("a"),), *(burst if isinstance(burst, tuple) else (burst,) for burst in bursts)]
    seen = run(made)[-1].seen
    return [short(one) for one in seen if one.event != "request"]


def reacting(event: str, *then: AnyCommand, **members: object) -> React:
    """A listener on an event of agent a."""
    return React({"event": event, "of": "a", **members}, then)


HELD = (Hold("model", "a", sticky=True), Send("a", "mA"))
ENDS = ["step/end 1 1", "turn/end aborted user 1", "status idle"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.id)
def test_every_scenario_of_the_variant_holds_in_its_model(vector: Vector) -> None:
    assert check_vector(vector, run(bursts_of(vector, PROFILE)), PROFILE) == []


def test_rows_and_programs_cite_clauses_the_variant_has() -> None:
    cited = {row.id: row.clauses for row in latch().rows} | {
        program.id: program.clauses for program in latch().programs
    }
    for name, clauses in cited.items():
        assert set(clauses) <= LATCH_CLAUSES.keys(), name
    ids = [row.id for row in latch().rows]
    assert len(ids) == len(set(ids))


def test_a_clause_that_the_variant_replaces_or_removes_is_gone() -> None:
    assert {"S1", "S/r1", "Q14", "C24", "T13", "L/r15", "D7", "O1", "A/r4", "I18", "V10"}.isdisjoint(LATCH_CLAUSES)
    assert {"X2", "Q6", "C3", "P1", "P/r3", "T1", "L/r3", "D/r7", "G/r1", "A/r1", "V5", "F1"} <= LATCH_CLAUSES.keys()


def test_a_cancel_from_a_turn_end_observer_lets_what_is_left_go_on() -> None:  # C14L
    react = reacting("turn/end", Cancel("a", keep_inbox=True))
    seen = shown(HELD, Send("a", "mB"), (react, Release("model", "a")))
    assert seen[2:6] == ["turn/end completed 1", "abort user", "turn/start 2", "dequeue mB"]


def test_a_plain_cancel_from_a_turn_end_observer_leaves_nothing_to_go_on_with() -> None:  # C14L
    seen = shown(HELD, Send("a", "mB"), (reacting("turn/end", Cancel("a")), Release("model", "a")))
    assert seen[2:] == ["turn/end completed 1", "discard mB", "abort user", "status idle"]


def test_input_from_a_discard_listener_is_cleared_if_its_list_is_still_to_come() -> None:  # C6L
    react = reacting("agent/inbox/discard", Send("a", "mB"))
    seen = shown(HELD, Steer("a", "mS"), (react, Cancel("a")))
    assert seen == ["discard mS", "enqueue mB", "discard mB", "abort user"]


def test_input_from_a_discard_listener_parks_if_its_list_was_taken() -> None:  # C6L
    react = reacting("agent/inbox/discard", Steer("a", "mT"))
    before = (HELD, Send("a", "mB"), (react, Cancel("a")))
    assert shown(*before) == ["discard mB", "enqueue mT", "abort user"]
    assert shown(*before, Release("model", "a")) == ENDS
    assert shown(*before, Release("model", "a"), Send("a", "mC"))[2:5] == ["turn/start 2", "dequeue mT", "dequeue mC"]


def test_a_driver_started_by_a_discard_listener_at_idle_is_aborted_by_the_cancel() -> None:  # C6L
    seen = shown(Inject("a", "mI"), (reacting("agent/inbox/discard", Send("a", "mB")), Cancel("a")))
    assert seen[:5] == ["discard mI", "enqueue mB", "status running", "turn/start 1", "dequeue mB"]
    assert seen[5:] == ["abort user", "turn/end aborted user 1", "status idle"]


def test_the_cause_of_a_nested_cancel_wins() -> None:  # C8L
    react = reacting("agent/inbox/discard", Cancel("a", "parent"))
    assert shown(HELD, Send("a", "mB"), (react, Cancel("a"))) == ["discard mB", "abort parent"]


def test_input_queued_before_its_abort_never_sets_the_latch() -> None:  # C9L X1L
    react = reacting("agent/inbox/enqueue", Cancel("a", keep_inbox=True))
    before = (HELD, (react, Send("a", "mB")))
    assert shown(*before) == ["enqueue mB", "abort user"]
    assert shown(*before, Release("model", "a")) == ENDS


def test_a_quiet_item_alone_is_not_latched_but_is_replayed_with_a_latch() -> None:  # Q3L C9L
    aborted = (HELD, Cancel("a"))
    assert shown(*aborted, Inject("a", "mI"), Release("model", "a")) == ENDS
    seen = shown(*aborted, Inject("a", "mI"), Send("a", "mB"), Release("model", "a"))
    assert seen[3:7] == ["status running", "turn/start 2", "dequeue mI", "dequeue mB"]


def test_a_vetoed_turn_start_claims_nothing_and_parks_the_item() -> None:  # Q7L
    veto = React({"gate": "validation", "of": "a", "record": "turn/start"}, with_="fail")
    seen = shown((veto, Send("a", "mA")))
    assert [one for one in seen if "gate" not in one] == ["enqueue mA", "status running", "error 0 0", "status idle"]
    assert shown((veto, Send("a", "mA")), Send("a", "mB"))[2:4] == ["turn/start 1", "dequeue mA"]


def test_the_rest_of_a_burst_acts_before_an_exit() -> None:  # X5L S/r3L
    veto = React({"gate": "validation", "of": "a", "record": "turn/start"}, with_="fail")
    live = shown((veto, Send("a", "mA"), Send("a", "mB")))
    assert live[-1] == "status idle"  # live: the input parks
    aborted = shown((veto, Send("a", "mA"), Cancel("a"), Send("a", "mB")))
    assert aborted[4:9] == ["discard mA", "enqueue mB", "status idle", "status running", "turn/start 1"]


def test_max_tokens_of_any_step_is_the_turns() -> None:  # C18L
    held = Hold("model", "a", sticky=True)
    seen = shown(HELD, Steer("a", "mS"), (held, Release("model", "a", with_="max_tokens")), Release("model", "a"))
    assert seen[-2:] == ["turn/end max-tokens 1", "status idle"]


def test_a_call_whose_record_aborts_the_turn_is_not_dispatched() -> None:  # C16L C17L
    release = Release("model", "a", with_=Outcome("tools", tools=2))
    seen = run([(Create("a"),), HELD, (reacting("tool/call", Cancel("a")), release)])[-1].seen
    codes = [one.code for one in seen if one.event == "tool/result"]
    assert codes == ["ABORTED_BEFORE_DISPATCH", "ABORTED_BEFORE_DISPATCH"]
    assert not [one for one in seen if one.event == "gate"]


def test_a_results_context_is_quiet_next_step_input() -> None:  # Q16L C17L
    release = Release("model", "a", with_=Outcome("tools", tools=1))
    held = Hold("tool", "a", sticky=True)
    told = Release("tool", "a", with_=Outcome("ok", context=("mC",)))
    seen = shown(HELD, (held, release), (Hold("model", "a", sticky=True), told))
    assert seen == [
        "tool/result",
        "enqueue mC",
        "step/end 1 1",
        "dequeue mC",
        "step/start 1 2",
        "user/message mC",
        "gate 1 2 model",
    ]
    assert shown(HELD, (held, release), Cancel("a"), told)[:2] == ["tool/result", "enqueue mC"]


def test_maintenance_starts_from_idle_only() -> None:  # S14L
    (*_, last) = run([(Create("a"),), HELD, (Maintenance("a"),)])
    assert last.calls[0].refused == "busy"


def test_an_aborted_maintenance_replays_what_it_latched() -> None:  # S/r6L S/r15L
    held = Hold("maintenance", "a", sticky=True)
    seen = shown((held, Maintenance("a")), Cancel("a"), Steer("a", "mS"), Release("maintenance", "a"))
    assert seen[:4] == ["settled", "status running", "turn/start 1", "dequeue mS"]


def test_a_plain_cancel_clears_what_maintenance_latched() -> None:  # S/r6L
    held = Hold("maintenance", "a", sticky=True)
    before = ((held, Maintenance("a")), Send("a", "mB"), Cancel("a"))
    assert shown(*before) == ["discard mB", "abort user"]
    assert shown(*before, Inject("a", "mI"), Release("maintenance", "a")) == ["settled"]


def test_nothing_is_latched_once_a_teardown_has_begun() -> None:  # T5L S/r3L
    scope = Hold("scope", "a", sticky=True)
    before = (HELD, Cancel("a"), (scope, Dispose("a")), Send("a", "mB"))
    assert shown(*before, Release("model", "a")) == [*ENDS, "gate 1 0 scope"]
    assert shown(*before, Release("model", "a"), Send("a", "mC")) == ["enqueue mC"]


def test_a_waiter_waits_for_a_driver_started_by_an_idle_listener() -> None:  # S7L
    react = reacting("agent/status", Hold("model", "a", sticky=True), Send("a", "mB"), status="idle")
    before = (HELD, (react, WhenIdle("a")))
    assert shown(*before, Release("model", "a"))[-1] == "gate 2 1 model"
    assert shown(*before, Release("model", "a"), Release("model", "a"))[-1] == "settled"


def settled(*bursts: AnyCommand | Burst) -> dict[str, object]:
    """What the calls came to that settled in these bursts."""
    seen = [one for result in run([one if isinstance(one, tuple) else (one,) for one in bursts]) for one in result.seen]
    return {str(one.of): "ok" if one.refused is UNSET else one.refused for one in seen if one.event == "settled"}


def test_what_holds_of_contract_1_is_its_own_row() -> None:
    ones, own = ({row.id: row for row in of.rows} for of in (contract(), latch()))
    held = {name for name in own.keys() & ones.keys() if own[name].effect is ones[name].effect and own[name].effect}
    assert {"P/r3", "L/r4", "L/r6", "D/r7", "D/r8", "P15", "T10 struck"} <= held
    assert {"S/r13", "Q/r8 TS", "C9 consumed", "L/r16"}.isdisjoint(own)


def test_a_resume_continues_what_the_dispose_stored() -> None:  # D6 Q19 P17
    bursts = ((Create("a"),), (Send("a", "mA"),), (Dispose("a"),), (Resume("a", as_="h2"),), (Send("a", "mB"),))
    results = run(bursts)
    assert [one.source for one in results[3].seen if one.event == "agent/session-start"] == ["resume"]
    assert [one.turn for one in results[4].seen if one.event == "turn/start"] == [2]


def test_a_session_that_logged_nothing_is_not_stored() -> None:  # D/r4
    assert settled((Create("a"),), (Dispose("a"),), (Resume("a", as_="h2"),))["h2"] == "not_stored"


def test_an_unload_in_setup_rejects_and_a_late_result_is_inert() -> None:  # P6 P11
    held = Hold("setup", sticky=True)
    for unload, code in ((UnloadOwner("f1"), "inactive_owner"), (UnloadProvider(), "inactive_provider")):
        bursts = ((held, Create("a", owner="f1")), (unload,), (Release("setup", "h1"),))
        assert settled(*bursts)["h1"] == code
        assert not [one for result in run(bursts) for one in result.seen if one.event == "session/created"]


def test_a_creation_is_checked_before_its_commit() -> None:  # P/r6L P8L
    held, release = Hold("setup", sticky=True), Release("setup", "h1", with_="commit_fail")
    assert settled((held, Create("a")), (release,))["h1"] == "setup_failed"
    assert settled((held, Create("a")), (release, Abort("h1")))["h1"] == "aborted"


def test_the_first_reason_counts_whichever_it_was() -> None:  # P8L
    gate = React({"gate": "setup", "of": "h1"}, (Abort("h1"),))
    assert settled((gate, Create("a"), UnloadProvider()))["h1"] == "aborted"


def test_a_load_that_settles_after_the_abort_is_inert() -> None:  # P6
    release = Release("load", "h1", with_="fail")
    assert settled((Hold("load", sticky=True), Resume("a")), (release, Abort("h1")))["h1"] == "aborted"


def test_a_start_listener_that_disposes_the_lifecycle_rejects_the_creation() -> None:  # P5L R6L
    dispose = Dispose("a", same_stack=True)
    start = React({"event": "agent/session-start", "of": "a"}, (Send("a", "mA"), dispose))
    seen = run([(start, Create("a"))])[-1].seen
    events = [short(one) for one in seen if one.event != "request"]
    assert events[3:6] == ["enqueue mA", "status running", "turn/start 1"]
    assert events[-3:] == ["session/disposed", "settled", "settled"]
    assert settled((start, Create("a"))) == {"h1": "inactive_owner", "d1": "ok"}


def test_an_unload_begins_its_teardowns_after_the_segment() -> None:  # X3L T1
    engine = Engine(latch())
    (made,) = perform(engine, start({}), (Create("a", owner="f1"),))
    for outcome in perform(engine, made.configuration, (UnloadOwner("f1"), Send("a", "mA"))):
        seen = [short(one) for one in outcome.seen if one.event != "request"]
        assert seen[:4] == ["enqueue mA", "status running", "turn/start 1", "dequeue mA"]
        assert seen[-4:] == ["scope", "disposed", "session/disposed", "settled"]


DROPPED = {
    "S/r12L": ("latch", "C9L"),
    "S/r15L": ("latch-maintenance", "C9L"),
    "C4L latch": ("latch", "I8L"),
    "C4L next turn": ("latch", "I8L"),
    "S7L exits": ("latch", "V3L"),
    "C16L/pre_step.check": ("latch", "I9L"),
    "Q20 err": ("latch-turn", "I10 end"),
    "X5L SE": ("latch-turn", "I2"),
    "T/r3L unwinds": ("latch-teardown", "V6"),
}
"""A row of the variant, and the property that its absence breaks in a scope."""


def broken(contract: Contract, name: str) -> set[str]:
    """The properties that fail in a scope of this contract."""
    (scope,) = chosen(name, "latch")
    exploration = explore(contract, scope, properties_of(contract))
    return {*exploration.violations, *exploration.lassos}


@pytest.mark.parametrize("name", ["latch", "latch-turn", "latch-tools"])
def test_the_variant_holds_in_a_small_scope(name: str) -> None:
    assert broken(latch(), name) == set()


@pytest.mark.parametrize("row", DROPPED)
def test_a_row_left_out_breaks_its_property(row: str) -> None:
    scope, name = DROPPED[row]
    assert name in broken(latch().overlay("latch", drop=(row,)), scope)
