"""Owns what is left of a vector's expectations for a system that publishes fewer statuses. Refuses to add any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import msgspec

from lifecycle_conformance.monitors.finding import Shown
from lifecycle_model.commands import Json
from lifecycle_model.wire import Profile, Vector, VectorBurst

STATUS = "agent/status"
Wanted = dict[str, Json]


def project(vector: Vector, profile: Profile) -> Vector:
    """The vector as this system can show it: cancelling reads running, repeats are dropped (`cancelling_published`).

    The status a subject has when a burst begins is taken from the statuses the vector wrote before it.
    """
    shown = Shown.of(profile, vector.policies).statuses
    if shown >= {"idle", "running", "cancelling", "disposed"}:
        return vector
    must: dict[str, str] = {}
    only: dict[str, str] = {}
    return msgspec.structs.replace(vector, bursts=tuple(_burst(burst, shown, must, only) for burst in vector.bursts))


def _burst(burst: VectorBurst, shown: frozenset[str], must: dict[str, str], only: dict[str, str]) -> VectorBurst:
    return msgspec.structs.replace(
        burst,
        must=_statuses(burst.must, shown, must),
        never=tuple(one for one in burst.never if one.get("event") != STATUS or one.get("status", "idle") in shown),
        only=tuple(msgspec.structs.replace(each, are=_statuses(each.are, shown, only)) for each in burst.only),
        calls=None if burst.calls is None else tuple(cast("Wanted", _value(one, shown)) for one in burst.calls),
        reads={name: cast("Wanted", _value(wanted, shown)) for name, wanted in burst.reads.items()},
    )


def _statuses(wanted: Sequence[Wanted], shown: frozenset[str], last: dict[str, str]) -> tuple[Wanted, ...]:
    kept: list[Wanted] = []
    for one in wanted:
        if one.get("event") != STATUS or not isinstance(one.get("status"), str):
            kept.append(cast("Wanted", _value(one, shown)) if one.get("event") == "heard" else one)
            continue
        subject, before = str(one.get("of")), str(one["status"])
        status = _known(before, shown)
        # what is cancelling was running, whether the vector wrote it or not
        repeats = last.get(subject) == status or before == "cancelling"
        if status is not None:
            last[subject] = status
            if not repeats:
                kept.append({**one, "status": status})
    return tuple(kept)


def _known(status: str, shown: frozenset[str]) -> str | None:
    return status if status in shown else "running" if status == "cancelling" else None


def _value(value: Json, shown: frozenset[str]) -> Json:
    """A value that was read, with every status in it as the system has it, or without."""
    if isinstance(value, Mapping):
        given = cast("Mapping[str, Json]", value)
        kept = {name: _value(part, shown) for name, part in given.items()}
        status = kept.get("status")
        if isinstance(status, str) and status in ("cancelling", "disposed"):
            known = _known(status, shown)
            kept = {name: known if name == "status" else part for name, part in kept.items()}
            if known is None:
                del kept["status"]
        return kept
    if isinstance(value, list | tuple):
        return [_value(part, shown) for part in cast("Sequence[Json]", value)]
    return value
