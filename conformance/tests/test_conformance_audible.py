"""Suites arm reactions only at what the system under test shows: nobody can listen to what is not published."""

from __future__ import annotations

from functools import cache

import pytest

from lifecycle_conformance import scopes
from lifecycle_conformance.suite import Classes, explore, reacting_edges
from lifecycle_model.contract1 import contract
from lifecycle_model.engine import Engine
from lifecycle_model.wire import MEMBERS, Profile

EVENTS = tuple(MEMBERS)
ALL = Profile(commands=(), observations=EVENTS, gates=("model", "flush"))


@cache
def classes() -> Classes:
    return explore(Engine(contract()), scopes.scope("projected"))


def listened(profile: Profile | None) -> set[tuple[object, object]]:
    """Events, gates and statuses that reactions of the suite are armed on."""
    ons = [dict(edge.label.reaction.on) for edge in reacting_edges(classes(), True, profile) if edge.label.reaction]
    return {(on.get("event", "gate"), on.get("status", on.get("gate"))) for on in ons}


def test_a_system_that_shows_everything_is_asked_everything() -> None:
    assert listened(ALL) == listened(None)


@pytest.mark.parametrize("event", ["agent/cancel-requested", "abort", "turn/start"])
def test_an_event_that_is_not_shown_has_no_listeners(event: str) -> None:
    lacking = Profile(commands=(), observations=tuple(one for one in EVENTS if one != event), gates=ALL.gates)
    assert listened(None) - listened(lacking) == {(event, None)}


def test_a_status_that_is_not_published_has_no_listeners() -> None:
    lacking = Profile(commands=(), observations=EVENTS, gates=ALL.gates, statuses=("idle", "running"))
    assert listened(None) - listened(lacking) == {("agent/status", "disposed")}


def test_a_gate_that_is_not_there_has_no_listeners() -> None:
    lacking = Profile(commands=(), observations=EVENTS, gates=("flush",))
    assert listened(None) - listened(lacking) == {("gate", "model")}
