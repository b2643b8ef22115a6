"""Owns I8: what a cancel publishes, and in which order. Refuses to simulate one: it only reads the segment it left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lifecycle_conformance.monitors.base import Monitor, PerLife
from lifecycle_conformance.monitors.feed import Asked, Feed, Looked, Quiet, Saw
from lifecycle_conformance.monitors.finding import DEQUEUE, DISCARD, REQUESTED, STATUS
from lifecycle_conformance.monitors.life import Life, Pending
from lifecycle_model.commands import Cancel
from lifecycle_model.wire import UNSET, Observation

DRIVER = frozenset({DEQUEUE, "step/start", "step/end", "assistant/message", "request", "turn/start", "turn/end"})
"""What only a driver publishes; it ends a cancel segment, for listeners alone act inside one (X2)."""


@dataclass(eq=False, slots=True)
class _Segment:
    """The cancel segment that may be open: what it owes, and a discard nobody has explained yet."""

    open: bool = False
    owed: list[Pending] = field(default_factory=list[Pending])
    owes_abort: bool = False
    unexplained: str | None = None
    requested: bool = False
    expected: bool = False
    marker: bool = False


class CancelInOneSegment(Monitor):
    """I8: an ineffective cancel is the identity; an effective one keeps creq, disc, status(cancelling), abort.

    Each is judged by what must have happened before the next: what was pending at creq is discarded before the status
    and the abort, the status comes before the abort, and all of it before the driver goes on.
    """

    clause = "I8"
    events = DRIVER | {REQUESTED, DISCARD, STATUS, "abort", "agent/disposed", "session/disposed"}

    def __init__(self, feed: Feed) -> None:
        super().__init__(feed)
        self._segments = PerLife(_Segment)
        shown = feed.shown
        self._judges = shown.has(REQUESTED, "agent/session-start") and shown.inbox and shown.holder

    def asked(self, moment: Asked) -> Iterator[str]:
        """Note whether the first command of a burst is a cancel that must take effect (C2)."""
        command, life = moment.command, moment.life
        if not self._judges or life is None or not isinstance(command, Cancel) or not moment.first:
            return
        if moment.answer.refused is UNSET and life.listed and not life.disposed and not life.meddled:
            held = life.holder != "none"
            self._segments.of(life).expected = held or (bool(life.inbox) and not command.keep_inbox)
        yield from ()

    def saw(self, moment: Saw) -> Iterator[str]:
        """Judge one observation against the open segment."""
        if not self._judges or moment.life.meddled:
            return
        seen, life = moment.seen, moment.life
        segment = self._segments.of(life)
        if seen.event == REQUESTED:
            yield from self._requested(life, segment)
        elif seen.event == DISCARD:
            self._discarded(life, seen, segment)
        elif seen.event == STATUS and seen.status == "cancelling":
            yield from self._cancelling(life, segment)
        elif seen.event == "abort" and seen.reason != "disposed":
            yield from self._aborted(life, seen, segment)
        elif seen.event in ("abort", "agent/disposed", "session/disposed") or seen.status == "disposed":
            segment.unexplained = None
        elif seen.event == STATUS or self._of_driver(life, seen):
            yield from self._close(life, segment)
        if seen.event == DEQUEUE or seen.event == STATUS:
            segment.marker = segment.marker and seen.event == STATUS and seen.status not in ("running", "idle")

    def looked(self, moment: Looked) -> Iterator[str]:
        """A marker no effective cancel can have set: the cancel before was not the identity."""
        inspect, life = moment.inspect, moment.life
        if not self._judges or inspect is None or life is None or moment.when != "quiet" or life.meddled:
            return
        if inspect.get("marker") is True and not self._segments.of(life).marker:
            yield f"{life.id} has the pre-run marker though no effective cancel since its driver's last wake set one"

    def quiet(self, moment: Quiet) -> Iterator[str]:
        """Close every segment: a cancel is over long before quiet."""
        for life, segment in self._segments:
            if segment.expected and not segment.requested:
                yield f"{life.id} was cancelled with a holder or something pending, and published no cancel-requested"
            yield from self._close(life, segment)
            segment.requested = segment.expected = False

    def _of_driver(self, life: Life, seen: Observation) -> bool:
        # injections and out-of-band appends open and close turns of their own inside any segment
        if seen.event == "turn/start":
            return seen.trigger == "message"
        return seen.event in DRIVER and (seen.event != "turn/end" or (life.turn is not None and life.turn.of_message))

    def _requested(self, life: Life, segment: _Segment) -> Iterator[str]:
        segment.requested = segment.open = True
        if segment.unexplained is not None and self.shown.policy("cancel_after_dispose", "silent"):
            # else the discard may be a disposal's, whose status is published last (T3)
            yield f"{life.id} discarded {segment.unexplained} before the cancel-requested that cleared it"
        segment.unexplained = None
        if life.disposed:
            if self.shown.policy("cancel_after_dispose", "silent"):
                yield f"{life.id} published cancel-requested after its disposal"
            return
        if life.holder == "none" and not life.inbox:
            yield f"{life.id} published cancel-requested with no holder and nothing pending"
        if not self.story.keeps_inbox:
            segment.owed = list(life.inbox)
        segment.owes_abort = segment.owes_abort or life.holder == "live"
        segment.marker = segment.marker or life.holder == "none"

    def _discarded(self, life: Life, seen: Observation, segment: _Segment) -> None:
        dropped = seen.items if seen.items is not UNSET else ()
        stopped = self.story.terminal and all(item.steering is not False for item in dropped)
        known = "disposed" in self.shown.statuses and life.started and not life.disposed
        if known and not segment.open and not stopped:
            segment.unexplained = ", ".join(item.id for item in dropped)

    def _cancelling(self, life: Life, segment: _Segment) -> Iterator[str]:
        if not segment.open:
            yield f"{life.id} published status(cancelling) without a cancel-requested before it in its segment"
        elif life.holder == "aborted":
            yield f"{life.id} published status(cancelling) after the abort"
        yield from self._still_owed(life, segment, "status(cancelling)")

    def _aborted(self, life: Life, seen: Observation, segment: _Segment) -> Iterator[str]:
        if not segment.open:
            yield f"{life.id} ran abort({seen.reason}) without a cancel-requested before it in its segment"
        elif life.status == "running" and "cancelling" in self.shown.statuses:
            yield f"{life.id} ran abort({seen.reason}) before status(cancelling)"
        yield from self._still_owed(life, segment, f"abort({seen.reason})")

    def _still_owed(self, life: Life, segment: _Segment, event: str) -> Iterator[str]:
        left = [item.id for item in segment.owed if item in life.inbox]
        segment.owed = []
        if left:
            yield f"{life.id} still held {', '.join(left)} at {event}, though it was pending at cancel-requested"

    def _close(self, life: Life, segment: _Segment) -> Iterator[str]:
        if segment.unexplained is not None:
            yield f"{life.id} discarded {segment.unexplained} though no cancel, disposal or terminal stop asked for it"
        if segment.open:
            yield from self._still_owed(life, segment, "the end of the cancel")
            if segment.owes_abort and life.holder == "live":
                yield f"{life.id} was cancelled under a live holder and nothing aborted it"
        segment.open = segment.owes_abort = False
        segment.unexplained = None
