"""Owns how much room text takes: widths of the usual sans-serif letters, with slack, so that no font has to be found.

Refuses to ask this machine: the same text has the same size everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

SLACK = 1.19
"""Room for fonts that are wider than the ones measured here."""
LEADING = 1.27
"""Height of a line in letters."""
BOLD = 1.07

_CLASSES = (
    ("ijl'|", 222),
    (" .,:;/\\!tfI[]", 278),
    ('r()-`"', 333),
    ("*", 389),
    ("cksvxyzJ", 500),
    ("abdeghnopqu0123456789L_$?#", 556),
    ("FTZ+=<>~", 611),
    ("ABEKPSVXY&", 667),
    ("CDHNRUw", 722),
    ("GOQ", 778),
    ("mM", 833),
    ("W", 944),
    ("→←↑↓…—@%▸", 1000),
    ("①②③④⑤⑥⑦⑧⑨◆■×↺", 1000),
)
_WIDTHS = {letter: width for letters, width in _CLASSES for letter in letters}
_OTHER = 600


class Size(NamedTuple):
    """Width and height of a block of lines, in pixels."""

    width: float
    height: float


def line_width(line: str, size: float, bold: bool = False) -> float:
    """The width of one line at a letter size, with slack."""
    units = sum(_WIDTHS.get(letter, _OTHER) for letter in line)
    return units * size / 1000 * SLACK * (BOLD if bold else 1)


def block(lines: Sequence[str], size: float, bold_first: bool = False) -> Size:
    """The room a block of lines takes."""
    widths = [line_width(line, size, bold_first and index == 0) for index, line in enumerate(lines)]
    return Size(max(widths, default=0), len(lines) * size * LEADING)
