"""The invariants of the contract (I1 to I21) over raw traces: the guard against one misreading in model and runtime.

Refuses to read the model's rows, to import a runtime, and to judge what a system's profile does not show.
"""

from lifecycle_conformance.monitors.finding import Finding
from lifecycle_conformance.monitors.watch import CARRIED, MONITORS, watch

__all__ = ["CARRIED", "MONITORS", "Finding", "watch"]
