"""The hunt: the named mutants are found for the right reason and replay; a wrong reason and a hang are not kills."""

from __future__ import annotations

import subprocess
import sys

import msgspec
import pytest

from lifecycle_conformance.mutants.hunt import INCONCLUSIVE, KILLED, OTHER, Kill
from lifecycle_conformance.mutants.mutant import Mutant
from lifecycle_conformance.mutants.zoo import NAMED, mutant
from lifecycle_conformance.systems.load import SystemOptions, open_system
from lifecycle_model.commands import Cancel, Create, Send

# a mutant needs a process that has not imported the runtime, and this one may have
HUNT = """
import sys
from dataclasses import replace
from lifecycle_conformance.mutants.hunt import Hunt
from lifecycle_conformance.mutants.mutant import Mutant
from lifecycle_conformance.mutants.zoo import NAMED, mutant
from lifecycle_model.wire import to_json

def tell(kill):
    print(to_json(kill).decode(), flush=True)

hunt = Hunt("quick", ("core",))
for name in NAMED:
    tell(hunt.hunt(mutant(name), "vectors"))
for name in ("clear-after-abort", "discarded-twice", "idle-before-flush"):
    tell(hunt.hunt(mutant(name), "suite"))
for name in ("steering-into-aborted", "holder-after-end"):
    tell(hunt.hunt(mutant(name), "reactions"))
tell(hunt.hunt(replace(mutant("discarded-twice"), id="wrong-reason", group=("D7",)), "suite"))
hang = Hunt("quick", seconds=3)
old = "core = self._core\\nself._require_open()\\nitem = core.accept(content, id, source, contexts, wakeup)\\n"
tell(hang.hunt(Mutant("hang", "Hangs.", "agent", old, "while True:\\n    pass\\n", ("C4",)), "vectors"))
"""


@pytest.fixture(scope="module")
def kills() -> dict[tuple[str, str], Kill]:
    done = subprocess.run([sys.executable, "-c", HUNT], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    found = [msgspec.json.decode(line, type=Kill) for line in done.stdout.splitlines()]
    return {(kill.mutant, kill.engine): kill for kill in found}


@pytest.mark.parametrize("name", NAMED)
def test_a_named_mutant_is_found_for_the_right_reason_and_replays(
    name: str, kills: dict[tuple[str, str], Kill]
) -> None:
    kill = kills[name, "vectors"]
    assert kill.outcome == KILLED, kill
    assert set(kill.blamed) & set(mutant(name).group)
    assert kill.bursts
    assert not kill.note


@pytest.mark.parametrize(
    ("name", "size"), [("clear-after-abort", (4, 0)), ("discarded-twice", (4, 0)), ("idle-before-flush", (2, 0))]
)
def test_the_suite_finds_it_with_the_shortest_run(
    name: str, size: tuple[int, int], kills: dict[tuple[str, str], Kill]
) -> None:
    kill = kills[name, "suite"]
    assert kill.outcome == KILLED, kill
    assert kill.size is not None
    assert kill.size <= size


@pytest.mark.parametrize("name", ["steering-into-aborted", "holder-after-end"])
def test_single_reactions_find_what_plain_commands_cannot(name: str, kills: dict[tuple[str, str], Kill]) -> None:
    kill = kills[name, "reactions"]
    assert kill.outcome == KILLED, kill
    assert kill.size is not None
    assert kill.size[1] > 0


def test_a_failure_for_another_reason_is_no_kill(kills: dict[tuple[str, str], Kill]) -> None:
    kill = kills["wrong-reason", "suite"]
    assert kill.outcome == OTHER
    assert kill.blamed


def test_a_mutant_that_hangs_is_inconclusive_within_its_time(kills: dict[tuple[str, str], Kill]) -> None:
    kill = kills["hang", "vectors"]
    assert kill.outcome == INCONCLUSIVE
    assert kill.note == "it did not end within 3 s of processor time"


def test_a_mutant_can_be_served_to_any_judge() -> None:
    system = open_system(
        f"stdio:{sys.executable} -m lifecycle_conformance.mutants.serve discarded-twice", SystemOptions(timeout=30)
    )
    try:
        system.reset({})
        _created, cancelled = system.run([(Create(id="a", as_="h1"),), (Send("a", "m1"), Cancel("a"))])
    finally:
        system.stop()
    assert [one.event for one in cancelled.seen].count("agent/inbox/discard") == 2


def test_a_mutant_is_named_by_what_it_does() -> None:
    assert isinstance(mutant("discarded-twice"), Mutant)
    assert "twice" in mutant("discarded-twice").about
