"""The form of the hand-written vectors and their coverage of the catalogue; judges no system."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from lifecycle_model import wire

VECTORS = Path(__file__).parent.parent / "vectors"

SECTIONS = {
    "status": "S",
    "inbox": "Q",
    "cancellation": "C",
    "publication": "P",
    "teardown": "T",
    "session": "E",
    "durability": "D",
    "tasks": "B",
    "acp": "A",
    "config": "G",
}
"""Folder to the letter of its scenarios. Other folders hold variants of the contract, and are not read here."""

FILES = sorted(path for folder in SECTIONS for path in (VECTORS / folder).glob("*.json"))

NUMBERS = {
    "VS": "01 02 03 04 06 07 08 09 11 12 14 15 16 17 18 19 20 21 22",
    "VI": "01 02 04 06 07 08 09 11 12 14 15 17 18 19 21 22 23 24 25 26 27 28 29 30 31 32 33",
    "VC": "01 02 03 04 05 06 07 08 09 11 12 14 16 17 19 20 22 23 25 26 27 30 33 34 36 40 45 46 47 48 49 "
    "50 51 52 53 54 55",
    "VP": "01 02 04 06 07 08 09 11 13 15 16 17 18 20 22 24 25 28 29 32 34 35 36 37 38 39 40 41",
    "VT": "01 02 03 05 06 08 09 11 12 14 15 17 19 20 21 22 24 26 27 28 29 30",
    "VE": "01 02 04 06 07 09 10 12 13 14 15 17 18",
    "VD": "01 02 03 04 05 06 07",
    "VB": "01 02 03 04 06 07 08 09 10 12 13 15 16 17 19 20 21 23",
    "VA": "01 02 03 04 06 07 08 09 10 12 13 14 16 17 18 19 20 21 24 25 26 27 28 29 30 31 32",
    "VG": "01 02 05 06 07",
}
"""Every scenario of the catalogue, typed from it: its prefix, and its numbers."""

CATALOGUE = [prefix + number for prefix, numbers in NUMBERS.items() for number in numbers.split()]

NOT_VECTORS = {"VS11", "S13", "T14"}
"""Scenarios and clauses that no stimulus reaches; the README gives each its reason."""

LAST_CLAUSE = {"S": 13, "Q": 25, "C": 24, "P": 18, "T": 14, "L": 11, "D": 7, "O": 12, "A": 15, "G": 5}
LAST_ROW = {"S": 26, "Q": 14, "C": 5, "P": 12, "T": 8, "L": 16, "D": 9, "O": 14, "A": 16, "G": 7}
LAST_OTHER = {"X": 9, "R": 6, "I": 21, "V": 11, "F": 5}
POLICIES = {
    "keep_inbox",
    "cancelling_published",
    "after_dispose",
    "cancel_after_dispose",
    "foreign_abort_stop_reason",
    "max_tokens_stop_reason",
    "session_load",
    "parallel_tools",
}
FLOOR = {"create", "send", "cancel", "dispose", "react", "hold", "release", "read"}


def raw(path: Path) -> dict[str, Any]:
    """Read one vector as plain JSON."""
    loaded: dict[str, Any] = json.loads(path.read_text())
    return loaded


def commands(burst: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Walk a burst's commands and those of its reactions."""
    waiting: list[dict[str, Any]] = list(burst["do"])
    while waiting:
        command = waiting.pop(0)
        waiting.extend(command.get("then", []))
        yield command


def clause_exists(clause: str) -> bool:
    """Tell whether the contract has a clause, row, segment, rollback, invariant or policy of this name."""
    if clause.startswith("policy "):
        return clause.removeprefix("policy ") in POLICIES
    found = re.fullmatch(r"([A-Z])(/r)?(\d+)", clause)
    if found is None:
        return False
    letter, row, number = found[1], found[2], int(found[3])
    if row:
        return 1 <= number <= LAST_ROW.get(letter, 0)
    first = 0 if letter == "R" else 1
    return first <= number <= (LAST_CLAUSE | LAST_OTHER).get(letter, -1)


def covers(pattern: dict[str, Any], other: dict[str, Any]) -> bool:
    """Tell whether whatever matches the other pattern matches this one."""
    return all(name in other and other[name] == value for name, value in pattern.items())


def uses(vector: dict[str, Any]) -> set[str]:
    """Name what a vector asks of a system beyond the floor."""
    words: set[str] = set()
    for burst in vector["bursts"]:
        for command in commands(burst):
            words.add(command["do"])
            address = command.get("on", command)
            words.add(str(address.get("gate", "model")))
        for members in burst.get("reads", {}).values():
            words.update({"inspect"} & set(members))
            words.update({"lookup"} if set(members) - {"inspect", "status"} else ())
    renamed = {"tick": "ticks", "driver": "ticks"}
    return {renamed.get(word, word) for word in words} - FLOOR - {"model", "flush"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_vector_has_the_form(path: Path) -> None:
    vector = msgspec.json.decode(path.read_bytes(), type=wire.Vector)
    assert vector.id == path.stem
    assert vector.title
    assert vector.clauses
    assert [clause for clause in vector.clauses if not clause_exists(clause)] == []
    assert set(vector.policies) <= POLICIES
    assert len(set(vector.needs)) == len(vector.needs)
    assert vector.bursts
    for burst in vector.bursts:
        assert burst.do
        names = {str(pattern["event"]) for pattern in (*burst.must, *burst.never) if "event" in pattern}
        names |= {event for only in burst.only for event in only.events}
        assert names <= set(wire.MEMBERS)
        assert all(pattern.get("event") in only.events for only in burst.only for pattern in only.are)
        assert all(pattern.get("of", only.of) == only.of for only in burst.only for pattern in only.are)
        assert burst.calls is None or len(burst.calls) == len(burst.do)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_vector_says_only_what_it_needs(path: Path) -> None:
    vector = raw(path)
    assert uses(vector) <= set(vector["needs"])
    assert set(vector["policies"]) <= set(vector["needs"])
    for burst in vector["bursts"]:
        assert all(burst[member] for member in ("must", "never", "only", "calls", "reads") if member in burst)
    assert any(set(burst) - {"do"} for burst in vector["bursts"])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_vector_does_not_contradict_itself(path: Path) -> None:
    for burst in raw(path)["bursts"]:
        must: list[dict[str, Any]] = burst.get("must", [])
        expected = [*must, *(pattern for only in burst.get("only", []) for pattern in only["are"])]
        for pattern in must:
            assert sum(covers(pattern, other) for other in must) == must.count(pattern), pattern
        for pattern in burst.get("never", []):
            assert [other for other in expected if covers(pattern, other)] == []
    answered = [settled["of"] for burst in raw(path)["bursts"] for settled in burst.get("settled", [])]
    assert "*" in answered or len(set(answered)) == len(answered)


def test_ids_are_unique_and_stand_in_their_section() -> None:
    ids = [path.stem for path in FILES]
    assert len(set(ids)) == len(ids)
    for path in FILES:
        letter = SECTIONS[path.parent.name]
        own = {"E": "L", "B": "O"}.get(letter, letter)
        catalogue = {"Q": "I"}.get(letter, letter)
        assert path.stem.startswith((f"V{catalogue}", f"X{own}")), path.stem


def test_every_scenario_of_the_catalogue_has_a_vector() -> None:
    stems = {path.stem.split("-")[0] for path in FILES}
    assert [scenario for scenario in CATALOGUE if scenario not in stems | NOT_VECTORS] == []
    assert sorted(stem for stem in stems if stem.startswith("V") and stem not in CATALOGUE) == []


def test_every_clause_and_row_has_a_vector() -> None:
    cited = {clause for path in FILES for clause in raw(path)["clauses"]}
    wanted = [f"{letter}{number}" for letter, last in LAST_CLAUSE.items() for number in range(1, last + 1)]
    wanted += [f"{letter}/r{number}" for letter, last in LAST_ROW.items() for number in range(1, last + 1)]
    assert [clause for clause in wanted if clause not in cited | NOT_VECTORS] == []


def test_what_is_no_vector_has_a_reason() -> None:
    reasons = (VECTORS / "README.md").read_text().partition("## Not vectors")[2]
    assert sorted(name for name in NOT_VECTORS if name not in reasons) == []
