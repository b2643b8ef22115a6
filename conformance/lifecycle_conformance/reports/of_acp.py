"""Owns a black-box report on an ACP agent in the common form, so that every kind of report can be written of it.

Refuses to invent what a black box has not: no rows, no traces, no diagrams.
"""

from __future__ import annotations

from collections import Counter

from lifecycle_conformance.acp.render import told
from lifecycle_conformance.acp.report import Doubt, Finding, Report
from lifecycle_conformance.acp.sentences import CHECKS
from lifecycle_conformance.reports.report import Coverage, Reason, RunReport, Told

_BEARS = {
    "S": "Bears on the protocol's own text.",
    "L": "Bears only on our lifecycle contract; the protocol does not ask for it.",
}


def of_acp(report: Report) -> RunReport:
    """The same verdict and findings; a check stands where a clause does."""
    exercised = Counter(check for run in report.runs for check in run.exercised)
    unreached = {one.what for one in report.out_of_reach}
    return RunReport(
        verdict=report.verdict,
        system=report.agent.name or "an agent that did not say its name",
        version=report.agent.version,
        profile="black box",
        contract="ACP",
        coverage=Coverage(
            runs=len(report.runs), clauses={check: exercised[check] for check in CHECKS if check not in unreached}
        ),
        failures=tuple(map(_told, report.findings)),
        inconclusive=tuple(map(_reason, report.inconclusive)),
        out_of_reach=tuple(Reason(one.what, one.why) for one in report.out_of_reach),
        means=report.means,
    )


def _told(finding: Finding) -> Told:
    return Told(
        clauses=(finding.check,),
        sentences={finding.check: CHECKS[finding.check].says},
        lines=(_BEARS[finding.group], *told(finding)),
        said=(finding.summary,),
        fingerprint=finding.fingerprint,
        replay=finding.repeat,
    )


def _reason(doubt: Doubt) -> Reason:
    return Reason(" ".join(word for word in (doubt.check, doubt.run) if word) or "the check", doubt.why)
