"""Owns the sentences every form of a report shares: titles, counts, coverage by section. Refuses any markup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from lifecycle_conformance.reports.report import Reason, RunReport

SECTIONS = "XSQCPTLDOAGIV"
"""The contract's sections in its own order; whatever else there is comes behind."""

_NATURAL = re.compile(r"(\d+)")


def title(report: RunReport) -> str:
    """Who was judged by what, in one line."""
    who = " ".join(word for word in (report.system, report.version) if word)
    return f"{who}, contract {report.contract}, profile {report.profile}, seed {report.seed}"


def ruling(report: RunReport) -> str:
    """The verdict, and whether it is what was expected."""
    if report.stale:
        return f"{report.verdict} (expected violations are gone)"
    as_expected = report.expecting and report.verdict == "VIOLATES" and report.exit_code == 0
    return f"{report.verdict} (as expected)" if as_expected else report.verdict


def count(number: int, word: str) -> str:
    """A number with its word; `class` becomes `classes`."""
    if number == 1:
        return f"1 {word}"
    stem, ending = (word[:-1], "ies") if word.endswith("y") else (word, "es" if word.endswith("s") else "s")
    return f"{number:,} {stem}{ending}"


def covered(report: RunReport) -> str:
    """What was exercised, in one sentence."""
    have = report.coverage
    amounts = [(have.runs, "run"), (have.classes, "class"), (have.labels, "label"), (have.histories, "history")]
    said = [count(number, word) for number, word in (*amounts, (have.vectors, "vector")) if number]
    for word, reached in (("rows", have.rows), ("programs", have.programs), ("clauses", have.clauses)):
        if reached:
            said.append(f"{sum(times > 0 for times in reached.values()):,} of {len(reached):,} {word}")
    return ", ".join(said) or "nothing"


def never(reached: Mapping[str, int]) -> list[str]:
    """What was never exercised, in its own order."""
    return sorted((name for name, times in reached.items() if not times), key=order)


def by_section(reached: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """Ids grouped by the letter of their section, sections as in the contract, ids counting up."""
    found: dict[str, dict[str, int]] = {}
    for name in sorted(reached, key=order):
        found.setdefault(section(name), {})[name] = reached[name]
    return dict(sorted(found.items(), key=lambda one: (SECTIONS.find(one[0]) % (len(SECTIONS) + 1), one[0])))


def section(name: str) -> str:
    """The section of an id: `S5` and `S/r9` are of S, `policy keep_inbox` of the policies."""
    return "policies" if name.startswith("policy") else name[:1]


def order(name: str) -> tuple[object, ...]:
    """A key that counts: C2 before C10."""
    return tuple((1, int(part), "") if part.isdigit() else (0, 0, part) for part in _NATURAL.split(name) if part)


def grouped(reasons: tuple[Reason, ...]) -> Iterator[tuple[str, list[str]]]:
    """Reasons with all that they are about, each reason once."""
    found: dict[str, list[str]] = {}
    for reason in reasons:
        found.setdefault(reason.why, []).append(reason.what)
    for why, what in found.items():
        yield why, sorted(dict.fromkeys(what), key=order)


def seconds(given: float) -> str:
    """A time as people read it."""
    return f"{given:.1f} s" if given < 120 else f"{int(given) // 60} min {int(given) % 60} s"


def lacks(report: RunReport) -> str:
    """What the system lacks for the vectors that could not be played, in one sentence; empty where nothing."""
    if not report.unreached:
        return ""
    kinds = "; ".join(f"{kind}: {', '.join(names)}" for kind, names in report.lacking.items())
    return f"{count(len(report.unreached), 'vector')} not played. The system lacks {kinds}."
