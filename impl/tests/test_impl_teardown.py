"""The Teardown scenarios, by hand from the catalogue."""

import asyncio

import pytest

from lifecycle_runtime.errors import Disposed, InactiveOwner, InactiveProvider, Unsupported
from lifecycle_runtime.events import AgentDisposed, SessionDisposed, StatusChanged
from lifecycle_runtime.testing.stage import Stage, in_order, staged


async def running(s: Stage) -> None:
    """Send A and hold the model call."""
    s.hold("model")
    s.send("A")
    await s.quiet()


async def finish(s: Stage) -> None:
    """Let everything go on."""
    s.gates.open_all()
    await s.quiet()


CLOSE = "abort(disposed) status(disposed) ; SE(1) TE(1,disposed) FL ; FL. ; a- s- scope"


def boom() -> None:
    """Fail."""
    raise RuntimeError("boom")


@staged()
async def test_vt01_dispose_mid_turn(s: Stage) -> None:
    await running(s)
    done = s.dispose()
    assert s.tokens()[-2:] == ["abort(disposed)", "status(disposed)"]
    await s.quiet()
    assert not done.done()
    await finish(s)
    s.expect(CLOSE, never="err AM")
    assert done.result() == ()


@staged(agent=False)
async def test_vt02_owner_unload_mid_turn(s: Stage) -> None:
    owner = s.root.fork("f1")
    await s.create(owner=owner)
    at: list[tuple[str, bool, bool]] = []

    def look(name: str) -> None:
        at.append((name, bool(s.runtime.agents.list()), bool(s.runtime.sessions.list())))

    s.root.on(AgentDisposed, lambda _: look("a-"))
    s.root.on(SessionDisposed, lambda _: look("s-"))
    s.agent.ctx.on(AgentDisposed, lambda _: look("scoped a-"))
    s.agent.ctx.on(SessionDisposed, lambda _: look("scoped s-"))
    await running(s)
    unloaded = owner.unload()
    await s.quiet()
    assert not unloaded.done()
    await finish(s)
    s.expect(CLOSE)
    assert at == [("a-", False, True), ("scoped a-", False, True), ("s-", False, False), ("scoped s-", False, False)]
    assert unloaded.done()


@staged()
async def test_vt03_queued_tail(s: Stage) -> None:
    await running(s)
    s.send("B")
    status: list[str] = []
    s.react("disc", lambda: status.append(s.agent.status))
    s.dispose()
    await finish(s)
    s.expect(f"disc[B] {CLOSE}", never="TS(2) deq(B)")
    assert status == ["disposed"]


@staged()
async def test_vt05_concurrent_dispose(s: Stage) -> None:
    await running(s)
    s.hold("flush", "unwind")
    s.agent.ctx.effect(lambda: s.gates.enter("unwind", "x"))
    first, second = s.dispose(), s.dispose()
    await s.release("model")
    await s.release("flush")
    assert not first.done()
    assert not second.done()
    second.cancel()
    await s.release("unwind")
    assert first.done()
    assert s.only("status(disposed) a- s-") == "status(disposed) a- s-"


@staged(agent=False)
async def test_vt06_owner_unload_first_handle_second(s: Stage) -> None:
    owner = s.root.fork("f1")
    await s.create(owner=owner)
    s.hold("unwind")
    s.agent.ctx.effect(lambda: s.gates.enter("unwind", "x"))
    unloaded = owner.unload()
    done = s.dispose()
    await s.quiet()
    assert not unloaded.done()
    assert not done.done()
    await s.release("unwind")
    assert unloaded.done()
    assert done.done()
    s.expect("status(disposed) a- s-")


@staged()
async def test_vt08_retirement(s: Stage) -> None:
    assert "agent x" in s.root.fiber.records
    s.dispose()
    await s.quiet()
    assert "agent x" not in s.root.fiber.records
    assert "agent x" not in s.provider.ctx.fiber.records


@staged()
async def test_vt09_provider_unload(s: Stage) -> None:
    unloaded = s.provider.unload()
    await s.quiet()
    assert unloaded.done()
    s.expect("status(disposed) a- s-")
    with pytest.raises(InactiveProvider):
        await s.creating("y")
    assert s.dispose().done()


@staged()
async def test_vt11_idle_injection_flush(s: Stage) -> None:
    s.hold("flush")
    s.inject("I")
    await s.quiet()
    done = s.dispose()
    await s.quiet()
    s.expect("FL status(disposed)", never="a- s-")
    assert s.runtime.agents.list()
    await finish(s)
    s.expect("FL. a- s-")
    assert done.done()


@staged()
async def test_vt12_throwing_disposed_listener(s: Stage) -> None:
    s.react("a-", boom)
    s.react("s-", boom)
    s.dispose()
    await s.quiet()
    s.expect("a- s- scope")
    assert s.contained == ["agent/disposed", "session/disposed"]


@staged()
async def test_vt14_dispose_in_assembly(s: Stage) -> None:
    s.hold("assembly")
    s.send("A")
    await s.quiet()
    s.dispose()
    await finish(s)
    s.expect("TS(1) UM(A) ; abort(disposed) status(disposed) ; TE(1,disposed)", never="SS")


@staged()
async def test_vt15_dispose_and_throw_in_pre_step(s: Stage) -> None:
    s.gates.at("pre_step", in_order(s.dispose, boom))
    s.send("A")
    await s.quiet()
    s.expect("TE(1,disposed)", never="err SS")


@staged()
async def test_vt17_dispose_in_prefix_composition(s: Stage) -> None:
    s.hold("prefix")
    s.send("A")
    await s.quiet()
    s.dispose()
    await finish(s)
    s.expect("TE(1,disposed)", never="req")


@staged(persistence=True)
async def test_vt19_durable_close(s: Stage) -> None:
    await running(s)
    s.dispose()
    await finish(s)
    stored = await s.storage.load("x")
    assert stored is not None
    assert dict(stored.records[-1]) == {"type": "turn/end", "turn": 1, "reason": "disposed"}


@staged(agent=False)
async def test_vt20_siblings(s: Stage) -> None:
    await s.create("x")
    y = await s.create("y")
    s.hold("model")
    y.send("B", id="B")
    await s.quiet()
    s.dispose("x")
    await finish(s)
    s.expect("AM SE(1) TE(1,completed)", subject="y", never="abort status(disposed) a-")


@staged()
async def test_vt21_send_after_dispose(s: Stage) -> None:
    s.dispose()
    for verb in (s.agent.send, s.agent.steer, s.agent.inject):
        with pytest.raises(Disposed):
            verb("late")
    await s.quiet()
    assert len(s.agent.session) == 0
    s.expect("status(disposed)", never="enq TS(1,injection)")


@staged()
async def test_vt22_dead_scope(s: Stage) -> None:
    s.dispose()
    await s.quiet()
    with pytest.raises(InactiveOwner):
        s.agent.ctx.on(StatusChanged, lambda _: None)
    with pytest.raises(InactiveOwner):
        s.agent.ctx.effect(lambda: None)


@staged()
async def test_t11_a_bare_agent_gives_no_teardown_right(s: Stage) -> None:
    with pytest.raises(Unsupported):
        s.agent.ctx.unload()
    plugin = s.agent.ctx.fork("plugin")
    await plugin.unload()
    assert s.agent.ctx.active


@staged()
async def test_vt24_stop_twice(s: Stage) -> None:
    s.dispose()
    await s.quiet()
    s.forget()
    again = s.dispose()
    assert again.done()
    await s.quiet()
    assert s.tokens() == []


@staged()
async def test_vt26_dispose_during_an_aborted_turns_flush(s: Stage) -> None:
    await running(s)
    s.hold("flush")
    s.cancel()
    await s.release("model")
    s.forget()
    s.dispose()
    await finish(s)
    s.expect("status(disposed) ; FL. ; a- s-", never="abort TE")


@staged()
async def test_vt27_dispose_from_the_claim(s: Stage) -> None:
    s.react("deq(A)", s.dispose)
    s.send("A")
    await s.quiet()
    s.expect(
        "status(running) deq(A) abort(disposed) status(disposed) TS(1) TE(1,disposed) FL ; FL. ; a- s-", never="UM"
    )


@staged()
async def test_vt28_failing_closing_flush(s: Stage) -> None:
    await running(s)
    s.gates.answer("flush", ValueError("disk full"))
    done = s.dispose()
    await finish(s)
    s.expect("TE(1,disposed) FL FL. err(1,1) ; a- s-")
    assert done.done()


@staged()
async def test_vt29_dispose_from_an_error_listener(s: Stage) -> None:
    s.gates.answer("model", ValueError("down"))
    s.react("err(1,1)", s.dispose)
    s.send("A")
    await s.quiet()
    s.expect("SE(1) err(1,1) abort(disposed) status(disposed) TE(1,error) FL ; FL. ; a- s-")


@staged()
async def test_vt30_out_of_band_flush_at_disposal(s: Stage) -> None:
    s.hold("flush")
    written = s.runtime.sessions.append_out_of_band(s.agent.session, "note", {"text": "hi"})
    await s.quiet()
    s.dispose()
    await s.quiet()
    s.expect("TS(1,plugin) note TE(1,completed) FL ; status(disposed)", never="a- s-")
    await finish(s)
    s.expect("FL. ; a- s-")
    assert written.result().type == "note"


@staged()
async def test_a_failing_scope_disposer_stops_nothing_and_is_reported(s: Stage) -> None:
    undone: list[str] = []
    s.agent.ctx.effect(lambda: undone.append("first"), boom, lambda: undone.append("last"))
    done = s.dispose()
    await s.quiet()
    assert undone == ["last", "first"]
    assert [str(error) for error in done.result()] == ["boom"]
    assert s.contained == ["scope"]


@staged()
async def test_the_id_is_free_while_the_old_scope_unwinds(s: Stage) -> None:
    s.hold("unwind")
    s.agent.ctx.effect(lambda: s.gates.enter("unwind", "x"))
    old = s.agent
    done = s.dispose()
    await s.quiet()
    new = await s.create("x")
    assert new is not old
    await s.release("unwind")
    assert done.done()
    assert s.runtime.agents.get("x") is new


@staged()
async def test_waiters_caught_by_disposal_resolve_at_driver_exit(s: Stage) -> None:
    await running(s)
    waiter = s.agent.when_idle()
    s.dispose()
    late = s.agent.when_idle()
    await s.quiet()
    assert not waiter.done()
    await finish(s)
    assert waiter.done()
    assert late.done()
    assert s.agent.when_idle().done()


@staged()
async def test_gates_that_cancel_themselves_only_fail(s: Stage) -> None:
    s.gates.answer("model", asyncio.CancelledError())
    s.send("A")
    await s.quiet()
    s.expect("err(1,1) TE(1,error) status(idle)")
    s.forget()
    s.send("B")
    await s.quiet()
    s.expect("TE(2,completed)")
