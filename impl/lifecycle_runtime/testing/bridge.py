"""A bridge on a rehearsal stage, and the client on its other side. Judges nothing."""

import asyncio
from collections.abc import Awaitable
from typing import Any

from lifecycle_runtime.acp_bridge import Bridge
from lifecycle_runtime.acp_slot import BridgePolicies, StopReason
from lifecycle_runtime.testing.stage import Stage, staged
from lifecycle_runtime.values import JsonObject


class Client:
    """A bridge on a stage, and what its client was told. The `output` gate delays or fails a delivery."""

    def __init__(self, stage: Stage, name: str = "bridge", policies: BridgePolicies | None = None) -> None:
        self.stage = stage
        self.told: list[str] = []
        self.bridge = Bridge(stage.root.fork(name), self._deliver, spec=stage.spec("none"), policies=policies)

    def _deliver(self, session_id: str, update: JsonObject) -> Awaitable[object]:
        async def deliver() -> None:
            await self.stage.gates.enter("output", session_id)
            self.told.append(str(update["sessionUpdate"]))

        return deliver()

    async def new(self, session_id: str = "x") -> str:
        """Open a session and wait until quiet; its birth is forgotten."""
        opening = self.bridge.new_session("/tmp", session_id)
        await self.stage.quiet()
        self.stage.forget(session_id)
        return await opening

    def prompt(self, message: str, session_id: str = "x") -> "asyncio.Future[StopReason]":
        """Prompt with a message whose content is its id."""
        return self.bridge.prompt(session_id, message, message)

    def cancel(self, session_id: str = "x") -> None:
        """Cancel as a client does."""
        self.bridge.cancel(session_id)


def nowhere(session_id: str, update: JsonObject) -> None:
    """Deliver at once."""


async def outcome(s: Stage, answer: "asyncio.Future[Any]") -> object:
    """Give the answer, or the error, which must be there once quiet."""
    await s.quiet()
    assert answer.done(), f"no answer; {s.tokens()}"
    return answer.exception() or answer.result()


async def opened(s: Stage, policies: BridgePolicies | None = None) -> Client:
    """Connect, and open x."""
    client = Client(s, policies=policies)
    assert await client.new() == "x"
    return client


async def running(s: Stage, policies: BridgePolicies | None = None) -> "tuple[Client, asyncio.Future[StopReason]]":
    """Open x, prompt A, and stop in the model call."""
    client = await opened(s, policies)
    s.hold("model")
    answer = client.prompt("A")
    await s.quiet()
    assert not answer.done()
    return client, answer


bridged = staged(agent=False, persistence=True)
