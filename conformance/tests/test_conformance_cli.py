"""The command line: wrong use is one clear line and exit 2, never a traceback; `--debug` shows it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

LIFECYCLE = [sys.executable, "-c", "import sys; from lifecycle_conformance.cli import main; sys.exit(main())"]


def lifecycle(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*LIFECYCLE, *arguments], input=stdin, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("check", "nosuch"), "unknown system 'nosuch'"),
        (("check", "--clause", "C99"), "unknown clause 'C99'"),
        (("check", "--profile", "huge"), "unknown profile 'huge'"),
        (("check", "--contract", "9"), "unknown contract '9'"),
        (("check", "--section", "Z"), "unknown section 'Z'"),
        (("check", "python:no_such_module:make"), "no_such_module"),
        (("check", "python:json:no_such_factory"), "no_such_factory"),
        (("explain", "Z9"), "unknown clause 'Z9'"),
        (("explore", "--scope", "nosuch"), "nosuch"),
        (("explore", "--property", "nosuch"), "unknown property"),
        (("replay", "/no/such/file.json"), "No such file"),
        (("nosuch",), "No such command"),
    ],
)
def test_wrong_use_is_told_in_one_message(arguments: tuple[str, ...], says: str) -> None:
    done = lifecycle(*arguments)
    assert done.returncode == 2, done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_factory_that_raises_is_told_and_debug_shows_the_traceback(tmp_path: Path) -> None:
    (tmp_path / "raising_adapter.py").write_text("def make():\n    raise RuntimeError('not today')\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from lifecycle_conformance.cli import main; sys.exit(main())"
    plain = subprocess.run(
        [sys.executable, "-c", code, "check", "python:raising_adapter:make"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert plain.returncode == 2
    assert "not today" in plain.stderr
    assert "Traceback" not in plain.stderr
    loud = subprocess.run(
        [sys.executable, "-c", code, "check", "python:raising_adapter:make", "--debug"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" in loud.stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is no trace"),
        ('{"bursts": 3}', "is no trace"),
        ('{"bursts": [], "protocol": 99}', "protocol 99, this is protocol 1; next: update"),
        ('{"bursts": [{"do": [{"do": "fly"}]}]}', "is no trace"),
    ],
)
def test_a_malformed_or_newer_trace_is_refused(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "trace.json"
    file.write_text(text)
    done = lifecycle("replay", str(file))
    assert done.returncode == 2
    assert says in done.stderr


def test_every_verb_has_help_with_an_example() -> None:
    from lifecycle_conformance.cli import VERBS, _exists

    for verb in VERBS:
        if _exists(verb) and verb != "agent":
            done = lifecycle(verb, "--help")
            assert done.returncode == 0
            assert f"lifecycle {verb}" in done.stdout.split("xample", 1)[1], verb


def test_replay_of_a_good_trace_conforms(tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    bursts = [
        {"do": [{"do": "create", "id": "a", "as": "h1"}]},
        {"do": [{"do": "send", "agent": "a", "message": "m1"}, {"do": "cancel", "agent": "a"}]},
    ]
    file.write_text(json.dumps({"bursts": bursts}))
    done = lifecycle("replay", str(file), "--step")
    assert done.returncode == 0, done.stderr
    assert "CONFORMS" in done.stdout
    assert "creq(user)" in done.stdout


def test_simulate_shows_clauses_and_the_difference() -> None:
    done = lifecycle("simulate", stdin="create a\nsend a m1; cancel a\nread a\n")
    assert done.returncode == 0
    assert "disc[m1]" in done.stdout
    assert "C10" in done.stdout
    assert "marker" in done.stdout


def test_simulate_refuses_what_it_cannot_read() -> None:
    done = lifecycle("simulate", stdin="fly a\n")
    assert done.returncode == 2
    assert "'fly a' is no command" in done.stderr


def test_explain_names_what_carries_and_checks_a_clause() -> None:
    done = lifecycle("explain", "C9", "--json")
    found = json.loads(done.stdout)
    assert any(row.startswith("C9 consumed") for row in found["rows"])
    assert any(vector.startswith("VC04") for vector in found["vectors"])
