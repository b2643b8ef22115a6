"""What is compared of observations and answers, and what is not: named by the system, contained without subject, booleans."""

from __future__ import annotations

import pytest

from lifecycle_conformance.compare import Projection, agree, answers_agree, moments
from lifecycle_conformance.promises import answered
from lifecycle_model.commands import Read, Tick
from lifecycle_model.wire import ANY, NEW, NOTHING, Answer, Observation, Profile


def said(message: str, of: str = "x") -> Observation:
    """A message in a log."""
    return Observation("user/message", of=of, message=message)


def requested(*messages: str) -> Observation:
    """A model request."""
    return Observation("request", of="x", turn=1, step=1, messages=messages)


def test_a_name_of_the_system_agrees_with_any_other_does_not() -> None:
    assert agree(said(ANY), said("i1"))
    assert not agree(said("m1"), said("i1"))
    assert not agree(said(ANY), said("i1", "y"))
    assert agree(requested(ANY, "mA"), requested("i1", "mA"))
    assert not agree(requested(ANY, "mA"), requested("i1", "mB"))
    assert not agree(requested(ANY, "mA"), requested("mA"))


def test_a_contained_failure_may_have_no_subject() -> None:
    assert agree(Observation("contained", of="t1"), Observation("contained", name="task"))
    assert not agree(Observation("contained", of="t1"), Observation("contained", of="t2"))
    assert not agree(Observation("scope", of="x"), Observation("scope"))


@pytest.mark.parametrize(
    ("expected", "seen", "agrees"),
    [
        (Answer(ok=True), Answer(ok=True), True),
        (Answer(ok=True), Answer(ok=False), False),
        (Answer(ok=True), Answer(ok=None), False),
        (Answer(ok=NEW), Answer(ok="text"), True),
        (Answer(ok=NEW), Answer(ok=""), False),
        (Answer(ok=NOTHING), Answer(ok="text"), False),
        (Answer(ok=NOTHING), Answer(ok=""), True),
        (Answer(ok=ANY), Answer(ok=""), True),
        (Answer(ok=ANY), Answer(refused="unknown_task"), False),
        (Answer(ok=ANY), Answer(value="thrown"), False),
        (Answer(ok=None), Answer(value="thrown"), False),
        (Answer(ok=None), Answer(ok="anything"), True),
        (Answer(ok="m1"), Answer(ok="m1"), True),
        (Answer(ok="m1"), Answer(ok="m2"), False),
        (Answer(ok="m1"), Answer(ok=None), False),
        (Answer(refused=ANY), Answer(refused="inactive_owner"), True),
        (Answer(refused=ANY), Answer(ok=None), False),
        (Answer(refused="unknown_task"), Answer(refused="foreign_task"), False),
    ],
)
def test_answers(expected: Answer, seen: Answer, agrees: bool) -> None:
    assert answers_agree(expected, seen) is agrees


def test_statuses_read_inside_a_listener_are_projected_too() -> None:
    shows = Profile(observations=("heard",), statuses=("idle", "running", "disposed"))
    read = Answer(ok={"status": "cancelling", "inspect": {"status": "cancelling"}})
    (heard,) = Projection(shows).project([Observation("heard", of="x", as_="l1", answers=(read,))])
    assert heard.answers == (Answer(ok={"status": "running", "inspect": {"status": "running"}}),)


def test_stored_logs_are_compared_as_logs() -> None:
    mine = [Observation("user/message", message=ANY)]
    assert answers_agree(
        Answer(ok={"stored": mine}), Answer(ok={"stored": [{"event": "user/message", "message": "i1"}]})
    )
    assert not answers_agree(Answer(ok={"stored": mine}), Answer(ok={"stored": []}))
    # a log without records: a resume of it tells whether it is stored, a read need not
    assert answers_agree(Answer(ok={"stored": []}), Answer(ok={"stored": None}))
    assert not answers_agree(Answer(ok={"stored": mine}), Answer(ok={"stored": None}))


def test_a_wrong_read_in_a_burst_without_rows_names_clauses() -> None:
    inspect = {"status": "idle", "queued": [], "steering": [], "marker": False, "holder": "none"}
    expected = Answer(ok={"status": "idle", "inspect": inspect, "registry": True})
    for wrong, clauses in (
        ({"inspect": {**inspect, "marker": True}}, ("C9", "I5")),
        ({"inspect": {**inspect, "holder": "live"}}, ("S4", "I3", "I10")),
        ({"inspect": {**inspect, "queued": ["m1"]}}, ("Q5", "Q18")),
        ({"status": "running"}, ("S1", "S2")),
        ({"registry": False}, ("T7", "I12")),
        ({}, ()),
    ):
        seen = Answer(ok={"status": "idle", "inspect": inspect, "registry": True, **wrong})
        assert answered(Read(agent="a"), expected, seen) == clauses


def test_a_driver_that_waits_to_be_stepped_unwoken_is_blamed_on_wakes() -> None:
    refused, ok = Answer(refused="no_such_gate"), Answer(ok=None)
    assert answered(Tick("a"), refused, ok) == answered(Tick("a"), ok, refused) == ("Q3", "X4")


def test_when_a_call_settled_counts_what_its_subject_did_before() -> None:
    idle, waited = Observation("agent/status", of="x", status="idle"), Observation("settled", of="w1", ok=None)
    other = Observation("agent/status", of="y", status="idle")
    assert moments([waited, idle], {"w1": "x"}) == moments([other, waited, idle], {"w1": "x"}) == {"w1": 0}
    assert moments([idle, waited], {"w1": "x"}) == {"w1": 1}
    assert moments([idle, waited], {}) == {}
