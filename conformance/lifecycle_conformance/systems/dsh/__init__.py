"""The published TypeScript runtime as a system under test: its pinned packages and the command of its adapter.

The adapter itself is the plain JavaScript beside this file; it speaks protocol 1 and needs nothing of this package.
"""

from lifecycle_conformance.systems.dsh.errors import (
    DshError,
    InstallFailedError,
    NodeMissingError,
    NotInstalledError,
)
from lifecycle_conformance.systems.dsh.pinned_set import (
    Description,
    command,
    default_cache,
    describe,
    install,
    is_installed,
    remove,
    set_folder,
)

__all__ = [
    "Description",
    "DshError",
    "InstallFailedError",
    "NodeMissingError",
    "NotInstalledError",
    "command",
    "default_cache",
    "describe",
    "install",
    "is_installed",
    "remove",
    "set_folder",
]
