"""Owns a report as one HTML page: nothing to load, no script, keyboard and phone alike, light and dark.

Refuses to let a system's own words become markup, and to grow past what a browser opens gladly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from lifecycle_conformance.failure.parting import Parting
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

MOST = 40
"""Failures shown in all forms; of the others the eight lines."""


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
    parts = list(_parts(report))
    yield '<nav aria-label="Sections"><ul>'
    yield from (f'<li><a href="#{name}">{escape(head)}</a></li>' for name, head, _ in parts)
    yield '</ul></nav><main id="main">'
    for name, head, body in parts:
        yield f'<section id="{name}" aria-labelledby="{name}-head"><h2 id="{name}-head">{escape(head)}</h2>'
        yield from body
        yield "</section>"
    times = ", ".join(f"{escape(name)} {seconds(report.timings[name])}" for name in sorted(report.timings))
    yield f"</main><footer><p>{f'Time: {times}. ' if times else ''}Written by lifecycle-spec.</p></footer></body></html>"


def _parts(report: RunReport) -> Iterator[tuple[str, str, list[str]]]:
    if report.completeness:
        yield "completeness", "Completeness", [f"<p>{escape(report.completeness)}</p>"]
    if report.failures:
        body = [line for number, told in enumerate(report.failures) for line in _failure(number, told)]
        yield "failures", count(len(report.failures), "failure").capitalize(), body
    if report.stale:
        gone = "".join(f"<li>{escape(each)}</li>" for each in report.stale)
        yield "stale", "Expected and no longer there", [f"<p>Take them off the list:</p><ul>{gone}</ul>"]
    if report.inconclusive:
        yield "undecided", "Not decided", _reasons(report.inconclusive)
    coverage = report.coverage
    for name, head, reached in (
        ("clauses", "Coverage by clause", coverage.clauses),
        ("rows", "Coverage by row", coverage.rows),
        ("programs", "Coverage by program", coverage.programs),
    ):
        if reached:
            yield name, head, list(_grid(reached, report if name == "clauses" else None))
    for number, picture in enumerate(report.pictures):
        yield f"picture-{number + 1}", picture.title, [_wide(picture.svg, picture.title)]
    if report.out_of_reach or report.unreached:
        yield "unreached", "Out of reach", [*_reasons(report.out_of_reach), *_unreached(report)]
    yield "means", "What CONFORMS does not mean", [f"<p>{escape(report.means)}</p>"]


def _failure(number: int, told: Told) -> Iterator[str]:
    blamed = " ".join(told.clauses)
    known = ' <span class="known">expected</span>' if told.expected else ""
    yield f'<details class="failure" id="failure-{number + 1}"{" open" if number == 0 else ""}>'
    yield f"<summary>{escape(blamed)}{known} <code>{escape(told.fingerprint)}</code></summary>"
    yield from (_parting(parting) for parting in told.partings)
    yield from (f"<p>{escape(sentence)}</p>" for sentence in told.said)
    yield "<dl>"
    for clause, sentence in told.sentences.items():
        yield f"<dt>{escape(clause)}</dt><dd>{escape(sentence)}</dd>"
    yield "</dl>"
    yield from _code("As a terminal shows it", "\n".join(told.lines))
    if number < MOST:
        yield _wide(told.svg, f"sequence diagram of {blamed}")
        for head, code in (("Regression test", told.test), ("stdio script", told.script), ("Mermaid", told.mermaid)):
            yield from _code(head, code)
    yield "</details>"


def _parting(parting: Parting) -> str:
    """What is allowed beside what was done, or above it where there is no room."""
    before = f"<code>… {escape(' '.join(parting.common[-4:]))}</code> " if parting.common else ""
    whose = f" ({escape(parting.subject)})" if parting.subject else ""
    left, right = (escape(" ".join(words)) or "nothing more" for words in (parting.allowed, parting.did))
    allowed = f"<div class=allowed><h4>The contract allows{whose}</h4><p>{before}<mark>{left}</mark></p></div>"
    return f"<div class=parting>{allowed}<div class=did><h4>The system did</h4><p>{before}<mark>{right}</mark></p></div></div>"


def _code(head: str, code: str) -> Iterator[str]:
    yield f"<details><summary>{head}</summary>"
    yield f"<div class=wide tabindex=0 role=region aria-label={quoted(head)}><pre>{escape(code)}</pre></div></details>"


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
        yield f"<p>{escape(lacks(report))}</p><details><summary>Each vector, and why</summary><dl>"
        for name, why in report.unreached.items():
            yield f"<dt>{escape(name)}</dt><dd>{escape('; '.join(why))}</dd>"
        yield "</dl></details>"


def _wide(svg: str, label: str) -> str:
    return f"<div class=wide tabindex=0 role=region aria-label={quoted(label)}>{svg}</div>"


def quoted(said: str) -> str:
    """A text as the value of an attribute."""
    return f'"{escape(said)}"'
