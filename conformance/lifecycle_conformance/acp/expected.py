"""Owns how an ACP report's findings become keys of a list of expected violations."""

from __future__ import annotations

from lifecycle_conformance.acp.report import Report
from lifecycle_conformance.expect import Difference, Expectations, Expected, compare

CONTRACT = "acp-1"


def happened(report: Report) -> list[Expected]:
    """Return each finding as (check, fingerprint of its run), with the run's name for people."""
    return [Expected(f.check, f.fingerprint, f"{f.run}: {f.title}") for f in report.findings]


def compare_report(expectations: Expectations, report: Report) -> Difference:
    """Compare a report with what was expected; a run that was not decided makes nothing stale."""
    played = {run.fingerprint for run in report.runs if run.outcome != "inconclusive"}
    return compare(expectations, happened(report), played)
