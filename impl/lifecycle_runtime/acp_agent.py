"""Own the ACP v1 methods: what each checks of its parameters, and which protocol error a refusal becomes.

Refuses to hold any session: the bridge does. Uses the official package for the wire's types and its client side.
"""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from acp import PROTOCOL_VERSION, RequestError
from acp.interfaces import Client
from acp.schema import (
    AgentCapabilities,
    AllowedOutcome,
    AudioContentBlock,
    ClientCapabilities,
    EmbeddedResourceContentBlock,
    ImageContentBlock,
    Implementation,
    InitializeResponse,
    LoadSessionResponse,
    NewSessionResponse,
    PermissionOption,
    PromptCapabilities,
    PromptResponse,
    ResourceContentBlock,
    SessionNotification,
    TextContentBlock,
    ToolCallUpdate,
)

from lifecycle_runtime.abortable import AbortedWait, unless_aborted
from lifecycle_runtime.acp_bridge import Bridge
from lifecycle_runtime.acp_updates import tool_call_view
from lifecycle_runtime.errors import InvalidValue, LifecycleError
from lifecycle_runtime.ports import ToolInvocation
from lifecycle_runtime.values import JsonObject, freeze

Block: TypeAlias = (
    TextContentBlock | ImageContentBlock | AudioContentBlock | ResourceContentBlock | EmbeddedResourceContentBlock
)
PermissionMode: TypeAlias = Literal["ask", "allow", "deny"]

_NOT_FOUND: Final = ("unknown_session", "not_stored")
_MISUSE: Final = ("busy", "duplicate_id", "closed", "no_persistence", "claimed_elsewhere")

_OPTIONS: Final = (
    PermissionOption(option_id="once", name="Run it", kind="allow_once"),
    PermissionOption(option_id="session", name="Run every command of this session", kind="allow_always"),
    PermissionOption(option_id="no", name="Do not run it", kind="reject_once"),
)

_log = logging.getLogger(__name__)


def protocol_error(error: Exception) -> RequestError:
    """Give the JSON-RPC error a refusal becomes: its code tells whose fault it is, its data the runtime's own code."""
    code = getattr(error, "code", type(error).__name__)
    data = {"code": code, "details": str(error)}
    if code in _NOT_FOUND:
        return RequestError(-32002, str(error), data)
    if isinstance(error, InvalidValue):
        return RequestError(-32602, str(error), data)
    return RequestError(-32600 if code in _MISUSE else -32603, str(error), data)


class AcpAgent:
    """The agent side of one connection, in the shape the acp package calls an agent.

    `claim` is called with the id of every session it opens, before a stored one is loaded, and may refuse.
    """

    def __init__(self, version: str, permission: PermissionMode, claim: Callable[[str], None] = lambda _: None) -> None:
        self._version = version
        self._claim = claim
        self._permission: PermissionMode = permission
        self._bridge: Bridge | None = None
        self._client: Client | None = None
        self._initialized = False
        self._allowed: set[str] = set()

    def serve(self, bridge: Bridge) -> None:
        """Take the bridge whose sessions this connection drives."""
        self._bridge = bridge

    def on_connect(self, conn: Client) -> None:
        """Take the client's side of the connection."""
        self._client = conn

    # --- requests ---

    async def initialize(
        self,
        protocol_version: int,
        client_capabilities: ClientCapabilities | None = None,
        client_info: Implementation | None = None,
        **_: Any,
    ) -> InitializeResponse:
        """Agree on version 1, the only one spoken here."""
        self._initialized = True
        return InitializeResponse(
            protocol_version=PROTOCOL_VERSION,
            agent_capabilities=AgentCapabilities(
                load_session=self._bridge is not None and self._bridge.loads,
                prompt_capabilities=PromptCapabilities(image=True, embedded_context=True),
            ),
            agent_info=Implementation(name="lifecycle", title="Lifecycle reference runtime", version=self._version),
            auth_methods=[],
        )

    async def new_session(self, cwd: str, mcp_servers: list[Any] | None = None, **_: Any) -> NewSessionResponse:
        """Create a session in an existing directory."""
        bridge = self._ready("session/new")
        self._check_directory(cwd)
        self._note_servers(mcp_servers)
        try:
            session_id = await bridge.new_session(cwd)
            self._claim(session_id)
            return NewSessionResponse(session_id=session_id)
        except LifecycleError as error:
            raise protocol_error(error) from error

    async def load_session(
        self, cwd: str, session_id: str, mcp_servers: list[Any] | None = None, **_: Any
    ) -> LoadSessionResponse:
        """Resume a stored session; its log is replayed before the response."""
        bridge = self._ready("session/load")
        if not bridge.loads:
            raise RequestError.method_not_found("session/load")
        self._note_servers(mcp_servers)
        try:
            self._claim(session_id)
            await bridge.load_session(session_id, cwd)
        except LifecycleError as error:
            raise protocol_error(error) from error
        return LoadSessionResponse()

    async def prompt(self, session_id: str, prompt: list[Block], **_: Any) -> PromptResponse:
        """Run one turn; every update of it goes out before the response."""
        bridge = self._ready("session/prompt")
        if not prompt:
            raise RequestError(-32602, "a prompt has at least one content block", None)
        blocks = [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in prompt]
        try:
            return PromptResponse(stop_reason=await bridge.prompt(session_id, freeze(blocks)))
        except LifecycleError as error:
            raise protocol_error(error) from error

    async def cancel(self, session_id: str, **_: Any) -> None:
        """Stop the session's work; never an error (A6)."""
        if self._bridge is not None:
            self._bridge.cancel(session_id)

    # --- towards the client ---

    async def tell(self, session_id: str, update: JsonObject) -> None:
        """Send one update: the bridge's `Output`."""
        if self._client is None:
            raise ConnectionError("no client is connected")
        told = SessionNotification.model_validate({"sessionId": session_id, "update": update})
        await self._client.session_update(session_id=session_id, update=told.update)

    async def approve(self, invocation: ToolInvocation, command: str) -> str | None:
        """Ask the client whether a command may run; None lets it.

        The call was shown first. A cancelled question stops the turn, and an aborted turn stops asking (C17).
        """
        session_id = invocation.agent.id
        if self._permission == "deny":
            return "not run: commands are switched off here"
        if self._permission == "allow" or session_id in self._allowed:
            return None
        if self._bridge is None or self._client is None:
            return "not run: there is no client to ask"
        view = tool_call_view(invocation.turn, invocation.step, invocation.index, "bash", invocation.call.arguments)
        shown = ToolCallUpdate.model_validate(view)
        try:
            await unless_aborted(self._bridge.delivered(session_id), invocation.signal)
            asking = self._client.request_permission(session_id=session_id, tool_call=shown, options=list(_OPTIONS))
            outcome = (await unless_aborted(asking, invocation.signal)).outcome
        except AbortedWait:
            return "not run: the turn was stopped before an answer"
        except (ConnectionError, RequestError, ValueError) as error:
            return f"not run: the client could not be asked ({error})"
        if not isinstance(outcome, AllowedOutcome):
            self._bridge.cancel(session_id)
            return "not run: the question was cancelled"
        if outcome.option_id == "session":
            self._allowed.add(session_id)
        return None if outcome.option_id in ("once", "session") else "not run: the user refused"

    # --- checks ---

    def _ready(self, method: str) -> Bridge:
        if not self._initialized or self._bridge is None:
            raise RequestError(-32600, f"{method} came before initialize; initialize first", None)
        return self._bridge

    def _check_directory(self, cwd: str) -> None:
        try:
            fine = cwd.startswith("/") and Path(cwd).is_dir()
        except (OSError, ValueError):
            fine = False
        if not fine:
            raise RequestError(-32602, f"cwd {cwd[:200]!r} is not an absolute path of a directory", None)

    def _note_servers(self, servers: list[Any] | None) -> None:
        if servers:
            _log.warning("%d MCP servers were named; this agent uses none", len(servers))
