"""What can go wrong with the published TypeScript runtime as a system under test. Each message names the next step."""

from __future__ import annotations

from pathlib import Path

INSTALL = "lifecycle systems install dsh"


class DshError(Exception):
    """Base of every error of this system."""


class NotInstalledError(DshError):
    """The pinned set of packages is not in the cache."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"dsh is not installed (no complete set at {folder}). Next: {INSTALL}")
        self.folder = folder


class NodeMissingError(DshError):
    """No Node to run the adapter with, or no npm to install with."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"dsh needs {what}, and found none. Next: pip install 'lifecycle-spec[node]' (brings Node), then {INSTALL}"
        )


class InstallFailedError(DshError):
    """The package manager failed; nothing was left behind."""

    def __init__(self, code: int, tail: str) -> None:
        super().__init__(
            f"npm ci for dsh ended with exit code {code}; nothing was installed. It said last:\n{tail}\n"
            f"Next: look at the lines above (is the package registry reachable?), then again: {INSTALL}"
        )
        self.code = code
