"""Scopes of whole systems: what was explored is what the engine does with concrete names, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lifecycle_model.canonical import MARK
from lifecycle_model.commands import Abort, Create, Dispose, Send
from lifecycle_model.contract1 import contract
from lifecycle_model.explore import explore, standard
from lifecycle_model.explorer import Exploration, search
from lifecycle_model.properties import Properties
from lifecycle_model.replay import Astray, replay
from lifecycle_model.scope import Act, Role, Scope, ScopeError, check
from lifecycle_model.scopes import scope_named
from lifecycle_model.space import hop_of


def tried(found: Exploration, every: int) -> int:
    """Perform paths to configurations, and every transition from there; the number of hops performed."""
    space, hops = found.space, 0
    for node in range(0, len(space.order), every):
        path = space.path(node)
        for _, move, seat, reply in space.successors(space.order[node]):
            moments = replay(space, [*path, (space.order[node], hop_of(move, seat, reply))])
            hops += 1
            assert not any(MARK in one.text for one in moments)
    return hops


@pytest.mark.parametrize("name", ["bridge-no-load", "resisting-task", "id-taken", "late-cancel"])
def test_every_transition_replays_with_concrete_names(name: str) -> None:
    """Astray is raised where the engine, given the whole configuration, ends elsewhere."""
    found = search(contract(), scope_named(name), Properties())
    assert found.space.complete
    assert tried(found, max(1, len(found.space.order) // 12)) > 5


def test_what_a_scope_begins_with_is_part_of_every_run() -> None:
    found = search(contract(), scope_named("bridge-faults"), Properties(), limit=40)
    moments = replay(found.space, found.space.path(30))
    assert [one.text for one in moments if one.commands][:3] == [
        "acp act=connect",
        "acp act=new session=a q8",
        "acp act=new session=b q9",
    ]


def test_another_end_than_explored_is_noticed() -> None:
    found = search(contract(), scope_named("bridge-no-load"), Properties())
    space = found.space
    key, move, seat, _ = next(iter(space.successors(space.order[0])))
    assert key != space.order[0]
    wrong = replace(hop_of(move, seat, None), move=type(move)(move.label, (0,), 0, 0))
    with pytest.raises(Astray):
        replay(space, [(space.order[0], wrong)])


def whole(*acts: Act, first: tuple[Create, ...] = ()) -> Scope:
    role = Role(("a",), acts, born=False, whole=True, first=first)
    return Scope("test", "test", "a test's own", (role,), budgets=(("create", 2),), most=(("d", 1), ("store", 2)))


def test_references_of_what_is_over_are_used_again() -> None:
    """Else no scope with creations would be finite; a handle is known for as long as its agent lives."""
    scope = whole(Act(Create("a", "", sync=True)), Act(Dispose("a", as_="")))
    found = search(contract(), scope, standard(contract()))
    assert found.space.complete
    assert not found.violations
    refs = {
        name
        for key in found.space.order
        for cell in found.space.cells_at(key)
        for name, _ in cell.aside
        if name.startswith("tx:")
    }
    assert refs == {"tx:#h1", "tx:#h2"}


def test_each_reference_known_can_be_named() -> None:
    scope = whole(Act(Create("a", ""), "create"), Act(Abort("each")))
    found = search(contract(), scope, Properties())
    aborted = {
        move.label.command.ref
        for moves in found.space.cells._moves.values()
        for move in moves.moves
        if isinstance(move.label.command, Abort)
    }
    assert aborted == {"#h1", "#h2"}


def test_second_agent_is_judged_too() -> None:
    """An invariant that the other agent of the cell breaks is found, and its liveness is judged."""
    scope = whole(Act(Send("b", ""), "create"), first=(Create("b", "#h0", sync=True),))
    role = replace(scope.roles[0], also=("b",))
    broken = contract().overlay(
        "broken", rows=[replace(row, opens=None) for row in contract().rows if row.id == "S/r4"]
    )
    found = explore(broken, replace(scope, roles=(role,)), standard(contract()).only("V1"))
    assert list(found.lassos) == ["V1"]
    assert found.lassos["V1"].text.startswith("b may stay")
    silent = contract().overlay("broken", rows=[replace(row, says=()) for row in contract().rows if row.id == "Q25 SE"])
    found = search(silent, replace(scope, roles=(role,)), standard(contract()).only("I2"), first=True)
    assert list(found.violations) == ["I2"]


def test_scope_of_a_whole_system_has_one_role_with_one_agent() -> None:
    scope = whole(Act(Create("a", "")))
    with pytest.raises(ScopeError, match="one whole system"):
        check(replace(scope, roles=(replace(scope.roles[0], agents=("a", "b")),)), contract())
    with pytest.raises(ScopeError, match="no whole system"):
        check(replace(scope, roles=(Role(("a",), (), also=("b",)),)), contract())
