"""Walks over whole systems: the same for a seed, never against the reference, and they find what needs a further use."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest

from lifecycle_conformance import grounds
from lifecycle_conformance.engines import Setting, Task, Worker
from lifecycle_conformance.mutants.hunt import KILLED, SURVIVED
from lifecycle_conformance.roaming import roam
from lifecycle_model.wire import to_json


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    made = Worker(Setting("reference", "1", 10.0))
    yield made
    made.system.stop()


def test_equal_seeds_are_equal_bytes(worker: Worker) -> None:
    ground = grounds.ground("clients")
    one, other, third = (roam(ground, worker.outlook, worker.profile, seed) for seed in ("0:1", "0:1", "0:2"))
    assert to_json(one) == to_json(other) != to_json(third)


def test_the_reference_keeps_every_ground(worker: Worker) -> None:
    for ground in grounds.of("1"):
        done = worker.work(Task("whole", ground.name, seed=7, histories=2))
        assert (done.runs, done.failures, done.errors) == (2, [], []), ground.name


def test_a_system_without_bridge_is_asked_nothing_of_it() -> None:
    worker = Worker(Setting("python:lifecycle_conformance.systems.stepped:make", "1", 10.0))
    assert worker.ground("clients") is None
    assert worker.ground("jobs") is None
    worker.system.stop()


HUNTS = """
import json
from lifecycle_conformance.mutants.hunt import Hunt
from lifecycle_conformance.mutants.zoo import mutant
hunt = Hunt("quick", scopes=("client", "logs"))
names = ("failed-output-remembered", "third-log-overwrites")
print(json.dumps({name: [hunt.hunt(mutant(name), engine).outcome for engine in ("vectors", "whole")] for name in names}))
"""


def test_walks_kill_what_vectors_do_not() -> None:
    # a mutant needs a process that has not imported the runtime
    done = subprocess.run([sys.executable, "-c", HUNTS], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found == {name: [SURVIVED, KILLED] for name in ("failed-output-remembered", "third-log-overwrites")}
