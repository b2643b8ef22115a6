"""The adapter around `lifecycle_runtime`. The only place of the judge, with `lifecycle agent`, that knows it."""

from lifecycle_conformance.systems.reference import acp, control, life, reads, sessions, tasks
from lifecycle_conformance.systems.reference.system import ReferenceSystem

__all__ = ["ReferenceSystem", "acp", "control", "life", "make", "reads", "sessions", "tasks"]


def make() -> ReferenceSystem:
    """Make the system; the modules imported above register the commands of their sections."""
    return ReferenceSystem()
