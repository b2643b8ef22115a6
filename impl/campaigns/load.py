"""Own the load campaign: a thousand agents in one process, cancelled and disposed midway, and what is left.

    python impl/campaigns/load.py --record

A cycle creates the agents on one runtime with a SQLite store, lets each run its turns, cancels half of them at random
points and disposes a third in the middle of a turn, then disposes the rest. After each cycle nothing may be left: no
agent, session, owner record, listener, task, thread, descriptor or warning; and resident memory after a collection
stays within 5 % of what it was after the second warm-up cycle.
"""

# ruff: noqa: INP001 - scripts to run, not a package to import

import argparse
import asyncio
import gc
import json
import os
import random
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import stamped  # pyright: ignore[reportMissingImports] - it lies beside this script, where Python looks

from lifecycle_runtime.agent import Agent
from lifecycle_runtime.events import SessionEvent
from lifecycle_runtime.handle import AgentSpec, Handle
from lifecycle_runtime.persistence import provide_persistence
from lifecycle_runtime.ports import (
    Finish,
    ModelEvent,
    ModelRequest,
    TextChunk,
    ToolCall,
    ToolInvocation,
    ToolResult,
)
from lifecycle_runtime.provider import AgentProvider, ProviderOptions
from lifecycle_runtime.runtime import Runtime
from lifecycle_runtime.session import TURN_END
from lifecycle_runtime.signals import Signal
from lifecycle_runtime.storage_sqlite import SqliteStorage
from lifecycle_runtime.values import JsonObject, freeze_object

WARM_UP = 2


class Talker:
    """A model that yields to the loop now and then and calls a tool every fourth turn."""

    async def stream(self, request: ModelRequest, signal: Signal) -> AsyncIterator[ModelEvent]:
        """Stream a short reply."""
        for _ in range(3):
            yield TextChunk("some words of a reply ")
            await asyncio.sleep(0)
        if request.turn % 4 == 0 and request.messages[-1].role == "user":
            yield ToolCall(f"c{request.turn}", "think", {"turn": request.turn})
        yield Finish()


class Think:
    """A tool that takes a few rounds of the loop."""

    name = "think"
    description = "think"

    @property
    def parameters(self) -> JsonObject:
        """Anything."""
        return freeze_object({"type": "object"})

    async def call(self, invocation: ToolInvocation) -> ToolResult:
        """Think."""
        for _ in range(3):
            await asyncio.sleep(0)
        return ToolResult("thought")


class Campaign:
    """One runtime through all its cycles."""

    def __init__(self, store: Path, agents: int, turns: int, seed: int) -> None:
        self.agents, self.turns = agents, turns
        self.chance = random.Random(seed)
        self.counts: Counter[str] = Counter()
        self.problems: list[str] = []
        self.storage = SqliteStorage(store)
        self.runtime = Runtime(lambda failure: self.problems.append(f"contained: {failure.event}: {failure.error!r}"))
        root = self.runtime.root
        self.persistence = provide_persistence(root, self.storage)
        self.runtime.tools.register(root, Think())
        AgentProvider(root, ProviderOptions(model=Talker()))
        root.on(SessionEvent, self._count)
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: self.problems.append(
                f"the loop was told: {context.get('exception') or context['message']}"
            )
        )
        self.before = self.left()

    async def cycle(self, number: int) -> dict[str, Any]:
        """All agents from birth to end, then a look at what is left."""
        began, turns = time.monotonic(), self.counts["turns"]
        names = [f"c{number}-{index}" for index in range(self.agents)]
        handles = await asyncio.gather(
            *(self.runtime.agents.create(self.runtime.root, AgentSpec(id=name)) for name in names)
        )
        await asyncio.gather(*(self._live(index, handle) for index, handle in enumerate(handles)))
        seconds = time.monotonic() - began
        del handles
        await self._settle()
        left = self.left()
        if left != self.before:
            changed = {key: (self.before[key], left[key]) for key in left if left[key] != self.before[key]}
            self.problems.append(f"after cycle {number} there is left (before, now): {changed}")
        done = self.counts["turns"] - turns
        return {
            "cycle": number,
            "resident MB": round(resident() / 1e6, 1),
            "turns": done,
            "seconds": round(seconds, 1),
            "turns per second": round(done / seconds),
        }

    def left(self) -> dict[str, Any]:
        """Count everything a cycle could leave behind."""
        runtime = self.runtime
        return {
            "agents": len(runtime.agents.list()),
            "sessions": len(runtime.sessions.list()),
            "owner records": len(runtime.root.fiber.records),
            "listeners": runtime.bus.listeners,
            "tasks": len(asyncio.all_tasks()) - 1,
            "threads": threading.active_count(),
            "descriptors": len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0,
            "storage calls": self.storage.pending,
        }

    async def _live(self, index: int, handle: Handle) -> None:
        """One agent's life: every second one is cancelled, every third disposed in the middle."""
        agent = handle.agent
        cancelled, disposed = index % 2 == 0, index % 3 == 0
        last = self.chance.randrange(self.turns) if disposed else self.turns
        for turn in range(last):
            agent.send(f"message {turn}")
            if cancelled and self.chance.random() < 0.3:
                await self._some_rounds(12)
                agent.cancel()
                self.counts["cancels"] += 1
            await agent.when_idle()
        if disposed:
            await self._dispose_mid_turn(agent, handle)
        elif index % 7 == 0:
            agent.inject("a last word")
        await handle.dispose()
        self.counts["agents"] += 1

    async def _dispose_mid_turn(self, agent: Agent, handle: Handle) -> None:
        # how long a turn takes is the loop's affair: send again until one is caught open
        while agent.session.open_turn is None:
            agent.send("never finished")
            while agent.session.open_turn is None:
                await asyncio.sleep(0)
            await self._some_rounds(8)
        self.counts["disposed mid-turn"] += 1
        await handle.dispose()

    async def _some_rounds(self, most: int) -> None:
        for _ in range(self.chance.randrange(most)):
            await asyncio.sleep(0)

    async def _settle(self) -> None:
        """Let finished tasks be forgotten and collect."""
        for _ in range(5):
            await asyncio.sleep(0.01)
        gc.collect()

    def _count(self, event: SessionEvent) -> None:
        self.counts["records"] += 1
        if event.record.type == TURN_END:
            self.counts["turns"] += 1
            self.counts[f"turns {event.record.data['reason']}"] += 1


def resident() -> int:
    """Resident memory of this process in bytes."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def campaign(store: Path, chosen: argparse.Namespace) -> dict[str, Any]:
    """Run every cycle and judge them."""
    running = Campaign(store, chosen.agents, chosen.turns, chosen.seed)
    cycles: list[dict[str, Any]] = []
    for number in range(1, WARM_UP + chosen.cycles + 1):
        cycles.append(await running.cycle(number))
        print(json.dumps(cycles[-1]), file=sys.stderr)
    base = cycles[WARM_UP - 1]["resident MB"]
    growth = max(cycle["resident MB"] for cycle in cycles[WARM_UP:]) / base
    if growth > chosen.growth:
        running.problems.append(f"resident memory grew to {growth:.3f} of the second warm-up cycle's")
    await running.runtime.unload()
    await running.storage.close()
    counts = running.counts
    return {
        "verdict": f"{counts['agents']} agents, {counts['turns']} turns, memory at {growth:.3f}, "
        f"{len(running.problems)} problems",
        "agents": chosen.agents,
        "turns each": chosen.turns,
        "seed": chosen.seed,
        "memory after the cycles": round(growth, 4),
        "cycles": cycles,
        "counts": dict(sorted(counts.items())),
        "problems": running.problems[:20],
    }


def main() -> int:
    """Run the campaign; 0 if nothing was left and memory stayed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int, default=1000)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--cycles", type=int, default=3, help="after the two warm-up cycles")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--growth", type=float, default=1.05, help="what memory may grow to (a small run needs more)")
    parser.add_argument("--record", action="store_true", help="store the result in results/load.json")
    chosen = parser.parse_args()
    warnings.simplefilter("error")
    with tempfile.TemporaryDirectory(prefix="lifecycle-load-") as place:
        result = asyncio.run(campaign(Path(place) / "log.db", chosen))
    print(json.dumps(result, indent=2))
    if chosen.record:
        stamped.write("load", result)
    return int(bool(result["problems"]))


if __name__ == "__main__":
    sys.exit(main())
