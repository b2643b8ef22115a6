"""`lifecycle simulate`: every verb can be typed, what changes is told, and what is refused names the clause that forbids it."""

from __future__ import annotations

import pytest

from lifecycle_conformance.enabled import candidates, enabled
from lifecycle_conformance.simulating import Misread, difference, parse
from lifecycle_model.commands import Acp, ConfigAgent, LoadProvider, Task, UnloadOwner
from lifecycle_model.contract1 import contract
from lifecycle_model.engine import Engine
from lifecycle_model.quiet import perform
from lifecycle_model.state import Configuration, start
from lifecycle_model.variants.latch import latch

ENGINE = Engine(contract())


def after(*lines: str, engine: Engine = ENGINE) -> Configuration:
    """The configuration after some typed bursts."""
    here = start()
    for line in lines:
        here = perform(engine, here, parse(line))[0].configuration
    return here


def said(here: Configuration) -> dict[str, str]:
    return dict(enabled(ENGINE, here))


def test_words_of_every_section() -> None:
    assert parse("task start t1 caller=x resists=true") == (Task("start", "t1", caller="x", resists=True),)
    assert parse("acp prompt x m1 p1") == (Acp("prompt", "x", "m1", "p1"),)
    assert parse("unload_owner f1 u2") == (UnloadOwner("f1", "u2"),)
    configured = parse('load_provider p2 configured=[{"label":"c1","id":"x"}]')
    assert configured == (LoadProvider("p2", configured=(ConfigAgent("c1", "x"),)),)


@pytest.mark.parametrize("line", ["fly a", "acp new x m n1 more", "task start"])
def test_words_that_are_none(line: str) -> None:
    with pytest.raises(Misread, match="is no command"):
        parse(line)


def test_what_is_forbidden_names_its_clause() -> None:
    told = said(
        after(
            "create x", "task start t1 caller=x", "acp connect", "acp new y as=n1", "hold model y", "acp prompt y m1 p1"
        )
    )
    assert told["task kill t1"].startswith("refused, foreign_task (O/r4")
    assert told["acp prompt y"].startswith("refused, busy (A/r6")
    assert told["acp load x"].startswith("refused (A/r4")
    assert told["load_provider new"].startswith("refused, provider_taken (P15")
    assert told["cancel x"].startswith("changes nothing (C/r1")
    assert told["cancel y"].startswith("enabled (C2")
    assert told["release model y"] == "enabled, the gate waits"


def test_asking_changes_nothing() -> None:
    here = after("create x", "send x m1 quiet")
    before = hash(here)
    assert said(here) == said(here)
    assert hash(here) == before
    assert len(dict(candidates(here))) > 15


def test_variant_is_asked_what_it_has() -> None:
    engine = Engine(latch())
    told = dict(enabled(engine, after("create x", engine=engine)))
    assert "send x" in told
    assert "acp connect" in told
    assert not [words for words in told if words.startswith("task")]


def test_components_that_are_gone_are_told() -> None:
    before = after("create x", "task start t1")
    now = after("create x", "task start t1", "executor unload")
    assert "task:t1 is gone" in list(difference(before, now))
