"""Who is to blame when no verdict can be given: the adapter, or whoever called us. Refuses to speak of violations.

A violation is never an exception: it is a verdict. What is raised here makes a check INCONCLUSIVE or a wrong use.
"""

from __future__ import annotations


class SystemsError(Exception):
    """Base of every exception of this package: what happened, and what to do next (`hint`)."""

    exit_code = 3

    def __init__(self, what: str, *, hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.what} ({self.hint})" if self.hint else self.what


class UsageError(SystemsError):
    """The caller named something that does not exist or cannot be used. Exit code 2."""

    exit_code = 2


class AdapterError(SystemsError):
    """The adapter, or the process it drives, failed: nothing is known about the system. Exit code 3.

    `burst` is the index of the burst at fault where one can be named; `stderr` holds the last lines a child wrote.
    """

    def __init__(self, what: str, *, hint: str = "", burst: int | None = None, stderr: tuple[str, ...] = ()) -> None:
        super().__init__(what, hint=hint)
        self.burst = burst
        self.stderr = stderr

    def __str__(self) -> str:
        said = super().__str__()
        return said + "".join(f"\n  stderr: {line}" for line in self.stderr)


class SystemExited(AdapterError):
    """The child ended while an answer was due; `status` is its exit status, negative for a signal."""

    status: int | None = None


class SystemHung(AdapterError):
    """No answer within the time limit. `burst` names the one that hangs when repeated one at a time."""


class NeverQuiet(AdapterError):
    """The system kept running, or kept work outside the event loop, beyond every bound."""


class NotProtocol(AdapterError):
    """The child wrote something that is no message of the protocol: not JSON, a wrong shape, an unasked line."""


class WrongId(NotProtocol):
    """The child answered another request than the one that was due."""


class OutputFlood(AdapterError):
    """The child wrote more than the limit without answering."""


class Rejected(AdapterError):
    """The system answered a request of the judge with a JSON-RPC error; `code` is that of the protocol."""

    def __init__(self, what: str, code: int, *, hint: str = "", stderr: tuple[str, ...] = ()) -> None:
        super().__init__(what, hint=hint, stderr=stderr)
        self.code = code
