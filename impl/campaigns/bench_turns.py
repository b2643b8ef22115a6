"""Own the benchmark of turns: how many a second, and what one costs as its agent's log grows.

    python impl/campaigns/bench_turns.py --record

One agent, a model that answers at once, no storage and then the SQLite store. The cost of a turn is measured in windows
while the log grows to 100,000 records; it is *flat* if in the last quarter it is at most half again that of the first.
"""

# ruff: noqa: INP001 - scripts to run, not a package to import

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import stamped  # pyright: ignore[reportMissingImports] - it lies beside this script, where Python looks

from lifecycle_runtime.handle import AgentSpec
from lifecycle_runtime.persistence import provide_persistence
from lifecycle_runtime.ports import Finish, ModelEvent, ModelRequest, TextChunk
from lifecycle_runtime.provider import AgentProvider, ProviderOptions
from lifecycle_runtime.runtime import Runtime
from lifecycle_runtime.signals import Signal
from lifecycle_runtime.storage_sqlite import SqliteStorage


class Prompt:
    """A model that answers at once and looks at nothing of the request."""

    async def stream(self, request: ModelRequest, signal: Signal) -> AsyncIterator[ModelEvent]:
        """Give two words."""
        yield TextChunk("Very well.")
        yield Finish()


async def measure(store: Path | None, records: int, window: int) -> dict[str, Any]:
    """Run turns until the log is long enough; give the cost of a turn per window, in CPU microseconds."""
    runtime = Runtime()
    storage = SqliteStorage(store) if store is not None else None
    if storage is not None:
        provide_persistence(runtime.root, storage)
    AgentProvider(runtime.root, ProviderOptions(model=Prompt()))
    handle = await runtime.agents.create(runtime.root, AgentSpec(id="bench"))
    agent, windows = handle.agent, list[dict[str, int]]()
    began, turns = time.perf_counter(), 0
    while len(agent.session) < records:
        cpu = time.process_time()
        for _ in range(window):
            agent.send("Go on.")
            await agent.when_idle()
        turns += window
        cost = (time.process_time() - cpu) / window
        windows.append({"records": len(agent.session), "cpu us a turn": round(cost * 1e6)})
    seconds = time.perf_counter() - began
    await handle.dispose()
    await runtime.unload()
    if storage is not None:
        await storage.close()
    costs = [measured["cpu us a turn"] for measured in windows]
    quarter = max(1, len(costs) // 4)
    early, late = sum(costs[:quarter]) / quarter, sum(costs[-quarter:]) / quarter
    shown = windows[:: max(1, len(windows) // 10)]
    return {
        "turns": turns,
        "turns per second": round(turns / seconds),
        "cpu us a turn": round(sum(costs) / len(costs)),
        "last quarter over first": round(late / early, 2),
        "windows": shown,
    }


def main() -> int:
    """Run the benchmark; 0 if the cost is flat."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--window", type=int, default=500, help="turns measured together")
    parser.add_argument("--flat", type=float, default=1.5, help="the last quarter over the first that counts as flat")
    parser.add_argument("--record", action="store_true", help="store the result in results/bench_turns.json")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lifecycle-bench-") as place:
        results = {
            "without storage": asyncio.run(measure(None, chosen.records, chosen.window)),
            "with SQLite": asyncio.run(measure(Path(place) / "log.db", chosen.records, chosen.window)),
        }
    flat = all(result["last quarter over first"] <= chosen.flat for result in results.values())
    rates = ", ".join(f"{result['turns per second']} turns/s {name}" for name, result in results.items())
    result = {"verdict": f"{rates}; {'flat' if flat else 'NOT flat'} to {chosen.records} records", **results}
    print(json.dumps(result, indent=2))
    if chosen.record:
        stamped.write("bench_turns", result)
    return int(not flat)


if __name__ == "__main__":
    sys.exit(main())
