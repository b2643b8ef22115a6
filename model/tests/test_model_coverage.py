"""Coverage reports what was left out: rows, steps, programs, guards, clauses; and refutes wrong excuses."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from lifecycle_model.contract1 import contract
from lifecycle_model.coverage import OBSERVED, carriers, coverage
from lifecycle_model.engine import Now
from lifecycle_model.explore import standard
from lifecycle_model.explorer import Exploration, search
from lifecycle_model.properties import Properties
from lifecycle_model.scopes import scope_named
from lifecycle_model.table import Contract, Program, Row


@cache
def explored() -> Exploration:
    return search(contract(), scope_named("keep-inbox-off"), Properties())


def changed(*rows: Row, programs: tuple[Program, ...] = ()) -> Contract:
    return contract().overlay("changed", rows=rows, programs=programs)


def never(now: Now) -> bool:
    """Never."""
    return False


def row(name: str) -> Row:
    return next(one for one in contract().rows if one.id == name)


def test_rows_taken_and_untaken_part_the_table() -> None:
    found = coverage(contract(), [explored()], standard(contract()))
    assert "S/r13" in found.rows_taken
    assert "Q/r7" in found.rows_untaken
    every = {*found.rows_taken, *found.rows_untaken, *found.rows_unreachable}
    assert every == {one.id for one in contract().rows}
    assert not found.complete
    assert "rows never taken" in found.text()


def test_explorations_add_up() -> None:
    one = coverage(contract(), [explored()], Properties())
    other = search(contract(), scope_named("tools"), Properties())
    both = coverage(contract(), [explored(), other], Properties())
    assert set(one.rows_taken) < set(both.rows_taken)
    assert set(both.guards_never_true) < set(one.guards_never_true)
    assert "Q/r7" in both.rows_taken


def test_guard_that_never_fails_may_be_explained_and_the_reason_is_checked() -> None:
    found = coverage(contract(), [explored()], Properties())
    assert "S/r13" in found.guards_constant
    assert "S/r13" not in found.guards_never_false
    assert "constant: S/r13 because an installed holder" in found.text()
    wrong = changed(replace(row("C/r1"), constant="cancels always work"))
    found = coverage(wrong, [search(wrong, scope_named("keep-inbox-off"), Properties())], Properties())
    assert found.guards_refuted == ("C/r1",)
    assert not found.complete


def test_excuse_is_kept_where_exploration_agrees() -> None:
    excused = changed(replace(row("Q/r7"), unreachable="nobody injects here"))
    found = coverage(excused, [search(excused, scope_named("keep-inbox-off"), Properties())], Properties())
    assert found.rows_unreachable["Q/r7"] == "nobody injects here"
    assert "Q/r7" not in found.rows_untaken
    assert "Q/r7" not in found.guards_never_true
    assert "nobody injects here" in found.text()


def test_wrong_excuse_is_refuted() -> None:
    excused = changed(replace(row("S/r13"), unreachable="nobody cancels"))
    found = coverage(excused, [search(excused, scope_named("keep-inbox-off"), Properties())], Properties())
    assert found.rows_refuted == ("S/r13",)
    assert "although called unreachable" in found.text()


def test_guard_seen_one_way_only_is_reported() -> None:
    always = changed(replace(row("C/r1"), guard=never))
    found = coverage(always, [search(always, scope_named("keep-inbox-off"), Properties())], Properties())
    assert "C/r1" in found.guards_never_true
    whole = coverage(contract(), [explored()], Properties())
    assert "C/r1" not in whole.guards_never_true
    assert "C/r1" not in whole.guards_never_false


def test_program_and_step_that_nothing_runs_are_reported() -> None:
    idle = changed(programs=(Program("idle", "does nothing", ("idle.rest",), ()),))
    found = coverage(idle, [search(idle, scope_named("keep-inbox-off"), Properties())], Properties())
    assert "idle" in found.programs_untaken
    assert "idle.rest" in found.steps_untaken


def test_clause_that_nothing_carries_is_reported() -> None:
    lonely = contract().overlay("lonely", clauses={"Z1": "Nobody minds."})
    found = coverage(lonely, [], standard(lonely))
    assert "Z1" in found.clauses_uncarried
    assert "C9" not in found.clauses_uncarried


def test_clauses_of_the_slice_are_all_carried() -> None:
    found = coverage(contract(), [], standard(contract()))
    slice_ = [c for c in found.clauses_uncarried if c[0] in "SQC" and c not in ("S/r2", "S/r3")]
    assert slice_ == []


def test_what_observing_carries_is_a_clause() -> None:
    assert set(OBSERVED) <= set(contract().clauses)
    by = carriers(contract(), standard(contract()))
    assert any(what.startswith("row ") for what in by["C9"])
    assert any(what.startswith("property ") for what in by["I7"])
    assert any(what.startswith("program ") for what in by["X1"])
