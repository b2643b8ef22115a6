"""The ACP bridge scenarios, by hand from the catalogue, in process."""

import asyncio

import pytest

from lifecycle_runtime.acp_bridge import BridgeClosed, UnknownSession
from lifecycle_runtime.acp_slot import BridgePolicies, OutputFailed, PromptFailed
from lifecycle_runtime.errors import Busy, Disposed, DuplicateId, InvalidValue, NotStored
from lifecycle_runtime.ports import StoredLog
from lifecycle_runtime.testing.bridge import Client, bridged, opened, outcome, running
from lifecycle_runtime.testing.stage import Stage
from lifecycle_runtime.values import JsonObject


@bridged
async def test_va01_prompt(s: Stage) -> None:
    client = await opened(s)
    s.gates.answer("model", "chunk", "chunk", 1)
    assert await outcome(s, client.prompt("A")) == "end_turn"
    assert client.told == ["agent_message_chunk", "agent_message_chunk", "tool_call", "tool_call_update"]


@bridged
async def test_va02_second_prompt_while_busy(s: Stage) -> None:
    client, answer = await running(s)
    assert isinstance(await outcome(s, client.prompt("B")), Busy)
    s.expect("", never="enq(B)")
    s.gates.open("model")
    assert await outcome(s, answer) == "end_turn"


@bridged
async def test_va03_independent_sessions(s: Stage) -> None:
    client = await opened(s)
    await client.new("y")
    s.hold("model")
    first, second = client.prompt("A"), client.prompt("B", "y")
    await s.quiet()
    client.cancel("x")
    s.gates.open("model")
    assert await outcome(s, first) == "cancelled"
    assert await outcome(s, second) == "end_turn"


@bridged
async def test_va04_cancel_a_running_prompt(s: Stage) -> None:
    client, answer = await running(s)
    client.cancel()
    await s.quiet()
    assert not answer.done()
    s.gates.open("model")
    assert await outcome(s, answer) == "cancelled"
    s.expect("creq(user) status(cancelling) abort(user) ; TE(1,aborted) FL ; FL.")


@bridged
async def test_va06_idle_cancel_then_prompt(s: Stage) -> None:
    client = await opened(s)
    client.cancel()
    await s.quiet()
    assert s.tokens() == []
    assert await outcome(s, client.prompt("A")) == "end_turn"


@bridged
async def test_va07_cancel_before_the_claim_then_prompt_at_once(s: Stage) -> None:
    client = await opened(s)
    first = client.prompt("A")
    client.cancel()
    second = client.prompt("B")
    assert await outcome(s, first) == "cancelled"
    assert await outcome(s, second) == "end_turn"
    s.expect("enq(A) creq(user) disc[A] enq(B) deq(B) TS(1)", never="deq(A)")


@bridged
async def test_va08_prompt_while_the_cancelled_one_converges(s: Stage) -> None:
    client, first = await running(s)
    s.hold("flush")
    client.cancel()
    s.gates.open("model")
    await s.quiet()
    assert isinstance(await outcome(s, client.prompt("B")), Busy)
    assert not first.done()
    s.gates.open("flush")
    assert await outcome(s, first) == "cancelled"
    assert await outcome(s, client.prompt("C")) == "end_turn"


@bridged
async def test_va09_failed_turn(s: Stage) -> None:
    client = await opened(s)
    s.gates.answer("model", RuntimeError("the model is down"))
    error = await outcome(s, client.prompt("A"))
    assert isinstance(error, PromptFailed)
    assert "the model is down" in str(error)


@bridged
async def test_va10_failing_peer_listener(s: Stage) -> None:
    client = await opened(s)

    def fail() -> None:
        raise RuntimeError("peer")

    s.react("TS", fail)
    s.react("TE", fail)
    assert await outcome(s, client.prompt("A")) == "end_turn"


@bridged
async def test_va12_disconnect_mid_prompt(s: Stage) -> None:
    client, answer = await running(s)
    gone = client.bridge.disconnect()
    await s.quiet()
    assert not answer.done()
    s.gates.open("model")
    assert await outcome(s, answer) == "cancelled"
    await gone
    s.expect("abort(disposed) status(disposed) ; TE(1,disposed) FL ; FL. ; a- s-")
    assert s.provider.active


@bridged
async def test_va13_disconnect_and_teardown_together(s: Stage) -> None:
    client, answer = await running(s)
    s.gates.open("model")
    ends = [client.bridge.disconnect(), client.bridge.teardown(), client.bridge.disconnect()]
    await asyncio.gather(*ends)
    assert await outcome(s, answer) == "cancelled"
    assert not s.runtime.agents.list()


@bridged
async def test_va14_reload_of_the_bridge_only(s: Stage) -> None:
    client = await opened(s)
    await client.bridge.teardown()
    for call in (client.bridge.new_session("/tmp"), client.bridge.load_session("x", "/tmp"), client.prompt("A")):
        assert isinstance(await outcome(s, call), BridgeClosed)
    client.cancel()
    assert not s.runtime.agents.list()
    assert not s.runtime.sessions.list()
    assert await Client(s, "again").new("y") == "y"


@bridged
async def test_va16_load_racing_close(s: Stage) -> None:
    first = await opened(s)
    await first.bridge.disconnect()
    client = Client(s, "second")
    s.forget()
    s.hold("setup")
    loading = client.bridge.load_session("x", "/tmp")
    await s.quiet()
    gone = client.bridge.disconnect()
    assert isinstance(await outcome(s, loading), BridgeClosed)
    await gone
    s.gates.open("setup")
    await s.quiet()
    s.expect("", never="s+ a+ start")
    assert not s.runtime.agents.list()


class SlowStorage:
    """A storage whose descriptions wait for a gate."""

    def __init__(self, s: Stage) -> None:
        self._stage, self._inner = s, s.storage

    async def has(self, session_id: str) -> bool:
        return await self._inner.has(session_id)

    async def describe(self, session_id: str) -> JsonObject | None:
        await self._stage.gates.enter("describe", session_id)
        return await self._inner.describe(session_id)

    async def load(self, session_id: str) -> StoredLog | None:
        await self._stage.gates.enter("load", session_id)
        return await self._inner.load(session_id)


@pytest.mark.parametrize("gate", ["describe", "load"])
def test_va16_the_look_into_the_storage_is_given_up_too(gate: str) -> None:
    @bridged
    async def rehearse(s: Stage) -> None:
        first = await opened(s)
        await first.bridge.disconnect()
        assert s.persistence is not None
        s.persistence._storage = SlowStorage(s)  # type: ignore[assignment]  # pyright: ignore - reads only, put under what is stored
        client = Client(s, "second")
        s.forget()
        s.hold(gate)
        loading = client.bridge.load_session("x", "/tmp")
        await s.quiet()
        assert isinstance(await outcome(s, client.bridge.load_session("x", "/tmp")), DuplicateId)
        gone = client.bridge.disconnect()
        assert isinstance(await outcome(s, loading), BridgeClosed)
        await gone
        s.gates.open(gate)
        await s.quiet()
        s.expect("", never="s+ a+ start")

    rehearse()


@bridged
async def test_va17_load_twice(s: Stage) -> None:
    first = await opened(s)
    assert await outcome(s, first.prompt("A")) == "end_turn"
    await first.bridge.disconnect()
    client = Client(s, "second")
    s.hold("setup")
    loading = client.bridge.load_session("x", "/tmp")
    assert isinstance(await outcome(s, client.bridge.load_session("x", "/tmp")), DuplicateId)
    s.gates.open("setup")
    assert await outcome(s, loading) == "x"
    assert client.told == ["user_message_chunk"]
    assert isinstance(await outcome(s, client.bridge.load_session("x", "/tmp")), DuplicateId)
    assert await outcome(s, client.prompt("B")) == "end_turn"
    s.expect("start(resume) deq(B) TS(2)")


@bridged
async def test_va18_unknown_session_cancel(s: Stage) -> None:
    client = await opened(s)
    client.cancel("nobody")
    await s.quiet()
    assert s.tokens() == []


@bridged
async def test_va19_agent_disposed_elsewhere(s: Stage) -> None:
    client = await opened(s)
    await s.provider.unload()
    for message in ("A", "B"):
        assert isinstance(await outcome(s, client.prompt(message)), Disposed)


@bridged
async def test_va19_a_session_disposed_elsewhere_can_be_loaded_again(s: Stage) -> None:
    client = await opened(s)
    await s.provider.unload()
    s.load_provider()
    assert await outcome(s, client.bridge.load_session("x", "/tmp")) == "x"
    assert await outcome(s, client.prompt("A")) == "end_turn"


def foreign(s: Stage) -> None:
    """Another party cancels x."""
    agent = s.runtime.agents.get("x")
    assert agent is not None
    agent.cancel()


@bridged
async def test_va20_message_dropped_by_others(s: Stage) -> None:
    client = await opened(s)
    answer = client.prompt("A")
    foreign(s)
    assert await outcome(s, answer) == "cancelled"
    s.expect("disc[A]", never="TS")


@pytest.mark.parametrize(
    ("policies", "reason"),
    [(BridgePolicies(), "cancelled"), (BridgePolicies(foreign_abort_stop_reason="end_turn"), "end_turn")],
)
def test_va21_turn_aborted_by_another_party(policies: BridgePolicies, reason: str) -> None:
    @bridged
    async def rehearse(s: Stage) -> None:
        _, answer = await running(s, policies)
        foreign(s)
        s.gates.open("model")
        assert await outcome(s, answer) == reason

    rehearse()


@bridged
async def test_va24_other_turn_first(s: Stage) -> None:
    client = await opened(s)
    s.hold("model")
    agent = s.runtime.agents.get("x")
    assert agent is not None
    agent.send("B", id="B")
    await s.quiet()
    answer = client.prompt("A")
    await s.release("model")
    s.expect("TE(1,completed) FL. deq(A) TS(2)")
    assert not answer.done()
    s.gates.open("model")
    assert await outcome(s, answer) == "end_turn"


@bridged
async def test_va25_repeated_teardown_no_session(s: Stage) -> None:
    client = Client(s)
    await client.bridge.teardown()
    await client.bridge.teardown()


@bridged
async def test_va26_slow_output(s: Stage) -> None:
    client = await opened(s)
    s.hold("output")
    s.gates.answer("model", "chunk")
    answer = client.prompt("A")
    await s.quiet()
    s.expect("FL. status(idle)")
    assert not answer.done()
    assert isinstance(await outcome(s, client.prompt("B")), Busy)
    s.gates.open("output")
    assert await outcome(s, answer) == "end_turn"


@pytest.mark.parametrize("cancelled", [False, True])
def test_va27_failed_output(cancelled: bool) -> None:
    @bridged
    async def rehearse(s: Stage) -> None:
        client = await opened(s)
        s.hold("output", "flush")
        s.gates.answer("model", "chunk")
        answer = client.prompt("A")
        await s.quiet()
        await s.release("output", OSError("the pipe is full"))
        if cancelled:
            client.cancel()
        s.gates.open_all()
        found = await outcome(s, answer)
        if cancelled:
            assert found == "cancelled"
        else:
            assert isinstance(found, OutputFailed)
            assert "the pipe is full" in str(found)
        assert await outcome(s, client.prompt("B")) == "end_turn"

    rehearse()


@bridged
async def test_va28_failed_load_retry(s: Stage) -> None:
    first = await opened(s)
    await first.bridge.disconnect()
    client = Client(s, "second")
    s.gates.answer("setup", RuntimeError("not today"))
    assert isinstance(await outcome(s, client.bridge.load_session("x", "/tmp")), RuntimeError)
    assert await outcome(s, client.bridge.load_session("x", "/tmp")) == "x"


@bridged
async def test_a_r4_a_load_needs_a_stored_log_of_the_same_directory(s: Stage) -> None:
    first = await opened(s)
    await first.bridge.disconnect()
    client = Client(s, "second")
    s.forget()
    assert isinstance(await outcome(s, client.bridge.load_session("nobody", "/tmp")), NotStored)
    assert isinstance(await outcome(s, client.bridge.load_session("x", "/home")), InvalidValue)
    s.expect("", never="s+ a+ start")
    assert await outcome(s, client.bridge.load_session("x", "/tmp")) == "x"


@bridged
async def test_va29_prompt_on_an_unknown_session(s: Stage) -> None:
    client = await opened(s)
    assert isinstance(await outcome(s, client.prompt("A", "nobody")), UnknownSession)


@pytest.mark.parametrize(
    ("policies", "reason"),
    [(BridgePolicies(), "max_tokens"), (BridgePolicies(max_tokens_stop_reason="end_turn"), "end_turn")],
)
def test_va30_max_tokens(policies: BridgePolicies, reason: str) -> None:
    @bridged
    async def rehearse(s: Stage) -> None:
        client = await opened(s, policies)
        s.gates.answer("model", "max_tokens")
        assert await outcome(s, client.prompt("A")) == reason

    rehearse()


@bridged
async def test_va31_vetoed_turn_start(s: Stage) -> None:
    client = await opened(s)
    s.vetoes.append("turn/start")
    error = await outcome(s, client.prompt("A"))
    assert isinstance(error, PromptFailed)
    assert "turn/start vetoed" in str(error)
    assert await outcome(s, client.prompt("B")) == "end_turn"
    s.expect("deq(A) err(1,0) deq(B) TS(1)", never="TE(1,error)")


@bridged
async def test_va32_cancel_while_output_drains(s: Stage) -> None:
    client = await opened(s)
    s.hold("output")
    s.gates.answer("model", "chunk")
    answer = client.prompt("A")
    await s.quiet()
    s.forget()
    client.cancel()
    await s.quiet()
    assert s.tokens() == []
    assert isinstance(await outcome(s, client.prompt("B")), Busy)
    s.gates.open("output")
    assert await outcome(s, answer) == "cancelled"
