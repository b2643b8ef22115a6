"""`lifecycle review 1 latch`: what the variant states is among the differences found, as `docs/reviews/latch.md` says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lifecycle_conformance.contracts import contract_named
from lifecycle_conformance.review import excerpt
from lifecycle_conformance.review.review import Review, review
from lifecycle_conformance.review.side import Local

PAGE = (Path(__file__).parents[1] / "docs/reviews/latch.md").read_text(encoding="utf-8")
SHOWN, NOT_SHOWN = (
    [
        tuple(cell.strip().strip("`") for cell in line.strip("|").split("|"))
        for line in part.splitlines()
        if line.startswith("| ")
    ][2:]
    for part in PAGE.partition("## Shown")[2].split("## Not shown")
)
ID = re.compile(r"\b(?:[A-Z]{1,2}/r|[A-Z])\d+L\b")


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The lines of each burst of a scenario, and of each run of a scope, that is told."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIFECYCLE_CACHE", str(tmp_path_factory.mktemp("cache")))
        sides = Local(contract_named("1")), Local(contract_named("latch"))
        names = "contract 1", "contract latch"
        found: Review = review(*sides, names, lambda text: None, scopes="core,creation,resume,latch", beyond=True)
    assert found.verdict == "changes"
    told = [one for cause in found.causes for one in cause.witnesses]
    return {
        one.label if one.scope == "vectors" else f"{one.scope}: {one.label}": list(excerpt.lines(one, "latch"))
        for one in reversed(told)
    }


@pytest.mark.parametrize(("about", "label", "base", "head"), SHOWN, ids=[one[0] for one in SHOWN])
def test_what_the_variant_states_is_found(
    shown: dict[str, list[str]], about: str, label: str, base: str, head: str
) -> None:
    assert label in shown, about
    sides = {who: [line for line in shown[label] if line.startswith(f"  {who} ")] for who in ("base", "head")}
    assert any(base in line for line in sides["base"]), (about, shown[label])
    assert any(head in line for line in sides["head"]), (about, shown[label])


def test_every_clause_of_the_variant_stands_in_one_of_the_tables() -> None:
    own = {clause for clause in contract_named("latch").clauses if ID.fullmatch(clause)}
    said, unsaid = ({each for one in table for each in ID.findall(one[0])} for table in (SHOWN, NOT_SHOWN))
    assert len(own) > 100
    assert said | unsaid == own
    assert not said & unsaid
    assert all(one[1] for one in NOT_SHOWN)


def test_every_scenario_that_differs_is_among_them(shown: dict[str, list[str]]) -> None:
    mapped = {label.partition(",")[0] for _, label, _, _ in SHOWN}
    found = {label.partition(",")[0] for label in shown}
    assert {one for one in found if one.startswith("WL")} - mapped == {"WL18"}, "WL18 adds nothing of its own"
