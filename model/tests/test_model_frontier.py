"""Exploring by levels of arrays finds what exploring one by one finds: counts, rows, guards, shortest violations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lifecycle_model import frontier
from lifecycle_model.contract1 import contract
from lifecycle_model.explore import standard
from lifecycle_model.explorer import search
from lifecycle_model.frontier import Frontier
from lifecycle_model.properties import Properties
from lifecycle_model.scopes import scope_named


@pytest.mark.parametrize("dense", [True, False], ids=["marked", "sorted"])
@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("name", ["keep-inbox-off", "nested", "pair"])
def test_both_searches_find_the_same(name: str, symmetric: bool, dense: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not dense:
        monkeypatch.setattr(frontier, "DENSE", 0)
    scope = scope_named(name)
    if name == "pair":
        scope = replace(scope, roles=(replace(scope.roles[0], acts=scope.roles[0].acts[:1]),))
    slow = search(contract(), scope, Properties(), symmetric=symmetric)
    tables = Frontier(contract(), scope, Properties(), symmetric=symmetric)
    fast = tables.run()
    assert fast.found.space.complete
    assert fast.configurations == len(slow.space.order)
    assert len(fast.levels) - 1 == slow.space.depth
    assert (fast.found.rows, fast.found.guards) == (slow.rows, slow.guards)


def test_violation_is_found_at_the_same_depth_with_a_run() -> None:
    broken = contract().overlay("broken", drop=["C9 consumed"])
    scope, wanted = scope_named("cancel"), standard(contract()).only("I5 marker")
    slow = search(broken, scope, wanted, first=True)
    tables = Frontier(broken, scope, wanted)
    found = tables.run()
    one = found.broken["I5 marker"]
    assert one.level == len(slow.space.path(slow.violations["I5 marker"].node))
    path = tables.path(found.levels, one.level, one.key)
    assert len(path) == one.level
    assert path[0][0] == int(found.levels[0][0])


def test_limit_stops_and_proves_nothing() -> None:
    found = Frontier(contract(), scope_named("cancel"), Properties()).run(limit=100)
    assert not found.found.space.complete
    assert 100 <= found.configurations < 300
    every = np.concatenate(found.levels)
    assert len(np.unique(every)) == len(every)
