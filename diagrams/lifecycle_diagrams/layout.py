"""Lays DOT out as bare SVG, without the fonts of this machine. Refuses to work without `pygraphviz`, and says how to get it."""

from __future__ import annotations

import importlib.util
import os
import sys
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
    return importlib.util.find_spec("pygraphviz") is not None


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


@contextmanager
def _fontconfig_unheard() -> Iterator[None]:
    """What the C library says of this machine's font configuration is dropped; whatever else is said stays."""
    sys.stderr.flush()
    stderr = os.dup(2)
    with tempfile.TemporaryFile() as heard:
        os.dup2(heard.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)
            heard.seek(0)
            for line in heard.read().splitlines(keepends=True):
                if not line.startswith(b"Fontconfig"):
                    os.write(2, line)


def laid_out(source: str) -> str:
    """The SVG that Graphviz makes of a DOT source; DiagramError without the layout extra."""
    if not available():
        raise DiagramError(
            "SVG needs the layout extra, pygraphviz, which is not installed",
            hint=f"{EXTRA}; Mermaid and DOT work without it",
        )
    with _without_fonts(), _fontconfig_unheard(), warnings.catch_warnings():
        import pygraphviz

        warnings.simplefilter("ignore")  # Graphviz may warn that it found no font, which is what we want
        return bytes(pygraphviz.AGraph(source).draw(format="svg", prog="dot")).decode()
