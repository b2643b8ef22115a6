"""What carries a clause is load-bearing: the judge of it sees what changes, and reasons and tables are not stale."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from lifecycle_conformance.bearing.explained import EXPLAINED
from lifecycle_conformance.bearing.judge import Bearing, Change, unexplained
from lifecycle_conformance.bearing.weakened import Weakened, ways
from lifecycle_conformance.clause_table import written
from lifecycle_conformance.systems.errors import UsageError
from lifecycle_model.contract1 import contract
from lifecycle_model.coverage import coverage
from lifecycle_model.engine import ModelError
from lifecycle_model.explore import standard

ROOT = Path(__file__).parents[2]
RESULT = ROOT / "conformance" / "campaigns" / "results" / "load_bearing.json"


@cache
def bearing() -> Bearing:
    return Bearing(contract())


def way(name: str, how: str = "removed") -> Weakened:
    return next(one for one in ways(contract()) if (one.name, one.how) == (name, how))


@pytest.mark.parametrize(
    ("name", "how", "run"), [("C10 clear", "removed", "X"), ("A/r4", "negated", "V"), ("O/r4", "removed", "V")]
)
def test_a_vector_fails_without_a_row(name: str, how: str, run: str) -> None:
    found = bearing().change(way(name, how))
    assert found.how.startswith(("fails: ", "breaks: "))
    assert found.run[0] in "VX"


def test_what_is_allowed_changes_where_no_vector_fails() -> None:
    found = bearing().change(way("X3 begins later"))
    assert "allows something else" in found.how


def test_a_row_that_nothing_needs_is_told() -> None:
    spare = replace(next(row for row in contract().rows if row.id == "D/r9"), id="unneeded", step="log.cease.one")
    other = Bearing(contract().overlay("1", rows=[spare]))
    found = other.change(Weakened("row", "unneeded", "removed", "log.cease", (), gone=("unneeded",)))
    assert not found.run
    assert unexplained([found]) == [found]
    assert "NOBODY SAYS WHY" in found.line()


def test_a_reason_for_what_changes_is_told() -> None:
    name, how = next(iter(EXPLAINED))
    wrong = Change(way(name, how), "VS01", "fails: something")
    assert unexplained([wrong]) == [wrong]


def test_a_contract_in_which_a_vector_fails_is_refused() -> None:
    with pytest.raises(ModelError, match="does not hold in contract 1 as it is"):
        Bearing(contract().overlay("1", drop=["C10 clear"]))


def test_every_row_is_taken_by_a_run_or_says_why_not() -> None:
    assert {name for name in bearing().untaken() if (name, "removed") not in EXPLAINED} == set()


def test_every_reason_holds() -> None:
    """Only some of them here, the campaign asks all: a reason for something that changes is no reason."""
    for name, how in sorted(EXPLAINED)[::4]:
        assert not bearing().change(way(name, how)).run, name


def test_what_the_committed_result_does_not_know_is_load_bearing() -> None:
    """The campaign asks all; rows that came since are asked here, and many of them need the campaign to run again."""
    result = json.loads(RESULT.read_text())
    assert not [one for one in result["changes"] if not one["run"] and not one["reason"]]
    known = {(one["kind"], one["name"], one["how"]) for one in result["changes"]}
    new = [one for one in ways(contract()) if (one.kind, one.name, one.how) not in known]
    assert len(new) <= 30, "run conformance/campaigns/load_bearing.py again"
    assert unexplained([bearing().change(one) for one in new]) == []


def test_every_clause_is_carried() -> None:
    uncarried = coverage(contract(), [], standard(contract())).clauses_uncarried
    assert set(uncarried) <= {"F5"}


def test_the_table_of_clauses_is_current() -> None:
    page = (ROOT / "model" / "README.md").read_text()
    assert written(page, contract()) == page, "run `lifecycle explain --write`"
    stale = page.replace("| S1 |", "| S1x |")
    assert written(stale, contract()) != stale
    with pytest.raises(UsageError, match="no place for the table"):
        written("# nothing", contract())
