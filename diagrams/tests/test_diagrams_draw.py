"""The committed pictures are fresh, staleness is found and named, and every form says the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from lifecycle_diagrams import draw
from lifecycle_diagrams.errors import DiagramError
from lifecycle_diagrams.views import views_of
from lifecycle_model.contract1 import contract

GENERATED = Path(__file__).parents[1] / "generated"


def test_the_committed_pictures_are_fresh() -> None:
    assert draw.check(contract(), GENERATED) == []


def test_a_stale_and_a_missing_picture_are_named(tmp_path: Path) -> None:
    draw.write(contract(), tmp_path, ("mermaid", "dot"))
    stale = tmp_path / "turn.mmd"
    stale.write_text(stale.read_text() + "%% changed\n")
    problems = draw.check(contract(), tmp_path)
    assert any(problem.startswith(str(stale)) and "stale" in problem for problem in problems)
    assert any(problem.startswith(str(tmp_path / "turn.svg")) and "missing" in problem for problem in problems)
    assert not any("turn.dot" in problem for problem in problems)


def test_text_forms_are_the_same_bytes_with_another_hash_seed() -> None:
    code = (
        "import sys; from lifecycle_diagrams import draw; from lifecycle_model.contract1 import contract; "
        "sys.stdout.write(draw.render(contract(), 'agent-status', 'dot'))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "99", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
    assert done.stdout.decode() == draw.render(contract(), "agent-status", "dot")


def test_every_svg_is_well_formed_with_a_title_and_a_description() -> None:
    for one in views_of(contract()):
        root = ElementTree.fromstring((GENERATED / f"{one.name}.svg").read_text(encoding="utf-8"))
        space = "{http://www.w3.org/2000/svg}"
        assert root.find(f"{space}title") is not None
        assert root.find(f"{space}desc") is not None


def test_every_state_of_the_machine_is_drawn() -> None:
    text = draw.render(contract(), "agent-status", "mermaid")
    for state in contract().machines[0].states:
        assert state in text


def test_unknown_views_forms_and_details_are_refused() -> None:
    with pytest.raises(DiagramError, match="agent-status"):
        draw.render(contract(), "nosuch")
    with pytest.raises(DiagramError, match="mermaid"):
        draw.render(contract(), "turn", "bmp")
