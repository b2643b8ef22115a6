"""The committed pictures are fresh, staleness is found and named, and every form says the same."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from lifecycle_diagrams import draw, layout, png
from lifecycle_diagrams.errors import DiagramError
from lifecycle_diagrams.views import views_of
from lifecycle_model.contract1 import contract

GENERATED = Path(__file__).parents[1] / "generated"


def test_the_committed_pictures_are_fresh() -> None:
    assert draw.check(contract(), GENERATED) == []


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every picture, fresh."""
    folder = tmp_path_factory.mktemp("fresh")
    draw.write(contract(), folder / "generated")
    return folder


def test_freshly_written_pictures_are_fresh_until_one_is_touched(fresh: Path) -> None:
    folder = fresh / "generated"
    assert draw.check(contract(), folder) == []
    for name in ("generated/turn.mmd", "generated/turn.dot", "README.md"):
        path = fresh / name
        text = path.read_text()
        path.write_text(text + "\n")
        assert draw.check(contract(), folder) == [f"{path} is stale; run `lifecycle draw`"]
        path.write_text(text)
    picture = folder / "turn.svg"
    text = picture.read_text()
    picture.write_text(text.replace('data-dot="', 'data-dot="0'))
    assert draw.check(contract(), folder) == [f"{picture} is stale; run `lifecycle draw`"]
    picture.unlink()
    assert draw.check(contract(), folder) == [f"{picture} is missing; run `lifecycle draw`"]
    picture.write_text(text)
    left = folder / "nothing.svg"
    left.write_text(text)
    assert draw.check(contract(), folder) == [f"{left} is left over, no picture has this name; delete it"]
    left.unlink()
    assert draw.check(contract(), folder) == []


def test_a_changed_row_makes_exactly_its_pictures_stale(fresh: Path) -> None:
    """`S/r4` is told on the pictures of the agent and of the inbox verbs; the gallery may say below one what many states do."""
    base = contract()
    row = next(row for row in base.rows if row.id == "S/r4")
    said = draw.check(base.overlay("1", rows=(replace(row, guard=None),)), fresh / "generated")
    stale = {Path(line.partition(" ")[0]).stem for line in said}
    assert stale - {"README"} == {"agent-status", "inbox"}


CODE = """
import hashlib
from lifecycle_diagrams import draw, layout, png
from lifecycle_diagrams.gallery import gallery
from lifecycle_diagrams.views import views_of
from lifecycle_model.contract1 import contract
parts = [draw.render(contract(), view.name, form) for view in views_of(contract()) for form in ("mermaid", "dot")]
parts += [draw.render(contract(), name, "svg") for name in ("agent-status", "cancel")]
print(hashlib.sha256("".join([*parts, gallery(contract(), "generated")]).encode()).hexdigest())
"""


def test_all_forms_are_the_same_bytes_with_another_hash_seed() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", CODE], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "99")
    }
    assert len(digests) == 1


def test_without_the_layout_extra_mermaid_and_dot_work_and_svg_says_how(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "available", lambda: False)
    assert draw.render(contract(), "cancel", "mermaid").startswith("---")
    assert draw.render(contract(), "cancel", "dot").startswith("digraph")
    with pytest.raises(DiagramError, match=r"pip install 'lifecycle-spec\[svg\]'; Mermaid and DOT work without it"):
        draw.render(contract(), "cancel", "svg")


def test_a_png_without_a_browser_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(png, "browser", lambda: None)
    with pytest.raises(DiagramError, match="install one of chromium"):
        png.png("<svg/>")


@pytest.mark.skipif(png.browser() is None, reason="there is no Chromium here; next: apt-get install chromium")
def test_a_png_has_the_size_of_its_picture() -> None:
    drawn = draw.render(contract(), "owner", "svg")
    wide, high = (int(ElementTree.fromstring(drawn).attrib[name]) for name in ("width", "height"))
    made = png.png(drawn)
    assert made[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", made[16:24]) == (wide, high)


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
