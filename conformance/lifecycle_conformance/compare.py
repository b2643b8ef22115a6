"""How what was seen is compared with what the model allows: projected to a profile, in order per subject.

Refuses to compare texts, times and members a system leaves out and the contract does not demand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from lifecycle_model.wire import ANY, NEW, NOTHING, UNSET, Answer, Observation, Profile, members

UNORDERED = frozenset({"settled", "contained"})
"""Compared as a multiset of the burst: when they are reported is not the contract's."""

UNTOLD = frozenset({"driver", "output"})
"""Not compared: where a driver wakes, and which records make an update for a client, are not the contract's."""

IGNORED = frozenset({"interrupted", "text", "value", "length"})
"""Members that carry texts or internals."""

NAMED_CODES = frozenset({"ABORTED_BEFORE_DISPATCH"})
"""Result codes the contract names; others are a system's own."""

OPTIONAL = {
    "agent/inbox/enqueue": ("steering", "wakeup"),
    "agent/inbox/dequeue": ("steering", "wakeup"),
    "turn/start": ("trigger",),
    "agent/session-start": ("source",),
    "gate": ("turn", "call", "signal", "record", "listener"),
    "request": ("messages",),
    "assistant/message": ("message",),
    "session/flush": ("ok",),
    "contained": ("name",),
    "heard": ("name", "answers"),
}
"""Members compared only where both sides have them."""


def agree(expected: Observation, seen: Observation) -> bool:
    """Tell whether one observation may stand for the other."""
    if expected == seen:
        return True
    if expected.event != seen.event or not _subjects_agree(expected, seen):
        return False
    left, right = members(expected), members(seen)
    optional = OPTIONAL.get(expected.event, ())
    for name in left.keys() | right.keys():
        if name in ("event", "of") or name in IGNORED:
            continue
        if name == "wakeup" and expected.steering is True:
            continue
        if name == "step" and expected.event in ("gate", "agent/error"):
            if expected.event == "agent/error" and not _steps_agree(expected, seen):
                return False
            continue
        if name == "code":
            if _named(left.get(name)) != _named(right.get(name)):
                return False
            continue
        if name in left and name in right:
            if name == "answers":
                if not _answers_agree(left[name], right[name]):
                    return False
            elif not _value_agrees(left[name], right[name]):
                return False
        elif name not in optional and name in left:
            return False
    return True


def _subjects_agree(expected: Observation, seen: Observation) -> bool:
    """A contained failure may have no subject of its own."""
    return expected.of == seen.of or (expected.event == "contained" and UNSET in (expected.of, seen.of))


def _steps_agree(expected: Observation, seen: Observation) -> bool:
    return expected.step == seen.step


def _named(code: object) -> object:
    return code if code in NAMED_CODES else None


def _value_agrees(expected: Any, seen: Any) -> bool:
    if expected == ANY:
        return True
    if isinstance(expected, tuple) and ANY in expected and isinstance(seen, tuple):
        pairs = zip(expected, seen, strict=False)
        return len(expected) == len(seen) and all(_value_agrees(one, other) for one, other in pairs)
    if isinstance(expected, tuple) and expected and hasattr(expected[0], "__struct_fields__"):
        return len(expected) == len(seen) and all(
            one.id == other.id and (UNSET in (one.steering, other.steering) or one.steering == other.steering)
            for one, other in zip(expected, seen, strict=True)
        )
    return bool(expected == seen)


def answers_agree(expected: Answer, seen: Answer) -> bool:
    """Tell whether a call's answer is the allowed one: refusal codes equal, reads equal where both know a value.

    What a call answers where the contract names no value is the system's own; the id that `send` returns is not (Q2),
    and neither is a thrown value where the contract has the call succeed.
    """
    if expected.refused is not UNSET or seen.refused is not UNSET:
        return expected.refused == seen.refused or (expected.refused == ANY and seen.refused is not UNSET)
    if expected.pending is not UNSET or seen.pending is not UNSET:
        return expected.pending == seen.pending
    if seen.ok is UNSET:
        return expected.ok is UNSET and expected.value == seen.value
    if isinstance(expected.ok, dict):
        return isinstance(seen.ok, dict) and read_agrees(expected.ok, seen.ok)
    if isinstance(expected.ok, list):
        return isinstance(seen.ok, list | tuple) and records_agree(expected.ok, seen.ok)
    if isinstance(expected.ok, bool):
        return expected.ok is seen.ok
    if expected.ok in (NEW, NOTHING):
        return bool(seen.ok) == (expected.ok == NEW)
    if isinstance(expected.ok, str) and expected.ok != ANY:
        return expected.ok == seen.ok
    return True


def _answers_agree(expected: Any, seen: Any) -> bool:
    return len(expected) == len(seen) and all(answers_agree(e, s) for e, s in zip(expected, seen, strict=True))


LISTS = frozenset({"agents", "roots", "sessions", "records"})
"""What is read of them is a list in no order that the contract states."""


def read_agrees(expected: dict[str, Any], seen: dict[str, Any]) -> bool:
    """Tell whether what was read is what is allowed, in every value that both know."""
    for name, value in expected.items():
        if name not in seen:
            continue
        other = seen[name]
        if name == "stored" and not value and not other:
            continue  # whether a log of no records is a stored one is not the contract's (D7)
        if name in ("log", "stored") and isinstance(other, list | tuple) and value is not None:
            if not records_agree(value, other):
                return False
        elif isinstance(value, dict) and isinstance(other, dict):
            if any(key in other and other[key] != inner for key, inner in value.items()):
                return False
        elif name in LISTS and isinstance(value, list) and isinstance(other, list | tuple):
            if sorted(value) != sorted(other):
                return False
        elif msgspec.to_builtins(value) != msgspec.to_builtins(other):
            return False
    return True


def records_agree(expected: Sequence[Any], seen: Sequence[Any]) -> bool:
    """Tell whether two logs are the same, record by record."""
    theirs = [msgspec.convert(record, Observation) for record in msgspec.to_builtins(seen)]
    mine = [record if isinstance(record, Observation) else msgspec.convert(record, Observation) for record in expected]
    return len(theirs) == len(mine) and all(agree(a, _of(b, a)) for a, b in zip(mine, theirs, strict=True))


def _of(record: Observation, like: Observation) -> Observation:
    return record if record.of is not UNSET else msgspec.structs.replace(record, of=like.of)


class Projection:
    """What of the contract's observations a profile shows; keeps the last status shown, to drop repeats."""

    def __init__(self, profile: Profile, shown: dict[str, str] | None = None) -> None:
        """Begin with nothing shown, or continue from an earlier burst."""
        self.profile = profile
        self.events = frozenset(profile.observations)
        self.statuses = frozenset(profile.statuses)
        self.shown = dict(shown or {})

    def project(self, seen: Iterable[Observation]) -> list[Observation]:
        """The observations a system with this profile shows."""
        kept: list[Observation] = []
        for one in seen:
            if one.event in ("session/created", "agent/created") and one.of is not UNSET:
                self.shown[str(one.of)] = "idle"
            if one.event == "fault":
                kept.append(one)
            if one.event not in self.events or one.event in UNTOLD or (one.event == "gate" and one.gate in UNTOLD):
                continue
            if one.event == "agent/status":
                status = project_status(str(one.status), self.statuses)
                if status is None or self.shown.get(str(one.of), "idle") == status:
                    continue
                self.shown[str(one.of)] = status
                one = msgspec.structs.replace(one, status=status)
            if one.event == "heard" and one.answers is not UNSET:
                answers = tuple(project_answer(answer, self.statuses) for answer in one.answers)
                one = msgspec.structs.replace(one, answers=answers)
            if one.event == "gate" and kept and _same_gate(kept, one):
                continue
            kept.append(one)
        return kept


def _same_gate(kept: Sequence[Observation], one: Observation) -> bool:
    """Whether the subject's last observation is the same model gate, as after a chunk."""
    for other in reversed(kept):
        if other.of == one.of:
            return other.event == "gate" and other.gate == one.gate == "model" and other.turn == one.turn
    return False


def project_status(status: str, known: frozenset[str]) -> str | None:
    """Map a status to one the system publishes; None where it has no word for it."""
    if status in known:
        return status
    return "running" if status == "cancelling" else None


def project_answer(answer: Answer, statuses: frozenset[str]) -> Answer:
    """A read with its statuses mapped to those the system publishes."""
    if not isinstance(answer.ok, dict) or len(statuses) == 4:
        return answer
    found = dict(answer.ok)
    if isinstance(found.get("status"), str):
        status = project_status(found["status"], statuses)
        if status is None:
            del found["status"]
        else:
            found["status"] = status
    if isinstance(found.get("inspect"), dict):
        inspect = dict(found["inspect"])
        status = project_status(str(inspect.get("status")), statuses)
        if status is None:
            inspect.pop("status", None)
        else:
            inspect["status"] = status
        found["inspect"] = inspect
    return Answer(ok=found)


def split(
    seen: Iterable[Observation], loose_gates: frozenset[str]
) -> tuple[dict[str, list[Observation]], list[Observation]]:
    """Ordered observations by subject, and the unordered ones."""
    ordered: dict[str, list[Observation]] = {}
    loose: list[Observation] = []
    for one in seen:
        if one.event in UNORDERED or (one.event == "gate" and one.gate in loose_gates):
            loose.append(one)
        else:
            ordered.setdefault("" if one.of is UNSET else str(one.of), []).append(one)
    return ordered, loose


def moments(seen: Iterable[Observation], about: Mapping[str, str]) -> dict[str, int]:
    """How many observations of its subject came before each call settled; of the calls `about` knows the subject of.

    The order among calls is nobody's promise, and so not in it; nor is a settled flush, which nobody hears.
    """
    before: dict[str, int] = {}
    found: dict[str, int] = {}
    for one in seen:
        if one.event == "settled" and str(one.of) in about:
            found[str(one.of)] = before.get(about[str(one.of)], 0)
        elif one.event not in UNORDERED and one.state != "settled" and one.of is not UNSET:
            before[str(one.of)] = before.get(str(one.of), 0) + 1
    return found


def same_multiset(
    expected: Sequence[Observation], seen: Sequence[Observation]
) -> tuple[list[Observation], list[Observation]]:
    """Pair equal observations; what is missing, and what is too many."""
    left = list(seen)
    missing: list[Observation] = []
    for one in expected:
        for index, other in enumerate(left):
            if agree(one, other):
                del left[index]
                break
        else:
            missing.append(one)
    return missing, left
