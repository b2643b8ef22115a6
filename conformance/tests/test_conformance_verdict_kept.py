"""No file, pipe or key costs a verdict: the exit code is right, and standard error says where the result is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")

FOUND = """
import sys
from lifecycle_conformance import check
from lifecycle_conformance.failure.reading import read
from lifecycle_conformance.monitors import Finding
from lifecycle_conformance.trial import Trial
from lifecycle_model.commands import Create
from lifecycle_model.wire import Answer, BurstResult, Description, Profile

def found(options, progress=None, system=None):
    "What a check would have found: one violation."
    result = BurstResult((Answer(pending="h1"),), read("status(running)", "a"))
    trial = Trial(((Create(id="a"),),), (result,), {}, findings=(Finding("I1", 0, "a ran too early", 0),))
    outcome = check.Outcome(options, Description("mine", Profile()), check.VIOLATES, runs=1)
    outcome.failures.append(trial)
    return outcome

import lifecycle_conformance.cli.verdict as verdict
verdict.check = found
from lifecycle_conformance.cli import main
code = main(sys.argv[1:])
sys.exit(code)
"""


def judge(folder: Path, *arguments: str, **streams: Any) -> subprocess.Popen[str]:
    """`lifecycle check` with one violation to tell, in a folder."""
    environment = {**os.environ, "TMPDIR": str(folder)}
    given: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.Popen(
        [sys.executable, "-c", FOUND, "check", *arguments], cwd=folder, env=environment, text=True, **given
    )


def test_without_trouble_it_violates_and_the_files_are_there(tmp_path: Path) -> None:
    child = judge(tmp_path, "--report", "r.json")
    said, told = child.communicate(timeout=60)
    assert (child.returncode, told) == (1, "")
    assert said.startswith("VIOLATES  mine")
    assert json.loads((tmp_path / "r.json").read_bytes())["verdict"] == "VIOLATES"
    assert len(list((tmp_path / ".lifecycle").glob("*.json"))) == 1


def test_a_reader_that_has_gone_costs_nothing(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    child = judge(tmp_path, "--report", "r.json", stdout=writer)
    os.close(writer)
    _, told = child.communicate(timeout=60)
    assert child.returncode == 1
    assert told == "lifecycle: the report could not be printed; the verdict is VIOLATES\n"
    assert json.loads((tmp_path / "r.json").read_bytes())["verdict"] == "VIOLATES"


def test_when_nobody_listens_at_all_the_exit_code_still_tells(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    child = judge(tmp_path, stdout=writer, stderr=writer)
    os.close(writer)
    assert child.wait(60) == 1


@needs_full
def test_a_full_disk_behind_standard_output(tmp_path: Path) -> None:
    with FULL.open("w") as full:
        child = judge(tmp_path, stdout=full)
        _, told = child.communicate(timeout=60)
    assert child.returncode == 1
    assert "the verdict is VIOLATES" in told
    assert "Traceback" not in told


@needs_full
def test_a_full_disk_behind_the_report(tmp_path: Path) -> None:
    (tmp_path / "r.md").symlink_to(FULL)
    child = judge(tmp_path, "--report", "r.md")
    _, told = child.communicate(timeout=60)
    assert child.returncode == 1
    assert "No space left on device" in told
    kept = told.split("it is in ")[1].split(";")[0]
    assert Path(kept).read_text(encoding="utf-8").startswith("### ❌ VIOLATES")


def test_a_folder_of_traces_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    child = judge(tmp_path, "--traces", "taken/deeper")
    said, told = child.communicate(timeout=60)
    assert child.returncode == 1
    kept = told.split("it is in ")[1].strip()
    assert json.loads(Path(kept).read_bytes())["clauses"] == ["I1"]
    # the line that replays it names the file that is there
    assert f"lifecycle replay {kept} --system reference" in said


def test_a_folder_that_vanishes_while_the_check_runs(tmp_path: Path) -> None:
    code = FOUND.replace(
        "    outcome.failures.append", "    import shutil; shutil.rmtree('out')\n    outcome.failures.append"
    )
    (tmp_path / "out").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", code, "check", "--report", "out/r.xml"],
        cwd=tmp_path, env={**os.environ, "TMPDIR": str(tmp_path)}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "No such file or directory" in done.stderr
    assert Path(done.stderr.split("it is in ")[1].split(";")[0]).read_bytes().startswith(b"<?xml")


def test_an_expectation_that_cannot_be_written_is_told_behind_the_report(tmp_path: Path) -> None:
    child = judge(tmp_path, "--expect", "nowhere/known.json", "--write-expect")
    said, told = child.communicate(timeout=60)
    assert child.returncode == 2
    assert said.startswith("VIOLATES")
    assert "could not be written" in told


INTERRUPTED = """
import multiprocessing, os, signal
from lifecycle_conformance.systems.load import open_system

class Stopping:
    "The reference runtime, and somebody who presses Ctrl-C."
    def __init__(self):
        self.inner, self.runs = open_system("reference"), 0
    def describe(self):
        return self.inner.describe()
    def reset(self, policies):
        self.inner.reset(policies)
    def run(self, bursts):
        self.runs += 1
        if {when}:
            os.kill({process}, signal.SIGINT)
        results = self.inner.run(bursts)
        if {wrong}:
            results = [type(r)(r.calls, tuple(s for s in r.seen if s.event != "agent/inbox/discard")) for r in results]
        return results
    def stop(self):
        self.inner.stop()

def make():
    return Stopping()
"""


WORKER = "self.runs == 60 and multiprocessing.parent_process() is not None"


@pytest.mark.parametrize(
    ("jobs", "process", "when"), [("1", "os.getpid()", "self.runs == 300"), ("2", "os.getppid()", WORKER)]
)
def test_ctrl_c_tells_what_was_found_until_then(tmp_path: Path, jobs: str, process: str, when: str) -> None:
    # with two jobs it is a worker that presses the judge's key
    wrong = jobs == "1"
    (tmp_path / "stopping.py").write_text(INTERRUPTED.format(process=process, wrong=wrong, when=when))
    # a shell's background job is started with the key switched off
    main = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from lifecycle_conformance.cli import main; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", main, "check", "python:stopping:make", "--jobs", jobs, "--report", "r.json"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    verdict = "VIOLATES" if wrong else "INCONCLUSIVE"
    assert done.returncode == 130, done.stderr
    assert f"interrupted; the verdict so far is {verdict}" in done.stderr
    assert "the report: r.json, of what was found until then" in done.stderr
    assert "Traceback" not in done.stderr
    kept = json.loads((tmp_path / "r.json").read_bytes())
    assert kept["verdict"] == verdict
    assert any("interrupted by hand" in reason["why"] for reason in kept["inconclusive"])
