"""A sample of the campaign of `lifecycle review`: edits of the model with their answers by hand; and that all still apply."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lifecycle_conformance.review.remote import Remote
from lifecycle_conformance.review.review import Review, review

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "model" / "lifecycle_model"
SAMPLE = (
    "a cancel leaves the queue",
    "a steer is queued while running",
    "disposed is not told",
    "any cancel in disposal may be told",
    "a cancel in disposal must be told",
    "the code of a send to the disposed is open",
    "a row split by its guard",
    "the cancel's observations in a module of their own",
    "the modules of the contract in another order",
)


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "conformance"))
        patch.setenv("LIFECYCLE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield importlib.import_module("campaigns.review")


def test_every_edit_applies_and_has_an_answer(campaign: Any) -> None:
    edits = campaign.EDITS
    assert len({one.name for one in edits}) == len(edits)
    told = [one for one in edits if one.verdict != "same"]
    assert len(told) >= 100
    assert len(edits) - len(told) >= 50
    for one in edits:
        assert campaign.edited(one, MODEL)
        assert one.does == "same" or (one.run and one.clauses), one.name


def test_the_model_moved_is_told(campaign: Any) -> None:
    gone = campaign.cancelling.edit("gone", "effect", "rows/cancel.py", "nowhere", "", "same", "", "")
    with pytest.raises(campaign.Moved, match=r"gone: rows/cancel\.py has 0 times"):
        campaign.edited(gone, MODEL)


@pytest.mark.parametrize("name", SAMPLE)
def test_a_sample_is_classified_as_written_by_hand(campaign: Any, name: str, tmp_path: Path) -> None:
    one = next(one for one in campaign.EDITS if one.name == name)
    campaign.apply(one, campaign.copied(tmp_path))
    found = _reviewed(tmp_path, name)
    assert found.behaviour == one.does
    if one.does != "same":
        fact = campaign.judged(one, found, 0.0)
        assert fact["clauses"] == sorted(fact["clauses"]), "a clause written by hand is named"
        assert 0 < fact["commands found"] <= one.size


def _reviewed(folder: Path, name: str) -> Review:
    sides = Remote(MODEL.parent, "base"), Remote(folder, name)
    try:
        return review(*sides, ("base", name), lambda text: None, scopes="core,parks", properties=False, vectors=False)
    finally:
        for side in sides:
            side.close()


def test_the_result_is_of_these_edits(campaign: Any) -> None:
    stored = json.loads((ROOT / "conformance/results/review.json").read_text(encoding="utf-8"))
    known = {one.name: one for one in campaign.EDITS}
    for fact in stored["edits"]:
        assert (fact["due"], fact["behaviour due"]) == (known[fact["name"]].verdict, known[fact["name"]].does)
        assert all(campaign.right(fact).values()) or "note" in fact, fact["name"]
    assert stored["summary"] == campaign.summary(stored["edits"])
