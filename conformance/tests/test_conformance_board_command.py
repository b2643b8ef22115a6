"""`lifecycle board` from stored reports, and the options of `lifecycle check acp:`."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from lifecycle_conformance import reports
from lifecycle_conformance.board import clause_column, clause_rows, to_html, to_markdown
from lifecycle_conformance.board.table import Board, from_json
from lifecycle_conformance.cli import main
from lifecycle_conformance.reports import Coverage, Reason, RunReport, Told

SENTENCES = {"S1": "One status.", "C4": "One cancel.", "T1": "One teardown."}


def failure(fingerprint: str, *clauses: str) -> Told:
    """A failure that blames some clauses."""
    return Told(
        clauses, {c: SENTENCES[c] for c in clauses}, ("broken", "after create", "then cancel"), (), ("wrong",), fingerprint,
        f"{fingerprint}.json", f"lifecycle replay {fingerprint}.json", "", "", "", "",
    )  # fmt: skip


GOOD = RunReport("CONFORMS", "good", "quick", coverage=Coverage(clauses={"S1": 3, "C4": 1, "T1": 0}),
                 out_of_reach=(Reason("T1", "no dispose"),))  # fmt: skip
BAD = RunReport(
    "VIOLATES", "bad", "quick", coverage=Coverage(clauses={"S1": 3, "C4": 2}), failures=(failure("f1", "C4"),)
)


def board(*found: tuple[str, RunReport]) -> Board:
    """The board of some reports."""
    return Board("t", "", clause_rows([r for _, r in found], SENTENCES), tuple(clause_column(*one) for one in found))


def test_a_clause_is_red_only_in_the_column_of_the_system_that_breaks_it() -> None:
    made = board(("good", GOOD), ("bad", BAD))
    states = {(row.id, c.key): made.cell(row, c).state for row in made.rows for c in made.columns}
    assert states["C4", "good"] == "kept"
    assert states["C4", "bad"] == "violated"
    assert states["T1", "good"] == "out of reach"
    assert states["T1", "bad"] == "not asked"
    assert "lifecycle replay f1.json" in to_markdown(made)
    assert "lifecycle replay f1.json" in to_html(made)


def test_the_command_reads_reports_writes_the_board_and_gives_the_worst_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_bytes(reports.to_json(GOOD))
    bad.write_bytes(reports.to_json(BAD))
    assert main(["board", str(good)]) == 0
    assert main(["board", str(good), str(bad), "--report", str(tmp_path / "b.json")]) == 1
    assert "| C4 " in capsys.readouterr().out
    stored = from_json((tmp_path / "b.json").read_bytes())
    assert [column.verdict for column in stored.columns] == ["CONFORMS", "VIOLATES"]


def test_a_system_given_twice_has_two_columns_and_the_page_two_places(tmp_path: Path) -> None:
    bad, page = tmp_path / "bad.json", tmp_path / "b.html"
    bad.write_bytes(reports.to_json(BAD))
    assert main(["board", str(bad), str(bad), "--report", str(page)]) == 1
    places = re.findall(r'id="([^"]+)"', page.read_text())
    assert len(places) == len(set(places)) == 4


def test_each_link_of_the_page_leads_to_an_open_failure() -> None:
    page = to_html(board(("bad", BAD)))
    assert re.findall(r'href="#([^"]+-C4)"', page) == re.findall(r'<details open id="([^"]+)"', page) == ["bad-C4"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["board", "no-such.json"], "no-such.json"),
        (["board", "nonsense.json"], "not a report of `lifecycle check`: it holds a list"),
        (["board", "acp:true", "no-such-system"], "no-such-system"),
        (["board", "acp:true", "no-such.json"], "no-such.json"),
        (["board", "acp:true", "acp:"], "needs the agent's command"),
        (["board", "reference", "--report", "x.txt"], ".html, .md or .json"),
        (["board", "no-such-system"], "no-such-system"),
        (["board"], "SYSTEM"),
        (["board", "acp:it's"], "cannot be split into words"),
        (["check", "--agent", "x.toml"], "acp:"),
        (["check", "acp:it's"], "cannot be split into words"),
        (["check", "acp:true", "--agent", "no-such.toml"], "no-such.toml"),
        (["check", "acp:true", "--section", "nowhere/never"], "nowhere/never"),
        (["check", "acp:true", "--profile", "deep"], "deep"),
        (["check", "acp:true", "--expect", "no-such.json"], "no-such.json"),
    ],
)
def test_wrong_use_is_one_message_and_exit_2(
    words: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nonsense.json").write_bytes(msgspec.json.encode([1, 2]))
    assert main(words) == 2
    said = capsys.readouterr().err
    assert says in said
    assert "Traceback" not in said
