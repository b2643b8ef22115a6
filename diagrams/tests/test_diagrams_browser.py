"""Every picture as people see it: Mermaid files in the real Mermaid, SVGs at the width of a README, in light and dark.

Needs Chromium, and for Mermaid the file that `diagrams/tests/mermaid/fetch` fetches; `.ci/run` has both.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

import pytest

from lifecycle_diagrams.sequence import Arrow, Bar, Note, Sequence
from lifecycle_diagrams.sequence_mermaid import mermaid as sequence
from lifecycle_diagrams.sequence_svg import svg as sequence_svg

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HERE = Path(__file__).parent
GENERATED = HERE.parent / "generated"
MERMAID = HERE / "mermaid/node_modules/mermaid/mermaid.min.js"
RENDER, OVERFLOW, OVERLAPS, COLOURS = (
    (HERE / f"browser/{name}.js").read_text() for name in ("mermaid", "overflow", "svg", "colours")
)
SLACK = 1.0
"""Parts of a pixel that nobody sees."""
README = 830
"""The width of a README's column, in pixels."""
RUN = Sequence(
    "a cancelled turn; with <signs> #1",
    ("environment", "agent a", "session store"),
    (
        Arrow("environment", "agent a", ("send(m1)", "cancel")),
        Arrow("agent a", "session store", ("TS(1)", "UM(m1)", "TE(1,aborted)")),
        Note("agent a", "session store", "C7 <model>", "clause"),
    ),
    (Bar("agent a", 1, 2),),
)


def problems(browser: Browser, sources: dict[str, str]) -> dict[str, list[str]]:
    """What the real Mermaid and a reader would say of each source, where they say anything."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_content("<body></body>")
    page.add_script_tag(path=MERMAID)
    found: dict[str, list[str]] = {}
    for name, source in sources.items():
        said = [*page.evaluate(RENDER, source), *page.evaluate(OVERFLOW, SLACK)]
        if said:
            found[name] = said
    page.close()
    return found


@pytest.fixture
def mermaid(chromium: Browser) -> Browser:
    """The browser, where Mermaid is there to be loaded."""
    if not MERMAID.exists():
        pytest.skip("Mermaid is not here; next: diagrams/tests/mermaid/fetch")
    return chromium


def test_the_real_mermaid_renders_every_file_without_overflow(mermaid: Browser) -> None:
    sources = {path.name: path.read_text(encoding="utf-8") for path in sorted(GENERATED.glob("*.mmd"))}
    assert len(sources) > 15
    assert problems(mermaid, {**sources, "a trace": sequence(RUN)}) == {}


def test_a_file_that_mermaid_refuses_is_named(mermaid: Browser) -> None:
    good = "flowchart TB\n  a --> b\n"
    assert list(problems(mermaid, {"good": good, "bad": "flowchart TB\n  a[ --> b\n"})) == ["bad"]


def test_text_that_is_cut_off_is_found(chromium: Browser) -> None:
    page = chromium.new_page()
    label = '<foreignObject x="10" y="10" width="{0}" height="40"><div>a label of some length</div></foreignObject>'
    for width, found in ((300, 0), (20, 1)):
        page.set_content(f'<svg width="400" height="200">{label.format(width)}</svg>')
        assert len(page.evaluate(OVERFLOW, SLACK)) == found
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overlaps_and_all_can_be_read(chromium: Browser, scheme: str) -> None:
    page = chromium.new_page(
        viewport={"width": README, "height": 900}, color_scheme=cast('Literal["light", "dark"]', scheme)
    )
    drawn = {path.name: path.read_text(encoding="utf-8") for path in sorted(GENERATED.glob("*.svg"))}
    found: dict[str, list[str]] = {}
    for name, text in {**drawn, "a trace": sequence_svg(RUN)}.items():
        page.set_content(f'<body style="margin:0">{text}</body>')
        said = [*page.evaluate(COLOURS, 4.5), *(page.evaluate(OVERLAPS, SLACK) if scheme == "light" else ())]
        if said:
            found[name] = said
    page.close()
    assert found == {}


BOX = '<g class="node"><path d="M0,0 h100 v40 h-100 Z"/><text x="{0}" y="20">text</text></g>'


@pytest.mark.parametrize(
    ("inner", "found"),
    [
        (BOX.format(10), ""),
        (BOX.format(90), "outside its box"),
        (BOX.format(10) + '<g class="label"><text x="12" y="60">far</text></g>', ""),
        (BOX.format(10) + '<g class="label"><text x="12" y="22">near</text></g>', "on each other"),
        (BOX.format(10) + '<g class="label"><text x="70" y="30">near</text></g>', "on a box"),
        ('<g class="edge"><path d="M0,50 C10,50 90,50 100,50"/></g><g class="label"><text x="20" y="55">label</text></g>', "a line through"),
        ('<g class="label"><text x="290" y="20">far too far</text></g>', "outside the picture"),
    ],
)  # fmt: skip
def test_an_overlap_is_found_and_named(chromium: Browser, inner: str, found: str) -> None:
    page = chromium.new_page()
    page.set_content(f'<body style="margin:0"><svg width="300" height="100">{inner}</svg></body>')
    said = page.evaluate(OVERLAPS, SLACK)
    page.close()
    assert (not said) if not found else any(one.startswith(found) for one in said)


def test_text_in_the_colour_of_its_ground_is_found(chromium: Browser) -> None:
    page = chromium.new_page()
    for fill, found in (("#1f2328", 0), ("#eeeeee", 1)):
        page.set_content(
            f'<svg width="90" height="40"><rect width="90" height="40" fill="#fff"/><text x="5" y="20" fill="{fill}">text</text></svg>'
        )
        assert len(page.evaluate(COLOURS, 4.5)) == found
    page.close()
