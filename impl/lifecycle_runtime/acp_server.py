"""Own the ACP agent as a program: its command line, what it is made of, and its end (`lifecycle agent`).

Refuses to outlive its client: the end of input, SIGTERM and SIGINT all end the process within the grace, always.
"""

import argparse
import asyncio
import contextlib
import logging
import os
import shlex
import sys
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final, Protocol, cast, runtime_checkable

from acp.agent.connection import AgentSideConnection
from acp.interfaces import Agent

from lifecycle_runtime.acp_agent import AcpAgent, PermissionMode
from lifecycle_runtime.acp_bridge import Bridge
from lifecycle_runtime.acp_stdio import StdioTransport
from lifecycle_runtime.bash_tool import BashOptions, provide_bash_tool
from lifecycle_runtime.behaviour import Behaviour, TurnView
from lifecycle_runtime.claims import SessionClaims
from lifecycle_runtime.errors import LifecycleError
from lifecycle_runtime.events import AgentError
from lifecycle_runtime.executor import provide_executor
from lifecycle_runtime.exit_watch import ExitWatch
from lifecycle_runtime.futures import first_of
from lifecycle_runtime.models import choose_model
from lifecycle_runtime.persistence import provide_persistence
from lifecycle_runtime.ports import Model, Storage
from lifecycle_runtime.provider import AgentProvider, ProviderOptions
from lifecycle_runtime.runtime import Runtime
from lifecycle_runtime.shell import BashSpawner
from lifecycle_runtime.storage_memory import MemoryStorage
from lifecycle_runtime.storage_sqlite import SqliteStorage

_PERMISSIONS: Final[Mapping[str, PermissionMode]] = {"ask": "ask", "allow": "allow", "deny": "deny"}

_log = logging.getLogger(__name__)

_EPILOG = """\
environment:
  LIFECYCLE_MODEL        the model, as --model
  LIFECYCLE_STORE        the log file, as --store
  LIFECYCLE_PERMISSION   as --permission
  OPENAI_BASE_URL        the endpoint of openai:NAME (default: OpenAI's own)
  OPENAI_API_KEY         its key

Nothing is sent anywhere unless --model or LIFECYCLE_MODEL names an openai: model.
example: lifecycle agent --model openai:my-model --permission ask
"""


@dataclass(frozen=True)
class ServerOptions:
    """What the agent is made of."""

    model: Model
    store: Path | None
    permission: PermissionMode
    bash: bool
    sandbox: tuple[str, ...]
    grace: float


@runtime_checkable
class Closable(Protocol):
    """A model that keeps connections."""

    async def aclose(self) -> None:
        """Close them."""
        ...


class HostBehaviour(Behaviour):
    """Tells the model where it works; every other gate keeps its default."""

    async def compose_prefix(self, view: TurnView) -> object:
        """The system message."""
        return (
            "You are a coding agent. You work in the directory "
            f"{view.agent.session.meta.get('cwd')}. Use the bash tool to look and to act; be brief."
        )


async def serve(options: ServerOptions, read_fd: int, write_fd: int, watch: ExitWatch) -> None:
    """Serve one client on two descriptors until it goes or `watch` hears a signal; then take everything down."""
    loop = asyncio.get_running_loop()
    stop: asyncio.Future[None] = loop.create_future()

    def end() -> None:
        if not stop.done():
            stop.set_result(None)

    runtime = Runtime()
    file = SqliteStorage(options.store) if options.store is not None else None
    storage: Storage = file or MemoryStorage()
    provide_persistence(runtime.root, storage)
    claims = SessionClaims(options.store) if options.store is not None else None
    agent = AcpAgent(_version(), options.permission, claims.take if claims is not None else lambda _: None)
    executor = provide_executor(runtime.root, BashSpawner(sandbox=options.sandbox))
    if options.bash:
        provide_bash_tool(runtime.root, BashOptions(approve=agent.approve))
    AgentProvider(runtime.root, ProviderOptions(model=options.model, behaviour=HostBehaviour()))
    runtime.root.on(AgentError, _tell_error)
    bridge = Bridge(runtime.root.fork("acp"), agent.tell)
    agent.serve(bridge)
    transport = StdioTransport(read_fd, write_fd, on_end=watch.begin)
    # a method the agent lacks is answered "not found", which is what the protocol wants of an optional one
    connection = AgentSideConnection(cast("Agent", agent), transport, listening=False)

    def interrupted() -> None:
        loop.call_soon_threadsafe(end)

    watch.listen(interrupted)
    listening = asyncio.ensure_future(connection.listen())
    await first_of(listening, stop)
    watch.begin()
    # together: a command that resists takes its grace once, not once for the turn and once for the task
    sessions, commands = bridge.disconnect(), executor.unload()
    await _settle("the sessions", sessions)
    await _settle("the commands", commands)
    await _settle("the runtime", runtime.unload())
    await _settle("the connection", asyncio.ensure_future(connection.close()))
    listening.cancel()
    await asyncio.wait({listening})
    if file is not None:
        await _settle("the log file", asyncio.ensure_future(file.close()))
    if claims is not None:
        claims.close()
    if isinstance(options.model, Closable):
        await _settle("the model", asyncio.ensure_future(options.model.aclose()))


def _tell_error(event: AgentError) -> None:
    """A failed turn is told to the client, a failed flush to nobody: both are told here."""
    _log.warning("turn %d of session %s: %s", event.turn, event.agent.id, event.error)


async def _settle(what: str, end: "asyncio.Future[None]") -> None:
    """Wait for one part to end; whatever it raises, the next is ended too."""
    try:
        await end
    except Exception as error:
        _log.warning("%s did not end cleanly: %s", what, error)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the agent on standard input and output; return its exit code.

    0 at the end of input, 128 + number after a signal, 2 for wrong use, 1 if a store cannot be used.
    """
    arguments = _parser().parse_args(argv)
    _log_to_stderr(debug=arguments.debug)
    try:
        options = _options(arguments, os.environ)
    except LifecycleError as error:
        print(f"lifecycle agent: {error}", file=sys.stderr)
        return 2
    if sys.stdin is not None and sys.stdin.isatty():
        print("lifecycle agent: waiting for an ACP client on standard input; Ctrl-D ends", file=sys.stderr)
    watch = ExitWatch(options.grace)
    with _private_descriptors() as (read_fd, write_fd):
        try:
            asyncio.run(serve(options, read_fd, write_fd, watch))
        except LifecycleError as error:
            print(f"lifecycle agent: {error}", file=sys.stderr)
            return 1
    watch.release()
    return 0 if watch.signal is None else 128 + watch.signal


def _log_to_stderr(*, debug: bool) -> None:
    """Keep the log to one line an event: a client's nonsense is no reason for a traceback."""

    def brief(record: logging.LogRecord) -> bool:
        if record.exc_info and record.exc_info[1] is not None:
            record.msg, record.args = f"{record.getMessage()}: {record.exc_info[1]}"[:500], None
            record.exc_info = record.exc_text = None
        return True

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("lifecycle agent: %(message)s"))
    if not debug:
        handler.addFilter(brief)
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


@contextlib.contextmanager
def _private_descriptors() -> Generator[tuple[int, int]]:
    """Keep the protocol's two descriptors to ourselves: whatever prints, or reads a key, must not reach them."""
    read_fd, write_fd = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    try:
        yield read_fd, write_fd
    finally:
        sys.stdout.flush()
        os.dup2(read_fd, 0)
        os.dup2(write_fd, 1)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lifecycle agent",
        description="The reference runtime as an ACP agent on standard input and output.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--model", help="demo (default), script:FILE or openai:NAME")
    parser.add_argument(
        "--store", help="file of the session logs; 'memory' keeps none (default: the user's data directory)"
    )
    parser.add_argument("--permission", choices=tuple(_PERMISSIONS), help="may commands run? (default: ask)")
    parser.add_argument("--no-bash", action="store_true", help="offer the model no bash tool")
    parser.add_argument("--sandbox", default="", help="command put in front of bash, such as 'bwrap --unshare-net …'")
    parser.add_argument(
        "--grace", type=float, default=5.0, help="seconds the end may take before it is forced (default 5)"
    )
    parser.add_argument("--debug", action="store_true", help="log tracebacks")
    return parser


def _options(arguments: argparse.Namespace, environment: Mapping[str, str]) -> ServerOptions:
    store = arguments.store or environment.get("LIFECYCLE_STORE") or str(_default_store(environment))
    permission = _PERMISSIONS.get(arguments.permission or environment.get("LIFECYCLE_PERMISSION") or "ask")
    if permission is None:
        raise LifecycleError("LIFECYCLE_PERMISSION is one of ask, allow and deny")
    return ServerOptions(
        model=choose_model(arguments.model or environment.get("LIFECYCLE_MODEL") or "demo", environment),
        store=None if store == "memory" else Path(store).expanduser(),
        permission=permission,
        bash=not arguments.no_bash,
        sandbox=tuple(shlex.split(arguments.sandbox)),
        grace=arguments.grace,
    )


def _default_store(environment: Mapping[str, str]) -> Path:
    data = environment.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "lifecycle" / "sessions.db"


def _version() -> str:
    try:
        return version("lifecycle-spec")
    except PackageNotFoundError:
        return "0"


if __name__ == "__main__":
    sys.exit(main())
