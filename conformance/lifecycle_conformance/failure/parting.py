"""Owns where what is allowed and what the system did part, as two rows of words. Refuses to say who is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lifecycle_conformance.failure.notation import answer, observation, value
from lifecycle_conformance.failure.value import Alternative, Failure
from lifecycle_conformance.vectors.fits import plain
from lifecycle_model.wire import UNSET, Answer, Observation

UNORDERED = ("settled", "contained")


@dataclass(frozen=True, slots=True)
class Parting:
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
        if finding.at < 0:
            continue
        wrong = seen[finding.at]
        before = [observation(one) for one in seen[: finding.at] if one.of == wrong.of]
        found.append(Parting(_subject(wrong), tuple(before), (), (observation(wrong),)))
    return found


def _parting(alternative: Alternative, failure: Failure) -> Parting:
    did = failure.did
    events = {one.event for one in alternative.seen}
    seen = [one for one in did.seen if one.event in events] if alternative.partial else list(did.seen)
    for subject in sorted({_subject(one) for one in (*alternative.seen, *seen)}):
        allowed, theirs = _of(subject, alternative.seen), _of(subject, seen)
        if _words(allowed) != _words(theirs):
            return _split(subject, _words(allowed), _words(theirs))
        if not alternative.partial and _whole(allowed) != _whole(theirs):
            return _split(subject, _whole(allowed), _whole(theirs))
    for event in UNORDERED:
        settled = sorted(observation(one) for one in alternative.seen if one.event == event)
        theirs_settled = sorted(observation(one) for one in did.seen if one.event == event)
        if settled != theirs_settled and not alternative.partial:
            left = [word for word in settled if word not in theirs_settled]
            right = [word for word in theirs_settled if word not in settled]
            return Parting("", (), tuple(left), tuple(right))
    return _answers(alternative.calls or (), did.calls)


def _answers(allowed: Sequence[Answer], given: Sequence[Answer]) -> Parting:
    return _split("the answers", [answer(one) for one in allowed], [answer(one) for one in given])


def _split(subject: str, allowed: Sequence[str], did: Sequence[str]) -> Parting:
    same = 0
    while same < min(len(allowed), len(did)) and allowed[same] == did[same]:
        same += 1
    left, right = list(allowed[same:]), list(did[same:])
    # what both end with says nothing about the difference
    while left and right and left[-1] == right[-1] and (len(left) > 1 or len(right) > 1):
        left.pop()
        right.pop()
    return Parting(subject, tuple(allowed[:same]), tuple(left), tuple(right))


def _of(subject: str, seen: Sequence[Observation]) -> list[Observation]:
    return [one for one in seen if _subject(one) == subject and one.event not in UNORDERED]


def _words(seen: Sequence[Observation]) -> list[str]:
    return [observation(one) for one in seen]


def _whole(seen: Sequence[Observation]) -> list[str]:
    return [value(plain(one)) for one in seen]


def _subject(one: Observation) -> str:
    return "" if one.of is UNSET else str(one.of)
