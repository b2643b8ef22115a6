"""Addresses of gates and patterns of reactions: when one fits, as plain functions over values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lifecycle_model.commands import Hold, Release, Watch
from lifecycle_model.state import HoldArm, OpenGate
from lifecycle_model.wire import UNSET


def frozen(value: object) -> object:
    """A JSON value as a hashable one."""
    if isinstance(value, dict):
        return tuple(sorted((k, frozen(v)) for k, v in value.items()))
    if isinstance(value, list | tuple):
        return tuple(frozen(v) for v in value)
    return value


def matches(on: Iterable[tuple[str, object]], facts: dict[str, object]) -> bool:
    """Tell whether the facts have every member of a pattern."""
    return all(key in facts and frozen_fact(facts[key]) == value for key, value in on)


def frozen_fact(value: Any) -> object:
    """A fact as a pattern writes it."""
    if isinstance(value, tuple):
        return tuple(frozen_fact(v) for v in value)
    if hasattr(value, "__struct_fields__"):
        pairs = zip(value.__struct_fields__, value.__struct_encode_fields__, strict=True)
        return tuple(sorted((wire, getattr(value, name)) for name, wire in pairs if getattr(value, name) is not UNSET))
    return value


def arm_of(command: Hold | Watch | Release, sticky: bool) -> HoldArm:
    """The address of a hold, watch or release."""
    return HoldArm(command.gate, command.of, command.turn, command.call, command.record, command.listener, sticky)


def addresses(arm: HoldArm, facts: dict[str, object]) -> bool:
    """Tell whether an address is that of a gate with these facts."""
    if arm.gate != facts["gate"]:
        return False
    for name in ("of", "turn", "call", "record", "listener"):
        wanted = getattr(arm, name)
        if wanted is not None and facts.get(name) != wanted:
            return False
    return True


def gate_facts(gate: OpenGate) -> dict[str, object]:
    """What a gate is addressed by."""
    facts: dict[str, object] = {"gate": gate.kind, "of": gate.of}
    if gate.turn:
        facts["turn"] = gate.turn
    if gate.call:
        facts["call"] = gate.call
    if gate.listener:
        facts["listener"] = gate.listener
    return facts
