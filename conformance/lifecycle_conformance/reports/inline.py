"""Owns putting SVG documents into one page: ids that stay their own, a style that several share stands once.

Refuses to read what a picture shows.
"""

from __future__ import annotations

import re

_STYLE = re.compile(r"<style>.*?</style>\n?", re.DOTALL)
_ID = re.compile(r'(\bid="|aria-labelledby="|aria-describedby="|href="#|url\(#)([^")]+)')
_PROLOGUE = re.compile(r"^\s*(?:<\?xml[^>]*\?>|<!DOCTYPE[^>]*>|\s)*", re.IGNORECASE)


class Inliner:
    """Makes pictures fit to stand in one page, in the order they are given."""

    def __init__(self) -> None:
        self._styles: set[str] = set()
        self._count = 0

    def inline(self, svg: str) -> str:
        """The picture with ids no other has, and without a style that stands in the page already."""
        self._count += 1
        prefix = f"s{self._count}-"
        body = _ID.sub(lambda found: found[1] + " ".join(prefix + name for name in found[2].split()), svg)
        return _STYLE.sub(self._once, _PROLOGUE.sub("", body)).rstrip("\n")

    def _once(self, style: re.Match[str]) -> str:
        known = style[0] in self._styles
        self._styles.add(style[0])
        return "" if known else style[0]
