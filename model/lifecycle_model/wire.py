"""What is seen: observations, answers, results, profiles, traces, vectors. Refuses nothing unknown in responses.

One observation type carries every event of the contract's *What is observable*; members that do not apply are absent.
"""

from __future__ import annotations

from typing import Any

import msgspec

from lifecycle_model.commands import AnyCommand, Json

UNSET = msgspec.UNSET
UnsetType = msgspec.UnsetType

PROTOCOL = 1
"""The protocol's version."""

ANY = "*"
"""Where the model expects a value: any value will do, as what the system names itself."""
NEW, NOTHING = "+", ""
"""What a task's read gives, where that is known: something, or nothing; texts are not compared."""


class Dropped(msgspec.Struct, frozen=True, omit_defaults=True):
    """One entry of a discard."""

    id: str
    steering: bool | UnsetType = UNSET


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a command returned: exactly one of ok, refused, pending."""

    ok: Json | UnsetType = UNSET
    refused: str | UnsetType = UNSET
    pending: str | UnsetType = UNSET
    message: str | UnsetType = UNSET
    value: Json | UnsetType = UNSET


class Observation(msgspec.Struct, frozen=True, omit_defaults=True, rename={"as_": "as"}):
    """Something seen. `of` is the subject; an agent and its session are one subject."""

    event: str
    of: str | UnsetType = UNSET
    status: str | UnsetType = UNSET
    item: str | UnsetType = UNSET
    steering: bool | UnsetType = UNSET
    wakeup: bool | UnsetType = UNSET
    items: tuple[Dropped, ...] | UnsetType = UNSET
    cause: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    turn: int | UnsetType = UNSET
    step: int | UnsetType = UNSET
    trigger: str | UnsetType = UNSET
    message: str | UnsetType = UNSET
    messages: tuple[str, ...] | UnsetType = UNSET
    id: str | UnsetType = UNSET
    code: str | UnsetType = UNSET
    source: str | UnsetType = UNSET
    state: str | UnsetType = UNSET
    ok: Json | UnsetType = UNSET
    refused: str | UnsetType = UNSET
    gate: str | UnsetType = UNSET
    call: int | UnsetType = UNSET
    record: str | UnsetType = UNSET
    listener: str | UnsetType = UNSET
    signal: str | UnsetType = UNSET
    length: int | UnsetType = UNSET
    as_: str | UnsetType = UNSET
    name: str | UnsetType = UNSET
    answers: tuple[Answer, ...] | UnsetType = UNSET
    label: str | UnsetType = UNSET
    update: Json | UnsetType = UNSET
    task: str | UnsetType = UNSET
    value: Json | UnsetType = UNSET
    interrupted: bool | UnsetType = UNSET
    text: str | UnsetType = UNSET


MEMBERS: dict[str, tuple[str, ...]] = {
    "agent/created": (),
    "agent/disposed": (),
    "agent/session-start": ("source",),
    "agent/status": ("status",),
    "agent/inbox/enqueue": ("item",),
    "agent/inbox/dequeue": ("item",),
    "agent/inbox/discard": ("items",),
    "agent/cancel-requested": ("cause",),
    "abort": ("reason",),
    "agent/error": ("turn", "step"),
    "session/created": (),
    "session/disposed": (),
    "session/flush": ("state",),
    "session/event": (),
    "turn/start": ("turn",),
    "turn/end": ("turn", "reason"),
    "step/start": ("turn", "step"),
    "step/end": ("turn", "step"),
    "user/message": ("message",),
    "steering/message": ("message",),
    "assistant/message": (),
    "prompt/blocked": (),
    "tool/call": ("id",),
    "tool/result": ("id",),
    "agent-loop/config-start-failed": (),
    "request": ("turn", "step"),
    "gate": ("gate",),
    "heard": ("as_",),
    "contained": (),
    "scope": (),
    "task": (),
    "output": (),
    "settled": (),
    "fault": (),
}
"""Every event of protocol 1 with the members it must carry besides `event` and `of`."""

RECORDS = frozenset(
    {
        "turn/start",
        "turn/end",
        "step/start",
        "step/end",
        "user/message",
        "steering/message",
        "assistant/message",
        "prompt/blocked",
        "tool/call",
        "tool/result",
    }
)
"""Log records, which reach the judge flattened out of `session/event`."""


class BurstResult(msgspec.Struct, frozen=True):
    """What one burst answered and what was seen until quiet."""

    calls: tuple[Answer, ...] = ()
    seen: tuple[Observation, ...] = ()


class Profile(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a system can be asked and what it shows. Policies left out have their default."""

    commands: tuple[str, ...] = ()
    observations: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ("idle", "running", "cancelling", "disposed")
    gates: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    policies: dict[str, Json] = {}
    ordered_calls: bool = False
    ticks: bool = False
    snapshots: bool = False
    contract: str = "1"


class Description(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who a system is: the result of `initialize`."""

    name: str
    profile: Profile
    protocol: int = PROTOCOL
    version: str = ""
    language: str = ""


class Only(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Among a subject's observations with these events exactly these occur, in this order."""

    of: str
    events: tuple[str, ...]
    are: tuple[dict[str, Any], ...]


class VectorBurst(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One burst of a vector with what it must and must never show."""

    do: tuple[AnyCommand, ...]
    must: tuple[dict[str, Any], ...] = ()
    never: tuple[dict[str, Any], ...] = ()
    only: tuple[Only, ...] = ()
    settled: tuple[dict[str, Any], ...] | None = None
    calls: tuple[dict[str, Any], ...] | None = None
    reads: dict[str, dict[str, Any]] = {}


class Vector(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A hand-written scenario: a partial expectation."""

    id: str
    title: str
    clauses: tuple[str, ...]
    bursts: tuple[VectorBurst, ...]
    needs: tuple[str, ...] = ()
    policies: dict[str, Json] = {}
    contract: str = "1"
    note: str = ""


class TraceBurst(msgspec.Struct, frozen=True, omit_defaults=True):
    """One burst of a trace: what was asked, answered and seen."""

    do: tuple[AnyCommand, ...]
    calls: tuple[Answer, ...] = ()
    seen: tuple[Observation, ...] = ()


class Trace(msgspec.Struct, frozen=True, omit_defaults=True):
    """A recorded run, replayable by its bursts."""

    bursts: tuple[TraceBurst, ...]
    protocol: int = PROTOCOL
    contract: str = "1"
    policies: dict[str, Json] = {}
    system: str = ""
    version: str = ""
    seed: int = 0
    engine: str = ""
    verdict: str = ""
    clauses: tuple[str, ...] = ()
    about: str = ""
    schedule: tuple[int, ...] = ()
    """Which ready task of a system in process was next, wherever there was a choice; empty: its loop's own order."""


def to_json(value: object) -> bytes:
    """Encode a wire value deterministically (sorted members, no blanks)."""
    return msgspec.json.encode(value, order="sorted")


def members(seen: Observation) -> dict[str, object]:
    """The members an observation has, with their wire names."""
    names = zip(seen.__struct_fields__, seen.__struct_encode_fields__, strict=True)
    return {wire: value for name, wire in names if (value := getattr(seen, name)) is not UNSET}


def missing_members(seen: Observation) -> list[str]:
    """Name what a well-formed observation of this event lacks (empty: well formed; unknown events name `event`)."""
    if seen.event not in MEMBERS:
        return ["event"]
    return [name for name in MEMBERS[seen.event] if getattr(seen, name) is UNSET]


def matches(pattern: dict[str, Json], seen: Observation) -> bool:
    """Tell whether the observation has every member of the pattern with an equal value, as both are on the wire."""
    known = members(seen)
    return all(name in known and _wire(known[name]) == _wire(value) for name, value in pattern.items())


def _wire(value: object) -> object:
    # a tuple here is an array there, as is a list
    return msgspec.json.decode(msgspec.json.encode(value)) if not isinstance(value, str | int | None) else value
