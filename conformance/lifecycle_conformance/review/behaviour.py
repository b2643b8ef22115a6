"""When two results are one behaviour, and how two sets of behaviours relate. Refuses to explain.

Orders across subjects are not told apart, nor is the order of settlements; so says the quiet reading of the model.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence

import msgspec

from lifecycle_conformance.review.values import Performed, Plain, Result
from lifecycle_model.quiet import Outcomes
from lifecycle_model.wire import ANY, to_json

LOOSE = ("settled", "output")
"""Events and gates whose order among the others is not the contract's."""
SAME, REFINES, WIDENS, CHANGES, BREAKS = "same", "refines", "widens", "changes", "breaks"


def behaviour(one: Outcomes) -> str:
    """A print of what can be seen of an outcome; members that only one model knows do not matter while unset."""
    groups: dict[str, list[bytes]] = {}
    for seen in one.seen:
        if seen.event == "output":
            continue
        loose = seen.event if seen.event in LOOSE else seen.gate
        key = f"·{loose}" if loose in LOOSE else ("" if seen.of is msgspec.UNSET else str(seen.of))
        groups.setdefault(key, []).append(to_json(seen))
    for name in LOOSE:
        groups.get(f"·{name}", []).sort()
    text = repr(([to_json(each) for each in one.answers], sorted(groups.items())))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def subjects(seen: Iterable[Plain]) -> dict[str, list[str]]:
    """What was seen of each subject, in order; what is loose apart and sorted."""
    found: dict[str, list[str]] = {}
    for one in seen:
        if one["event"] == "output":
            continue
        loose = one["event"] if one["event"] in LOOSE else one.get("gate", "")
        found.setdefault(f"·{loose}" if loose in LOOSE else str(one.get("of", "")), []).append(_text(one))
    for name in LOOSE:
        found.get(f"·{name}", []).sort()
    return found


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def allowed(performed: Performed) -> dict[str, list[Result]]:
    """What a side allows after a burst: each behaviour with the results that show it. A model that gives up allows that."""
    if performed.failed:
        return {performed.failed: []}
    found: dict[str, list[Result]] = {}
    for result in performed.results:
        found.setdefault(result.behaviour, []).append(result)
    return found


def relation(base: Iterable[str], head: Iterable[str]) -> str:
    """How the set a head allows relates to the one its base allows."""
    before, after = set(base), set(head)
    if before == after:
        return SAME
    return REFINES if after < before else WIDENS if before < after else CHANGES


def joined(relations: Iterable[str]) -> str:
    """The verdict over several runs: head allows less somewhere and more nowhere, and so on."""
    found = set(relations) - {SAME}
    if not found:
        return SAME
    return found.pop() if len(found) == 1 else CHANGES


def loosely(base: Sequence[Result], head: Sequence[Result], relation: str) -> str:
    """The relation where an answer may be left open: a code that any may stand for allows each of them."""
    if relation != CHANGES:
        return relation
    if all(any(_leaves_open(new, old) for new in head) for old in base):
        return WIDENS
    return REFINES if all(any(_leaves_open(old, new) for old in base) for new in head) else CHANGES


def _leaves_open(one: Result, other: Result) -> bool:
    """Tell whether one result allows all that another does."""
    return one.seen == other.seen and all(
        mine.keys() == theirs.keys() and all(value in (ANY, theirs[name]) for name, value in mine.items())
        for mine, theirs in zip(one.calls, other.calls, strict=True)
    )


def first_apart(base: Sequence[Plain], head: Sequence[Plain]) -> tuple[int, int]:
    """The positions at which two results part: of the first subject whose observations differ; -1 where one has ended."""
    before, after = subjects(base), subjects(head)
    for subject in (*before, *(name for name in after if name not in before)):
        old, new = before.get(subject, []), after.get(subject, [])
        if old == new:
            continue
        same = 0
        while same < min(len(old), len(new)) and old[same] == new[same]:
            same += 1
        return _position(base, old, same), _position(head, new, same)
    return -1, -1


def _position(seen: Sequence[Plain], of: Sequence[str], at: int) -> int:
    """Where the observation of this text, the n-th of its kind, stands."""
    if at >= len(of):
        return -1
    nth = sum(one == of[at] for one in of[:at])
    for position, one in enumerate(seen):
        if _text(one) == of[at]:
            if nth == 0:
                return position
            nth -= 1
    return -1
