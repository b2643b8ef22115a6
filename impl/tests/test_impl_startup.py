"""The Config-started agents scenarios, by hand from the catalogue."""

import asyncio
from typing import Any

import pytest

from lifecycle_runtime.errors import ConflictingIds
from lifecycle_runtime.events import ConfigStartFailed
from lifecycle_runtime.persistence import provide_persistence
from lifecycle_runtime.startup import ConfigAgent
from lifecycle_runtime.storage_memory import MemoryStorage
from lifecycle_runtime.testing.stage import Stage, staged


class LookupStorage(MemoryStorage):
    """Asks the stage at every look-up."""

    def __init__(self) -> None:
        super().__init__()
        self.stage: Any = None

    async def has(self, session_id: str) -> bool:
        await self.stage.gates.enter("config_lookup", session_id)
        return await super().has(session_id)


async def reload(s: Stage, *configured: ConfigAgent) -> None:
    """Replace the provider by one with configured agents."""
    await s.provider.unload()
    s.load_provider(configured=configured)
    await s.quiet()


@staged(agent=False)
async def test_vg01_conflicting_ids(s: Stage) -> None:
    await s.provider.unload()
    for configured in (
        [ConfigAgent("one", id="x", resume="x")],
        [ConfigAgent("zero"), ConfigAgent("one", id="x"), ConfigAgent("two", id="x")],
        [ConfigAgent("one", id="x"), ConfigAgent("two", resume="x")],
    ):
        with pytest.raises(ConflictingIds):
            s.load_provider(configured=configured)
        await s.quiet()
        assert not s.runtime.agents.list()
    s.load_provider()


@staged(agent=False, persistence=True)
async def test_vg02_exact_id_across_reloads(s: Stage) -> None:
    agent = ConfigAgent("one", id="x")
    await reload(s, agent)
    s.expect("s+ a+ start(startup)")
    x = s.runtime.agents.get("x")
    assert x is not None
    x.send("A", id="A")
    await s.quiet()
    s.forget()
    await reload(s, agent)
    s.expect("a- s- s+ a+ start(resume)")
    x = s.runtime.agents.get("x")
    assert x is not None
    assert x.session.next_turn == 2


@staged(agent=False)
async def test_fresh_ids_and_no_persistence(s: Stage) -> None:
    await reload(s, ConfigAgent("one"), ConfigAgent("two", id="x"))
    assert len(s.runtime.agents.list()) == 2
    s.expect("start(startup)")


@staged(agent=False)
async def test_vg05_failing_lookup(s: Stage) -> None:
    storage = LookupStorage()
    storage.stage = s
    provide_persistence(s.root, storage)
    s.gates.answer("config_lookup", ValueError("unreadable"))
    heard: list[str] = []

    def fail() -> None:
        raise RuntimeError("boom")

    s.react("config-failed", fail, subject="")
    s.root.on(ConfigStartFailed, lambda e: heard.append(f"{e.label}: {e.error}"))
    await reload(s, ConfigAgent("one", id="x"))
    assert heard == ["one: unreadable"]
    assert s.contained == ["agent-loop/config-start-failed"]
    assert not s.runtime.agents.list()


@staged(agent=False)
async def test_vg06_provider_unload_during_lookup(s: Stage) -> None:
    storage = LookupStorage()
    storage.stage = s
    provide_persistence(s.root, storage)
    s.hold("config_lookup")
    await reload(s, ConfigAgent("one", id="x"))
    unloaded = s.provider.unload()
    await s.quiet()
    assert not unloaded.done()
    await s.release("config_lookup")
    assert unloaded.done()
    s.expect("", never="s+")
    assert "config-failed(one)" not in s.tokens("")


@staged(agent=False)
async def test_vg07_resume_id_with_a_live_predecessor(s: Stage) -> None:
    storage = MemoryStorage()
    owner = s.root.fork("f1")
    await s.provider.unload()
    predecessor = s.runtime.sessions.create(owner, "x")
    s.load_provider(configured=[ConfigAgent("one", resume="x")])
    await s.quiet()
    persistence = provide_persistence(s.root, storage)
    await storage.start("x", {})
    await s.quiet()
    assert s.tokens() == ["s+"]
    assert predecessor.live
    await owner.unload()
    await s.quiet()
    s.expect("s+ s- s+ a+ start(resume)")
    await persistence.unload()


@staged(agent=False)
async def test_a_wait_is_given_up_when_the_provider_goes(s: Stage) -> None:
    await reload(s, ConfigAgent("one", resume="x"))
    unloaded: asyncio.Future[None] = s.provider.unload()
    await s.quiet()
    assert unloaded.done()
    assert s.tokens("") == []


@staged(agent=False)
async def test_an_id_taken_again_is_a_failure_without_a_second_wait(s: Stage) -> None:
    predecessor = s.runtime.sessions.create(s.root, "x")
    await reload(s, ConfigAgent("one", id="x"))
    s.react("s-", lambda: s.runtime.sessions.create(s.root, "x"))
    s.runtime.sessions.detach(predecessor)
    await s.quiet()
    assert s.tokens("") == ["config-failed(one)"]
    assert s.tokens() == ["s+", "s-", "s+"]
