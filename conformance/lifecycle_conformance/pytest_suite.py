"""The conformance suite as tests: one a vector, one a clause group, and one that says that all was decided.

Owns no judgement: a test fails with the eight lines that `lifecycle check` prints. Imported by the plugin only.
"""

from __future__ import annotations

import fcntl
import os
import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from lifecycle_conformance import expect
from lifecycle_conformance.check import Options, VectorFailure, check
from lifecycle_conformance.contracts import contract_named
from lifecycle_conformance.engines import Setting, Worker
from lifecycle_conformance.expect import Expected
from lifecycle_conformance.failure.lines import lines
from lifecycle_conformance.failure.pasted import replay_line
from lifecycle_conformance.failure.value import Failure
from lifecycle_conformance.modelled import modelled
from lifecycle_conformance.reports import keep_trace
from lifecycle_conformance.reports.found import Found, found_by, found_in_run, found_in_vector, vector_key
from lifecycle_conformance.reports.words import SECTIONS, section
from lifecycle_conformance.systems.adapter import System
from lifecycle_conformance.systems.wellformed import Checked
from lifecycle_conformance.vectors import bursts_of, check_vector, load_vectors, out_of_reach
from lifecycle_model.wire import Vector

Known = dict[tuple[str, str], Expected]
IN_PROCESS = "python"
"""The name of a system that was given as an object: no line replays it."""
JOINED = (
    "lifecycle_expected",
    "lifecycle_judged",
    "lifecycle_worker",
    "test_vector",
    "test_clauses",
    "test_decided",
)
"""What a test module gets."""
UNEXPLAINED = "?"
"""The group of a failure that no clause explains."""


def generate(metafunc: pytest.Metafunc) -> None:
    """One test a vector and one a clause group of the contract that is asked for."""
    name = metafunc.config.getoption("--lifecycle-contract")
    if "vector" in metafunc.fixturenames:
        vectors = load_vectors(contract=name)
        metafunc.parametrize("vector", vectors, ids=[vector.id for vector in vectors])
    if "group" in metafunc.fixturenames:
        metafunc.parametrize("group", groups(name))


def groups(contract: str) -> list[str]:
    """The sections whose clauses rows carry, in the contract's order, and the one of what nothing explains."""
    carried = {section(clause) for row in contract_named(contract).rows for clause in row.clauses}
    return [*sorted(carried | {"I"}, key=lambda one: (SECTIONS.find(one) % (len(SECTIONS) + 1), one)), UNEXPLAINED]


@pytest.fixture(scope="session")
def lifecycle_expected(pytestconfig: pytest.Config) -> Known:
    """The violations that are known, by their key."""
    path = pytestconfig.getoption("--lifecycle-expect")
    return {one.key: one for one in expect.load(path).expected} if path is not None else {}


@pytest.fixture(scope="session")
def lifecycle_worker(lifecycle_system: str | System, pytestconfig: pytest.Config) -> Iterator[Worker]:
    """The system, open, beside the model."""
    contract = pytestconfig.getoption("--lifecycle-contract")
    if isinstance(lifecycle_system, str):
        worker = Worker(Setting(lifecycle_system, contract, Options.timeout))
    else:
        worker = Worker(Setting(IN_PROCESS, contract, Options.timeout), Checked(lifecycle_system))
    yield worker
    worker.system.stop()


def test_vector(
    vector: Vector,
    lifecycle_worker: Worker,
    lifecycle_expected: Known,
    pytestconfig: pytest.Config,
) -> None:
    """A hand-written scenario holds."""
    worker = lifecycle_worker
    if missing := out_of_reach(vector, worker.profile):
        pytest.skip(f"out of reach: {'; '.join(missing)}")
    bursts = tuple(bursts_of(vector, worker.profile))
    trial = worker.judge.play(worker.system, bursts, vector.policies, keep_log=True, modelled=modelled(worker, vector))
    if trial.error is not None:
        pytest.fail(f"INCONCLUSIVE: {trial.error}", pytrace=False)
    found: list[Found] = []
    if mismatches := tuple(check_vector(vector, trial.results, worker.profile)):
        found.append(found_in_vector(VectorFailure(vector, trial, mismatches), worker.system.describe()))
    elif vector_key(vector.id).key in lifecycle_expected:
        pytest.fail(f"vector {vector.id} holds, and is expected to fail: take it off the list", pytrace=False)
    elif trial.violates:
        # as written, and yet not as the model or a monitor has it
        found.append(found_in_run(trial, worker.system.describe()))
    _settle(found, lifecycle_expected, worker.setting.system, pytestconfig)


def test_clauses(
    group: str,
    lifecycle_judged: Judged,
    lifecycle_expected: Known,
    lifecycle_worker: Worker,
    pytestconfig: pytest.Config,
) -> None:
    """No run of the suites, walks and histories breaks a clause of this group."""
    mine = [found for found in lifecycle_judged.found if _group(found.failure) == group]
    _settle(mine, lifecycle_expected, lifecycle_worker.setting.system, pytestconfig)
    if group not in (*lifecycle_judged.exercised, "I", UNEXPLAINED):
        pytest.skip("out of reach: no run of this profile exercises a clause of it")


def test_decided(lifecycle_judged: Judged, lifecycle_expected: Known) -> None:
    """Everything was decided, and every expected violation of a run still happens: inconclusive is never green."""
    if lifecycle_judged.reasons:
        pytest.fail("INCONCLUSIVE: " + "\n".join(lifecycle_judged.reasons), pytrace=False)
    happened = {found.key.key for found in lifecycle_judged.found}
    gone = [key for key in lifecycle_expected if not key[0].startswith("vector ") and key not in happened]
    if gone:
        told = ", ".join(" ".join(key) for key in gone)
        pytest.fail(f"expected, and no longer there: {told}; take them off the list", pytrace=False)


@dataclass(frozen=True)
class Judged:
    """What the suites, walks and histories gave."""

    found: tuple[Found, ...]
    reasons: tuple[str, ...]
    exercised: frozenset[str]
    """The clause groups whose rows were taken."""


@pytest.fixture(scope="session")
def lifecycle_judged(
    lifecycle_worker: Worker,
    lifecycle_system: str | System,
    pytestconfig: pytest.Config,
    tmp_path_factory: pytest.TempPathFactory,
) -> Judged:
    """Judge once: of several xdist workers the first one to come does it, with a process a worker; the others wait."""
    profile = pytestconfig.getoption("--lifecycle-profile")
    if profile == "vectors":
        pytest.skip("--lifecycle-profile vectors plays the vectors only")
    setting = lifecycle_worker.setting
    seed = pytestconfig.getoption("--lifecycle-seed")
    jobs = int(getattr(pytestconfig, "workerinput", {}).get("workercount", 1))
    options = Options(setting.system, setting.contract, profile, seed=seed, jobs=jobs, vectors=False)
    given = None if isinstance(lifecycle_system, str) else lifecycle_system
    if jobs == 1:
        return _judged(options, given)
    # the folder above a worker's own is shared by all of them
    shared = tmp_path_factory.getbasetemp().parent / "lifecycle-judged"
    with _alone(shared.with_suffix(".lock")):
        if not shared.exists():
            shared.write_bytes(pickle.dumps(_judged(options, given)))
        kept: Judged = pickle.loads(shared.read_bytes())
        return kept


def _judged(options: Options, system: System | None) -> Judged:
    outcome = check(options, system=system)
    if outcome.interrupted:
        raise KeyboardInterrupt
    rows = (row for row in contract_named(options.contract).rows if outcome.rows[row.id])
    exercised = frozenset(section(clause) for row in rows for clause in row.clauses)
    return Judged(tuple(found_by(outcome)), tuple(outcome.reasons), exercised)


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _group(failure: Failure) -> str:
    """The group of the first clause blamed: a failure is told once."""
    return section(failure.clauses[0]) if failure.clauses else UNEXPLAINED


def _settle(found: Sequence[Found], expected: Known, system: str, config: pytest.Config) -> None:
    """Fail with what is new, else xfail with what is known; each is kept as a trace, and replayed by its last line."""
    new = [one.failure for one in found if one.key.key not in expected]
    if new:
        pytest.fail("\n\n".join(_told(failure, system, config) for failure in new), pytrace=False)
    if found:
        pytest.xfail(f"expected: {lines(found[0].failure)[0]}")


def _told(failure: Failure, system: str, config: pytest.Config) -> str:
    if system == IN_PROCESS:
        return "\n".join(lines(failure))
    written = keep_trace(failure, config.rootpath / ".lifecycle")
    place = os.path.relpath(written.path, config.invocation_params.dir) if written.path is not None else ""
    return "\n".join(lines(failure, replay_line(place, system) if place else ""))
