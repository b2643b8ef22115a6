"""One side explored alone: every run of a scope with the steps it looked at, so that only what a change reaches is run again.

Kept by what the side is made of (see `kept`). Refuses to compare: `product` walks the other side beside it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from lifecycle_conformance.review.values import Changes, Performed, Result
from lifecycle_conformance.scopes import SuiteScope

if TYPE_CHECKING:
    from lifecycle_conformance.review.side import Handles, Local, Names

ROOT = ""


class Way(msgspec.Struct, frozen=True, array_like=True):
    """One way in which a run may go."""

    key: str
    behaviour: str
    rows: bytes
    state: str


class Run(msgspec.Struct, frozen=True, array_like=True):
    """One thing tried in a place. Rows and steps are bits."""

    label: str
    asked: str
    names: tuple[tuple[str, int], ...]
    ways: tuple[Way, ...]
    failed: str
    reacts: bool
    words: tuple[tuple[str, ...], ...]
    steps: bytes
    taken: bytes
    """Rows taken on any way, also where two ways end alike."""


class Place(msgspec.Struct, frozen=True, array_like=True):
    """A node by its trail: its configurations, and everything tried in it."""

    trail: str
    kept: bytes
    runs: tuple[Run, ...]


@dataclass(frozen=True)
class Reach:
    """Steps and rows as bits; those of a change say which runs it reaches."""

    steps: int
    rows: int

    def __contains__(self, run: Run) -> bool:
        looked = int.from_bytes(run.steps, "big") & self.steps
        return bool(looked or int.from_bytes(run.taken, "big") & self.rows)


class Alone(msgspec.Struct, frozen=True):
    """A scope explored on one side."""

    scope: str
    rows: tuple[str, ...]
    steps: tuple[str, ...]
    opening: Run
    places: tuple[Place, ...]
    cut: bool

    def reaching(self, changed: Changes) -> Reach:
        """A change as bits."""
        return Reach(bits(places_of(self.steps), changed.steps), bits(places_of(self.rows), changed.rows))

    def performed(self, run: Run, about: Sequence[str]) -> Performed:
        """A run as it would be told, of its rows those asked about; its configurations are not kept."""
        burst: tuple[dict[str, Any], ...] = tuple(msgspec.json.decode(run.asked[len(run.label) + 1 :]))
        results = tuple(
            Result(-1, way.key, way.behaviour, self._named(way.rows, about), state=way.state) for way in run.ways
        )
        return Performed(run.label, burst, run.names, run.asked, results, run.failed, run.reacts, run.words)

    def _named(self, rows: bytes, about: Sequence[str]) -> tuple[str, ...]:
        taken = int.from_bytes(rows, "big")
        asked = _marked(self.rows, tuple(about)) & taken
        return tuple(name for at, name in enumerate(self.rows) if asked >> at & 1) if asked else ()


@lru_cache(maxsize=16)
def _marked(rows: tuple[str, ...], about: tuple[str, ...]) -> int:
    return bits(places_of(rows), about)


def places_of(names: Sequence[str]) -> dict[str, int]:
    """Each name's place."""
    return {name: at for at, name in enumerate(names)}


def bits(place: Mapping[str, int], wanted: Iterable[str]) -> int:
    """A number with a bit for each of these names."""
    return sum(1 << place[name] for name in set(wanted) if name in place)


def further(trail: str, asked: str, behaviour: str) -> str:
    """The trail of a run one burst longer."""
    return hashlib.blake2b(f"{trail} {behaviour} {asked}".encode(), digest_size=12).hexdigest()


def grouped(results: Iterable[Any]) -> dict[str, list[Any]]:
    """Results, or ways, by behaviour."""
    found: dict[str, list[Any]] = {}
    for one in results:
        found.setdefault(one.behaviour, []).append(one)
    return found


def firsts(results: Sequence[Any]) -> list[Any]:
    """One result of each class, the first met."""
    return list({one.key: one for one in reversed(results)}.values())


def explore_alone(side: Local, scope: SuiteScope, most: int) -> Alone:
    """Explore a scope on a side, breadth first, as `product` does where nothing is different."""
    rows, steps = side.row_names(), side.step_names()
    row_place, step_place = places_of(rows), places_of(steps)
    side.watches = True
    opened = side.begin(scope, rows)

    def run(one: Performed) -> Run:
        ways = (Way(each.key, each.behaviour, _bytes(bits(row_place, each.rows)), each.state) for each in one.results)
        looked, taken = _bytes(bits(step_place, one.met.steps)), _bytes(bits(row_place, one.met.rows))
        return Run(one.label, one.asked, one.names, tuple(ways), one.failed, one.reacts, one.words, looked, taken)

    known: set[frozenset[str]] = set()

    def after(trail: str, one: Performed) -> Iterable[tuple[Handles, Names, str]]:
        for name, those in grouped(one.results).items():
            key = frozenset(each.key for each in those)
            if key not in known:
                known.add(key)
                yield tuple(each.handle for each in firsts(those)), one.names, further(trail, one.asked, name)

    places: list[Place] = []
    level = list(after(ROOT, opened))
    cut = False
    while level:
        if len(places) + len(level) > most:
            cut = True
            break
        following: list[tuple[Handles, Names, str]] = []
        for handles, names, trail in level:
            (kept,) = side.give([handles])
            tried = side.everything(handles, names)
            places.append(Place(trail, kept, tuple(run(one) for one in tried)))
            for one in tried:
                if not one.reacts:
                    following += after(trail, one)
        level = following
    side.watches = False
    return Alone(scope.name, rows, steps, run(opened), tuple(places), cut)


def _bytes(number: int) -> bytes:
    return number.to_bytes((number.bit_length() + 7) // 8, "big")
