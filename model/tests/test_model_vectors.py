"""The hand-written vectors of the sections the model carries, played on the model: every outcome it allows must hold.

Independent of the judge's own checker: `must` in order per subject, `never`, `only`, `settled`, `calls` and `reads` as
`conformance/vectors/README.md` describes them. Refuses to pass a vector over: all of these sections are played, but those in
`UNCARRIED`, which name a gate of the storage that the contract knows nothing of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from lifecycle_model.commands import AnyCommand, Read
from lifecycle_model.contract1 import contract
from lifecycle_model.engine import Engine
from lifecycle_model.quiet import Outcomes, perform
from lifecycle_model.state import Configuration, start
from lifecycle_model.wire import UNSET, Answer, Observation, Vector, VectorBurst, members

VECTORS = Path(__file__).parents[2] / "conformance" / "vectors"
FOLDERS = (
    "publication",
    "teardown",
    "session",
    "durability",
    "status",
    "inbox",
    "cancellation",
    "tasks",
    "acp",
    "config",
)

UNORDERED = ("settled", "contained")

UNCARRIED = {"XD23": "write"}
"""Vectors whose gate the model does not carry, and that gate."""

Wanted = Mapping[str, Any]


def vectors() -> list[Vector]:
    """Every vector of the folders, by name."""
    files = sorted(path for folder in FOLDERS for path in (VECTORS / folder).glob("*.json"))
    found = [msgspec.json.decode(path.read_bytes(), type=Vector) for path in files]
    return [vector for vector in found if vector.id not in UNCARRIED]


def test_only_a_gate_that_the_contract_does_not_have_excuses_a_vector() -> None:
    for name, gate in UNCARRIED.items():
        [file] = VECTORS.glob(f"*/{name}.json")
        assert gate in msgspec.json.decode(file.read_bytes(), type=Vector).needs
        assert gate not in contract().gates


def fits(wanted: Any, got: Any) -> bool:
    """Tell whether a value has everything the pattern writes; `*` is any value."""
    if wanted == "*":
        return True
    if isinstance(wanted, Mapping):
        return isinstance(got, Mapping) and all(name in got and fits(one, got[name]) for name, one in wanted.items())
    if isinstance(wanted, list | tuple):
        pairs = len(wanted) == len(got) if isinstance(got, list | tuple) else False
        return pairs and all(fits(one, other) for one, other in zip(wanted, got, strict=True))
    return bool(wanted == got)


def shown(seen: Observation) -> dict[str, Any]:
    """An observation as the wire has it."""
    plain: dict[str, Any] = msgspec.to_builtins(members(seen))
    return plain


def answered(answer: Answer) -> dict[str, Any]:
    """An answer as the wire has it: `ok: null` is written out."""
    found = {name: getattr(answer, name) for name in ("ok", "refused", "pending", "value")}
    plain: dict[str, Any] = msgspec.to_builtins({name: one for name, one in found.items() if one is not UNSET})
    return plain


class Projection:
    """The status projection of `cancelling_published` off: cancelling reads running, repeats are dropped."""

    def __init__(self, policies: Mapping[str, Any], last: dict[str, str] | None = None) -> None:
        self.on = policies.get("cancelling_published") == "off"
        self.last = dict(last or {})

    def seen(self, seen: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """The observations as the projection leaves them."""
        kept: list[dict[str, Any]] = []
        for one in seen:
            if self.on and one["event"] == "agent/status":
                status = self.status(one["status"])
                if self.last.get(one["of"], "idle") == status:
                    continue
                self.last[one["of"]] = status
                one = {**one, "status": status}
            kept.append(one)
        return kept

    def status(self, status: str) -> str:
        """A status as it reads."""
        return "running" if self.on and status == "cancelling" else status


def check_must(wanted: Sequence[Wanted], seen: Sequence[dict[str, Any]]) -> Iterator[str]:
    """In this order per subject, each once unless written again, up to the last one listed."""
    subjects = dict.fromkeys(one.get("of") for one in wanted if one["event"] not in UNORDERED)
    for subject in subjects:
        listed = [one for one in wanted if one.get("of") == subject and one["event"] not in UNORDERED]
        among = [one for one in seen if any(fits(each, one) for each in listed)]
        for place, each in enumerate(listed):
            if place >= len(among) or not fits(each, among[place]):
                got = among[place] if place < len(among) else "nothing"
                yield f"must: {each} is due and there is {got}"
                break
    left = list(seen)
    for each in (one for one in wanted if one["event"] in UNORDERED):
        found = next((one for one in left if fits(each, one)), None)
        if found is None:
            yield f"must: {each} is missing"
        else:
            left.remove(found)


def check_settled(wanted: Sequence[Wanted], seen: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Exactly these calls settle, in any order."""
    left = [one for one in seen if one["event"] == "settled"]
    for each in wanted:
        found = next((one for one in left if fits(each, one)), None)
        if found is None:
            yield f"settled: {each} is missing among {left}"
        else:
            left.remove(found)
    if left:
        yield f"settled: {left} too many"


def check_burst(burst: VectorBurst, outcome: Outcomes, projection: Projection) -> Iterator[str]:
    """Say every way in which one outcome is not what the burst expects."""
    seen = projection.seen([shown(one) for one in outcome.seen])
    yield from check_must(burst.must, seen)
    for never in burst.never:
        yield from (f"never: {never} but {one}" for one in seen if fits(never, one))
    for only in burst.only:
        these = [one for one in seen if one.get("of") == only.of and one["event"] in only.events]
        if not fits(only.are, these):
            yield f"only: {only.are} but {these}"
    if burst.settled is not None:
        yield from check_settled(burst.settled, seen)
    if burst.calls is not None:
        calls = [answered(one) for one in outcome.answers]
        if not fits(burst.calls, calls):
            yield f"calls: {burst.calls} but {calls}"


def asked(name: str) -> list[Read]:
    """What to read for a name in `reads`."""
    if name == "registry":
        return [Read(registry=True)]
    if re.fullmatch(r"s\d+", name):
        return [Read(store=name)]
    if re.fullmatch(r"root|bare|f\d+", name):
        return [Read(owner=name)]
    if re.fullmatch(r"t\d+", name):
        return [Read(task=name)]
    return [Read(agent=name), Read(session=name)]


def check_reads(
    engine: Engine, burst: VectorBurst, configuration: Configuration, projection: Projection
) -> Iterator[str]:
    """Say every read that is not as expected."""
    for name, wanted in burst.reads.items():
        found: dict[str, Any] = {}
        for command in asked(name):
            answer = answered(engine.perform(configuration, command).answer)
            found.update(answer["ok"] if isinstance(answer.get("ok"), dict) else {"refused": answer.get("refused")})
        if "status" in found:
            found["status"] = projection.status(found["status"])
        if "status" in found.get("inspect", {}):
            found["inspect"] = {**found["inspect"], "status": projection.status(found["inspect"]["status"])}
        if not fits(wanted, found):
            yield f"reads: {name} {wanted} but {found}"


def play(engine: Engine, vector: Vector) -> list[str]:
    """Play a vector; every way in which an outcome the model allows is not what it expects."""
    here = [(start(dict(vector.policies)), Projection(vector.policies))]
    for index, burst in enumerate(vector.bursts):
        commands: tuple[AnyCommand, ...] = burst.do
        after: list[tuple[Configuration, Projection]] = []
        for configuration, before in here:
            for outcome in perform(engine, configuration, commands):
                projection = Projection(vector.policies, before.last)
                wrong = [
                    *check_burst(burst, outcome, projection),
                    *check_reads(engine, burst, outcome.configuration, projection),
                ]
                if wrong:
                    return [f"burst {index}: {one}" for one in wrong]
                if all(outcome.configuration != other for other, _ in after):
                    after.append((outcome.configuration, projection))
        here = after
    return []


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(contract())


@pytest.mark.parametrize("vector", vectors(), ids=lambda vector: vector.id)
def test_vector(engine: Engine, vector: Vector) -> None:
    wrong = play(engine, vector)
    assert not wrong, "\n".join(wrong)


def test_checker_sees_what_is_wrong(engine: Engine) -> None:
    """The checker is no rubber stamp: a vector with one expectation negated fails in the member it stands in."""
    first = next(vector for vector in vectors() if vector.id == "VP16")
    burst = first.bursts[1]
    changes: dict[str, Any] = {
        "must": ({"event": "turn/start", "of": "x"},),
        "never": ({"event": "settled", "of": "h2"},),
        "settled": (),
        "calls": ({"pending": "h9"},),
        "reads": {"registry": {"agents": ["y"]}},
    }
    for member, value in changes.items():
        wrong = msgspec.structs.replace(burst, **{member: value})
        bursts = (first.bursts[0], wrong)
        (*_, said) = play(engine, msgspec.structs.replace(first, bursts=bursts))
        assert f"burst 1: {member}:" in said
