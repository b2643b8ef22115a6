"""Owns where what is allowed and what the system did part, as two rows of words. Refuses to say who is right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import msgspec

from lifecycle_conformance.compare import agree, answers_agree, read_agrees, same_multiset, split
from lifecycle_conformance.failure.notation import answer, observation, value
from lifecycle_conformance.failure.value import Alternative, Failure
from lifecycle_conformance.vectors.fits import plain
from lifecycle_model.commands import Json
from lifecycle_model.wire import UNSET, Answer, Observation

T = TypeVar("T")


class Parting(msgspec.Struct, frozen=True):
    """What both sides say of one subject: the words they agree on, then each side's own; and what is about it."""

    subject: str
    common: tuple[str, ...]
    allowed: tuple[str, ...]
    did: tuple[str, ...]


def partings(failure: Failure) -> list[Parting]:
    """One parting for each alternative, in their order; without alternatives one that allows what is written."""
    found = [_parting(alternative, failure) for alternative in failure.allowed]
    if not found:
        found = [*_of_vector(failure), *_of_findings(failure)]
    return list(dict.fromkeys(found))


def _of_vector(failure: Failure) -> list[Parting]:
    written = ((m.subject, (m.wanted,) if m.wanted else (), (m.got,) if m.got else ()) for m in failure.mismatches)
    return [Parting(subject, (), wanted, got) for subject, wanted, got in written]


def _of_findings(failure: Failure) -> list[Parting]:
    found: list[Parting] = []
    seen = failure.did.seen
    for finding in failure.findings:
        if finding.at < 0 or finding.index != failure.burst:
            continue
        wrong = seen[finding.at]
        before = [observation(one) for one in seen[: finding.at] if one.of == wrong.of]
        found.append(Parting(_subject(wrong), tuple(before), (), (observation(wrong),)))
    return found


def _parting(alternative: Alternative, failure: Failure) -> Parting:
    loose = loose_gates(failure.trace.policies)
    mine, my_loose = split(alternative.seen, loose)
    theirs, their_loose = split(failure.did.seen, loose)
    for subject in sorted(mine.keys() | theirs.keys()):
        found = _split(subject, mine.get(subject, []), theirs.get(subject, []), agree, observation)
        if found is not None:
            return found
    missing, extra = same_multiset(my_loose, their_loose)
    if missing or extra:
        return Parting("", (), _words(missing), _words(extra))
    allowed, given = alternative.calls or (), failure.did.calls
    for mine_answer, their_answer in zip(allowed, given, strict=False):
        if not answers_agree(mine_answer, their_answer):
            read = _read(mine_answer, their_answer)
            if read is not None:
                return read
            break
    found = _split("the answers", allowed, given, answers_agree, answer)
    return found or Parting("", _words(failure.did.seen), (), ())


def _read(allowed: Answer, did: Answer) -> Parting | None:
    """What two reads disagree on, without what they agree on or only one of them knows; None for other answers."""
    if not isinstance(allowed.ok, dict) or not isinstance(did.ok, dict):
        return None
    wrong = [name for name in allowed.ok if not read_agrees({name: allowed.ok[name]}, did.ok)]
    sides = (plain({name: side[name] for name in wrong}) for side in (allowed.ok, did.ok))
    return Parting("what is read", (), *((value(side),) for side in sides))


def _split(
    subject: str, allowed: Sequence[T], did: Sequence[T], alike: Callable[[T, T], bool], say: Callable[[T], str]
) -> Parting | None:
    same = 0
    while same < min(len(allowed), len(did)) and alike(allowed[same], did[same]):
        same += 1
    left, right = list(allowed[same:]), list(did[same:])
    if not left and not right:
        return None
    # what both end with says nothing about the difference
    while left and right and alike(left[-1], right[-1]):
        left.pop()
        right.pop()
    words = tuple(map(say, left)), tuple(map(say, right))
    if words[0] == words[1]:
        # they read alike in short, and differ in a member
        words = tuple(value(plain(one)) for one in left), tuple(value(plain(one)) for one in right)
    return Parting(subject, tuple(map(say, did[:same])), *words)


def _words(seen: Sequence[Observation]) -> tuple[str, ...]:
    return tuple(map(observation, seen))


def _subject(one: Observation) -> str:
    return "" if one.of is UNSET else str(one.of)


def loose_gates(policies: Mapping[str, Json]) -> frozenset[str]:
    """The gates that several tasks reach at once, so their order is nobody's: flush listeners, calls run together."""
    return frozenset({"flush", "tool"} if policies.get("parallel_tools") == "on" else {"flush"})
