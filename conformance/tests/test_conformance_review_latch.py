"""`lifecycle review 1 latch`: every statement of the variant that a scenario shows is among the differences found."""

from __future__ import annotations

import pytest

from lifecycle_conformance.contracts import contract_named
from lifecycle_conformance.review import excerpt
from lifecycle_conformance.review.review import Review, review
from lifecycle_conformance.review.side import Local

# a statement of the variant's text · where the review shows it · what only contract 1 does · what only the variant does
STATEMENTS: tuple[tuple[str, str, str, str], ...] = (
    ("X4L Q7L: a turn starts before its claim, on the sender's stack", "WL01, burst 2", "deq(mA) TS(1)", "TS(1) deq(mA)"),
    ("X4L: others may cancel only once the turn has begun", "WL02, burst 2", "creq(user) disc[mA]", "TS(1) deq(mA) abort(user)"),
    ("Q26L: a claimed message is spent", "WL02, burst 2", "disc[mA]", "TE(1,aborted)"),
    ("Q27L: a driver opens a turn though its item is gone", "WL03, burst 2", "creq(user) disc[mA]", "TS(1) TE(1,completed)"),
    ("S6L C15L: a start aborted before its turn logs none", "WL04, burst 2", "status(cancelling) abort(user)", "disc[mA]"),
    ("C9L: a latch is replayed once, after idle", "WL05, burst 2", "status(running) deq(mB)", "status(idle) status(running) TS(1) deq(mB)"),
    ("keep_inbox is standard", "WL06, burst 4", "nothing more", "abort(user)"),
    ("C/r5L: what is kept parks", "WL06, burst 5", "deq(mB) TS(2)", "SE(1) TE(1,aborted)"),
    ("C9L S3L: a kept item runs with the next wake", "WL06, burst 7", "deq(mC) TS(3)", "TS(2) deq(mB)"),
    ("S/r3L: input after an abort sets the latch", "WL07, burst 5", "AM SE(1) TE(1,completed)", "status(idle) status(running) TS(2) deq(mB)"),
    ("C/r6L: a further plain cancel clears item and latch", "WL08, burst 5", "creq(user) disc[mB] status(cancelling)", "disc[mB]"),
    ("remove is a stimulus of its own", "WL09, burst 5", "nothing more", "disc[mS]"),
    ("no cancel is announced, no status cancelling", "WL10, burst 4", "creq(user) status(cancelling)", "nothing more"),
    ("Q4L S7L: steering after an abort is replayed", "WL10, burst 7", "FL FL. status(running) deq(mS)", "status(idle) status(running) TS(2) deq(mS)"),
    ("C7L C12L: the first abort fixes the cause", "WL11, burst 4", "creq(user)", "nothing more"),
    ("no flush by the driver", "WL11, burst 5", "FL FL.", "nothing more"),
    ("enq has no flag of steering", "WL12, burst 3", '"steering":true', '"item":"mS","of":"x"}'),
    ("Q9L: next-step items are claimed between SE and SS", "WL12, burst 4", "deq(mS,steer) SM(mS) SE(1)", "SE(1) deq(mS) SS(2) UM(mS)"),
    ("Q15L: inject only stores", "WL13, burst 2", "TS(1,injection) UM(mI)", "enq(mI)"),
    ("Q5L: a turn claims next-step items with its own", "WL13, burst 3", "deq(mA) TS(2)", "TS(1) deq(mI) deq(mA)"),
    ("Q21L: a rejection has no user message and no step", "WL14, burst 4", "SS(1)", "TE(1,blocked)"),
    ("Q22L: what is pending parks behind a rejection", "WL14, burst 5", "deq(mB) TS(2)", "TS(2) deq(mS) deq(mB)"),
    ("C25L: an interrupted message is logged", "WL15, burst 5", "SE(1) TE(1,aborted)", "AM SE(1) TE(1,aborted)"),
    ("S/r14L: maintenance", "WL16, burst 2", "nothing more", "<maintenance>"),
    ("S/r3L: input in maintenance is latched", "WL16, burst 4", "status(running) deq(mA)", "nothing more"),
    ("S/r15L: and replayed when the job ends", "WL16, burst 6", "nothing more", "status(running) TS(1) deq(mA)"),
    ("P/r6L P19L: a setup's commit may throw", "WL17, burst 2", "s+ a+ start(startup)", "scope"),
    ("P/r6L: the retry works", "WL17, burst 3", "nothing more", "s+ a+ start(startup)"),
    ("P5L: a disposal of the lifecycle on its stack rolls back", "WL19, burst 1", "start(startup)", "scope a- s-"),
    ("P5L: an unload asked for there begins after the segment", "WL19, burst 2", "nothing more", "s+ a+ start(startup) scope a- s-"),
    ("S1L R5L: disposal publishes no status", "WL20, burst 3", "status(disposed)", "nothing more"),
    ("S/r4L T5L: input after disposal is accepted and parks", "WL20, burst 4", "nothing more", "enq(mB)"),
    ("D1L T/r2L T/r4L: aborted(disposed), idle, the scope first", "WL20, burst 5", "TE(1,disposed) FL FL. a- s- scope", "TE(1,aborted) status(idle) scope a- s-"),
    ("C19L: the first cause stays", "WL21, burst 5", "TE(1,disposed)", "TE(1,aborted) status(idle)"),
    ("T/r4L T/r5L: the scope unwinds before the detach", "WL22, burst 2", "status(disposed) a- s-", "nothing more"),
    ("T8L: the id is taken until s-", "WL22, burst 3", "s+ a+ start(startup)", "nothing more"),
    ("T5L: an idle listener's input in draining runs", "WL23, burst 4", "TE(1,disposed)", "enq(mB) status(running) TS(2) deq(mB)"),
    ("T15L: children leave while the parent unwinds", "WL24, burst 4", "status(disposed) a- s-", "nothing more"),
    ("A16L: a prompt may be in admission", "WL25, burst 3", "enq(mB)", "<admission>"),
    ("A16L: a cancel then touches no other work", "WL25, burst 4", "creq(user) disc[mB]", "nothing more"),
    ("A4L A5L: and is answered when admission ends", "WL25, burst 5", "nothing more", 'p1="cancelled"'),
    ("Q22L: a failed turn ends the driver, what is pending parks", "WL26, burst 4", "deq(mB) TS(2)", "nothing more"),
    ("Q22L: until a later wake", "WL26, burst 6", "deq(mC) TS(3)", "TS(2) deq(mB)"),
)  # fmt: skip


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The lines of each scenario's burst."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIFECYCLE_CACHE", str(tmp_path_factory.mktemp("cache")))
        sides = Local(contract_named("1")), Local(contract_named("latch"))
        found: Review = review(*sides, ("contract 1", "contract latch"), lambda text: None, scopes="core", beyond=True)
    assert found.verdict == "changes"
    scenarios = [one for cause in found.causes for one in cause.witnesses if one.scope == "vectors"]
    return {one.label: list(excerpt.lines(one, "latch")) for one in scenarios}


@pytest.mark.parametrize(("about", "label", "base", "head"), STATEMENTS, ids=[one[0] for one in STATEMENTS])
def test_what_the_variant_states_is_found(
    shown: dict[str, list[str]], about: str, label: str, base: str, head: str
) -> None:
    assert label in shown, about
    sides = {who: [line for line in shown[label] if line.startswith(f"  {who} ")] for who in ("base", "head")}
    assert any(base in line for line in sides["base"]), (about, shown[label])
    assert any(head in line for line in sides["head"]), (about, shown[label])


def test_every_scenario_that_differs_is_among_them(shown: dict[str, list[str]]) -> None:
    mapped = {label.partition(",")[0] for _, label, _, _ in STATEMENTS}
    found = {label.partition(",")[0] for label in shown}
    assert {one for one in found if one.startswith("WL")} - mapped == {"WL18"}, "WL18 adds nothing of its own"
