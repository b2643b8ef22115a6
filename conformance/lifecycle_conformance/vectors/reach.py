"""Owns whether a system can be held to a vector at all: what it cannot be asked or does not show, and why.

Refuses to call that a pass: a vector out of reach is neither kept nor broken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from lifecycle_conformance.monitors.finding import declared
from lifecycle_conformance.monitors.story import inner, outcomes
from lifecycle_model.commands import Acp, AnyCommand, Hold, Json, React, Release, Tick, Watch
from lifecycle_model.wire import Profile, Vector

DEFAULTS: Mapping[str, str] = {
    "keep_inbox": "off",
    "cancelling_published": "on",
    "after_dispose": "rejects",
    "cancel_after_dispose": "silent",
    "foreign_abort_stop_reason": "cancelled",
    "max_tokens_stop_reason": "max_tokens",
    "session_load": "supported",
    "parallel_tools": "off",
}
"""Every optional policy of contract 1 with its default."""


def out_of_reach(vector: Vector, profile: Profile) -> list[str]:
    """Why a system cannot be held to a vector, one reason each; none means that it can.

    Statuses it does not publish are no reason (they are projected away), nor are observations only `never` names.
    """
    if vector.contract != profile.contract:
        return [f"is about contract {vector.contract}, the system's is {profile.contract}"]
    return list(dict.fromkeys([*_needs(vector, profile), *_asked(vector, profile), *_policies(vector, profile)]))


def _needs(vector: Vector, profile: Profile) -> Iterator[str]:
    offered = {
        *profile.commands,
        *profile.gates,
        *profile.reads,
        *profile.observations,
        *profile.policies,
        # members of commands that every system with the command has
        "parent",
        "same_stack",
    }
    for need in vector.needs:
        if need == "ticks":
            if not profile.ticks:
                yield "needs ticks: a driver that can be stepped"
        elif need not in offered and need not in DEFAULTS:
            yield f"needs {need}"


def _asked(vector: Vector, profile: Profile) -> Iterator[str]:
    for burst in vector.bursts:
        for command in burst.do:
            for each in inner(command):
                yield from _command(each, profile)
        wanted = [*burst.must, *(one for only in burst.only for one in only.are)]
        for one in wanted:
            event = str(one.get("event"))
            if event not in profile.observations:
                yield f"is about {event}, which is not shown"


def _command(command: AnyCommand, profile: Profile) -> Iterator[str]:
    if command.verb not in profile.commands:
        yield f"asks for {command.verb}"
    if isinstance(command, Tick) and not profile.ticks:
        yield "needs ticks: a driver that can be stepped"
    gate = command.gate if isinstance(command, Hold | Watch | Release) else None
    if isinstance(command, React):
        on = command.on.get("gate")
        gate = on if isinstance(on, str) else None
        event = command.on.get("event")
        if gate is None and isinstance(event, str) and event not in profile.observations:
            yield f"reacts to {event}, which is not shown"
    if gate is not None and gate not in profile.gates:
        yield f"uses the gate {gate}"


def _policies(vector: Vector, profile: Profile) -> Iterator[str]:
    for name, wanted in vector.policies.items():
        offered = profile.policies.get(name, DEFAULTS.get(name))
        values = list(offered) if isinstance(offered, list | tuple) else [offered]
        if _word(wanted) not in [_word(value) for value in values]:
            yield f"is about the policy {name}={wanted}"
    # another contract has defaults of its own
    for name, default in DEFAULTS.items() if vector.contract == "1" else ():
        fixed = _word(declared(profile.policies.get(name, default)))
        if name not in vector.policies and fixed != default and _TOUCHED[name](vector):
            yield f"holds for {name}={default}, and the system has {fixed}"


def _word(value: Json) -> str:
    return {True: "on", False: "off"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def _named(name: str) -> Callable[[Vector], bool]:
    return lambda vector: f"policy {name}" in vector.clauses or name in vector.needs


def _commands(vector: Vector) -> Iterator[AnyCommand]:
    return (each for burst in vector.bursts for command in burst.do for each in inner(command))


def _refuses_after_disposal(vector: Vector) -> bool:
    refusals = (call.get("refused") for burst in vector.bursts for call in burst.calls or ())
    return "disposed" in refusals or _named("after_dispose")(vector)


def _loads_over_acp(vector: Vector) -> bool:
    return any(isinstance(each, Acp) and each.act == "load" for each in _commands(vector))


def _has_a_batch(vector: Vector) -> bool:
    given = (outcomes(each) for each in _commands(vector))
    return any(outcome is not None and outcome.tools > 1 for outcome in given)


_TOUCHED: Mapping[str, Callable[[Vector], bool]] = {
    "keep_inbox": _named("keep_inbox"),
    # compared through the status projection
    "cancelling_published": _named("cancelling_published"),
    "after_dispose": _refuses_after_disposal,
    "cancel_after_dispose": lambda vector: "C/r5" in vector.clauses or _named("cancel_after_dispose")(vector),
    "foreign_abort_stop_reason": _named("foreign_abort_stop_reason"),
    "max_tokens_stop_reason": _named("max_tokens_stop_reason"),
    "session_load": _loads_over_acp,
    "parallel_tools": _has_a_batch,
}
"""Which vectors a policy can make differ."""
