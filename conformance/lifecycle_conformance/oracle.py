"""The oracle: says which observations the model allows after each burst. Imports no runtime and no hypothesis.

It keeps every configuration still possible. A burst none of them allows is a mismatch, told with every surviving
explanation and blamed on the clauses of the first wrong observation's row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from lifecycle_conformance.compare import (
    Projection,
    agree,
    answers_agree,
    moments,
    project_answer,
    same_multiset,
    split,
)
from lifecycle_conformance.promises import about, answered, called, promised
from lifecycle_model.commands import Burst
from lifecycle_model.engine import Engine
from lifecycle_model.quiet import Outcomes, perform
from lifecycle_model.state import Configuration, start
from lifecycle_model.table import Row
from lifecycle_model.wire import UNSET, Answer, BurstResult, Observation, Profile


@dataclass(frozen=True)
class Difference:
    """Where one allowed outcome and the system part: what was expected there, what came, and the row that says it."""

    kind: str
    """`call`, `order`, `missing`, `extra` or `settled`."""
    agreed: int
    """How much agreed before, to rank explanations."""
    subject: str
    expected: Observation | Answer | None
    seen: Observation | Answer | None
    row: Row | None
    index: int = 0
    """The command's index for a call; the position among the subject's observations otherwise."""


@dataclass(frozen=True)
class Explanation:
    """One outcome the contract allows, with where the system left it."""

    outcome: Outcomes
    projected: tuple[Observation, ...]
    answers: tuple[Answer, ...]
    difference: Difference


@dataclass(frozen=True)
class Mismatch:
    """No configuration still possible allows what the system did in this burst; the best explanation first."""

    burst: int
    explanations: tuple[Explanation, ...]
    result: BurstResult
    clauses: tuple[str, ...]


@dataclass
class Hypothesis:
    """One configuration still possible, with the statuses shown so far."""

    configuration: Configuration
    shown: dict[str, str] = field(default_factory=dict[str, str])


class Outlook:
    """Computes what a burst may do, and remembers it: suites share prefixes."""

    def __init__(self, engine: Engine, limit: int = 200_000) -> None:
        """Keep at most `limit` remembered bursts."""
        self.engine = engine
        self._known: dict[tuple[Configuration, bytes], tuple[Outcomes, ...]] = {}
        self._limit = limit

    def perform(self, configuration: Configuration, burst: Burst, key: bytes) -> tuple[Outcomes, ...]:
        """Every allowed outcome of a burst; `key` identifies the burst."""
        found = self._known.get((configuration, key))
        if found is None:
            found = perform(self.engine, configuration, burst)
            if len(self._known) < self._limit:
                self._known[configuration, key] = found
        return found


class Oracle:
    """Judges one run, burst by burst."""

    def __init__(
        self, outlook: Outlook, profile: Profile, policies: dict[str, object] | None = None, keep_log: bool = True
    ) -> None:
        """Begin at a freshly reset system with these policies."""
        self.outlook = outlook
        chosen = policies or {}
        if chosen.get("cancelling_published") == "off":
            profile = msgspec.structs.replace(profile, statuses=tuple(s for s in profile.statuses if s != "cancelling"))
        elif "cancelling" not in profile.statuses:
            # nobody hears what is not published: a listener of statuses waits for the next one
            chosen = {**chosen, "cancelling_published": "off"}
        self.profile = profile
        self._statuses = frozenset(profile.statuses)
        self._loose = frozenset({"flush", "tool"} if chosen.get("parallel_tools") == "on" else {"flush"})
        self.hypotheses = [Hypothesis(start(chosen, keep_log))]
        self._verbs: dict[str, str] = {}
        self._about: dict[str, str] = {}
        self.burst = 0
        self.taken: tuple[Outcomes, ...] = ()

    def judge(self, burst: Burst, key: bytes, result: BurstResult) -> Mismatch | None:
        """Compare one burst's result; None if some configuration allows it."""
        self._verbs |= called(burst)
        if self.profile.ordered_calls:
            self._about |= about(burst)
        survivors: list[Hypothesis] = []
        taken: list[Outcomes] = []
        explanations: list[Explanation] = []
        for hypothesis in self.hypotheses:
            for outcome in self.outlook.perform(hypothesis.configuration, burst, key):
                projection = Projection(self.profile, hypothesis.shown)
                projected = projection.project(outcome.seen)
                answers = tuple(project_answer(answer, self._statuses) for answer in outcome.answers)
                seen = [one for one in Projection(self.profile, hypothesis.shown).project(result.seen)]
                difference = differ(outcome, projected, answers, seen, result.calls, self._loose, self._about)
                if difference is None:
                    if all(other.configuration != outcome.configuration for other in survivors):
                        survivors.append(Hypothesis(outcome.configuration, projection.shown))
                    taken.append(outcome)
                else:
                    explanations.append(Explanation(outcome, tuple(projected), answers, difference))
        index = self.burst
        self.burst += 1
        self.taken = tuple(taken)
        if survivors:
            self.hypotheses = survivors
            return None
        explanations.sort(key=lambda one: -one.difference.agreed)
        return Mismatch(index, tuple(explanations), result, blame(explanations, self._verbs, burst))


def blame(explanations: Sequence[Explanation], verbs: Mapping[str, str], burst: Burst = ()) -> tuple[str, ...]:
    """Name three clauses at most, from the best explanation.

    First those that speak of listeners, calls and what is read, which no row names (`verbs` tells what each call named
    in the run was), then those of the first wrong observation's row.
    """
    if not explanations:
        return ()
    best = explanations[0]
    row = best.difference.row
    if row is None and best.difference.kind == "settled":
        asked = ASKED.get(str(getattr(best.difference.seen, "of", ""))[:1], ())
        row = next((one for one in reversed(best.outcome.rows) if one.program in asked), None)
    if row is None:
        row = best.outcome.rows[-1] if best.outcome.rows else None
    own = promised(best.difference.expected, best.difference.seen, verbs)
    if best.difference.kind == "call" and best.difference.index < len(burst):
        own = answered(burst[best.difference.index], best.difference.expected, best.difference.seen)
    return tuple(dict.fromkeys((*own, *(row.clauses if row else ()))))[:3]


ASKED = {"u": ("unload_owner", "unload_provider"), "d": ("dispose",), "w": ("when_idle",), "h": ("create",)}
"""First letter of a reference to the programs that perform its call: whose rows are blamed where it settles too early."""


NOBODY: Mapping[str, str] = {}


def differ(
    outcome: Outcomes,
    projected: Sequence[Observation],
    answers: Sequence[Answer],
    seen: Sequence[Observation],
    calls: Sequence[Answer],
    loose: frozenset[str] = frozenset({"flush"}),
    calls_about: Mapping[str, str] = NOBODY,
) -> Difference | None:
    """The first difference between an allowed outcome and what was seen, or None.

    When a call settled is compared within the burst only for the calls in `calls_about`: of a system with ordered calls.
    """
    speakers = list(zip(outcome.seen, outcome.said, strict=True))

    def speaker(one: Observation | None) -> Row | None:
        """The row that says an observation; a projected one is found by its value."""
        for other, row in speakers:
            if row is not None and (one is other or one == other):
                return row
        return None

    expected_of, expected_loose = split(projected, loose)
    seen_of, seen_loose = split(seen, loose)
    agreed = 0
    worst: Difference | None = None
    for subject in sorted(expected_of.keys() | seen_of.keys()):
        mine, theirs = expected_of.get(subject, []), seen_of.get(subject, [])
        for index in range(max(len(mine), len(theirs))):
            one = mine[index] if index < len(mine) else None
            other = theirs[index] if index < len(theirs) else None
            if one is not None and other is not None and agree(one, other):
                agreed += 1
                continue
            if worst is None:
                kind = "missing" if other is None else "extra" if one is None else "order"
                row = speaker(one) or (speaker(mine[index - 1]) if index and mine else None)
                worst = Difference(kind, 0, subject, one, other, row, index)
            break
    if worst is not None:
        return _ranked(worst, agreed)
    missing, extra = same_multiset(expected_loose, seen_loose)
    if missing or extra:
        first = (missing or extra)[0]
        return Difference(
            "settled" if first.event == "settled" else "missing" if missing else "extra",
            agreed,
            str(first.of),
            missing[0] if missing else None,
            extra[0] if extra else None,
            speaker(first),
        )
    due, came = moments(projected, calls_about), moments(seen, calls_about)
    for ref in (one for one in due if due[one] != came.get(one)):
        settled = [next(one for one in side if one.event == "settled" and one.of == ref) for side in (projected, seen)]
        return Difference("settled", agreed, ref, settled[0], settled[1], None)
    if len(answers) != len(calls):
        return Difference("call", agreed, "", None, None, None, min(len(answers), len(calls)))
    for index, (mine_answer, their_answer) in enumerate(zip(answers, calls, strict=True)):
        if not answers_agree(mine_answer, their_answer):
            return Difference("call", agreed, "", mine_answer, their_answer, None, index)
    return None


def _ranked(difference: Difference, agreed: int) -> Difference:
    return Difference(
        difference.kind,
        agreed,
        difference.subject,
        difference.expected,
        difference.seen,
        difference.row,
        difference.index,
    )


def fault_of(result: BurstResult) -> str | None:
    """A fault the adapter noticed: an unhandled error, a warning, a leaked task."""
    for one in result.seen:
        if one.event == "fault":
            return str(one.text if one.text is not UNSET else one.reason if one.reason is not UNSET else "a fault")
    return None
