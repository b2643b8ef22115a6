"""The pytest plugin: a project with the fixture gets ordinary tests; one without gets nothing."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from junitparser import JUnitXml, TestCase

pytest_plugins = ("pytester",)

EXAMPLES = Path(__file__).parent.parent / "examples"
FIXTURE = """\
    import pytest

    @pytest.fixture(scope="session")
    def lifecycle_system():
        return {system}
"""
FEW = "VS01 or VS02 or VC01 or test_clauses or test_decided"


def project(
    pytester: pytest.Pytester, *, broken: bool = False, where: str = "test_lifecycle", system: str = ""
) -> None:
    """An empty project with the toy agent, its adapter, and the fixture of three lines."""
    for name in ("minimal_adapter.py", "toy_agent.py"):
        text = (EXAMPLES / name).read_text(encoding="utf-8")
        text = text.replace("self._queue.clear()", "pass") if broken else text
        (pytester.path / name).write_text(text, encoding="utf-8")
    command = f"stdio:{shlex.join([sys.executable, 'minimal_adapter.py'])}"
    pytester.makepyfile(**{where: FIXTURE.format(system=system or repr(command))})


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:randomly", *arguments, timeout=300)


def test_a_good_system_passes_and_junit_names_every_vector_and_group(pytester: pytest.Pytester) -> None:
    project(pytester)
    done = run(pytester, "-n", "2", "--junitxml=junit.xml")
    assert done.ret == 0, done.stdout.str()
    cases = [case for suite in JUnitXml.fromfile(str(pytester.path / "junit.xml")) for case in suite]
    names = {case.name for case in cases if isinstance(case, TestCase)}
    assert {"test_vector[VC04]", "test_clauses[C]", "test_clauses[I]", "test_clauses[?]", "test_decided"} <= names
    ran = {case.name for case in cases if isinstance(case, TestCase) and not case.is_skipped}
    assert {"test_clauses[S]", "test_clauses[C]", "test_decided"} <= ran
    # a clause group that no run can exercise is skipped, not passed
    assert "test_clauses[T]" in names - ran


def test_a_broken_system_fails_with_the_eight_lines(pytester: pytest.Pytester) -> None:
    project(pytester, broken=True)
    done = run(pytester, "-k", FEW)
    assert done.ret == 1
    done.stdout.fnmatch_lines(
        [
            "*test_clauses[[]S[]]*",
            "S/r7 C9 S7 broken by toy (check, seed 0)",
            "  then  send(m1) cancel",
            "  the contract allows * | the system did",
            "lifecycle replay .lifecycle/*.json --system stdio:*minimal_adapter.py*",
            "*1 failed*",
        ]
    )
    assert "Traceback" not in done.stdout.str()
    assert "pytest_suite.py" not in done.stdout.str()
    traces = list((pytester.path / ".lifecycle").glob("*.json"))
    assert traces
    # what is expected is xfailed, and what is expected and gone fails
    keys = [{"group": "+".join(json.loads(one.read_bytes())["clauses"]), "fingerprint": one.stem} for one in traces]
    keys.append({"group": "Q1", "fingerprint": "0123456789ab"})
    (pytester.path / "known.json").write_text(json.dumps({"system": "toy", "contract": "1", "expected": keys}))
    known = run(pytester, "-k", FEW, "--lifecycle-expect=known.json", "-rx")
    assert known.ret == 1
    known.stdout.fnmatch_lines(
        ["expected, and no longer there: Q1 0123456789ab*", "XFAIL *test_clauses[[]S[]]*S/r7 C9 S7*"]
    )
    assert "test_clauses[S]" not in known.stdout.str().split("short test summary")[0]


def test_a_fixture_in_conftest_may_give_an_object(pytester: pytest.Pytester) -> None:
    system = "__import__('lifecycle_conformance.systems.load', fromlist=['x']).open_system('reference')"
    project(pytester, where="conftest", system=system)
    done = run(pytester, "-k", "VC04 or XC01", "-v", "--lifecycle-profile=vectors", "-x")
    assert done.ret == 0, done.stdout.str()
    done.stdout.fnmatch_lines(
        ["conftest.py::test_vector[[]VC04[]] PASSED*", "conftest.py::test_vector[[]XC01[]] PASSED*"]
    )


def test_vectors_alone_judge_no_suite(pytester: pytest.Pytester) -> None:
    project(pytester)
    done = run(pytester, "-k", "clauses[C]", "--lifecycle-profile=vectors", "-rs", "-W", "error")
    assert done.ret == 0
    done.stdout.fnmatch_lines(["SKIPPED*--lifecycle-profile vectors plays the vectors only"])


def test_a_system_that_dies_is_inconclusive_and_never_green(pytester: pytest.Pytester) -> None:
    (pytester.path / "dying.py").write_text("import sys\nprint('no protocol')\n")
    project(pytester, system=repr(f"stdio:{shlex.join([sys.executable, 'dying.py'])}"))
    done = run(pytester, "-k", "test_decided")
    assert done.ret == 1
    assert "no message of the protocol" in done.stdout.str() or "not JSON" in done.stdout.str()


def test_a_project_without_the_fixture_gets_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_own():\n    '''not a lifecycle_system fixture'''\n")
    done = run(pytester)
    done.assert_outcomes(passed=1)
    # nothing heavy is imported for the sake of a plugin that is not used
    code = (
        "import sys, lifecycle_conformance.pytest_plugin;"
        "print([m for m in ('msgspec', 'hypothesis', 'lifecycle_model') if m in sys.modules])"
    )
    told = pytester.run(sys.executable, "-c", code)
    assert told.stdout.str().strip() == "[]"
