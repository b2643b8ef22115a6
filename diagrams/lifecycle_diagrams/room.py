"""Finds a place for a text among boxes and lines that are laid out already. Refuses to move a box or a line.

Coordinates are those of the picture, y downwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
PARTS = 16
"""Points that stand for one piece of a curve."""
NUDGES = (0, 6, -6, 12, -12, 18, -18, 26, -26, 34, -34)
STEP = 10.0
"""How far apart the places along the edge of a frame are."""


class Point(NamedTuple):
    """A place in the picture."""

    x: float
    y: float


class Box(NamedTuple):
    """The box around something."""

    left: float
    top: float
    right: float
    bottom: float

    def cuts(self, other: Box) -> bool:
        """They have more than a border in common."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )

    def holds(self, point: Point) -> bool:
        """The point lies inside."""
        return self.left < point.x < self.right and self.top < point.y < self.bottom

    def moved(self, x: float, y: float) -> Box:
        """The same box elsewhere."""
        return Box(self.left + x, self.top + y, self.right + x, self.bottom + y)


@dataclass
class Room:
    """What stands in a picture: boxes, and the points of its lines."""

    boxes: list[Box] = field(default_factory=list[Box])
    points: list[Point] = field(default_factory=list[Point])

    def line(self, path: str) -> None:
        """Add a line as SVG writes it: a start and cubic pieces."""
        numbers = [float(number) for number in _NUMBER.findall(path)]
        ends = [Point(x, y) for x, y in zip(numbers[::2], numbers[1::2], strict=True)]
        for start in range(0, len(ends) - 3, 3):
            self.points += _curve(ends[start : start + 4])

    def free(self, box: Box) -> bool:
        """Nothing stands there."""
        return not any(box.cuts(other) for other in self.boxes) and not any(map(box.holds, self.points))

    def first_free(self, places: Iterable[Box]) -> Box | None:
        """The first of these places where nothing stands."""
        return next((place for place in places if self.free(place)), None)


def _curve(ends: Sequence[Point]) -> list[Point]:
    a, b, c, d = ends
    found: list[Point] = []
    for part in range(PARTS + 1):
        t = part / PARTS
        u = 1 - t
        weights = (u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t)
        found.append(Point(*(sum(w * p[i] for w, p in zip(weights, (a, b, c, d), strict=True)) for i in (0, 1))))
    return [*found, *(Point((p.x + q.x) / 2, (p.y + q.y) / 2) for p, q in pairwise(found))]


def around(box: Box) -> Iterable[Box]:
    """Places near a box, the nearest first."""
    return sorted(
        (box.moved(x, y) for x in NUDGES for y in NUDGES),
        key=lambda one: abs(one.left - box.left) + 2 * abs(one.top - box.top),
    )


def along(frame: Box, width: float, height: float, inset: float) -> Iterable[Box]:
    """Places for a frame's label: along its upper edge from the left, along the lower one, else anywhere inside."""
    first, last = frame.top + inset / 2, frame.bottom - inset / 2 - height
    between = (first + STEP * row for row in range(1, int((last - first) / STEP)))
    for top in (first, last, *between):
        left = frame.left + inset
        while left + width <= frame.right - inset / 2:
            yield Box(left, top, left + width, top + height)
            left += STEP
