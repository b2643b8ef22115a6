"""Owns the verdict over one agent as data: findings, what stayed open, what is out of reach; refuses to format it."""

from __future__ import annotations

from typing import Literal

import msgspec

from lifecycle_conformance.acp.options import Limits
from lifecycle_conformance.acp.sentences import CHECKS, Group

Verdict = Literal["CONFORMS", "VIOLATES", "INCONCLUSIVE"]
State = Literal["kept", "violated", "inconclusive", "out of reach", "not asked"]
EXIT_CODES: dict[Verdict, int] = {"CONFORMS": 0, "VIOLATES": 1, "INCONCLUSIVE": 3}
MEANS = (
    "CONFORMS means: in the runs listed, on this machine, with this model, nothing was seen against the checks"
    " within reach. It says nothing about other windows, other tools, other models or longer histories."
)


class Finding(msgspec.Struct, frozen=True):
    """Something seen against a check in one run, and what it rests on; a note when it decides nothing.

    `sent` and `came` are the wire's own lines with ids replaced by names. `limit` names the time limit it
    rests on, if any. `seen` of the `tried` fresh processes that reached the run's window
    showed it.
    """

    check: str
    group: Group
    run: str
    fingerprint: str
    summary: str
    sent: tuple[str, ...]
    came: tuple[str, ...]
    limit: str | None
    seen: int
    tried: int
    repeat: str

    @property
    def title(self) -> str:
        """Return the check's title."""
        return CHECKS[self.check].title


class Doubt(msgspec.Struct, frozen=True):
    """A run or a check that could not be decided, and why."""

    check: str | None
    run: str
    why: str


class Unreached(msgspec.Struct, frozen=True):
    """A check, or a run, that this agent cannot be asked."""

    what: str
    why: str


class RunResult(msgspec.Struct, frozen=True):
    """One run's outcome: which checks it exercised and how it went."""

    name: str
    fingerprint: str
    outcome: Literal["clean", "findings", "inconclusive"]
    exercised: tuple[str, ...]


class Agent(msgspec.Struct, frozen=True):
    """The system under test as it described itself, and the command it was started with."""

    command: tuple[str, ...]
    name: str = ""
    version: str = ""
    protocol: int = 0
    advertised: tuple[str, ...] = ()
    model: str = ""


class Report(msgspec.Struct, frozen=True):
    """Everything that was decided about one agent."""

    kind: Literal["acp"]
    verdict: Verdict
    agent: Agent
    limits: Limits
    checks: dict[str, State]
    findings: tuple[Finding, ...]
    notes: tuple[Finding, ...]
    inconclusive: tuple[Doubt, ...]
    out_of_reach: tuple[Unreached, ...]
    runs: tuple[RunResult, ...]
    means: str = MEANS

    @property
    def exit_code(self) -> int:
        """Return 0 for CONFORMS, 1 for VIOLATES, 3 for INCONCLUSIVE."""
        return EXIT_CODES[self.verdict]

    def keys(self) -> tuple[tuple[str, str], ...]:
        """Return what identifies each finding in a list of expected violations: its check and its run's fingerprint."""
        return tuple(sorted({(f.check, f.fingerprint) for f in self.findings}))


def to_json(report: Report) -> bytes:
    """Encode a report; the same findings give the same bytes."""
    return msgspec.json.format(msgspec.json.encode(report, order="deterministic"), indent=2)


def from_json(data: bytes) -> Report:
    """Decode a report that `to_json` wrote."""
    return msgspec.json.decode(data, type=Report)
