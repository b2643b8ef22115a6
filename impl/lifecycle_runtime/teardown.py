"""The one ordered end of an agent, whichever trigger came first (T). Rolls back failed creations too."""

import asyncio
from collections.abc import Callable

from lifecycle_runtime.agent import Agent
from lifecycle_runtime.core import AgentCore
from lifecycle_runtime.entries import Entry, EntryTable
from lifecycle_runtime.events import StatusChanged
from lifecycle_runtime.futures import mirror
from lifecycle_runtime.session import Session
from lifecycle_runtime.status import Status


class Teardown:
    """Rows T/r1 to r7 as one sequential chain; what was never acquired is skipped (T2, R1 to R6)."""

    def __init__(self, core: AgentCore, agents: EntryTable[Agent], release: Callable[[], None]) -> None:
        self.agent_entry: Entry[Agent] | None = None
        self.session_entry: Entry[Session] | None = None
        self._core = core
        self._agents = agents
        self._release = release
        self._chain: asyncio.Task[tuple[BaseException, ...]] | None = None

    def begin(self) -> "asyncio.Future[tuple[BaseException, ...]]":
        """Perform r1 now, on the first call; return the end of the chain: what scope disposers raised.

        With the driver not started and no flush pending, r1 to r5 are this one segment (T13).
        """
        if self._chain is None:
            self._chain = asyncio.get_running_loop().create_task(self._finish())
            self._stop()
            if self._drained():
                self._detach()
        return mirror(self._chain)

    def _stop(self) -> None:
        """T/r1; the status reads disposed before anything is published (T3)."""
        core = self._core
        core.raw_status = Status.DISPOSED
        core.discard(core.inbox.clear())
        if core.holder is not None and core.holder.live:
            core.abort(core.holder, "disposed")
        if core.published:
            core.publish(StatusChanged(core.agent, Status.DISPOSED))
        if not core.driver_started:
            core.exit()
        core.wake()

    def _drained(self) -> bool:
        core = self._core
        return core.exited.done() and not core.flushes.busy and core.store.out_of_band_running(core.session) is None

    def _detach(self) -> None:
        """Request both detaches, agent first; one that is busy leaves when its last operation ends."""
        if self.agent_entry is not None:
            self._agents.detach(self.agent_entry)
        if self.session_entry is not None:
            self._core.store.table.detach(self.session_entry)

    async def _finish(self) -> tuple[BaseException, ...]:
        core = self._core
        await core.exited
        while not self._drained():
            await core.flushes.join()
            out_of_band = core.store.out_of_band_running(core.session)
            if out_of_band is not None:
                await out_of_band
        if self.agent_entry is not None:
            self._agents.detach(self.agent_entry)
            await self._agents.when_gone(self.agent_entry)
        if self.session_entry is not None:
            await core.store.detach(self.session_entry)
        await core.ctx.fiber.unload()
        self._release()
        return tuple(core.ctx.fiber.failures)
