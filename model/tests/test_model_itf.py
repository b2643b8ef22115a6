"""Runs exported as ITF read back with the itf-py package."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from lifecycle_model.contract1 import contract
from lifecycle_model.explore import counterexample, explore, standard
from lifecycle_model.explorer import Exploration
from lifecycle_model.itf import VARIABLES, to_itf, value_of
from lifecycle_model.scopes import scope_named
from lifecycle_model.wire import UNSET

itf_py: Any = pytest.importorskip("itf_py")


@cache
def explored() -> Exploration:
    return explore(contract(), scope_named("keep-inbox-off"), standard(contract()).only("cancelled turn"))


def test_witness_reads_back() -> None:
    moments, _ = counterexample(explored(), "cancelled turn")
    data = to_itf(moments, source="keep-inbox-off")
    read = itf_py.trace_from_json(json.loads(json.dumps(data)))
    assert read.vars == list(VARIABLES)
    assert read.meta["source"] == "keep-inbox-off"
    assert read.loop is None
    assert [state.values["did"] for state in read.states] == [moment.text for moment in moments]
    last = read.states[-1].values
    agent = last["components"]["a"]
    assert agent.place == moments[-1].configuration["a"].place
    assert agent.turn == 1
    assert [one.event for one in last["seen"]] == [one.event for one in moments[-1].seen]
    assert last["segment"] == "internal"


def test_reading_and_writing_again_gives_the_same() -> None:
    moments, _ = counterexample(explored(), "cancelled turn")
    data = to_itf(moments)
    read = itf_py.trace_from_json(json.loads(json.dumps(data)))
    again = itf_py.trace_to_json(read)
    assert [{k: v for k, v in state.items() if k != "#meta"} for state in again["states"]] == [
        {k: v for k, v in state.items() if k != "#meta"} for state in data["states"]
    ]


@pytest.mark.parametrize("name", ["bridge-new", "storage", "tasks"])
def test_a_run_of_a_whole_system_reads_back(name: str) -> None:
    found = explore(contract(), scope_named(name), standard(contract()), limit=400)
    assert len(found.witnesses) > 3
    kinds: set[str] = set()
    for witness in found.witnesses:
        moments, _ = counterexample(found, witness)
        data = json.loads(json.dumps(to_itf(moments, source=name)))
        read = itf_py.trace_from_json(data)
        for state, moment in zip(read.states, moments, strict=True):
            components = state.values["components"]
            parts = {name: part for name, part in moment.configuration.items() if name != "world"}
            assert set(components) == set(parts)
            for name, part in parts.items():
                assert getattr(components[name], "place", None) == getattr(part, "place", None)
                kinds.add(type(part).__name__)
        assert [{k: v for k, v in state.items() if k != "#meta"} for state in itf_py.trace_to_json(read)["states"]] == [
            {k: v for k, v in state.items() if k != "#meta"} for state in data["states"]
        ]
    assert len(kinds) > 3


def test_lasso_has_a_loop() -> None:
    base = contract()
    spin = next(row for row in base.rows if row.id == "S/r6")
    broken = base.overlay(
        "spin", rows=[replace(spin, to=None, effect=None, says=(), opens="driver driver.wake", then="end")]
    )
    found = explore(broken, scope_named("keep-inbox-off"), standard(broken).only("V1"))
    stem, cycle = counterexample(found, "V1")
    read = itf_py.trace_from_json(json.loads(json.dumps(to_itf(stem, cycle))))
    assert read.loop == len(stem)
    assert len(read.states) == len(stem) + len(cycle)


def test_values_have_their_itf_form() -> None:
    assert value_of(3) == {"#bigint": "3"}
    assert value_of(True) is True
    assert value_of(None) == value_of(UNSET)
    assert value_of(("x", 1)) == ["x", {"#bigint": "1"}]
    assert value_of({"b": 1, "a": "x"}) == {"#map": [["a", "x"], ["b", {"#bigint": "1"}]]}
    assert value_of(frozenset({"b", "a"})) == {"#set": ["a", "b"]}


def test_value_without_form_is_refused() -> None:
    with pytest.raises(TypeError, match="no ITF form"):
        value_of(3.5)
