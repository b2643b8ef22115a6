"""Makes a PNG of an SVG, with a browser that is already here. Refuses to install one, and says what to install."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from lifecycle_diagrams.errors import DiagramError

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
_SIZE = re.compile(r'<svg[^>]*? width="(\d+)"[^>]*? height="(\d+)"')
TIMEOUT = 60
"""Seconds a browser may take for one picture."""


def browser() -> str | None:
    """A browser on the path that can draw without a window."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def png(svg: str, width: int | None = None) -> bytes:
    """The picture as PNG, in light surroundings; `width` scales it down. DiagramError without a browser."""
    program = browser()
    if program is None:
        raise DiagramError(
            "PNG needs a browser, and none is on the path", hint=f"install one of {', '.join(BROWSERS)}; SVG needs none"
        )
    size = _SIZE.search(svg)
    assert size is not None
    wide, high = int(size.group(1)), int(size.group(2))
    if width is not None and width < wide:
        wide, high = width, round(high * width / wide)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "picture.svg").write_text(svg, encoding="utf-8")
        page = Path(folder) / "page.html"
        page.write_text(
            f'<!doctype html><meta charset="utf-8"><body style="margin:0"><img src="picture.svg" width="{wide}">',
            encoding="utf-8",
        )
        picture = Path(folder) / "picture.png"
        command = [
            program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            f"--user-data-dir={folder}/profile", f"--window-size={wide},{high}", f"--screenshot={picture}",
            page.as_uri(),
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT, check=False)
        if done.returncode != 0 or not picture.exists():
            raise DiagramError(f"{program} drew no PNG", hint=done.stderr.decode(errors="replace")[-400:])
        return picture.read_bytes()
