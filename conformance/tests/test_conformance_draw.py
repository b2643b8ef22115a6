"""`lifecycle draw`: what it prints, writes and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lifecycle_conformance.cli import main

TRACE = {
    "bursts": [
        {"do": [{"do": "create", "id": "a", "as": "h1"}], "calls": [{"pending": "h1"}], "seen": [{"event": "session/created", "of": "a"}]}
    ]
}  # fmt: skip


def test_a_picture_is_printed_or_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["draw", "--view", "owner"]) == 0
    printed = capsys.readouterr().out
    assert "flowchart TB" in printed
    place = tmp_path / "owner.mmd"
    assert main(["draw", "--view", "owner", "-o", str(place)]) == 0
    assert place.read_text() == printed


def test_focus_clause_and_a_runs_coverage_stand_out(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    report.write_text(json.dumps({"coverage": {"rows": {"X3 owner": 7}}}))
    for option, found in (
        (["--focus", "Active"], "grey"),
        (["--clause", "X3"], "grey"),
        (["--coverage", str(report)], "×7"),
    ):
        assert main(["draw", "--view", "owner", *option]) == 0
        assert found in capsys.readouterr().out


def test_a_difference_is_text_or_one_picture(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["draw", "--contract", "latch", "--against", "1"]) == 0
    assert capsys.readouterr().out.startswith("from contract 1 to contract latch\n")
    assert main(["draw", "--contract", "latch", "--against", "1", "--view", "agent-status"]) == 0
    assert "classDef removed" in capsys.readouterr().out


def test_a_stale_picture_fails_the_check_and_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["draw", "--folder", str(tmp_path)]) == 0
    assert main(["draw", "--folder", str(tmp_path), "--check"]) == 0
    stale = tmp_path / "turn.dot"
    stale.write_text("")
    capsys.readouterr()
    assert main(["draw", "--folder", str(tmp_path), "--check"]) == 1
    assert capsys.readouterr().out == f"{stale} is stale; run `lifecycle draw`\n"


def test_a_trace_is_a_sequence_diagram(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    trace.write_text(json.dumps(TRACE))
    assert main(["draw", str(trace)]) == 0
    assert "create(a)" in capsys.readouterr().out
    assert main(["draw", str(trace), "--format", "svg"]) == 0
    assert capsys.readouterr().out.startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--view", "nosuch"], "there are overview"),
        (["--view", "owner", "--focus", "Nowhere"], "it shows Active"),
        (["--view", "owner", "--clause", "Z9"], "no clause 'Z9'"),
        (["--view", "owner", "--format", "bmp"], "there are mermaid"),
        (["--view", "owner", "--detail", "some"], "there are names"),
        (["--view", "owner", "--coverage", "nothing.json"], "lifecycle check --report"),
        (["--focus", "Active"], "--view"),
        (["--contract", "latch"], "--folder"),
        (["--contract", "latch", "--against", "1", "--format", "svg"], "--view"),
        (["--contract", "nosuch"], "known: 1"),
        (["nothing.json"], "nothing.json"),
    ],
)  # fmt: skip
def test_wrong_use_says_what_to_do_and_exits_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["draw", *arguments]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert "Traceback" not in told
