"""Owns a run as a sequence of arrows between lanes, before anyone draws it. Refuses to know a drawing language or a trace."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Arrow:
    """Something said from one lane to another.

    `reply`: what is published. `wrong`: what must not be. `cuts`: something is cut short here (an abort, a discard, a
    roll-back); a cross stands on the source's lane.
    """

    source: str
    target: str
    words: tuple[str, ...]
    reply: bool = False
    wrong: bool = False
    cuts: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """Something to read over the lanes from `first` to `last`; `about` is burst, gate, allowed, or clause."""

    first: str
    last: str
    text: str
    about: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A lane is busy from one step (its index) to another: a turn is open, a creation is under way."""

    lane: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Sequence:
    """Lanes from left to right and what happens between them from top to bottom. Bars of one lane nest or follow."""

    title: str
    lanes: tuple[str, ...]
    steps: tuple[Arrow | Note, ...]
    bars: tuple[Bar, ...] = ()
