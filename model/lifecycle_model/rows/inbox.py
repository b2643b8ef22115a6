"""Inbox verbs: send, steer, inject and when_idle, each one segment (X1). Never runs the driver."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.rows import words as w
from lifecycle_model.state import Agent, Item
from lifecycle_model.table import END, Program, Row
from lifecycle_model.wire import ANY, Answer, Observation

AWAKE = ("Woken", "Reserved", "InTurn", "Abandoned", "Cancelling", "Settling", "Between")
BEFORE = ("Unpublished", "Published")


def invalid(now: Now) -> bool:
    """The input is not lossless JSON."""
    return bool(now.command.invalid)


def absent(now: Now) -> bool:
    """The agent does not exist."""
    return now.it is None


def to_steering(now: Now) -> bool:
    """A steer while the status is running."""
    return now.command.verb == "steer" and now.it.status == "running"


def waking(now: Now) -> bool:
    """The input wakes: a steer, or a send not marked quiet."""
    return bool(getattr(now.command, "wakeup", True))


def appending(now: Now) -> bool:
    """An append of this session is being dispatched."""
    return bool(now.it.appending)


def batch_running(now: Now) -> bool:
    """A tool batch is running, from its assistant message on."""
    return bool(now.it.batch)


def turn_open(now: Now) -> bool:
    """A turn is open in the log."""
    return bool(now.it.open)


def refuse(code: str) -> Any:
    """Answer with a refusal and change nothing."""

    def effect(now: Now) -> Any:
        now.answer = Answer(refused=code)
        return now.it

    effect.__name__ = "refuse" if code == ANY else f"refuse_{code}"
    effect.__doc__ = "Refuse, with any code." if code == ANY else f"Refuse: {code}."
    return effect


def invalid_after_disposal(now: Now) -> bool:
    """The agent is disposed and the input invalid; which of the two is told is open."""
    return invalid(now) and now.it.status == "disposed"


def parks(now: Now) -> bool:
    """Input after disposal is kept silently."""
    return bool(now.policy("after_dispose") == "parks")


def injection_parks(now: Now) -> bool:
    """Disposed, and the policy keeps what is sent; whether an injection is sent, too, or refused is open."""
    return now.it.status == "disposed" and parks(now) and not now.late


def keep_silently(now: Now) -> Agent:
    """Accept the message; nothing will ever show it."""
    now.answer = Answer(ok=ANY)
    return now.it


def _item(now: Now) -> Item:
    return Item(now.command.message, waking(now), tuple(now.command.contexts))


def queue(now: Now) -> Agent:
    """Put the item at the queued tail and answer its id (Q2); what other forms answer is the system's own."""
    now.answer = Answer(ok=now.command.message)
    return replace(now.it, queued=(*now.it.queued, _item(now)))


def steer(now: Now) -> Agent:
    """Put the item at the steering tail."""
    now.answer = Answer(ok=ANY)
    return replace(now.it, steering=(*now.it.steering, _item(now)))


def enqueued(now: Now) -> Observation:
    """`enq(m)` or `enq(m,steer)`."""
    item = _item(now)
    return Observation(
        "agent/inbox/enqueue",
        of=now.subject,
        item=item.id,
        steering=len(now.it.steering) > len(now.before.steering),
        wakeup=item.wakeup,
    )


def enqueued_queue(now: Now) -> Observation:
    """`enq(m)`."""
    item = _item(now)
    return Observation("agent/inbox/enqueue", of=now.subject, item=item.id, steering=False, wakeup=item.wakeup)


def enqueued_steer(now: Now) -> Observation:
    """`enq(m,steer)`."""
    return Observation("agent/inbox/enqueue", of=now.subject, item=now.command.message, steering=True, wakeup=True)


def defer(now: Now) -> Agent:
    """Keep the injection for the end of the batch."""
    now.answer = Answer(ok=ANY)
    return replace(now.it, deferred=(*now.it.deferred, now.command.message, *now.command.contexts))


def note_contexts(now: Now) -> Agent:
    """The message's contexts follow it."""
    now.answer = Answer(ok=ANY)
    return replace(now.it, contexts=tuple(now.command.contexts))


def more_contexts(now: Now) -> bool:
    """A context is still to be logged."""
    return bool(now.it.contexts)


def open_injection(now: Now) -> Agent:
    """Open a one-shot turn."""
    now.notes["turn"] = now.it.turn + 1
    return replace(now.it, turn=now.it.turn + 1, open=True)


def one_more_flush(now: Now) -> Agent:
    """One more tracked flush is pending."""
    return replace(now.it, flushes=now.it.flushes + 1)


KEEP_USER, SAY_USER = w.record("user/message", message=lambda now: now.command.message)
KEEP_CONTEXT, SAY_CONTEXT = w.record("user/message", message=lambda now: now.before.contexts[0])
KEEP_TS, SAY_TS = w.record("turn/start", turn=w.turn_of, trigger=lambda now: "injection")
KEEP_TE, SAY_TE = w.record("turn/end", turn=w.turn_of, reason=lambda now: "completed")


def next_context(now: Now) -> Agent:
    """Log the next context."""
    agent = w.logged(now.it, now, Observation("user/message", of=now.subject, message=now.it.contexts[0]))
    return replace(agent, contexts=agent.contexts[1:])


def flush_started(now: Now) -> Observation:
    """`FL`."""
    return Observation("session/flush", of=now.of, state="start")


def wait(now: Now) -> Agent:
    """Remember the waiter."""
    now.answer = Answer(pending=now.command.as_)
    return replace(now.it, waiters=(*now.it.waiters, now.command.as_))


def settle_wait(now: Now) -> Agent:
    """Settle the waiter at once."""
    now.answer = Answer(pending=now.command.as_)
    now.settle(now.command.as_)
    return now.it


def idle_without_work(now: Now) -> bool:
    """Idle with no waking item queued, or the driver has exited."""
    return bool(now.it.exited or (now.it.status == "idle" and w.no_waking_item(now)))


A, T = "agent", "turn"

PROGRAMS = (
    Program("send", "send and steer: validate, store, publish, wake", ("send.check", "send.store"), ("X1", "Q1", "Q2")),
    Program(
        "inject",
        "inject: by the log, not the status",
        (
            "inject.check", "inject.place", "inject.validate", "inject.append", "inject.context", "inject.stop",
            "inject.ask_start", "inject.start", "inject.ask_message", "inject.message", "inject.more", "inject.end", "inject.flush", "inject.drain",
        ),
        ("X1", "Q15", "Q16", "Q17"),
    ),
    Program("when_idle", "wait for idle", ("when_idle.wait",), ("S7",)),
    Program("mutate", "mutate a value passed before: everything was copied", ("mutate.nothing",), ("Q1", "C7")),
)  # fmt: skip

ROWS = (
    Row("Q/r5 absent", A, (), "send.check", ("Q1",), guard=absent, effect=refuse("not_live"), then=END),
    Row("Q/r5 disposed, invalid", A, (), "send.check", ("Q/r5", "Q1"), guard=invalid_after_disposal, effect=refuse(ANY), then=END),
    Row("policy after_dispose", A, (), "send.check", ("policy after_dispose",), guard=w.both(w.disposed, parks), effect=keep_silently, then=END),
    Row("Q/r5 disposed", A, (), "send.check", ("Q/r5", "T5"), guard=w.disposed, effect=refuse("disposed"), then=END),
    Row("Q/r5 invalid", A, (), "send.check", ("Q/r5", "Q1"), guard=invalid, effect=refuse("invalid_message"), then=END),
    Row("Q/r3", A, (), "send.store", ("Q/r3", "Q4", "Q2"), guard=to_steering, effect=steer, says=(enqueued_steer,)),
    Row("S/r4", A, ("Parked",), "send.store", ("S/r4", "Q/r1", "Q/r4", "Q2", "X1"), guard=waking, to="Woken", effect=queue,
        says=(enqueued_queue,), opens="driver driver.wake"),
    Row("S/r5", A, ("Parked",), "send.store", ("S/r5", "Q/r2", "Q3"), guard=w.negate(waking), effect=queue, says=(enqueued_queue,),
        constant="a waking item takes S/r4"),
    Row("S/r26", A, BEFORE, "send.store", ("S/r26", "C24"), effect=queue, says=(enqueued_queue,)),
    Row("Q/r1", A, AWAKE, "send.store", ("Q/r1", "Q/r2", "Q/r4", "Q2"), effect=queue, says=(enqueued_queue,)),

    Row("Q/r5 inject absent", A, (), "inject.check", ("Q1",), guard=absent, effect=refuse("not_live"), then=END),
    Row("Q/r5 inject disposed, invalid", A, (), "inject.check", ("Q/r5", "Q1"), guard=invalid_after_disposal, effect=refuse(ANY), then=END),
    Row("policy after_dispose inject", A, (), "inject.check", ("policy after_dispose",), guard=injection_parks, effect=keep_silently, then=END),
    Row("Q/r5 inject disposed", A, (), "inject.check", ("Q/r5", "T5"), guard=w.disposed, effect=refuse("disposed"), then=END),
    Row("Q/r5 inject invalid", A, (), "inject.check", ("Q/r5", "Q1"), guard=invalid, effect=refuse("invalid_message"), then=END),
    Row("Q/r7", T, (), "inject.place", ("Q/r7", "Q16"), guard=batch_running, effect=defer, then=END),
    Row("Q/r5 inside append", T, (), "inject.place", ("Q/r5", "L/r2", "L3"), guard=appending, effect=refuse("reentrant_append"), then=END),
    Row("Q/r8 begins", T, (), "inject.place", ("Q/r8", "Q15"), guard=w.negate(turn_open), then="inject.ask_start"),
    Row("L/r3 UM", T, (), "inject.validate", ("L/r3",), asks="validation user/message"),
    Row("L/r3 vetoes an injection", T, (), "inject.append", ("L/r3", "L2"), guard=w.vetoed, effect=refuse("vetoed"), then=END),
    Row("Q/r6", T, (), "inject.append", ("Q/r6", "Q15"), effect=w.chain(note_contexts, KEEP_USER), says=(SAY_USER,), appends=True),
    Row("Q/r6 context", T, (), "inject.context", ("Q/r6",), guard=more_contexts, effect=next_context, says=(SAY_CONTEXT,),
        appends=True, then="inject.context"),
    Row("Q/r6 ends", T, (), "inject.stop", ("Q/r6",), then=END),
    Row("L/r3 TS of an injection", T, (), "inject.ask_start", ("L/r3",), asks="validation turn/start"),
    Row("Q17 rejected TS", T, (), "inject.start", ("Q17",), guard=w.vetoed, effect=refuse("vetoed"), then=END),
    Row("Q/r8 TS", T, (), "inject.start", ("Q/r8", "Q19"), effect=w.chain(open_injection, KEEP_TS), says=(SAY_TS,), appends=True),
    Row("L/r3 UM of an injection", T, (), "inject.ask_message", ("L/r3",), asks="validation user/message"),
    Row("Q17 rejected UM", T, (), "inject.message", ("Q17", "L9"), guard=w.vetoed, effect=refuse("vetoed"), then="inject.end"),
    Row("Q/r8 UM", T, (), "inject.message", ("Q/r8",), effect=w.chain(note_contexts, KEEP_USER), says=(SAY_USER,), appends=True),
    Row("Q/r8 context", T, (), "inject.more", ("Q/r8",), guard=more_contexts, effect=next_context, says=(SAY_CONTEXT,),
        appends=True, then="inject.more"),
    Row("Q/r8 TE", T, (), "inject.end", ("Q/r8",), effect=w.chain(w.setting(open=False), KEEP_TE), says=(SAY_TE,), appends=True),
    Row("Q/r8 FL", T, (), "inject.flush", ("Q/r8", "D2", "Q17"), effect=one_more_flush, says=(flush_started,), opens="flush inject.flushed", awaits=True),
    Row("D/r3 injection", A, (), "inject.drain", ("D/r3", "D2"), runs="log.drain", on=w.its_log),

    Row("S7 absent", A, (), "when_idle.wait", ("S7",), guard=absent, effect=refuse("not_live"), then=END),
    Row("S7 at once", A, (), "when_idle.wait", ("S7", "Q3"), guard=idle_without_work, effect=settle_wait, then=END),
    Row("Q1 copied", A, (), "mutate.nothing", ("Q1", "C7")),
    Row("S7 waits", A, (), "when_idle.wait", ("S7",), effect=wait),
)  # fmt: skip
