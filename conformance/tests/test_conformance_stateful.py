"""Histories as a test of one's own: what passes and fails, and that a shared example database carries a failure over."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifecycle_conformance.systems.errors import UsageError
from lifecycle_conformance.systems.reference.system import ReferenceSystem
from lifecycle_model.wire import Description, Profile

pytest_plugins = ("pytester",)

EXAMPLES = Path(__file__).parent.parent / "examples"
MODULE = """
    import sys
    import shlex
    from hypothesis import Phase, settings
    from hypothesis.database import DirectoryBasedExampleDatabase
    from lifecycle_conformance.stateful import state_machine

    settings.register_profile("shared", max_examples={examples}, database=DirectoryBasedExampleDatabase("shared"),
                              phases=[{phases}])
    settings.load_profile("shared")
    TestHistories = state_machine("stdio:" + shlex.join([sys.executable, "minimal_adapter.py"]))
"""


def play(pytester: pytest.Pytester, examples: int, phases: str, *, broken: bool) -> pytest.RunResult:
    """One machine's run, with the shared folder."""
    for name in ("minimal_adapter.py", "toy_agent.py"):
        text = (EXAMPLES / name).read_text(encoding="utf-8")
        (pytester.path / name).write_text(text.replace("self._queue.clear()", "pass") if broken else text, "utf-8")
    pytester.makepyfile(test_histories=MODULE.format(examples=examples, phases=phases))
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", timeout=300)


def test_a_good_system_passes(pytester: pytest.Pytester) -> None:
    done = play(pytester, 10, "Phase.generate", broken=False)
    done.assert_outcomes(passed=1)


def test_what_one_machine_found_is_the_first_run_of_another(pytester: pytest.Pytester) -> None:
    found = play(pytester, 500, "Phase.reuse, Phase.generate, Phase.shrink", broken=True)
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(
        ["*broken by*", "*the contract allows*|*the system did*", "*lifecycle replay .lifecycle/*"]
    )
    assert list((pytester.path / ".lifecycle").glob("*.json"))
    # the other generates nothing: what it fails with comes from the folder
    (pytester.path / "shared").rename(pytester.path / "elsewhere")
    play(pytester, 1, "Phase.reuse", broken=True).assert_outcomes(skipped=1)  # Hypothesis: nothing to run
    (pytester.path / "elsewhere").rename(pytester.path / "shared")
    play(pytester, 1, "Phase.reuse", broken=True).assert_outcomes(failed=1)


def test_a_system_that_cannot_be_driven_is_refused() -> None:
    from lifecycle_conformance.stateful import state_machine

    class Mute(ReferenceSystem):
        def describe(self) -> Description:
            return Description("mute", Profile(commands=("create", "send"), observations=("agent/status",)))

    with pytest.raises(UsageError, match="mute offers no cancel"):
        state_machine(Mute())
