"""Owns a failure as a value: the run up to it, what is allowed there, the clauses. Refuses to format any of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import msgspec

from lifecycle_conformance.contracts import NAMES, contract_named
from lifecycle_conformance.monitors.finding import Finding
from lifecycle_conformance.vectors.check import Mismatch
from lifecycle_conformance.vectors.plan import parts_of
from lifecycle_model.commands import Json
from lifecycle_model.wire import Answer, BurstResult, Description, Observation, Trace, TraceBurst, Vector, to_json

VECTOR = "vector"
"""The engine of a trace that is a vector's, whose id is what the trace is about."""


class Alternative(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing the contract allows in the burst that failed: its observations in order per subject, and its answers.

    `calls` is none where answers are not at issue.
    """

    seen: tuple[Observation, ...]
    calls: tuple[Answer, ...] | None = None


class Failure(msgspec.Struct, frozen=True):
    """One violation, ready to be told.

    `trace` ends with the burst that failed and holds what the system did, the engine and the seed that found it. Of
    `allowed`, every explanation still possible is kept, the best first. A violation of an invariant alone allows
    nothing in particular and has `findings`; one of a vector has the `vector`, and `mismatches` in words.
    """

    trace: Trace
    clauses: tuple[str, ...]
    allowed: tuple[Alternative, ...] = ()
    findings: tuple[Finding, ...] = ()
    vector: Vector | None = None
    mismatches: tuple[Mismatch, ...] = ()

    @property
    def burst(self) -> int:
        """The index of the burst that failed: the last one kept."""
        return len(self.trace.bursts) - 1

    @property
    def did(self) -> TraceBurst:
        """What was asked in that burst, and what the system did."""
        return self.trace.bursts[-1]

    @property
    def earlier(self) -> tuple[TraceBurst, ...]:
        """The bursts before it."""
        return self.trace.bursts[:-1]

    @property
    def sentences(self) -> dict[str, str]:
        """The sentence of each clause blamed that has one, the first to blame first."""
        known = contract_named(self.trace.contract).clauses if self.trace.contract in NAMES else {}
        return {clause: known[clause] for clause in self.clauses if clause in known}

    @property
    def fingerprint(self) -> str:
        """What identifies the failing run: its commands and policies, whatever system and engine ran them."""
        asked = [self.trace.contract, dict(self.trace.policies), [burst.do for burst in self.trace.bursts]]
        return hashlib.sha256(to_json(asked)).hexdigest()[:12]


def recorded(
    bursts: Sequence[Sequence[object]],
    results: Sequence[BurstResult],
    system: Description,
    *,
    policies: Mapping[str, Json] | None = None,
    engine: str = "",
    seed: int = 0,
) -> Trace:
    """The trace of a run: what was asked, and what this system answered and showed."""
    played = zip(bursts, results, strict=False)
    return Trace(
        tuple(TraceBurst(tuple(do), result.calls, result.seen) for do, result in played),  # type: ignore[arg-type]  # commands
        contract=system.profile.contract,
        policies=dict(policies or {}),
        system=system.name,
        version=system.version,
        seed=seed,
        engine=engine,
    )


def of_alternatives(trace: Trace, burst: int, allowed: Sequence[Alternative], clauses: Sequence[str]) -> Failure:
    """The failure of a burst that none of these alternatives allows."""
    return Failure(_cut(trace, burst, clauses), tuple(clauses), tuple(allowed))


def of_findings(trace: Trace, findings: Sequence[Finding]) -> Failure:
    """The failure of the first burst that breaks an invariant, with every finding about it."""
    first = min(finding.index for finding in findings)
    there = tuple(finding for finding in findings if finding.index == first)
    clauses = tuple(dict.fromkeys(finding.clause for finding in there))[:3]
    return Failure(_cut(trace, first, clauses), clauses, findings=there)


def of_vector(trace: Trace, vector: Vector, mismatches: Sequence[Mismatch]) -> Failure:
    """The failure of a vector: cut behind the first burst of it that is not as written.

    `trace` is of `bursts_of(vector)`, so it holds the bursts of reads as well.
    """
    first = min(mismatches, key=lambda mismatch: mismatch.burst).burst
    there = tuple(mismatch for mismatch in mismatches if mismatch.burst == first)
    parts = parts_of(vector)
    if len(parts) != len(trace.bursts):
        parts = [part for part in parts if not part.reads]
    reads = all(mismatch.kind == "reads" for mismatch in there)
    last = max(n for n, part in enumerate(parts) if part.index == first and (reads or not part.reads))
    clauses = tuple(vector.clauses)
    trace = msgspec.structs.replace(trace, engine=VECTOR, about=vector.id)
    return Failure(_cut(trace, last, clauses), clauses, vector=vector, mismatches=there)


def _cut(trace: Trace, burst: int, clauses: Sequence[str]) -> Trace:
    kept = trace.bursts[: burst + 1]
    return msgspec.structs.replace(trace, bursts=kept, verdict="VIOLATES", clauses=tuple(clauses))
