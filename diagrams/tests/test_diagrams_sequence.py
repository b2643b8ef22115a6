"""A sequence is drawn whole in both languages: lanes, arrows, bars that close, crosses, notes, words for screen readers."""

from __future__ import annotations

from xml.etree import ElementTree

from lifecycle_diagrams.sequence import Arrow, Bar, Note, Sequence
from lifecycle_diagrams.sequence_mermaid import mermaid
from lifecycle_diagrams.sequence_svg import svg

SVG = "{http://www.w3.org/2000/svg}"
TURN = Sequence(
    "a cancelled turn",
    ("environment", "agent a", "session store"),
    (
        Note("environment", "session store", "burst 1", "burst"),
        Arrow("environment", "agent a", ("send(m1)",)),
        Arrow("agent a", "session store", ("TS(1)", "UM(m1)")),
        Arrow("agent a", "environment", ("creq(user)", "abort(user)"), reply=True, cuts=True),
        Arrow("agent a", "session store", ("TE(1,aborted)",)),
        Note("agent a", "agent a", "C7", "clause"),
    ),
    (Bar("agent a", 2, 4),),
)


def test_mermaid_opens_and_closes_every_bar() -> None:
    lines = [line.strip() for line in mermaid(TURN).splitlines()]
    opened, closed = lines.index("activate l1"), lines.index("deactivate l1")
    assert lines[opened + 1] == "l1->>l2: TS(1) UM(m1)"
    assert lines[closed - 1] == "l1->>l2: TE(1,aborted)"
    assert lines[lines.index("l1-->>l0: creq(user) abort(user)") + 1] == "Note over l1: ✕"
    assert lines.count("activate l1") == lines.count("deactivate l1") == 1


def test_the_svg_has_a_bar_a_cross_and_words_for_screen_readers() -> None:
    root = ElementTree.fromstring(svg(TURN))
    assert [one.text for one in root.findall(f"{SVG}title")] == ["a cancelled turn"]
    desc = root.find(f"{SVG}desc")
    assert desc is not None
    assert "agent a to environment: creq(user) abort(user)." in (desc.text or "")
    kinds = [one.attrib.get("class") for one in root.iter()]
    assert (kinds.count("bar"), kinds.count("cut"), kinds.count("life")) == (1, 1, 3)
    bar = next(one for one in root.iter() if one.attrib.get("class") == "bar")
    arrows = [
        float(one.attrib["y1"])
        for one in root.iter()
        if one.attrib.get("class", "").startswith("go") and "y1" in one.attrib
    ]
    top, height = float(bar.attrib["y"]), float(bar.attrib["height"])
    assert [top <= y <= top + height for y in arrows] == [False, True, True, True]
