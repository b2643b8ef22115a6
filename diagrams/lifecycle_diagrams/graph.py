"""The one intermediate form of every picture: nodes in groups, edges with their ways. Refuses to know what draws it.

Every builder makes this and every renderer reads this, so that all formats say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

Detail = Literal["names", "guards", "full"]
DETAILS: tuple[Detail, ...] = ("names", "guards", "full")

Tone = str
"""How a thing stands out: nothing, `grey`, `added`, `removed`, `changed`, or `heat0` (never taken) to `heat4`."""


@dataclass(frozen=True)
class Way:
    """One way an edge is taken, or one row of a step.

    `trigger` is the program step; `moves` says from where to where (in a step); `then` where the program goes on.
    """

    trigger: str = ""
    guards: tuple[str, ...] = ()
    effect: str = ""
    published: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    key_rows: tuple[str, ...] = ()
    """The rows without which it is not taken."""
    clauses: tuple[str, ...] = ()
    moves: str = ""
    then: str = ""
    about: str = ""
    """The guards' own sentences."""
    tone: Tone = ""
    count: int | None = None


@dataclass(frozen=True)
class Node:
    """A state, a program's step, a machine, or something outside.

    Kinds: `start`, `state`, `passing` (a state nothing rests in), `exit` (stands for every state with its mark), `copy` (of
    the state in `about`), `step` (a stretch of a program's steps), `machine`, `outside`, `end`.
    """

    id: str
    label: str
    kind: str = "state"
    parent: str = ""
    mark: str = ""
    ways: tuple[Way, ...] = ()
    """What happens in it without leaving it; a step's rows."""
    about: str = ""
    clauses: tuple[str, ...] = ()
    tone: Tone = ""
    steps: tuple[str, ...] = ()
    """The program steps that stand in a box of a program."""


@dataclass(frozen=True)
class Edge:
    """An arrow.

    Kinds: `move`, `next` (the step after), `jump`, `gate` (others act before it goes on), `touch`,
    `hidden` (only keeps its ends in reading order).
    """

    source: str
    target: str
    ways: tuple[Way, ...] = ()
    kind: str = "move"
    tone: Tone = ""
    order: bool = True
    """The target stands behind the source; without it the arrow may run against the reading direction."""
    both: bool = False
    """It has a head at each end; its ways say which way each of them goes."""


@dataclass(frozen=True)
class Group:
    """A frame around nodes: a state with states in it, a program."""

    id: str
    label: str
    parent: str = ""
    about: str = ""
    clauses: tuple[str, ...] = ()
    tone: Tone = ""


@dataclass(frozen=True)
class Graph:
    """A whole picture."""

    name: str
    title: str
    sentence: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    groups: tuple[Group, ...] = ()
    notes: tuple[str, ...] = ()
    main: tuple[str, ...] = ()
    """The nodes of the main path, which is drawn straight."""
    direction: Literal["TB", "LR"] = "TB"

    def inside(self, parent: str) -> tuple[tuple[Group, ...], tuple[Node, ...]]:
        """The groups and nodes right inside a group (or outside all of them)."""
        return (
            tuple(group for group in self.groups if group.parent == parent),
            tuple(node for node in self.nodes if node.parent == parent),
        )

    def each_way(self, change: Callable[[Way], Way]) -> Graph:
        """The same picture with every way changed."""
        return replace(
            self,
            nodes=tuple(replace(node, ways=tuple(map(change, node.ways))) for node in self.nodes),
            edges=tuple(replace(edge, ways=tuple(map(change, edge.ways))) for edge in self.edges),
        )


def unique(things: Iterable[str]) -> tuple[str, ...]:
    """The same without repetitions, in order."""
    return tuple(dict.fromkeys(thing for thing in things if thing))
