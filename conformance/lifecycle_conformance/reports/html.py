"""Owns a report as one HTML page: nothing to load, no script, keyboard and phone alike, light and dark.

Refuses to let a system's own words become markup, and to grow past what a browser opens gladly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from lifecycle_conformance.failure.parting import Parting
from lifecycle_conformance.reports.inline import Inliner
from lifecycle_conformance.reports.report import Reason, RunReport, Told
from lifecycle_conformance.reports.style import STYLE
from lifecycle_conformance.reports.words import (
    by_section,
    count,
    covered,
    grouped,
    lacks,
    order,
    ruling,
    seconds,
    title,
)

MOST = 1_000_000
"""Bytes of a page. What would not fit is left out: pictures first, and of later failures first the long forms, then all
but the name and the replay line."""
HEAT = "The warmer an arrow, the more often its rows were taken; one in pink was never taken."
FORMS, BRIEF, PICTURES = MOST * 4 // 10, MOST // 2, MOST - 40_000
"""Up to where the page may grow before the long forms of a failure, its short ones, and a picture are left out."""


def page(report: RunReport) -> str:
    """The report as an HTML document, ending with a line break; timings stand in the footer."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: RunReport) -> Iterator[str]:
    verdict = report.verdict.lower()
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="color-scheme" content="light dark">'
    # an empty icon: a browser asks for one otherwise
    yield '<link rel="icon" href="data:,">'
    yield f"<title>{escape(report.verdict)}: {escape(title(report))}</title>"
    yield f"<style>{STYLE}</style></head><body>"
    yield '<a class="skip" href="#main">Skip to the report</a>'
    yield f'<header class="{verdict}"><p class="verdict">{escape(ruling(report))}</p>'
    yield f"<h1>{escape(title(report))}</h1><p>Covered: {escape(covered(report))}.</p></header>"
    parts = list(_parts(report, Inliner()))
    yield '<nav aria-label="Sections"><ul>'
    yield from (f'<li><a href="#{name}">{escape(head)}</a></li>' for name, head, _ in parts)
    yield '</ul></nav><main id="main">'
    for name, head, body in parts:
        yield f'<section id="{name}" aria-labelledby="{name}-head"><h2 id="{name}-head">{escape(head)}</h2>'
        yield from body
        yield "</section>"
    times = ", ".join(f"{escape(name)} {seconds(report.timings[name])}" for name in sorted(report.timings))
    yield f"</main><footer><p>{f'Time: {times}. ' if times else ''}Written by lifecycle-spec.</p></footer></body></html>"


Part = tuple[str, str, list[str]]
"""A section: its id, its heading, its lines."""


def _parts(report: RunReport, inliner: Inliner) -> list[Part]:
    """The sections in their order; pictures come last of all into what room is left."""
    before, behind = list(_found(report, inliner)), list(_open(report))
    left = PICTURES - sum(len(line.encode()) + 1 for _, _, body in (*before, *behind) for line in body)
    drawn: list[str] = []
    missing: list[str] = []
    for number, picture in enumerate(report.pictures):
        lines = _folded(picture.title, [_wide(inliner.inline(picture.svg), picture.title)], opened=number == 0)
        left -= sum(len(line.encode()) + 1 for line in lines)
        if left < 0:
            missing.append(picture.title)
        else:
            drawn += lines
    if missing:
        drawn.append(
            f"<p>Left out to keep this page small: {escape(', '.join(missing))}. <code>lifecycle draw</code> writes them.</p>"
        )
    pictures: Part = (
        "pictures",
        "The contract, coloured by what was exercised",
        [f"<p class=legend>{HEAT}</p>", *drawn],
    )
    return [*before, pictures, *behind] if report.pictures else [*before, *behind]


def _found(report: RunReport, pictures: Inliner) -> Iterator[Part]:
    if report.failures:
        body: list[str] = []
        size = 0
        for number, told in enumerate(report.failures):
            lines = list(_failure(number, told, pictures, whole=size < FORMS) if size < BRIEF else _brief(number, told))
            size += sum(len(line.encode()) + 1 for line in lines)
            body += lines
        yield "failures", count(len(report.failures), "failure").capitalize(), body
    if report.stale:
        gone = "".join(f"<li>{escape(each)}</li>" for each in report.stale)
        yield "stale", "Expected and no longer there", [f"<p>Take them off the list:</p><ul>{gone}</ul>"]
    if report.inconclusive:
        yield "undecided", "Not decided", _reasons(report.inconclusive)
    if report.completeness:
        said = report.completeness.removeprefix("Completeness: ")
        yield "completeness", "Completeness", [f"<p>{escape(said[:1].upper() + said[1:])}</p>"]
    coverage = report.coverage
    if coverage.clauses:
        yield "clauses", "Coverage by clause", list(_grid(coverage.clauses, report))
    for name, reached in (("row", coverage.rows), ("program", coverage.programs)):
        if reached:
            taken = f"{sum(times > 0 for times in reached.values()):,} of {count(len(reached), name)} taken"
            yield f"{name}s", f"Coverage by {name}", _folded(taken, list(_grid(reached, None)))


def _open(report: RunReport) -> Iterator[Part]:
    if report.out_of_reach or report.unreached:
        yield "unreached", "Out of reach", [*_reasons(report.out_of_reach), *_unreached(report)]
    yield "means", "What CONFORMS does not mean", [f"<p>{escape(report.means)}</p>"]


def _failure(number: int, told: Told, pictures: Inliner, *, whole: bool) -> Iterator[str]:
    blamed = " ".join(told.clauses) or "no clause"
    known = ' <span class="known">expected</span>' if told.expected else ""
    yield f'<details class="failure" id="failure-{number + 1}"{" open" if number == 0 else ""}>'
    yield f"<summary>{escape(blamed)}{known} <code>{escape(told.fingerprint)}</code></summary>"
    yield _block("the failure as a terminal shows it", "\n".join(told.lines))
    yield from (_parting(parting, number) for number, parting in enumerate(told.partings))
    yield from (f"<p>{escape(sentence)}</p>" for sentence in told.said)
    yield "<dl>"
    for clause, sentence in told.sentences.items():
        yield f"<dt>{escape(clause)}</dt><dd>{escape(sentence)}</dd>"
    yield "</dl>"
    if whole:
        if told.svg:
            yield _wide(pictures.inline(told.svg), f"sequence diagram of {blamed}")
        for head, code in (("Regression test", told.test), ("stdio script", told.script), ("Mermaid", told.mermaid)):
            yield from _folded(head, [_block(head, code)]) if code else ()
    yield "</details>"


def _brief(number: int, told: Told) -> Iterator[str]:
    """A failure among very many: what is broken, and the line that replays it."""
    head, *_ = told.lines or ("",)
    yield f'<details class="failure" id="failure-{number + 1}"><summary>{escape(head)}</summary>'
    yield f"<p><code>{escape(told.replay)}</code></p></details>"


def _parting(parting: Parting, number: int) -> str:
    """What is allowed beside what was done, or above it where there is no room; each explanation says it is one more."""
    before = f"<code>… {escape(' '.join(parting.common[-4:]))}</code> " if parting.common else ""
    whose = f" ({escape(parting.subject)})" if parting.subject else ""
    left, right = (escape(" ".join(words)) or "nothing more" for words in (parting.allowed, parting.did))
    head = "The contract allows" if number == 0 else "Or it allows"
    allowed = f"<div class=allowed><h4>{head}{whose}</h4><p>{before}<mark>{left}</mark></p></div>"
    return f"<div class=parting>{allowed}<div class=did><h4>The system did</h4><p>{before}<mark>{right}</mark></p></div></div>"


def _folded(head: str, body: list[str], *, opened: bool = False) -> list[str]:
    return [f"<details{' open' if opened else ''}><summary>{escape(head)}</summary>", *body, "</details>"]


def _block(label: str, code: str) -> str:
    return f"<div class=wide tabindex=0 role=region aria-label={quoted(label)}><pre>{escape(code)}</pre></div>"


def _grid(reached: Mapping[str, int], report: RunReport | None) -> Iterator[str]:
    broken = report.broken if report is not None else {}
    unreached = {reason.what for reason in report.out_of_reach} if report is not None else set[str]()
    most = max(reached.values(), default=0)
    yield '<p class="legend">A number says how often; ✗ broken, – never exercised, ○ out of reach.</p>'
    for section, inside in by_section(reached).items():
        yield f'<h3>{escape(section)}</h3><ul class="grid">'
        for name in sorted(inside, key=order):
            times = inside[name]
            kind = "bad" if name in broken else "out" if name in unreached else f"heat{_heat(times, most)}"
            sign = "✗" if name in broken else "○" if name in unreached else f"{times:,}" if times else "–"
            yield f'<li class="{kind}"><b>{escape(name)}</b> {sign}</li>'
        yield "</ul>"


def _heat(times: int, most: int) -> int:
    """0 for never, then 1 to 4 by the order of magnitude."""
    if not times:
        return 0
    return min(4, 1 + (4 * max(times.bit_length() - 1, 0)) // max(most.bit_length(), 1))


def _reasons(reasons: tuple[Reason, ...]) -> list[str]:
    told = (f"<dt>{escape(why)}</dt><dd>{escape(', '.join(what))}</dd>" for why, what in grouped(reasons))
    return ["<dl>", *told, "</dl>"]


def _unreached(report: RunReport) -> Iterator[str]:
    if report.unreached:
        yield f"<p>{escape(lacks(report))}</p>"
        each = (f"<dt>{escape(name)}</dt><dd>{escape('; '.join(why))}</dd>" for name, why in report.unreached.items())
        yield from _folded("Each vector, and why", ["<dl>", *each, "</dl>"])


def _wide(svg: str, label: str) -> str:
    return f"<div class=wide tabindex=0 role=region aria-label={quoted(label)}>{svg}</div>"


def quoted(said: str) -> str:
    """A text as the value of an attribute."""
    return f'"{escape(said)}"'
