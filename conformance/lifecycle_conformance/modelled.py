"""Whether the model carries what a vector asks, so that the oracle can judge it; else monitors and vectors do alone."""

from __future__ import annotations

from lifecycle_conformance.carried import carried
from lifecycle_conformance.engines import Worker
from lifecycle_model.wire import Vector


def modelled(worker: Worker, vector: Vector) -> bool:
    """Tell whether the model carries everything the vector asks, so that the oracle can judge it too."""
    return carried(worker.engine.contract, (burst.do for burst in vector.bursts))
