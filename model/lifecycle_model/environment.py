"""The environment's own commands: holds, watches, releases, reactions, ticks. They change its component only."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from lifecycle_model.commands import Disarm, Hold, Outcome, React, Release, Tick, Watch, outcome_of
from lifecycle_model.matching import addresses, arm_of, frozen, gate_facts
from lifecycle_model.run import OK, Run
from lifecycle_model.state import Configuration, Reaction
from lifecycle_model.wire import Answer

if TYPE_CHECKING:
    from lifecycle_model.engine import Engine

DEFAULT = Outcome("default")


def hold(engine: Engine, run: Run, command: Hold) -> Answer:
    """Arm a hold: the next gate at the address waits."""
    if command.gate not in engine.contract.gates:
        return Answer(refused="no_such_gate")
    if command.gate == "driver" and command.of is not None:
        run.world = replace(run.world, stepped=run.world.stepped | {command.of})
        return OK
    name_listener(run, command.of, command.listener)
    arm = arm_of(command, command.sticky)
    if arm not in run.world.holds:
        run.world = replace(run.world, holds=(*run.world.holds, arm))
    return OK


def watch(engine: Engine, run: Run, command: Watch) -> Answer:
    """Report a gate each time it is entered."""
    if command.gate not in engine.contract.gates:
        return Answer(refused="no_such_gate")
    name_listener(run, command.of, command.listener)
    run.world = replace(run.world, watches=(*run.world.watches, arm_of(command, False)))
    return OK


def release(engine: Engine, run: Run, command: Release) -> Answer:
    """Let a waiting gate go on."""
    if command.gate == "driver" and command.of in run.world.stepped:
        tick(engine, run, Tick(str(command.of)))  # whether or not it waits just now
        run.world = replace(run.world, stepped=run.world.stepped - {command.of})
        return OK
    outcome = outcome_of(command.with_)
    arm = arm_of(command, False)
    for index, gate in enumerate(run.world.gates):
        if gate.outcome is None and not gate.silent and addresses(arm, gate_facts(gate)):
            gates = (*run.world.gates[:index], replace(gate, outcome=outcome), *run.world.gates[index + 1 :])
            run.world = replace(run.world, gates=gates)
            return OK
    return Answer(refused="no_such_gate")


def react(engine: Engine, run: Run, command: React) -> Answer:
    """Arm a re-entrant listener."""
    outcome = None if command.with_ is None else outcome_of(command.with_)
    on = tuple(sorted(((k, frozen(v)) for k, v in command.on.items()), key=lambda pair: (pair[0] != "gate", pair[0])))
    scope, refused = (None, "")
    if command.through is not None:
        scope, refused = engine.contract.scope(Configuration(dict(run.parts)), command.through)
    if refused:
        return Answer(refused=refused)
    if "gate" in command.on and isinstance(listener := command.on.get("listener"), str):
        name_listener(run, command.on.get("of"), listener)
    armed = Reaction(on, command.then, command.throw, outcome, command.times, scope, command.as_)
    run.world = replace(run.world, reactions=(*run.world.reactions, armed))
    return OK


def name_listener(run: Run, of: object, listener: str | None) -> None:
    """Naming a listener makes one."""
    pair = (of if isinstance(of, str) else None, listener)
    if listener is not None and pair not in run.world.listeners:
        run.world = replace(run.world, listeners=(*run.world.listeners, (pair[0], listener)))


def disarm(engine: Engine, run: Run, command: Disarm) -> Answer:
    """Disarm a reaction by its name, or all of them."""
    kept = () if command.as_ is None else tuple(r for r in run.world.reactions if r.name != command.as_)
    run.world = replace(run.world, reactions=kept)
    return OK


def tick(engine: Engine, run: Run, command: Tick) -> Answer:
    """Let a driver that is held make one segment of its own."""
    if command.agent not in run.world.stepped:
        return Answer(refused="no_such_gate")
    for index, gate in enumerate(run.world.gates):
        if gate.kind == "driver" and gate.of == command.agent and gate.outcome is None:
            gates = (*run.world.gates[:index], replace(gate, outcome=DEFAULT), *run.world.gates[index + 1 :])
            run.world = replace(run.world, gates=gates)
            return OK
    return Answer(refused="no_such_gate")


ENVIRONMENT: dict[type, Callable[[Engine, Run, Any], Answer]] = {
    Hold: hold,
    Watch: watch,
    Release: release,
    React: react,
    Disarm: disarm,
    Tick: tick,
}
"""How each of these commands is performed."""
