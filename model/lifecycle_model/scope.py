"""A scope: a named, versioned bound of exploration, as data. Refuses what the contract does not know.

A scope says who takes part, what the environment may do, what is held, what listeners may do, and how much of it.
Everything else follows from the rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from lifecycle_model.commands import AnyCommand, Outcome, Watch, outcome_of
from lifecycle_model.engine import ModelError
from lifecycle_model.table import Contract

SELF = "self"
"""In a scope's commands: the agent whose turn it is to act."""
OTHER = "other"
"""In a listener's commands: any other agent of the scope."""
SETS = ("small", "standard", "large")


class ScopeError(ModelError):
    """A scope asks for something that the contract or the scope itself does not have."""


@dataclass(frozen=True)
class Act:
    """A command the environment may give at any time. An empty name is the next unused one."""

    command: AnyCommand
    spends: str = ""
    """The budget it draws on; empty: as often as it likes."""
    sure: bool = False
    """It comes as long as it would change something: the world's own move (F5), not a caller's choice."""


@dataclass(frozen=True)
class Held:
    """A gate the environment holds each time it is entered, and how it may let it go on.

    `settles` end the wait for good; `loops` (a chunk, a retry, calls to make) keep the turn going, and are chosen
    finitely often in one turn (F2). Not `sticky`: the gate also goes on by itself once its signal is aborted.
    """

    gate: str
    settles: tuple[str | Outcome, ...]
    loops: tuple[str | Outcome, ...] = ()
    sticky: bool = False
    always: bool = False
    """It settles whatever happens (flushes and scope disposers, F2); other gates of a turn do if they saw an abort."""


@dataclass(frozen=True)
class Listener:
    """What a re-entrant listener may do, once, at any observation or gate of its subject.

    `on` limits it to some events (`gate policy` is one); empty means every one that has listeners.
    """

    then: tuple[AnyCommand, ...] = ()
    throw: str | None = None
    outcome: str | Outcome | None = None
    on: tuple[str, ...] = ()
    spends: str = ""


@dataclass(frozen=True)
class Role:
    """Agents that the environment treats alike; their names are interchangeable."""

    agents: tuple[str, ...]
    acts: tuple[Act, ...]
    holds: tuple[Held, ...] = ()
    listeners: tuple[Listener, ...] = ()
    born: bool = True
    """The agents exist from the start; else the acts create them."""
    ticks: bool = False
    """Their drivers are held at each wake, and go on by `tick` only."""
    whole: bool = False
    """Its one cell is the whole system: owners, providers, sessions, storage, and the agents `also` named."""
    also: tuple[str, ...] = ()
    """Further ids of agents and sessions in the cell of a whole system that are observed and judged."""
    first: tuple[AnyCommand, ...] = ()
    """What a whole system was asked, each command followed by a run until quiet, before the exploration begins."""
    exact: bool = False
    """Turn numbers are kept as they are, because the scope's own records name them."""


@dataclass(frozen=True)
class Scope:
    """One bound of exploration."""

    name: str
    topic: str
    about: str
    roles: tuple[Role, ...]
    version: int = 1
    sets: tuple[str, ...] = ("standard",)
    budgets: tuple[tuple[str, int], ...] = ()
    """How often in all, by budget name."""
    most: tuple[tuple[str, int], ...] = ()
    """How many at once, per agent: `m` messages in the system, `w` waiters, `d` disposes, or open gates by kind or program."""
    watches: tuple[Watch, ...] = ()
    policies: tuple[tuple[str, object], ...] = ()
    depth: int = 1
    """Listeners that may act in one segment."""
    burst: int = 1
    """Commands in one burst, in the quiet reading."""
    lively: bool = True
    """Liveness is judged; not where a driver waits for ticks that nobody promises."""

    @property
    def agents(self) -> tuple[str, ...]:
        """Every agent, by role."""
        return tuple(agent for role in self.roles for agent in role.agents)

    @property
    def crosses(self) -> bool:
        """A listener of one agent may act on another."""
        return any(reaches_other(one) for role in self.roles for one in role.listeners)


def reaches_other(listener: Listener) -> bool:
    """Tell whether the listener acts on another agent than the one it listens to."""
    return any(getattr(command, "agent", None) == OTHER for command in listener.then)


def check(scope: Scope, contract: Contract) -> None:
    """Raise ScopeError if the scope cannot be explored under this contract."""
    if not scope.agents:
        raise ScopeError(f"scope {scope.name} has no agents; give it at least one role")
    if len(set(scope.agents)) != len(scope.agents):
        raise ScopeError(f"scope {scope.name} names an agent twice: {', '.join(scope.agents)}")
    for name in scope.sets:
        if name not in SETS:
            raise ScopeError(f"scope {scope.name} is in the set {name!r}; the sets are {', '.join(SETS)}")
    known = {name for name, _ in scope.budgets} | {""}
    for role in scope.roles:
        _check_whole(scope, role)
        for spends in (*(act.spends for act in role.acts), *(one.spends for one in role.listeners)):
            if spends not in known:
                raise ScopeError(f"scope {scope.name} spends {spends!r}, which is none of its budgets")
        for held in role.holds:
            _check_held(scope, held, contract)
        if len(scope.agents) < 2 and any(reaches_other(one) for one in role.listeners):
            raise ScopeError(f"scope {scope.name} has a listener that acts on another agent, but one agent only")


def _check_whole(scope: Scope, role: Role) -> None:
    if role.whole and (len(scope.roles) > 1 or len(role.agents) > 1 or role.born):
        raise ScopeError(f"scope {scope.name} is one whole system: give it one role, with one agent that is not born")
    if not role.whole and (role.also or role.first or role.exact):
        raise ScopeError(f"scope {scope.name} says `also`, `first` or `exact` of a role that is no whole system")


def _check_held(scope: Scope, held: Held, contract: Contract) -> None:
    if held.gate not in contract.gates:
        known = ", ".join(sorted(contract.gates))
        raise ScopeError(f"scope {scope.name} holds the gate {held.gate!r}, which the contract lacks; it has {known}")
    if not held.settles:
        raise ScopeError(f"scope {scope.name} holds {held.gate} and never lets it settle; name an outcome that does")
    words = contract.gates[held.gate]
    for given in (*held.settles, *held.loops):
        word = outcome_of(given).outcome
        if word not in words and word != "default":
            raise ScopeError(
                f"scope {scope.name} lets {held.gate} go on with {word!r}; the gate knows {', '.join(words)}"
            )
