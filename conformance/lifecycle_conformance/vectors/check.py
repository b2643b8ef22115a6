"""Owns whether what a system did is what a vector wrote: `must`, `never`, `only`, `settled`, `calls`, `reads`.

Refuses to look past the vector: what it does not write is allowed. Expectations are the vector's own; nothing here
asks the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import msgspec

from lifecycle_conformance.failure.notation import answer, observation, pattern, value
from lifecycle_conformance.vectors.fits import fits, is_exactly, plain, shows
from lifecycle_conformance.vectors.plan import Part, parts_of, readable
from lifecycle_conformance.vectors.project import Wanted, project
from lifecycle_model.commands import Json
from lifecycle_model.wire import UNSET, Answer, BurstResult, Observation, Profile, Vector, VectorBurst

UNORDERED = frozenset({"contained", "settled"})
"""When these are reported is not the contract's: in `must` they are counted, not ordered."""


class Mismatch(msgspec.Struct, frozen=True):
    """One way in which a burst is not what the vector wrote.

    `kind` is the member of the vector it is about; `wanted` and `got` are in the short notation, `at` the position of
    the observation that is wrong, -1 where it is one that is missing or no observation.
    """

    burst: int
    kind: str
    subject: str
    wanted: str
    got: str
    sentence: str
    at: int = -1


def check_vector(vector: Vector, results: Sequence[BurstResult], profile: Profile) -> list[Mismatch]:
    """Say every way in which results are not what the vector wrote; none means that it holds.

    `results` are those of `bursts_of(vector)`, or of `bursts_of(vector, profile)`. Statuses the system does not
    publish are projected away first; what it cannot be asked is no mismatch, see `out_of_reach`.
    """
    found: list[Mismatch] = []
    vector = project(vector, profile)
    for part, result in zip(_parts(vector, results, profile), results, strict=True):
        burst = vector.bursts[part.index]
        if part.reads:
            found += _reads(part, burst, result, profile)
        else:
            found += _played(part.index, burst, result)
    return found


def _parts(vector: Vector, results: Sequence[BurstResult], profile: Profile) -> list[Part]:
    for parts in (parts_of(vector, profile), parts_of(vector)):
        if len(parts) == len(results):
            return parts
    raise ValueError(
        f"vector {vector.id} is played in {len(parts_of(vector))} bursts and there are {len(results)} results;"
        " next: run exactly bursts_of(vector)"
    )


def _played(index: int, burst: VectorBurst, result: BurstResult) -> Iterator[Mismatch]:
    yield from _must(index, burst, result.seen)
    for never in burst.never:
        for at, seen in enumerate(result.seen):
            if is_exactly(never, seen):
                what = pattern(never) if "event" in never else f"anything of {never.get('of')}"
                said = f"{what} must not be seen, and {observation(seen)} was"
                yield Mismatch(index, "never", str(seen.of), "", observation(seen), said, at)
    for only in burst.only:
        these = [(at, s) for at, s in enumerate(result.seen) if s.of == only.of and s.event in only.events]
        if len(these) != len(only.are) or not all(shows(w, s) for w, (_, s) in zip(only.are, these, strict=True)):
            wrong = next((at for w, (at, s) in zip(only.are, these, strict=False) if not shows(w, s)), -1)
            wanted, got = _words(only.are), " ".join(observation(seen) for _, seen in these)
            said = f"of {only.of} exactly {wanted or 'nothing'} of this kind may be seen, not {got or 'nothing'}"
            yield Mismatch(index, "only", only.of, wanted, got, said, wrong)
    if burst.settled is not None:
        yield from _settled(index, burst.settled, [seen for seen in result.seen if seen.event == "settled"])
    if burst.calls is not None:
        yield from _calls(index, burst.calls, result.calls)


def _must(index: int, burst: VectorBurst, seen: Sequence[Observation]) -> Iterator[Mismatch]:
    groups: dict[str, list[Wanted]] = {}
    for wanted in burst.must:
        event = str(wanted.get("event"))
        groups.setdefault(event if event in UNORDERED else f"of {wanted.get('of')}", []).append(wanted)
    for group, listed in groups.items():
        yield from _unordered(index, listed, seen) if group in UNORDERED else _ordered(index, listed, seen)


def _ordered(index: int, wanted: Sequence[Wanted], seen: Sequence[Observation]) -> Iterator[Mismatch]:
    """Up to the last one listed, what fits any pattern of the list is exactly the list, in order."""
    among = [(at, one) for at, one in enumerate(seen) if any(shows(each, one) for each in wanted)]
    subject = str(wanted[0].get("of"))
    for place, each in enumerate(wanted):
        if place < len(among) and shows(each, among[place][1]):
            continue
        due = pattern(each)
        if place == len(among):
            said = f"{due} of {subject} is missing" + (f" after {pattern(wanted[place - 1])}" if place else "")
            yield Mismatch(index, "must", subject, due, "", said)
        else:
            at, one = among[place]
            listed = any(shows(later, one) for later in wanted[place + 1 :])
            why = "comes too early" if listed else "comes once too often"
            said = f"{observation(one)} of {subject} {why}: {due} is due"
            yield Mismatch(index, "must", subject, due, observation(one), said, at)
        return


def _unordered(index: int, wanted: Sequence[Wanted], seen: Sequence[Observation]) -> Iterator[Mismatch]:
    left = list(seen)
    for each in wanted:
        found = next((one for one in left if shows(each, one)), None)
        if found is None:
            yield Mismatch(index, "must", str(each.get("of")), pattern(each), "", f"{pattern(each)} is missing")
        else:
            left.remove(found)


def _settled(index: int, wanted: Sequence[Wanted], seen: Sequence[Observation]) -> Iterator[Mismatch]:
    left = list(seen)
    for each in wanted:
        found = next((one for one in left if is_exactly(each, one)), None)
        if found is not None:
            left.remove(found)
            continue
        same = next((one for one in left if one.of == each.get("of")), None)
        got = observation(same) if same is not None else ""
        due = pattern({"event": "settled", **each})
        said = f"{each.get('of')} settles here as {due}" + (f", not {got}" if got else ", and did not")
        yield Mismatch(index, "settled", str(each.get("of")), due, got, said)
        if same is not None:
            left.remove(same)
    for one in left:
        said = f"{one.of} must not settle here, and settled as {observation(one)}"
        yield Mismatch(index, "settled", str(one.of), "", observation(one), said)


def _calls(index: int, wanted: Sequence[Wanted], calls: Sequence[Answer]) -> Iterator[Mismatch]:
    if len(wanted) != len(calls):
        said = f"{len(wanted)} answers are written and {len(calls)} were given"
        yield Mismatch(index, "calls", "", str(len(wanted)), str(len(calls)), said)
        return
    for place, (each, given) in enumerate(zip(wanted, calls, strict=True)):
        if not fits(each, plain(given)):
            said = f"command {place + 1} of the burst answers {value(each)}, not {answer(given)}"
            yield Mismatch(index, "calls", "", value(each), answer(given), said)


def _reads(part: Part, burst: VectorBurst, result: BurstResult, profile: Profile) -> Iterator[Mismatch]:
    if not readable(profile):
        return
    for place, name in enumerate(part.reads):
        wanted = dict(burst.reads[name])
        if "inspect" not in profile.reads:
            wanted.pop("inspect", None)
        given = result.calls[place] if place < len(result.calls) else Answer()
        if given.refused is not UNSET:
            if not fits(wanted, {"refused": given.refused}):
                yield Mismatch(
                    part.index, "reads", name, value(wanted), answer(given), f"{name} cannot be read: {given.refused}"
                )
            continue
        values = cast("Mapping[str, Json]", plain(given.ok)) if isinstance(given.ok, Mapping) else {}
        for member, due in wanted.items():
            if member not in values or not fits(due, values[member]):
                got = value(values[member]) if member in values else "nothing"
                said = f"{member} of {name} reads {value(due)}, not {got}"
                yield Mismatch(part.index, "reads", name, value(due), got, said)


def _words(wanted: Sequence[Wanted]) -> str:
    return " ".join(pattern(each) for each in wanted)
