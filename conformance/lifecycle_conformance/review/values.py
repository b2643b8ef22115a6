"""What the two sides of a review tell each other, as plain values that survive a pipe. Refuses to hold a model's own types.

Observations and answers are JSON objects here: the model of a revision may know other members than ours.
"""

from __future__ import annotations

from typing import Any

import msgspec

Plain = dict[str, Any]
"""An observation, an answer or a command as its JSON object."""


class Result(msgspec.Struct, frozen=True):
    """One way in which a burst may go on one side."""

    handle: int
    """The side's own number for the configuration it ends in."""
    key: str
    """The class of that configuration: names and numbers forgotten."""
    behaviour: str
    """A print of all that can be seen of it: equal for equal behaviours."""
    rows: tuple[str, ...] = ()
    """The rows taken that the review asked about, in order, without repetitions; in full all of them."""
    calls: tuple[Plain, ...] = ()
    """The answers; only in full, as what follows."""
    seen: tuple[Plain, ...] = ()
    said: tuple[str, ...] = ()
    """For each observation the row that says it, or nothing."""
    state: str = ""
    """A print of the whole configuration: equal for equal ones, on whichever side."""


class Met(msgspec.Struct, frozen=True):
    """The steps at which rows were looked for, and the rows taken, on the way to whatever was seen."""

    steps: tuple[str, ...]
    rows: tuple[str, ...]


class Performed(msgspec.Struct, frozen=True):
    """Every way in which one burst may go; `failed` says that the model itself gives up (it never becomes quiet)."""

    label: str
    """The abstract words; what is new about this run."""
    burst: tuple[Plain, ...]
    names: tuple[tuple[str, int], ...]
    """The names handed out so far."""
    asked: str = ""
    """The label and the burst as a text: equal for equal runs."""
    results: tuple[Result, ...] = ()
    failed: str = ""
    reacts: bool = False
    words: tuple[tuple[str, ...], ...] = ()
    met: Met = Met((), ())
    """What was met on every way, where the side was told to watch."""


class Try(msgspec.Struct, frozen=True):
    """A burst to be performed from all configurations of a node."""

    handles: tuple[int, ...]
    burst: tuple[Plain, ...]
    names: tuple[tuple[str, int], ...] = ()
    label: str = ""
    reacts: bool = False


class Ask(msgspec.Struct, frozen=True):
    """A node to be expanded: everything the scope tries in it, or only these labels and the reactions to what they show."""

    handles: tuple[int, ...]
    names: tuple[tuple[str, int], ...]
    only: tuple[tuple[tuple[str, ...], ...], ...] | None = None


class RowShape(msgspec.Struct, frozen=True):
    """A row as text, and what its functions are made of."""

    machine: str
    states: tuple[str, ...]
    step: str
    guard: str
    to: str
    effect: str
    says: tuple[str, ...]
    then: str
    opens: str
    asks: str
    clauses: tuple[str, ...]
    code: str


class Shape(msgspec.Struct, frozen=True):
    """What a contract does, as prints: under every step, at each step, in each program, and what judges its properties."""

    ground: str
    steps: dict[str, str]
    """How each step chooses among its rows."""
    bodies: dict[str, tuple[tuple[str, str], ...]]
    """At each step its rows with what they do."""
    programs: dict[str, tuple[str, ...]]
    properties: str
    rows: tuple[str, ...]
    """The rows' names in order: properties know some of them."""


class Changes(msgspec.Struct, frozen=True):
    """Where head differs from base: steps that choose otherwise, and rows that do something else once taken."""

    steps: tuple[str, ...]
    rows: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.steps or self.rows)

    def reach(self, met: Met) -> bool:
        """Tell whether something that met these may go otherwise."""
        return not (set(self.steps).isdisjoint(met.steps) and set(self.rows).isdisjoint(met.rows))


class Catalog(msgspec.Struct, frozen=True):
    """A contract as what it consists of, by name."""

    name: str
    rows: dict[str, RowShape]
    programs: dict[str, tuple[str, ...]]
    clauses: dict[str, str]
    carriers: dict[str, tuple[str, ...]]
    gates: dict[str, tuple[str, ...]]
    verbs: tuple[str, ...]
    properties: dict[str, tuple[str, ...]]
    """Every property with its clauses."""
    does: Shape
    source: str
    """A print of all its sources."""


class Answered(msgspec.Struct, frozen=True):
    """What an exploration of one scope says of the properties: those violated, those witnessed, those that may stay stuck."""

    scope: str
    violated: dict[str, str]
    """With what is wrong."""
    witnessed: tuple[str, ...]
    stuck: tuple[str, ...]
    judged: tuple[str, ...]
    met: Met = Met((), ())
