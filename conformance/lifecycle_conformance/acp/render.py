"""Owns a report as plain text, in a neutral tone: what was sent, what came back, which sentence it bears on."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from lifecycle_conformance.acp.report import MEANS, Finding, Report
from lifecycle_conformance.acp.sentences import CHECKS

_HEADS = {
    "S": "Bears on the protocol's own text",
    "L": "Bears only on our lifecycle contract (the protocol does not ask for it)",
}


def render(report: Report) -> str:
    """Return the report as text that ends with a line break."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    agent = report.agent
    who = f"{agent.name} {agent.version}".strip() or "an agent that did not say its name"
    yield f"{report.verdict}  {who}  ({shlex.join(agent.command)})"
    if agent.protocol:
        offers = ", ".join(agent.advertised) or "nothing optional"
        yield f"  ACP version {agent.protocol}; advertises {offers}; model: {agent.model}"
    counts = {s: sum(1 for v in report.checks.values() if v == s) for s in dict.fromkeys(report.checks.values())}
    yield f"  {len(report.runs)} runs; checks: " + ", ".join(f"{n} {state}" for state, n in counts.items())
    for group, head in _HEADS.items():
        found = [f for f in report.findings if f.group == group]
        if found:
            yield ""
            yield f"{head}: {len(found)}"
            for finding in found:
                yield ""
                yield from (f"  {line}" for line in told(finding))
    yield from _rest(report)


def shown(finding: Finding) -> str:
    """In how many fresh processes it was seen; one that not every process shows is a race, and is said to be."""
    racy = "" if finding.seen == finding.tried else ": a race, in the agent or with it"
    return f"seen in {finding.seen} of {finding.tried}{racy}"


def told(finding: Finding) -> Iterator[str]:
    """One finding in lines: what was sent, what came back, the sentence it bears on, how to repeat it."""
    check = CHECKS[finding.check]
    yield f"{finding.check} {check.title}  [{finding.run}, {shown(finding)}]"
    within = f"; waited {finding.limit}" if finding.limit else ""
    yield f"  what came back: {finding.summary}{within}"
    for text in finding.sent:
        yield f"    sent  {text}"
    for text in finding.came or ("nothing",):
        yield f"    came  {text}"
    yield f"  the sentence:   {check.says} ({check.page})"
    yield f"  to repeat:      {finding.repeat}"


def _rest(report: Report) -> Iterator[str]:
    if report.notes:
        yield ""
        yield "Notes (they rest on a SHOULD, or are only slow, and decide nothing):"
        for note in report.notes:
            yield f"  {note.check} [{note.run}] {note.summary}{f'; waited {note.limit}' if note.limit else ''}"
    if report.inconclusive:
        yield ""
        yield "Not decided:"
        for doubt in report.inconclusive:
            where = " ".join(w for w in (doubt.check or "", f"[{doubt.run}]" if doubt.run else "") if w)
            yield f"  {where} {doubt.why}"
    if report.out_of_reach:
        yield ""
        yield "Out of reach:"
        for why in dict.fromkeys(u.why for u in report.out_of_reach):
            yield f"  {why}: " + ", ".join(u.what for u in report.out_of_reach if u.why == why)
    if report.verdict == "CONFORMS":
        yield ""
        yield MEANS
