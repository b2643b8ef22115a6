"""The four statuses and their projection for hosts that do not show `cancelling`."""

from enum import StrEnum


class Status(StrEnum):
    """What `agent.status` can say (S1)."""

    IDLE = "idle"
    RUNNING = "running"
    CANCELLING = "cancelling"
    DISPOSED = "disposed"


def project(status: Status) -> Status:
    """Map `cancelling` to `running` (policy cancelling_published off)."""
    return Status.RUNNING if status is Status.CANCELLING else status
