"""Owns the report of a whole check as data: the verdict and everything it rests on. Refuses to format any of it.

Equal runs give equal reports, but for `timings`, the one member that holds anything about time.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from lifecycle_conformance.failure.lines import lines
from lifecycle_conformance.failure.parting import Parting, partings
from lifecycle_conformance.failure.pasted import pytest_test, replay_line, stdio_script
from lifecycle_conformance.failure.sequence import of_failure
from lifecycle_conformance.failure.value import Failure
from lifecycle_diagrams.sequence_mermaid import mermaid
from lifecycle_diagrams.sequence_svg import svg

Verdict = Literal["CONFORMS", "VIOLATES", "INCONCLUSIVE"]
EXIT_CODES: dict[Verdict, int] = {"CONFORMS": 0, "VIOLATES": 1, "INCONCLUSIVE": 3}

MEANS = (
    "CONFORMS means: in the runs listed, nothing was seen against the clauses within reach. It does not mean that the"
    " system is free of faults: runs that were not made, clauses out of reach, data, timing and load that no run had,"
    " and whatever the system does not show are not covered; nor is anything the contract does not say."
)


class Coverage(msgspec.Struct, frozen=True):
    """What was exercised: how much, and how often each row, program and clause was; 0 says never."""

    classes: int = 0
    labels: int = 0
    runs: int = 0
    histories: int = 0
    vectors: int = 0
    rows: dict[str, int] = {}
    programs: dict[str, int] = {}
    clauses: dict[str, int] = {}


class Told(msgspec.Struct, frozen=True):
    """One failure in all its forms; those that a black box cannot have are empty. `expected` says that it was known, and is tolerated.

    `partings` is what the eight lines put in two columns, uncut; `said` what was found wrong in words.
    """

    clauses: tuple[str, ...]
    sentences: dict[str, str]
    lines: tuple[str, ...]
    partings: tuple[Parting, ...] = ()
    said: tuple[str, ...] = ()
    fingerprint: str = ""
    file: str = ""
    replay: str = ""
    mermaid: str = ""
    svg: str = ""
    test: str = ""
    script: str = ""
    expected: bool = False
    runs: int = 1
    """How many runs of the check failed for this cause; the shortest is told."""


class Reason(msgspec.Struct, frozen=True):
    """Something that is not decided, or out of reach, and why."""

    what: str
    why: str


class Picture(msgspec.Struct, frozen=True):
    """A diagram to show, as an SVG document: the contract's own, with what was exercised as a heat map."""

    title: str
    svg: str


class RunReport(msgspec.Struct, frozen=True):
    """Everything that was decided about one system in one check.

    `expecting` says that there was a list of expected violations: then only a new or a stale one fails, while the
    verdict stays what the contract says. `out_of_reach` is about clauses, `unreached` says for each vector that could
    not be played why, and `lacking` what the system lacks for them, by kind.
    """

    verdict: Verdict
    system: str
    profile: str
    contract: str = "1"
    version: str = ""
    seed: int = 0
    coverage: Coverage = Coverage()
    completeness: str = ""
    failures: tuple[Told, ...] = ()
    expecting: bool = False
    stale: tuple[str, ...] = ()
    inconclusive: tuple[Reason, ...] = ()
    out_of_reach: tuple[Reason, ...] = ()
    unreached: dict[str, tuple[str, ...]] = {}
    lacking: dict[str, tuple[str, ...]] = {}
    pictures: tuple[Picture, ...] = ()
    means: str = MEANS
    timings: dict[str, float] = {}

    @property
    def exit_code(self) -> int:
        """Return 0 for CONFORMS or all as expected, 1 for a violation (new or stale), 3 for INCONCLUSIVE."""
        if not self.expecting:
            return EXIT_CODES[self.verdict]
        if self.stale or any(not failure.expected for failure in self.failures):
            return 1
        return 3 if self.inconclusive or self.verdict == "INCONCLUSIVE" else 0

    @property
    def broken(self) -> dict[str, list[Told]]:
        """The failures that are not expected, by each clause they blame."""
        found: dict[str, list[Told]] = {}
        for failure in self.failures:
            for clause in failure.clauses if not failure.expected else ():
                found.setdefault(clause, []).append(failure)
        return found


def told(failure: Failure, file: str, system: str, *, expected: bool = False, runs: int = 1) -> Told:
    """Put a failure into all its forms; `file` is the trace file that replays it, `system` the name to replay it on."""
    drawn = of_failure(failure)
    replay = replay_line(file, system)
    return Told(
        clauses=failure.clauses,
        sentences=failure.sentences,
        lines=tuple(lines(failure, replay)),
        said=(*(finding.sentence for finding in failure.findings), *(each.sentence for each in failure.mismatches)),
        fingerprint=failure.fingerprint,
        replay=replay,
        file=file,
        partings=tuple(partings(failure)),
        mermaid=mermaid(drawn),
        svg=svg(drawn),
        test=pytest_test(failure, system),
        script=stdio_script(failure.trace),
        expected=expected,
        runs=runs,
    )


def to_json(report: RunReport) -> bytes:
    """The report as JSON: members in a fixed order, timings last of all; equal reports, equal bytes."""
    timeless = msgspec.structs.replace(report, timings={})
    body = msgspec.json.decode(msgspec.json.encode(timeless, order="sorted"))
    body.pop("timings")
    body["timings"] = dict(sorted(report.timings.items()))
    return msgspec.json.format(msgspec.json.encode(body), indent=2) + b"\n"


def from_json(data: bytes) -> RunReport:
    """Read a report that `to_json` wrote."""
    return msgspec.json.decode(data, type=RunReport)
