"""The HTML page in a real browser: nothing is asked of any address, nothing fails, keyboard and phone alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest
from playwright.sync_api import Browser, Page

from lifecycle_conformance.contracts import contract_named
from lifecycle_conformance.failure.reading import read
from lifecycle_conformance.failure.value import Alternative, of_alternatives
from lifecycle_conformance.reports import Coverage, Reason, RunReport, told
from lifecycle_conformance.reports.html import page
from lifecycle_conformance.reports.inline import Inliner
from lifecycle_conformance.reports.markdown import markdown
from lifecycle_conformance.reports.pictures import pictures
from lifecycle_model.clauses import CLAUSES
from lifecycle_model.commands import Cancel, Create, Send
from lifecycle_model.wire import Answer, Trace, TraceBurst

Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
WIDTHS = (360, 1280)
ROWS = {row.id: number * 7 % 400 for number, row in enumerate(contract_named("1").rows)}
TRACE = Trace(
    (
        TraceBurst((Create(id="a"),), (Answer(pending="h1"),), read("s+ a+ start(startup)", "a")),
        TraceBurst(
            (Send("a", "m1"), Cancel("a")), (Answer(ok="m1"), Answer(ok=None)), read("enq(m1) disc[m1] creq(user)", "a")
        ),
    ),
    system="mine",
)
ALLOWED = [Alternative(read(text, "a")) for text in ("enq(m1) creq(user) disc[m1]", "enq(m1) creq(user)")]
FAILURES = tuple(
    msgspec.structs.replace(told(of_alternatives(TRACE, 1, ALLOWED, [clause, "I8"]), "f.json", "reference"), fingerprint=clause)
    for clause in ("C4", "C5", "S2", "Q5")
)  # fmt: skip
REPORT = RunReport(
    verdict="VIOLATES",
    system="mine",
    profile="quick",
    coverage=Coverage(classes=9, runs=80, rows=ROWS, programs={"cancel": 3}, clauses=dict.fromkeys(CLAUSES, 5)),
    completeness="Completeness: every label was tried.",
    failures=FAILURES,
    inconclusive=(Reason("suite core", "the system hung"),),
    out_of_reach=(Reason("A2", "no acp"),),
    unreached={"VA01": ("needs acp",)},
    lacking={"commands": ("acp",)},
)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a report with failures and every picture, on disk."""
    place = tmp_path_factory.mktemp("page") / "report.html"
    place.write_text(page(msgspec.structs.replace(REPORT, pictures=pictures("1", ROWS))), encoding="utf-8")
    return place


class Watched:
    """A page that was opened, and everything it asked for or complained about."""

    def __init__(self, opened: Page) -> None:
        self.page = opened
        self.asked: list[str] = []
        self.said: list[str] = []
        opened.on("request", lambda request: self.asked.append(request.url))
        opened.on("console", lambda message: self.said.append(message.text))
        opened.on("pageerror", lambda error: self.said.append(str(error)))


Open = Callable[..., Watched]


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Open]:
    """Open a file at a width, in a colour scheme."""
    contexts: list[Any] = []

    def opened(place: Path, width: int = 1280, scheme: Scheme = "light") -> Watched:
        context = chromium.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        contexts.append(context)
        watched = Watched(context.new_page())
        watched.page.goto(place.as_uri())
        return watched

    yield opened
    for context in contexts:
        context.close()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_it_opens_without_a_complaint_or_a_request(visit: Open, written: Path, width: int, scheme: Scheme) -> None:
    watched = visit(written, width, scheme)
    watched.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert watched.asked == [written.as_uri()]
    assert watched.said == []
    # nothing is wider than the screen but what scrolls by itself
    assert watched.page.evaluate("document.documentElement.scrollWidth") == width
    assert watched.page.inner_text(".verdict") == "VIOLATES"


def test_what_it_watches_for_would_be_seen(visit: Open, tmp_path: Path) -> None:
    bad = tmp_path / "bad.html"
    bad.write_text(
        "<p style='width:2000px'>x</p><img src='http://127.0.0.1:9/x.png'><script>throw Error('oh')</script>"
    )
    watched = visit(bad)
    assert len(watched.asked) == 2
    assert any("oh" in said for said in watched.said)
    assert watched.page.evaluate("document.documentElement.scrollWidth") > 1280


def test_every_failure_is_reached_and_opened_by_keyboard(visit: Open, written: Path) -> None:
    opened = visit(written).page
    reached: list[str] = []
    # every stop of the Tab key, until it leaves the page
    for _ in range(400):
        opened.keyboard.press("Tab")
        where = opened.evaluate(
            "() => { const a = document.activeElement; const f = a.closest('.failure');"
            " return [a.tagName, a.tagName === 'SUMMARY' && a.parentElement === f ? f.id : '', f ? f.open : null,"
            " a === document.body ? '' : getComputedStyle(a).outlineStyle]; }"
        )
        if where[0] == "BODY":
            break
        assert where[3] != "none"
        if where[1]:
            reached.append(where[1])
            if not where[2]:
                opened.keyboard.press("Enter")
            assert opened.evaluate("() => document.activeElement.parentElement.open")
    assert reached == [f"failure-{number}" for number in range(1, 5)]


def test_the_keyboard_can_skip_to_the_report(visit: Open, written: Path) -> None:
    opened = visit(written).page
    opened.keyboard.press("Tab")
    assert opened.evaluate("document.activeElement.className") == "skip"
    opened.keyboard.press("Enter")
    assert opened.url.endswith("#main")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_text_stands_out_from_its_ground(visit: Open, written: Path, scheme: Scheme) -> None:
    opened = visit(written, 1280, scheme).page
    faint = opened.evaluate(CONTRAST)
    assert faint == []


CONTRAST = """() => {
  const light = (c) => { const [r, g, b] = c.map(v => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; });
    return .2126 * r + .7152 * g + .0722 * b; };
  const read = (c) => { const m = c.match(/[\\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m; };
  const ground = (e) => { const over = []; for (; e; e = e.parentElement) { const c = read(getComputedStyle(e).backgroundColor);
      if (c[3] > 0) over.push(c); if (c[3] === 1) break; }
    let base = over.pop().slice(0, 3); while (over.length) { const c = over.pop(); base = base.map((v, i) => v * (1 - c[3]) + c[i] * c[3]); }
    return base; };
  const found = [];
  for (const e of document.querySelectorAll('header *, nav a, main p, main dt, main dd, main li, main summary, main pre, main mark, footer p')) {
    if (!e.innerText?.trim() || e.closest('svg')) continue;
    const a = light(read(getComputedStyle(e).color)), b = light(ground(e));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) found.push([e.tagName, e.className, Math.round(ratio * 100) / 100]);
  }
  return found;
}"""


def test_a_page_with_every_picture_is_at_most_a_megabyte(written: Path) -> None:
    text = written.read_text(encoding="utf-8")
    assert len(text.encode()) <= 1_000_000
    assert "Agent status" in text
    ids = [part.split('"')[0] for part in text.split(' id="')[1:]]
    assert len(ids) == len(set(ids))


def test_a_page_of_very_many_failures_stays_small_and_loses_none(written: Path) -> None:
    many = tuple(msgspec.structs.replace(FAILURES[0], fingerprint=f"{n:012}") for n in range(700))
    shown = msgspec.structs.replace(REPORT, failures=many, pictures=pictures("1", ROWS))
    text = page(shown)
    assert len(text.encode()) <= 1_000_000
    assert text.count('<details class="failure"') == 700
    assert "Left out to keep this page small" in text
    assert len(markdown(shown)) < 65_000


def test_pictures_side_by_side_keep_their_ids_and_share_a_style() -> None:
    inliner = Inliner()
    picture = '<?xml version="1.0"?>\n<svg aria-labelledby="t d"><title id="t">x</title><style>a{}</style><use href="#t"/></svg>\n'
    one, other = inliner.inline(picture), inliner.inline(picture)
    assert (
        one == '<svg aria-labelledby="s1-t s1-d"><title id="s1-t">x</title><style>a{}</style><use href="#s1-t"/></svg>'
    )
    assert other == '<svg aria-labelledby="s2-t s2-d"><title id="s2-t">x</title><use href="#s2-t"/></svg>'
