"""The ACP bridge beyond the vectors: what the contract allows, worked out by hand (A)."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from lifecycle_model.engine import Engine
from lifecycle_model.state import Configuration, start


def _load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


S = _load("stories")
NOBODY: dict[str, Any] = {"agents": [], "roots": []}


def acp(act: str, session: str | None = None, ref: str | None = None, message: str | None = None) -> dict[str, Any]:
    """What the client asks of the bridge."""
    found = {"do": "acp", "act": act, "session": session, "as": ref, "message": message}
    return {name: value for name, value in found.items() if value is not None}


OPEN = (acp("connect"), acp("new", "x", "n1"))


def prompt(message: str = "m1", ref: str = "p1", session: str = "x") -> dict[str, Any]:
    """A prompt."""
    return acp("prompt", session, ref, message)


def cancel(agent: str = "x") -> dict[str, Any]:
    """Another party's cancel."""
    return {"do": "cancel", "agent": agent}


def test_before_a_connection_everything_is_refused() -> None:
    """A/r1, A6: the bridge is closed until a client connects."""
    tale = S.only(
        (acp("new", "x", "n1"), acp("load", "x", "n2"), prompt(), acp("cancel", "x"), acp("disconnect", None, "q1"))
    )
    assert tale.settled == [{"n1": "*", "n2": "*", "p1": "*", "q1": None}]
    assert tale.shown == [{}]


def test_slot_is_occupied_before_the_message_is_sent() -> None:
    """A2: a prompt from inside the enqueue event finds the slot busy; one from inside the discard finds it free (A4)."""
    inside = S.react(S.on("agent/inbox/enqueue"), prompt("m2", "p2"))
    tale = S.only(OPEN, (inside, prompt()))
    assert tale.settled[1] == {"p1": "end_turn", "p2": "busy"}
    inside = S.react(S.on("agent/inbox/discard"), prompt("m2", "p2"))
    tale = S.only(OPEN, (inside, prompt(), acp("cancel", "x")))
    assert tale.settled[1] == {"p1": "cancelled", "p2": "end_turn"}


def test_send_that_raises_frees_the_slot() -> None:
    """A/r7: the agent is disposed but still listed."""
    tale = S.only(OPEN, (S.hold("model", "x"), S.send("m0")), (S.dispose(), prompt(), prompt("m2", "p2")))
    assert tale.settled[2] == {"p1": "*", "p2": "*"}


def test_slot_is_free_where_idle_listeners_run() -> None:
    """A4: with nothing undelivered the prompt settles in the segment in which its flush settles."""
    inside = S.react(S.on("agent/status", status="idle"), prompt("m2", "p2"))
    tale = S.only(OPEN, (inside, S.hold("flush", "x"), prompt()), (S.release("flush", "x"),))
    assert tale.settled[2] == {"p1": "end_turn", "p2": "end_turn"}


def test_turn_of_another_party_does_not_settle_a_prompt() -> None:
    """A3: neither their turn nor an injection that flushes while the prompt is sent or claimed."""
    inject = {"do": "inject", "agent": "x", "message": "m9"}
    tale = S.only(
        OPEN,
        (S.hold("model", "x"), S.send("m0")),
        (S.hold("model", "x"), prompt(), inject),
        (S.release("model", "x", "finish"),),
        (inject,),
    )
    assert tale.settled[1:] == [{}, {}, {}, {}]


def test_output_of_another_object_is_nobodys() -> None:
    """A12: a new agent with the session's id is not shown, cancelled or prompted."""
    tale = S.only(
        OPEN, (S.dispose(),), (S.create("h1"),), (S.hold("model", "x"), S.send("m0")), (acp("cancel", "x"), prompt())
    )
    assert tale.shown[4] == {}
    assert tale.settled[4] == {"p1": "*"}


@pytest.mark.parametrize(
    ("outcome", "expected"), [("finish", "end_turn"), ("error", "*"), ("max_tokens", "max_tokens")]
)
def test_result_follows_the_recorded_reason(outcome: str, expected: str) -> None:
    """A5: unless the client cancelled, whatever the reason."""
    hold = S.hold("model", "x")
    tale = S.only(OPEN, (hold, prompt()), (S.release("model", "x", outcome),))
    assert tale.settled[2] == {"p1": expected}
    held = S.hold("flush", "x")
    tale = S.only(
        OPEN, (hold, held, prompt()), (S.release("model", "x", outcome),), (acp("cancel", "x"), S.release("flush", "x"))
    )
    assert tale.settled[3] == {"p1": "cancelled"}


def test_failed_flush_changes_no_result() -> None:
    """A4: a turn converges when its flush has settled, either way."""
    tale = S.only(OPEN, (S.hold("flush", "x"), prompt()), (S.release("flush", "x", "fail"),))
    assert tale.settled[2] == {"p1": "end_turn"}


def test_create_and_load_in_flight_are_aborted_at_closing() -> None:
    """A9, A10, P11: both reject at once although their gates never settle, and nothing is left."""
    tale = S.only(
        (acp("connect"), acp("new", "y", "n1")),
        (acp("disconnect", None, "q1"),),
        (acp("connect"), S.hold("load", "n2"), acp("load", "y", "n2"), S.hold("setup", "n3"), acp("new", "x", "n3")),
        (acp("teardown", None, "q2"), acp("disconnect", None, "q3")),
        (S.release("load", "n2"), S.release("setup", "n3")),
    )
    assert tale.settled[2] == {}
    assert tale.settled[3] == {"n2": "*", "n3": "*", "q2": None, "q3": None}
    assert set(tale.shown[4]) <= {"n2", "n3"}
    assert tale.read(registry=True) == NOBODY


def test_closing_waits_for_minting() -> None:
    """P12: a creation whose scope is being minted is waited for."""
    tale = S.only(
        (acp("connect"), S.hold("scope_mint", "n1"), acp("new", "x", "n1")),
        (acp("disconnect", None, "q1"),),
        (S.release("scope_mint", "n1"),),
    )
    assert tale.settled == [{}, {}, {"n1": "*", "q1": None}]


def test_closing_inside_the_announcement_of_a_session() -> None:
    """A/r3: the roll-back runs, the call rejects, and the boundary comes after both."""
    inside = S.react(S.on("agent/created"), acp("disconnect", None, "q1"))
    tale = S.only((acp("connect"), inside, acp("new", "x", "n1")))
    assert tale.settled == [{"n1": "*", "q1": None}]
    assert tale.shown[0]["x"] == "s+ a+ a- s- scope"


def test_handle_that_came_too_late_is_disposed_first() -> None:
    """A/r3: closing falls between the publication and the bridge's hearing of it."""
    engine: Engine = S.ENGINE
    here: Configuration = start()
    for command in S.burst(*OPEN):
        here = engine.perform(here, command).configuration
    while not any(gate.kind == "returned" for gate in here.world.gates):
        here = engine.advance(here, engine.ready(here)[0]).configuration
    (close,) = S.burst(acp("disconnect", None, "q1"))
    segment = engine.perform(here, close)
    assert [one.of for one in segment.seen if one.event == "settled"] == []
    seen = []
    here = segment.configuration
    while ready := engine.ready(here):
        segment = engine.advance(here, ready[0])
        here = segment.configuration
        seen += [S.word(one) if one.event != "settled" else f"{one.of}:{S.reply(one)}" for one in segment.seen]
    assert seen == ["status(disposed)", "a-", "s-", "scope", "n1:*", "q1:None"]
    assert not [name for name in here if name.startswith("slot:")]


def test_closing_during_the_replay_rejects_the_load() -> None:
    """A9: the load has not been answered, so it is in flight; its output is dropped and its agent disposed."""
    tale = S.only(
        OPEN,
        (prompt(),),
        (acp("disconnect", None, "q1"),),
        (acp("connect"), S.hold("output", "x"), acp("load", "x", "n2")),
        (acp("disconnect", None, "q2"),),
    )
    assert tale.settled[3] == {}
    assert tale.shown[4]["x"].endswith("a- s- scope")
    assert tale.settled[4] == {"n2": "*", "q2": None}


def test_failing_scope_disposer_is_reported_at_the_end() -> None:
    """A11: it stops no disposal; what the disconnect says of it is the system's."""
    failing = S.react({"gate": "scope", "of": "x"}, **{"with": "fail"})
    tale = S.only(
        (acp("connect"), acp("new", "x", "n1"), acp("new", "y", "n2")), (failing, acp("disconnect", None, "q1"))
    )
    assert list(tale.settled[1]) == ["q1"]
    assert tale.read(registry=True) == NOBODY


def test_disconnect_disposes_now_or_later() -> None:
    """X3 of the bridge: other work may run before T/r1, so a send behind it is refused, or queued and dropped."""
    tales = S.tell(OPEN, (acp("disconnect", None, "q1"), S.send()))
    assert {str(tale.answers[1][1]) for tale in tales} == {"disposed", "m1"}
    for tale in tales:
        assert tale.settled[1] == {"q1": None}
        assert tale.shown[1]["x"].endswith("a- s- scope")


def test_sessions_of_a_plain_creation_cannot_be_loaded() -> None:
    """A/r4: no working directory is stored with them; over a bridged log a plain create starts a new one."""
    tale = S.only(
        (S.create("h1", "z"), acp("connect"), acp("new", "x", "n1")),
        (S.dispose("d1", "z"), S.dispose("d2", "x")),
        (acp("load", "z", "n2"),),
        (acp("load", "x", "n3"),),
        (S.dispose("d3", "x"),),
        (S.create("h2", "x"),),
        (S.dispose("d4", "x"),),
        (acp("load", "x", "n4"),),
    )
    assert tale.settled[2] == {"n2": "*"}
    assert tale.settled[3] == {"n3": "*"}
    assert tale.shown[2] == {}
    assert tale.shown[3] == {"x": "s+ a+ start(resume)"}
    assert tale.shown[7] == {}


def test_reloaded_session_has_a_slot_of_its_own() -> None:
    """A12: a prompt still draining belongs to the old object and settles by itself."""
    tale = S.only(
        OPEN,
        (S.hold("output", "x"), prompt()),
        (S.dispose(),),
        (acp("load", "x", "n2"),),
        (prompt("m2", "p2"),),
        (S.release("output", "x"),),
    )
    assert tale.settled[1:] == [{}, {"d1": None}, {"n2": "*"}, {"p2": "end_turn"}, {"p1": "end_turn"}]


def test_load_of_a_loading_id_is_refused_until_the_mark_is_gone() -> None:
    """A14: whatever comes of the first."""
    tale = S.only(
        OPEN,
        (S.dispose(),),
        (S.hold("load", "n2"), acp("load", "x", "n2"), acp("load", "x", "n3")),
        (S.release("load", "n2", "fail"),),
        (acp("load", "x", "n4"),),
    )
    assert tale.settled[2:] == [{"n3": "*"}, {"n2": "*"}, {"n4": "*"}]
    assert tale.shown[4] == {"x": "s+ a+ start(resume)"}
