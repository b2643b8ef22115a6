"""How far the quiet reading goes: every order of what runs at once, within limits that say whose they are."""

from __future__ import annotations

import pytest

from lifecycle_model import quiet
from lifecycle_model.commands import Burst, Cancel, Create, Inject, React, Send, Steer
from lifecycle_model.contract1 import contract
from lifecycle_model.engine import Engine
from lifecycle_model.quiet import Crowded, Restless, perform
from lifecycle_model.state import Configuration, start

CROSSING: tuple[Burst, ...] = (
    (Create("a", as_="h1"), Create("b", as_="h2")),
    (React({"event": "steering/message", "of": "b"}, then=(Send("a", "m1", wakeup=False),)), Send("b", "m2")),
    (Cancel("b"), Steer("b", "m6"), Send("b", "m7")),
    (React({"event": "step/start", "of": "b"}, then=(Steer("a", "m4"), Inject("a", "m5"))),),
)
LAST: Burst = (Send("b", "m8", wakeup=False), Send("b", "m9"))
"""Two agents at work at once, one told from within the other's turn: 4,096 segments in all orders."""


def at_last(engine: Engine) -> Configuration:
    here = start({})
    for burst in CROSSING:
        here = perform(engine, here, burst)[0].configuration
    return here


def test_many_orders_are_no_livelock() -> None:
    engine = Engine(contract())
    outcomes = perform(engine, at_last(engine), LAST)
    assert len(outcomes) > 1
    assert {outcome.configuration for outcome in outcomes}


def test_more_orders_than_can_be_told_apart_are_said_to_be_that(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(contract())
    here = at_last(engine)
    monkeypatch.setattr(quiet, "MAX_ORDERS", 100)
    with pytest.raises(Crowded, match="too many orders"):
        perform(engine, here, LAST)


def test_one_order_without_end_is_a_livelock(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(contract())
    here = perform(engine, start({}), CROSSING[0])[0].configuration
    monkeypatch.setattr(quiet, "MAX_SEGMENTS", 3)
    with pytest.raises(Restless, match="busy"):
        perform(engine, here, (Send("a", "m1"),))
