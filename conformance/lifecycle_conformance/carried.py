"""Whether a contract's rows carry what a run asks, command by command. Refuses to know what a command does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lifecycle_model.commands import AnyCommand, Disarm, Hold, LoadProvider, React, Read, Release, Tick, Watch
from lifecycle_model.table import Contract


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
