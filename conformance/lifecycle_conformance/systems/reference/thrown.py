"""What gates and reactions throw into the runtime, and how anything it throws back is answered on the wire.

Refuses to invent a code: what is no exception of the runtime and not ours is the adapter's own mistake.
"""

from __future__ import annotations

from lifecycle_model.commands import Outcome
from lifecycle_model.wire import Answer
from lifecycle_runtime.acp_bridge import BridgeClosed, DisposalFailed
from lifecycle_runtime.acp_slot import PromptFailed
from lifecycle_runtime.errors import CreationAborted, LifecycleError

PLAIN_VALUE = "thrown"
"""The plain value a gate throws when it is told to throw one."""

_CODES = {
    "setup": "setup_failed",
    "scope_mint": "mint_failed",
    "load": "load_failed",
    "config_lookup": "load_failed",
    "validation": "vetoed",
    "flush": "flush_failed",
    "session/flush": "flush_failed",
    "output": "output_failed",
    "write": "flush_failed",
}


class Thrown(Exception):
    """Thrown by a gate told to fail, or by a reaction told to throw; `where` is the gate or the event."""

    def __init__(self, where: str) -> None:
        super().__init__(f"thrown at {where}")
        self.where = where
        self.code = _CODES.get(where, "vetoed")


class ThrownValue(Thrown):
    """Stands for a thrown value that is no exception (a language without such values has nothing nearer)."""


class Aborted(Exception):
    """The error a creation signal is aborted with."""

    code = "aborted"


def failure(where: str, outcome: Outcome) -> Thrown:
    """The exception of a gate whose outcome is `fail`."""
    return ThrownValue(where) if outcome.value else Thrown(where)


def refusal(error: BaseException) -> Answer | None:
    """The answer for what a call raised; None for what nobody should raise."""
    if isinstance(error, PromptFailed | DisposalFailed):
        # what failed is the detail (A5, A11)
        cause = error.failures[0] if isinstance(error, DisposalFailed) else error.__cause__
        return refusal(cause) if cause is not None else None
    if isinstance(error, BridgeClosed):
        return Answer(refused="not_live", message=str(error))
    if isinstance(error, ThrownValue):
        return Answer(value=PLAIN_VALUE)
    if isinstance(error, CreationAborted) and isinstance(error.reason, Exception):
        # only a reason that is no error is wrapped (P8): `aborted` stands for the very error of the signal
        return Answer(refused="invalid", message=f"not the signal's own error: {error}")
    if isinstance(error, Thrown | Aborted | LifecycleError):
        return Answer(refused=error.code, message=str(error))
    return None
