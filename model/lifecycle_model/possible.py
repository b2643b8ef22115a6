"""The *reachable* properties: each control state, and each situation the contract is about, happens somewhere."""

from __future__ import annotations

from collections.abc import Callable

from lifecycle_model.commands import Cancel, Dispose
from lifecycle_model.properties import Reachable, Step
from lifecycle_model.state import Agent
from lifecycle_model.table import Contract
from lifecycle_model.wire import UNSET


def resting(kinds: tuple[type, ...], member: str, state: str, first: bool) -> Callable[[Step], bool]:
    """A component of these kinds is in a state; one that is absent is in its first."""

    def seen(step: Step) -> bool:
        parts = [part for part in (step.now, *(part for _, part in step.after.aside)) if isinstance(part, kinds)]
        return any(getattr(part, member) == state for part in parts) or (first and not parts)

    return seen


def states(contract: Contract) -> tuple[Reachable, ...]:
    """One property for every control state of every machine."""
    found: list[Reachable] = []
    for machine in contract.machines:
        rows = [row for row in contract.rows if row.machine == machine.name]
        kinds = tuple(type(contract.blank(machine.name, subject)) for subject in ("a", "session:z"))
        for state in machine.states:
            first = state == machine.initial
            shown = frozenset(row.id for row in rows if row.to == state or (first and state in row.states))
            seen = resting(kinds, machine.member, state, first) if first or not shown else None
            about = f"{machine.name}: {state} is {'left or lasts' if first else 'entered'}"
            found.append(Reachable(f"{machine.name} {state}", (), about, seen, shown))
    return tuple(found)


def _taken(*rows: str) -> Callable[[Step], bool]:
    return lambda step: all(step.took(row) for row in rows)


def _agents(test: Callable[[Agent, Agent], bool]) -> Callable[[Step], bool]:
    def seen(step: Step) -> bool:
        return isinstance(step.was, Agent) and isinstance(step.now, Agent) and test(step.was, step.now)

    return seen


def _ends(reason: str) -> Callable[[Step], bool]:
    return lambda step: any(
        one.event == "turn/end" and one.reason == reason and ghost.open == "message" for ghost, one in step.walk
    )


def cancels(step: Step) -> bool:
    """The step is a cancel of an agent that exists."""
    return isinstance(step.command, Cancel) and isinstance(step.was, Agent)


def replaced(step: Step) -> bool:
    """New waking work is queued while the marker of an earlier cancel is still set."""
    return isinstance(step.now, Agent) and step.now.marker and any(item.wakeup for item in step.now.queued)


def nested_cause(step: Step) -> bool:
    """A listener's cancel fixed another cause than the cancel it was nested in."""
    return (
        cancels(step)
        and isinstance(step.command, Cancel)
        and any(one.event == "abort" and one.reason != step.command.cause for one in step.seen)
    )


def discard_then_more(step: Step) -> bool:
    """Work queued by a discard listener survives the cancel."""
    return cancels(step) and any(one.event == "agent/inbox/discard" for one in step.seen) and bool(step.now.queued)


def two_discards(step: Step) -> bool:
    """A nested cancel took the work queued since the outer one's clear."""
    return cancels(step) and sum(one.event == "agent/inbox/discard" for one in step.seen) > 1


def steering_moved(step: Step) -> bool:
    """Steering was moved to the queue."""
    return step.took("Q/r13") or step.took("Q24 at wake") or step.took("Q24 abandoned")


def woken_after_dispose(step: Step) -> bool:
    """A waiter resolved when the driver exited."""
    return isinstance(step.now, Agent) and step.took("S/r22 leave") and bool(step.was.waiters) and not step.now.waiters


def cancelled_in_flush(step: Step) -> bool:
    """A cancel cleared waking work in the flush of an uncancelled turn."""
    return cancels(step) and step.was.place == "Settling" and bool(step.was.queued) and not step.now.queued


def disposed_in(place: str) -> Callable[[Step], bool]:
    """The agent was disposed in this place."""
    return lambda step: isinstance(step.command, Dispose) and isinstance(step.was, Agent) and step.was.place == place


def undispatched(step: Step) -> bool:
    """A call that had not started got a synthetic result."""
    return any(one.event == "tool/result" and one.code is not UNSET for one in step.seen)


SITUATIONS: tuple[Reachable, ...] = (
    Reachable("replacement", ("C9", "C11", "V5"), "a prompt replaces work cancelled before it ran", replaced),
    Reachable("marker found", ("C9", "S/r7"), "the driver wakes to a marker and no work", _agents(lambda was, now: was.marker and was.place == "Woken" and now.place == "Parked")),
    Reachable("marker and work", ("C9",), "the driver wakes to a marker and new work", rows=frozenset({"C9 consumed"})),
    Reachable("reservation cancelled", ("S6", "S/r9"), "a reservation is cancelled before its claim", rows=frozenset({"S/r9"})),
    Reachable("reservation given up", ("S6", "S/r10"), "a cancelled reservation finds no more work", _taken("S/r9", "S/r10")),
    Reachable("reservation renewed", ("S6", "S/r11", "C6"), "a cancelled reservation finds new work", _taken("S/r9", "S/r11")),
    Reachable("reservation disposed", ("S/r12",), "a reservation is disposed", rows=frozenset({"S/r12"})),
    Reachable("cancelled at claim", ("C15",), "a cancel from the dequeue ends the turn without a step", _taken("S/r8", "S/r13", "S/r16")),
    Reachable("cancelled turn", ("V2", "C18"), "a turn ends aborted", _ends("aborted")),
    Reachable("disposed turn", ("D3", "C19", "S12"), "a turn ends disposed", _ends("disposed")),
    Reachable("failed turn", ("Q20",), "a turn ends error", _ends("error")),
    Reachable("rejected turn", ("Q21",), "a turn ends rejected", _ends("rejected")),
    Reachable("short turn", ("Q25",), "a turn ends max-tokens", _ends("max-tokens")),
    Reachable("completed turn", ("D1",), "a turn ends completed", _ends("completed")),
    Reachable("second cancel", ("C12", "S/r14"), "a cancel finds the turn cancelled already", lambda step: cancels(step) and step.was.place == "Cancelling" and bool(step.seen)),
    Reachable("cancel without effect", ("C3",), "a cancel has no effect", rows=frozenset({"C/r1"})),
    Reachable("cancelled in its flush", ("C14",), "work is cancelled in a flush", cancelled_in_flush),
    Reachable("queued after abort", ("C6", "C11"), "work accepted in a cancelled turn waits for the next", _agents(lambda was, now: now.place == "Cancelling" and bool(now.queued) and not was.queued)),
    Reachable("runs after cancel", ("S/r19", "C11"), "work waiting behind a cancelled turn runs", _taken("S/r19", "S/r8")),
    Reachable("nested cause", ("C8",), "a nested cancel fixes the reason", nested_cause),
    Reachable("survives discard", ("C6",), "work from a discard listener survives", discard_then_more),
    Reachable("cleared with the rest", ("C5", "C8"), "a nested cancel clears first", two_discards),
    Reachable("steering delivered", ("Q9", "V11"), "steering reaches the running turn", lambda step: any(one.event == "steering/message" for one in step.seen)),
    Reachable("steering moved", ("Q12", "Q24", "V11"), "steering left over moves to the queue", steering_moved),
    Reachable("steering dropped", ("Q11",), "a terminal stop drops steering", rows=frozenset({"Q/r12"})),
    Reachable("late steering dropped", ("Q11", "Q/r14"), "steering in a terminally stopped turn's flush is dropped", rows=frozenset({"Q/r14"})),
    Reachable("steering overrides stop", ("Q10", "Q/r11"), "steering overrides an ordinary stop", rows=frozenset({"Q/r11"})),
    Reachable("quiet item first", ("Q6",), "a quiet item runs ahead of the waking one behind it", lambda step: any(one.event == "agent/inbox/dequeue" and one.wakeup is False for one in step.seen)),
    Reachable("call skipped", ("C17",), "a call not started gets a synthetic result", undispatched),
    Reachable("injection deferred", ("Q/r7", "Q16"), "an injection waits for the end of its batch", rows=frozenset({"Q/r7"})),
    Reachable("deferred under abort", ("Q16", "C17"), "deferred context follows under abort", lambda step: isinstance(step.now, Agent) and step.took("Q16 deferred") and step.now.holder not in (None, "live")),
    Reachable("idle injection", ("Q17", "Q/r8"), "an injection is a turn of its own", rows=frozenset({"Q/r8 TE"})),
    Reachable("injection refused inside an append", ("Q/r5",), "an injection inside an append is refused", rows=frozenset({"Q/r5 inside append"})),
    Reachable("claim vetoed", ("Q7", "S/r24"), "a vetoed turn start consumes the item", rows=frozenset({"S/r24"})),
    Reachable("retried", ("Q25",), "a failed request is retried", rows=frozenset({"Q25 retry"})),
    Reachable("prefix recomposed", ("C22",), "an interrupted prefix is composed again", rows=frozenset({"C22 composes"})),
    Reachable("waiter at exit", ("S8", "S7"), "a waiter caught by disposal resolves", woken_after_dispose),
    Reachable("waiter after cancel", ("V3",), "a waiter resolves although all work was cancelled unrun", lambda step: isinstance(step.was, Agent) and step.took("S/r7") and bool(step.was.waiters)),
    Reachable("disposed in flush", ("T/r1", "T6"), "an agent is disposed in its flush", disposed_in("Settling")),
    Reachable("disposed between", ("S/r21",), "an agent is disposed between turns", disposed_in("Between")),
    Reachable("disposed twice", ("T1",), "a second dispose joins the first", rows=frozenset({"T1 joins"})),
    Reachable("waits for injections", ("T6",), "teardown waits for an injection's flush", _agents(lambda was, now: now.place == "Disposing" and now.exited and now.flushes > 0)),
    Reachable("born with work", ("C24", "S/r25"), "an agent is published with work waiting", rows=frozenset({"S/r25 with work"})),
    Reachable("cleared unborn", ("C24",), "work is cancelled before the driver starts", _taken("P/r7", "C10 clear")),
    Reachable("born again", ("V8", "T8"), "an id is used again", lambda step: step.took("P/r7") and step.was is not None),
    Reachable("kept inbox", ("policy keep_inbox",), "pending work outlives a cancel that keeps it", lambda step: cancels(step) and isinstance(step.command, Cancel) and step.command.keep_inbox and step.now.holder == step.command.cause and bool(step.now.queued)),
)  # fmt: skip


def possible(contract: Contract) -> tuple[Reachable, ...]:
    """Every reachable property of a contract."""
    return (*states(contract), *SITUATIONS)
