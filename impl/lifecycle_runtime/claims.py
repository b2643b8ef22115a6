"""Own which process drives which stored session: one process a session, whatever else shares the log file.

Refuses to outlive the process: a claim is an operating system's lock, gone with whoever held it, however it went.
"""

import hashlib
import os
from pathlib import Path

from lifecycle_runtime.errors import LifecycleError


class ClaimedElsewhere(LifecycleError):
    """Another process has the session open."""

    code = "claimed_elsewhere"


class SessionClaims:
    """Claims on sessions of one log file, kept beside it in `FILE-claims`, which stays empty.

    A process may claim a session as often as it likes; all its claims end when it closes them or ends. Where the
    system has no such locks every claim succeeds.
    """

    def __init__(self, store: Path) -> None:
        self._path = store.with_name(store.name + "-claims")
        self._file: int | None = None

    def take(self, session_id: str) -> None:
        """Claim a session, or raise `ClaimedElsewhere`."""
        try:
            import fcntl
        except ImportError:
            return
        if self._file is None:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        digest = hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).digest()
        # one byte of the file for each session, far beyond its end
        place = int.from_bytes(digest[:7], "big")
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except OSError as error:
            raise ClaimedElsewhere(
                f"session {session_id[:80]!r} is open in another process; close it there first"
            ) from error

    def close(self) -> None:
        """End every claim of this process."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
