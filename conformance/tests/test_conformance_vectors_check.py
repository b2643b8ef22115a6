"""The vector checker: each member of a vector on results that keep it and on the nearest ones that do not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from lifecycle_conformance.failure.reading import read
from lifecycle_conformance.vectors import (
    Mismatch,
    VectorError,
    bursts_of,
    check_vector,
    load_vector,
    load_vectors,
    out_of_reach,
    parts_of,
)
from lifecycle_conformance.vectors.fits import fits
from lifecycle_model.commands import Create, Json, Read, Send
from lifecycle_model.wire import MEMBERS, Answer, BurstResult, Observation, Only, Profile, Vector, VectorBurst

ALL = Profile(
    commands=("create", "send", "cancel", "read", "hold", "release", "react", "acp", "tick", "task"),
    observations=tuple(event for event in MEMBERS if event != "session/event"),
    gates=("model", "flush"),
    reads=("lookup", "inspect"),
    ticks=True,
)

STATUS = "agent/status"
RUNNING: dict[str, Json] = {"event": STATUS, "of": "a", "status": "running"}
CANCELLING: dict[str, Json] = {"event": STATUS, "of": "a", "status": "cancelling"}
IDLE: dict[str, Json] = {"event": STATUS, "of": "a", "status": "idle"}
START: dict[str, Json] = {"event": "turn/start", "of": "a", "turn": 1}


def vector(*bursts: VectorBurst, **more: object) -> Vector:
    given = {"id": "V", "title": "t", "clauses": ("S2",), "bursts": bursts, **more}
    return Vector(**given)  # type: ignore[arg-type]  # the members are named right above


def wrote(**members: object) -> VectorBurst:
    return VectorBurst(**{"do": (), **members})  # type: ignore[arg-type]  # as above


def said(*observed: str, calls: Sequence[Answer] = ()) -> list[BurstResult]:
    return [BurstResult(calls=tuple(calls), seen=read(one, "a")) for one in observed]


def kinds(burst: VectorBurst, *observed: str, profile: Profile = ALL, calls: Sequence[Answer] = ()) -> list[str]:
    return [mismatch.kind for mismatch in check_vector(vector(burst), said(*observed, calls=calls), profile)]


# must ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "seen",
    [
        "status(running) TS(1)",
        "enq(m1) status(running) deq(m1) TS(1) UM(m1)",
        # after the last one listed anything may come again
        "status(running) TS(1) status(running) TS(1)",
        # other subjects are not ordered against this one
        "b: TS(1) status(running) a: status(running) b: status(idle) a: TS(1)",
    ],
)
def test_must_holds_in_order_with_others_between(seen: str) -> None:
    assert kinds(wrote(must=(RUNNING, START)), seen) == []


@pytest.mark.parametrize(
    ("seen", "sentence"),
    [
        ("status(running)", "TS(1) of a is missing after status(running)"),
        ("", "status(running) of a is missing"),
        ("TS(1) status(running)", "TS(1) of a comes too early: status(running) is due"),
        ("status(running) status(running) TS(1)", "status(running) of a comes once too often: TS(1) is due"),
        ("b: status(running) TS(1)", "status(running) of a is missing"),
    ],
)
def test_must_fails_out_of_order_too_often_or_missing(seen: str, sentence: str) -> None:
    [mismatch] = check_vector(vector(wrote(must=(RUNNING, START))), said(seen), ALL)
    assert (mismatch.kind, mismatch.sentence) == ("must", sentence)


def test_an_observation_written_twice_occurs_twice() -> None:
    twice = wrote(must=(RUNNING, IDLE, RUNNING))
    assert kinds(twice, "status(running) status(idle) status(running)") == []
    assert kinds(twice, "status(running) status(idle)") == ["must"]
    assert kinds(twice, "status(running) status(running) status(idle)") == ["must"]


def test_a_general_pattern_counts_whatever_it_fits() -> None:
    general = wrote(must=(RUNNING, {"event": STATUS, "of": "a"}, START))
    assert kinds(general, "status(running) status(idle) TS(1)") == []
    assert kinds(general, "status(running) status(cancelling) status(idle) TS(1)") == ["must"]


def test_subjects_are_judged_apart() -> None:
    both = wrote(must=(RUNNING, {**START, "of": "b"}, IDLE))
    assert kinds(both, "status(running) status(idle) b: TS(1)") == []
    assert kinds(both, "status(running) status(idle)") == ["must"]


def test_a_contained_failure_is_counted_and_not_ordered() -> None:
    logged = wrote(must=(RUNNING, {"event": "contained"}, {"event": "contained"}))
    assert kinds(logged, "contained(x) status(running) contained(x)") == []
    assert kinds(logged, "contained(x) status(running)") == ["must"]


def test_what_a_system_may_leave_out_is_not_missed() -> None:
    full = wrote(must=({"event": "agent/inbox/enqueue", "of": "a", "item": "m1", "steering": False, "wakeup": True},))
    bare = BurstResult(seen=(msgspec.convert({"event": "agent/inbox/enqueue", "of": "a", "item": "m1"}, Observation),))
    assert check_vector(vector(full), [bare], ALL) == []
    # a signal that is not shown is one that is not aborted
    aborted = wrote(must=({"event": "gate", "of": "a", "gate": "model", "signal": "user"},))
    assert kinds(aborted, "<model:user>") == []
    assert kinds(aborted, "<model>") == ["must"]


# never, only, settled, calls ----------------------------------------------------------------------------------------


def test_never_is_never() -> None:
    burst = wrote(never=({"event": "user/message", "of": "a", "message": "m1"},))
    assert kinds(burst, "UM(m2) b: UM(m1)") == []
    [mismatch] = check_vector(vector(burst), said("UM(m2) UM(m1)"), ALL)
    assert mismatch == Mismatch(0, "never", "a", "", "UM(m1)", "UM(m1) must not be seen, and UM(m1) was", 1)


def test_nothing_of_a_subject_is_nothing() -> None:
    assert kinds(wrote(never=({"of": "a"},)), "b: TS(1)") == []
    assert kinds(wrote(never=({"of": "a"},)), "scope") == ["never"]


def test_only_is_the_exact_sequence_of_those_events() -> None:
    only = wrote(only=(Only("a", (STATUS,), (RUNNING, IDLE)),))
    assert kinds(only, "status(running) TS(1) b: status(idle) a: status(idle)") == []
    assert kinds(only, "status(running) status(idle) status(running)") == ["only"]
    assert kinds(only, "status(idle) status(running)") == ["only"]
    assert kinds(wrote(only=(Only("a", (STATUS,), ()),)), "TS(1)") == []
    [mismatch] = check_vector(vector(wrote(only=(Only("a", (STATUS,), ()),))), said("status(idle)"), ALL)
    assert mismatch.sentence == "of a exactly nothing of this kind may be seen, not status(idle)"


def test_settled_is_an_exact_set() -> None:
    burst = wrote(settled=({"of": "w1", "ok": None}, {"of": "h1", "ok": "*"}))
    assert kinds(burst, 'h1="handle" w1=null') == []
    assert kinds(burst, "w1=null") == ["settled"]
    assert kinds(burst, 'h1="handle" w1=null d1=null') == ["settled"]
    assert kinds(burst, "h1=refused(aborted) w1=null") == ["settled"]
    assert kinds(wrote(settled=()), "w1=null") == ["settled"]
    # a vector that does not say is not asked
    assert kinds(wrote(), "w1=null") == []


def test_calls_are_answered_in_order() -> None:
    burst = wrote(calls=({"ok": "*"}, {"refused": "busy"}))
    assert kinds(burst, "", calls=[Answer(ok=None), Answer(refused="busy", message="text")]) == []
    assert kinds(burst, "", calls=[Answer(refused="busy"), Answer(ok=None)]) == ["calls", "calls"]
    assert kinds(burst, "", calls=[Answer(ok=None)]) == ["calls"]


@pytest.mark.parametrize(
    ("pattern", "value", "expected"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": {"b": []}}, {"a": {"b": [], "c": 1}}, True),
        ({"a": {"b": []}}, {"a": {"b": [1]}}, False),
        ([{"a": 1}], [{"a": 1, "b": 2}], True),
        ([1], [1, 2], False),
        ("*", None, True),
        ({"a": "*"}, {}, False),
        (True, 1, False),
        (1, True, False),
        (None, False, False),
    ],
)
def test_a_pattern_fits_deeply(pattern: Json, value: Json, expected: bool) -> None:
    assert fits(pattern, value) is expected


# reads --------------------------------------------------------------------------------------------------------------

READS: dict[str, dict[str, Json]] = {
    "a": {"status": "idle", "inspect": {"marker": False}},
    "registry": {"agents": ["a"]},
    "s1": {"sessions": ["a"]},
    "t1": {"status": "running"},
    "f1": {"records": []},
    "z": {"log": []},
}


def test_reads_are_a_burst_of_their_own() -> None:
    played = vector(VectorBurst(do=(Create(id="a"),), reads=READS), VectorBurst(do=(Send("a", "m1"),)))
    assert bursts_of(played) == [
        (Create(id="a"),),
        (
            Read(agent="a"),
            Read(owner="f1"),
            Read(registry=True),
            Read(store="s1"),
            Read(task="t1"),
            Read(session="z"),
        ),
        (Send("a", "m1"),),
    ]
    assert [(part.index, part.reads) for part in parts_of(played)] == [(0, ()), (0, tuple(sorted(READS))), (1, ())]


def test_a_log_is_read_from_the_session_and_a_status_from_the_agent() -> None:
    both: dict[str, dict[str, Json]] = {"a": {"stored": [], "status": "idle"}}
    assert bursts_of(vector(VectorBurst(do=(Create(id="a"),), reads=both)))[1] == (Read(agent="a", session="a"),)


def test_reads_are_judged_member_by_member() -> None:
    burst = wrote(reads={"a": {"status": "idle", "inspect": {"marker": False}}})
    snapshot = {"status": "idle", "inspect": {"marker": False, "holder": "none"}, "log": []}
    good = BurstResult(calls=(Answer(ok=snapshot),))
    assert check_vector(vector(burst), [BurstResult(), good], ALL) == []
    bad = BurstResult(calls=(Answer(ok={**snapshot, "status": "running"}),))
    [mismatch] = check_vector(vector(burst), [BurstResult(), bad], ALL)
    assert mismatch.sentence == 'status of a reads "idle", not "running"'
    refused = BurstResult(calls=(Answer(refused="not_live"),))
    assert [m.kind for m in check_vector(vector(burst), [BurstResult(), refused], ALL)] == ["reads"]


def test_a_system_without_reads_is_not_asked_for_any() -> None:
    dumb = msgspec.structs.replace(ALL, reads=())
    burst = wrote(reads={"a": {"status": "idle"}})
    assert bursts_of(vector(burst), dumb) == [()]
    assert check_vector(vector(burst), [BurstResult()], dumb) == []
    blind = msgspec.structs.replace(ALL, reads=("lookup",))
    snapshot = BurstResult(calls=(Answer(ok={"status": "idle"}),))
    with_inspect = wrote(reads={"a": {"status": "idle", "inspect": {"marker": True}}})
    assert check_vector(vector(with_inspect), [BurstResult(), snapshot], blind) == []


def test_results_of_other_bursts_are_refused() -> None:
    with pytest.raises(ValueError, match="vector V is played in 1 bursts and there are 2 results"):
        check_vector(vector(wrote()), said("", ""), ALL)


# profiles -----------------------------------------------------------------------------------------------------------

PROJECTED = msgspec.structs.replace(ALL, statuses=("idle", "running", "disposed"))


def test_a_status_that_is_not_published_is_projected_away() -> None:
    burst = wrote(
        must=(RUNNING, CANCELLING, {"event": "abort", "of": "a"}, RUNNING, IDLE),
        never=(CANCELLING,),
        only=(Only("a", (STATUS,), (RUNNING, CANCELLING, RUNNING, IDLE)),),
        reads={"a": {"status": "cancelling", "inspect": {"status": "cancelling"}}},
    )
    [result] = said("status(running) abort(user) status(idle)")
    snapshot = BurstResult(calls=(Answer(ok={"status": "running", "inspect": {"status": "running"}}),))
    assert check_vector(vector(burst), [result, snapshot], PROJECTED) == []
    assert check_vector(vector(burst), [result, snapshot], ALL) != []


def test_a_repeat_is_dropped_across_bursts() -> None:
    played = vector(wrote(must=(RUNNING,)), wrote(must=(CANCELLING,)), wrote(must=(RUNNING, START)))
    assert check_vector(played, said("status(running)", "", "TS(1)"), PROJECTED) == []
    by_policy = msgspec.structs.replace(played, policies={"cancelling_published": "off"})
    assert check_vector(by_policy, said("status(running)", "", "TS(1)"), ALL) == []


def test_a_status_without_a_word_for_it_is_not_expected() -> None:
    few = msgspec.structs.replace(ALL, statuses=("idle", "running"))
    disposed: dict[str, Json] = {"event": STATUS, "of": "a", "status": "disposed"}
    burst = wrote(must=(disposed, {"event": "agent/disposed", "of": "a"}), reads={"a": {"status": "disposed"}})
    gone = BurstResult(calls=(Answer(ok={"status": "anything"}),))
    assert check_vector(vector(burst), [*said("a-"), gone], few) == []


# reach --------------------------------------------------------------------------------------------------------------


def test_a_vector_within_reach_has_no_reason() -> None:
    burst = VectorBurst(do=(Create(id="a"),), must=(RUNNING,), reads=READS)
    assert out_of_reach(vector(burst, needs=("lookup", "ticks", "model")), ALL) == []


@pytest.mark.parametrize(
    ("member", "given", "reason"),
    [
        ("needs", ["tool"], "needs tool"),
        ("contract", "latch", "is about contract latch, the system's is 1"),
        ("policies", {"keep_inbox": "on"}, "is about the policy keep_inbox=on"),
        ("bursts", [{"do": [{"do": "steer", "agent": "a", "message": "m1"}]}], "asks for steer"),
        ("bursts", [{"do": [{"do": "hold", "gate": "policy", "of": "a"}]}], "uses the gate policy"),
        (
            "bursts",
            [
                {
                    "do": [
                        {
                            "do": "react",
                            "on": {"gate": "tool"},
                            "then": [{"do": "inject", "agent": "a", "message": "m"}],
                        }
                    ]
                }
            ],
            "uses the gate tool",
        ),
        ("bursts", [{"do": [], "must": [{"event": "output", "of": "a"}]}], "is about output, which is not shown"),
        (
            "bursts",
            [{"do": [{"do": "react", "on": {"event": "output"}}]}],
            "reacts to output, which is not shown",
        ),
    ],
)
def test_what_a_vector_needs_and_a_system_lacks_is_named(member: str, given: object, reason: str) -> None:
    small = msgspec.structs.replace(ALL, observations=tuple(e for e in ALL.observations if e != "output"))
    written = {"id": "V", "title": "t", "clauses": ["S2"], "bursts": [], member: given}
    assert reason in out_of_reach(msgspec.convert(written, Vector), small)


def test_only_a_stepped_system_reaches_ticks() -> None:
    fixed = msgspec.structs.replace(ALL, ticks=False)
    assert out_of_reach(vector(needs=("ticks",)), fixed) == ["needs ticks: a driver that can be stepped"]


def test_a_policy_is_offered_as_one_value_or_as_several() -> None:
    wanted = vector(policies={"keep_inbox": "on"})
    several = msgspec.structs.replace(ALL, policies={"keep_inbox": ["off", "on"]})
    assert out_of_reach(wanted, several) == []
    assert out_of_reach(wanted, msgspec.structs.replace(ALL, policies={"keep_inbox": True})) == []


def test_a_policy_that_is_fixed_takes_its_default_out_of_reach() -> None:
    fixed = msgspec.structs.replace(ALL, policies={"max_tokens_stop_reason": "end_turn", "after_dispose": "parks"})
    default = vector(clauses=("A5", "policy max_tokens_stop_reason"))
    assert out_of_reach(default, fixed) == ["holds for max_tokens_stop_reason=max_tokens, and the system has end_turn"]
    refusing = vector(wrote(calls=({"refused": "disposed"},)))
    assert out_of_reach(refusing, fixed) == ["holds for after_dispose=rejects, and the system has parks"]
    assert out_of_reach(vector(), fixed) == []


# files --------------------------------------------------------------------------------------------------------------


def test_the_shipped_vectors_load_by_contract() -> None:
    ones, latches = load_vectors(), load_vectors(contract="latch")
    assert {"VS01", "VI01", "VC01", "VP01", "VT01", "VB01", "VA01", "VG02"} <= {one.id for one in ones}
    assert {one.id for one in latches} >= {"WL01", "WL26"}
    assert len(load_vectors(contract=None)) == len(ones) + len(latches)
    assert [one.id for one in ones] == sorted(one.id for one in ones)


def test_every_shipped_vector_expects_what_its_own_bursts_can_show() -> None:
    for one in load_vectors():
        parts = parts_of(one)
        assert [part.burst for part in parts if not part.reads] == [burst.do for burst in one.bursts]


def test_a_file_that_is_no_vector_is_named(tmp_path: Path) -> None:
    with pytest.raises(VectorError, match="there is no vector file or folder"):
        load_vectors(tmp_path / "missing")
    with pytest.raises(VectorError, match="there is no vector in"):
        load_vectors(tmp_path)
    (tmp_path / "V1.json").write_text('{"id": "V1", "titel": "t"}')
    with pytest.raises(VectorError, match=r"V1.json is no vector: .*titel"):
        load_vector(tmp_path / "V1.json")
    (tmp_path / "V1.json").write_text("not json")
    with pytest.raises(VectorError, match=r"V1.json is no vector"):
        load_vectors(tmp_path)


def test_an_id_used_twice_is_refused(tmp_path: Path) -> None:
    written = msgspec.json.encode(vector())
    (tmp_path / "one.json").write_bytes(written)
    (tmp_path / "two.json").write_bytes(written)
    with pytest.raises(VectorError, match=r"two.json: vector V is in one.json too"):
        load_vectors(tmp_path)
    assert [one.id for one in load_vectors(tmp_path / "one.json")] == ["V"]
