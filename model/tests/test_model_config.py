"""Config-started agents beyond the vectors: what the contract allows, worked out by hand (G)."""

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
BORN = "s+ a+ start(startup)"
RESUMED = "s+ a+ start(resume)"
FREE = (S.unload_provider(),)


def load(provider: str = "p2", *configured: dict[str, str]) -> dict[str, Any]:
    """A provider with agents to start."""
    return {"do": "load_provider", "as": provider, "configured": list(configured or ({"label": "c1", "id": "x"},))}


def test_conflicting_ids_are_refused_before_the_slot_is_asked_for() -> None:
    """G2: also where another provider holds the slot; nothing starts and nothing is registered."""
    tale = S.only((load("p2", {"label": "c1", "id": "x"}, {"label": "c2", "resume": "x"}),), (load("p2"),))
    assert tale.answers == [["conflicting_ids"], ["provider_taken"]]
    assert tale.shown == [{}, {}]


def test_fresh_ids_are_new_at_each_reload() -> None:
    """G/r2: an agent without exact id does not continue its predecessor's history."""
    tale = S.only(
        FREE, (load("p2", {"label": "c1"}),), (S.unload_provider("p2", "u2"),), (load("p3", {"label": "c1"}),)
    )
    assert tale.shown[1] == {"c1@p2": BORN}
    assert tale.shown[3] == {"c1@p3": BORN}


def test_start_goes_on_while_the_predecessors_scope_unwinds() -> None:
    """G3, T8: the id is free at s-; the old provider still waits for the scope, the new agent lives."""
    tales = S.tell(
        FREE,
        (load(), S.hold("scope", "x")),
        (S.unload_provider("p2", "u2"), load("p3")),
        (S.send(),),
        (S.release("scope", "x"),),
        (S.unload_provider("p3", "u3"),),
    )
    for tale in tales:
        assert tale.shown[2]["x"].startswith("status(disposed) a- s- ")
        assert RESUMED in tale.shown[2]["x"]
        assert tale.settled[2:] == [{}, {}, {"u2": None}, {"u3": None}]


def test_direct_session_of_the_id_is_waited_for() -> None:
    """G/r3: an entry of either kind."""
    tale = S.only(FREE, (S.session("create", "x"),), (load(),), (S.session("detach", "x"),))
    assert tale.shown[2] == {}
    assert tale.shown[3]["x"] == f"s- {RESUMED}"


def test_lookup_decides_between_resume_and_create() -> None:
    """G/r4: what the lookup says counts; a log that it missed is kept aside, one that it invented is a failure."""
    log = S.put("x", S.OPENED, S.NOTED, S.CLOSED)
    for outcome, shown in (("missing", BORN), ("found", RESUMED)):
        tale = S.only(FREE, (log, S.hold("config_lookup", "c1"), load()), (S.release("config_lookup", "c1", outcome),))
        assert tale.shown[2] == {"x": shown}
    tale = S.only(FREE, (S.hold("config_lookup", "c1"), load()), (S.release("config_lookup", "c1", "found"),))
    assert tale.shown[2] == {"UNSET": "config-start-failed"}


def test_failing_lookup_after_the_unload_is_not_reported() -> None:
    """G5: startup work is joined, and nothing is said of it."""
    tale = S.only(
        FREE,
        (S.hold("config_lookup", "c1"), load()),
        (S.unload_provider("p2", "u2"),),
        (S.release("config_lookup", "c1", "fail"),),
    )
    assert tale.shown[2:] == [{}, {}]
    assert tale.settled[2:] == [{}, {"u2": None}]


def test_each_failure_is_reported_once_and_spares_the_others() -> None:
    """G4: also a resume without log and a setup that throws."""
    failing = S.react({"gate": "setup", "of": "c2"}, **{"with": "fail"})
    agents = ({"label": "c1", "resume": "y"}, {"label": "c2", "id": "z"}, {"label": "c3", "id": "x"})
    (tale, *others) = S.tell(FREE, (failing, load("p2", *agents)))
    for one in (tale, *others):
        assert one.shown[1]["UNSET"] == "config-start-failed config-start-failed"
        assert one.shown[1]["x"] == BORN


def test_owner_of_the_provider_gives_up_its_startup() -> None:
    """P15, G/r7: the unload of a provider's own owner is the provider's unload."""
    tale = S.only(
        FREE,
        (S.create("h9", "y"),),
        ({**load("p2", {"label": "c1", "resume": "q"}), "owner": "f1"}, S.storage("off", None)),
        (S.unload("f1", "u2"),),
        (S.storage("on", None),),
    )
    assert tale.settled[1] == {"h9": "inactive_provider"}
    assert tale.settled[3] == {"u2": None}
    assert tale.shown[4] == {}


def test_handle_is_discarded_and_the_provider_owns_the_agent() -> None:
    """G1: the agent can be disposed by its name, and goes with its provider."""
    tale = S.only(FREE, (load(),), (S.unload("root", "u2"),))
    assert tale.shown[1] == {"x": BORN}
    assert tale.read(owner="root") == {"records": []}
