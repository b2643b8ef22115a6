"""What the kill matrix counts, how it is stored and shown, and that equivalent mutants are proved and not counted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from lifecycle_conformance import scopes
from lifecycle_conformance.cli import main
from lifecycle_conformance.contracts import contract_named
from lifecycle_conformance.mutants import heatmap, matrix
from lifecycle_conformance.mutants.hunt import INCONCLUSIVE, KILLED, OTHER, SURVIVED, Kill
from lifecycle_conformance.mutants.matrix import Matrix
from lifecycle_conformance.mutants.mutant import MutantError
from lifecycle_conformance.mutants.proof import CHANGES, compare, prove
from lifecycle_conformance.mutants.zoo import ZOO
from lifecycle_model.commands import Send

FIRST, SECOND, THIRD = (one.id for one in ZOO[:3])
EQUIVALENT = next(one.id for one in ZOO if one.equivalent)

MATRIX = Matrix(
    {"impl/lifecycle_runtime": "0"},
    (
        Kill(FIRST, "vectors", "quick", SURVIVED, runs=383, milliseconds=4000),
        Kill(FIRST, "suite", "quick", KILLED, ("S4",), 3, 20, (2, 0), bursts=((Send("a", "m1"),),)),
        Kill(SECOND, "vectors", "quick", OTHER, ("C<3",), 19, 110),
        Kill(THIRD, "vectors", "quick", INCONCLUSIVE, note="it hung"),
        Kill(EQUIVALENT, "vectors", "quick", SURVIVED, runs=383),
    ),
    ("vectors run 8: fault",),
)


def test_a_mutant_fares_as_well_as_its_best_engine() -> None:
    tally = matrix.overall(MATRIX, "quick", ZOO[:3])
    assert (tally.killed, tally.other, tally.survived, tally.inconclusive) == (1, 1, 0, 1)
    assert tally.hunted == 3


def test_a_deeper_profile_keeps_what_a_shallower_one_found_but_not_its_examples() -> None:
    deeper = msgspec.structs.replace(
        MATRIX,
        kills=(
            *MATRIX.kills,
            Kill(SECOND, "interleavings", "thorough", KILLED, ("C2",), 5, 20),
            Kill(THIRD, "hypothesis", "quick", KILLED, ("C2",), 5, 20),
        ),
    )
    assert matrix.overall(deeper, "quick", ZOO[:3]).killed == 2
    thorough = matrix.overall(deeper, "thorough", ZOO[:3])
    assert (thorough.killed, thorough.inconclusive) == (2, 1)


def test_lengths_are_told_against_the_optimum_where_there_is_one() -> None:
    kills = (
        Kill(FIRST, "walk", "quick", KILLED, ("S4",), 3, 20, (2, 1), (2, 1)),
        Kill(SECOND, "walk", "quick", KILLED, ("S4",), 3, 20, (5, 0), (2, 1)),
        Kill(THIRD, "walk", "quick", KILLED, ("S4",), 3, 20, (9, 0)),
    )
    [line] = [
        one for one in matrix.text(msgspec.structs.replace(MATRIX, kills=kills), "quick") if one.startswith("  walk")
    ]
    assert line.endswith("; as short as the optimum in 1 of 2, else 2 to 2 commands and reactions longer")


def test_an_equivalent_mutant_is_not_counted() -> None:
    assert EQUIVALENT not in {one.id for one in matrix.counted()}
    assert not [line for line in matrix.text(MATRIX, "quick") if EQUIVALENT in line]


def test_the_text_tells_shares_and_who_got_away() -> None:
    lines = list(matrix.text(MATRIX, "quick"))
    assert lines[0] == "profile quick: 1 of 3 killed (33.3 %), 1 for another reason, 1 inconclusive"
    assert "left out" in lines[1]
    assert any(line.startswith(f"  other: {SECOND} [") and line.endswith("blamed C<3") for line in lines)
    assert any(line.startswith(f"  inconclusive: {THIRD} [") and line.endswith("(it hung)") for line in lines)


def test_a_stored_matrix_is_read_again_without_its_runs(tmp_path: Path) -> None:
    path = tmp_path / "results" / "mutants.json"
    matrix.write(MATRIX, path)
    found = matrix.read(path)
    assert found.kills[0] == MATRIX.kills[0]
    assert found.kills[1].bursts == ()
    assert (found.trees, found.sifted) == (MATRIX.trees, MATRIX.sifted)
    before = path.read_bytes()
    matrix.write(found, path)
    assert path.read_bytes() == before


def test_a_missing_or_broken_matrix_is_told(tmp_path: Path) -> None:
    with pytest.raises(MutantError, match="there is no kill matrix"):
        matrix.read(tmp_path / "none.json")
    (tmp_path / "broken.json").write_text("{}")
    with pytest.raises(MutantError, match="is no kill matrix"):
        matrix.read(tmp_path / "broken.json")


def test_a_matrix_is_stale_when_a_source_changes(tmp_path: Path) -> None:
    for name in matrix.SOURCES:
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "one.py").write_text("a = 1\n")
    fresh = Matrix(matrix.trees(tmp_path), ())
    assert matrix.stale(fresh, tmp_path) == []
    (tmp_path / "model/lifecycle_model/one.py").write_text("a = 2\n")
    assert matrix.stale(fresh, tmp_path) == ["model/lifecycle_model"]


def test_the_heat_map_is_one_escaped_page() -> None:
    page = heatmap.page(MATRIX)
    assert page == heatmap.page(MATRIX)
    assert "C&lt;3" in page
    assert "C<3" not in page
    assert page.count("<tr>") == len(ZOO) + 1


def test_percentiles() -> None:
    assert matrix.percentile([], 0.5) == 0
    assert matrix.percentile([5], 0.95) == 5
    assert matrix.percentile(list(range(1, 101)), 0.5) == 50
    assert matrix.percentile(list(range(1, 101)), 0.95) == 95


@pytest.mark.parametrize("name", CHANGES)
def test_an_equivalent_mutant_changes_nothing_in_the_rows(name: str) -> None:
    proof = prove(name, scopes.scope("contexts"))
    assert proof.holds, proof.difference
    assert proof.pairs > 10
    assert proof.labels > 100
    assert proof.reactions > 100


@pytest.mark.parametrize("name", CHANGES)
def test_nor_at_any_gate_of_a_turn(name: str) -> None:
    proof = prove(name, scopes.scope("gates"), reactions=False)
    assert proof.holds, proof.difference
    assert proof.labels > 2000


def test_every_equivalent_mutant_has_a_proof() -> None:
    assert {one.id for one in ZOO if one.equivalent} == set(CHANGES)


def test_a_change_that_matters_is_no_proof() -> None:
    contract = contract_named("1")
    (cleared,) = (row for row in contract.rows if row.id == "C10 clear")
    other = contract.overlay("1 without discards", rows=[replace(cleared, says=())])
    proof = compare("silent", contract, other, scopes.scope("contexts"))
    assert not proof.holds
    assert "cancel" in proof.difference


def test_the_command_lists_every_mutant(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mutants", "--list"]) == 0
    said = capsys.readouterr().out
    assert all(one.id in said and one.about in said for one in ZOO)
    assert said.count("(equivalent)") == len(CHANGES)


def test_the_command_refuses_an_unknown_mutant(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mutants", "no-such-mutant"]) == 2
    assert "there is no mutant 'no-such-mutant'" in capsys.readouterr().err
