"""A second correct runtime, written from the contract alone: no task and no loop of its own, its caller steps it.

It exists to keep the judge honest: another design, using the freedom the contract leaves, must never be failed.
Judge it with `lifecycle check python:lifecycle_conformance.systems.stepped:make`.
"""

from __future__ import annotations

from lifecycle_conformance.systems.stepped.system import SteppedSystem


def make() -> SteppedSystem:
    """A fresh system."""
    return SteppedSystem()
