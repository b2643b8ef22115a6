"""The hand-written scenarios of variant `latch`, run against the real published runtime. Installs nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from lifecycle_conformance.systems import dsh
from lifecycle_conformance.systems.adapter import System
from lifecycle_conformance.systems.load import open_system
from lifecycle_model.commands import Read
from lifecycle_model.wire import BurstResult, Profile, Vector

FOLDER = Path(__file__).parent.parent / "vectors" / "latch"
VECTORS = sorted(FOLDER.glob("*.json"))
OUT_OF_REACH = {"WL25": "needs the ACP bridge, which is not published for this version"}

needs_install = pytest.mark.skipif(
    not dsh.is_installed(), reason="dsh is not installed; next: lifecycle systems install dsh"
)

Seen = dict[str, Any]


def plain(value: object) -> object:
    """The value as JSON has it."""
    return msgspec.json.decode(msgspec.json.encode(value))


def fits(pattern: object, value: object) -> bool:
    """Members given must be equal, deeply; "*" is any value that is there."""
    if pattern == "*":
        return value is not None
    if isinstance(pattern, dict) and isinstance(value, dict):
        return all(name in value and fits(part, value[name]) for name, part in pattern.items())
    if isinstance(pattern, list) and isinstance(value, list):
        return len(pattern) == len(value) and all(map(fits, pattern, value))
    return pattern == value


def in_order(patterns: list[Seen], seen: list[Seen]) -> Seen | None:
    """The first pattern that does not occur in order among its subject's observations, or nothing."""
    streams: dict[object, Iterator[Seen]] = {}
    by_subject: defaultdict[object, list[Seen]] = defaultdict(list)
    for one in seen:
        by_subject[one.get("of")].append(one)
    for pattern in patterns:
        stream = streams.setdefault(pattern.get("of"), iter(by_subject[pattern.get("of")]))
        if not any(fits(pattern, one) for one in stream):
            return pattern
    return None


def read(system: System, name: str) -> object:
    """What a vector's `reads` names: an agent by its id."""
    [result] = system.run([(Read(agent=name),)])
    return plain(result.calls[0].ok)


def within_reach(vector: Vector, profile: Profile) -> bool:
    """Whether the profile has all that the vector needs."""
    have = {*profile.commands, *profile.gates, *profile.reads, *profile.policies, "same_stack", "parent"}
    return have.issuperset(vector.needs)


def judge(vector: Vector, index: int, result: BurstResult, reads: dict[str, object]) -> list[str]:
    """What is wrong with one burst, in words."""
    burst = vector.bursts[index]
    seen = [cast(Seen, plain(one)) for one in result.seen]
    wrong: list[str] = []
    if (missing := in_order(list(burst.must), seen)) is not None:
        wrong.append(f"missing in order: {missing}")
    wrong += [f"must never be seen: {one}" for one in seen for never in burst.never if fits(never, one)]
    for exact in burst.only:
        among = [one for one in seen if one.get("of") == exact.of and one["event"] in exact.events]
        if not fits(list(exact.are), among):
            wrong.append(f"of {exact.of} only {list(exact.are)}, but {among}")
    settled = [one for one in seen if one["event"] == "settled"]
    if burst.settled is not None:
        unmatched = [want for want in burst.settled if not any(fits(want, one) for one in settled)]
        if unmatched or len(settled) != len(burst.settled):
            wrong.append(f"settled {list(burst.settled)}, but {settled}")
    if burst.calls is not None and not fits(list(burst.calls), plain(list(result.calls))):
        wrong.append(f"calls {list(burst.calls)}, but {result.calls}")
    wrong += [
        f"read {name}: {want}, but {reads[name]}" for name, want in burst.reads.items() if not fits(want, reads[name])
    ]
    return wrong


@pytest.fixture(scope="module")
def runtime() -> Iterator[System]:
    system = open_system("dsh")
    yield system
    system.stop()


@needs_install
@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_the_published_runtime_keeps_its_own_scenario(runtime: System, path: Path) -> None:
    vector = msgspec.json.decode(path.read_bytes(), type=Vector)
    if not within_reach(vector, runtime.describe().profile):
        assert path.stem in OUT_OF_REACH
        return
    runtime.reset({})
    for index, burst in enumerate(vector.bursts):
        [result] = runtime.run([burst.do])
        reads = {name: read(runtime, name) for name in burst.reads}
        assert judge(vector, index, result, reads) == [], f"{vector.id}, burst {index}: {burst.do}"


def test_every_scenario_of_the_variant_is_a_vector() -> None:
    scenarios = [path.stem for path in VECTORS if path.stem.startswith("WL")]
    assert scenarios == [f"WL{number:02}" for number in range(1, 27)]
