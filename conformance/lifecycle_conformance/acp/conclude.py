"""Owns turning what single runs showed into a report: what was confirmed, what stays open, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from lifecycle_conformance.acp.errors import OutOfReach
from lifecycle_conformance.acp.evidence import quote, repeat_line, tidy
from lifecycle_conformance.acp.ledger import Ledger, Seen
from lifecycle_conformance.acp.options import Options
from lifecycle_conformance.acp.record import Record
from lifecycle_conformance.acp.report import Agent, Doubt, Finding, Report, RunResult, State, Unreached, Verdict
from lifecycle_conformance.acp.sentences import CHECKS
from lifecycle_conformance.acp.survey import Survey
from lifecycle_conformance.acp.table import Run


@dataclass(slots=True)
class Outcome:
    """What the attempts at one run showed: for each check the first thing seen, and in how many attempts."""

    run: Run
    tried: int = 0
    exercised: set[str] = field(default_factory=set[str])
    missed: list[str] = field(default_factory=list[str])
    first: dict[str, tuple[Seen, Record]] = field(default_factory=dict[str, tuple[Seen, Record]])
    counts: dict[str, int] = field(default_factory=dict[str, int])
    doubtful: dict[str, str] = field(default_factory=dict[str, str])
    notes: dict[str, tuple[Seen, Record]] = field(default_factory=dict[str, tuple[Seen, Record]])

    def add(self, ledger: Ledger, options: Options) -> None:
        """Take in one attempt. A lapse on a machine that was too busy is a doubt, not a sight."""
        self.exercised |= ledger.exercised
        counted: set[str] = set()
        for seen in ledger.seen:
            if not options.wants_check(seen.check):
                continue
            if seen.note or CHECKS[seen.check].advisory:
                self.notes.setdefault(seen.check, (seen, ledger.record))
            elif seen.wait is not None and seen.wait.lapsed and not seen.wait.trusted:
                cost = f"{seen.wait.delay:.0f} of the {seen.wait.limit:g} s went to waiting for a processor"
                self.doubtful.setdefault(seen.check, f"{seen.summary}, but the machine was busy: {cost}")
            elif seen.check not in counted:
                counted.add(seen.check)
                self.first.setdefault(seen.check, (seen, ledger.record))
                self.counts[seen.check] = self.counts.get(seen.check, 0) + 1

    def suspects(self, options: Options) -> set[str]:
        """Return the checks seen violated that are not confirmed yet."""
        return {check for check, count in self.counts.items() if count < options.confirm}

    def decided(self, options: Options) -> bool:
        """Tell whether another attempt would hardly change anything.

        A clean run is played once. One that missed its window, or lapsed on a busy machine, is looked at once more.
        One that showed something is played once more than it takes to confirm that, for what only some of its
        processes show, and on until all that was seen is confirmed: what races is then found, or not, every time.
        """
        if not self.counts:
            return self.tried >= (2 if self.missed or self.doubtful else 1)
        if options.confirm == 1:
            return True
        enough = not self.suspects(options) and self.tried > options.confirm
        return enough or self.tried >= 3 * options.confirm

    def confirmed(self, options: Options) -> list[str]:
        """Return the checks that enough attempts showed violated."""
        return sorted(check for check, count in self.counts.items() if count >= options.confirm)

    @property
    def word(self) -> str:
        """Return how the run went, in a word or two."""
        if not self.exercised:
            return "not reached"
        return ", ".join(sorted(self.counts)) or "clean"


def conclude(
    command: Sequence[str],
    options: Options,
    found: Survey,
    outcomes: list[Outcome],
    missing: list[tuple[Run, str]],
) -> Report:
    """Make the report. A check within reach that no run decided is inconclusive, and inconclusive is never green."""
    findings, notes, doubts = _gather(command, options, outcomes)
    exercised = {check for outcome in outcomes for check in outcome.exercised}
    states: dict[str, State] = {}
    for check in CHECKS:
        if not options.wants_check(check):
            states[check] = "not asked"
        elif any(f.check == check for f in findings):
            states[check] = "violated"
        elif any(d.check == check for d in doubts):
            states[check] = "inconclusive"
        else:
            states[check] = "kept" if check in exercised else "out of reach"
    unreached = [Unreached(run.name, why) for run, why in missing]
    narrowed = bool(options.runs or options.checks)
    for check in (c for c, state in states.items() if state == "out of reach"):
        why = _why_unreached(check, missing)
        if why is None and not narrowed:
            states[check] = "inconclusive"
            doubts.append(Doubt(check, "", "no run that was played exercised it"))
        elif why is None:
            states[check] = "not asked"
        else:
            unreached.append(Unreached(check, why))
    verdict: Verdict = "VIOLATES" if findings else "INCONCLUSIVE" if doubts else "CONFORMS"
    return Report(
        kind="acp",
        verdict=verdict,
        agent=_agent(command, options, found),
        limits=options.limits,
        checks=states,
        findings=tuple(findings),
        notes=tuple(notes),
        inconclusive=tuple(doubts),
        out_of_reach=tuple(unreached),
        runs=tuple(_result(outcome, options) for outcome in outcomes),
    )


# which commands can exercise a check, for those that not every run exercises
_ASKED_BY = {
    "S6": ("cancel", "cancel-twice"),
    "S7": ("cancel",),
    "S8": ("restart-load", "restart-resume", "close"),
    "S11": ("other",),
    "S3": ("cancel", "cancel-twice", "cancel+prompt"),
    "S5": ("cancel", "cancel-twice", "cancel+prompt"),
    "L8": ("cancel", "cancel-twice", "cancel+prompt", "close"),
    "L9": ("load", "load-twice"),
    "L10": ("restart-load", "load"),
    "L6": ("prompt",),
}


def _why_unreached(check: str, missing: list[tuple[Run, str]]) -> str | None:
    commands = _ASKED_BY.get(check, ())
    return next((why for run, why in missing if run.command.name in commands), None)


def _gather(
    command: Sequence[str], options: Options, outcomes: list[Outcome]
) -> tuple[list[Finding], list[Finding], list[Doubt]]:
    findings: list[Finding] = []
    notes: list[Finding] = []
    doubts: list[Doubt] = []
    for outcome in outcomes:
        confirmed = outcome.confirmed(options)
        for check in confirmed:
            findings.append(_finding(command, options, outcome, *outcome.first[check]))
        for check in sorted(set(outcome.counts) - set(confirmed)):
            seen = f"{outcome.first[check][0].summary}, in {outcome.counts[check]} of {outcome.tried} attempts"
            doubts.append(Doubt(check, outcome.run.name, f"{seen}; it must show {options.confirm} times"))
        for check in sorted(set(outcome.doubtful) - set(outcome.counts)):
            doubts.append(Doubt(check, outcome.run.name, outcome.doubtful[check]))
        if not outcome.exercised:
            doubts.append(Doubt(None, outcome.run.name, outcome.missed[-1]))
        notes += [_finding(command, options, outcome, *outcome.notes[c]) for c in sorted(outcome.notes)]
    return sorted(findings, key=_order), sorted(notes, key=_order), doubts


def _order(finding: Finding) -> tuple[bool, int, str]:
    return finding.group == "L", int(finding.check[1:]), finding.run


def _finding(command: Sequence[str], options: Options, outcome: Outcome, seen: Seen, record: Record) -> Finding:
    sent, came = quote(record, seen.at)
    if record.exit is not None:
        sent = (*sent, "(end of input)" if record.exit.cause == "eof" else "(SIGTERM)")
    wait = seen.wait
    limit = f"{wait.limit:g} s (limit {wait.limit_name})" if wait is not None and wait.lapsed else None
    return Finding(
        check=seen.check,
        group=CHECKS[seen.check].group,
        run=outcome.run.name,
        fingerprint=outcome.run.fingerprint,
        summary=tidy(record, seen.summary),
        sent=sent,
        came=came,
        limit=limit,
        seen=outcome.counts.get(seen.check, 1),
        tried=outcome.tried - len(outcome.missed),
        repeat=repeat_line(command, options, outcome.run.name),
    )


def _result(outcome: Outcome, options: Options) -> RunResult:
    word: Literal["clean", "findings", "inconclusive"] = "clean"
    if outcome.confirmed(options):
        word = "findings"
    elif outcome.counts or outcome.doubtful or not outcome.exercised:
        word = "inconclusive"
    exercised = tuple(sorted(outcome.exercised, key=lambda c: (c[0] != "S", int(c[1:]))))
    return RunResult(outcome.run.name, outcome.run.fingerprint, word, exercised)


def _agent(command: Sequence[str], options: Options, found: Survey) -> Agent:
    session = found.capabilities.get("sessionCapabilities") or {}
    advertised = sorted(name for name, value in session.items() if value is not None)
    loads = ("load",) if found.capabilities.get("loadSession") else ()
    model = "our loopback model" if found.gated else "the agent's own built-in model"
    return Agent(tuple(command), found.name, found.version, found.protocol, (*loads, *advertised), model)


def unreachable(command: Sequence[str], options: Options, error: OutOfReach) -> Report:
    """Make the report about an agent that could not be brought to where it can be judged."""
    why = f"{error.why}: {error}"
    return Report(
        kind="acp",
        verdict="INCONCLUSIVE",
        agent=Agent(tuple(command)),
        limits=options.limits,
        checks=dict.fromkeys(CHECKS, "inconclusive"),
        findings=(),
        notes=(),
        inconclusive=(Doubt(None, "control", why),),
        out_of_reach=(),
        runs=(),
    )
