"""One run of one system judged: by the oracle and by the monitors. Refuses to say who is to blame beyond that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lifecycle_conformance.monitors.finding import Finding
from lifecycle_conformance.monitors.watch import watch
from lifecycle_conformance.oracle import Mismatch, Oracle, Outlook, fault_of
from lifecycle_conformance.systems.adapter import AdapterError, Run, System, run_all
from lifecycle_model.commands import Burst
from lifecycle_model.wire import UNSET, BurstResult, Observation, Profile, TraceBurst, to_json


@dataclass(frozen=True)
class Trial:
    """What one run showed. A violation if `mismatch` or `findings`; the adapter's failure if `error`."""

    bursts: tuple[Burst, ...]
    results: tuple[BurstResult, ...]
    policies: Mapping[str, object]
    mismatch: Mismatch | None = None
    findings: tuple[Finding, ...] = ()
    error: AdapterError | None = None
    several: int = 0
    schedule: tuple[int, ...] = ()
    """The choices of ready tasks it was played under; empty: the order of the system's own loop."""

    @property
    def violates(self) -> bool:
        """The contract was broken."""
        return self.error is None and (self.mismatch is not None or bool(self.findings))

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clauses blamed: of the first wrong observation's row, and of the monitors violated, three of each."""
        own = self.mismatch.clauses if self.mismatch is not None else ()
        watched = tuple(dict.fromkeys(finding.clause for finding in self.findings))[:3]
        return tuple(dict.fromkeys((*own, *watched)))

    @property
    def cause(self) -> tuple[object, ...]:
        """What failures are grouped by: the row's clauses and the event."""
        if self.mismatch is None:
            return ("monitor", *sorted({finding.clause for finding in self.findings}))
        if not self.mismatch.explanations:
            return ("none", self.mismatch.clauses)
        difference = self.mismatch.explanations[0].difference
        if difference.kind == "settled":
            return ("settled", *(_settlement(one) for one in (difference.expected, difference.seen)))
        event = getattr(difference.expected, "event", None) or getattr(difference.seen, "event", None)
        return (self.mismatch.clauses, event)


def _settlement(one: object) -> str:
    """What kind of call settled, by its reference, and with what; nothing where it did not."""
    if not isinstance(one, Observation):
        return ""
    said = "ok" if one.refused is UNSET and one.value is UNSET else one.refused if one.refused is not UNSET else "value"
    return f"{str(one.of).rstrip('0123456789')} {said}"


@dataclass
class Judge:
    """Judges runs of one system under one contract."""

    outlook: Outlook
    profile: Profile
    monitored: bool = True
    rows: Counter[str] = field(default_factory=Counter[str])
    """How often allowed runs took each row of the model."""
    several: int = 0
    """Bursts after which more than one result was allowed."""

    def play(
        self,
        system: System,
        bursts: Sequence[Burst],
        policies: Mapping[str, object],
        keep_log: bool = False,
        modelled: bool = True,
    ) -> Trial:
        """Run and judge; by the monitors alone where the model does not carry what is asked."""
        (outcome,) = run_all(system, [Run(tuple(bursts), policies)])
        return self.judge(bursts, outcome, policies, keep_log, modelled)

    def judge(
        self,
        bursts: Sequence[Burst],
        outcome: list[BurstResult] | AdapterError,
        policies: Mapping[str, object],
        keep_log: bool = False,
        modelled: bool = True,
    ) -> Trial:
        """Judge what a run gave."""
        if isinstance(outcome, AdapterError):
            return Trial(tuple(bursts), (), policies, error=outcome)
        oracle = Oracle(self.outlook, self.profile, dict(policies), keep_log)
        mismatch: Mismatch | None = None
        for made, result in zip(bursts, outcome, strict=True):
            if modelled:
                mismatch = oracle.judge(made, to_json(made), result)
            for one in oracle.taken:
                self.rows.update(row.id for row in one.rows)
            if len(oracle.taken) > 1:
                self.several += 1
            if mismatch is not None:
                break
            fault = fault_of(result)
            if fault is not None:
                return Trial(tuple(bursts), tuple(outcome), policies, error=AdapterError(f"fault: {fault}"))
        findings: tuple[Finding, ...] = ()
        if self.monitored:
            traced = tuple(TraceBurst(made, r.calls, r.seen) for made, r in zip(bursts, outcome, strict=True))
            findings = tuple(watch(traced, self.profile, dict(policies)))
        return Trial(tuple(bursts), tuple(outcome), policies, mismatch, findings)
