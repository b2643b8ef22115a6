"""Several scopes at once give what one after the other gives; what proves nothing is said to prove nothing."""

from __future__ import annotations

from dataclasses import replace

from lifecycle_conformance.exploring import run, run_all, uncovered, verdict
from lifecycle_model.contract1 import contract
from lifecycle_model.scopes import scope_named

SCOPES = [scope_named("keep-inbox-off"), scope_named("bridge-no-load")]


def quiet(text: str) -> None:
    """Nobody listens."""


def test_two_processes_tell_what_one_tells_in_the_same_order() -> None:
    heard: list[str] = []
    one = list(run_all(contract(), SCOPES, None, 1, quiet))
    two = list(run_all(contract(), SCOPES, None, 2, heard.append))
    assert [found.scope for found in one] == [scope.name for scope in SCOPES]
    assert [(found.text, found.facts, found.rows, found.guards, found.reached) for found in one] == [
        (found.text, found.facts, found.rows, found.guards, found.reached) for found in two
    ]
    assert heard[0].startswith("2 scopes")
    assert len(heard) == 3


def test_scope_that_cuts_off_the_system_proves_nothing() -> None:
    scope = scope_named("keep-inbox-off")
    narrow = replace(scope, name="narrow", most=(("m", 1), ("model", 0)))
    found = run(contract(), narrow, None, quiet)
    lines, code = verdict([found], contract(), whole=False)
    assert not found.whole
    assert code == 1
    assert lines == ["narrow: its limits cut off what the system does, so nothing is proved"]
    assert verdict([run(contract(), scope, None, quiet)], contract(), whole=False) == ([], 0)


def test_what_one_scope_leaves_out_is_reported_for_a_set() -> None:
    found = [run(contract(), scope_named("keep-inbox-off"), None, quiet)]
    lines, code = verdict(found, contract(), whole=True)
    assert code == 1
    assert any(line.startswith("never reached: ") for line in lines)
    assert any(line.startswith("rows never taken") for line in uncovered(found, contract()))
