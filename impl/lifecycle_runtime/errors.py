"""Every refusal of the runtime, each with a stable `code`. Owns no behaviour."""

from typing import ClassVar


class LifecycleError(Exception):
    """Base of every error this package raises; `code` is stable and meant for programs."""

    code: ClassVar[str] = "lifecycle"


class InvalidValue(LifecycleError):
    """Input is not lossless JSON, or not of the required shape (Q1, L/r1)."""

    code = "invalid"


class InvalidMessage(InvalidValue):
    """A send, steer or inject was given unusable content (Q/r5)."""

    code = "invalid_message"


class Disposed(LifecycleError):
    """The agent was disposed (T5)."""

    code = "disposed"


class NotLive(LifecycleError):
    """The entry is not, or no longer, attached (L/r14)."""

    code = "not_live"


class DuplicateId(LifecycleError):
    """The id already exists (P10, L/r7)."""

    code = "duplicate_id"


class AlreadyEntered(LifecycleError):
    """The object is already attached to a store (L6)."""

    code = "already_entered"


class AlreadyAnnounced(LifecycleError):
    """The entry was announced before (L/r9)."""

    code = "already_announced"


class ReentrantAppend(LifecycleError):
    """An observer tried to append to the log whose append it is observing (L/r2)."""

    code = "reentrant_append"


class Busy(LifecycleError):
    """Another operation of this kind is running (L9)."""

    code = "busy"


class InactiveOwner(LifecycleError):
    """The owning context was unloaded (P/r2, P8)."""

    code = "inactive_owner"


class InactiveProvider(LifecycleError):
    """There is no agent provider, or it is unloading (P15, T12)."""

    code = "inactive_provider"


class ProviderTaken(LifecycleError):
    """The provider slot is occupied (P15)."""

    code = "provider_taken"


class CreationAborted(LifecycleError):
    """The creation signal was aborted with a value that is no exception (P8); see `reason`."""

    code = "aborted"

    def __init__(self, message: str, reason: object) -> None:
        super().__init__(message)
        self.reason = reason


class NoPersistence(LifecycleError):
    """A resume needs persistence and none is loaded (P17)."""

    code = "no_persistence"


class NotStored(LifecycleError):
    """The id has no stored log (D/r8)."""

    code = "not_stored"


class StaleLog(LifecycleError):
    """The stored log changed since it was loaded (P17)."""

    code = "stale_log"


class ConflictingIds(LifecycleError):
    """Configured agents contradict each other (G2)."""

    code = "conflicting_ids"


class MissingService(LifecycleError):
    """No context in sight provides the service."""

    code = "missing_service"


class Unsupported(LifecycleError):
    """The call needs a policy that is off, or cannot be done this way."""

    code = "unsupported"


class GateCancelled(LifecycleError):
    """A gate ended by cancelling itself; counted as its failure (Q22)."""

    code = "gate_cancelled"


class UnknownTask(LifecycleError):
    """No such background task (O/r6)."""

    code = "unknown_task"


class ForeignTask(LifecycleError):
    """The task belongs to another session (O/r4)."""

    code = "foreign_task"


class TaskAborted(LifecycleError):
    """The signal was aborted before the start (O/r2)."""

    code = "aborted"
