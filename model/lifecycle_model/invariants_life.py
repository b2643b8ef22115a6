"""Invariants of an agent's life: statuses, holder and marker, cancels, entries, teardown. None reads a row."""

from __future__ import annotations

from collections.abc import Callable

from lifecycle_model.commands import Cancel
from lifecycle_model.ghost import Ghost, unborn
from lifecycle_model.properties import Step, settles
from lifecycle_model.state import Agent
from lifecycle_model.wire import UNSET, Observation

HOLDER_PLACES = ("Reserved", "Abandoned", "InTurn", "Cancelling", "Disposing")
STAGES = {
    "session/created": 1,
    "agent/created": 2,
    "agent/session-start": 3,
    "agent/disposed": 5,
    "session/disposed": 6,
}


def after(check: Callable[[Agent], str | None]) -> Callable[[Step], str | None]:
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
    if agent.place == "Gone":
        return None  # it was judged before; its id may be in use again
    return f"the status reads {agent.status} but {step.after.ghost.status} was published last"


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
    own = (one for one in step.seen if not settles(one, "q"))  # a prompt's end is the bridge's (A4)
    got = [(one.event, _payload(one)) for one in own]
    late = (
        step.policies.get("cancel_after_dispose") == "publishes" and was.status == "disposed" and was.holder is not None
    )
    if late and got == [("agent/cancel-requested", step.command.cause)]:
        return None
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


def entries_nest(step: Step) -> str | None:
    """An agent entry implies the session entry; neither exists before the setup settled."""
    agent = step.now
    if not isinstance(agent, Agent):
        return None
    if agent.entered and not agent.stored:
        return "the agent is listed but its session is not in its store"
    if (agent.entered or agent.stored) and any(
        gate.kind == "setup" and gate.of == agent.handle for gate in step.after.gates
    ):
        return "an entry exists before the setup settled"
    return None


def announced_in_order(ghost: Ghost, seen: Observation) -> str | None:
    """s+ < a+ < start < first status; a- < s-, each once; announcements and disposals pair one to one."""
    stage = STAGES.get(seen.event)
    if seen.event == "agent/status" and ghost.stage not in (3, 4):
        return f"status({seen.status}) was published at stage {ghost.stage} of the announcements"
    if stage is None:
        return None
    before = {1: (0, 6), 2: (1,), 3: (2,), 5: (2, 3, 4), 6: (1, 5)}[stage]
    return None if ghost.stage in before else f"{seen.event} was published at stage {ghost.stage} of the announcements"


def torn_down_in_order(step: Step) -> str | None:
    """Driver exit and flushes < a- < s- < scope unwound < dispose resolves."""
    for ghost, seen in step.walk:
        if seen.event == "agent/disposed":
            if ghost.open or ghost.flush or ghost.flushes or ghost.ended:
                return "a- was published before every flush had settled"
            if isinstance(step.now, Agent) and not step.now.exited:
                return "a- was published before the driver had exited"
        if seen.event == "scope" and not ghost.unwinding and not unborn(step.gate):
            return "the scope unwound before s-"
        if not settles(seen, "d") or seen.of in ghost.earlier:
            continue
        if ghost.stage != 6:
            return f"dispose resolved at stage {ghost.stage} of the announcements"
        if ghost.unwinding > ghost.older:
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
    busy = ghost.open == "message" or ghost.flush or "message" in ghost.ended
    if seen.event == "agent/status" and seen.status == "idle" and busy:
        return "status(idle) was published before the last flush settled"
    return None
