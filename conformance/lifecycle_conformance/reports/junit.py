"""Owns a report as JUnit XML: one suite a section, one test a clause. Refuses signs that XML has no place for.

The members and their order are those that the common readers agree on. The whole run's time is on the root; no test
has one of its own, since a run exercises many clauses at once.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from lifecycle_conformance.reports.report import RunReport
from lifecycle_conformance.reports.words import by_section, order

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(report: RunReport) -> bytes:
    """The report as a JUnit XML document. A clause never exercised is skipped; what is not decided is an error."""
    suites = list(_suites(report))
    root = ET.Element("testsuites", {"name": clean(f"lifecycle {report.system}"), **_totals(suites)})
    if report.timings:
        root.set("time", f"{max(report.timings.values()):.3f}")
    root.extend(suites)
    ET.indent(root)
    data: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return data + b"\n"


def clean(said: str) -> str:
    """A text without the signs XML cannot hold."""
    return _FORBIDDEN.sub("\ufffd", said)


def _suites(report: RunReport) -> Iterator[ET.Element]:
    broken = report.broken
    unreached = {reason.what: reason.why for reason in report.out_of_reach}
    named = {**dict.fromkeys((*broken, *unreached), 0), **report.coverage.clauses}
    for section, reached in by_section(named).items():
        cases: list[ET.Element] = []
        for clause in sorted(reached, key=order):
            case = _case(report, section, clause)
            for failure in broken.get(clause, []):
                told = ET.SubElement(case, "failure", {"type": "violation", "message": clean(failure.lines[0])})
                told.text = clean("\n".join(failure.lines))
            if not len(case) and clause in unreached:
                ET.SubElement(case, "skipped", {"message": clean(f"out of reach: {unreached[clause]}")})
            elif not len(case) and not reached[clause]:
                ET.SubElement(case, "skipped", {"message": "never exercised"})
            cases.append(case)
        yield _suite(f"section {section}", cases)
    undecided: list[ET.Element] = []
    for reason in report.inconclusive:
        case = _case(report, "undecided", reason.what)
        ET.SubElement(case, "error", {"type": "inconclusive", "message": clean(reason.why)})
        undecided.append(case)
    for stale in report.stale:
        case = _case(report, "expected", stale)
        ET.SubElement(case, "failure", {"type": "stale", "message": "expected, and no longer there"})
        undecided.append(case)
    if undecided or not named:
        yield _suite("the check", undecided or [_verdict(report)])


def _verdict(report: RunReport) -> ET.Element:
    case = _case(report, "verdict", report.verdict)
    if report.verdict != "CONFORMS":
        ET.SubElement(case, "error", {"type": "inconclusive", "message": "nothing was judged"})
    return case


def _case(report: RunReport, section: str, name: str) -> ET.Element:
    return ET.Element("testcase", {"name": clean(name), "classname": clean(f"lifecycle.{report.system}.{section}")})


def _suite(name: str, cases: list[ET.Element]) -> ET.Element:
    suite = ET.Element("testsuite", {"name": name, "tests": str(len(cases)), **_counts(cases)})
    suite.extend(cases)
    return suite


def _counts(cases: list[ET.Element]) -> dict[str, str]:
    kinds = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    return {count: str(sum(case.find(kind) is not None for case in cases)) for count, kind in kinds.items()}


def _totals(suites: list[ET.Element]) -> dict[str, str]:
    return {name: str(sum(int(suite.get(name, "0")) for suite in suites)) for name in ("tests", "failures", "errors")}
