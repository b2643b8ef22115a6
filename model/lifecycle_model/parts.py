"""Components beside agents: transactions, owners, the provider, sessions, storage, tasks. Refuses behaviour: rows have that.

Each is kept under a prefixed name (`tx:h1`, `fiber:f1`, `provider:p1`, `session:z`, `store:s1`, `log:x`, `task:t1`,
`executor:1`, `connection:1`, `slot:x`, `start:c1@provider:p2`); one that is absent is as the class's defaults say.
"""

from __future__ import annotations

import msgspec

from lifecycle_model.state import LISTED
from lifecycle_model.wire import Observation


class Session(msgspec.Struct, frozen=True):
    """A session object made directly; its members are named as those of an agent's session.

    `entry` is the control state of the machine *entry* (contract L).
    """

    name: str
    """Its id."""
    entry: str = "Unattached"
    store: str = "s1"
    owner: str = ""
    """The owner's component, where an unload detaches it."""
    turn: int = 0
    """The highest logged turn number."""
    open: bool = False
    step: int = 0
    """The last step started in the open turn."""
    step_open: bool = False
    announcing: bool = False
    appending: bool = False
    aside: str = ""
    """An out-of-band append is under way: nothing, `running`, or `vetoed`."""
    raised: bool = False
    """Its creation raised: nobody was given it."""
    leaving: bool = False
    """A detach waits for what keeps the entry busy, or is going on."""
    log: tuple[Observation, ...] = ()

    @property
    def stored(self) -> bool:
        """The session is in its store."""
        return self.entry in LISTED


class Store(msgspec.Struct, frozen=True):
    """A session store's entries of directly made sessions: id and component, in the order entered."""

    entries: tuple[tuple[str, str], ...] = ()


class Objects(msgspec.Struct, frozen=True):
    """What the judge calls the directly made sessions: name, id and component, the latest last."""

    known: tuple[tuple[str, str, str], ...] = ()


class Transaction(msgspec.Struct, frozen=True):
    """One create or resume attempt, addressed by its reference; its agent's scope is known by it.

    `place` is the control state of the machine *transaction* (contract P).
    """

    name: str
    """The reference."""
    place: str = "New"
    id: str = ""
    resume: bool = False
    sync: bool = False
    owner: str = ""
    """The owner's component: a fiber, or the transaction of the agent through whose ctx it was made."""
    provider: str = ""
    reason: str = ""
    """The first deactivation reason."""
    signal: str = ""
    """The reason of the aborted creation signal."""
    known: bool = False
    """Its setup began: others may hold its scope."""
    found: bool = False
    """The load found a log."""
    verdict: str = ""
    """The rejection, once it is fixed; `value` is a plain value thrown."""
    stale: bool = False
    """The log changed after it was loaded."""
    log: tuple[Observation, ...] = ()
    """The seed, or what was loaded."""
    turn: int = 0
    open: bool = False
    step: int = 0
    step_open: bool = False
    records: tuple[str, ...] = ()
    """Transactions made through its agent's ctx and not finished."""
    unwound: bool = False
    """The own disposers of a scope without agent have run."""
    client: str = ""
    """The component that made the call and is told of its result, where that is not the judge."""


class Fiber(msgspec.Struct, frozen=True):
    """An owner. `place` is the control state of the machine *owner*; absent it is active and owns nothing."""

    name: str
    place: str = "Active"
    records: tuple[str, ...] = ()
    """Components it owns: transactions until their agents are gone, sessions it created, providers."""
    waiting: tuple[str, ...] = ()
    """Unloads that have not settled."""


class Provider(msgspec.Struct, frozen=True):
    """A provider of agents. `place` is the control state of the machine *provider*."""

    name: str
    place: str = "Serving"
    owner: str = ""
    records: tuple[str, ...] = ()
    """Transactions until their agents are gone."""
    waiting: tuple[str, ...] = ()
    """Unloads that have not settled."""


class Starter(msgspec.Struct, frozen=True):
    """A config-started agent of a provider (contract G). `place` is the control state of the machine *starter*."""

    name: str
    """Its label."""
    place: str = "Configured"
    provider: str = ""
    """The provider's component."""
    id: str = ""
    resume: str = ""


class Slot(msgspec.Struct, frozen=True):
    """The one provider slot and the component that holds it; absent it holds the provider that was there first."""

    holder: str = "provider:p1"


class Persistence(msgspec.Struct, frozen=True):
    """Whether a persistence is loaded; absent it is."""

    on: bool = True


class Storage(msgspec.Struct, frozen=True):
    """What is stored under one id. `place` is the control state of the machine *storage* (contract D).

    `turn` to `calls` sum up the tail, so that a run that keeps no logs can be continued, too.
    """

    name: str
    place: str = "Absent"
    records: tuple[Observation, ...] = ()
    former: tuple[tuple[Observation, ...], ...] = ()
    """Logs kept aside, the latest last."""
    live: str = ""
    """The session component whose records are buffered."""
    turn: int = 0
    open: bool = False
    step: int = 0
    step_open: bool = False
    calls: int = 0
    """Calls advertised by the tail's last assistant message."""
    bridged: bool = False
    """A working directory is stored with it: the bridge created it."""
    unsettled: bool = False
    """What is stored may not have caught up with the session."""
    loading: str = ""
    """The transaction whose load is in flight."""
    readers: tuple[str, ...] = ()
    """Transactions that hold what they loaded, or are loading."""


class Background(msgspec.Struct, frozen=True):
    """A background task (contract O). `place` is the control state of the machine *task*."""

    name: str
    place: str = "None"
    token: str | None = None
    """Its owner; None: it is unowned. An empty string is an owner like any other."""
    executor: str = ""
    """The component of the executor that runs it."""
    spawned: bool = True
    """Its process could be started."""
    resists: bool = False
    """Once killed it does not exit by itself."""
    leaving: bool = False
    """Its process has exited, and the executor has not yet noticed."""
    unread: bool = False
    """It has ended and left something to read."""
    drained: bool = False
    """A served read came: after its end nothing is left to read."""


class Executor(msgspec.Struct, frozen=True):
    """An executor of background tasks. `place` is the control state of the machine *executor*."""

    name: str
    place: str = "Loaded"
    waiting: tuple[str, ...] = ()
    """Unloads that have not settled."""


class Present(msgspec.Struct, frozen=True):
    """The component of the executor present, or nothing; absent it is the one that was there first."""

    executor: str = "executor:1"


class Tool(msgspec.Struct, frozen=True):
    """The tool plugin that gives notices. `place` is the control state of the machine *tool*; absent it is loaded."""

    place: str = "Loaded"


class Connection(msgspec.Struct, frozen=True):
    """A client's connection to the bridge (contract A). `place` is the control state of the machine *connection*."""

    name: str
    place: str = "Closed"
    calls: tuple[str, ...] = ()
    """Transactions whose create or load has not returned to it."""
    waiting: tuple[str, ...] = ()
    """Disconnects and teardowns that have not settled."""
    left: bool = False
    """The client is gone."""
    failed: bool = False
    """A scope disposer of a session failed while it was closed."""


class Link(msgspec.Struct, frozen=True):
    """The component of the connection opened last, or nothing."""

    connection: str = ""


class PromptSlot(msgspec.Struct, frozen=True):
    """A bridge's session record with its prompt slot. `place` is the control state of the machine *slot*."""

    name: str
    """The session's id."""
    place: str = "None"
    connection: str = ""
    handle: str = ""
    """The reference of its agent's transaction: the same id may have another object."""
    opening: str = ""
    """The load that has not been answered."""
    gone: bool = False
    """Nothing is left of its agent."""
    prompt: str = ""
    """The reference of the prompt in the slot."""
    message: str = ""
    flagged: bool = False
    """The client cancelled, or left."""
    failed: bool = False
    """Output of the prompt failed."""
    reason: str = ""
    """How its turn ended, or `dropped`, or `vetoed`."""
