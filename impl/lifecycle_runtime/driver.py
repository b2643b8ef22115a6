"""The driver: one long-lived task that wakes, claims and converges (X4, X6). The turn itself is elsewhere."""

import asyncio

from lifecycle_runtime.core import AgentCore, Holder
from lifecycle_runtime.events import Dequeued
from lifecycle_runtime.session import TURN_START
from lifecycle_runtime.status import Status
from lifecycle_runtime.turn import Turn


class Driver:
    """Runs an agent's turns one after another until the agent is disposed (Q8, Q23).

    Nothing a turn, gate or listener does stops it (Q22).
    """

    def __init__(self, core: AgentCore) -> None:
        self._core = core
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start once; after disposal this is inert and the driver counts as exited (S13)."""
        core = self._core
        if core.disposed:
            core.exit()
        elif self._task is None:
            core.driver_started = True
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        core = self._core
        try:
            while not core.disposed:
                await core.sleep()
                await self._busy()
        finally:
            core.exit()

    async def _busy(self) -> None:
        """One wake and every turn that follows from it."""
        core = self._core
        while not core.disposed:
            await core.pace("wake")
            holder = self._reserve()
            if holder is None:
                return
            turn = self._open(holder)
            if turn is not None:
                await turn.run()
                await core.pace("converge")
            if not self._converge(turn is not None and turn.terminal):
                return

    def _reserve(self) -> Holder | None:
        """X4 up to the claim: a live holder, or None if there is nothing to do (S/r6 to r12, r19, r20)."""
        core = self._core
        while not core.disposed:
            core.marker = False
            core.holder = None
            if not core.ready():
                core.park()
                return None
            core.holder = holder = Holder()
            core.set_status(Status.RUNNING)
            if holder.live:
                return holder
        core.holder = None
        return None

    def _open(self, holder: Holder) -> Turn | None:
        """The rest of X4 before the first gate: claim and TS, or None if TS was vetoed (Q7, S/r24)."""
        core = self._core
        item = core.inbox.claim()
        core.publish(Dequeued(core.agent, item, steering=False))
        number = core.session.next_turn
        try:
            core.session.append(TURN_START, {"turn": number, "trigger": "message"})
        except Exception as error:
            core.holder = None
            core.fail(number, 0, error)
            return None
        return Turn(core, holder, item, number)

    def _converge(self, terminal: bool) -> bool:
        """X6: re-route steering, go idle if nothing waits, check the marker; True if work remains."""
        core = self._core
        if core.disposed:
            return False
        if terminal:
            core.discard(core.inbox.clear_steering())
        else:
            core.inbox.reroute()
        if core.disposed:
            return False
        if not core.ready():
            core.park()
        if core.marker:
            core.marker = False
            if not core.ready():
                core.park()
        return not core.disposed and core.inbox.waking
