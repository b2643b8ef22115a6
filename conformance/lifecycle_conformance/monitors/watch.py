"""Owns the whole set: every I clause has one monitor, and a trace goes through all of them at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lifecycle_conformance.monitors.base import Monitor
from lifecycle_conformance.monitors.bridge import NothingAfterClosing, OneSlot
from lifecycle_conformance.monitors.cancel import CancelInOneSegment
from lifecycle_conformance.monitors.entries import (
    AnnouncedInOrder,
    CommitAndDetach,
    NothingEarlyNothingLeft,
    OneEntryEach,
)
from lifecycle_conformance.monitors.feed import Asked, Feed, Looked, Moment, Saw
from lifecycle_conformance.monitors.finding import Finding, Shown
from lifecycle_conformance.monitors.inbox import DiscardedStaysOut, OneClaimPerTurn, OneWayThrough
from lifecycle_conformance.monitors.status import (
    CancellingMeansAborted,
    HolderOnlyInTurns,
    MarkerOrHolder,
    StatusMoves,
)
from lifecycle_conformance.monitors.tasks import OneCompletion, OneOwner
from lifecycle_conformance.monitors.teardown import NothingAfterTeardown, OneChain
from lifecycle_conformance.monitors.turns import Balanced, EveryCallAnswered, OneReason
from lifecycle_model.commands import Json
from lifecycle_model.wire import Profile, TraceBurst

MONITORS: tuple[type[Monitor], ...] = (
    StatusMoves,
    Balanced,
    HolderOnlyInTurns,
    CancellingMeansAborted,
    MarkerOrHolder,
    OneWayThrough,
    OneClaimPerTurn,
    CancelInOneSegment,
    DiscardedStaysOut,
    OneReason,
    EveryCallAnswered,
    OneEntryEach,
    NothingEarlyNothingLeft,
    AnnouncedInOrder,
    OneChain,
    NothingAfterTeardown,
    CommitAndDetach,
    OneOwner,
    OneCompletion,
    OneSlot,
    NothingAfterClosing,
)
"""One monitor for every I clause, in their order."""

CARRIED: Mapping[str, frozenset[str]] = {
    "1": frozenset(monitor.clause for monitor in MONITORS),
    # of the clauses that variant keeps word for word, those whose words mean the same there
    "latch": frozenset({"I2", "I12", "I13", "I14", "I17"}),
}
"""Which monitors judge a contract; one that is not named is judged by none."""

NO_POLICIES: Mapping[str, Json] = {}


def watch(bursts: Sequence[TraceBurst], profile: Profile, policies: Mapping[str, Json] = NO_POLICIES) -> list[Finding]:
    """Judge a trace by every invariant of its contract that the profile shows enough to judge.

    Findings come in the order they were met; one sentence about one burst is given once. An empty list says that
    nothing was seen against the invariants, not that each of them was exercised.
    """
    feed = Feed(Shown.of(profile, policies))
    carried = CARRIED.get(profile.contract, frozenset())
    panel = Panel([kind(feed) for kind in MONITORS if kind.clause in carried])
    found: dict[Finding, None] = {}
    for moment in feed.moments(bursts):
        at = moment.at if isinstance(moment, Saw | Looked) else -1
        for clause, sentence in panel.judge(moment):
            found.setdefault(Finding(clause, moment.index, sentence, at))
    return list(found)


class Panel:
    """Monitors, and who of them is asked about what: most moments concern few of them."""

    def __init__(self, monitors: Sequence[Monitor]) -> None:
        self._monitors = monitors
        self._asked = [m for m in monitors if type(m).asked is not Monitor.asked]
        self._looked = [m for m in monitors if type(m).looked is not Monitor.looked]
        self._quiet = [m for m in monitors if type(m).quiet is not Monitor.quiet]
        self._saw: dict[str, list[Monitor]] = {}

    def judge(self, moment: Moment) -> Iterator[tuple[str, str]]:
        """Give what is wrong at this moment: the clause, and a sentence."""
        if isinstance(moment, Saw):
            for monitor in self._hearing(moment.seen.event):
                for sentence in monitor.saw(moment):
                    yield monitor.clause, sentence
        elif isinstance(moment, Looked):
            for monitor in self._looked:
                for sentence in monitor.looked(moment):
                    yield monitor.clause, sentence
        elif isinstance(moment, Asked):
            for monitor in self._asked:
                for sentence in monitor.asked(moment):
                    yield monitor.clause, sentence
        else:
            for monitor in self._quiet:
                for sentence in monitor.quiet(moment):
                    yield monitor.clause, sentence

    def _hearing(self, event: str) -> list[Monitor]:
        found = self._saw.get(event)
        if found is None:
            judging = (m for m in self._monitors if type(m).saw is not Monitor.saw)
            found = self._saw[event] = [m for m in judging if not m.events or event in m.events]
        return found
