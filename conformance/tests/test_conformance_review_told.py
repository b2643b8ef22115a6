"""A review in words: every result allowed, short headings, what broke beside what the behaviour does; known systems; what is kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from lifecycle_conformance.contracts import contract_named
from lifecycle_conformance.review import excerpt, product, syntax, told
from lifecycle_conformance.review.causes import Allowed, Cause, Witness
from lifecycle_conformance.review.known import known
from lifecycle_conformance.review.prints import ground
from lifecycle_conformance.review.review import Review, same
from lifecycle_conformance.review.scopes import chosen
from lifecycle_conformance.review.side import Local

CREATED = Allowed(
    ({"pending": "h1"},),
    (
        {"event": "session/created", "of": "x"},
        {"event": "agent/created", "of": "x"},
        {"event": "agent/session-start", "of": "x", "source": "startup"},
    ),
)


def way(*statuses: str) -> Allowed:
    """What a cancel may show: it always asks for one, then these statuses."""
    asked = {"event": "agent/cancel-requested", "of": "x", "cause": "user"}
    told = ({"event": "agent/status", "of": "x", "status": status} for status in statuses)
    return Allowed(({"ok": None},), (asked, *told))


def witness(base: tuple[Allowed, ...], head: tuple[Allowed, ...]) -> Witness:
    """A run that ends with a cancel, after which these are allowed."""
    bursts = (({"do": "create", "id": "x", "as": "h1"},), ({"do": "cancel", "agent": "x", "cause": "user"},))
    return Witness("core", "cancel", "changes", bursts, {}, (CREATED,), base, head, tuple(f"C{n}" for n in range(9)))


def shown(base: tuple[Allowed, ...], head: tuple[Allowed, ...]) -> list[str]:
    """The lines that say what is allowed."""
    return [line.strip() for line in excerpt.lines(witness(base, head), "1")][3:]


def test_one_result_each_is_told_where_they_part() -> None:
    assert shown((way("running"),), (way(),)) == ["both  creq(user)", "base  » status(running)", "head  » nothing more"]


def test_a_result_that_both_allow_is_said_to_be_of_both() -> None:
    assert shown((way("running"), way()), (way(),)) == [
        "both  creq(user)",
        "base only  » status(running)",
        "base and head  » nothing more",
    ]


def test_every_result_is_shown_and_of_many_how_many_more_there_are() -> None:
    many = tuple(way("running", *("idle",) * times) for times in range(excerpt.SHOWN + 3))
    lines = shown((*many, way()), (way(), way("cancelling")))
    assert sum(line.startswith("base only") for line in lines) == excerpt.SHOWN + 1
    assert "base only  » and 3 more results" in lines
    assert sum(line.startswith("base and head") for line in lines) == 1
    assert sum(line.startswith("head only") and "cancelling" in line for line in lines) == 1
    assert "base allows 8 and head allows 2 results" in excerpt.count(
        witness((*many, way()), (way(), way("cancelling")))
    )


def test_a_side_that_allows_nothing_says_so() -> None:
    assert "head  » nothing is allowed" in shown((way(),), ())


def test_what_broke_stands_beside_what_the_behaviour_does() -> None:
    broken = ("invariant I8 is broken in rebirth: a word was not due", "clause C9 lost its last carrier")
    found = replace(same("old", "new"), verdict="breaks", behaviour="widens", broken=broken)
    first, *rest = [line for line in told.markdown(found).splitlines() if line][1:]
    assert first.startswith(
        "`old` → `new`: invariant I8 is broken in rebirth: a word was not due. Behaviour **widens**: "
    )
    assert rest[0] == "- also: clause C9 lost its last carrier"
    assert told.text(found).startswith("BREAKS: old → new: invariant I8 is broken")
    assert "**" not in told.text(found).splitlines()[0]
    assert "Behaviour is the **same**" in told.markdown(replace(found, behaviour="same"))


def test_headings_name_a_few_and_the_picture_is_of_what_can_be_drawn() -> None:
    gives_up = replace(witness((way(),), ()), failed="head: IndexError: of no use")
    rows = tuple(f"row {n}" for n in range(7))
    causes = (
        Cause(rows, ("C1",), "changes", 5, (gives_up,)),
        Cause(rows, tuple(f"C{n}" for n in range(9)), "changes", 5, (witness((way("running"),), (way(),)),)),
    )
    found: Review = replace(same("old", "new"), verdict="changes", behaviour="changes", causes=causes)
    shown = told.markdown(found)
    assert "row 0, row 1, row 2, row 3 and 3 more: changes, 5 runs, C0, C1, C2, C3 and 5 more" in shown
    first = shown.split("<details>")[0]
    assert "sequenceDiagram" in first
    assert "IndexError" not in first
    assert "head: IndexError: of no use" in shown
    assert "row 4" not in told.text(found)


def test_systems_are_those_about_the_contracts_and_none_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIFECYCLE_CACHE", str(tmp_path))
    # an agent disposed at once, as both say it, and as only head would
    bursts = (
        ({"do": "create", "id": "x", "as": "h1"},),
        ({"do": "send", "agent": "x", "message": "mA", "wakeup": False},),
    )
    enq = {"event": "agent/inbox/enqueue", "of": "x", "item": "mA", "steering": False, "wakeup": False}
    base, head = Allowed(({"ok": "mA"},), (enq,)), Allowed(({"refused": "disposed"},), ())
    run = Witness("core", "quiet", "changes", bursts, {}, (CREATED,), (base,), (head,), ("Q2",))
    causes = (Cause(("a row",), ("Q2",), "changes", 1, (run,)),)
    one, other = known(causes)
    assert (one.system, one.base, one.head, one.neither) == ("reference", 1, 0, 0)
    assert (other.system, other.base, other.head, other.neither) == ("stepped", 1, 0, 0)
    (absent,) = known(causes, ("latch",))
    assert absent.system == "dsh"
    assert absent.told.startswith("dsh was not run: ")
    assert "lifecycle systems install dsh" in absent.told
    assert list(tmp_path.iterdir()) == []


def test_prints_are_the_same_whether_read_or_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forgotten() -> dict[str, str]:
        syntax.read.cache_clear()
        syntax._known.cache_clear()
        return ground()

    monkeypatch.setenv("LIFECYCLE_CACHE", str(tmp_path))
    first = forgotten()
    syntax.keep()
    (path,) = tmp_path.iterdir()
    with monkeypatch.context() as patch:
        patch.setattr("ast.parse", None)  # so that nothing can be read but what was kept
        assert forgotten() == first
    path.write_bytes(b"spoilt")
    assert forgotten() == first
    monkeypatch.undo()
    syntax.read.cache_clear()
    syntax._known.cache_clear()


def test_only_what_comes_behind_a_difference_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    sides = Local(contract_named("1")), Local(contract_named("latch"))
    (scope,) = chosen("creation", *(side.catalog() for side in sides))

    def found(most: int) -> tuple[product.Compared, set[str]]:
        monkeypatch.setattr(product, "BEYOND", most)
        one = product.compare(*sides, scope, beyond=True)
        return one, {f"{each.label} {each.base.asked}" for each in one.differences if not each.at.parted}

    whole, first = found(product.MOST)
    cut, same_first = found(0)
    assert (whole.cut, whole.left) == (False, 0)
    assert cut.cut
    assert cut.left > 0
    assert first == same_first != set()
