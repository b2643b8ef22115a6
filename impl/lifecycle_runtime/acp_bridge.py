"""Own the sessions of one ACP client: which are open, which prompt each runs, and the one end of them all (A).

Refuses to speak the protocol: updates leave through an `Output`, calls come as Python calls. Every verb is one
synchronous segment and gives a future; whatever can be refused at once is refused in that segment.
"""

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

from lifecycle_runtime.abortable import abort_future
from lifecycle_runtime.acp_output import Output
from lifecycle_runtime.acp_session import BridgeSession
from lifecycle_runtime.acp_slot import BridgePolicies, Slot, StopReason
from lifecycle_runtime.agent import Agent
from lifecycle_runtime.context import Context
from lifecycle_runtime.core import random_id
from lifecycle_runtime.errors import Busy, DuplicateId, InvalidValue, LifecycleError, NoPersistence, NotStored
from lifecycle_runtime.futures import TaskGroup, first_of, mirror
from lifecycle_runtime.handle import AgentSpec, Handle, Setup
from lifecycle_runtime.persistence import PERSISTENCE
from lifecycle_runtime.registry import AGENTS
from lifecycle_runtime.signals import AbortController, Signal
from lifecycle_runtime.status import Status
from lifecycle_runtime.store import SESSIONS
from lifecycle_runtime.values import JsonValue


class BridgeClosed(LifecycleError):
    """The client is gone or the bridge was torn down: it opens and drives nothing any more (A9)."""

    code = "closed"


class UnknownSession(LifecycleError):
    """The bridge has no such session open (A/r16)."""

    code = "unknown_session"


class LoadAbsent(LifecycleError):
    """The policy `session_load` is absent: there is no such method."""

    code = "unsupported"


class DisposalFailed(LifecycleError):
    """Everything was disposed, and some of what was disposed raised; `failures` holds all of it (A11)."""

    code = "disposal_failed"

    def __init__(self, failures: tuple[BaseException, ...]) -> None:
        told = "; ".join(str(failure) or type(failure).__name__ for failure in failures[:5])
        super().__init__(f"{len(failures)} disposers failed; every session was disposed all the same: {told}")
        self.failures = failures


class Bridge:
    """The sessions of one client, on `ctx`, which owns their agents.

    `spec` is what every agent is made from; id, metadata and signal are the bridge's own. The bridge ends once: by
    `disconnect`, `teardown` or the unload of `ctx`, whichever comes first (A10).
    """

    def __init__(
        self,
        ctx: Context,
        output: Output,
        *,
        spec: AgentSpec | None = None,
        policies: BridgePolicies | None = None,
    ) -> None:
        self._ctx = ctx
        self._output = output
        self._spec = spec or AgentSpec()
        self._policies = policies or BridgePolicies()
        self._agents = ctx.service(AGENTS)
        self._sessions = ctx.service(SESSIONS)
        self._records: dict[str, BridgeSession] = {}
        self._loading: set[str] = set()
        self._opening: set[AbortController] = set()
        self._openings = TaskGroup()
        self._looks = TaskGroup()
        self._late_failures: list[BaseException] = []
        self._closing: asyncio.Task[None] | None = None
        self._effect = ctx.fiber.effect(self.teardown, label="acp bridge", deactivate=self._deactivate)

    @property
    def open(self) -> bool:
        """Whether sessions can still be opened and driven."""
        return self._closing is None

    @property
    def sessions(self) -> tuple[str, ...]:
        """Ids of the open sessions."""
        return tuple(self._records)

    @property
    def loads(self) -> bool:
        """Whether stored sessions can be loaded here (policy `session_load`)."""
        return self._policies.session_load == "supported"

    def handle(self, session_id: str) -> Handle | None:
        """The handle of an open session, for a host that must end one; None if it is not open."""
        record = self._records.get(session_id)
        return record.handle if record is not None else None

    def new_session(self, cwd: str, session_id: str | None = None) -> "asyncio.Future[str]":
        """Create a session that works in `cwd`; give its id (A/r1 to r3)."""
        if not self.open:
            return _rejected(self._closed("session/new"))
        opened, signal = BridgeSession(self._output, self._policies), AbortController()
        meta = {**(self._spec.meta or {}), "cwd": cwd}
        creation = self._agents.create(
            self._ctx, replace(self._spec, id=session_id, meta=meta, setup=self._setup(opened), signal=signal)
        )
        return self._start(self._opened(opened, creation, "session/new"), signal)

    def load_session(self, session_id: str, cwd: str) -> "asyncio.Future[str]":
        """Resume a stored session of the same `cwd` and replay it; settles when the replay is delivered (A/r4, r5)."""
        if not self.open:
            return _rejected(self._closed("session/load"))
        if not self.loads:
            return _rejected(LoadAbsent("session/load is not offered here; create a session with session/new"))
        if session_id in self._loading:
            return _rejected(DuplicateId(f"session {session_id!r} is being loaded already; wait for that"))
        if self._agents.get(session_id) is not None or self._sessions.get(session_id) is not None:
            return _rejected(DuplicateId(f"session {session_id!r} is live; it cannot be loaded again"))
        signal = AbortController()
        self._loading.add(session_id)
        return self._start(self._load(session_id, cwd, signal), signal)

    def prompt(self, session_id: str, content: JsonValue, message: str | None = None) -> "asyncio.Future[StopReason]":
        """Send a prompt; its answer comes when its own turn converged and its output is delivered (A4, A5)."""
        if not self.open:
            return _rejected(self._closed("session/prompt"))
        record = self._records.get(session_id)
        if record is None:
            return _rejected(UnknownSession(f"no session {session_id[:80]!r} is open here; create or load it first"))
        if record.busy:
            return _rejected(Busy(f"session {session_id!r} is running a prompt; wait for its answer or cancel it"))
        slot = record.slot = Slot(record.output, self._policies)
        slot.message = message or random_id()
        try:
            record.agent.send(content, id=slot.message)
        except Exception as error:
            record.slot = None
            return _rejected(error)
        if record.agent.status is Status.DISPOSED:
            slot.dropped()  # disposed by a listener of the send, or kept by a disposed agent that parks
        return mirror(slot.answer)

    def cancel(self, session_id: str) -> None:
        """Stop what the session is doing; for anything else do nothing (A6)."""
        record = self._records.get(session_id)
        if not self.open or record is None:
            return
        if record.busy:
            record.busy.flagged = True
        record.agent.cancel("user")

    async def delivered(self, session_id: str) -> None:
        """Wait until the client has everything it was told of a session so far."""
        record = self._records.get(session_id)
        if record is not None:
            await record.delivered()

    def disconnect(self) -> "asyncio.Future[None]":
        """Close because the client is gone: what it was not told yet is dropped (A13). One end with `teardown` (A10).

        Raises `DisposalFailed` at the end if disposers did.
        """
        closing = self._close()
        for record in self._records.values():
            record.output.drop()
        return mirror(closing)

    def teardown(self) -> "asyncio.Future[None]":
        """Close although the client may be there: it still gets what it is owed. One end with `disconnect` (A10)."""
        return mirror(self._close())

    # --- opening ---

    def _start(self, work: Coroutine[Any, Any, str], signal: AbortController) -> "asyncio.Future[str]":
        """Run an opening until it ended, so that closing can abort it and wait for it (A10)."""
        self._opening.add(signal)
        task = self._openings.start(work)
        task.add_done_callback(lambda _: self._opening.discard(signal))
        return mirror(task)

    def _setup(self, opened: BridgeSession) -> Setup:
        """Listen first, then let the host prepare the agent."""

        def setup(agent: Agent, signal: Signal) -> object:
            opened.attach(agent)
            return self._spec.setup(agent, signal) if self._spec.setup is not None else None

        return setup

    async def _opened(self, opened: BridgeSession, creation: "asyncio.Future[Handle]", verb: str) -> str:
        """Wait for the handle; a bridge that closed meanwhile disposes it before the call rejects (A/r3, A9)."""
        handle = await creation
        if not self.open:
            self._late_failures += await handle.dispose()
            raise self._closed(verb)
        opened.handle = handle
        self._records[handle.agent.id] = opened
        return handle.agent.id

    async def _load(self, session_id: str, cwd: str, signal: AbortController) -> str:
        try:
            await self._require_same_cwd(session_id, cwd, signal)
            opened = BridgeSession(self._output, self._policies)
            resuming = self._agents.resume(
                self._ctx, replace(self._spec, id=session_id, setup=self._setup(opened), signal=signal)
            )
            await self._opened(opened, resuming, "session/load")
        finally:
            self._loading.discard(session_id)
        opened.replay()
        with abort_future(signal) as closed:
            await first_of(opened.delivered(), closed)
        if not self.open:
            raise self._closed("session/load")
        return session_id

    async def _require_same_cwd(self, session_id: str, cwd: str, signal: AbortController) -> None:
        """Refuse before anything is resumed (A/r4)."""
        persistence = self._ctx.find(PERSISTENCE)
        if persistence is None:
            raise NoPersistence("sessions are not stored here; start the agent with a storage")
        # a look that never ends holds up nothing once the bridge closed (D5)
        look = self._looks.start(persistence.describe(session_id))
        with abort_future(signal) as aborted:
            await first_of(look, aborted)
        if not look.done():
            look.add_done_callback(lambda late: late.cancelled() or late.exception())
            raise self._closed("session/load")
        meta = look.result()
        if meta is None:
            raise NotStored(f"no session {session_id[:80]!r} is stored; create one with session/new")
        if meta.get("cwd") != cwd:
            raise InvalidValue(
                f"session {session_id!r} works in {meta.get('cwd')!r}, not in {cwd!r}; load it with its own directory"
            )

    # --- closing ---

    def _deactivate(self) -> None:
        self._close()

    def _close(self) -> "asyncio.Task[None]":
        """Close in this segment, and go on to one boundary (A/r14, A10)."""
        if self._closing is None:
            disposals: list[asyncio.Future[tuple[BaseException, ...]]] = []
            self._closing = asyncio.get_running_loop().create_task(self._quiesce(disposals))
            self._closing.add_done_callback(lambda done: done.cancelled() or done.exception())
            for signal in tuple(self._opening):
                signal.abort(self._closed("opening a session"))
            for record in self._records.values():
                if record.busy:
                    record.busy.flagged = True
            for record in self._records.values():
                if record.handle is not None:
                    disposals.append(record.handle.dispose())
        return self._closing

    async def _quiesce(self, disposals: "list[asyncio.Future[tuple[BaseException, ...]]]") -> None:
        """Wait for every opening and every disposal, then report what failed on the way (A10, A11)."""
        await self._openings.join()
        outcomes = await asyncio.gather(*disposals, return_exceptions=True)
        failures = list(self._late_failures)
        for outcome in outcomes:
            failures += [outcome] if isinstance(outcome, BaseException) else outcome
        self._effect.release()
        if failures:
            raise DisposalFailed(tuple(failures))

    def _closed(self, verb: str) -> BridgeClosed:
        return BridgeClosed(f"{verb} is refused: the connection was closed; connect again")


def _rejected(error: Exception) -> "asyncio.Future[Any]":
    """Give a future that failed; nobody need look at it."""
    future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    future.set_exception(error)
    future.exception()
    return future
