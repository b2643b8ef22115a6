"""The verdict: a slow machine makes doubts, what does not repeat counts against nobody, the table reaches its rows."""

from __future__ import annotations

import pytest

from lifecycle_conformance.acp import CHECKS, Limits, Options, Report, render
from lifecycle_conformance.acp.conclude import Outcome, conclude
from lifecycle_conformance.acp.examine import examine
from lifecycle_conformance.acp.expected import CONTRACT, compare_report, happened
from lifecycle_conformance.acp.ledger import Ledger
from lifecycle_conformance.acp.record import Prompt, Record, Wait
from lifecycle_conformance.acp.survey import Survey
from lifecycle_conformance.acp.table import BEYOND, COMMANDS, WINDOWS, Run, all_runs
from lifecycle_conformance.acp.wire import Line
from lifecycle_conformance.board import Board, acp_column, acp_rows, from_json, to_html, to_json, to_markdown
from lifecycle_conformance.expect import Expectations
from lifecycle_model.clauses import CLAUSES

RUN = next(run for run in all_runs() if run.name == "stalled/cancel")
OPTIONS = Options(runs=(RUN.name,))


def attempt(outcome: Outcome, *, holds: bool = False, delay: float = 0.0, options: Options = OPTIONS) -> None:
    """Add an attempt in which a cancelled prompt was or was not answered in time."""
    ledger = Ledger(Record(outcome.run))
    wait = Wait("the answer to prompt A", "cancel", 10, 0.1 if holds else None, delay)
    ledger.expect("L8", holds, "prompt A was not answered", (), wait)
    outcome.tried += 1
    outcome.add(ledger, options)


def report(outcome: Outcome, options: Options = OPTIONS) -> Report:
    """Conclude from one run."""
    return conclude(["agent"], options, Survey(name="x", version="1", protocol=1), [outcome], [])


def violating() -> Report:
    """Make a report with one finding."""
    outcome = Outcome(RUN)
    attempt(outcome)
    attempt(outcome)
    return report(outcome)


def test_a_lapse_seen_twice_on_an_idle_machine_is_a_violation_that_names_its_limit() -> None:
    made = violating()
    assert made.verdict == "VIOLATES"
    (finding,) = made.findings
    assert (finding.limit, finding.seen, finding.tried) == ("10 s (limit cancel)", 2, 2)
    assert "prompt A was not answered; waited 10 s (limit cancel)" in render(made)
    assert finding.repeat == "lifecycle check acp:agent --section stalled/cancel"


def test_a_lapse_on_a_busy_machine_is_never_a_violation() -> None:
    outcome = Outcome(RUN)
    attempt(outcome, delay=6.0)
    attempt(outcome, delay=6.0)
    made = report(outcome)
    assert (made.verdict, made.exit_code, made.findings) == ("INCONCLUSIVE", 3, ())
    assert "the machine was busy: 6 of the 10 s" in made.inconclusive[0].why


@pytest.mark.parametrize(("delay", "verdict"), [(0.0, "VIOLATES"), (6.0, "INCONCLUSIVE")])
def test_how_a_prompt_ended_once_its_gates_were_opened_rests_on_the_limit_that_opened_them(
    delay: float, verdict: str
) -> None:
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"stopReason": "end_turn"}}
    lines = [
        Line(0, "sent", "{}", {"jsonrpc": "2.0", "id": 1, "method": "session/prompt"}),
        Line(0, "sent", "{}", {"jsonrpc": "2.0", "method": "session/cancel"}),
        Line(9, "came", "{}", answer),
    ]
    prompt = Prompt("A", "main", "LK00000000", "s", 1, 0, cancelled=1)
    prompt.waits = [Wait("", "cancel", 10, None, delay), Wait("", "answer", 30, 0.1, 0)]
    outcome = Outcome(RUN, tried=2)
    for _ in range(2):
        outcome.add(examine(Record(RUN, lines=lines, prompts=[prompt])), OPTIONS)
    made = report(outcome)
    assert (made.verdict, made.checks["S3"]) == (verdict, "violated" if verdict == "VIOLATES" else "inconclusive")
    assert [f.limit for f in made.findings] == ["10 s (limit cancel)"] * len(made.findings)


def test_what_shows_once_and_not_again_is_inconclusive() -> None:
    outcome = Outcome(RUN)
    attempt(outcome)
    attempt(outcome, holds=True)
    attempt(outcome, holds=True)
    made = report(outcome)
    assert made.verdict == "INCONCLUSIVE"
    assert "in 1 of 3 attempts" in made.inconclusive[0].why


def played(*holds: bool) -> Outcome:
    """Play a run whose attempts hold or not, in this order, for as long as the judge would."""
    outcome, coming = Outcome(RUN), iter(holds)
    while not outcome.decided(OPTIONS):
        attempt(outcome, holds=next(coming))
    return outcome


@pytest.mark.parametrize(
    ("holds", "tried", "findings"),
    [
        ((True,), 1, 0),
        ((False, False, False), 3, 1),
        ((False, True, False), 3, 1),
        ((False, True, True, True, False), 5, 1),
        ((False, True, True, True, True, True), 6, 0),
    ],
)
def test_a_run_that_showed_something_is_played_until_a_race_is_known(
    holds: tuple[bool, ...], tried: int, findings: int
) -> None:
    outcome = played(*holds)
    assert (outcome.tried, len(report(outcome).findings)) == (tried, findings)


def test_a_race_is_said_to_be_one() -> None:
    assert "[stalled/cancel, seen in 2 of 3: a race, in the agent or with it]" in render(
        report(played(False, True, False))
    )
    assert "[stalled/cancel, seen in 3 of 3]" in render(report(played(False, False, False)))
    cell = board_of(report(played(False, True, False))).columns[0].cells["L8"]
    assert cell.shortest is not None
    assert cell.shortest.summary.endswith("(in 2 of 3 fresh processes)")


def test_a_run_whose_window_was_not_reached_is_inconclusive() -> None:
    outcome = Outcome(RUN, tried=2, missed=["no model request", "no model request"])
    made = report(outcome)
    assert made.verdict == "INCONCLUSIVE"
    assert made.inconclusive[0].run == "stalled/cancel"


def test_a_check_that_nothing_exercised_is_not_green() -> None:
    outcome = Outcome(RUN)
    attempt(outcome, holds=True, options=Options())
    made = report(outcome, Options())
    assert made.verdict == "INCONCLUSIVE"
    assert made.checks["L8"] == "kept"
    assert made.checks["L4"] == "inconclusive"


def test_an_expected_finding_passes_and_a_stale_one_fails() -> None:
    made = violating()
    known = Expectations("acp:agent", CONTRACT, tuple(happened(made)))
    assert compare_report(known, made).holds
    outcome = Outcome(RUN)
    attempt(outcome, holds=True)
    clean = report(outcome)
    assert [e.group for e in compare_report(known, clean).stale] == ["L8"]
    undecided = Outcome(RUN, tried=2, missed=["late", "late"])
    assert [e.group for e in compare_report(known, report(undecided)).unchecked] == ["L8"]


def test_fingerprints_tell_runs_apart_and_names_are_unique() -> None:
    runs = all_runs()
    assert len({run.fingerprint for run in runs}) == len({run.name for run in runs}) == len(runs)
    assert Run(RUN.window, RUN.command).fingerprint == RUN.fingerprint


def test_every_row_of_the_bridge_is_reached_by_a_run_or_said_to_be_beyond() -> None:
    cited = {row for part in (*WINDOWS, *COMMANDS) for row in part.rows}
    assert cited <= set(CLAUSES), "the table cites rows that the contract does not have"
    bridge = {row for row in CLAUSES if row.startswith("A/r")}
    assert bridge - cited == set(BEYOND)


def test_every_window_and_command_is_played() -> None:
    assert {run.window.name for run in all_runs()} == {w.name for w in WINDOWS}
    assert {run.command.blame for run in all_runs()} <= set(CHECKS)
    assert all(run.quick or run.command.quick for run in all_runs())


def board_of(*reports: Report) -> Board:
    """Make a board with one column of these repeats."""
    return Board("t", "tree", acp_rows(), (acp_column("agent", "npm x@1", reports),))


def test_a_red_cell_has_the_shortest_failing_run_behind_it_in_every_form() -> None:
    board = board_of(violating(), violating())
    cell = board.cell(next(r for r in board.rows if r.id == "L8"), board.columns[0])
    assert (cell.state, cell.runs) == ("violated", ("stalled/cancel",))
    assert cell.shortest is not None
    assert from_json(to_json(board)) == board
    for text in (to_markdown(board), to_html(board)):
        assert "lifecycle check acp:agent --section stalled/cancel" in text
        assert "10 s (limit cancel)" in text
        assert "npm x@1" in text


def test_a_check_that_is_kept_with_a_note_is_marked() -> None:
    outcome, ledger = Outcome(RUN, tried=1), Ledger(Record(RUN))
    ledger.note("S6", "after the cancelled answer the model request was still open")
    outcome.add(ledger, OPTIONS)
    made = report(outcome)
    assert made.verdict == "CONFORMS"
    board = board_of(made)
    assert (board.columns[0].cells["S6"].state, board.columns[0].cells["S6"].noted) == ("kept", True)
    assert "| S6 work stops after a cancel | ✓* |" in to_markdown(board)
    assert ">✓*</td>" in to_html(board)


def test_the_page_needs_nothing_from_anywhere() -> None:
    page = to_html(board_of(violating()))
    assert "<script" not in page
    assert "src=" not in page
    assert "http" not in page.replace("https://", "http://").replace("http://127.0.0.1", "")


def test_repeats_that_differ_are_not_held_against_anyone() -> None:
    outcome = Outcome(RUN)
    attempt(outcome, holds=True)
    column = acp_column("agent", "npm x@1", [violating(), report(outcome)])
    assert not column.same
    assert column.verdict == "INCONCLUSIVE"
    assert column.cells["L8"].state == "inconclusive"
    assert "1 of 2 repeats" in column.cells["L8"].why


@pytest.mark.parametrize("limits", [Limits(cancel=3)])
def test_limits_are_options(limits: Limits) -> None:
    assert Options(limits=limits).limits.cancel == 3
