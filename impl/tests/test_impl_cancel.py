"""The Cancellation scenarios, by hand from the catalogue."""

import asyncio

import pytest

from lifecycle_runtime.core import Policies
from lifecycle_runtime.errors import InvalidValue, Unsupported
from lifecycle_runtime.ports import ToolResult
from lifecycle_runtime.testing.notation import plain
from lifecycle_runtime.testing.stage import Stage, context, in_order, staged

KEEP = Policies(keep_inbox=True)


async def running(s: Stage, message: str = "A") -> None:
    """Send and hold the model call."""
    s.hold("model")
    s.send(message)
    await s.quiet()


async def finish(s: Stage) -> None:
    """Let everything go on."""
    s.gates.open_all()
    await s.quiet()


@staged()
async def test_vc01_idle_cancel(s: Stage) -> None:
    s.cancel()
    await s.quiet()
    assert s.tokens() == []
    s.send("A")
    await s.quiet()
    s.expect(f"status(running) {plain(1, 'A')} status(idle)")


@staged()
async def test_vc02_cancel_before_the_claim(s: Stage) -> None:
    s.send("A")
    s.send("B")
    s.cancel()
    assert s.tokens() == ["enq(A)", "enq(B)", "creq(user)", "disc[A,B]"]
    await s.quiet()
    s.expect("disc[A,B]", never="status TS")
    assert not s.agent.inspect().marker


@staged()
async def test_vc03_waiter_and_cancel_before_the_claim(s: Stage) -> None:
    s.send("A")
    waiter = s.agent.when_idle()
    s.cancel()
    assert not waiter.done()
    await s.quiet()
    assert waiter.done()
    s.expect("creq disc[A]", never="status")


@staged()
async def test_vc04_replacement_before_the_claim(s: Stage) -> None:
    s.hold("flush")
    s.send("A")
    waiter = s.agent.when_idle()
    s.cancel()
    s.send("B")
    await s.quiet()
    assert not waiter.done()
    await finish(s)
    assert waiter.done()
    s.expect(f"enq(A) creq disc[A] enq(B) ; status(running) {plain(1, 'B')} status(idle)")


@staged()
async def test_vc05_cancel_of_a_quiet_item(s: Stage) -> None:
    s.quiet_send("Q")
    waiter = s.agent.when_idle()
    s.cancel()
    assert waiter.done()
    s.send("A")
    await s.quiet()
    s.expect(f"enq(Q) creq disc[Q] enq(A) status(running) {plain(1, 'A')}", never="deq(Q)")


@staged(policies=KEEP)
async def test_vc06_keep_inbox_while_idle(s: Stage) -> None:
    s.quiet_send("Q")
    s.cancel(keep_inbox=True)
    assert not s.agent.inspect().marker
    s.send("W")
    await s.quiet()
    s.expect(f"enq(Q) enq(W) status(running) {plain(1, 'Q')} {plain(2, 'W')}", never="creq disc")


@staged()
async def test_keep_inbox_is_refused_by_default(s: Stage) -> None:
    with pytest.raises(Unsupported):
        s.cancel(keep_inbox=True)
    with pytest.raises(InvalidValue):
        s.cancel("disposed")


@staged()
async def test_vc07_cancel_from_a_running_listener(s: Stage) -> None:
    s.react("status(running)", s.cancel)
    s.send("A")
    await s.quiet()
    s.expect("status(running) creq disc[A] status(cancelling) abort(user) status(idle)", never="TS")
    assert s.agent.inspect().holder == "none"


@staged()
async def test_vc08_cancel_and_send_from_a_running_listener(s: Stage) -> None:
    s.hold("flush")
    s.react("status(running)", in_order(s.cancel, lambda: s.send("B")))
    s.send("A")
    waiter = s.agent.when_idle()
    await s.quiet()
    assert not waiter.done()
    await finish(s)
    s.expect(
        "status(running) creq disc[A] status(cancelling) abort(user) enq(B) status(running) deq(B) TS(1) "
        "... FL. ; status(idle)"
    )
    assert waiter.done()


@staged()
async def test_vc09_dispose_from_a_running_listener(s: Stage) -> None:
    s.react("status(running)", s.dispose)
    s.send("A")
    await s.quiet()
    s.expect("status(running) disc[A] abort(disposed) status(disposed) ; a- s-", never="TS req status(idle)")


@pytest.mark.parametrize("gate", ["policy", "assembly", "prefix", "pre_step", "model"])
def test_vc11_to_vc14_cancel_before_the_reply(gate: str) -> None:
    @staged()
    async def scenario(s: Stage) -> None:
        s.hold(gate)
        s.send("A")
        await s.quiet()
        s.cancel()
        await finish(s)
        step_end = "SE(1) " if gate == "model" else ""
        s.expect(f"TS(1) creq status(cancelling) abort {step_end}TE(1,aborted) FL ; FL. ; status(idle)")
        never = ["err", "AM", *(["UM"] if gate == "policy" else []), *([] if gate == "model" else ["SS"])]
        s.expect("TS(1)", never=" ".join(never))

    scenario()


@staged()
async def test_vc16_cancel_mid_stream_with_a_tail(s: Stage) -> None:
    await running(s)
    s.send("T")
    s.cancel()
    await s.release("model", "chunk")
    await finish(s)
    s.expect(
        "enq(T) ; creq disc[T] status(cancelling) abort(user) ; SE(1) TE(1,aborted) FL ; FL. ; status(idle)",
        never="AM TS(2)",
    )


@staged()
async def test_vc17_default_cause(s: Stage) -> None:
    await running(s)
    s.cancel()
    assert s.agent.inspect().holder == "user"
    await finish(s)
    s.expect("creq(user) TE(1,aborted)")
    assert dict(s.agent.session.records[-1].data) == {"turn": 1, "reason": "aborted"}


@staged()
async def test_vc19_cancel_inside_tool_1_of_2(s: Stage) -> None:
    s.gates.answer("model", 2)
    s.gates.at("tool", in_order(lambda: s.steer("S"), lambda: s.inject("I"), s.cancel))
    s.send("A")
    await s.quiet()
    s.expect(
        "AM TC(1) <tool> enq(S,steer) creq disc[S] status(cancelling) abort TR(1) TC(2) "
        "TR(2,ABORTED_BEFORE_DISPATCH) UM(I) <post_step!> SE(1) TE(1,aborted)",
        never="SM <continuation>",
    )


@staged()
async def test_vc20_context_around_an_abort(s: Stage) -> None:
    s.gates.answer("model", 1)
    s.gates.answer("tool", ToolResult("done", contexts=(context("J"),)))
    s.gates.at("tool", in_order(lambda: s.inject("I"), s.cancel))
    s.send("A")
    await s.quiet()
    s.expect("TR(1) UM(I) UM(J) SE(1) TE(1,aborted)")


@staged()
async def test_vc22_cancel_clears_steering(s: Stage) -> None:
    await running(s)
    s.steer("S")
    s.cancel()
    await finish(s)
    s.expect("enq(S,steer) creq disc[S] status(cancelling) abort", never="SM TS(2)")


@staged()
async def test_vc23_replacement_from_an_abort_observer(s: Stage) -> None:
    await running(s)
    s.react("abort", lambda: s.send("B"))
    s.forget()
    s.cancel()
    await finish(s)
    s.expect("creq status(cancelling) abort enq(B) ; SE(1) TE(1,aborted) FL ; FL. ; status(running) deq(B) TS(2)")
    s.expect("TE(2,completed)")


@staged()
async def test_vc25_first_cause_wins(s: Stage) -> None:
    await running(s)
    cause: dict[str, object] = {"kind": "parent"}
    s.cancel(cause)
    cause["kind"] = "user"
    s.cancel("user")
    assert s.agent.inspect().holder == "parent"
    await finish(s)
    s.expect("creq(parent) status(cancelling) abort(parent) ; creq(user) TE(1,aborted)")


@staged()
async def test_vc26_cancel_from_a_te_observer(s: Stage) -> None:
    s.react("TE", s.cancel)
    s.send("A")
    await s.quiet()
    s.expect("TE(1,completed) FL FL. status(idle)", never="creq abort status(cancelling)")


@staged()
async def test_vc27_cancel_during_a_flush_nothing_pending(s: Stage) -> None:
    s.hold("flush")
    s.send("A")
    await s.quiet()
    s.cancel()
    await finish(s)
    s.expect("FL FL. status(idle)", never="creq")


@staged()
async def test_c14_cancel_during_a_flush_with_work_pending(s: Stage) -> None:
    s.hold("flush")
    s.send("A")
    s.send("B")
    await s.quiet()
    s.cancel()
    assert s.agent.inspect().marker
    await finish(s)
    s.expect("FL creq disc[B] FL. status(idle)", never="status(cancelling) TS(2)")
    assert not s.agent.inspect().marker


@staged()
async def test_vc30_replacement_from_an_idle_listener(s: Stage) -> None:
    s.hold("converge")
    s.send("A")
    s.send("B")
    await s.quiet()
    waiters: list[asyncio.Future[None]] = []
    s.react("status(idle)", in_order(lambda: s.send("R"), lambda: waiters.append(s.agent.when_idle())))
    s.forget()
    s.cancel()
    s.hold("flush")
    s.gates.open("converge")
    await s.quiet()
    s.expect("creq disc[B] ; status(idle) enq(R) ; status(running) deq(R) TS(2)")
    assert not waiters[0].done()
    await finish(s)
    s.expect("status(idle) TE(2,completed) FL FL.")
    assert waiters[0].done()
    assert s.agent.status == "idle"


@staged()
async def test_vc33_cancelled_turn_then_send(s: Stage) -> None:
    await running(s)
    s.cancel()
    await finish(s)
    s.expect("TE(1,aborted) FL FL. status(idle)")
    s.forget()
    s.send("B")
    await s.quiet()
    s.expect(f"status(running) {plain(2, 'B')}")


@staged()
async def test_vc34_cancel_then_dispose(s: Stage) -> None:
    await running(s)
    s.cancel()
    s.dispose()
    assert s.agent.inspect().holder == "user"
    await finish(s)
    s.expect("creq(user) status(cancelling) abort(user) ; status(disposed) ; SE(1) TE(1,disposed)")
    assert s.only("abort") == "abort(user)"


STAGES = ["policy", "assembly", "prefix", "pre_step", "model", "tool", "post_step", "continuation", "turn_stop"]


@pytest.mark.parametrize("gate", [*STAGES, "recovery"])
def test_vc36_every_checkpoint(gate: str) -> None:
    @staged()
    async def scenario(s: Stage) -> None:
        if gate in ("tool", "post_step"):
            s.gates.answer("model", 1)
        if gate == "recovery":
            s.gates.answer("model", ValueError("down"))
        s.hold(gate)
        s.send("A")
        await s.quiet()
        assert s.gates.waits(gate)
        s.cancel()
        s.forget()
        await finish(s)
        s.expect("TE(1,aborted) FL FL. status(idle)", never="err")
        entered = [token for token in s.tokens() if token.startswith("<")]
        allowed = ["<post_step!>"] if gate == "tool" else []
        assert entered == [*allowed, "<flush>", "<settle>", "<converge>"]

    scenario()


@staged(agent=False)
async def test_vc40_two_agents(s: Stage) -> None:
    x, y = await s.create("x"), await s.create("y")
    s.hold("model")
    x.send("A", id="A")
    y.send("B", id="B")
    await s.quiet()
    s.forget("y")
    x.cancel()
    await finish(s)
    s.expect("TE(1,aborted)")
    s.expect("AM SE(1) TE(1,completed)", subject="y", never="creq abort status(cancelling)")


@staged()
async def test_vc45_steer_while_cancelling(s: Stage) -> None:
    await running(s)
    s.cancel()
    s.steer("S")
    await finish(s)
    s.expect("enq(S) SE(1) TE(1,aborted) deq(S) TS(2) UM(S)", never="SM")


@staged()
async def test_vc46_steer_from_a_discard_listener(s: Stage) -> None:
    await running(s)
    s.send("T")
    s.react("disc", lambda: s.steer("S"))
    s.forget()
    s.cancel()
    await finish(s)
    s.expect(
        "creq disc[T] enq(S,steer) status(cancelling) abort ; SE(1) TE(1,aborted) FL ; FL. ; status(running) "
        "deq(S) TS(2)",
        never="SM",
    )


@staged()
async def test_vc47_nested_cancel_from_a_cancelling_listener(s: Stage) -> None:
    await running(s)
    s.react("status(cancelling)", lambda: s.cancel("parent"))
    s.cancel("user")
    s.expect("creq(user) status(cancelling) creq(parent) abort(parent)")
    assert s.agent.inspect().holder == "parent"
    assert s.only("status(cancelling) abort") == "status(cancelling) abort(parent)"


@staged()
async def test_vc48_dispose_from_a_cancelling_listener(s: Stage) -> None:
    await running(s)
    s.react("status(cancelling)", s.dispose)
    s.cancel()
    await finish(s)
    s.expect("creq(user) status(cancelling) abort(disposed) status(disposed) ; SE(1) TE(1,disposed)")
    assert s.only("abort") == "abort(disposed)"


@staged()
async def test_vc49_second_cancel_with_new_work(s: Stage) -> None:
    await running(s)
    s.cancel()
    s.send("B")
    s.cancel()
    await finish(s)
    s.expect("creq status(cancelling) abort ; enq(B) ; creq disc[B] ; TE(1,aborted) ... status(idle)", never="TS(2)")


@staged()
async def test_vc50_cancel_from_the_claim(s: Stage) -> None:
    s.react("deq(A)", s.cancel)
    s.send("A")
    await s.quiet()
    s.expect(
        "status(running) deq(A) creq status(cancelling) abort TS(1) TE(1,aborted) FL ; FL. ; status(idle)",
        never="UM SS",
    )


@staged(policies=KEEP)
async def test_vc51_keep_inbox_in_a_turn(s: Stage) -> None:
    await running(s)
    s.send("T")
    s.forget()
    s.cancel(keep_inbox=True)
    await finish(s)
    s.expect("creq status(cancelling) abort ; SE TE(1,aborted) FL ; FL. ; status(running) deq(T) TS(2)", never="disc")


@staged(policies=KEEP)
async def test_keep_inbox_in_a_reservation(s: Stage) -> None:
    s.react("status(running)", lambda: s.cancel(keep_inbox=True))
    s.send("A")
    await s.quiet()
    s.expect("status(running) creq status(cancelling) abort status(running) deq(A) TS(1)", never="disc")


@staged()
async def test_vc52_cancel_while_disposing(s: Stage) -> None:
    await running(s)
    s.dispose()
    s.cancel()
    await finish(s)
    s.expect("abort(disposed) TE(1,disposed)", never="creq")


@staged(policies=Policies(cancel_after_dispose="publishes", after_dispose="parks"))
async def test_policies_after_disposal(s: Stage) -> None:
    await running(s)
    s.dispose()
    s.cancel()
    assert s.send("B") == "B"
    assert s.steer("C") == "C"
    assert s.inject("D") == "D"
    await finish(s)
    s.expect("abort(disposed) status(disposed) creq(user) SE(1) TE(1,disposed)", never="enq(B) enq(C) UM(D)")


@staged()
async def test_vc53_cancel_from_an_error_listener(s: Stage) -> None:
    s.gates.answer("model", ValueError("down"))
    s.react("err(1,1)", s.cancel)
    s.send("A")
    await s.quiet()
    s.expect("SE(1) err(1,1) creq status(cancelling) abort TE(1,error) FL ; FL. ; status(idle)")


@staged()
async def test_vc54_cancel_from_an_se_observer_of_a_failed_call(s: Stage) -> None:
    s.gates.answer("model", ValueError("down"))
    s.react("SE(1)", s.cancel)
    s.send("A")
    await s.quiet()
    s.expect("SE(1) creq status(cancelling) abort TE(1,aborted) FL ; FL. ; status(idle)", never="err")


@staged()
async def test_vc55_cancel_from_an_se_observer(s: Stage) -> None:
    s.react("SE(1)", s.cancel)
    s.hold("continuation")
    s.send("A")
    await s.quiet()
    await finish(s)
    s.expect("SE(1) creq status(cancelling) abort <continuation!> ; TE(1,aborted)", never="<turn_stop>")


@staged(policies=Policies(parallel_tools=True))
async def test_parallel_tools_drain_under_cancel(s: Stage) -> None:
    s.gates.answer("model", 3)
    s.hold("tool")
    s.react("TC(2)", s.cancel)
    s.send("A")
    await s.quiet()
    s.expect("AM TC(1) TC(2) creq abort TC(3) TR(3,ABORTED_BEFORE_DISPATCH)", never="TR(1) TR(2)")
    await finish(s)
    s.expect("TR(1) TR(2) <post_step!> SE(1) TE(1,aborted)")


@staged(policies=Policies(parallel_tools=True))
async def test_parallel_results_come_as_they_settle(s: Stage) -> None:
    s.gates.answer("model", 2)
    s.gates.answer("tool", ValueError("first fails"))
    s.send("A")
    await s.quiet()
    s.expect("AM TC(1) TC(2) TR(1) TR(2) SE(1)")


@staged()
async def test_c22_an_interrupted_prefix_is_composed_again(s: Stage) -> None:
    s.hold("prefix")
    s.send("A")
    await s.quiet()
    s.cancel()
    await finish(s)
    s.forget()
    s.send("B")
    await s.quiet()
    s.expect("<prefix> SS(1) AM")
