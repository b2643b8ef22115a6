"""The Status scenarios, by hand from the catalogue."""

import asyncio

from lifecycle_runtime.agent import Agent
from lifecycle_runtime.behaviour import Behaviour
from lifecycle_runtime.core import AgentCore, AgentPorts, Policies
from lifecycle_runtime.driver import Driver
from lifecycle_runtime.fibers import Fiber
from lifecycle_runtime.session import Session
from lifecycle_runtime.teardown import Teardown
from lifecycle_runtime.testing.gates import GatedModel
from lifecycle_runtime.testing.notation import plain
from lifecycle_runtime.testing.stage import Stage, staged


def boom() -> None:
    raise RuntimeError("boom")


@staged()
async def test_vs01_simple_turn(s: Stage) -> None:
    s.send("A")
    await s.quiet()
    s.expect(f"enq(A) ; status(running) {plain(1, 'A')} status(idle)")


@staged()
async def test_vs02_status_is_not_synchronous(s: Stage) -> None:
    s.send("A")
    assert s.agent.status == "idle"
    assert s.tokens() == ["enq(A)"]
    await s.quiet()
    assert s.tokens()[1] == "<wake>"
    assert s.tokens()[2] == "status(running)"


@staged()
async def test_vs03_one_running_interval(s: Stage) -> None:
    s.send("A")
    s.send("B")
    await s.quiet()
    s.expect(f"enq(A) enq(B) ; status(running) {plain(1, 'A')} {plain(2, 'B')} status(idle)")
    assert s.only("status") == "status(running) status(idle)"


@staged()
async def test_vs04_flush_before_idle(s: Stage) -> None:
    s.hold("flush")
    s.send("A")
    await s.quiet()
    assert s.agent.status == "running"
    await s.release("flush")
    s.expect("TE(1,completed) FL FL. status(idle)")


@staged()
async def test_vs06_throwing_running_listener(s: Stage) -> None:
    s.react("status(running)", boom)
    s.send("A")
    await s.quiet()
    s.expect(f"status(running) {plain(1, 'A')} status(idle)")
    assert s.only("req") == "req(A)"
    assert s.contained == ["agent/status"]


@staged()
async def test_vs07_throwing_idle_listener(s: Stage) -> None:
    s.react("status(idle)", boom)
    s.send("A")
    waiter = s.agent.when_idle()
    await s.quiet()
    assert waiter.done()
    assert s.agent.status == "idle"


@staged()
async def test_vs08_when_idle_on_a_fresh_agent(s: Stage) -> None:
    assert s.agent.when_idle().done()


@staged()
async def test_vs09_when_idle_while_woken(s: Stage) -> None:
    s.hold("flush")
    s.send("A")
    waiter = s.agent.when_idle()
    await s.quiet()
    assert not waiter.done()
    await s.release("flush")
    assert waiter.done()


@staged()
async def test_vs12_model_failure(s: Stage) -> None:
    s.gates.answer("model", ValueError("down"))
    s.send("A")
    await s.quiet()
    s.expect("status(running) deq(A) TS(1) UM(A) SS(1) SE(1) err(1,1) TE(1,error) FL ; FL. ; status(idle)", never="AM")
    s.forget()
    s.send("B")
    await s.quiet()
    s.expect(f"status(running) {plain(2, 'B')} status(idle)")


@staged()
async def test_vs14_throwing_ts_observer(s: Stage) -> None:
    s.react("TS(1)", boom)
    s.send("A")
    await s.quiet()
    s.expect(f"status(running) {plain(1, 'A')} status(idle)")


@staged()
async def test_vs15_throwing_pre_step_listener(s: Stage) -> None:
    s.gates.answer("pre_step", ValueError("no"))
    s.send("A")
    await s.quiet()
    s.expect("deq(A) TS(1) UM(A) err(1,1) TE(1,error)", never="SS")
    s.send("B")
    await s.quiet()
    s.expect("TS(2) TE(2,completed)")


@staged()
async def test_vs16_throwing_error_listener(s: Stage) -> None:
    s.gates.answer("model", ValueError("down"))
    s.react("err(1,1)", boom)
    s.send("A")
    await s.quiet()
    s.expect("SE(1) err(1,1) TE(1,error)")
    s.send("B")
    await s.quiet()
    s.expect("TE(2,completed)")


async def cancelled_with_flush_held(s: Stage) -> None:
    """VS17 up to the held flush."""
    s.hold("model", "flush")
    s.send("A")
    await s.quiet()
    s.cancel()


@staged()
async def test_vs17_cancelling_interval(s: Stage) -> None:
    await cancelled_with_flush_held(s)
    await s.release("model")
    assert s.agent.status == "cancelling"
    s.expect("status(running) ... creq(user) status(cancelling) abort(user) ; SE(1) TE(1,aborted) FL", never="FL.")
    await s.release("flush")
    s.expect("TE(1,aborted) FL FL. ; status(idle)", never="AM")


@staged()
async def test_vs18_cancelling_then_new_work(s: Stage) -> None:
    await cancelled_with_flush_held(s)
    s.send("B")
    await s.release("model")
    s.gates.open("model")
    await s.release("flush")
    s.gates.open("flush")
    await s.quiet()
    s.expect(
        "status(running) ... abort(user) enq(B) ; SE(1) TE(1,aborted) FL ; FL. ; status(running) deq(B) TS(2)"
        " ... SE(1) TE(2,completed) FL ; FL. ; status(idle)"
    )
    assert s.only("status") == "status(running) status(cancelling) status(running) status(idle)"


@staged()
async def test_vs19_when_idle_while_cancelling(s: Stage) -> None:
    await cancelled_with_flush_held(s)
    waiter = s.agent.when_idle()
    await s.release("model")
    assert not waiter.done()
    await s.release("flush")
    assert waiter.done()


@staged()
async def test_vs20_disposal_while_cancelling(s: Stage) -> None:
    await cancelled_with_flush_held(s)
    done = s.dispose()
    assert not done.done()
    await s.release("model")
    await s.release("flush")
    assert s.only("status") == "status(running) status(cancelling) status(disposed)"
    s.expect("SE(1) TE(1,disposed) FL ; FL. ; a- s-")
    assert done.done()


@staged(policies=Policies(cancelling_published=False))
async def test_vs21_status_projection(s: Stage) -> None:
    await cancelled_with_flush_held(s)
    assert s.agent.status == "running"
    await s.release("model")
    await s.release("flush")
    assert s.only("status") == "status(running) status(idle)"
    assert s.agent.inspect().status == "idle"


@staged()
async def test_vs22_steer_during_an_aborted_turns_flush(s: Stage) -> None:
    await cancelled_with_flush_held(s)
    await s.release("model")
    s.forget()
    s.steer("S")
    s.gates.open("model")
    s.gates.open("flush")
    await s.quiet()
    s.expect("enq(S) FL. ; status(running) deq(S) TS(2) UM(S) SE TE(2,completed) FL FL. status(idle)")


@staged()
async def test_inspect_shows_what_is_hidden(s: Stage) -> None:
    s.quiet_send("Q")
    s.cancel()
    assert s.agent.inspect().marker
    s.hold("model")
    s.send("A")
    await s.quiet()
    shown = s.agent.inspect()
    assert (shown.marker, shown.holder, shown.turn, shown.step) == (False, "live", 1, 1)
    s.steer("S")
    s.send("B")
    shown = s.agent.inspect()
    assert (shown.queued, shown.steering) == (("B",), ("S",))
    s.cancel("parent")
    assert s.agent.inspect().holder == "parent"


@staged()
async def test_a_waiter_may_be_cancelled_by_its_caller(s: Stage) -> None:
    s.hold("model")
    s.send("A")
    waiter = asyncio.ensure_future(asyncio.wait_for(s.agent.when_idle(), 100))
    await s.quiet()
    waiter.cancel()
    other = s.agent.when_idle()
    await s.release("model")
    assert other.done()
    assert waiter.cancelled()


@staged(agent=False)
async def test_vs11_driver_started_after_disposal(s: Stage) -> None:
    fiber = Fiber("agent x", s.runtime.bus.report)
    core = AgentCore(
        Session("x"), s.root.scoped(fiber, fiber), s.runtime.sessions, AgentPorts(GatedModel(s.gates), Behaviour())
    )
    agent = Agent(core)
    agent.send("A", id="A")
    ended = Teardown(core, s.runtime.agents.table, lambda: None).begin()
    driver = Driver(core)
    driver.start()
    assert core.exited.done()
    await s.quiet()
    assert ended.done()
    assert s.tokens() == ["enq(A)", "disc[A]"]
