"""The reference adapter's ACP side: the vectors of section A hold in the runtime, and the client's words mean what they say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from lifecycle_conformance.monitors.watch import watch
from lifecycle_conformance.systems.load import open_system
from lifecycle_conformance.vectors import bursts_of, check_vector, load_vectors
from lifecycle_conformance.vectors.reach import out_of_reach
from lifecycle_model.commands import AnyCommand, Burst
from lifecycle_model.wire import TraceBurst, Vector
from lifecycle_runtime.acp_slot import Slot

Json = dict[str, Any]

VECTORS = [vector for vector in load_vectors(contract="1") if vector.id[:2] in ("VA", "XA")]
CONNECT: Json = {"do": "acp", "act": "connect"}
NEW: Json = {"do": "acp", "act": "new", "session": "x", "as": "n1"}
LEAVE: Json = {"do": "acp", "act": "disconnect", "as": "q1"}


@pytest.fixture(scope="module", params=["reference", "stdio:lifecycle serve reference"])
def system(request: pytest.FixtureRequest) -> Iterator[Any]:
    opened = open_system(request.param)
    yield opened
    opened.stop()


def kept(system: Any, vector: Vector) -> list[object]:
    """Every way in which a vector does not hold, monitors included."""
    profile = system.describe().profile
    bursts = bursts_of(vector, profile)
    system.reset(vector.policies)
    results = system.run(bursts)
    traced = [TraceBurst(made, seen.calls, seen.seen) for made, seen in zip(bursts, results, strict=True)]
    return [*check_vector(vector, results, profile), *watch(traced, profile, vector.policies)]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.id)
def test_every_vector_of_the_bridge_is_in_reach_and_holds(system: Any, vector: Vector) -> None:
    assert out_of_reach(vector, system.describe().profile) == []
    assert kept(system, vector) == []


def test_a_bridge_that_answers_too_early_breaks_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Slot, "_end", Slot._settle)
    reference = open_system("reference")
    broken = {vector.id for vector in VECTORS if kept(reference, vector)}
    reference.stop()
    assert broken == {"VA26", "VA32", "XA08", "XA18-delivered", "XA18-joins", "XA18-left"}


@pytest.fixture
def play(system: Any) -> Any:
    """Run bursts on a fresh runtime; each result as a trace has it."""

    def run(*bursts: list[Json], **policies: object) -> list[Json]:
        system.reset(policies)
        made: list[Burst] = [msgspec.convert(commands, tuple[AnyCommand, ...]) for commands in bursts]
        return [msgspec.json.decode(msgspec.json.encode(result)) for result in system.run(made)]

    return run


def settled(result: Json) -> dict[str, object]:
    """How each reference settled in a burst."""
    return {
        one["of"]: one.get("ok", one.get("refused", one.get("value")))
        for one in result["seen"]
        if one["event"] == "settled"
    }


def outputs(*results: Json) -> list[object]:
    """The updates the client was told of."""
    return [one["update"] for result in results for one in result["seen"] if one["event"] == "output"]


def prompt(message: str = "mA", ref: str = "p1") -> Json:
    return {"do": "acp", "act": "prompt", "session": "x", "message": message, "as": ref}


def hold(gate: str, of: str = "x", **more: object) -> Json:
    return {"do": "hold", "gate": gate, "of": of, **more}


def test_without_a_client_every_call_is_refused_and_a_cancel_does_nothing(play: Any) -> None:
    (calls,) = play([NEW, prompt(), LEAVE, {"do": "acp", "act": "cancel", "session": "x"}])
    # to leave is never refused (A10): there is only nothing to wait for
    assert settled(calls) == {"n1": "not_live", "p1": "not_live", "q1": None}
    assert calls["calls"][3] == {"ok": None}


def test_a_second_connect_keeps_the_open_connection(play: Any) -> None:
    _, _, after = play([CONNECT], [NEW], [CONNECT, prompt()])
    assert settled(after) == {"p1": "end_turn"}


def test_a_reply_and_each_of_its_calls_are_told_in_order(play: Any) -> None:
    tools = {"do": "react", "on": {"gate": "model", "of": "x"}, "with": {"outcome": "tools", "tools": 1}}
    _, _, turn = play([CONNECT], [NEW], [tools, prompt()])
    assert outputs(turn) == ["agent_message_chunk", "tool_call", "tool_call_update", "agent_message_chunk"]


def test_output_the_client_left_behind_is_told_to_nobody(play: Any) -> None:
    release = {"do": "release", "gate": "output", "of": "x"}
    *_, left, late = play([CONNECT], [NEW], [hold("output"), prompt()], [LEAVE], [release])
    assert settled(left) == {"p1": "cancelled", "q1": None}
    assert late["calls"][0]["refused"] == "no_such_gate"
    assert outputs(left, late) == []


def test_a_torn_down_bridge_still_tells_what_it_owes(play: Any) -> None:
    teardown = {"do": "acp", "act": "teardown", "as": "q1"}
    *_, torn, late = play(
        [CONNECT], [NEW], [hold("output"), prompt()], [teardown], [{"do": "release", "gate": "output", "of": "x"}]
    )
    assert settled(torn) == {"q1": None}
    assert settled(late) == {"p1": "cancelled"}
    assert outputs(late) == ["agent_message_chunk"]


def test_a_failed_prompt_is_refused_with_what_failed(play: Any) -> None:
    fail = {"do": "react", "on": {"gate": "assembly", "of": "x"}, "with": {"outcome": "fail", "value": True}}
    _, _, error, value = play(
        [CONNECT],
        [NEW],
        [{"do": "react", "on": {"gate": "model", "of": "x"}, "with": "error"}, prompt()],
        [fail, prompt("mB", "p2")],
    )
    assert settled(error) == {"p1": "vetoed"}
    assert settled(value) == {"p2": "thrown"}


def test_a_session_of_the_bridge_is_disposed_by_its_handle(play: Any) -> None:
    _, _, gone = play([CONNECT], [NEW], [{"do": "dispose", "agent": "x", "as": "d1"}])
    assert settled(gone) == {"d1": None}


def test_where_load_is_absent_it_is_unsupported(play: Any) -> None:
    load = {"do": "acp", "act": "load", "session": "x", "as": "n2"}
    *_, refused = play([CONNECT], [NEW], [LEAVE], [CONNECT], [load], session_load="absent")
    assert settled(refused) == {"n2": "unsupported"}
