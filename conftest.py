"""Owns the real browser that pages and pictures are opened in: Debian's Chromium, driven by Playwright.

Skips only where it is absent.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser


# Playwright keeps an event loop running in this thread: no longer than a module, or tests with loops of their own fail
@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A headless browser for the tests of a module."""
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("there is no Chromium here; next: apt-get install chromium")
    with sync_playwright() as playwright:
        # a container's root has no user namespaces to make the sandbox of
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()
