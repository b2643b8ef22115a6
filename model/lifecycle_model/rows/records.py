"""Log records as values: read from JSON, checked against the grammar of a log (L/r1, L10), summed up. Owns no row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from lifecycle_model.wire import UNSET, Observation

BRACKETS = frozenset({"turn/start", "turn/end", "step/start", "step/end"})
UNASKED = frozenset({"step/end", "turn/end", "tool/call", "tool/result"})
"""Records that dispatch validation is not asked about (L/r3)."""


class Tail(Protocol):
    """What a log's grammar needs to know of it."""

    @property
    def turn(self) -> int: ...  # noqa: D102 - the highest logged turn
    @property
    def open(self) -> bool: ...  # noqa: D102 - a turn is open
    @property
    def step(self) -> int: ...  # noqa: D102 - the last step of the open turn
    @property
    def step_open(self) -> bool: ...  # noqa: D102 - a step is open


class _Tail(msgspec.Struct, frozen=True):
    turn: int = 0
    open: bool = False
    step: int = 0
    step_open: bool = False


def read_one(given: object, of: str) -> Observation | None:
    """A record of this session from JSON, or None where it is no record."""
    if not isinstance(given, Mapping) or not isinstance(given.get("event"), str):
        return None
    try:
        record = msgspec.convert({**given, "of": of}, Observation)
    except msgspec.ValidationError:
        return None
    counted = record.event in BRACKETS
    if counted and (record.turn is UNSET or (record.event.startswith("step/") and record.step is UNSET)):
        return None
    return record


def read_all(given: Iterable[object], of: str) -> tuple[Observation, ...] | None:
    """A whole log from JSON, or None where it is none."""
    records: list[Observation] = []
    tail: Any = _Tail()
    for one in given:
        record = read_one(one, of)
        if record is None or not fits(tail, record):
            return None
        records.append(record)
        tail = replace(tail, **followed(tail, record))
    return tuple(records)


def advertised(given: Iterable[object]) -> int:
    """The calls that the last assistant message of a log from JSON advertises."""
    calls = 0
    for one in given:
        if isinstance(one, Mapping) and one.get("event") == "assistant/message":
            tools = one.get("tools", 0)
            calls = tools if isinstance(tools, int) else 0
    return calls


def fits(tail: Tail, record: Observation) -> bool:
    """Tell whether a log with this tail takes the record: turns and steps alternate and count up."""
    match record.event:
        case "turn/start":
            return not tail.open and isinstance(record.turn, int) and record.turn > tail.turn
        case "turn/end":
            return tail.open and not tail.step_open and record.turn == tail.turn
        case "step/start":
            later = isinstance(record.step, int) and record.step > tail.step
            return tail.open and not tail.step_open and record.turn == tail.turn and later
        case "step/end":
            return tail.step_open and (record.turn, record.step) == (tail.turn, tail.step)
        case _:
            return True


def followed(tail: Tail, record: Observation) -> dict[str, Any]:
    """What a record changes in the tail of its log."""
    match record.event:
        case "turn/start":
            return {"turn": record.turn, "open": True, "step": 0, "step_open": False}
        case "turn/end":
            return {"open": False, "step_open": False}
        case "step/start":
            return {"step": record.step, "step_open": True}
        case "step/end":
            return {"step_open": False}
        case _:
            return {}


def summed(records: Iterable[Observation]) -> dict[str, Any]:
    """The tail of a log, as members of a component."""
    tail: Any = _Tail()
    for record in records:
        tail = replace(tail, **followed(tail, record))
    return {"turn": tail.turn, "open": tail.open, "step": tail.step, "step_open": tail.step_open}


def tail_of(part: Tail) -> dict[str, Any]:
    """The tail of a component's log, as members of another."""
    return {"turn": part.turn, "open": part.open, "step": part.step, "step_open": part.step_open}


def closers(records: tuple[Observation, ...], tail: Tail, calls: int, of: str) -> tuple[Observation, ...]:
    """What a repair adds (D/r6): missing calls and results of the last batch, SE, TE(interrupted)."""
    added: list[Observation] = []
    if tail.step_open:
        last = max((at for at, one in enumerate(records) if one.event == "assistant/message"), default=-1)
        behind = records[last + 1 :] if last >= 0 else ()
        started = [str(one.id) for one in behind if one.event == "tool/call"]
        ended = {str(one.id) for one in behind if one.event == "tool/result"}
        names = [f"{tail.turn}.{tail.step}.{call}" for call in range(1, calls + 1)]
        for name in dict.fromkeys([*names, *started]):
            if name not in started:
                added.append(Observation("tool/call", of=of, id=name))
            if name not in ended:
                added.append(Observation("tool/result", of=of, id=name))
        added.append(Observation("step/end", of=of, turn=tail.turn, step=tail.step))
    added.append(Observation("turn/end", of=of, turn=tail.turn, reason="interrupted"))
    return tuple(added)
