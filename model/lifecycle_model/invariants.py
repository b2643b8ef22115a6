"""The safety invariants of section I that sections S, Q, C and T can break, over one step and its ghost.

Each says in one sentence what is wrong, or nothing. None reads a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lifecycle_model.canonical import MARK
from lifecycle_model.commands import Cancel, Inject, Send, Steer
from lifecycle_model.ghost import Ghost, pending, waking_pending
from lifecycle_model.properties import Safety, Step
from lifecycle_model.state import Agent
from lifecycle_model.wire import UNSET, Observation

HOLDER_PLACES = ("Reserved", "Abandoned", "InTurn", "Cancelling", "Disposing")


def _settles(seen: Observation, kind: str) -> bool:
    """Tell whether a call of this kind settled: `w` a waiter, `d` a dispose."""
    return seen.event == "settled" and str(seen.of).partition(MARK)[2].startswith(kind)


def _first(found: Iterator[str]) -> str | None:
    return next(found, None)


def _after(check: Callable[[Agent], str | None]) -> Callable[[Step], str | None]:
    """An invariant over the component at the end of every segment."""

    def over(step: Step) -> str | None:
        return check(step.now) if isinstance(step.now, Agent) else None

    over.__doc__ = check.__doc__
    return over


def statuses_differ(ghost: Ghost, seen: Observation) -> str | None:
    """No status event follows status(disposed); consecutive status events differ."""
    if seen.event != "agent/status":
        return None
    if ghost.status == "disposed":
        return f"status({seen.status}) was published after status(disposed)"
    return f"status({seen.status}) was published twice in a row" if seen.status == ghost.status else None


def status_is_published(step: Step) -> str | None:
    """The readable status is the one published last, except before the publish mark."""
    agent = step.now
    if not isinstance(agent, Agent) or not agent.mark or agent.status == step.after.ghost.status:
        return None
    return f"the status reads {agent.status} but {step.after.ghost.status} was published last"


def brackets_balance(ghost: Ghost, seen: Observation) -> str | None:
    """TS/TE and SS/SE alternate, one turn is open at most, turn numbers go up by one, steps count from 1."""
    match seen.event:
        case "turn/start" if ghost.open:
            return f"turn {seen.turn} started while turn {ghost.turn} was open"
        case "turn/start" if seen.turn != ghost.turn + 1:
            return f"turn {seen.turn} started after turn {ghost.turn}"
        case "turn/end" if not ghost.open or ghost.step_open or seen.turn != ghost.turn:
            return f"turn {seen.turn} ended while {_open(ghost)}"
        case "step/start" if not ghost.open or ghost.step_open:
            return f"step {seen.step} started while {_open(ghost)}"
        case "step/start" if seen.step != ghost.step + 1:
            return f"step {seen.step} started after step {ghost.step}"
        case "step/end" if not ghost.step_open or seen.step != ghost.step:
            return f"step {seen.step} ended while {_open(ghost)}"
        case _:
            return None


def _open(ghost: Ghost) -> str:
    if not ghost.open:
        return "no turn was open"
    return f"step {ghost.step} was open" if ghost.step_open else f"turn {ghost.turn} was open without a step"


def holder_in_place(agent: Agent) -> str | None:
    """A holder exists only in Reserved, Abandoned, InTurn, Cancelling, Disposing."""
    if agent.holder is None or agent.place in HOLDER_PLACES:
        return None
    return f"a holder ({agent.holder}) is installed in {agent.place}"


def cancelling_means_aborted(agent: Agent) -> str | None:
    """Status cancelling implies an aborted holder, or a cancelled turn or vetoed claim in Settling or Between."""
    if agent.status != "cancelling" or agent.holder not in (None, "live"):
        return None
    if agent.holder is None and agent.place in ("Settling", "Between"):
        return None
    return f"the status is cancelling in {agent.place} with the holder {agent.holder or 'none'}"


def no_marker_with_holder(agent: Agent) -> str | None:
    """No marker while a holder is installed."""
    return f"the marker is set while a holder is installed in {agent.place}" if agent.marker and agent.holder else None


def no_claim_from_nothing(ghost: Ghost, seen: Observation) -> str | None:
    """No claim from an empty queue."""
    if seen.event == "agent/inbox/dequeue" and not pending(ghost):
        return f"{seen.item} was dequeued from an empty inbox"
    return None


def items_once(ghost: Ghost, seen: Observation) -> str | None:
    """Per id: one enq, then at most one of deq and disc."""
    if seen.event == "agent/inbox/enqueue" and (seen.item in pending(ghost) or seen.item == ghost.claimed):
        return f"{seen.item} was enqueued twice"
    if seen.event == "agent/inbox/dequeue" and seen.item not in pending(ghost):
        return f"{seen.item} was dequeued but was not pending"
    if seen.event == "agent/inbox/discard":
        items = () if seen.items is UNSET else seen.items
        lost = [one.id for one in items]
        if not lost or len(set(lost)) != len(lost) or not set(lost) <= pending(ghost):
            return f"{', '.join(lost) or 'nothing'} was discarded, but {', '.join(pending(ghost)) or 'nothing'} was pending"
    return None


def inbox_as_observed(step: Step) -> str | None:
    """What is pending is exactly what was enqueued and neither dequeued nor discarded, in that order."""
    agent, ghost = step.now, step.after.ghost
    if not isinstance(agent, Agent):
        return None
    queued = tuple((item.id, item.wakeup) for item in agent.queued)
    steering = tuple(item.id for item in agent.steering)
    if (queued, steering) == (ghost.queued, ghost.steering):
        return None
    seen = f"{_list(ghost.queued)} and steering {_list(ghost.steering)}"
    return f"pending are {_list(queued)} and steering {_list(steering)}; by the observations {seen}"


def _list(items: tuple[object, ...]) -> str:
    return "[" + " ".join(str(one[0] if isinstance(one, tuple) else one) for one in items) + "]"


def one_claim_per_turn(step: Step) -> str | None:
    """One claimed message per message turn, FIFO, after the previous flush."""
    earlier = {item for item, _ in step.before.ghost.queued}
    return _first(text for ghost, seen in step.walk if (text := _claim(ghost, seen, earlier)) is not None)


def _claim(ghost: Ghost, seen: Observation, earlier: set[str]) -> str | None:
    if seen.event == "agent/inbox/dequeue" and seen.steering is not True:
        if ghost.claimed:
            return f"{seen.item} was claimed while {ghost.claimed} was still claimed"
        if ghost.flush:
            return f"{seen.item} was claimed before the last turn's flush settled"
        head = ghost.queued[0][0] if ghost.queued else seen.item
        if seen.item in ghost.steering:
            # moved to the tail in this very segment, so only what came later may be behind it
            return f"{seen.item} was claimed ahead of {head}" if head in earlier or _ahead(ghost, seen) else None
        return f"{seen.item} was claimed ahead of {head}" if head != seen.item else None
    if seen.event == "agent/inbox/dequeue":
        if ghost.open != "message":
            return f"steering {seen.item} was dequeued with no message turn open"
        return f"steering {seen.item} was dequeued out of order" if _ahead(ghost, seen) else None
    if seen.event == "turn/start" and seen.trigger == "message":
        if not ghost.claimed:
            return f"message turn {seen.turn} started without a claimed message"
        return f"message turn {seen.turn} started before the last turn's flush settled" if ghost.flush else None
    return None


def _ahead(ghost: Ghost, seen: Observation) -> bool:
    return ghost.steering[:1] != (seen.item,)


def cancel_in_order(step: Step) -> str | None:
    """An ineffective cancel is the identity; an effective one gives creq, disc, status(cancelling), abort."""
    if not isinstance(step.command, Cancel) or step.heard or not isinstance(step.was, Agent):
        return None
    if step.answer.refused is not UNSET:
        return None
    was: Agent = step.was
    keep = step.command.keep_inbox
    taken = () if keep else (*(i.id for i in was.queued), *(i.id for i in was.steering))
    wanted: list[tuple[str, object]] = []
    if was.status != "disposed" and (was.holder is not None or taken):
        wanted.append(("agent/cancel-requested", step.command.cause))
        if taken:
            wanted.append(("agent/inbox/discard", taken))
        if was.holder == "live" and was.status == "running":
            wanted.append(("agent/status", "cancelling"))
        if was.holder == "live":
            wanted.append(("abort", step.command.cause))
    got = [(one.event, _payload(one)) for one in step.seen]
    if got != wanted:
        return f"a cancel showed {_names(got)} where {_names(wanted)} was due"
    if not wanted and step.before.part != step.after.part:
        return "an ineffective cancel changed the agent"
    if wanted and was.holder is None and not step.now.marker:
        return "a cancel of pending work without a holder left no marker"
    return None


def _payload(seen: Observation) -> object:
    if seen.items is not UNSET:
        return tuple(one.id for one in seen.items)
    return next((v for v in (seen.cause, seen.status, seen.reason) if v is not UNSET), None)


def _names(events: list[tuple[str, object]]) -> str:
    return ", ".join(f"{event}({payload})" for event, payload in events) or "nothing"


def no_delivery_after_abort(ghost: Ghost, seen: Observation) -> str | None:
    """No SM is logged and nothing is requested in a turn after its holder was aborted."""
    if not ghost.reason or ghost.open != "message":
        return None
    if seen.event == "steering/message":
        return f"steering {seen.message} was delivered into an aborted turn"
    return "the model was asked in an aborted turn" if seen.event == "request" else None


def reason_once(ghost: Ghost, seen: Observation) -> str | None:
    """A signal's reason is set at most once, and only while a holder is installed."""
    if seen.event != "abort":
        return None
    if ghost.reason:
        return f"abort({seen.reason}) followed abort({ghost.reason}) of the same signal"
    return None


def reason_of_end(ghost: Ghost, seen: Observation) -> str | None:
    """TE obeys C18: disposed, else aborted, else what happened; a published failure stays error."""
    if seen.event != "turn/end" or ghost.open != "message":
        return None
    if ghost.erred:
        due = "error"
    elif ghost.status == "disposed" or ghost.reason == "disposed":
        due = "disposed"
    elif ghost.reason:
        due = "aborted"
    elif ghost.blocked:
        due = "rejected"
    else:
        due = "max-tokens" if ghost.maxed else "completed"
    return None if seen.reason == due else f"turn {seen.turn} ended {seen.reason} where C18 gives {due}"


def injected_end(ghost: Ghost, seen: Observation) -> str | None:
    """An injection's turn ends completed."""
    if seen.event == "turn/end" and ghost.open != "message" and seen.reason != "completed":
        return f"injection turn {seen.turn} ended {seen.reason}"
    return None


def calls_answered(ghost: Ghost, seen: Observation) -> str | None:
    """Every advertised tool call has a result at TE, contiguous with its batch."""
    if seen.event == "turn/end" and ghost.batch:
        return f"turn {seen.turn} ended with {ghost.batch} calls unanswered"
    if ghost.batch and seen.event in (
        "user/message",
        "steering/message",
        "assistant/message",
        "step/end",
        "step/start",
    ):
        return f"{seen.event} was logged with {ghost.batch} calls unanswered"
    if seen.event == "tool/call" and ghost.batch <= len(ghost.calling):
        return f"call {seen.id} was logged outside its place in the batch"
    if seen.event == "tool/result" and str(seen.id).rpartition(".")[2] not in ghost.calling:
        return f"result {seen.id} answers no open call"
    return None


def entries_nest(step: Step) -> str | None:
    """An agent entry implies the session entry; neither exists before the setup settled."""
    agent = step.now
    if not isinstance(agent, Agent):
        return None
    if agent.entered and not agent.stored:
        return "the agent is listed but its session is not in its store"
    if (agent.entered or agent.stored) and any(gate.kind == "setup" for gate in step.after.gates):
        return "an entry exists before the setup settled"
    return None


STAGES = {
    "session/created": 1,
    "agent/created": 2,
    "agent/session-start": 3,
    "agent/disposed": 5,
    "session/disposed": 6,
}


def announced_in_order(ghost: Ghost, seen: Observation) -> str | None:
    """s+ < a+ < start < first status; a- < s-, each once; announcements and disposals pair one to one."""
    stage = STAGES.get(seen.event)
    if seen.event == "agent/status" and ghost.stage not in (3, 4):
        return f"status({seen.status}) was published at stage {ghost.stage} of the announcements"
    if stage is None:
        return None
    before = {1: (0, 6), 2: (1,), 3: (2,), 5: (3, 4), 6: (5,)}[stage]
    return None if ghost.stage in before else f"{seen.event} was published at stage {ghost.stage} of the announcements"


def torn_down_in_order(step: Step) -> str | None:
    """Driver exit and flushes < a- < s- < scope unwound < dispose resolves."""
    for ghost, seen in step.walk:
        if seen.event == "agent/disposed":
            if ghost.open or ghost.flush or ghost.flushes or ghost.ended:
                return "a- was published before every flush had settled"
            if isinstance(step.now, Agent) and not step.now.exited:
                return "a- was published before the driver had exited"
        if seen.event == "scope" and not ghost.unwinding:
            return "the scope unwound before s-"
        if _settles(seen, "d") and ghost.stage != 6:
            return f"dispose resolved at stage {ghost.stage} of the announcements"
        if _settles(seen, "d") and ghost.unwinding:
            return "dispose resolved before the scope unwound"
    return None


def nothing_claimed_in_teardown(ghost: Ghost, seen: Observation) -> str | None:
    """No claim, no acceptance and no wake after teardown begins."""
    if ghost.status != "disposed" and ghost.reason != "disposed":
        return None
    if seen.event in ("agent/inbox/dequeue", "agent/inbox/enqueue", "request"):
        return f"{seen.event} was published after teardown began"
    return None


def detach_hidden_from_dispatch(step: Step) -> str | None:
    """Commit and return coincide: no append is left in progress at the end of a segment."""
    return "an append is still in progress" if isinstance(step.now, Agent) and step.now.appending else None


def idle_after_flush(ghost: Ghost, seen: Observation) -> str | None:
    """Idle follows the last flush: status(idle) is never published while a turn or its flush is under way."""
    if seen.event == "agent/status" and seen.status == "idle" and (ghost.open == "message" or ghost.flush):
        return "status(idle) was published before the last flush settled"
    return None


def sends_only_store(step: Step) -> str | None:
    """`send` and `steer` store, notify and return: no driver progress, no status change; a refusal changes nothing."""
    if not isinstance(step.command, Send | Steer) or step.heard:
        return None
    if step.answer.refused is not UNSET or (step.was is not None and step.was.status == "disposed"):
        # a send after disposal is refused, or kept silently (policy after_dispose)
        return "a refused send changed something" if step.seen or step.before.part != step.after.part else None
    if [one.event for one in step.seen] != ["agent/inbox/enqueue"]:
        return f"a send showed {', '.join(step.events()) or 'nothing'}"
    steers = isinstance(step.command, Steer) and step.was.status == "running"
    if (step.seen[0].steering is True) != steers:
        return f"{step.seen[0].item} went to the wrong list in status {step.was.status}"
    if (
        isinstance(step.command, Send)
        and not step.command.wakeup
        and step.was.place == "Parked"
        and step.now.place != "Parked"
    ):
        return "a quiet send woke the driver"
    return None


def refusals_change_nothing(step: Step) -> str | None:
    """A refused inject leaves no record, turn or flush."""
    if not isinstance(step.command, Inject) or step.heard or step.answer.refused is UNSET:
        return None
    shown = [one.event for one in step.seen if one.event not in ("gate", "contained")]
    turn_left = "turn/start" in shown and shown != ["turn/start", "turn/end", "session/flush"]
    return "a refused inject left something behind" if shown and (turn_left or "turn/start" not in shown) else None


def waiters_see_no_work(ghost: Ghost, seen: Observation) -> str | None:
    """`when_idle` never resolves at a point where waking work is pending."""
    if _settles(seen, "w") and waking_pending(ghost) and ghost.status != "disposed":
        return f"the waiter {seen.of} resolved while waking work was pending"
    return None


def waiters_not_in_turn(ghost: Ghost, seen: Observation) -> str | None:
    """`when_idle` never resolves while a message turn or its flush is under way."""
    if _settles(seen, "w") and (ghost.open == "message" or ghost.flush):
        return f"the waiter {seen.of} resolved before the turn converged"
    return None


def turns_are_flushed(step: Step) -> str | None:
    """Every turn is followed by one flush, begun in the segment of its TE."""
    return "a turn ended without a flush" if step.after.ghost.ended else None


def discards_follow_disposal(step: Step) -> str | None:
    """Nothing is pending once the driver has exited: each id was dequeued or discarded."""
    agent = step.now
    if isinstance(agent, Agent) and agent.place in ("Quiet", "Gone") and (agent.queued or agent.steering):
        return f"{len(agent.queued) + len(agent.steering)} items are still pending in {agent.place}"
    return None


def flush_error_once(step: Step) -> str | None:
    """A failed flush is one agent/error and nothing more; a good one is none."""
    settled = [one.ok is True for one in step.seen if one.event == "session/flush" and one.state == "settled"]
    if not settled or step.heard:
        return None
    errors = sum(1 for one in step.seen if one.event == "agent/error")
    failed = settled.count(False)
    return None if errors == failed else f"{failed} failed flushes showed {errors} errors"


def calls_one_by_one(step: Step) -> str | None:
    """Calls run one after another, unless the policy lets a batch run together."""
    if step.policies.get("parallel_tools") == "on":
        return None
    return _first(
        f"call {seen.id} was started while call {ghost.calling[0]} was running"
        for ghost, seen in step.walk
        if seen.event == "tool/call" and ghost.calling
    )


ENQ, DEQ, DISC = "agent/inbox/enqueue", "agent/inbox/dequeue", "agent/inbox/discard"
STATUS, TS, TE, SS, SE = "agent/status", "turn/start", "turn/end", "step/start", "step/end"
UM, SM, AM, TC, TR = "user/message", "steering/message", "assistant/message", "tool/call", "tool/result"


def _at(
    name: str, clauses: tuple[str, ...], about: str, each: Callable[[Ghost, Observation], str | None], *events: str
) -> Safety:
    return Safety(name, clauses, about, None, each, events)


INVARIANTS: tuple[Safety, ...] = (
    _at("I1", ("I1", "S1", "S2"), "statuses differ and end with disposed", statuses_differ, STATUS),
    Safety("I1 readable", ("S2", "I1"), "the status reads as published", status_is_published),
    _at("I2", ("I2", "L10", "Q19", "Q20"), "turns and steps are bracketed and counted", brackets_balance, TS, TE, SS, SE),
    Safety("I3", ("I3", "S4"), "holders exist in their places only", _after(holder_in_place)),
    Safety("I4", ("I4", "S5"), "cancelling has a reason", _after(cancelling_means_aborted)),
    Safety("I5 marker", ("I5", "C9"), "no marker beside a holder", _after(no_marker_with_holder)),
    _at("I5 claim", ("I5",), "no claim from an empty queue", no_claim_from_nothing, DEQ),
    _at("I6", ("I6", "Q18"), "each item is enqueued once and ends once", items_once, ENQ, DEQ, DISC),
    Safety("I6 inbox", ("I6", "Q12", "Q18", "C10"), "the inbox is what was observed", inbox_as_observed),
    Safety("I7", ("I7", "Q5", "Q8", "Q9", "Q6"), "one claim a turn, in order, after the flush", one_claim_per_turn),
    Safety("I8", ("I8", "C2", "C3", "C4", "C9"), "cancels in order, or not at all", cancel_in_order),
    _at("I9", ("I9", "Q13", "C16"), "nothing is delivered or asked in an aborted turn", no_delivery_after_abort, SM, "request"),
    _at("I10 once", ("I10", "C7", "C12"), "a signal is aborted once", reason_once, "abort"),
    _at("I10 end", ("I10", "C13", "C18", "C19", "D1"), "turns end as C18 says", reason_of_end, TE),
    _at("I10 injection", ("Q/r8",), "injections end completed", injected_end, TE),
    _at("I11", ("I11", "Q16", "C17"), "every call is answered in its batch", calls_answered, TE, UM, SM, AM, SS, SE, TC, TR),
    Safety("Q16", ("Q16", "policy parallel_tools"), "calls run one by one", calls_one_by_one),
    Safety("I12 I13", ("I12", "I13", "P1"), "entries nest and wait for the setup", entries_nest),
    _at("I14", ("I14", "P2", "P4"), "announcements in order and in pairs", announced_in_order, STATUS, *STAGES),
    Safety("I15", ("I15", "T2", "T6", "T7"), "teardown in order", torn_down_in_order),
    _at("I16", ("I16", "T5"), "nothing is claimed in teardown", nothing_claimed_in_teardown, ENQ, DEQ, "request"),
    Safety("I17", ("I17", "L2", "X8"), "appends end with their segment", detach_hidden_from_dispatch),
    _at("S3", ("S3", "C14", "X6"), "idle follows the last flush", idle_after_flush, STATUS),
    Safety("S11", ("S11", "D4", "Q17"), "a failed flush is one error", flush_error_once),
    Safety("Q2", ("Q1", "Q2", "Q3", "Q4", "X1", "policy after_dispose"), "sends only store", sends_only_store),
    Safety("Q17", ("Q1", "Q17"), "refused injections leave nothing", refusals_change_nothing),
    Safety("Q18", ("Q18", "T3"), "nothing is pending after disposal", discards_follow_disposal),
    _at("V4", ("V4", "S7", "S8"), "waiters resolve without waking work", waiters_see_no_work, "settled"),
    _at("S7", ("S7", "V4"), "waiters resolve after convergence", waiters_not_in_turn, "settled"),
    Safety("D2", ("D2", "X5"), "every turn is flushed", turns_are_flushed),
)  # fmt: skip
