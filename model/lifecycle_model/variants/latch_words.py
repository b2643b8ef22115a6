"""The small functions that several of the variant's rows share: guards, effects and sayings. Holds no row."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.parts import PromptSlot
from lifecycle_model.table import Row
from lifecycle_model.variants.latch_state import LatchAgent
from lifecycle_model.wire import UNSET, Answer, Dropped, Observation

# -- guards ------------------------------------------------------------------------------------------------------


def absent(now: Now) -> bool:
    """No such agent was ever published."""
    return not isinstance(now.it, LatchAgent)


def signal_live(now: Now) -> bool:
    """The activity's signal is live."""
    return bool(now.it.holder == "live")


def signal_aborted(now: Now) -> bool:
    """The activity's signal is aborted."""
    return now.it.holder not in (None, "live")


def pending(now: Now) -> bool:
    """An item is pending in either list."""
    return bool(now.it.queued or now.it.steering)


def next_step_pending(now: Now) -> bool:
    """An item is pending for the next step."""
    return bool(now.it.steering)


def appending(now: Now) -> bool:
    """A record of this session is being dispatched."""
    return bool(now.it.appending)


def may_start(now: Now) -> bool:
    """T5L: waking input at Idle starts a driver, also while draining."""
    return now.it.life in ("Live", "Draining")


def replays(now: Now) -> bool:
    """The converged activity left its latch, something is pending, and a driver may start (C9L)."""
    return bool(now.note("latch") and pending(now) and may_start(now))


def ready(kind: str, now: Now) -> bool:
    """A segment of this kind is about to run for the component."""
    return any(gate.kind == kind and gate.of == now.subject for gate in now.world.gates)


WAITS = ("Sent", "Claimed")
"""Places of a prompt slot that waits for its agent to be idle."""


def slots_waiting(now: Now) -> Iterable[str]:
    """The session record of the agent, where a prompt, or the boundary of its connection, waits for it (A4L, A10L)."""
    name = f"slot:{now.it.name}"
    slot = now.part(name)
    if not isinstance(slot, PromptSlot) or slot.handle != now.it.handle:
        return ()
    there = now.part(slot.connection)
    return (name,) if slot.place in WAITS or (there is not None and there.place == "Closing") else ()


# -- effects -----------------------------------------------------------------------------------------------------


def refuse(code: str) -> Any:
    """Answer with a refusal and change nothing."""

    def effect(now: Now) -> Any:
        now.answer = Answer(refused=code)
        return now.it

    effect.__name__ = f"refuse_{code}"
    effect.__doc__ = f"Refuse: {code}."
    return effect


def converge(now: Now) -> LatchAgent:
    """The activity is over: its signal is gone; whether it left a latch is noted."""
    now.notes["latch"] = now.it.latch
    return replace(
        now.it,
        holder=None,
        watched=False,
        latch=False,
        status="idle",
        job="",
        at="NoTurn",
        step=0,
        ended="",
        closing="",
    )


def fresh_signal(now: Now) -> LatchAgent:
    """A fresh signal that nobody has seen; the latch is clear, the turn's data forgotten."""
    return replace(
        now.it, holder="live", watched=False, latch=False, status="running", at="NoTurn", step=0, ended="", closing=""
    )


def leave(now: Now) -> LatchAgent:
    """No turn is open any more; the driver has still to exit."""
    return replace(now.it, at="NoTurn", step=0, ended="", closing="")


# -- sayings -----------------------------------------------------------------------------------------------------


def discarded(now: Now) -> Observation:
    """`disc(m)`: one event for one item."""
    return Observation("agent/inbox/discard", of=now.subject, items=(Dropped(str(now.note("item"))),))


def enqueued(now: Now) -> Observation:
    """`enq(m)`, which does not say to which list."""
    return Observation("agent/inbox/enqueue", of=now.subject, item=str(now.note("item")))


def dequeued(now: Now) -> Observation:
    """`deq(m)`."""
    return Observation("agent/inbox/dequeue", of=now.subject, item=str(now.note("item")))


def aborted(now: Now) -> Observation | None:
    """`abort(c)`, where a gate or hook holds the signal."""
    return Observation("abort", of=now.subject, reason=now.it.holder) if now.it.watched else None


def failed_at(now: Now) -> Observation:
    """`err(n,k)`: the last opened turn and its last opened step."""
    return Observation("agent/error", of=now.subject, turn=now.it.turn, step=now.it.step)


def requested(now: Now) -> Observation:
    """`request`: the model request with the messages it contains."""
    kept = ("user/message", "assistant/message", "tool/result")
    messages: Any = UNSET
    if now.world.keep_log:
        records = (record for record in now.it.log if record.event in kept)
        messages = tuple(f"tr{one.id}" if one.event == "tool/result" else one.message for one in records)
    return Observation("request", of=now.subject, turn=now.it.turn, step=now.it.step, messages=messages)


# -- loops -------------------------------------------------------------------------------------------------------


def listed(now: Now, *ids: str) -> None:
    """Note ids to be published one by one."""
    now.notes["due"] = ids


def some_due(now: Now) -> bool:
    """An id noted before is still to be published."""
    return bool(now.note("due"))


def next_due(now: Now) -> Any:
    """Go to the next noted id."""
    now.notes["item"], now.notes["due"] = now.notes["due"][0], now.notes["due"][1:]
    return now.it


def each(name: str, step: str, clauses: tuple[str, ...], say: Any) -> Row:
    """A row that publishes every noted id, one event each."""
    return Row(name, "agent", (), step, clauses, guard=some_due, effect=next_due, says=(say,), then=step)


def checkpoint(step: str, then: str = "close") -> Row:
    """A C16L check: an aborted turn goes to its close before the outcome is used."""
    return Row(f"C16L/{step}", "turn", (), step, ("C16L",), guard=signal_aborted, then=then)
