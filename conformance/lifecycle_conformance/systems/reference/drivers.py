"""The driver gate: where a driver's own segments begin (X6), held until ticked or released. No gate inside a turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from lifecycle_conformance.systems.reference.gates import At, Gates
from lifecycle_model.wire import Observation


class Drivers:
    """The held drivers of one run. A hold lasts until it is released; a tick lets one wait go on."""

    def __init__(self, gates: Gates, record: Callable[[Observation], None]) -> None:
        self._gates = gates
        self._record = record
        self._held: dict[str, list[asyncio.Future[None]]] = {}

    def hold(self, agent: str) -> None:
        """Let the driver of this agent wait at each of its wakes."""
        self._held.setdefault(agent, [])

    def tick(self, agent: str) -> bool:
        """Let one wait go on; False if the driver does not wait."""
        waiting = self._held.get(agent)
        if not waiting:
            return False
        waiting.pop(0).set_result(None)
        return True

    def release(self, agent: str) -> bool:
        """End the hold; False if there is none."""
        waiting = self._held.pop(agent, None)
        if waiting is None:
            return False
        for wait in waiting:
            wait.set_result(None)
        return True

    async def wait(self, agent: str) -> None:
        """Called by the driver before each of its segments; others may act here in any case."""
        at = At("driver", agent)
        if agent not in self._held:
            self._gates.open(at, waits=False)
            await asyncio.sleep(0)
            return
        self._record(at.observation())
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._held[agent].append(turn)
        await turn
