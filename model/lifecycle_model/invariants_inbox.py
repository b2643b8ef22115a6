"""Invariants of the inbox: sends, claims in order, discards, waiters. None reads a row."""

from __future__ import annotations

from lifecycle_model.commands import Inject, Send, Steer
from lifecycle_model.ghost import Ghost, pending, waking_pending
from lifecycle_model.properties import Step, next_text, settles
from lifecycle_model.state import Agent
from lifecycle_model.wire import UNSET, Observation


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
    return next_text(text for ghost, seen in step.walk if (text := _claim(ghost, seen, earlier)) is not None)


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


def sends_only_store(step: Step) -> str | None:
    """`send` and `steer` store, notify and return: no driver progress, no status change; a refusal changes nothing."""
    if not isinstance(step.command, Send | Steer) or step.heard:
        return None
    was = step.was
    if step.answer.refused is not UNSET or was is None or was.status == "disposed":
        # a send after disposal is refused, or kept silently (policy after_dispose)
        return "a refused send changed something" if step.seen or step.before.part != step.after.part else None
    if [one.event for one in step.seen] != ["agent/inbox/enqueue"]:
        return f"a send showed {', '.join(step.events()) or 'nothing'}"
    steers = isinstance(step.command, Steer) and was.status == "running"
    if (step.seen[0].steering is True) != steers:
        return f"{step.seen[0].item} went to the wrong list in status {was.status}"
    if (
        isinstance(step.command, Send)
        and not step.command.wakeup
        and was.place == "Parked"
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
    if settles(seen, "w") and waking_pending(ghost) and ghost.status != "disposed":
        return f"the waiter {seen.of} resolved while waking work was pending"
    return None


def waiters_not_in_turn(ghost: Ghost, seen: Observation) -> str | None:
    """`when_idle` never resolves while a message turn or its flush is under way."""
    if settles(seen, "w") and (ghost.open == "message" or ghost.flush):
        return f"the waiter {seen.of} resolved before the turn converged"
    return None


def discards_follow_disposal(step: Step) -> str | None:
    """Nothing is pending once the driver has exited: each id was dequeued or discarded."""
    agent = step.now
    if isinstance(agent, Agent) and agent.place in ("Quiet", "Gone") and (agent.queued or agent.steering):
        return f"{len(agent.queued) + len(agent.steering)} items are still pending in {agent.place}"
    return None
