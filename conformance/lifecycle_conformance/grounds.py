"""The grounds that walks over a whole system are drawn on: the vocabulary of the model's own scopes, and some put together.

A *ground* says what may be asked, held and heard. Unlike a scope it bounds nothing: a walk is as long as its plan says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace

from lifecycle_model.commands import (
    Acp,
    AnyCommand,
    Cancel,
    ConfigAgent,
    Create,
    Dispose,
    Executor,
    Inject,
    LoadProvider,
    Resume,
    Send,
    Storage,
    Task,
    Tool,
    UnloadOwner,
    UnloadProvider,
    Watch,
    WhenIdle,
)
from lifecycle_model.scope import Held, Listener, Role, Scope
from lifecycle_model.scopes_system import ALIVE, CLOSED_LOG, OPEN_LOG, SYSTEM_SCOPES, at

UNNAMED = "#"
"""In a scope's first commands: before a made-up name."""


@dataclass(frozen=True)
class Ground:
    """What a walk may ask: acts with empty names where a fresh one is due, and what it holds and listens to."""

    name: str
    about: str
    acts: tuple[AnyCommand, ...]
    holds: tuple[Held, ...] = ()
    listeners: tuple[Listener, ...] = ()
    watches: tuple[Watch, ...] = ()
    first: tuple[AnyCommand, ...] = ()
    names: tuple[str, ...] = ("a",)
    """Ids of agents and sessions; an act about one is about any of them where `any_name`."""
    any_name: bool = False
    policies: Mapping[str, object] = field(default_factory=dict[str, object])
    weight: int = 1
    """Walks drawn on it, for each drawn on one scope alone."""


def named(command: AnyCommand) -> Iterable[str]:
    """The ids of agents and sessions that a command is about."""
    for member in ("agent", "id", "session", "caller"):
        given = getattr(command, member, None)
        if given:
            yield str(given)
    for one in getattr(command, "configured", ()):
        yield str(one.id or one.resume)


def of_scope(scope: Scope, role: Role) -> Ground:
    """The vocabulary of one scope of the model."""
    acts = tuple(act.command for act in role.acts)
    first = tuple(_renamed(command) for command in role.first)
    names = dict.fromkeys((*role.agents, *role.also, *(name for one in (*acts, *first) for name in named(one))))
    policies = dict(scope.policies)
    return Ground(
        scope.name, scope.about, acts, role.holds, role.listeners, scope.watches, first, tuple(names), False, policies
    )


def _renamed(command: AnyCommand) -> AnyCommand:
    """A first command with plain names: a scope's made-up ones mean something to the explorer only."""
    changes = {
        member: "" for member in ("as_", "message") if str(getattr(command, member, None) or "").startswith(UNNAMED)
    }
    return replace(command, **changes) if changes else command


PROMPTS: tuple[AnyCommand, ...] = (
    Acp("prompt", "a", "", ""),
    Acp("prompt", "a", "", ""),
    Acp("prompt", "a", "", ""),
    Acp("cancel", "a"),
    Acp("cancel", "a"),
)
SESSIONS: tuple[AnyCommand, ...] = (Acp("connect"), Acp("new", "a", as_=""), Acp("load", "a", as_=""), *PROMPTS)
"""What a client does while it is connected."""
CLOSING: tuple[AnyCommand, ...] = (Acp("disconnect", as_=""), Acp("teardown", as_=""))
OTHERS: tuple[AnyCommand, ...] = (
    Send("a", ""),
    Cancel("a", "parent"),
    Cancel("a"),
    Inject("a", ""),
    Dispose("a", as_=""),
    WhenIdle("a", as_=""),
)
"""What another party does with a bridge's agent."""
MODEL = Held("model", ("finish", "error", "max_tokens"))
OUTPUT = Held("output", ("ok", "fail"), always=True)
FLUSH = Held("flush", ("ok", "fail"), always=True)
SCOPE = Held("scope", ("ok", "fail"), always=True)
SETUP = Held("setup", ("ok", "fail"))
LOAD = Held("load", ("ok", "fail"))
ONE_SESSION = (Acp("connect"), Acp("new", "a", as_=""))
TWO_SESSIONS = (*ONE_SESSION, Acp("new", "b", as_=""))
VETO = at("gate validation", outcome="fail")
TASKS: tuple[AnyCommand, ...] = (
    Task("start", "", caller="a"),
    Task("start", "", caller="a"),
    Task("start", ""),
    Task("start", "", token=""),
    Task("start", "", caller="a", token="b"),
    Task("start", "", caller="a", resists=True),
    Task("start", "", spawn="fail", caller="a"),
    Task("start", "", aborted=True),
    *(Task(act, "", caller="a") for act in ("read", "kill", "read", "kill")),
    Task("read", ""),
    Task("kill", ""),
    Task("kill", "", token=""),
    Task("finish", ""),
    Task("finish", ""),
    Task("exit", ""),
    Task("exit", ""),
    Task("abort", ""),
)
"""What callers do with background tasks, and what their processes do."""

JOINT: tuple[Ground, ...] = (
    Ground(
        "client",
        "one client's sessions: prompts, cancels, output that waits or fails, others' messages and disposals",
        (*PROMPTS, *PROMPTS, Acp("load", "a", as_=""), *OTHERS),
        (MODEL, OUTPUT, FLUSH),
        (VETO, at("agent/inbox/dequeue", then=(Cancel("a", "parent"),))),
        (Watch("validation"),),
        ONE_SESSION,
        weight=8,
    ),
    Ground(
        "clients",
        "two and more sessions: each is prompted, cancelled, loaded and disposed while the connection comes and goes",
        (*SESSIONS, *SESSIONS, *OTHERS, *CLOSING, Create("a", "")),
        (MODEL, OUTPUT, SETUP, LOAD, SCOPE),
        (),
        (),
        TWO_SESSIONS,
        ("a", "b"),
        True,
        weight=10,
    ),
    Ground(
        "returning",
        "a client that comes back: its stored sessions are loaded, prompted, disposed by others and loaded again",
        (
            *(Acp("load", "a", as_=""),) * 4,
            Acp("connect"),
            *PROMPTS,
            Dispose("a", as_=""),
            Dispose("a", as_=""),
            Send("a", ""),
            *CLOSING,
        ),
        (MODEL, OUTPUT, SETUP, LOAD),
        (),
        (),
        (*TWO_SESSIONS, Send("a", ""), Acp("prompt", "b", "", ""), Acp("disconnect", as_=""), Acp("connect")),
        ("a", "b"),
        True,
        weight=8,
    ),
    Ground(
        "foreign-aborts",
        "a client told of others' aborts and of token limits by the alternative stop reasons",
        (*SESSIONS, *OTHERS),
        (MODEL, OUTPUT),
        (VETO,),
        (),
        TWO_SESSIONS,
        ("a", "b"),
        True,
        {"foreign_abort_stop_reason": "end_turn", "max_tokens_stop_reason": "end_turn"},
        weight=3,
    ),
    Ground(
        "jobs",
        "tasks of two agents and of nobody, over reloads of the tool and the executor, and over their agents' lives",
        (
            *TASKS,
            Tool("unload"),
            Tool("unload"),
            Tool("load"),
            Tool("load"),
            Tool("load"),
            Executor("unload", ""),
            Executor("load"),
            Executor("load"),
            Send("a", ""),
            Dispose("a", as_=""),
            Create("a", ""),
            Create("a", ""),
        ),
        (Held("model", ("finish",)), Held("flush", ("ok",), always=True)),
        (VETO,),
        (),
        (ALIVE, Create("b", "", sync=True)),
        ("a", "b"),
        True,
        weight=10,
    ),
    Ground(
        "configured",
        "agents started by configuration, over and over, among creations, disposals, owners and persistence that goes",
        (
            LoadProvider("", configured=(ConfigAgent("", id="a"),)),
            LoadProvider("", configured=(ConfigAgent("", id="a"),)),
            LoadProvider("", configured=(ConfigAgent("", resume="a"),)),
            LoadProvider("", configured=(ConfigAgent("", id="a"), ConfigAgent("", id="b"))),
            LoadProvider("", configured=(ConfigAgent("", id="a"), ConfigAgent("", resume="a"))),
            LoadProvider("", "f1", configured=(ConfigAgent("", id="a"),)),
            UnloadProvider("", ""),
            UnloadProvider("", ""),
            UnloadOwner("f1", ""),
            Create("a", ""),
            Send("a", ""),
            Dispose("a", as_=""),
            Storage("off"),
            Storage("on"),
            Storage("on"),
        ),
        (
            Held("config_lookup", ("default", "missing", "fail"), always=True),
            SETUP,
            LOAD,
            Held("model", ("finish",)),
            Held("scope", ("ok",), always=True),
        ),
        (),
        (),
        (UnloadProvider("p1", ""), LoadProvider("", configured=(ConfigAgent("", id="a"),))),
        ("a", "b"),
        True,
        weight=8,
    ),
    Ground(
        "logs",
        "ids created, resumed, worked with and disposed over and over; logs put, loaded, kept aside; persistence that goes",
        (
            Create("a", ""),
            Create("a", ""),
            Create("a", ""),
            Resume("a", ""),
            Resume("a", ""),
            Send("a", ""),
            Inject("a", ""),
            Dispose("a", as_=""),
            Dispose("a", as_=""),
            Storage("put", "a", CLOSED_LOG),
            Storage("put", "a", OPEN_LOG),
            Storage("load", "a"),
            Storage("load", "a"),
            Storage("aside", "a"),
            Storage("off"),
            Storage("on"),
            Storage("on"),
        ),
        (
            Held("load", ("ok", "missing", "fail"), always=True),
            SETUP,
            Held("flush", ("ok", "fail"), always=True),
            Held("model", ("finish",)),
        ),
        (),
        (),
        (Storage("put", "a", OPEN_LOG),),
        ("a", "b"),
        True,
        weight=8,
    ),
)
"""Several scopes' vocabulary together, with more than one session, task and life of each id."""


def of(contract: str) -> tuple[Ground, ...]:
    """The grounds of a contract; a variant has none yet: its scopes were not walked against a system."""
    if contract != "1":
        return ()
    return (*(of_scope(scope, scope.roles[0]) for scope in SYSTEM_SCOPES), *JOINT)


def ground(name: str, contract: str = "1") -> Ground:
    """A ground by name; KeyError lists nothing: the caller reports."""
    for one in of(contract):
        if one.name == name:
            return one
    raise KeyError(name)
