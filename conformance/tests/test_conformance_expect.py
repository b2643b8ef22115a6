"""Expected violations: new ones fail, stale ones fail, what was not looked for does neither."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifecycle_conformance.expect import (
    Expectations,
    Expected,
    ExpectError,
    compare,
    exit_code,
    load,
    updated,
    write,
)

C9 = Expected("C9", "aaaa", "marker")
L3 = Expected("L3", "bbbb", "idle/eof")


def test_a_known_violation_passes() -> None:
    difference = compare(Expectations("s", "1", (C9,)), [C9])
    assert difference.holds
    assert difference.known == (C9,)
    assert exit_code(difference, inconclusive=False) == 0


def test_a_new_violation_fails() -> None:
    difference = compare(Expectations("s", "1", (C9,)), [C9, L3])
    assert difference.new == (L3,)
    assert exit_code(difference, inconclusive=False) == 1
    assert difference.render().startswith("new: L3 bbbb (idle/eof); fix it")


def test_a_stale_expectation_fails() -> None:
    difference = compare(Expectations("s", "1", (C9, L3)), [C9])
    assert difference.stale == (L3,)
    assert exit_code(difference, inconclusive=False) == 1
    assert "stale: L3 bbbb (idle/eof) no longer happens" in difference.render()


def test_an_expectation_whose_run_was_not_played_is_not_stale() -> None:
    difference = compare(Expectations("s", "1", (C9, L3)), [], played=["aaaa"])
    assert difference.stale == (C9,)
    assert difference.unchecked == (L3,)


def test_the_same_group_by_another_run_is_new() -> None:
    other = Expected("C9", "cccc")
    difference = compare(Expectations("s", "1", (C9,)), [other])
    assert (difference.new, difference.stale) == ((other,), (C9,))


def test_a_list_that_is_written_anew_keeps_its_notes(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    write(path, "s", "1", [C9, L3])
    write(path, "s", "1", [Expected("C9", "aaaa"), Expected("L3", "cccc")])
    assert load(path).expected == (C9, Expected("L3", "cccc"))
    path.write_text("no list", encoding="utf-8")
    write(path, "s", "1", [Expected("C9", "aaaa")])
    assert load(path).expected == (Expected("C9", "aaaa"),)


def test_a_note_decides_nothing() -> None:
    assert compare(Expectations("s", "1", (C9,)), [Expected("C9", "aaaa", "another note")]).holds


def test_inconclusive_is_never_green() -> None:
    assert exit_code(compare(Expectations("s", "1"), []), inconclusive=True) == 3


def test_what_is_written_is_read_back_and_is_the_same_for_any_order(tmp_path: Path) -> None:
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    write(one, "s", "1", [L3, C9, C9])
    write(two, "s", "1", [C9, L3])
    assert one.read_bytes() == two.read_bytes()
    assert load(one).expected == (C9, L3)


def test_a_partial_check_keeps_what_it_did_not_look_for() -> None:
    new = Expected("Q5", "aaaa")
    assert updated(Expectations("s", "1", (C9, L3)), [new], played=["aaaa"]) == (L3, new)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "write it anew"),
        ('{"system": "s", "contract": "1", "expected": [{"group": 1}]}', "group"),
        (
            '{"system": "s", "contract": "1", "expected": [{"group": "C9", "fingerprint": "a"},'
            ' {"group": "C9", "fingerprint": "a", "note": "again"}]}',
            "C9 a is listed twice",
        ),
    ],
)
def test_a_file_that_cannot_be_used_says_why(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "expect.json"
    path.write_text(text)
    with pytest.raises(ExpectError, match=says):
        load(path)


def test_a_missing_file_says_how_to_write_it(tmp_path: Path) -> None:
    with pytest.raises(ExpectError, match="--write-expect"):
        load(tmp_path / "none.json")
