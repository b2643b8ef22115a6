"""Components of a configuration: a frozen value per agent, gate, hold, reaction. Refuses behaviour: rows have that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from lifecycle_model.commands import AnyCommand, Outcome
from lifecycle_model.wire import Observation


class Item(msgspec.Struct, frozen=True):
    """An accepted message of an inbox; *waking* if `wakeup`, else *quiet*."""

    id: str
    wakeup: bool = True
    contexts: tuple[str, ...] = ()


class Agent(msgspec.Struct, frozen=True):
    """One agent with its session and its driver.

    `place` is the control state of the machine *agent* (contract S), `at` that of the machine *turn* (Q25).
    """

    name: str
    place: str = "Unpublished"
    status: str = "idle"
    queued: tuple[Item, ...] = ()
    steering: tuple[Item, ...] = ()
    marker: bool = False
    holder: str | None = None
    """None, `live`, or the reason of its aborted signal."""
    waiters: tuple[str, ...] = ()
    # the turn
    at: str = "NoTurn"
    turn: int = 0
    """The highest logged turn number."""
    open: bool = False
    """A turn is open in the log."""
    step: int = 0
    """The last step prepared in this turn."""
    step_open: bool = False
    item: Item | None = None
    contexts: tuple[str, ...] = ()
    """Contexts still to log behind the message just logged."""
    calls: int = 0
    call: int = 0
    running: int = 0
    """Calls started and without a result."""
    batch: bool = False
    deferred: tuple[str, ...] = ()
    delivered: bool = False
    """Steering was delivered after the last step's body."""
    finish: str = ""
    """How the last model call finished: nothing yet, `finish`, `max-tokens`."""
    failed: bool = False
    rejected: bool = False
    terminal: bool = False
    prefix: bool = False
    closing: str = ""
    """The reason of the turn end being logged."""
    appending: bool = False
    aside: str = ""
    """An out-of-band append is under way: nothing, `running`, or `vetoed`."""
    flushes: int = 0
    """Flushes of injections and out-of-band turns still pending."""
    log: tuple[Observation, ...] = ()
    # the life
    entered: bool = False
    """Listed in the registry."""
    stored: bool = False
    """The session is in its store."""
    entry: str = "Unattached"
    """The control state of the machine *entry*: its session in the store (L)."""
    listing: str = "Unlisted"
    """The control state of the machine *listing*: the agent in the registry (L)."""
    started: bool = False
    exited: bool = False
    mark: bool = False
    """The publish mark (P/r11) is set."""
    source: str = "startup"
    handle: str = ""
    """The reference of its transaction."""
    disposers: tuple[str, ...] = ()
    unwound: bool = False
    """The scope's own disposers have run (T/r6)."""
    released: bool = False
    """The teardown has finished (T/r7)."""

    @property
    def restores(self) -> bool:
        """It continues a session with what was pending in it; contract 1 stores the log alone."""
        return False


LISTED = ("Entered", "Announced")
"""An entry that is present, announced or not."""


class OpenGate(msgspec.Struct, frozen=True):
    """A gate that was entered and not yet left. `outcome` is None while it waits for a release."""

    kind: str
    of: str
    program: str
    turn: int = 0
    call: int = 0
    outcome: Outcome | None = None
    on: str = ""
    """The component behind it, where that is not `of`: a transaction, a session, an earlier life of a reused id."""
    ref: str = ""
    """The pending call that it belongs to."""
    listener: str = ""
    group: int = 0
    """Gates of one dispatch with a named listener share a number; the last to be left ends the dispatch."""
    failures: tuple[tuple[int, Outcome], ...] = ()
    """Failures of listeners of its group that were left before, with their place in registration order."""
    failing: bool = False
    """A listener of the awaited dispatch has thrown: it fails once the others have settled."""
    sticky: bool = False
    held: bool = False
    silent: bool = False


class HoldArm(msgspec.Struct, frozen=True):
    """One armed hold."""

    gate: str
    of: str | None
    turn: int | None
    call: int | None
    record: str | None
    listener: str | None
    sticky: bool


class Reaction(msgspec.Struct, frozen=True):
    """One armed re-entrant listener: its pattern as sorted pairs, and what it does."""

    on: tuple[tuple[str, Any], ...]
    then: tuple[AnyCommand, ...] = ()
    throw: str | None = None
    outcome: Outcome | None = None
    times: int = 1
    through: str | None = None
    """The scope it is registered on; None: it is global."""
    name: str | None = None

    def __hash__(self) -> int:
        """Without the commands: records in them are dictionaries."""
        return hash((self.on, self.throw, self.outcome, self.times, self.through, self.name, len(self.then)))


class World(msgspec.Struct, frozen=True):
    """The environment's side: holds, watches, reactions, open gates, policies, and whether logs are kept."""

    holds: tuple[HoldArm, ...] = ()
    watches: tuple[HoldArm, ...] = ()
    reactions: tuple[Reaction, ...] = ()
    gates: tuple[OpenGate, ...] = ()
    policies: tuple[tuple[str, Any], ...] = ()
    keep_log: bool = True
    stepped: frozenset[str] = frozenset()
    """Agents whose driver is held at its wakes (`ticks`)."""
    listeners: tuple[tuple[str | None, str], ...] = ()
    """Named listeners of awaited dispatches, by subject, in the order first named."""

    def policy(self, name: str, default: object = None) -> Any:
        """The value of an optional policy, or its default."""
        for key, value in self.policies:
            if key == name:
                return value
        return default


class Configuration(Mapping[str, Any]):
    """All components at one moment: an immutable mapping with a cached hash. The world is under `world`."""

    __slots__ = ("_hash", "_parts")

    def __init__(self, parts: dict[str, Any]) -> None:
        """Take ownership of `parts`; the caller must not change it afterwards."""
        self._parts = parts
        self._hash: int | None = None

    def __getitem__(self, name: str) -> Any:
        return self._parts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._parts))

    def __len__(self) -> int:
        return len(self._parts)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._parts.items()))
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Configuration) and hash(self) == hash(other) and self._parts == other._parts

    def __repr__(self) -> str:
        return f"Configuration({', '.join(f'{k}={v!r}' for k, v in sorted(self._parts.items()))})"

    @property
    def world(self) -> World:
        """The environment's component."""
        world: World = self._parts["world"]
        return world

    def agents(self) -> list[Agent]:
        """Every agent component, by name."""
        return [part for _, part in sorted(self._parts.items()) if isinstance(part, Agent)]

    def put(self, name: str, part: object) -> Configuration:
        """The same configuration with one component replaced."""
        parts = dict(self._parts)
        parts[name] = part
        return Configuration(parts)


def start(policies: dict[str, Any] | None = None, keep_log: bool = True) -> Configuration:
    """The configuration of a freshly reset system."""
    pairs = tuple(sorted((policies or {}).items()))
    return Configuration({"world": World(policies=pairs, keep_log=keep_log)})
