"""A failure's Mermaid text is drawn by the real Mermaid, whatever the run and whatever the system's own words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, Page

from lifecycle_conformance.failure.reading import read
from lifecycle_conformance.failure.sequence import of_failure, of_trace
from lifecycle_conformance.failure.value import Alternative, of_alternatives, of_findings, of_vector, recorded
from lifecycle_conformance.monitors import Finding
from lifecycle_conformance.vectors import bursts_of, check_vector, load_vectors
from lifecycle_diagrams.sequence_mermaid import mermaid
from lifecycle_model.commands import Cancel, Create, React, Send
from lifecycle_model.wire import Answer, BurstResult, Description, Profile, Trace, TraceBurst

HERE = Path(__file__).parents[2] / "diagrams" / "tests"
MERMAID = HERE / "mermaid" / "node_modules" / "mermaid" / "mermaid.min.js"
RENDER = (HERE / "browser" / "mermaid.js").read_text(encoding="utf-8")
EVIL = 'x"; <b>y</b> #35; %% end\nloop'
TRACE = Trace(
    (
        TraceBurst((Create(id="a"),), (Answer(pending="h1"),), read('s+ a+ start(startup) h1="handle"', "a")),
        TraceBurst(
            (React(on={"event": "agent/status", "of": "a"}, then=(Cancel("a"),), throw="sync"), Send("a", EVIL)),
            (Answer(ok=None), Answer(ok="m1")),
            read(
                "enq(m1) status(running) deq(m1) TS(1) UM(m1) SS(1) request(1,1)[m1] <model> creq(user) abort(user)",
                "a",
            ),
        ),
    ),
    system=EVIL,
)


def sources() -> dict[str, str]:
    """Every kind of failure, and a plain run."""
    allowed = [Alternative(read(text, "a")) for text in ("enq(m1) disc[m1,m2*] b: status(idle)", "enq(m1)")]
    [vector] = [one for one in load_vectors() if one.id == "VC04"]
    results = [BurstResult() for _ in bursts_of(vector)]
    profile = Profile(commands=("create", "send", "cancel", "read"), observations=("agent/status",), reads=("lookup",))
    played = recorded(bursts_of(vector), results, Description("mine", profile))
    failures = {
        "oracle": of_alternatives(TRACE, 1, allowed, ["C4", EVIL]),
        "monitor": of_findings(TRACE, [Finding("I8", 1, EVIL, 2)]),
        "vector": of_vector(played, vector, check_vector(vector, results, msgspec.structs.replace(profile, observations=("agent/inbox/enqueue",)))),
    }  # fmt: skip
    return {name: mermaid(of_failure(failure)) for name, failure in failures.items()} | {
        "run": mermaid(of_trace(TRACE))
    }


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    """A page with Mermaid in it."""
    if not MERMAID.exists():
        pytest.skip("Mermaid is not here; next: diagrams/tests/mermaid/fetch")
    opened = chromium.new_page(viewport={"width": 1280, "height": 900})
    opened.set_content("<body></body>")
    opened.add_script_tag(path=MERMAID)
    yield opened
    opened.close()


@pytest.mark.parametrize("name", sources())
def test_the_real_mermaid_draws_it(page: Page, name: str) -> None:
    assert page.evaluate(RENDER, sources()[name]) == []
    drawn = page.text_content("svg") or ""
    assert "create(a)" in drawn or "create(x)" in drawn


def test_what_mermaid_refuses_is_seen(page: Page) -> None:
    assert page.evaluate(RENDER, "sequenceDiagram\n  a->>: nothing\n") != []
