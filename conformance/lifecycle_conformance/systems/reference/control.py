"""The commands that steer the run itself: gates, reactions, ticks, owners and providers."""

from __future__ import annotations

import msgspec

from lifecycle_conformance.systems.reference.life import Answered, not_live
from lifecycle_conformance.systems.reference.world import OK, World, performs
from lifecycle_model import commands as ask
from lifecycle_model.commands import GateAddress
from lifecycle_model.wire import Answer

GATES = (
    "setup",
    "scope_mint",
    "load",
    "config_lookup",
    "validation",
    "policy",
    "assembly",
    "prefix",
    "pre_step",
    "post_step",
    "model",
    "recovery",
    "tool",
    "continuation",
    "stopping",
    "flush",
    "scope",
    "output",
    "write",
    "driver",
)
"""Every gate the reference can be held at."""

_NO_GATE = "no_such_gate"


def _unknown(gate: str) -> Answer | None:
    if gate in GATES:
        return None
    return Answer(refused=_NO_GATE, message=f"{gate} is no gate here; there are {', '.join(GATES)}")


@performs(ask.Hold)
def hold(world: World, command: ask.Hold) -> Answered:
    """Arm one hold; a driver's lasts until it is released."""
    if (refused := _unknown(command.gate)) is not None:
        return refused
    if command.gate == "driver":
        if command.of is None:
            return Answer(refused="invalid", message="the driver gate is held for one agent; name it in `of`")
        world.drivers.hold(command.of)
        return OK
    _name(world, command)
    world.gates.hold(command)
    return OK


@performs(ask.Watch)
def watch(world: World, command: ask.Watch) -> Answered:
    """Report a gate whenever it is entered."""
    if (refused := _unknown(command.gate)) is not None:
        return refused
    _name(world, command)
    world.gates.watch(command)
    return OK


@performs(ask.Release)
def release(world: World, command: ask.Release) -> Answered:
    """Let the oldest waiting gate at this address go on."""
    if command.gate == "driver":
        found = command.of is not None and world.drivers.release(command.of)
    else:
        found = world.gates.release(command)
    return OK if found else Answer(refused=_NO_GATE, message=f"nothing waits at {command.gate}")


def _name(world: World, address: ask.Hold | ask.Watch | GateAddress) -> None:
    """Naming a flush listener makes one."""
    if address.gate == "flush" and address.listener is not None:
        world.flushes.name(address.listener)


@performs(ask.React)
def react(world: World, command: ask.React) -> Answered:
    """Arm a reaction, on a gate or on an event."""
    if "event" in command.on:
        if command.through is not None:
            context = world.context(command.through)
            if context is None:
                return not_live(f"agent {command.through}")
        else:
            context = world.home
        if command.on["event"] == "task":
            _ = (
                world.shell
            )  # loaded first, as it would be had anybody asked for a task: its notice comes before reactions
        if not world.reactions.arm(command, context):
            return Answer(refused="unsupported", message=f"nobody can listen to {command.on['event']}")
        return OK
    try:
        address = msgspec.convert(command.on, GateAddress)
    except msgspec.ValidationError as error:
        return Answer(refused="invalid", message=f"on: {error}")
    if (refused := _unknown(address.gate)) is not None:
        return refused
    _name(world, address)
    world.gates.react(address, command)
    return OK


@performs(ask.Disarm)
def disarm(world: World, command: ask.Disarm) -> Answered:
    """Disarm reactions; nothing to disarm is no error."""
    world.gates.disarm(command.as_)
    world.reactions.disarm(command.as_)
    return OK


@performs(ask.Tick)
def tick(world: World, command: ask.Tick) -> Answered:
    """Let a held driver make one segment."""
    if world.drivers.tick(command.agent):
        return OK
    return Answer(refused=_NO_GATE, message=f"the driver of {command.agent} does not wait")


@performs(ask.UnloadOwner)
def unload_owner(world: World, command: ask.UnloadOwner) -> Answered:
    """Unload an owner fiber."""
    owner = world.owner(command.fiber)
    if owner is None:
        return not_live(f"fiber {command.fiber}")
    return world.follow(command.as_, owner.unload())


@performs(ask.UnloadProvider)
def unload_provider(world: World, command: ask.UnloadProvider) -> Answered:
    """Unload a provider."""
    provider = world.providers.get(command.provider)
    if provider is None:
        return not_live(f"provider {command.provider}")
    return world.follow(command.as_, provider.unload())


@performs(ask.LoadProvider)
def load_provider(world: World, command: ask.LoadProvider) -> Answered:
    """Register a provider, with configured agents if any."""
    known = world.births.labels()
    configured = tuple(map(world.births.configured, command.configured))
    owner = world.owner(command.owner)
    try:
        world.load_provider(command.as_, owner, configured)
    except Exception:
        world.births.relabel(known)  # what starts meanwhile is another provider's still
        raise
    return OK
