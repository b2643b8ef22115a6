"""Whether the model carries what a run asks, so that the oracle can judge it; else monitors and vectors do alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lifecycle_conformance.engines import Worker
from lifecycle_model.commands import AnyCommand, Disarm, Hold, LoadProvider, React, Read, Release, Tick, Watch
from lifecycle_model.table import Contract
from lifecycle_model.wire import Vector


def modelled(worker: Worker, vector: Vector) -> bool:
    """Tell whether the model carries everything the vector asks, so that the oracle can judge it too."""
    return carried(worker.engine.contract, (burst.do for burst in vector.bursts))


def carried(contract: Contract, bursts: Iterable[Sequence[AnyCommand]]) -> bool:
    """Tell whether the contract's rows carry every command, so that the oracle can judge a run of them."""
    return all(_carried(contract, command) for burst in bursts for command in burst)


def _carried(contract: Contract, command: AnyCommand) -> bool:
    if isinstance(command, React):
        gate = command.on.get("gate")
        return (gate is None or gate in contract.gates) and all(_carried(contract, one) for one in command.then)
    if isinstance(command, Hold | Watch | Release):
        return command.gate in contract.gates
    if isinstance(command, LoadProvider) and any(not (one.id or one.resume) for one in command.configured):
        return False  # a fresh id is the system's own: its agent has no name for the judge
    return isinstance(command, Read | Disarm | Tick) or command.verb in contract.verbs
