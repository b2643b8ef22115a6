"""The ACP client of one run: the present bridge, the sessions it opened, and the gate `output` at the client's end.

Refuses to know what a prompt means: the bridge of the runtime does; a user who embeds it plugs in the same things.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from lifecycle_conformance.systems.reference.births import CREATING, Births
from lifecycle_conformance.systems.reference.gates import DEFAULT, At, Gates, Waiting, checked
from lifecycle_model.wire import Observation
from lifecycle_runtime.acp_bridge import Bridge, BridgeClosed
from lifecycle_runtime.acp_slot import BridgePolicies, StopReason
from lifecycle_runtime.agent import Agent
from lifecycle_runtime.context import Context
from lifecycle_runtime.handle import AgentSpec, Handle
from lifecycle_runtime.signals import Signal
from lifecycle_runtime.values import JsonObject, JsonValue

T = TypeVar("T")

CWD = "/judged"
"""Where every session of the judge works; a log stored by the judge itself has no directory (A/r4)."""


class Connection:
    """One connected client and its bridge."""

    def __init__(
        self,
        root: Context,
        gates: Gates,
        births: Births,
        record: Callable[[Observation], None],
        policies: BridgePolicies,
    ) -> None:
        self._gates = gates
        self._births = births
        self._record = record
        self._here = True
        self._undelivered: set[Waiting] = set()
        self.bridge = Bridge(root.fork("acp"), self._deliver, spec=AgentSpec(setup=self._setup), policies=policies)

    def new(self, ref: str, session: str) -> asyncio.Future[str]:
        """Ask for a session; its gates are addressed by the call's reference."""
        return self._opening(ref, lambda: self.bridge.new_session(CWD, session))

    def load(self, ref: str, session: str) -> asyncio.Future[str]:
        """Load a session; as `new`."""
        return self._opening(ref, lambda: self.bridge.load_session(session, CWD))

    def prompt(self, session: str, content: JsonValue, message: str) -> asyncio.Future[StopReason]:
        """Prompt with a message of the judge's name."""
        return self.bridge.prompt(session, content, message)

    def disconnect(self) -> asyncio.Future[None]:
        """The client goes: what still waits to be delivered waits no more, and reaches nobody (A13)."""
        self._here = False
        ended = self.bridge.disconnect()
        for waiting in tuple(self._undelivered):
            self._gates.leave(waiting)
            waiting.outcomes.put_nowait(DEFAULT)
        return ended

    def handle(self, session: str) -> Handle | None:
        """The handle of an open session."""
        return self.bridge.handle(session)

    def _opening(self, ref: str, ask: Callable[[], asyncio.Future[T]]) -> asyncio.Future[T]:
        birth = self._births.begin(ref, sync=False)
        creating = CREATING.set(ref)
        try:
            future = ask()
        finally:
            CREATING.reset(creating)
        future.add_done_callback(lambda done: birth.over.abort("over"))
        return future

    def _setup(self, agent: Agent, signal: Signal) -> Any:
        return self._births.setup(CREATING.get())(agent, signal)

    def _deliver(self, session_id: str, update: JsonObject) -> Awaitable[object] | None:
        at = At("output", session_id)
        opened = self._gates.open(at)
        if isinstance(opened, Waiting):
            self._undelivered.add(opened)
            return self._later(opened, update)
        checked(at, opened)
        self._told(session_id, update)
        return None

    async def _later(self, waiting: Waiting, update: JsonObject) -> None:
        try:
            checked(waiting.at, await self._gates.next(waiting))
        finally:
            self._undelivered.discard(waiting)
        self._told(str(waiting.at.of), update)

    def _told(self, session: str, update: JsonObject) -> None:
        if self._here:
            self._record(Observation("output", of=session, update=update["sessionUpdate"]))


class Client:
    """The judge's end of ACP: at most one open connection; a closed one stays until the next connect."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._connection: Connection | None = None
        self._connections: list[Connection] = []

    def connect(self) -> None:
        """Connect, unless connected."""
        if self._connection is None or not self._connection.bridge.open:
            self._connection = self._connect()
            self._connections.append(self._connection)

    @property
    def connected(self) -> bool:
        """Whether anybody ever connected."""
        return self._connection is not None

    def present(self) -> Connection:
        """The last connection; without any the bridge counts as closed (A/r1)."""
        if self._connection is None:
            raise BridgeClosed("no client is connected; connect first")
        return self._connection

    def cancel(self, session: str) -> None:
        """Cancel as a client does: it is never refused (A6)."""
        if self._connection is not None:
            self._connection.bridge.cancel(session)

    def handle(self, session: str) -> Handle | None:
        """The handle of a session that a connection opened, the last one first."""
        known = (connection.handle(session) for connection in reversed(self._connections))
        return next((handle for handle in known if handle is not None), None)
