"""Commands: everything a judge may ask of a system, as frozen values. Refuses unknown members and unknown verbs.

Field `as_` is `as` on the wire. The commands of a `react` are its `then` (one JSON object cannot hold `do` twice).
"""

from __future__ import annotations

import msgspec

Json = object
"""Any lossless JSON value."""


class Command(msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True, omit_defaults=True):
    """One thing asked of a system; `do` on the wire is the verb."""

    @property
    def verb(self) -> str:
        """The wire's `do`."""
        return str(self.__struct_config__.tag)


class ConfigAgent(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One config-started agent of a provider (section G)."""

    label: str
    id: str | None = None
    resume: str | None = None


class Outcome(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How a gate goes on. `outcome` is one of the gate's words; `tools` counts the calls of a model call."""

    outcome: str = "ok"
    tools: int = 0
    context: tuple[str, ...] = ()
    reason: str | None = None
    value: bool = False


class GateAddress(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A gate by kind, subject and, where several are open, turn, call, record or listener."""

    gate: str
    of: str | None = None
    turn: int | None = None
    call: int | None = None
    record: str | None = None
    listener: str | None = None


class Create(Command, tag="create", frozen=True, rename={"as_": "as"}):
    """Create an agent: answers pending with the reference `as`, or ok when `sync`."""

    id: str
    as_: str = "h1"
    owner: str | None = None
    parent: str | None = None
    sync: bool = False
    seed: tuple[Json, ...] | None = None
    invalid: str | None = None
    signal: str | None = None


class Resume(Command, tag="resume", frozen=True, rename={"as_": "as"}):
    """Resume an agent from storage; as `create`."""

    id: str
    as_: str = "h1"
    owner: str | None = None
    parent: str | None = None
    sync: bool = False
    invalid: str | None = None
    signal: str | None = None


class Abort(Command, tag="abort", frozen=True):
    """Abort the creation signal of a create or resume."""

    ref: str
    reason: str | None = None


class Send(Command, tag="send", frozen=True):
    """Queue a message; waking unless `wakeup` is false."""

    agent: str
    message: str
    wakeup: bool = True
    contexts: tuple[str, ...] = ()
    invalid: bool = False


class Steer(Command, tag="steer", frozen=True):
    """Steer a running agent, else a waking send."""

    agent: str
    message: str
    contexts: tuple[str, ...] = ()
    invalid: bool = False


class Inject(Command, tag="inject", frozen=True):
    """Append context to the log without waking the agent."""

    agent: str
    message: str
    contexts: tuple[str, ...] = ()
    invalid: bool = False


class Cancel(Command, tag="cancel", frozen=True):
    """The one public stop verb."""

    agent: str
    cause: str = "user"
    keep_inbox: bool = False


class Mutate(Command, tag="mutate", frozen=True):
    """Mutate the value last passed for a message, or the last cause (in process only)."""

    of: str


class WhenIdle(Command, tag="when_idle", frozen=True, rename={"as_": "as"}):
    """Wait until the agent is idle with no waking work."""

    agent: str
    as_: str = "w1"


class Dispose(Command, tag="dispose", frozen=True, rename={"as_": "as"}):
    """Dispose through a handle, named by its reference or its agent."""

    agent: str | None = None
    ref: str | None = None
    as_: str = "d1"
    same_stack: bool = False


class UnloadOwner(Command, tag="unload_owner", frozen=True, rename={"as_": "as"}):
    """Unload an owner fiber."""

    fiber: str = "root"
    as_: str = "u1"


class UnloadProvider(Command, tag="unload_provider", frozen=True, rename={"as_": "as"}):
    """Unload a provider."""

    provider: str = "p1"
    as_: str = "u1"


class LoadProvider(Command, tag="load_provider", frozen=True, rename={"as_": "as"}):
    """Register a provider, with config-started agents if any."""

    as_: str = "p1"
    owner: str | None = None
    configured: tuple[ConfigAgent, ...] = ()


class Hold(Command, tag="hold", frozen=True):
    """Arm one hold: the next gate at this address waits. Ends at an abort of its signal unless `sticky`.

    A hold that is armed already is not armed a second time.
    """

    gate: str
    of: str | None = None
    turn: int | None = None
    call: int | None = None
    record: str | None = None
    listener: str | None = None
    sticky: bool = False


class Watch(Command, tag="watch", frozen=True):
    """Report the gate, with its input, each time it is entered."""

    gate: str
    of: str | None = None
    turn: int | None = None
    call: int | None = None
    record: str | None = None
    listener: str | None = None


class Release(Command, tag="release", frozen=True, rename={"with_": "with"}):
    """Let a waiting gate go on with an outcome (default: the gate's success)."""

    gate: str
    of: str | None = None
    turn: int | None = None
    call: int | None = None
    record: str | None = None
    listener: str | None = None
    with_: str | Outcome | None = None


class React(Command, tag="react", frozen=True, rename={"as_": "as", "with_": "with"}):
    """Arm a re-entrant listener. `on` is an observation pattern, or a gate's address."""

    on: dict[str, Json]
    then: tuple[AnyCommand, ...] = ()
    throw: str | None = None
    with_: str | Outcome | None = None
    times: int = 1
    through: str | None = None
    as_: str | None = None


class Disarm(Command, tag="disarm", frozen=True, rename={"as_": "as"}):
    """Disarm a reaction by its name, or all of them."""

    as_: str | None = None


class Read(Command, tag="read", frozen=True):
    """Read the lookups, `inspect` among them; changes nothing."""

    agent: str | None = None
    session: str | None = None
    store: str | None = None
    owner: str | None = None
    task: str | None = None
    registry: bool = False


class Session(Command, tag="session", frozen=True, rename={"as_": "as"}):
    """The verbs of section L on a session created directly, or on an agent's."""

    act: str
    as_: str | None = None
    id: str | None = None
    owner: str | None = None
    store: str | None = None
    record: Json = None


class Storage(Command, tag="storage", frozen=True):
    """Stored logs: put, load, aside; persistence off and on."""

    act: str
    id: str | None = None
    records: tuple[Json, ...] = ()


class Task(Command, tag="task", frozen=True):
    """Background tasks of section O: start, finish, exit, read, kill, abort."""

    act: str
    task: str
    caller: str | None = None
    token: str | None = None
    background: bool = True
    aborted: bool = False
    resists: bool = False
    spawn: str | None = None
    outcome: str | None = None


class Tool(Command, tag="tool", frozen=True):
    """Unload or load the tool plugin."""

    act: str


class Executor(Command, tag="executor", frozen=True, rename={"as_": "as"}):
    """Unload or load the executor."""

    act: str
    as_: str = "u1"


class Acp(Command, tag="acp", frozen=True, rename={"as_": "as"}):
    """The ACP client's side: connect, new, load, prompt, cancel, disconnect; teardown of the bridge."""

    act: str
    session: str | None = None
    message: str | None = None
    as_: str | None = None


class Tick(Command, tag="tick", frozen=True):
    """Let the driver make exactly one segment from its next wake (only with `ticks`)."""

    agent: str


class Maintenance(Command, tag="maintenance", frozen=True, rename={"as_": "as"}):
    """Start a maintenance job (variant `latch`)."""

    agent: str
    as_: str = "j1"


class Remove(Command, tag="remove", frozen=True):
    """Remove a pending message (variant `latch`)."""

    agent: str
    message: str


class Replace(Command, tag="replace", frozen=True):
    """Replace a pending message in its place (variant `latch`)."""

    agent: str
    message: str
    by: str


AnyCommand = (
    Create
    | Resume
    | Abort
    | Send
    | Steer
    | Inject
    | Cancel
    | Mutate
    | WhenIdle
    | Dispose
    | UnloadOwner
    | UnloadProvider
    | LoadProvider
    | Hold
    | Watch
    | Release
    | React
    | Disarm
    | Read
    | Session
    | Storage
    | Task
    | Tool
    | Executor
    | Acp
    | Tick
    | Maintenance
    | Remove
    | Replace
)
"""Every command of protocol 1."""

Burst = tuple[AnyCommand, ...]
"""Commands performed in one uninterrupted segment; then the system runs until quiet."""


def outcome_of(given: str | Outcome | None) -> Outcome:
    """Read a wire `with`: a bare word is an outcome; nothing is the gate's success."""
    if given is None:
        return Outcome("default")
    if isinstance(given, str):
        return Outcome(given)
    if given.tools:
        return msgspec.structs.replace(given, outcome="tools")
    return given
