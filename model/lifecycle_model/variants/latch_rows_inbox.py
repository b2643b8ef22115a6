"""The variant's inbox verbs: send, steer, inject, remove, replace and when_idle (table Q; X1L, X4L)."""

from __future__ import annotations

from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.rows import words as w
from lifecycle_model.state import Item
from lifecycle_model.table import END, Program, Row
from lifecycle_model.variants import latch_words as v
from lifecycle_model.variants.latch_state import LatchAgent
from lifecycle_model.wire import ANY, Answer


def ids(now: Now) -> list[str]:
    """Every pending id."""
    return [item.id for item in (*now.it.queued, *now.it.steering)]


def invalid(now: Now) -> bool:
    """The input is not lossless JSON."""
    return bool(now.command.invalid)


def already_pending(now: Now) -> bool:
    """An item with this id is pending."""
    return now.command.message in ids(now)


def quiet(now: Now) -> bool:
    """The input does not wake: an inject, or a send marked so."""
    return now.command.verb == "inject" or not getattr(now.command, "wakeup", True)


def waking_after_abort(now: Now) -> bool:
    """Waking input meets an aborted activity."""
    return not quiet(now) and v.signal_aborted(now)


def for_next_step(now: Now) -> bool:
    """The form is steer or inject."""
    return now.command.verb in ("steer", "inject")


def accept(now: Now) -> Item:
    """The accepted item; whether the signal was aborted is read here, before its event (X1L)."""
    now.answer = Answer(ok=ANY)
    now.notes["item"] = now.command.message
    now.notes["aborted"] = v.signal_aborted(now)
    return Item(now.command.message)


def to_next_turn(now: Now) -> LatchAgent:
    """Put the item at the tail of next-turn."""
    return replace(now.it, queued=(*now.it.queued, accept(now)), given=True)


def to_next_step(now: Now) -> LatchAgent:
    """Put the item at the tail of next-step."""
    return replace(now.it, steering=(*now.it.steering, accept(now)), given=True)


def met_an_abort(now: Now) -> bool:
    """The input came after the activity's abort, or meets maintenance; no teardown has begun."""
    return bool(now.it.life == "Live" and (now.note("aborted") or now.it.place == "Maintenance"))


def not_found(now: Now) -> bool:
    """The item is not pending."""
    return now.command.message not in ids(now)


def answer_false(now: Now) -> LatchAgent:
    """Answer that nothing was pending under this id."""
    now.answer = Answer(ok=False)
    return now.it


def take_out(now: Now) -> LatchAgent:
    """Remove the item."""
    now.answer = Answer(ok=True)
    now.notes["item"] = now.command.message
    return replace(
        now.it,
        queued=tuple(item for item in now.it.queued if item.id != now.command.message),
        steering=tuple(item for item in now.it.steering if item.id != now.command.message),
    )


def taken_by_another(now: Now) -> bool:
    """The replacing message's id is pending, as another item."""
    return now.command.by != now.command.message and now.command.by in ids(now)


def put_in_place(now: Now) -> LatchAgent:
    """Put the new item where the old one was."""
    now.answer = Answer(ok=True)
    now.notes["item"], now.notes["due"] = now.command.message, (now.command.by,)

    def swapped(items: tuple[Item, ...]) -> tuple[Item, ...]:
        return tuple(replace(one, id=now.command.by) if one.id == now.command.message else one for one in items)

    return replace(now.it, queued=swapped(now.it.queued), steering=swapped(now.it.steering))


def someone_waits(now: Now) -> bool:
    """A `when_idle` waits, or the bridge does, and nothing is about to look whether it may go on."""
    return bool(now.it.waiters or v.slots_waiting(now)) and not v.ready("settle", now)


def wait(now: Now) -> LatchAgent:
    """Remember the waiter."""
    now.answer = Answer(pending=now.command.as_)
    return replace(now.it, waiters=(*now.it.waiters, now.command.as_))


def resolve(now: Now) -> LatchAgent:
    """Resolve every waiter."""
    w.resolve_waiters(now)
    return replace(now.it, waiters=())


A, D = "agent", "teardown"
UNWINDING = ("Unwinding", "Detaching", "Releasing", "Finished")
BUSY = ("Starting", "Open", "Halting", "Exiting")

PROGRAMS = (
    Program("send", "send, steer and inject: store, publish, wake", ("send.check", "send.store", "send.wake"), ("X1L", "Q1L", "Q2L", "X4L")),
    Program("remove", "remove a pending item", ("remove.check", "remove.take"), ("Q/r9L",)),
    Program("replace", "replace a pending item in its place", ("replace.check", "replace.put", "replace.insert"), ("Q/r9L",)),
    Program("when_idle", "wait until no activity remains", ("when_idle.wait", "when_idle.now"), ("S7L",)),
    Program("settle", "resolve the waiters if still no activity remains, and let the bridge go on", ("settle.resolve", "settle.slot"), ("S7L", "S8L")),
)  # fmt: skip

ROWS = (
    Row("Q1L absent", A, (), "send.check", ("Q1L",), guard=v.absent, effect=v.refuse("not_live"), then=END),
    Row("Q1L in a record's dispatch", A, (), "send.check", ("Q1L", "L3"), guard=v.appending, effect=v.refuse("reentrant_append"), then=END),
    Row("Q/r3L invalid", A, (), "send.check", ("Q/r3L", "Q1L"), guard=invalid, effect=v.refuse("invalid_message"), then=END),
    Row("Q/r3L pending", A, (), "send.check", ("Q/r3L", "Q1L"), guard=already_pending, effect=v.refuse("invalid_message"), then=END),
    Row("T5L next step", D, UNWINDING, "send.store", ("T5L", "Q/r1L", "S/r4L"), guard=for_next_step, effect=to_next_step, says=(v.enqueued,)),
    Row("T5L next turn", D, UNWINDING, "send.store", ("T5L", "Q/r1L", "S/r4L", "policy after_dispose"), effect=to_next_turn, says=(v.enqueued,)),
    Row("Q/r2L", A, (), "send.store", ("Q/r2L", "Q4L", "X1L"), guard=waking_after_abort, effect=to_next_turn, says=(v.enqueued,)),
    Row("Q/r1L next step", A, (), "send.store", ("Q/r1L", "Q2L", "Q4L", "X1L"), guard=for_next_step, effect=to_next_step, says=(v.enqueued,)),
    Row("Q/r1L next turn", A, (), "send.store", ("Q/r1L", "Q2L", "X1L"), effect=to_next_turn, says=(v.enqueued,)),
    Row("S/r4L quiet", A, (), "send.wake", ("S/r4L", "Q3L", "Q15L", "Q17L"), guard=quiet, then=END),
    Row("S/r1L", A, ("Idle",), "send.wake", ("S/r1L", "X4L", "T5L", "V5"), guard=v.may_start, then="wake"),
    Row("S/r4L parks", A, ("Idle",), "send.wake", ("T5L", "S/r4L"), then=END),
    Row("S/r3L", A, ("Halting", "Exiting", "Maintenance"), "send.wake", ("S/r3L", "C9L", "I5L"), guard=met_an_abort,
        effect=w.setting(latch=True), then=END),
    Row("S/r4L met by teardown", A, (*BUSY, "Maintenance"), "send.wake", ("T5L", "S/r4L"), guard=w.negate(lambda now: now.it.life == "Live"), then=END),
    Row("S/r4L", A, BUSY, "send.wake", ("S/r4L", "Q4L")),

    Row("Q/r9L absent", A, (), "remove.check", ("Q/r9L",), guard=v.absent, effect=v.refuse("not_live"), then=END),
    Row("Q/r9L not pending", A, (), "remove.check", ("Q/r9L",), guard=not_found, effect=answer_false, then=END),
    Row("Q1L remove in a dispatch", A, (), "remove.check", ("Q1L", "L3"), guard=v.appending, effect=v.refuse("reentrant_append"), then=END),
    Row("Q/r9L remove", A, (), "remove.take", ("Q/r9L", "Q18L"), effect=take_out, says=(v.discarded,)),
    Row("Q/r9L replace absent", A, (), "replace.check", ("Q/r9L",), guard=v.absent, effect=v.refuse("not_live"), then=END),
    Row("Q/r9L nothing to replace", A, (), "replace.check", ("Q/r9L",), guard=not_found, effect=answer_false, then=END),
    Row("Q1L replace in a dispatch", A, (), "replace.check", ("Q1L", "L3"), guard=v.appending, effect=v.refuse("reentrant_append"), then=END),
    Row("Q/r9L by a pending id", A, (), "replace.check", ("Q/r9L", "Q1L"), guard=taken_by_another, effect=v.refuse("invalid_message"), then=END),
    Row("Q/r9L replace", A, (), "replace.put", ("Q/r9L", "Q18L"), effect=put_in_place, says=(v.discarded,)),
    v.each("Q/r9L replaced", "replace.insert", ("Q/r9L",), v.enqueued),

    Row("S7L absent", A, (), "when_idle.wait", ("S7L",), guard=v.absent, effect=v.refuse("not_live"), then=END),
    Row("S7L waits", A, (), "when_idle.wait", ("S7L", "S8L"), effect=wait),
    Row("S7L idle", A, ("Idle",), "when_idle.now", ("S7L",), guard=someone_waits, opens="settle"),
    Row("S7L resolves", A, ("Idle",), "settle.resolve", ("S7L", "S8L", "V3L", "V4L"), effect=resolve),
)  # fmt: skip
