"""What variant `latch` must and can do, for the explorer: its section I and V, and the situations its text is about."""

from __future__ import annotations

from collections.abc import Callable

from lifecycle_model.canonical import MARK, Cell
from lifecycle_model.commands import Cancel, Send, Steer
from lifecycle_model.eventual import creates, disposes, prompts
from lifecycle_model.ghost import Ghost, pending
from lifecycle_model.invariants_life import STAGES, announced_in_order, statuses_differ
from lifecycle_model.invariants_system import (
    buffered_are_live,
    entered_is_listed,
    entries_have_owners,
    holders_know,
    nothing_in_progress,
    one_entry_per_id,
    over,
    records_are_alive,
    sessions_paired,
    unloads_are_thorough,
)
from lifecycle_model.invariants_turns import brackets_balance, calls_answered
from lifecycle_model.parts import Connection, PromptSlot
from lifecycle_model.possible import states
from lifecycle_model.properties import Liveness, Properties, Reachable, Safety, Step, settles
from lifecycle_model.table import Contract
from lifecycle_model.variants.latch_rows_bridge import OCCUPIED
from lifecycle_model.variants.latch_state import LatchAgent, LatchStorage
from lifecycle_model.wire import UNSET, Observation

GONE = ("Releasing", "Finished")
LEFT = 6
"""The ghost's stage from s- on: what parks then is nobody's any more."""


def _after(check: Callable[[LatchAgent], str | None]) -> Callable[[Step], str | None]:
    def over(step: Step) -> str | None:
        return check(step.now) if isinstance(step.now, LatchAgent) else None

    over.__doc__ = check.__doc__
    return over


def signal_in_activity(agent: LatchAgent) -> str | None:
    """A signal exists exactly in an activity."""
    if (agent.holder is None) == (agent.place == "Idle"):
        return None
    return f"the signal is {agent.holder or 'absent'} in {agent.place}"


def latch_in_place(agent: LatchAgent) -> str | None:
    """A latch exists only in maintenance or beside an aborted signal, and none once a teardown has begun."""
    if not agent.latch or (
        agent.life == "Live" and (agent.place == "Maintenance" or agent.holder not in (None, "live"))
    ):
        return None
    return f"the latch is set in {agent.place} of an agent that is {agent.life}, its signal {agent.holder or 'absent'}"


def status_in_place(agent: LatchAgent) -> str | None:
    """Status is idle in Idle and Maintenance, else running."""
    status = "idle" if agent.place in ("Idle", "Maintenance") else "running"
    return None if agent.status == status else f"the status is {agent.status} in {agent.place}"


def turn_in_place(agent: LatchAgent) -> str | None:
    """Between segments a turn is open only in Open and Halting."""
    return (
        f"turn {agent.turn} is open in {agent.place}" if agent.open and agent.place not in ("Open", "Halting") else None
    )


def appends_end(agent: LatchAgent) -> str | None:
    """No append is left in progress at the end of a segment."""
    return "an append is still being dispatched" if agent.appending else None


def inbox_as_observed(step: Step) -> str | None:
    """What is pending is exactly what was enqueued and neither dequeued nor discarded."""
    agent = step.now
    if not isinstance(agent, LatchAgent) or agent.life in GONE:
        return None
    there = {item.id for item in (*agent.queued, *agent.steering)}
    return None if there == pending(step.after.ghost) else f"pending are {there}, observed {pending(step.after.ghost)}"


def one_claim_a_turn(step: Step) -> str | None:
    """A segment without listeners claims at most the head of next-turn, behind all of next-step."""
    if step.heard or not isinstance(step.was, LatchAgent):
        return None
    taken = [str(one.item) for one in step.seen if one.event == "agent/inbox/dequeue"]
    steps, turns = [item.id for item in step.was.steering], [item.id for item in step.was.queued]
    if isinstance(step.command, Steer):
        steps.append(step.command.message)
    elif isinstance(step.command, Send):
        turns.append(step.command.message)
    else:  # a result's context, or a prompt whose admission has ended
        admitted = step.gate is not None and step.gate.kind == "admission"
        given = [str(one.item) for one in step.seen if one.event == "agent/inbox/enqueue"]
        steps, turns = (steps, turns + given) if admitted else (steps + given, turns)
    allowed: tuple[list[str], ...] = ([], steps, [*steps, *turns[:1]])
    return None if taken in allowed else f"claimed {taken} of next-step {steps} and next-turn {turns}"


def cancel_in_order(step: Step) -> str | None:
    """A cancel discards next-step, then next-turn, then aborts; with keep_inbox it only aborts."""
    if not isinstance(step.command, Cancel) or step.heard or not isinstance(step.was, LatchAgent):
        return None
    kept = step.command.keep_inbox or step.answer.refused is not UNSET
    due = [] if kept else [item.id for item in (*step.was.steering, *step.was.queued)]
    if not kept and step.now.latch:
        return "the cancel left the latch"
    lost = [one.items[0].id for one in step.seen if one.event == "agent/inbox/discard" and one.items is not UNSET]
    own = [one for one in step.seen if not settles(one, "q")]  # a prompt's end is the bridge's (A4L)
    events = [one.event for one in own if one.event != "agent/inbox/discard"]
    effective = step.was.holder == "live" and step.was.watched and step.answer.refused is UNSET
    aborts = ["abort"] if effective else []
    if lost != due or events != aborts or [one.event for one in own][len(due) :] != aborts:
        return f"the cancel discarded {lost} of {due} and published {events}, not {aborts}"
    return None


def no_step_after_abort(step: Step) -> str | None:
    """Nothing is claimed, no step opens, no request is made for a signal aborted when the segment began."""
    if not isinstance(step.was, LatchAgent) or step.was.holder in (None, "live"):
        return None
    for event in step.events():
        if event in ("agent/status", "turn/start"):
            return None
        if event in ("step/start", "request", "agent/inbox/dequeue"):
            return f"{event} after abort({step.was.holder})"
    return None


def aborted_once(step: Step) -> str | None:
    """The first abort fixes the activity's reason."""
    was, now = step.was, step.now
    if not isinstance(was, LatchAgent) or not isinstance(now, LatchAgent) or was.holder in (None, "live"):
        return None
    if now.holder == was.holder and "abort" in step.events():
        return f"a signal aborted by {was.holder} was aborted again"
    if now.holder not in (None, "live", was.holder) and "agent/status" not in step.events():
        return f"the reason {was.holder} became {now.holder}"
    return None


def items_once(ghost: Ghost, seen: Observation) -> str | None:
    """An id is pending once at a time; what is dequeued or discarded was pending."""
    if ghost.stage == LEFT:
        return None
    there = pending(ghost)
    if seen.event == "agent/inbox/enqueue":
        return f"{seen.item} was enqueued while it was pending" if seen.item in there else None
    lost = {str(seen.item)} if seen.items is UNSET else {one.id for one in seen.items}
    return None if len(lost) == 1 and lost <= there else f"{lost} left the inbox, but {there} was pending"


def reason_of_end(ghost: Ghost, seen: Observation) -> str | None:
    """TE: a published failure stays error, else aborted with the first cause if the signal was."""
    if ghost.erred != (seen.reason == "error"):
        return f"the turn ended {seen.reason} {'after' if ghost.erred else 'without'} agent/error"
    if ghost.erred or not ghost.reason:
        return None
    return (
        None
        if (seen.reason, seen.cause) == ("aborted", ghost.reason)
        else f"aborted({ghost.reason}) ended {seen.reason}"
    )


def replayed_once(step: Step) -> str | None:
    """A latch that converges with something pending is replayed at once."""
    was, now = step.was, step.now
    if step.heard or step.command is not None or not isinstance(was, LatchAgent) or not isinstance(now, LatchAgent):
        return None
    if was.latch and not now.latch and now.place == "Idle" and (now.queued or now.steering):
        return f"the latch is gone with {len(now.queued) + len(now.steering)} items pending and nothing runs"
    return None


def torn_down_in_order(step: Step) -> str | None:
    """Driver exit < scope < a- < s-, the last two in one segment; no turn starts once the scope unwinds."""
    events = [one for one in step.events() if one in ("scope", "agent/disposed", "session/disposed", "turn/start")]
    if "session/created" in step.events():
        return None
    leaves = [one for one in ("agent/disposed", "session/disposed") if one in events]
    if leaves and (events != leaves or leaves[-1] != "session/disposed"):
        return f"the agent left as {events}"
    if not isinstance(step.was, LatchAgent) or step.was.life in ("Live", "Draining"):
        return None
    if leaves and not step.was.unwound:
        return "the agent left before its scope had unwound"
    if leaves and step.was.listing == "Announced" and len(leaves) < 2:
        return "an announced agent left silently"
    return f"turn start while {step.was.life}" if "turn/start" in events else None


def stored_as_pending(step: Step) -> str | None:
    """What an agent leaves pending at s- is what is stored with its log."""
    was, now = step.was, step.now
    if step.whole is None or not isinstance(was, LatchAgent) or not isinstance(now, LatchAgent):
        return None
    log = dict(step.after.aside).get(f"log:{now.name}")
    if not was.stored or now.stored or was.handle != now.handle or step.heard or not isinstance(log, LatchStorage):
        return None
    if not log.live and log.written and (log.queued, log.steering) != (was.queued, was.steering):
        return f"{was.queued} and {was.steering} were pending, {log.queued} and {log.steering} are stored"
    return None


def slots_owe_replies(step: Step) -> str | None:
    """A slot has a prompt to answer exactly while it is occupied."""
    for name, slot in step.after.aside:
        if isinstance(slot, PromptSlot) and bool(slot.prompt) != (slot.place in OCCUPIED):
            return f"{name} is {slot.place} with the prompt {slot.prompt or 'none'}"
    return None


def closed_left_nothing(step: Step) -> str | None:
    """A connection that is closed has no call, no waiting client, and no record but one that only waits for its output (A13)."""
    parts = dict(step.after.aside)
    owed = {gate.on for gate in step.after.gates if gate.kind == "output"}
    for name, one in parts.items():
        if isinstance(one, Connection) and one.place == "Closed":
            records = {
                slot: part for slot, part in parts.items() if isinstance(part, PromptSlot) and part.connection == name
            }
            left = [slot for slot, part in records.items() if not (part.gone and slot in owed)]
            if one.calls or one.waiting or left:
                return f"{name} is closed, but has {', '.join((*one.calls, *one.waiting, *left))}"
    return None


def waiters_see_no_activity(step: Step) -> str | None:
    """`when_idle` resolves only where no activity remains."""
    settled = any(one.event == "settled" and str(one.of).partition(MARK)[2].startswith("w") for one in step.seen)
    if settled and isinstance(step.now, LatchAgent) and step.now.place != "Idle" and not step.heard:
        return f"a waiter resolved in {step.now.place}"
    return None


def _at(
    name: str, clauses: tuple[str, ...], about: str, each: Callable[[Ghost, Observation], str | None], *events: str
) -> Safety:
    return Safety(name, clauses, about, None, each, events)


SAFETY: tuple[Safety, ...] = (
    _at("I1L", ("I1L", "S1L", "S2"), "statuses alternate", statuses_differ, "agent/status"),
    Safety("I1L place", ("S1L", "S2"), "the status is its place's", _after(status_in_place)),
    _at("I2", ("I2", "L10", "Q19", "Q20"), "turns and steps are bracketed and counted", brackets_balance,
        "turn/start", "turn/end", "step/start", "step/end"),
    Safety("I2 place", ("S/r7L", "S/r10L", "S6L"), "turns are open in their places", _after(turn_in_place)),
    Safety("I3L", ("I3L", "S4L"), "signals exist in activities", _after(signal_in_activity)),
    Safety("I5L", ("I5L", "C9L", "T5L"), "latches exist in their places", _after(latch_in_place)),
    _at("I6L", ("I6L", "Q18L", "I9L", "C10"), "each item is enqueued once and ends once", items_once,
        "agent/inbox/enqueue", "agent/inbox/dequeue", "agent/inbox/discard"),
    Safety("I6L inbox", ("I6L", "Q1L"), "the inbox is what was observed", inbox_as_observed),
    Safety("I7L", ("I7L", "Q5L", "Q/r4L", "Q/r5L"), "one next-turn item a turn, behind all next-step items", one_claim_a_turn),
    Safety("I8L", ("I8L", "C4L", "C3", "C12L"), "cancels in order, or not at all", cancel_in_order),
    Safety("I9L", ("I9L", "Q13L", "C16L"), "no step after the abort", no_step_after_abort),
    Safety("I10", ("I10", "C7L", "C12L"), "a signal is aborted once", aborted_once),
    _at("I10 end", ("I10", "C18L", "C19L"), "turns end as C18L says", reason_of_end, "turn/end"),
    _at("I11", ("I11", "Q16L", "C17L"), "every call is answered in its batch", calls_answered,
        "turn/end", "user/message", "assistant/message", "step/start", "step/end", "tool/call", "tool/result"),
    Safety("C9L", ("C9L", "V1L", "S/r12L", "S/r15L"), "a latch is replayed at convergence", replayed_once),
    Safety("I15L", ("I15L", "T/r4L", "T/r5L", "T5L"), "teardown in order", torn_down_in_order),
    _at("I14", ("I14", "P2", "P4"), "announcements in order and in pairs", announced_in_order, "agent/status", *STAGES),
    Safety("I12", ("I12", "P10", "T8L"), "one live entry of each kind per id", over(one_entry_per_id)),
    Safety("L6", ("L6", "L/r6", "L/r7"), "an object is in one store at most", over(entered_is_listed)),
    Safety("I13 residue", ("I13", "P7", "T10"), "nothing is on record for what is over", over(records_are_alive)),
    Safety("P/r3 records", ("P/r3", "I16L"), "owner and provider know what is under way", over(holders_know)),
    Safety("I13 owned", ("I13", "T/r6L"), "what is stored has a transaction", over(entries_have_owners)),
    Safety("P13", ("P13", "P15L", "T1"), "an unload that is over left nothing", over(unloads_are_thorough)),
    Safety("D buffering", ("D/r1", "D/r4", "D5"), "logs are buffered for live sessions", over(buffered_are_live)),
    Safety("I17 sessions", ("I17", "L2", "L4", "V11L"), "announcements and appends end with their segment", over(nothing_in_progress)),
    Safety("I14 sessions", ("I14", "L5", "L7", "P4"), "sessions are announced and disposed in pairs", sessions_paired),
    Safety("D8L", ("D8L",), "what is pending when a session leaves is stored", stored_as_pending),
    Safety("I20", ("I20", "A1", "A4L", "A16L"), "a free slot owes nothing, an occupied one a reply", slots_owe_replies),
    Safety("I21", ("I21", "A10L", "A11"), "a closed connection left nothing", closed_left_nothing),
    Safety("I17", ("I17", "L2", "X8"), "appends end with their segment", _after(appends_end)),
    Safety("V4L", ("V4L", "S7L"), "waiters resolve without activity", waiters_see_no_activity),
)  # fmt: skip


def _agent(test: Callable[[LatchAgent], bool]) -> Callable[[Cell], bool]:
    return lambda cell: isinstance(cell.part, LatchAgent) and test(cell.part)


def _sees(*events: str) -> Callable[[Step], bool]:
    return lambda step: any(one.event in events for one in step.seen)


def _calls(kind: str) -> Callable[[Cell], bool]:
    return lambda cell: any(ref.partition(MARK)[2].startswith(kind) for ref in cell.ghost.calls)


def latch_goes(step: Step) -> bool:
    """The latch is cleared, or its activity has converged."""
    return isinstance(step.now, LatchAgent) and not step.now.latch


ALL = ("F1", "F2", "F3", "F4")
LIVENESS: tuple[Liveness, ...] = (
    Liveness("V1L", ("V1L", "C9L"), "a latch is replayed or cleared", ALL, _agent(lambda agent: agent.latch), latch_goes, busy=True),
    Liveness("V2L", ("V2L", "S/r7L", "S/r8L"), "Halting leads to idle", ALL, _agent(lambda agent: agent.place == "Halting"),
             _sees("agent/status"), aborted_only=True, busy=True),
    Liveness("V3L", ("V3L", "S7L", "S8L"), "when_idle resolves", ALL, _calls("w"), _sees("settled")),
    Liveness("V6", ("V6", "T1", "T6"), "every dispose and unload completes", ALL, disposes, _sees("settled")),
    Liveness("V7", ("V7",), "every create settles", ALL, creates, _sees("settled")),
    Liveness("V9", ("V9", "A4L", "A10L"), "every call of the client settles", ALL, prompts, _sees("settled")),
)  # fmt: skip


def _taken(*rows: str) -> Callable[[Step], bool]:
    return lambda step: all(step.took(row) for row in rows)


def nested_cause(step: Step) -> bool:
    """A listener's cancel fixed another cause than the cancel it was nested in."""
    return isinstance(step.command, Cancel) and any(
        one.event == "abort" and one.reason != step.command.cause for one in step.seen
    )


SITUATIONS: tuple[Reachable, ...] = (
    Reachable("latched", ("C9L", "S/r3L"), "waking input is latched behind an abort", rows=frozenset({"S/r3L"})),
    Reachable("replayed", ("C9L", "S/r12L"), "a latch is replayed after idle", rows=frozenset({"S/r12L"})),
    Reachable("replayed after maintenance", ("S/r15L",), "a latch is replayed after maintenance", rows=frozenset({"S/r15L"})),
    Reachable("latch left", ("C9L", "C12L"), "a latch is cleared by a further cancel",
              lambda step: isinstance(step.command, Cancel) and isinstance(step.was, LatchAgent) and step.was.latch and not step.now.latch),
    Reachable("empty turn", ("Q27L",), "a driver opens a turn though its item is gone", rows=frozenset({"Q27L nothing claimed"})),
    Reachable("no turn", ("S6L", "S/r8L"), "a start aborted before its turn", rows=frozenset({"S/r8L"})),
    Reachable("closed turn", ("C14L",), "a turn end's observer cancels", rows=frozenset({"C14L"})),
    Reachable("spent", ("Q26L",), "a claimed message whose step never opens", _taken("Q/r7L rejected", "S/r11L")),
    Reachable("goes on", ("S/r9L",), "a turn follows a turn", rows=frozenset({"S/r9L"})),
    Reachable("parked", ("Q22L",), "a failed turn leaves input parked",
              lambda step: step.took("S/r11L") and bool(step.now.queued)),
    Reachable("cut stream", ("C25L",), "an aborted stream leaves its text", rows=frozenset({"C25L"})),
    Reachable("undispatched", ("C17L",), "a call is skipped under abort", rows=frozenset({"C17L"})),
    Reachable("drained run", ("T5L",), "waking input at idle starts a run that is drained",
              lambda step: step.took("S/r1L starts") and isinstance(step.was, LatchAgent) and step.was.life == "Draining"),
    Reachable("parks for good", ("T5L",), "input parks once the scope unwinds", rows=frozenset({"T5L next turn"})),
    Reachable("restored", ("D8L",), "what was pending is pending again after a resume",
              lambda step: "session/created" in step.events() and isinstance(step.now, LatchAgent) and bool(step.now.queued)),
    Reachable("cancelled in admission", ("A16L",), "a prompt is cancelled before anything was sent", rows=frozenset({"A16L cancelled"})),
    Reachable("boundary waits", ("A10L",), "a closed connection waits until its agents are idle", rows=frozenset({"A10L waits"})),
    Reachable("nested cause", ("C8L",), "a nested cancel's cause wins", nested_cause),
)  # fmt: skip


def latch_properties(contract: Contract) -> Properties:
    """The variant's properties; of the control states those that an existing agent can be in."""
    own = tuple(one for one in states(contract) if one.id.partition(" ")[0] in ("agent", "turn", "teardown"))
    own = tuple(one for one in own if one.id != "teardown Publishing")  # a publication is one segment
    return Properties(SAFETY, (*own, *SITUATIONS), LIVENESS)
