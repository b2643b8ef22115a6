"""The zoo as data: every mutant still applies, is paired with clauses that exist, and says so loudly when it is stale."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace

import pytest

from lifecycle_conformance.mutants.load import mutated, source_of
from lifecycle_conformance.mutants.mutant import SECTIONS, Mutant, MutantStale
from lifecycle_conformance.mutants.zoo import NAMED, ZOO, mutant
from lifecycle_conformance.systems.errors import UsageError
from lifecycle_model.clauses import CLAUSES

ROLLBACKS = {f"R{number}" for number in range(7)}
"""Clauses the contract states in a sentence below a table, not in a row of their own."""


@pytest.mark.parametrize("one", ZOO, ids=lambda one: one.id)
def test_every_mutant_still_applies_and_compiles(one: Mutant) -> None:
    changed = mutated(one)
    assert changed != source_of(one.module)[1]
    compile(changed, one.id, "exec")


def test_every_mutant_is_named_once_and_paired_with_known_clauses() -> None:
    ids = [one.id for one in ZOO]
    assert len(ids) == len(set(ids))
    for one in ZOO:
        assert 0 < len(one.group) <= 9, one.id
        unknown = [clause for clause in one.group if clause not in CLAUSES and clause not in ROLLBACKS]
        assert all(clause.startswith("policy ") for clause in unknown), (one.id, unknown)
        assert one.about.endswith("."), one.id


def test_the_zoo_is_large_and_covers_every_section() -> None:
    counted = [one for one in ZOO if not one.equivalent]
    assert len(counted) >= 100
    assert sum(bool(one.faults) for one in counted) >= 60
    assert {one.section for one in counted} == set(SECTIONS)
    assert all(re.fullmatch(r"F\d{3}", fault) for one in ZOO for fault in one.faults)


def test_the_twelve_named_first_are_there() -> None:
    assert len(NAMED) == 12
    assert not [name for name in NAMED if mutant(name).equivalent]


def test_an_unknown_mutant_is_told_with_those_that_sound_like_it() -> None:
    with pytest.raises(UsageError, match="clear-after-abort"):
        mutant("clear-before-abort")


def test_a_snippet_that_does_not_occur_is_stale() -> None:
    stale = replace(mutant("discarded-twice"), old="this line was never there\n")
    with pytest.raises(MutantStale) as raised:
        mutated(stale)
    said = str(raised.value)
    assert "discarded-twice" in said
    assert "does not occur" in said
    assert "lifecycle_runtime.agent" in said
    assert "this line was never there" in said


def test_a_snippet_that_occurs_twice_is_stale() -> None:
    twice = replace(mutant("discarded-twice"), old="core = self._core\n")
    with pytest.raises(MutantStale, match=r"occurs \d+ times"):
        mutated(twice)


def test_a_snippet_keeps_its_place_and_indentation() -> None:
    source = "def f():\n    if x:\n        a()\n    b()\n"
    one = Mutant("m", "A.", "agent", "\n        a()\n    b()\n", "\n        a()\n        c()\n    b()\n", ("C4",))
    assert one.mutate(source) == "def f():\n    if x:\n        a()\n        c()\n    b()\n"


def python(script: str) -> str:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    return done.stdout + done.stderr


def test_a_process_that_has_the_runtime_takes_no_mutant() -> None:
    said = python(
        "import lifecycle_runtime\n"
        "from lifecycle_conformance.mutants.load import load\n"
        "from lifecycle_conformance.mutants.zoo import mutant\n"
        "load(mutant('discarded-twice'))"
    )
    assert "RuntimeLoaded: mutant discarded-twice cannot be loaded" in said


def test_a_mutant_is_what_its_process_imports_and_no_file_changes() -> None:
    before = source_of("inbox")[1]
    said = python(
        "from lifecycle_conformance.mutants.load import load\n"
        "from lifecycle_conformance.mutants.zoo import mutant\n"
        "load(mutant('newest-first'))\n"
        "from lifecycle_runtime.inbox import Inbox, Item\n"
        "box = Inbox()\n"
        "[box.put(Item(name, '', '', (), True)) for name in 'ab']\n"
        "print('first is', box.claim().id)"
    )
    assert "first is b" in said
    assert source_of("inbox")[1] == before


def test_serving_an_unknown_mutant_is_wrong_use() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "lifecycle_conformance.mutants.serve", "no-such-thing"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "there is no mutant 'no-such-thing'" in done.stderr
