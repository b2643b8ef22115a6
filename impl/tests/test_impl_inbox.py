"""The Inbox and turns scenarios, by hand from the catalogue."""

import math
from dataclasses import replace

import pytest

from lifecycle_runtime.behaviour import Continue
from lifecycle_runtime.errors import InvalidMessage, ReentrantAppend
from lifecycle_runtime.ports import ContextMessage
from lifecycle_runtime.testing.notation import plain
from lifecycle_runtime.testing.stage import Stage, context, staged


@staged()
async def test_vi01_quiet_item_alone(s: Stage) -> None:
    s.quiet_send("Q")
    assert s.agent.when_idle().done()
    await s.quiet()
    assert s.tokens() == ["enq(Q)"]


@staged()
async def test_vi02_quiet_item_ahead(s: Stage) -> None:
    s.quiet_send("Q")
    s.send("W")
    await s.quiet()
    s.expect(f"status(running) {plain(1, 'Q')} {plain(2, 'W')} status(idle)")


@staged()
async def test_vi04_send_from_a_te_observer(s: Stage) -> None:
    s.hold("flush")
    s.react("TE(1,completed)", lambda: s.send("B"))
    s.send("A")
    await s.quiet()
    s.expect("TE(1,completed) enq(B) FL", never="TS(2)")
    await s.release("flush")
    s.gates.open("flush")
    await s.quiet()
    s.expect("FL FL. TS(2)")
    assert s.only("status") == "status(running) status(idle)"


@staged()
async def test_vi06_send_from_the_model_call(s: Stage) -> None:
    s.gates.at("model", lambda: s.send("B"))
    s.send("A")
    await s.quiet()
    s.expect("TS(1) UM(A) enq(B) AM SE TE(1,completed) deq(B) TS(2) UM(B)")
    assert s.only("req") == "req(A) req(A,am1.1,B)"


@staged()
async def test_vi07_steer_during_a_tool(s: Stage) -> None:
    s.gates.answer("model", 1)
    s.gates.at("tool", lambda: s.steer("T"))
    s.send("A")
    await s.quiet()
    s.expect("enq(T,steer) TR(1) deq(T,steer) SM(T) SE(1) SS(2)", never="TS(2)")
    assert s.only("req") == "req(A) req(A,am1.1,tr1.1.1,T)"


@staged()
async def test_vi08_two_steers_while_idle(s: Stage) -> None:
    s.steer("S")
    s.steer("T")
    await s.quiet()
    s.expect("enq(S) enq(T) deq(S) TS(1) deq(T) TS(2)", never="SM")


@staged()
async def test_vi09_steer_from_a_continuation_listener(s: Stage) -> None:
    s.gates.at("continuation", lambda: s.steer("S"))
    s.send("A")
    await s.quiet()
    s.expect("SE(1) enq(S,steer) deq(S,steer) SM(S) SS(2) TE(1,completed)", never="TS(2)")


@staged()
async def test_vi11_steer_from_a_te_observer(s: Stage) -> None:
    s.react("TE(1,completed)", lambda: s.steer("S"))
    s.send("A")
    await s.quiet()
    s.expect("enq(S,steer) FL FL. ; deq(S) TS(2)")
    assert s.only("status enq") == "enq(A) status(running) enq(S,steer) status(idle)"


@staged()
async def test_vi12_terminal_stop(s: Stage) -> None:
    s.gates.answer("turn_stop", "terminal")
    s.react("SE(1)", lambda: s.steer("S"))
    s.send("A")
    s.send("B")
    await s.quiet()
    s.expect("enq(S,steer) disc[S] TE(1,completed) FL ; FL. ; deq(B) TS(2)", never="SM")


@staged()
async def test_steering_during_a_terminal_turns_flush_is_dropped(s: Stage) -> None:
    s.gates.answer("turn_stop", "terminal")
    s.gates.at("flush", lambda: s.steer("S"))
    s.send("A")
    await s.quiet()
    s.expect("TE(1,completed) FL enq(S,steer) FL. disc[S] status(idle)", never="SM TS(2)")


@staged()
async def test_vi14_send_during_a_terminal_turns_flush(s: Stage) -> None:
    s.gates.answer("turn_stop", "terminal")
    s.gates.at("flush", lambda: s.send("B"))
    s.send("A")
    await s.quiet()
    s.expect("TE(1,completed) FL enq(B) FL. deq(B) TS(2) UM(B) TE(2,completed)")


@staged()
async def test_vi15_inject_while_idle(s: Stage) -> None:
    assert s.inject("I") == "I"
    assert s.tokens()[:4] == ["TS(1,injection)", "UM(I)", "TE(1,completed)", "FL"]
    await s.quiet()
    s.expect("FL FL.", never="req status enq")


@staged()
async def test_vi17_two_injects_in_a_tool_batch(s: Stage) -> None:
    s.gates.answer("model", 1)
    s.gates.at("tool", lambda: (s.inject("I"), s.inject("J")))
    s.send("A")
    await s.quiet()
    s.expect("TC(1) TR(1) UM(I) UM(J) SE(1) TE(1,completed)", never="TS(2)")


@staged()
async def test_vi18_failed_idle_injection_flush(s: Stage) -> None:
    s.gates.answer("flush", ValueError("disk full"))
    s.inject("I")
    await s.quiet()
    s.expect("TE(1,completed) FL FL. err(1,0)")


@staged()
async def test_vi19_invalid_inject(s: Stage) -> None:
    with pytest.raises(InvalidMessage):
        s.agent.inject(math.nan)
    with pytest.raises(InvalidMessage):
        s.agent.send({"when": object()})  # type: ignore[dict-item]  # what a careless caller does
    with pytest.raises(InvalidMessage):
        s.agent.steer("x", id="")
    await s.quiet()
    assert s.tokens() == []
    assert len(s.agent.session) == 0


@staged()
async def test_an_id_is_accepted_once(s: Stage) -> None:
    s.send("A")
    with pytest.raises(InvalidMessage):
        s.send("A")
    await s.quiet()
    assert s.only("enq") == "enq(A)"


@staged()
async def test_accepted_input_is_immune_to_its_sender(s: Stage) -> None:
    content = {"parts": ["one"]}
    contexts = [ContextMessage({"k": [1]}, "c1")]
    s.agent.send(content, id="A", contexts=contexts)  # type: ignore[arg-type]  # a dict of lists is JSON
    content["parts"].append("two")
    contexts.clear()
    await s.quiet()
    user = s.agent.session.records[1]
    assert user.json()["content"] == {"parts": ["one"]}
    s.expect("UM(A) UM(c1) SS(1)")
    with pytest.raises(TypeError):
        user.data["content"] = "changed"  # type: ignore[index]  # frozen
    with pytest.raises(AttributeError):
        user.seq = 7  # type: ignore[misc]  # frozen
    assert replace(user, seq=7).seq == 7


@staged()
async def test_vi21_blocked_prompt(s: Stage) -> None:
    s.gates.answer("policy", "block")
    s.send("A")
    await s.quiet()
    s.expect("deq(A) TS(1) blocked TE(1,rejected) FL", never="SS UM err")


@staged()
async def test_vi22_continuation_reason(s: Stage) -> None:
    s.gates.answer("continuation", Continue("go on", id="r"))
    s.send("A")
    await s.quiet()
    s.expect("SE(1) enq(r,steer) deq(r,steer) SM(r) SS(2) TE(1,completed)")


@staged()
async def test_vi23_steer_before_the_claim(s: Stage) -> None:
    s.react("status(running)", lambda: s.steer("S"))
    s.send("A")
    await s.quiet()
    s.expect("enq(A) ; status(running) enq(S,steer) deq(A) TS(1) UM(A) deq(S,steer) SM(S) SS", never="TS(2)")


@staged()
async def test_vi24_max_tokens(s: Stage) -> None:
    s.gates.answer("model", "max_tokens")
    s.send("A")
    await s.quiet()
    s.expect("TE(1,max-tokens)")


@staged()
async def test_vi25_inject_during_a_flush(s: Stage) -> None:
    s.hold("flush")
    s.send("A")
    s.send("B")
    await s.quiet()
    s.inject("I")
    await s.quiet()
    s.expect("TE(1,completed) FL TS(2,injection) UM(I) TE(2,completed) FL", never="FL.")
    s.gates.open("flush")
    await s.quiet()
    s.expect("TS(3) UM(B)")
    assert s.tokens().index("FL.") < s.tokens().index("TS(3)")


@staged()
async def test_vi26_steer_in_the_drivers_wake_gap(s: Stage) -> None:
    s.send("A")
    s.send("B")
    s.gates.at("converge", lambda: s.hold("wake"))
    await s.quiet()
    s.forget()
    s.steer("S")
    s.gates.open("wake")
    await s.quiet()
    s.expect("enq(S,steer) ; deq(B) TS(2) UM(B) deq(S,steer) SM(S) SS", never="TS(3)")


@staged()
async def test_vi27_steer_with_nothing_left_to_join(s: Stage) -> None:
    s.send("A")
    s.send("B")
    s.gates.at("converge", lambda: s.hold("wake"))
    await s.quiet()
    s.cancel()
    s.steer("S")
    s.gates.open("wake")
    await s.quiet()
    s.expect("creq disc[B] enq(S,steer) ; deq(S) TS(2) TE(2,completed) status(idle)")
    assert s.only("status") == "status(running) status(idle)"


@staged()
async def test_vi28_steer_into_an_abandoned_reservation(s: Stage) -> None:
    s.react("status(running)", s.cancel)
    s.react("disc", lambda: s.steer("S"))
    s.send("A")
    await s.quiet()
    s.expect(
        "status(running) creq disc[A] enq(S,steer) status(cancelling) abort status(running) deq(S) TS(1) "
        "... status(idle)"
    )


@staged()
async def test_vi29_steer_during_the_final_model_call(s: Stage) -> None:
    s.hold("model")
    s.send("A")
    await s.quiet()
    s.steer("S")
    s.gates.open("model")
    await s.quiet()
    s.expect("enq(S,steer) ; AM deq(S,steer) SM(S) SE(1) SS(2)")
    assert s.only("req") == "req(A) req(A,am1.1,S)"


@staged()
async def test_vi30_steer_while_assembly_is_held(s: Stage) -> None:
    s.hold("assembly")
    s.send("A")
    await s.quiet()
    s.steer("S")
    s.gates.open("assembly")
    await s.quiet()
    s.expect("enq(S,steer) ; SS(1) AM deq(S,steer) SM(S) SE(1) SS(2)")
    assert s.only("req") == "req(A) req(A,am1.1,S)"


@staged()
async def test_vi31_cancel_from_a_steering_dequeue(s: Stage) -> None:
    s.gates.answer("model", 1)
    s.gates.at("tool", lambda: (s.steer("S"), s.steer("T")))
    s.react("deq(S,steer)", s.cancel)
    s.send("A")
    await s.quiet()
    s.expect("TR(1) deq(S,steer) creq disc[T] status(cancelling) abort SE(1) TE(1,aborted)", never="SM deq(T,steer)")


@staged()
async def test_vi32_quiet_item_after_a_cleared_wake(s: Stage) -> None:
    s.send("W")
    s.cancel()
    s.quiet_send("Q")
    await s.quiet()
    assert s.only("enq creq disc status TS") == "enq(W) creq(user) disc[W] enq(Q)"
    assert s.agent.inspect().queued == ("Q",)


@staged()
async def test_vi33_inject_from_a_record_observer(s: Stage) -> None:
    refused: list[Exception] = []

    def inject_now() -> None:
        try:
            s.inject("I")
        except ReentrantAppend as error:
            refused.append(error)

    s.gates.answer("model", 1)
    s.react("UM(A)", inject_now)
    s.react("AM", lambda: s.inject("J"))
    s.send("A")
    await s.quiet()
    s.expect("UM(A) SS(1) AM TC(1) TR(1) UM(J) SE(1)", never="UM(I)")
    assert len(refused) == 1


@staged()
async def test_vetoed_turn_start_consumes_the_item(s: Stage) -> None:
    s.vetoes.append("turn/start")
    s.send("A")
    s.send("B")
    await s.quiet()
    s.expect(f"status(running) deq(A) err(1,0) {plain(1, 'B')} status(idle)", never="UM(A)")


@staged()
async def test_a_turn_open_in_the_log_consumes_the_item(s: Stage) -> None:
    s.agent.session.append("turn/start", {"turn": 1, "trigger": "plugin"})
    s.send("A")
    await s.quiet()
    s.expect("status(running) deq(A) err(2,0) status(idle)", never="TS(2)")
    s.inject("I")
    s.expect("UM(I)", never="TS(2,injection)")
    s.agent.session.append("turn/end", {"turn": 1, "reason": "completed"})


@staged()
async def test_a_vetoed_record_fails_the_turn(s: Stage) -> None:
    s.vetoes.append("assistant/message")
    s.send("A")
    await s.quiet()
    s.expect("SS(1) SE(1) err(1,1) TE(1,error)", never="AM")


@staged()
async def test_a_retried_request_is_another_step(s: Stage) -> None:
    s.gates.answer("model", ValueError("down"))
    s.gates.answer("recovery", "retry")
    s.send("A")
    await s.quiet()
    s.expect("SS(1) SE(1) <recovery> SS(2) AM SE(2) TE(1,completed)", never="err")


@staged()
async def test_the_prefix_is_composed_once(s: Stage) -> None:
    s.gates.answer("model", 1)
    s.send("A")
    s.send("B")
    await s.quiet()
    assert s.only("<prefix>") == "<prefix>"


@staged()
async def test_a_failing_tool_is_an_error_result(s: Stage) -> None:
    s.gates.answer("model", 1)
    s.gates.answer("tool", ValueError("broken"))
    s.send("A")
    await s.quiet()
    s.expect("TC(1) TR(1) SE(1) SS(2) TE(1,completed)", never="err")
    result = next(record for record in s.agent.session.records if record.type == "tool/result")
    assert result.data["error"] is True


@staged()
async def test_a_rejected_injected_message_still_closes_its_turn(s: Stage) -> None:
    s.vetoes.append("user/message")
    with pytest.raises(ValueError, match="vetoed"):
        s.inject("I")
    await s.quiet()
    s.expect("TS(1,injection) TE(1,completed) FL FL.", never="UM")
    s.vetoes.append("turn/start")
    with pytest.raises(ValueError, match="vetoed"):
        s.inject("J")
    assert s.agent.session.next_turn == 2
    assert s.inject("J") == "J"


@staged()
async def test_contexts_follow_their_item(s: Stage) -> None:
    s.hold("model")
    s.send("A", contexts=[context("a1"), context("a2")])
    await s.quiet()
    s.agent.steer("S", id="S", contexts=[context("s1")])
    s.gates.open("model")
    await s.quiet()
    s.expect("UM(A) UM(a1) UM(a2) SS(1) ... SM(S) UM(s1) SE(1)")
