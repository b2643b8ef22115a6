"""Tells a trace or a failure as a sequence: who says what to whom, what is cut short, when a lane is busy.

Refuses to draw.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from lifecycle_conformance.compare import UNORDERED
from lifecycle_conformance.failure.asked import command, lone_agent
from lifecycle_conformance.failure.notation import observation
from lifecycle_conformance.failure.parting import Parting, partings
from lifecycle_conformance.failure.value import Failure
from lifecycle_diagrams.sequence import Arrow, Bar, Note, Sequence
from lifecycle_model.commands import (
    Abort,
    Acp,
    AnyCommand,
    Create,
    Dispose,
    Executor,
    LoadProvider,
    React,
    Read,
    Resume,
    Session,
    Storage,
    Task,
    Tool,
    UnloadOwner,
    UnloadProvider,
    WhenIdle,
)
from lifecycle_model.wire import RECORDS, UNSET, Observation, Trace, TraceBurst

ENVIRONMENT, STORE, PROVIDER, TASKS, CLIENT = "environment", "session store", "provider", "task", "client"
ORDER = (CLIENT, ENVIRONMENT, PROVIDER, "", STORE, TASKS)
"""Lanes from left to right; the agents stand in the gap."""

BY_PROVIDER = frozenset(
    {
        "agent/created",
        "agent/disposed",
        "agent/session-start",
        "session/created",
        "session/disposed",
        "scope",
        "agent-loop/config-start-failed",
    }
)
CUT = frozenset({"agent/inbox/discard", "abort", "agent/disposed", "session/disposed"})
"""What is cut short: work that will not be done, an agent and a session that go."""
TOLD = CUT | {"agent/cancel-requested"}
"""What is told with its clauses."""
Clauses = Mapping[tuple[int, int], tuple[str, ...]]
"""By burst and position in what was seen: the clauses of the row that said it."""
OF_PROVIDER = (Create, Resume, Abort, Dispose, UnloadOwner, UnloadProvider, LoadProvider)


@dataclass(slots=True)
class _Drawing:
    """What is being drawn: the steps so far, and who settles which pending call."""

    lone: str | None
    steps: list[Arrow | Note] = field(default_factory=list[Arrow | Note])
    owing: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    untold: dict[str, dict[str, None]] = field(default_factory=dict[str, dict[str, None]])
    """The clauses by which something was cut short in this burst, by lane."""

    def add(self, arrow: Arrow) -> None:
        """Add an arrow; what goes the same way as the last one is said on it."""
        before = self.steps[-1] if self.steps else None
        way = (arrow.source, arrow.target, arrow.wrong)
        if isinstance(before, Arrow) and (before.source, before.target, before.wrong) == way:
            words = (*before.words, *arrow.words)
            cuts = before.cuts or arrow.cuts
            self.steps[-1] = Arrow(arrow.source, arrow.target, words, arrow.reply, arrow.wrong, cuts)
        else:
            self.steps.append(arrow)

    def why(self, lane: str, clauses: Iterable[str]) -> None:
        """Keep the clauses of something cut short for the end of the burst."""
        self.untold.setdefault(lane, {}).update(dict.fromkeys(clauses))

    def tell(self) -> None:
        """Note the clauses kept."""
        self.steps += [Note(lane, lane, " ".join(found), "clause") for lane, found in self.untold.items() if found]
        self.untold.clear()


def of_failure(failure: Failure) -> Sequence:
    """The run of a failure: what is wrong in its last burst is crossed, and notes name what is allowed there."""
    found = partings(failure)
    # what differs from the alternatives says more than what a monitor met on the way
    here = () if failure.allowed else (each for each in failure.findings if each.index == failure.burst)
    drawn = _drawn(failure.trace, found[0] if found else None, {finding.at for finding in here})
    where = _where(found[0].subject if found else "", drawn)
    drawn.steps += [Note(where, where, text, "allowed") for text in _notes(failure, found)]
    if failure.clauses and not failure.findings:
        drawn.steps.append(Note(where, where, " ".join(failure.clauses), "clause"))
    title = f"{' '.join(failure.clauses)} broken by {failure.trace.system or 'the system'}"
    return _closed(title, drawn)


def of_trace(trace: Trace, clauses: Clauses | None = None) -> Sequence:
    """A run as it was; `clauses` are noted where something is cut short."""
    title = " ".join(word for word in (trace.system, trace.version) if word) or "a run"
    return _closed(title, _drawn(trace, None, set(), clauses or {}))


def _drawn(trace: Trace, parting: Parting | None, wrong_at: set[int], clauses: Clauses | None = None) -> _Drawing:
    drawn = _Drawing(lone_agent([burst.do for burst in trace.bursts]))
    for index, burst in enumerate(trace.bursts):
        last = index == len(trace.bursts) - 1
        asked = [each for each in burst.do if last or not isinstance(each, Read)]
        if not asked and not burst.seen:
            continue
        drawn.steps.append(Note(ENVIRONMENT, ENVIRONMENT, f"burst {index + 1}", "burst"))
        for each in asked:
            source, target = _asked(each)
            _owes(drawn, each, source, target)
            drawn.add(Arrow(source, target, (command(each, drawn.lone),)))
        wrong = _wrong(burst, parting, wrong_at) if last else frozenset[int]()
        for at, seen in enumerate(burst.seen):
            _saw(drawn, seen, at in wrong)
            if seen.event in TOLD and clauses:
                drawn.why(_ways(seen)[0], clauses.get((index, at), ()))
        drawn.tell()
    return drawn


def _wrong(burst: TraceBurst, parting: Parting | None, wrong_at: set[int]) -> frozenset[int]:
    """The positions of what the system did otherwise than allowed."""
    if wrong_at - {-1} or parting is None:
        return frozenset(wrong_at)
    found: list[int] = []
    left, place = list(parting.did), 0
    for at, seen in enumerate(burst.seen):
        subject = "" if seen.of is UNSET or seen.event in UNORDERED else str(seen.of)
        if subject != parting.subject:
            continue
        place += 1
        if place > len(parting.common) and observation(seen) in left:
            left.remove(observation(seen))
            found.append(at)
    return frozenset(found)


def _saw(drawn: _Drawing, seen: Observation, wrong: bool) -> None:
    words = (observation(seen),)
    if seen.event == "gate" and not wrong:
        lane = _subject(seen)
        drawn.steps.append(Note(lane, lane, words[0], "gate"))
        return
    source, target = drawn.owing.get(str(seen.of), (PROVIDER, ENVIRONMENT)) if seen.event == "settled" else _ways(seen)
    drawn.add(
        Arrow(
            source,
            target,
            words,
            reply=source != _subject(seen) or target != STORE,
            wrong=wrong,
            cuts=seen.event in CUT,
        )
    )


def _ways(seen: Observation) -> tuple[str, str]:
    subject = _subject(seen)
    if seen.event in BY_PROVIDER:
        return PROVIDER, ENVIRONMENT
    if seen.event in RECORDS:
        return subject, STORE
    if seen.event == "session/flush":
        return (STORE, subject) if seen.state == "settled" else (subject, STORE)
    if seen.event == "task":
        return TASKS, ENVIRONMENT
    return (subject, CLIENT) if seen.event == "output" else (subject, ENVIRONMENT)


def _subject(seen: Observation) -> str:
    return f"agent {seen.of}" if seen.of is not UNSET else PROVIDER


def _asked(asked: AnyCommand) -> tuple[str, str]:
    if isinstance(asked, Acp):
        return CLIENT, f"agent {asked.session}" if asked.session is not None else PROVIDER
    if isinstance(asked, Task | Tool | Executor):
        return ENVIRONMENT, TASKS
    if isinstance(asked, Session | Storage):
        return ENVIRONMENT, STORE
    if isinstance(asked, OF_PROVIDER):
        return ENVIRONMENT, PROVIDER
    named = getattr(asked, "agent", None) or getattr(asked, "of", None)
    if isinstance(asked, React):
        named = asked.on.get("of")
    # a gate of a creation is addressed by its reference
    named = None if isinstance(named, str) and named[:1] == "h" and named[1:].isdigit() else named
    return ENVIRONMENT, f"agent {named}" if named is not None else PROVIDER


def _owes(drawn: _Drawing, asked: AnyCommand, source: str, target: str) -> None:
    for each in asked.then if isinstance(asked, React) else (asked,):
        ref = getattr(each, "as_", None)
        if isinstance(ref, str):
            way = (f"agent {each.agent}", ENVIRONMENT) if isinstance(each, WhenIdle) else (target, source)
            drawn.owing[ref] = way


def _notes(failure: Failure, found: Iterable[Parting]) -> Iterator[str]:
    if failure.allowed:
        for number, parting in enumerate(found):
            yield f"{'or' if number else 'allowed'}: {' '.join(parting.allowed) or 'nothing more'}"
    for mismatch in failure.mismatches:
        yield mismatch.sentence
    for finding in failure.findings:
        yield f"{finding.clause}: {finding.sentence}"


def _where(subject: str, drawn: _Drawing) -> str:
    lane = f"agent {subject}"
    return (
        lane
        if lane in _used(drawn)
        else next((each for each in _used(drawn) if each.startswith("agent ")), ENVIRONMENT)
    )


def _used(drawn: _Drawing) -> list[str]:
    used: dict[str, None] = {}
    for step in drawn.steps:
        for lane in (step.source, step.target) if isinstance(step, Arrow) else (step.first, step.last):
            used[lane] = None
    return list(used)


def _closed(title: str, drawn: _Drawing) -> Sequence:
    used = _used(drawn)
    lanes: list[str] = []
    for lane in ORDER:
        lanes += sorted(each for each in used if each not in ORDER) if lane == "" else [lane] if lane in used else []
    if not lanes:
        lanes = [ENVIRONMENT]
    spread = [
        Note(lanes[0], lanes[-1], s.text, s.about) if isinstance(s, Note) and s.about == "burst" else s
        for s in drawn.steps
    ]
    return Sequence(title, tuple(lanes), tuple(spread), tuple(_bars(spread)))


def _bars(steps: list[Arrow | Note]) -> Iterator[Bar]:
    """An agent is busy while a turn of its log is open, the provider while a creation has not answered."""
    begun: dict[str, int] = {}
    for at, step in enumerate(steps):
        if not isinstance(step, Arrow):
            continue
        if step.source.startswith("agent ") and step.target == STORE:
            for word in step.words:
                if word.startswith("TS"):
                    begun.setdefault(step.source, at)
                elif word.startswith("TE") and step.source in begun:
                    yield Bar(step.source, begun.pop(step.source), at)
        elif step.target == PROVIDER and any(word.startswith(("create", "resume")) for word in step.words):
            begun.setdefault(PROVIDER, at)
        elif step.source == PROVIDER and PROVIDER in begun and any("=" in word for word in step.words):
            yield Bar(PROVIDER, begun.pop(PROVIDER), at)
    for lane, first in begun.items():
        yield Bar(lane, first, len(steps) - 1)
