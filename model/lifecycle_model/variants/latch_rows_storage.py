"""What the variant stores beside the log: what is pending (D8L). Its rows are contract 1's, with these effects.

The runtime keeps its inbox in the log, as records that the variant ignores: a session that was ever given input has
logged something, and what is pending at a drain comes back with a resume. It parks then: nothing is published for it.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.parts import Storage
from lifecycle_model.rows import durability as d
from lifecycle_model.rows import words as w
from lifecycle_model.table import END, Effect, Program, Row
from lifecycle_model.variants.latch_state import LatchAgent, LatchStorage, LatchTransaction


def nothing_logged(now: Now) -> bool:
    """The session that leaves has logged nothing, not even input, and nothing is stored of it."""
    part = now.part(now.by)
    given = isinstance(part, LatchAgent) and (part.given or part.source == "resume")
    return not part.log and not part.turn and not given


def leave_nothing(now: Now) -> Storage:
    """Nothing is stored, and nothing is left to be caught up with."""
    return replace(drain_last(now), unsettled=False, written=False)


def _kept(log: Storage, **members: Any) -> LatchStorage:
    return LatchStorage(**{**msgspec.structs.asdict(log), **members})


def begin_new(now: Now) -> LatchStorage:
    """Keep the former log aside and buffer a new one, with nothing pending."""
    return _kept(d.begin_new(now), queued=(), steering=(), written=False)


def drain(now: Now) -> LatchStorage:
    """Everything the session logged is stored, and with it what is pending."""
    part, was = now.part(now.by), now.it
    lists = {"queued": part.queued, "steering": part.steering} if isinstance(part, LatchAgent) else {}
    found = _kept(d.drain(now), written=getattr(was, "written", False) or not nothing_logged(now), **lists)
    if isinstance(was, LatchStorage) and (was.queued, was.steering) != (found.queued, found.steering):
        for name in was.readers:  # whoever loaded the log holds a stale one
            now.put(name, replace(now.part(name), stale=True))
    return found


def drain_last(now: Now) -> LatchStorage:
    """The last drain: the log is buffered no more."""
    return replace(drain(now), live="", unsettled=True)


def put(now: Now) -> LatchStorage:
    """Store a log, with nothing pending; a former one is kept aside."""
    return _kept(d.put(now), queued=(), steering=(), written=True)


def restoring(effect: Effect) -> Effect:
    """The same, and what was pending goes with the log."""

    def with_pending(now: Now) -> Storage:
        log: Storage = effect(now)
        tx = now.part(now.by)
        if isinstance(tx, LatchTransaction) and isinstance(log, LatchStorage) and not tx.stale:
            now.put(now.by, replace(tx, queued=log.queued, steering=log.steering))
        return log

    with_pending.__name__ = effect.__name__
    with_pending.__doc__ = f"{effect.__doc__} What was pending goes with it."
    return with_pending


def shown(kept: dict[str, object], log: object) -> dict[str, object]:
    """What is stored, as a read has it: nothing where nothing was ever written."""
    if kept.get("stored") == [] and not getattr(log, "written", False):
        return {**kept, "stored": None}
    return kept


D = "storage"
PROGRAMS = (
    Program(
        "log.end",
        "s- of a session: the last drain",
        ("log.end.own", "log.end.nothing", "log.end.drain"),
        ("D/r4", "D8L"),
    ),
)
ROWS = (
    Row("D/r9", D, (), "log.end.own", ("D/r9",), guard=w.negate(d.its_own), then=END),
    Row("D/r4 nothing", D, ("Buffering",), "log.end.nothing", ("D/r4",), guard=nothing_logged, to="Absent", effect=leave_nothing, then=END),
    Row("D/r4", D, ("Buffering",), "log.end.drain", ("D/r4", "D3L", "D6", "D8L"), to="Stored", effect=drain_last, opens="store"),
)  # fmt: skip

EFFECTS: dict[object, Any] = {
    d.begin_new: begin_new,
    d.drain: drain,
    d.put: put,
    d.start_loading: restoring(d.start_loading),
    d.take: restoring(d.take),
    d.repaired: restoring(d.repaired),
}
"""Effects of contract 1 that the variant has otherwise, in whatever row."""
