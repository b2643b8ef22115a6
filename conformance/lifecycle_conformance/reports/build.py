"""Owns turning what a check found into its report: coverage, what was out of reach, the failures told.

Refuses to judge again: the verdict is the check's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from lifecycle_conformance.check import VIOLATES, Outcome
from lifecycle_conformance.contracts import contract_named
from lifecycle_conformance.expect import Difference
from lifecycle_conformance.failure.value import Failure
from lifecycle_conformance.monitors.watch import CARRIED
from lifecycle_conformance.reports.found import Found
from lifecycle_conformance.reports.report import Coverage, Reason, RunReport, Verdict, told
from lifecycle_conformance.vectors import load_vectors
from lifecycle_model.table import Contract

_ENGINE = re.compile(r"((?:vector|suite|walk|whole) \S+|Hypothesis): (.*)", re.DOTALL)
"""A reason that names the stage it is about."""


def report_of(
    outcome: Outcome,
    found: Sequence[Found],
    keep: Callable[[Failure], str],
    difference: Difference | None = None,
) -> RunReport:
    """The report of a check; `keep` stores a failing trace and says where, `difference` is from what was expected."""
    options, description = outcome.options, outcome.description
    contract = contract_named(options.contract)
    tolerated = {key.key for key in difference.known} if difference is not None else set[tuple[str, str]]()
    reached, unreached = _clauses(outcome, contract)
    verdict: Verdict = (
        "VIOLATES" if outcome.verdict == VIOLATES else "CONFORMS" if outcome.exit_code == 0 else "INCONCLUSIVE"
    )
    return RunReport(
        verdict=verdict,
        system=description.name if description is not None else options.system,
        version=description.version if description is not None else "",
        profile=options.profile,
        contract=options.contract,
        seed=options.seed,
        coverage=Coverage(
            classes=sum(outcome.classes.values()),
            labels=outcome.edges,
            runs=outcome.runs,
            histories=outcome.histories,
            vectors=outcome.vectors_held,
            rows={row.id: outcome.rows[row.id] for row in contract.rows} if outcome.runs else {},
            programs=_programs(outcome, contract) if outcome.runs else {},
            clauses=reached,
        ),
        completeness=completeness(outcome),
        failures=tuple(
            told(one.failure, keep(one.failure), options.system, expected=one.key.key in tolerated, runs=one.runs)
            for one in found
        ),
        expecting=difference is not None,
        stale=tuple(f"{one.group} {one.fingerprint}" for one in difference.stale) if difference is not None else (),
        inconclusive=tuple(map(_reason, dict.fromkeys(outcome.reasons))),
        out_of_reach=unreached,
        unreached={name: tuple(why) for name, why in sorted(outcome.unreached.items())},
        lacking=_lacking(outcome),
        timings=dict(outcome.seconds),
    )


def completeness(outcome: Outcome) -> str:
    """The completeness statement with its numbers and assumptions, then what was sampled; empty where nothing was."""
    said = _suites(outcome)
    return f"{said} {_roamed(outcome)}" if said else ""


def _roamed(outcome: Outcome) -> str:
    """What the walks over whole systems were, and that they are a sample."""
    if not outcome.roamed:
        return "No walks over whole systems: bridge, tasks, configured agents and storage had vectors alone."
    grounds = ", ".join(f"{name} {count:,}" for name, count in outcome.roamed.items())
    return (
        f"Sampled beyond that: {outcome.roamed.total():,} seeded walks over a whole system, longer than any scope's "
        f"bound, on the vocabulary of {len(outcome.roamed)} grounds ({grounds}): bridge, tasks, configured agents, "
        "owners, providers, sessions and storage where they are named. Walks prove nothing about histories not drawn."
    )


def _suites(outcome: Outcome) -> str:
    if not outcome.classes:
        return ""
    total = sum(outcome.classes.values())
    scopes = ", ".join(f"{name} {count:,}" for name, count in outcome.classes.items())
    return (
        f"Completeness: every label was tried in every class of {len(outcome.classes)} scopes ({total:,} classes: {scopes}; "
        f"{outcome.labels:,} labels). For a deterministic system with no more classes than these on these finite alphabets, "
        "whose reset and quiet are reliable, and whose reads tell its classes apart, a fault in reach would have been seen. "
        f"Not covered: {outcome.several:,} results where the contract allows several, commands outside the scopes, longer queues."
    )


def _reason(said: str) -> Reason:
    staged = _ENGINE.fullmatch(said)
    return Reason(staged[1], staged[2]) if staged is not None else Reason("the check", said)


def _programs(outcome: Outcome, contract: Contract) -> dict[str, int]:
    """How often each program's rows were taken, the most taken of them: a program has no count of its own."""
    taken: dict[str, int] = {}
    for row in contract.rows:
        taken[row.program] = max(taken.get(row.program, 0), outcome.rows[row.id])
    return {program.id: taken[program.id] for program in contract.programs if program.id in taken}


def _clauses(outcome: Outcome, contract: Contract) -> tuple[dict[str, int], tuple[Reason, ...]]:
    """How often each clause was exercised, by the rows, vectors and monitors that carry it; and why others were not."""
    rows: dict[str, int] = {}
    for row in contract.rows:
        for clause in row.clauses:
            rows[clause] = rows.get(clause, 0) + outcome.rows[row.id]
    watched = CARRIED.get(contract.name, frozenset[str]())
    unplayed = _unplayed(outcome, contract.name)
    reached: dict[str, int] = {}
    unreached: list[Reason] = []
    for clause in contract.clauses if outcome.runs else ():
        times = rows.get(clause, 0) + outcome.held[clause] + (outcome.runs if clause in watched else 0)
        if times:
            reached[clause] = times
        elif clause in unplayed:
            unreached.append(Reason(clause, "only vectors out of reach are about it"))
        elif clause in rows:
            reached[clause] = 0
        else:
            unreached.append(Reason(clause, "no row, vector or monitor of this check carries it"))
    return reached, tuple(unreached)


_LACKS = (
    (re.compile(r"asks for (\S+)"), "commands"),
    (re.compile(r"(?:is about|reacts to) (\S+), which is not shown"), "observations"),
    (re.compile(r"uses the gate (\S+)"), "gates"),
    (re.compile(r"is about the policy (\S+)"), "policies"),
)


def _lacking(outcome: Outcome) -> dict[str, tuple[str, ...]]:
    """What the system lacks for the vectors out of reach, by kind; `needs` for what is of no other."""
    found: dict[str, set[str]] = {}
    needs: set[str] = set()
    for why in {each for reasons in outcome.unreached.values() for each in reasons}:
        for pattern, kind in _LACKS:
            if (lacks := pattern.match(why)) is not None:
                found.setdefault(kind, set()).add(lacks[1])
                break
        else:
            needs.add(why.removeprefix("needs "))
    rest = needs - {name for names in found.values() for name in names}
    if rest:
        found["needs"] = rest
    return {kind: tuple(sorted(names)) for kind, names in sorted(found.items())}


def _unplayed(outcome: Outcome, contract: str) -> frozenset[str]:
    """The clauses that vectors out of reach are about."""
    vectors = (vector for vector in load_vectors(contract=contract) if vector.id in outcome.unreached)
    return frozenset(clause for vector in vectors for clause in vector.clauses)
