"""Lays DOT out as bare SVG, without the fonts of this machine. Refuses to work without `pygraphviz`, and says how to get it."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lifecycle_diagrams.errors import DiagramError

EXTRA = "pip install 'lifecycle-spec[svg]'"
_NO_FONTS = '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig></fontconfig>'


def available() -> bool:
    """The layout extra is installed."""
    try:
        import pygraphviz  # noqa: F401  (only asked for)
    except ImportError:
        return False
    return True


@contextmanager
def _without_fonts() -> Iterator[None]:
    """No font of this machine is looked at: every text has its room already."""
    before = os.environ.get("FONTCONFIG_FILE")
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "fonts.conf"
        empty.write_text(_NO_FONTS)
        os.environ["FONTCONFIG_FILE"] = str(empty)
        try:
            yield
        finally:
            del os.environ["FONTCONFIG_FILE"]
            if before is not None:
                os.environ["FONTCONFIG_FILE"] = before


def laid_out(source: str) -> str:
    """The SVG that Graphviz makes of a DOT source; DiagramError without the layout extra."""
    try:
        import pygraphviz
    except ImportError as error:
        raise DiagramError(
            "SVG needs the layout extra, pygraphviz, which is not installed",
            hint=f"{EXTRA}; Mermaid and DOT work without it",
        ) from error
    with _without_fonts(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Graphviz may warn that it found no font, which is what we want
        return bytes(pygraphviz.AGraph(source).draw(format="svg", prog="dot")).decode()
