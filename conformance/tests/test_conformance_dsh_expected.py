"""What a check of the published runtime is expected to report is told in its findings, run by run. Installs nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from lifecycle_conformance import expect
from lifecycle_conformance.engines import Setting, Worker
from lifecycle_conformance.expect import Expected
from lifecycle_conformance.failure.tracefile import read_trace
from lifecycle_conformance.reports.found import found_in_run
from lifecycle_conformance.systems import dsh

FOLDER = Path(__file__).parent.parent / "findings" / "dsh"
KNOWN = expect.load(FOLDER / "expected.json")
ROW = re.compile(r"^\| ([0-9a-f]{12}) \| ([^|]+) \| ([^|]+) \| `([a-z-]+)` \|$", re.MULTILINE)
TOLD = [found.groups() for found in ROW.finditer((FOLDER / "README.md").read_text(encoding="utf-8"))]

needs_install = pytest.mark.skipif(
    not dsh.is_installed(), reason="dsh is not installed; next: lifecycle systems install dsh"
)


def test_the_list_is_about_the_published_runtime_and_its_own_contract() -> None:
    assert (KNOWN.system, KNOWN.contract) == ("dsh", "latch")


def test_each_cause_is_told_with_its_finding_and_nothing_else_is() -> None:
    told = {(clauses.replace(" ", "+"), run, finding) for run, clauses, _, finding in TOLD}
    assert told == {(one.group, one.fingerprint, one.note) for one in KNOWN.expected}
    assert len(told) == len(TOLD)


def test_each_finding_named_is_a_reproduction() -> None:
    for one in KNOWN.expected:
        assert (FOLDER / f"{one.note}.mjs").exists(), one


def test_each_cause_has_its_run_and_nothing_else_has() -> None:
    assert {path.stem for path in (FOLDER / "runs").iterdir()} == {one.fingerprint for one in KNOWN.expected}


@pytest.fixture(scope="module")
def judge() -> Iterator[Worker]:
    worker = Worker(Setting("dsh", "latch", timeout=10.0))
    yield worker
    worker.system.stop()


@needs_install
@pytest.mark.parametrize("known", KNOWN.expected, ids=lambda one: one.fingerprint)
def test_the_run_still_fails_for_its_cause(judge: Worker, known: Expected) -> None:
    trace = read_trace((FOLDER / "runs" / f"{known.fingerprint}.json").read_bytes())
    trial = judge.play(tuple(burst.do for burst in trace.bursts), trace.policies)
    assert trial.violates
    assert found_in_run(trial, judge.system.describe(), contract="latch").key.key == known.key
