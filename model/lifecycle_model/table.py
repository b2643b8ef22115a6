"""Rows, programs and contracts: the shape of the spec. Knows no state, event or clause by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lifecycle_model.commands import AnyCommand
    from lifecycle_model.run import Now
    from lifecycle_model.state import Configuration, OpenGate
    from lifecycle_model.wire import Answer, Observation

Guard = Callable[["Now"], bool]
Effect = Callable[["Now"], Any]
"""Gives the component as it is after the row; the row itself sets the control state."""
Say = Callable[["Now"], "Observation | None"]

END = "end"
"""As a row's `then`: the program is over."""


@dataclass(frozen=True)
class Ear:
    """A listener that is part of the system: at an event it runs a program on each component of `on`.

    It comes before other listeners; the program finds what it heard as the note `heard`, and `now.gate` of the publisher.
    """

    event: str
    program: str
    on: Callable[[Now, Observation], Iterable[str]]


def _own(kind: str, part: Any) -> dict[str, Any]:
    return {"of": part.name}


def _nothing_waits(configuration: Configuration, gate: OpenGate) -> bool:
    return False


def _by_subject(configuration: Configuration, gate: OpenGate) -> str:
    return gate.of


def _all_heard(observation: Observation) -> bool:
    return False


def _scope(configuration: Configuration, name: str) -> tuple[str, str]:
    return name, ""


@dataclass(frozen=True)
class Row:
    """One transition: `machine · from · program step · guard · to · effect · says · clauses`.

    `states` are the control states it leaves (empty: any, also a component that does not exist yet). `to` is None
    where the control state stays. `then` names the step, or another program, to go on with. `opens` is the gate
    entered at the end; `asks` a synchronous gate whose outcome is `now.outcome` for the following steps (`validation *`
    is about the record noted as `record`). `appends` marks the publication of a record, during which another append of
    that session is refused; `awaits` a dispatch whose gate is its listeners: entered before other listeners act, and
    failing if one of them throws. `runs` names a program that is run on each component of `on`, in the same segment,
    after what the row says; it sees the notes of this one, and `now.by`. `gives` are commands given to other components
    before that, in the same segment, whose programs see who gave them as `now.by`; the answers are noted as `given`. A synchronous throw in a vetoing dispatch is
    the outcome `threw` for the following steps.
    """

    id: str
    machine: str
    states: tuple[str, ...]
    step: str
    clauses: tuple[str, ...]
    guard: Guard | None = None
    to: str | None = None
    effect: Effect | None = None
    says: tuple[Say, ...] = ()
    then: str | None = None
    opens: str | None = None
    asks: str | None = None
    appends: bool = False
    awaits: bool = False
    gives: Callable[[Now], Iterable[AnyCommand]] | None = None
    runs: str = ""
    on: Callable[[Now], Iterable[str]] | None = None
    unreachable: str = ""
    """Why the row is never taken; an exploration that takes it refutes that."""
    constant: str = ""
    """Why the guard holds whenever it is asked; an exploration that sees it fail refutes that."""

    @property
    def program(self) -> str:
        """The program the row's step belongs to."""
        return self.step.rsplit(".", 1)[0]


@dataclass(frozen=True)
class Program:
    """The ordered steps of a command, or of what the driver does from one gate to the next."""

    id: str
    about: str
    steps: tuple[str, ...]
    clauses: tuple[str, ...]


@dataclass(frozen=True)
class Machine:
    """A named control state of a component: its states (nested by `parents`), and the member that holds it."""

    name: str
    about: str
    member: str
    states: tuple[str, ...]
    initial: str
    parents: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Contract:
    """A whole contract: machines, programs, rows, how commands reach programs, and what can be read."""

    name: str
    machines: tuple[Machine, ...]
    programs: tuple[Program, ...]
    rows: tuple[Row, ...]
    verbs: Mapping[str, str]
    """Verb to the program that performs it."""
    gates: Mapping[str, tuple[str, ...]]
    """Gate kind to its outcomes, the default first."""
    blank: Callable[[str, str], Any]
    """Machine name and subject to a component that does not exist yet."""
    subject: Callable[[AnyCommand, Configuration], str]
    """The component a command is asked of."""
    read: Callable[[AnyCommand, Configuration], Answer]
    signal: Callable[[Configuration, OpenGate], str | None]
    """The reason of the aborted signal a gate was given, if any."""
    clauses: Mapping[str, str]
    """Clause id to our sentence."""
    raising: frozenset[str] = frozenset()
    """Events whose dispatch is vetoing or awaited: a listener's throw reaches the publisher."""
    vetoing: frozenset[str] = frozenset()
    """Of these, the vetoing ones: a synchronous throw stops the dispatch, a later one is contained."""
    unheard: Callable[[Observation], bool] = _all_heard
    """Whether nobody can listen to an observation."""
    listened: frozenset[str] = frozenset()
    """Gates that are the listeners of a dispatch: one for each that is named, and one for the others."""
    address: Callable[[str, Any], dict[str, Any]] = _own
    """Gate kind and component to what a gate of it shows of itself: its `of`, and more of its input."""
    waits: Callable[[Configuration, OpenGate], bool] = _nothing_waits
    """Whether a gate that is let go still waits for something in the configuration."""
    together: Callable[[Configuration, OpenGate], str] = _by_subject
    """Gates of different groups cannot touch each other; the empty group touches all."""
    ears: tuple[Ear, ...] = ()
    """The system's own listeners."""
    scope: Callable[[Configuration, str], tuple[str, str]] = _scope
    """The scope a listener is registered on through an agent's ctx, or why it is refused."""

    def overlay(
        self,
        name: str,
        *,
        drop: Iterable[str] = (),
        rows: Iterable[Row] = (),
        programs: Iterable[Program] = (),
        clauses: Mapping[str, str] | None = None,
        **parts: Any,
    ) -> Contract:
        """A variant: rows and programs with a known id are replaced in place, new ones added, `drop` removed."""
        gone = set(drop)
        return replace(
            self,
            name=name,
            rows=_merge(self.rows, rows, gone),
            programs=_merge(self.programs, programs, gone),
            clauses={**{k: v for k, v in self.clauses.items() if k not in gone}, **(clauses or {})},
            **parts,
        )


def _merge(base: tuple[Any, ...], extra: Iterable[Any], gone: set[str]) -> tuple[Any, ...]:
    new = {thing.id: thing for thing in extra}
    kept = [new.pop(thing.id, thing) for thing in base if thing.id not in gone]
    return (*kept, *new.values())
