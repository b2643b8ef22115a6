"""What is stored under an id (D): buffering from s+ to s-, drained at each flush, loaded and repaired. Refuses live ids.

The component is `log:ID`; the program that runs one of these is that of the session or transaction `now.by`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.parts import Persistence, Storage, Transaction
from lifecycle_model.rows import words as w
from lifecycle_model.rows.inbox import refuse
from lifecycle_model.rows.records import advertised, closers, read_all, summed, tail_of
from lifecycle_model.state import Agent
from lifecycle_model.table import END, Guard, Program, Row
from lifecycle_model.wire import ANY as UNKNOWN
from lifecycle_model.wire import UNSET, Answer, Observation


def not_persisted(now: Now) -> bool:
    """No persistence is loaded."""
    return not w.persisted(now)


def all_logs(now: Now) -> Iterable[str]:
    """Every stored log."""
    return now.names("log:")


def resumed(now: Now) -> bool:
    """The session continues the stored log."""
    part = now.part(now.by)
    return isinstance(part, Agent) and part.source == "resume"


def its_own(now: Now) -> bool:
    """The log is buffered for this very session."""
    return bool(now.it is not None and now.it.live == now.by)


def tail_open(now: Now) -> bool:
    """The stored tail is open, and nobody has changed it since the load began."""
    tx = now.part(now.by)
    return bool(now.it.open and not (isinstance(tx, Transaction) and tx.stale))


def live_id(now: Now) -> bool:
    """The id is live, whether announced or not."""
    agent = now.part(now.command.id)
    if isinstance(agent, Agent) and agent.stored:
        return True
    return any(id_ == now.command.id for name in now.names("store:") for id_, _ in now.part(name).entries)


def absent(now: Now) -> bool:
    """Nothing is stored under the id."""
    return now.it is None or now.it.place == "Absent"


def act(*words: str) -> Guard:
    """The command's act is one of these."""

    def guard(now: Now) -> bool:
        return now.command.act in words

    guard.__name__ = "act_" + "_or_".join(words)
    guard.__doc__ = f"The act is {' or '.join(words)}."
    return guard


def invalid_records(now: Now) -> bool:
    """The records are no log."""
    return now.command.act == "put" and read_all(now.command.records, now.command.id) is None


def _logged(now: Now) -> Storage:
    return now.it if now.it is not None else Storage(now.subject.partition(":")[2])


def _changed(now: Now, other: Storage) -> Storage:
    """Whoever loaded the log holds a stale one, if it changed."""
    was = _logged(now)
    if (was.records, was.turn, was.open, was.step_open, was.former) != (
        other.records,
        other.turn,
        other.open,
        other.step_open,
        other.former,
    ):
        for name in was.readers:
            tx: Transaction | None = now.part(name)
            if tx is not None and name != now.by:
                now.put(name, replace(tx, stale=True))
    return other


def begin_new(now: Now) -> Storage:
    """Keep the former log aside and buffer a new one."""
    it = _logged(now)
    former = it.former if it.place == "Absent" else (*it.former, it.records)
    tx = now.part(f"tx:{getattr(now.part(now.by), 'handle', '')}")
    bridged = tx is not None and tx.client.startswith("connection:")
    fresh = Storage(it.name, former=former, live=now.by, unsettled=True, loading=it.loading, readers=it.readers)
    fresh = replace(fresh, bridged=bridged)
    return _changed(now, replace(fresh, place=it.place))


def go_on(now: Now) -> Storage:
    """Buffer what the session adds to the stored log."""
    return replace(_logged(now), live=now.by)


def drain(now: Now) -> Storage:
    """Everything the session logged is stored."""
    part = now.part(now.by)
    calls = part.calls if isinstance(part, Agent) and part.batch else 0
    return _changed(now, replace(now.it, records=part.log, calls=calls, unsettled=False, **tail_of(part)))


def drain_last(now: Now) -> Storage:
    """The last drain: the log is buffered no more."""
    return replace(drain(now), live="", unsettled=True)


def left_open(now: Now) -> Storage:
    """Whether what was logged during the flush is stored is open until the next one."""
    return replace(now.it, unsettled=now.part(now.by).log != now.it.records)


def cease(now: Now) -> Storage:
    """The persistence is gone: nothing is buffered any more; whether what was, is stored the contract does not say."""
    part = now.part(now.it.live)
    calls = part.calls if isinstance(part, Agent) and part.batch else 0
    drained = replace(now.it, records=part.log, calls=calls, **tail_of(part))
    return replace(now.it if drained == now.it or now.late else _changed(now, drained), live="")


def caught_up(now: Now) -> Storage:
    """What is stored has caught up."""
    return replace(now.it, unsettled=False)


def start_loading(now: Now) -> Storage:
    """The load is in flight, and sees what is stored now."""
    it = _logged(now)
    tx: Transaction = now.part(now.by)
    now.put(now.by, replace(tx, log=it.records, found=it.place != "Absent", **tail_of(it)))
    return replace(it, loading=now.by, readers=(*it.readers, now.by))


def stop_loading(now: Now) -> Storage:
    """The load has settled."""
    return replace(now.it, loading="" if now.it.loading == now.by else now.it.loading)


def stop_reading(now: Now) -> Storage:
    """The transaction needs its log no more."""
    readers = tuple(name for name in now.it.readers if name != now.by)
    return replace(stop_loading(now), readers=readers)


def repaired(now: Now) -> Storage:
    """The closers are added to storage, and to the log loaded."""
    it: Storage = now.it
    added = closers(it.records, it, it.calls, it.name) if now.world.keep_log else ()
    closed = replace(it, records=it.records + added, open=False, step_open=False, calls=0)
    tx = now.part(now.by)
    if isinstance(tx, Transaction):
        now.put(now.by, replace(tx, log=closed.records, open=False, step_open=False))
    return closed


def take(now: Now) -> Storage:
    """The log is loaded as it is."""
    tx = now.part(now.by)
    if isinstance(tx, Transaction) and not tx.stale:
        now.put(now.by, replace(tx, log=now.it.records, **tail_of(now.it)))
    return now.it


def put(now: Now) -> Storage:
    """Store a log; a former one is kept aside."""
    it = _logged(now)
    records = read_all(now.command.records, it.name) or ()
    former = it.former if it.place == "Absent" else (*it.former, it.records)
    kept = records if now.world.keep_log else ()
    calls = advertised(now.command.records)
    changed = replace(it, records=kept, former=former, calls=calls, bridged=False, **summed(records))
    return _changed(now, changed)


def answer_log(now: Now) -> Any:
    """Answer with the stored log."""
    now.answer = Answer(ok=plain(now.it.records) if now.world.keep_log else UNKNOWN)
    return now.it


def answer_former(now: Now) -> Any:
    """Answer with the log kept aside last; not while what is stored has not caught up with a new one."""
    former = () if now.it is None or not now.it.former else now.it.former[-1]
    told = now.world.keep_log and not (now.it is not None and now.it.unsettled)
    now.answer = Answer(ok=plain(former) if told else UNKNOWN)
    return now.it


def plain(records: Iterable[Observation]) -> list[Observation]:
    """Records as logs show them: without their subject."""
    return [replace(record, of=UNSET) for record in records]


def switch(on: bool) -> Any:
    """Load or unload the persistence."""

    def effect(now: Now) -> Any:
        now.put("persistence", Persistence(on))
        return now.part("persistence")

    effect.__name__ = "persistence_on" if on else "persistence_off"
    effect.__doc__ = "A persistence is loaded." if on else "The persistence is unloaded."
    return effect


D = "storage"
ANY = ("Absent", "Stored", "Buffering")

PROGRAMS = (
    Program("log.begin", "s+ of a session: buffer", ("log.begin.one",), ("D/r1", "D7")),
    Program("log.drain", "a flush of a session: drain", ("log.drain.one",), ("D/r3", "D2")),
    Program("log.flushed", "a flush of a session settles", ("log.flushed.one",), ("D/r3",)),
    Program("log.end", "s- of a session: the last drain", ("log.end.one",), ("D/r4",)),
    Program("store", "what is stored catches up with s+ or s-", ("store.settled",), ("D5", "D6")),
    Program("log.cease", "the persistence goes", ("log.cease.one",), ("P17",)),
    Program("log.loading", "a load begins", ("log.loading.one",), ("D5",)),
    Program("log.loaded", "a load has settled", ("log.loaded.one",), ("D5",)),
    Program("log.repair", "a stored log is loaded", ("log.repair.one",), ("D/r5", "D/r6")),
    Program("log.released", "a transaction needs its log no more", ("log.released.one",), ("D5", "R0")),
    Program("storage", "the judge's side of storage", ("storage.off", "storage.act", "storage.answer"), ("D7",)),
)

ROWS = (
    Row("D/r1 again", D, ("Stored",), "log.begin.one", ("D/r1", "D6"), guard=resumed, to="Buffering", effect=go_on),
    Row("D/r1", D, ("Absent", "Stored"), "log.begin.one", ("D/r1", "D7"), to="Buffering", effect=begin_new, opens="store"),
    Row("D/r1 first", D, (), "log.begin.one", ("D/r1",), guard=absent, to="Buffering", effect=begin_new, opens="store"),
    Row("D/r3", D, ("Buffering",), "log.drain.one", ("D/r3", "D/r2"), guard=its_own, effect=drain),
    Row("D/r3 after drain", D, ("Buffering",), "log.flushed.one", ("D/r3",), guard=its_own, effect=left_open),
    Row("D/r4", D, ("Buffering",), "log.end.one", ("D/r4", "D3", "D6"), guard=its_own, to="Stored", effect=drain_last, opens="store"),
    Row("D/r9", D, (), "log.end.one", ("D/r9",)),
    Row("D5 caught up", D, ANY, "store.settled", ("D5", "D6"), effect=caught_up),
    Row("D ceases", D, ("Buffering",), "log.cease.one", ("P17",), to="Stored", effect=cease),
    Row("D5 in flight", D, (), "log.loading.one", ("D5",), effect=start_loading),
    Row("D5 settled", D, ANY, "log.loaded.one", ("D5",), effect=stop_loading),
    Row("D/r6", D, ("Stored",), "log.repair.one", ("D/r6", "D5", "D1", "I11"), guard=tail_open, effect=repaired),
    Row("D/r5", D, ("Stored",), "log.repair.one", ("D/r5",), effect=take),
    Row("D5 released", D, ANY, "log.released.one", ("D5",), effect=stop_reading),

    Row("storage off", D, (), "storage.off", ("P17",), guard=act("off"), effect=switch(on=False), runs="log.cease", on=all_logs, then=END),
    Row("storage on", D, (), "storage.off", ("P17",), guard=act("on"), effect=switch(on=True), then=END),
    Row("storage invalid", D, (), "storage.off", ("L/r1",), guard=invalid_records, effect=refuse("invalid"), then=END),
    Row("storage put over", D, ("Stored", "Buffering"), "storage.act", ("D7",), guard=act("put"), effect=put, then=END),
    Row("storage put", D, (), "storage.act", ("D7",), guard=act("put"), to="Stored", effect=put, then=END),
    Row("storage aside", D, (), "storage.act", ("D7",), guard=act("aside"), effect=answer_former, then=END),
    Row("storage without", D, (), "storage.act", ("P17",), guard=not_persisted, effect=refuse("no_persistence"), then=END),
    Row("D/r7", D, ("Buffering",), "storage.act", ("D/r7", "D5"), effect=refuse("duplicate_id"), then=END),
    Row("D/r8", D, (), "storage.act", ("D/r8",), guard=absent, effect=refuse("not_stored"), then=END),
    Row("D5 live", D, ("Stored",), "storage.act", ("D5", "D/r7"), guard=live_id, effect=refuse("duplicate_id"), then=END),
    Row("storage load", D, ("Stored",), "storage.act", ("D/r5", "D/r6"), runs="log.repair", then="storage.answer"),
    Row("storage answers", D, ("Stored",), "storage.answer", ("D/r5", "D/r6"), effect=answer_log),
)  # fmt: skip
