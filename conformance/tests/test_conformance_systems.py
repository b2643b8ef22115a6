"""Naming a system, checking what it says, and telling an adapter what to fix."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from lifecycle_conformance.check import Options, check
from lifecycle_conformance.engines import Setting, Worker
from lifecycle_conformance.hypothesis_run import explore_histories
from lifecycle_conformance.systems import dsh
from lifecycle_conformance.systems.adapter import Run, System, run_all
from lifecycle_conformance.systems.errors import AdapterError, SystemsError, UsageError
from lifecycle_conformance.systems.load import KNOWN, SystemOptions, open_raw, open_system
from lifecycle_conformance.systems.selftest import SelfTest, open_and_test, selftest
from lifecycle_conformance.systems.wellformed import Checked
from lifecycle_model.commands import Burst, Cancel, Create, React, Send, WhenIdle

MINIATURES = Path(__file__).parent / "miniatures"
sys.path.insert(0, str(MINIATURES))
honest: Any = importlib.import_module("honest")
liars: Any = importlib.import_module("liars")
Honest: Any = honest.Honest

LIFE: tuple[Burst, ...] = ((Create("a", "h1"),), (Send("a", "m1"), WhenIdle("a", "w1")), (Cancel("a"),))


def short_life(name: str) -> None:
    """Run a short life of a liar, checked."""
    system = Checked(liars.ALL[name]())
    system.reset({})
    system.run(LIFE)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ShowsUndeclared", "user/message is shown but not declared"),
        ("ShowsUnasked", "gate model is shown unasked"),
        ("SettlesTwice", "w1 settled but is not pending"),
        ("InventsCode", "unknown code 'nope'"),
        ("InventsEvent", "unknown event 'turn/middle'"),
        ("ForgetsMember", "turn/end lacks reason"),
        ("AnswersTooLittle", "the system gave 0 answers"),
        ("Raises", "KeyError"),
    ],
)
def test_what_cannot_be_is_the_adapters_fault(name: str, said: str) -> None:
    with pytest.raises(AdapterError, match=said) as caught:
        short_life(name)
    assert caught.value.hint
    assert caught.value.exit_code == 3


def test_an_honest_system_passes_every_check() -> None:
    system = Checked(honest.Honest())
    system.reset({})
    assert len(system.run(LIFE)) == 3


def test_calls_made_by_reactions_may_settle_though_nobody_saw_their_answer() -> None:
    class Reacts(Honest):  # type: ignore[misc]  # loaded by path
        def perform(self, command: object) -> object:
            if isinstance(command, React):
                self.waiting += [inner.as_ for inner in command.then if isinstance(inner, WhenIdle)]
            return super().perform(command)

    system = Checked(Reacts())
    system.reset({})
    results = system.run([(React({"event": "agent/status"}, (WhenIdle("a", "w9"),)),)])
    assert results[0].seen[0].of == "w9"


@pytest.mark.parametrize("name", ["SettlesTwice", "Raises"])
def test_a_bad_run_among_many_loses_no_other(name: str) -> None:
    outcomes = list(run_all(Checked(liars.ALL[name]()), [Run(LIFE[:1]), Run(LIFE), Run(LIFE[:1])]))
    assert [isinstance(outcome, AdapterError) for outcome in outcomes] == [False, True, False]


# the self-test


def found(name: str) -> SelfTest:
    return selftest(liars.ALL[name]())


@pytest.mark.parametrize(
    ("name", "check", "said", "hint"),
    [
        ("DeclaresSteer", "profile", "steer is declared but refused", "remove it"),
        ("DeclaresModelGate", "profile", "gate model is declared but was not reported", "wait there"),
        ("ShowsUndeclared", "shapes", "user/message is shown but not declared", "profile.observations"),
        ("ShowsUnasked", "shapes", "gate model is shown unasked", "held, watched or reacted"),
        ("SettlesTwice", "shapes", "not pending", "once"),
        ("AnswersTooLittle", "answers", "answers", "every command"),
        ("ResetsNothing", "determinism", "differs between runs", "reset must begin afresh"),
        ("ChangesItsMind", "determinism", '"reason":"aborted"', "depend on time"),
        ("AnswersTooEarly", "quiet", "before the system was quiet", "nothing in the system can run"),
        ("AnswersSlowly", "latency", "ms", "sleeping"),
        ("MisspellsProfile", "profile", "'whenIdle'", "correct or remove"),
        ("Raises", "answers", "KeyError", "answers refusals"),
        ("Faulty", "faults", "never retrieved", "unhandled"),
    ],
)
def test_each_liar_is_diagnosed_and_told_what_to_fix(name: str, check: str, said: str, hint: str) -> None:
    findings = [finding for finding in found(name).findings if finding.check == check]
    assert any(said in finding.what for finding in findings), found(name).findings
    assert any(hint in finding.hint for finding in findings), findings


DIAGNOSED = sorted(set(liars.ALL) - {"AnswersSlowly"})
"""How fast an adapter answers makes no verdict wrong; everything else that is wrong with one does."""


@pytest.mark.parametrize("name", DIAGNOSED)
def test_a_check_diagnoses_a_liar_and_judges_nothing(name: str) -> None:
    outcome = check(Options(system="liar"), system=liars.ALL[name]())
    assert (outcome.verdict, outcome.exit_code, outcome.runs) == ("INCONCLUSIVE", 3, 0)
    assert "not fit to judge with" in outcome.reasons[0]
    assert "lifecycle systems test liar" in outcome.reasons[-1]


def test_histories_that_fail_in_two_ways_are_told_in_one() -> None:
    worker = Worker(Setting("liar", "1", 10.0), Checked(liars.SettlesTwice()))
    found = explore_histories(worker, 0, 40)
    assert bool(found.failures) != bool(found.errors)


def test_an_honest_system_is_fit() -> None:
    test = selftest(honest.Honest())
    assert test.findings == []
    assert test.fit
    assert test.system == "honest 1"
    assert 0 < test.round_trip < 0.05


def test_a_child_is_tested_like_any_other_system() -> None:
    command = f"{sys.executable} {MINIATURES / 'liars.py'} AnswersTooEarly"
    test = open_and_test(lambda: open_raw(f"stdio:{command}", SystemOptions()))
    assert {finding.check for finding in test.findings} == {"quiet"}


def test_a_child_that_cannot_answer_is_one_finding() -> None:
    test = open_and_test(lambda: open_raw(f"stdio:{sys.executable} {MINIATURES / 'dies_at_once.py'}", SystemOptions()))
    assert [finding.check for finding in test.findings] == ["describe"]
    assert "exited with status 1" in test.findings[0].what


def test_below_the_floor_is_a_note_not_a_fault() -> None:
    class Low(Honest):  # type: ignore[misc]  # loaded by path
        commands = ("create", "send")

    test = selftest(Low())
    assert test.fit
    assert any("below the floor" in note and "cancel" in note for note in test.notes)


# names


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("refrence", "known: reference, dsh, stdio:COMMAND"),
        ("stdio", "unknown system 'stdio'"),
        ("reference:x", "unknown system 'reference:x'"),
        ("stdio:", "names no command"),
        ('stdio:"open', "cannot be split"),
        ("stdio:no-such-program-here --x", "no program 'no-such-program-here'"),
        ("acp:agent", "lifecycle check acp:COMMAND"),
        ("python:honest", "does not name a module and a factory"),
        ("python:no_such_module:make", "there is no module 'no_such_module'"),
        ("python:honest:make", "has no factory 'make'"),
        ("python:honest:COMMANDS", "has no factory"),
        ("python:liars:ALL.get", "TypeError"),
        ("python:builtins:object", "without describe, reset, run, stop"),
    ],
)
def test_a_name_that_is_none_is_wrong_use(spec: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        open_system(spec)
    assert said in str(caught.value)
    assert caught.value.exit_code == 2


def test_a_module_that_fails_to_import_is_wrong_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_adapter.py").write_text("raise OSError('no disk')\n", encoding="ascii")
    (tmp_path / "needy_adapter.py").write_text("import no_such_dependency\n", encoding="ascii")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="raised OSError: no disk"):
        open_system("python:broken_adapter:make")
    with pytest.raises(UsageError, match="needs no_such_dependency"):
        open_system("python:needy_adapter:make")


def test_a_factory_in_the_working_directory_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "from honest import Honest\ndef make():\n    return Honest()\n"
    (tmp_path / "local_adapter.py").write_text(source, encoding="ascii")
    monkeypatch.chdir(tmp_path)
    before = list(sys.path)
    system: System = open_system("python:local_adapter:make")
    assert system.describe().name == "honest"
    assert sys.path == before


def test_a_system_that_is_not_installed_says_what_to_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def absent() -> list[str]:
        raise dsh.NotInstalledError(tmp_path)

    monkeypatch.setattr(dsh, "command", absent)
    with pytest.raises(UsageError, match="lifecycle systems install dsh"):
        open_system("dsh")


def test_a_command_beside_the_interpreter_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    system = open_system(f"stdio:{Path(sys.executable).name} {MINIATURES / 'honest.py'}")
    try:
        assert system.describe().name == "honest"
    finally:
        system.stop()


def test_every_form_of_a_name_is_listed_with_what_it_is() -> None:
    assert [known.name for known in KNOWN] == [
        "reference",
        "dsh",
        "stdio:COMMAND",
        "python:MODULE:FACTORY",
        "acp:COMMAND",
    ]
    assert all(known.about for known in KNOWN)


def test_every_error_has_the_one_base() -> None:
    assert issubclass(UsageError, SystemsError)
    assert issubclass(AdapterError, SystemsError)
