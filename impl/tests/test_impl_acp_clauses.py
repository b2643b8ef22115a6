"""What the clauses of the ACP bridge say beyond the scenarios, in process."""

import asyncio

import pytest

from lifecycle_runtime.acp_bridge import Bridge, BridgeClosed, DisposalFailed
from lifecycle_runtime.acp_slot import StopReason
from lifecycle_runtime.errors import Busy, InvalidMessage
from lifecycle_runtime.events import SessionFlush
from lifecycle_runtime.handle import AgentSpec
from lifecycle_runtime.testing.bridge import Client, bridged, nowhere, opened, outcome, running
from lifecycle_runtime.testing.stage import Stage


@bridged
async def test_a2_a_refused_message_frees_the_slot(s: Stage) -> None:
    client = await opened(s)
    assert isinstance(await outcome(s, client.bridge.prompt("x", {"n": float("nan")})), InvalidMessage)
    assert await outcome(s, client.prompt("A")) == "end_turn"


@bridged
async def test_a3_an_injection_turn_settles_nothing(s: Stage) -> None:
    client = await opened(s)
    agent = s.runtime.agents.get("x")
    assert agent is not None
    s.react("deq(A)", lambda: agent.inject("I", id="I"))
    s.hold("model")
    answer = client.prompt("A")
    await s.quiet()
    s.expect("deq(A) TS(1,injection) TE(1,completed) FL TS(2)")
    assert not answer.done()
    s.gates.open("model")
    assert await outcome(s, answer) == "end_turn"


@bridged
async def test_a3_a_foreign_flush_that_outlasts_the_turn_holds_nothing_up(s: Stage) -> None:
    client = await opened(s)
    agent = s.runtime.agents.get("x")
    assert agent is not None
    flushes: list[asyncio.Future[None]] = []

    def flush(event: SessionFlush) -> "asyncio.Future[None]":
        flushes.append(asyncio.get_running_loop().create_future())
        return flushes[-1]

    s.root.on(SessionFlush, flush)
    agent.inject("I", id="I")
    s.react("TE(2,completed)", lambda: s.runtime.sessions.flush(agent.session))
    answer = client.prompt("A")
    await s.quiet()
    injected, reentrant, own = flushes
    reentrant.set_result(None)
    await s.quiet()
    assert not answer.done(), "a flush begun inside the turn's end is not the turn's"
    own.set_result(None)
    assert await outcome(s, answer) == "end_turn"
    injected.set_result(None)


@bridged
async def test_a4_the_slot_is_free_in_the_segment_of_the_settled_flush(s: Stage) -> None:
    client = await opened(s)
    later: list[asyncio.Future[StopReason]] = []
    s.react("status(idle)", lambda: later.append(client.prompt("B")))
    assert await outcome(s, client.prompt("A")) == "end_turn"
    assert await outcome(s, later[0]) == "end_turn"


@bridged
async def test_a4_a_caller_who_gives_up_does_not_free_the_slot(s: Stage) -> None:
    client, answer = await running(s)
    answer.cancel()
    await s.quiet()
    assert isinstance(await outcome(s, client.prompt("B")), Busy)
    s.gates.open("model")
    await s.quiet()
    assert await outcome(s, client.prompt("C")) == "end_turn"


@bridged
async def test_a8_an_agent_disposed_before_the_claim_cancels(s: Stage) -> None:
    client = await opened(s)
    answer = client.prompt("A")
    unloaded = s.provider.unload()
    assert await outcome(s, answer) == "cancelled"
    await unloaded


@bridged
async def test_a9_a_handle_that_comes_after_the_close_is_disposed_first(s: Stage) -> None:
    client = Client(s)
    opening = client.bridge.new_session("/tmp", "x")
    ends: list[asyncio.Future[None]] = []
    s.react(
        "start",
        lambda: s.root.bus and asyncio.get_running_loop().call_soon(lambda: ends.append(client.bridge.disconnect())),
    )
    assert isinstance(await outcome(s, opening), BridgeClosed)
    await ends[0]
    assert not s.runtime.agents.list()
    s.expect("start status(disposed) a- s-")


@bridged
async def test_a10_closing_waits_for_a_creation_that_is_under_way(s: Stage) -> None:
    client = Client(s)
    s.hold("mint")
    opening = client.bridge.new_session("/tmp", "x")
    await s.quiet()
    gone = client.bridge.disconnect()
    await s.quiet()
    assert not gone.done(), "minting is awaited (P12)"
    s.gates.open("mint")
    assert isinstance(await outcome(s, opening), BridgeClosed)
    await gone
    s.expect("", never="<setup> s+")


@bridged
async def test_a11_failing_disposers_stop_nothing_and_are_reported_together(s: Stage) -> None:
    def break_later(agent: object) -> None:
        def fail() -> None:
            raise RuntimeError("cannot undo")

        agent.ctx.effect(fail)  # type: ignore[attr-defined]  # pyright: ignore

    bridge = Bridge(s.root.fork("bridge"), nowhere, spec=AgentSpec(setup=lambda agent, _: break_later(agent)))
    for name in ("x", "y"):
        await bridge.new_session("/tmp", name)
    with pytest.raises(DisposalFailed, match="2 disposers failed"):
        await bridge.disconnect()
    assert not s.runtime.agents.list()
    with pytest.raises(DisposalFailed):
        await bridge.teardown()


@bridged
async def test_a12_another_agent_of_the_same_id_is_not_heard(s: Stage) -> None:
    client = await opened(s)
    await s.provider.unload()
    s.load_provider()
    other = await s.create("x")
    s.gates.answer("model", "chunk")
    other.send("B", id="B")
    await s.quiet()
    assert client.told == []


@bridged
async def test_a13_output_of_a_gone_client_is_dropped(s: Stage) -> None:
    client = await opened(s)
    s.hold("output")
    s.gates.answer("model", "chunk", "chunk")
    answer = client.prompt("A")
    await s.quiet()
    gone = client.bridge.disconnect()
    assert await outcome(s, answer) == "cancelled"
    await gone
    assert client.told == []


@bridged
async def test_teardown_still_delivers_what_the_client_is_owed(s: Stage) -> None:
    client = await opened(s)
    s.hold("output")
    s.gates.answer("model", "chunk")
    answer = client.prompt("A")
    await s.quiet()
    await client.bridge.teardown()
    await s.quiet()
    assert not answer.done()
    s.gates.open("output")
    assert await outcome(s, answer) == "cancelled"
    assert client.told == ["agent_message_chunk"]


@bridged
async def test_the_unload_of_its_context_closes_the_bridge(s: Stage) -> None:
    context = s.root.fork("host")
    bridge = Bridge(context, nowhere, spec=s.spec("none"))
    await bridge.new_session("/tmp", "x")
    s.hold("model")
    answer = bridge.prompt("x", "A")
    await s.quiet()
    unloaded = context.unload()
    assert not bridge.open
    s.gates.open("model")
    assert await outcome(s, answer) == "cancelled"
    await unloaded
    assert not s.runtime.agents.list()


@bridged
async def test_what_others_say_in_a_session_is_shown_and_notices_are_not(s: Stage) -> None:
    client = await opened(s)
    agent = s.runtime.agents.get("x")
    assert agent is not None
    agent.send("from elsewhere", id="B")
    agent.inject("a notice", id="I", source="task")
    await s.quiet()
    assert client.told == ["user_message_chunk"]


@bridged
async def test_a10_a_replay_nobody_takes_does_not_hold_up_the_teardown(s: Stage) -> None:
    first = await opened(s)
    assert await outcome(s, first.prompt("A")) == "end_turn"
    await first.bridge.disconnect()
    client = Client(s, "second")
    s.hold("output")
    loading = client.bridge.load_session("x", "/tmp")
    await s.quiet()
    assert not loading.done()
    torn = client.bridge.teardown()
    assert isinstance(await outcome(s, loading), BridgeClosed)
    assert torn.done()
    assert not s.runtime.agents.list()


@bridged
async def test_v9_a_prompt_whose_log_was_taken_away_settles_when_its_agent_is_gone(s: Stage) -> None:
    client, answer = await running(s)
    entry = s.runtime.sessions.table.get("x")
    assert entry is not None
    s.runtime.sessions.detach(entry)  # by a plugin that should not: nothing of the turn is seen any more (L8)
    await s.release("model")
    assert not answer.done()
    await client.bridge.teardown()
    assert await outcome(s, answer) == "cancelled"
