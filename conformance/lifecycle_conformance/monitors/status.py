"""Owns the invariants of the status: I1, I3, I4, I5 (its marker half). Refuses to know which row changes it."""

from __future__ import annotations

from collections.abc import Iterator

from lifecycle_conformance.monitors.base import Monitor
from lifecycle_conformance.monitors.feed import Looked, Quiet, Saw
from lifecycle_conformance.monitors.finding import DEQUEUE, ENQUEUE, FLUSH, STATUS
from lifecycle_conformance.monitors.life import Life

NONE = (None, "none")


class StatusMoves(Monitor):
    """I1: no status event follows status(disposed); consecutive ones differ, the first from the initial idle (S1)."""

    clause = "I1"
    events = frozenset({STATUS})

    def saw(self, moment: Saw) -> Iterator[str]:
        """Judge a status event against the one before."""
        life, status = moment.life, str(moment.seen.status)
        if life.status_seen and life.status == "disposed":
            yield f"{life.id} published status({status}) after status(disposed)"
        elif status == life.status:
            before = "the last event" if life.status_seen else "the initial status"
            yield f"{life.id} published status({status}) though {before} was {life.status} already"


class HolderOnlyInTurns(Monitor):
    """I3: a holder exists only from a reservation to right before TE, or to a vetoed TS."""

    clause = "I3"

    def looked(self, moment: Looked) -> Iterator[str]:
        """Judge a snapshot: alone anywhere, against the life where its moment is known."""
        inspect, life = moment.inspect, moment.life
        if inspect is None or inspect.get("holder") in NONE:
            return
        holder = inspect["holder"]
        if moment.status == "idle":
            yield f"{moment.command.agent} is idle and has a holder ({holder})"
        elif life is None or moment.when == "time" or not self.shown.holder or life.meddled:
            return
        elif life.listed and life.holder == "none":
            where = "its turn has ended" if life.ended else "none was installed"
            yield f"{life.id} has a holder ({holder}) though {where} and no other is reserved"


class CancellingMeansAborted(Monitor):
    """I4: outside a cancel segment, cancelling implies an aborted holder, or a cancelled turn not yet converged."""

    clause = "I4"

    def looked(self, moment: Looked) -> Iterator[str]:
        """Judge a snapshot taken at quiet: no cancel segment is open there."""
        inspect, life = moment.inspect, moment.life
        if inspect is None or moment.when != "quiet" or moment.status != "cancelling":
            return
        if inspect.get("holder") == "live":
            yield f"{moment.command.agent} is cancelling under a live holder"
        elif inspect.get("holder") in NONE and life is not None and self._nothing_to_converge(life):
            yield f"{moment.command.agent} is cancelling without a holder, and no turn of it has ended"

    def quiet(self, moment: Quiet) -> Iterator[str]:
        """Judge the last status published, once per burst."""
        if not self.shown.has(STATUS, "abort", "turn/start", "turn/end", DEQUEUE, FLUSH, "agent/error"):
            return
        for life in self.feed.lives.values():
            if life.status != "cancelling" or life.disposed or life.over or life.meddled:
                continue
            if life.holder == "live":
                yield f"{life.id} stays cancelling though nothing aborted its holder"
            elif life.holder == "none" and not life.flushes and not self.story.stepped:
                yield f"{life.id} stays cancelling though its turn converged"

    def _nothing_to_converge(self, life: Life) -> bool:
        # a vetoed claim is seen as an error only, and only a stepped driver stops there
        known = self.shown.has("turn/end") and not self.story.stepped
        return known and not life.ended and not life.meddled


class MarkerOrHolder(Monitor):
    """I5: no marker while a holder is installed; no claim from an empty queue."""

    clause = "I5"
    events = frozenset({DEQUEUE})

    def looked(self, moment: Looked) -> Iterator[str]:
        """Judge a snapshot, whenever it was taken."""
        inspect = moment.inspect
        if inspect is not None and inspect.get("marker") is True and inspect.get("holder") not in NONE:
            yield f"{moment.command.agent} has the pre-run marker and a holder ({inspect.get('holder')}) at once"

    def saw(self, moment: Saw) -> Iterator[str]:
        """Judge a dequeue against what is pending."""
        life, seen = moment.life, moment.seen
        if self.shown.inbox and self.shown.has(ENQUEUE) and not life.inbox:
            yield f"{life.id} dequeued {seen.item} though nothing was pending"
