"""The Publication scenarios, by hand from the catalogue."""

import asyncio
import math
from typing import Any

import pytest

from lifecycle_runtime.agent import Agent
from lifecycle_runtime.errors import (
    CreationAborted,
    DuplicateId,
    InactiveOwner,
    InactiveProvider,
    InvalidValue,
    LifecycleError,
    MissingService,
    NoPersistence,
    NotStored,
    ProviderTaken,
    StaleLog,
    Unsupported,
)
from lifecycle_runtime.events import AgentCreated, SessionCreated
from lifecycle_runtime.handle import AgentSpec
from lifecycle_runtime.registry import AGENTS
from lifecycle_runtime.signals import AbortController, Signal
from lifecycle_runtime.testing.stage import Stage, in_order, log_of, staged
from lifecycle_runtime.tools import TOOLS


async def refusal(future: "asyncio.Future[Any]") -> BaseException:
    """Return what a future failed with; it must have settled."""
    assert future.done()
    error = future.exception()
    assert error is not None
    return error


def nothing_left(s: Stage, agent_id: str = "x") -> None:
    """Check P7."""
    assert s.runtime.agents.get(agent_id) is None
    assert s.runtime.sessions.get(agent_id) is None
    assert not [label for label in s.root.fiber.records if label == f"agent {agent_id}"]
    assert not [label for label in s.provider.ctx.fiber.records if label == f"agent {agent_id}"]


def fail() -> None:
    """Veto."""
    raise ValueError("veto")


async def fail_later() -> None:
    raise ValueError("later")


@staged(agent=False)
async def test_vp01_happy_order(s: Stage) -> None:
    def listen(agent: Agent) -> None:
        agent.ctx.on(SessionCreated, lambda _: s.tokens().append("s+scoped"))
        agent.ctx.on(AgentCreated, lambda _: s.tokens().append("a+scoped"))

    s.hold("setup")
    future = s.creating(setup=listen)
    await s.quiet()
    assert s.only("s+ a+ start") == ""
    assert not s.runtime.sessions.list()
    await s.release("setup")
    s.expect("s+ s+scoped a+ a+scoped start(startup)")
    assert future.done()


def test_vp02_pre_aborted_signal() -> None:
    @staged(agent=False)
    async def scenario(s: Stage) -> None:
        for reason in (KeyError("k"), "because"):
            signal = AbortController()
            signal.abort(reason)
            future = s.creating(signal=signal)
            await s.quiet()
            error = await refusal(future)
            if isinstance(reason, Exception):
                assert error is reason
            else:
                assert isinstance(error, CreationAborted)
                assert error.reason == reason
            nothing_left(s)
        s.expect("", never="s+ a+ <setup>")

    scenario()


@staged(agent=False)
async def test_vp04_abort_during_setup(s: Stage) -> None:
    signal = AbortController()
    s.hold("setup")
    future = s.creating(signal=signal)
    await s.quiet()
    signal.abort("enough")
    await s.quiet()
    assert isinstance(await refusal(future), CreationAborted)
    s.expect("scope", never="s+ a+ start")
    nothing_left(s)
    s.gates.open("setup")
    await s.quiet()
    await s.create()


@staged(agent=False)
async def test_vp06_setup_rejects(s: Stage) -> None:
    broken = ValueError("broken")
    s.gates.answer("setup", broken)
    future = s.creating()
    await s.quiet()
    assert await refusal(future) is broken
    s.expect("scope", never="s+ a+ start")
    nothing_left(s)
    await s.create()


@staged(agent=False)
async def test_vp07_owner_unload_during_setup(s: Stage) -> None:
    owner = s.root.fork("f1")
    s.hold("setup")
    future = s.creating(owner=owner)
    await s.quiet()
    unloaded = owner.unload()
    await s.quiet()
    error = await refusal(future)
    assert isinstance(error, InactiveOwner)
    assert "owner disposed" in str(error)
    assert unloaded.done()
    await s.release("setup")
    s.expect("", never="s+ a+ start")
    assert isinstance(await refusal(s.creating(owner=owner)), InactiveOwner)


@staged(agent=False)
async def test_vp08_setup_success_and_owner_unload_in_one_tick(s: Stage) -> None:
    owner = s.root.fork("f1")
    s.hold("setup")
    future = s.creating(owner=owner)
    await s.quiet()
    s.gates.release("setup")
    owner.unload()
    await s.quiet()
    assert isinstance(await refusal(future), InactiveOwner)
    s.expect("", never="s+ a+ start")


@staged(agent=False)
async def test_vp09_provider_unload_during_setup(s: Stage) -> None:
    s.hold("setup")
    future = s.creating(setup=lambda agent: agent.ctx.effect(lambda: s.gates.enter("unwind", "x")))
    s.hold("unwind")
    await s.quiet()
    unloaded = s.provider.unload()
    await s.quiet()
    assert not unloaded.done()
    assert not future.done()
    await s.release("unwind")
    assert isinstance(await refusal(future), InactiveProvider)
    assert unloaded.done()


@staged(agent=False)
async def test_vp11_owner_unload_during_scope_minting(s: Stage) -> None:
    owner = s.root.fork("f1")
    s.hold("mint", "unwind")
    s.gates.at("mint", lambda: None)
    s.mint_effects.append(lambda: s.gates.enter("unwind", "x"))
    future = s.creating(owner=owner)
    await s.quiet()
    unloaded = owner.unload()
    await s.quiet()
    assert not future.done()
    await s.release("mint")
    assert not unloaded.done()
    assert not future.done()
    await s.release("unwind")
    assert unloaded.done()
    assert isinstance(await refusal(future), InactiveOwner)
    s.expect("<mint>", never="<setup> s+")


@staged(agent=False)
async def test_minting_that_throws_is_the_result(s: Stage) -> None:
    broken = ValueError("no room")
    s.gates.answer("mint", broken)
    future = s.creating()
    await s.quiet()
    assert await refusal(future) is broken
    nothing_left(s)


@staged(agent=False)
async def test_vp13_synchronous_create_provider_lost_in_minting(s: Stage) -> None:
    s.sync_mint = s.provider.unload
    with pytest.raises(InactiveProvider):
        s.runtime.agents.create_sync(s.root, AgentSpec("x"))
    await s.quiet()
    nothing_left(s)
    s.expect("", never="s+")


@staged(agent=False)
async def test_synchronous_create(s: Stage) -> None:
    s.sync_mint = lambda: None
    handle = s.runtime.agents.create_sync(s.root, AgentSpec("x", setup=lambda agent, signal: None))
    assert s.only("s+ a+ start") == "s+ a+ start(startup)"
    s.keep(handle)
    s.send("A")
    await s.quiet()
    s.expect("TE(1,completed)")

    async def slow(agent: Agent, signal: Signal) -> None: ...

    with pytest.raises(Unsupported):
        s.runtime.agents.create_sync(s.root, AgentSpec("y", setup=slow))
    with pytest.raises(DuplicateId):
        s.runtime.agents.create_sync(s.root, AgentSpec("x"))
    await s.quiet()
    nothing_left(s, "y")


@staged(agent=False)
async def test_p14_synchronous_create_removes_its_entries_before_it_raises(s: Stage) -> None:
    s.sync_mint = lambda: None
    s.react("a+", fail)
    with pytest.raises(ValueError, match="veto"):
        s.runtime.agents.create_sync(s.root, AgentSpec("x"))
    assert s.only("s+ a+ a- s-") == "s+ a+ a- s-"
    assert not s.runtime.sessions.list()


@staged(agent=False)
async def test_vp15_concurrent_same_id(s: Stage) -> None:
    s.hold("setup")
    first, second = s.creating(), s.creating()
    await s.quiet()
    s.gates.open("setup")
    await s.quiet()
    assert first.done()
    assert first.exception() is None
    error = await refusal(second)
    assert isinstance(error, DuplicateId)
    assert "already exists" in str(error)
    assert len(s.runtime.agents.list()) == 1
    assert s.only("s+ a+ s- a-") == "s+ a+"


@staged(agent=False)
async def test_vp16_duplicate_live_id(s: Stage) -> None:
    await s.create()
    error = await refusal(s.creating())
    assert isinstance(error, DuplicateId)
    assert len(s.runtime.sessions.list()) == 1
    assert s.only("<mint>") == "<mint>"


@staged(agent=False)
async def test_vp17_session_created_listener_throws(s: Stage) -> None:
    s.react("s+", fail)
    future = s.creating()
    await s.quiet()
    assert isinstance(await refusal(future), ValueError)
    s.expect("s+ s- scope", never="a+ a- start")
    nothing_left(s)
    await s.create()


@staged(agent=False)
async def test_vp18_agent_created_listener_throws(s: Stage) -> None:
    s.react("a+", fail)
    future = s.creating()
    await s.quiet()
    assert isinstance(await refusal(future), ValueError)
    s.expect("s+ a+ a- s- scope", never="start status")


@staged(agent=False)
async def test_vp20_teardown_inside_agent_created(s: Stage) -> None:
    s.react("a+", s.provider.unload)
    live: list[bool] = []
    s.root.on(AgentCreated, lambda e: live.append(s.runtime.agents.get("x") is e.agent and e.agent.ctx.active))
    future = s.creating()
    await s.quiet()
    assert isinstance(await refusal(future), InactiveProvider)
    assert live == [True]
    s.expect("s+ a+ a- s- scope", never="start status")


@staged(agent=False)
async def test_vp22_teardown_inside_start(s: Stage) -> None:
    owner = s.root.fork("f1")
    s.react("start", owner.unload)
    future = s.creating(owner=owner)
    await s.quiet()
    assert isinstance(await refusal(future), InactiveOwner)
    s.expect("s+ a+ start(startup) status(disposed) a- s- scope")


@staged(agent=False)
async def test_vp24_invalid_seed(s: Stage) -> None:
    bad: Any = ({"type": "note", "value": math.inf}, {"value": 1}, {"type": "turn/end", "turn": 3})
    for record in bad:
        future = s.creating(seed=[record])
        await s.quiet()
        assert isinstance(await refusal(future), InvalidValue)
        nothing_left(s)
    future = s.creating(meta={"cwd": "relative"})
    await s.quiet()
    assert isinstance(await refusal(future), InvalidValue)
    agent = await s.create(seed=[{"type": "note", "value": 1}])
    assert log_of(agent.session.records) == ["note"]
    s.expect("s+ a+", never="s-")


@staged(persistence=True)
async def test_vp25_resume_order(s: Stage) -> None:
    s.send("A")
    await s.quiet()
    s.dispose()
    await s.quiet()
    s.forget()
    loaded: list[int] = []
    await s.resume(setup=lambda agent: loaded.append(len(agent.session)))
    assert loaded == [6]
    s.expect("s+ a+ start(resume)")
    s.send("B")
    await s.quiet()
    s.expect("TS(2)")


@staged(agent=False)
async def test_vp28_resume_without_persistence(s: Stage) -> None:
    future = s.runtime.agents.resume(s.root, s.spec())
    await s.quiet()
    assert isinstance(await refusal(future), NoPersistence)
    nothing_left(s)


@staged(agent=False)
async def test_vp32_parentage(s: Stage) -> None:
    x = await s.create("x")
    y = await s.create("y", owner=x.ctx)
    assert s.runtime.agents.roots() == (x,)
    assert s.runtime.agents.parent(y) is x
    done = s.dispose("x")
    await s.quiet()
    assert done.done()
    s.expect("s+ a+ start status(disposed) a- s- scope", subject="y")


@staged(agent=False)
async def test_vp34_caller_without_services(s: Stage) -> None:
    bare = s.root.fork("bare", sees=(AGENTS,))
    with pytest.raises(MissingService):
        bare.service(TOOLS)
    found: list[object] = []
    await s.create(owner=bare, setup=lambda agent: found.append(agent.ctx.service(TOOLS)))
    assert found == [s.runtime.tools]


@staged(agent=False)
async def test_vp35_asynchronous_listener_failure(s: Stage) -> None:
    s.react("s+", fail_later)
    s.react("a+", fail_later)
    await s.create()
    assert sorted(s.contained) == ["agent/created", "session/created"]
    assert s.agent.status == "idle"


@staged(persistence=True)
async def test_vp36_resume_of_a_live_id(s: Stage) -> None:
    s.hold("model")
    s.send("A")
    await s.quiet()
    before = len(s.agent.session)
    future = s.runtime.agents.resume(s.root, s.spec())
    await s.quiet()
    assert isinstance(await refusal(future), DuplicateId)
    assert len(s.agent.session) == before
    s.gates.open("model")
    await s.quiet()
    s.expect("TE(1,completed)")


@staged(agent=False)
async def test_vp37_work_sent_by_a_start_listener(s: Stage) -> None:
    s.react("start", lambda: s.runtime.agents.list()[0].send("A", id="A"))
    await s.create()
    s.expect("s+ a+ start enq(A) ; status(running) deq(A) TS(1)")


@staged(agent=False)
async def test_vp38_work_sent_then_rollback(s: Stage) -> None:
    owner = s.root.fork("f1")
    s.react("start", in_order(lambda: s.runtime.agents.list()[0].send("A", id="A"), owner.unload))
    future = s.creating(owner=owner)
    await s.quiet()
    assert isinstance(await refusal(future), InactiveOwner)
    s.expect("start enq(A) disc[A] status(disposed) a- s-")


@staged(agent=False, persistence=True)
async def test_vp39_stale_resume(s: Stage) -> None:
    await s.create()
    s.dispose()
    await s.quiet()
    s.hold("setup")
    stale = s.runtime.agents.resume(s.root, s.spec())
    await s.quiet()
    second = s.runtime.agents.resume(s.root, AgentSpec("x"))
    await s.quiet()
    s.keep(await second)
    s.send("A")
    await s.quiet()
    s.dispose()
    await s.quiet()
    stored = await s.storage.load("x")
    s.forget()
    await s.release("setup")
    assert isinstance(await refusal(stale), StaleLog)
    assert await s.storage.load("x") == stored
    s.expect("", never="s+ a+")
    s.gates.open("setup")
    agent = await s.resume()
    assert agent.session.next_turn == 2


@staged(agent=False)
async def test_vp40_work_sent_then_rollback_of_session_created(s: Stage) -> None:
    owner = s.root.fork("f1")
    made: list[Agent] = []
    s.react("s+", in_order(lambda: made[0].send("A", id="A"), owner.unload))
    future = s.creating(owner=owner, setup=made.append)
    await s.quiet()
    assert isinstance(await refusal(future), InactiveOwner)
    s.expect("s+ enq(A) disc[A] s-", never="a+ a- status")


@staged(agent=False)
async def test_vp41_setup_fails_and_the_owner_unloads_in_one_segment(s: Stage) -> None:
    broken = ValueError("broken")
    for owner_first in (False, True):
        owner = s.root.fork("f1")
        s.hold("setup")
        future = s.creating(owner=owner)
        await s.quiet()
        if owner_first:
            owner.unload()
        s.gates.release("setup", broken)
        owner.unload()
        await s.quiet()
        assert await refusal(future) is broken


@staged(agent=False, persistence=True)
async def test_vd07_resume_of_an_absent_id(s: Stage) -> None:
    future = s.runtime.agents.resume(s.root, s.spec())
    await s.quiet()
    assert isinstance(await refusal(future), NotStored)
    s.expect("", never="s+ a+")
    await s.create()


@staged(agent=False)
async def test_p15_one_provider_at_a_time(s: Stage) -> None:
    with pytest.raises(ProviderTaken):
        s.load_provider()
    s.hold("unwind")
    await s.create(setup=lambda agent: agent.ctx.effect(lambda: s.gates.enter("unwind", "x")))
    old = s.provider
    unloaded = old.unload()
    assert isinstance(await refusal(s.creating("y")), InactiveProvider)
    s.load_provider()
    await s.quiet()
    assert not unloaded.done()
    await s.create("y")
    await s.release("unwind")
    assert unloaded.done()
    assert [agent.id for agent in s.runtime.agents.list()] == ["y"]


@staged(agent=False)
async def test_every_refusal_has_a_code(s: Stage) -> None:
    error = await refusal(s.creating(owner=_unloaded(s)))
    assert isinstance(error, LifecycleError)
    assert error.code == "inactive_owner"


def _unloaded(s: Stage) -> Any:
    owner = s.root.fork("gone")
    owner.unload()
    return owner


@staged(agent=False)
async def test_the_creator_has_the_handle_before_the_driver_acts(s: Stage) -> None:
    s.react("a+", lambda: s.runtime.agents.list()[0].send("A", id="A"))
    creating = s.creating()
    creating.add_done_callback(lambda done: s.tokens().append("handle"))
    await s.quiet()
    s.expect("s+ a+ enq(A) start(startup) handle status(running) TE(1,completed)")


@staged(agent=False)
async def test_a_creator_who_gives_up_cancels_no_creation(s: Stage) -> None:
    s.hold("setup")
    creating = s.creating()
    await s.quiet()
    creating.cancel()
    await s.release("setup")
    s.expect("s+ a+ start(startup)")
    assert creating.cancelled()
    assert [agent.id for agent in s.runtime.agents.list()] == ["x"]
