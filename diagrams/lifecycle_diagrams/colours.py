"""Owns every colour of the pictures, for light and for dark surroundings. Refuses colour as the only sign of anything."""

from __future__ import annotations

from typing import NamedTuple


class Pair(NamedTuple):
    """One colour in light and in dark surroundings."""

    light: str
    dark: str


COLOURS: dict[str, Pair] = {
    "ground": Pair("#ffffff", "#0d1117"),
    "frame": Pair("#f4f6f9", "#151b23"),
    "rim": Pair("#c4ccd6", "#3d444d"),
    "card": Pair("#fefefe", "#212830"),
    "head": Pair("#e6ebf1", "#2c3540"),
    "ink": Pair("#1f2328", "#e9eef4"),
    "line": Pair("#57606a", "#9aa4af"),
    "faint": Pair("#59636e", "#a3adb8"),
    "guard": Pair("#7a3e9d", "#d9a8ff"),
    "said": Pair("#0a4fa8", "#83c0ff"),
    "mark": Pair("#9a4a00", "#f0a860"),
    "grey": Pair("#b9c1ca", "#4b535d"),
    "greycard": Pair("#fbfbfc", "#12171d"),
    "added": Pair("#136c34", "#4fcf6b"),
    "addedcard": Pair("#e2f6e6", "#12321c"),
    "removed": Pair("#bd1f2c", "#ff7d78"),
    "removedcard": Pair("#fdeaea", "#3c1618"),
    "changed": Pair("#8f5300", "#e8b04a"),
    "changedcard": Pair("#fff4d8", "#352a10"),
    "heat0": Pair("#c01f4f", "#ff86a8"),
    "heat0card": Pair("#ffe3ea", "#431526"),
    "heat1": Pair("#2f7f95", "#6fb9cc"),
    "heat1card": Pair("#e3f2f6", "#14292f"),
    "heat2": Pair("#1f6f86", "#80c8da"),
    "heat2card": Pair("#c3e5ee", "#17363f"),
    "heat3": Pair("#125f75", "#93d6e7"),
    "heat3card": Pair("#9bd4e2", "#1a4652"),
    "heat4": Pair("#044f63", "#a9e5f4"),
    "heat4card": Pair("#6fc0d3", "#1d5868"),
}
"""Each name with its pair; every light value occurs once, so that a drawn colour can be told by it."""


def stroke(tone: str, plain: str = "line") -> str:
    """The colour name of a line of this tone."""
    return tone or plain


def card(tone: str, plain: str = "card") -> str:
    """The colour name of a surface of this tone."""
    return f"{tone}card" if tone else plain


def light(name: str) -> str:
    """A colour by name, in light surroundings."""
    return COLOURS[name].light
