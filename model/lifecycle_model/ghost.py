"""What an onlooker of one agent remembers of its observations: the small ghost state that invariants compare with.

Folded from observations alone; it never reads a component and never fails, whatever it is shown.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from lifecycle_model.state import OpenGate
from lifecycle_model.wire import UNSET, Observation

BARE = "bare"
"""The trigger of a turn whose start names none: a contract whose turns are all message turns, and not flushed."""


class Ghost(msgspec.Struct, frozen=True):
    """One agent as its observations tell it."""

    stage: int = 0
    """How far its life was announced: 1 s+, 2 a+, 3 start, 4 first status, 5 a-, 6 s-."""
    unwinding: int = 0
    """Scopes of this id that were left behind at s- and have not unwound."""
    older: int = 0
    """How many of them may be of earlier lives of the id."""
    earlier: tuple[str, ...] = ()
    """Pending calls that were made in earlier lives of the id."""
    status: str = "idle"
    queued: tuple[tuple[str, bool], ...] = ()
    """Pending in the queued list, with whether the item wakes."""
    steering: tuple[str, ...] = ()
    claimed: str = ""
    """The item dequeued for the turn that is about to start, or runs."""
    reason: str = ""
    """The abort reason of the present holder's signal."""
    turn: int = 0
    """The highest turn number logged."""
    open: str = ""
    """The trigger of the open turn."""
    step: int = 0
    step_open: bool = False
    erred: bool = False
    """The open turn's failure was published."""
    blocked: bool = False
    maxed: bool = False
    """The last step's model call finished for lack of tokens."""
    batch: int = 0
    """Advertised calls without a result."""
    calling: tuple[str, ...] = ()
    """Calls under way, by their number in the batch."""
    ended: tuple[str, ...] = ()
    """Turns ended whose flush has not begun, by trigger."""
    flush: bool = False
    """The flush of a message turn is under way."""
    flushes: int = 0
    """Other flushes under way."""
    cancelled: bool = False
    """A cancel took effect since the last message turn started."""
    calls: tuple[str, ...] = ()
    """References of calls that answered pending and have not settled."""


def waking_pending(ghost: Ghost) -> bool:
    """Waking work is pending."""
    return bool(ghost.steering) or any(wakes for _, wakes in ghost.queued)


def pending(ghost: Ghost) -> set[str]:
    """Every pending id."""
    return {item for item, _ in ghost.queued} | set(ghost.steering)


def rerouted(ghost: Ghost) -> Ghost:
    """Steering moved to the queued tail, as waking (unobserved: Q12)."""
    return replace(ghost, queued=ghost.queued + tuple((item, True) for item in ghost.steering), steering=())


def restored(ghost: Ghost, queued: tuple[tuple[str, bool], ...]) -> Ghost:
    """The ghost of a session that was just announced: it continues with what was pending (unobserved: D8L of `latch`)."""
    known = pending(ghost)
    return replace(ghost, queued=ghost.queued + tuple(pair for pair in queued if pair[0] not in known))


def agreed(ghost: Ghost, queued: tuple[tuple[str, bool], ...], steering: tuple[str, ...]) -> Ghost | None:
    """The ghost once it knows where steering was moved to in the queue, or None if the inbox is not what it saw."""
    if ghost.queued == queued and ghost.steering == steering:
        return ghost
    moved = set(ghost.steering)
    if steering or len(queued) != len(ghost.queued) + len(moved):
        return None
    kept = tuple(pair for pair in queued if pair[0] not in moved)
    late = tuple(item for item, wakes in queued if item in moved and wakes)
    return replace(ghost, queued=queued, steering=()) if (kept, late) == (ghost.queued, ghost.steering) else None


def fold(ghost: Ghost, seen: Observation, gate: OpenGate | None) -> Ghost:
    """The ghost after an observation; `gate` is the gate whose leaving made the segment, if any."""
    step = _FOLD.get(seen.event)
    return ghost if step is None else step(ghost, seen, gate)


def reborn(ghost: Ghost) -> Ghost:
    """The ghost of an id that is used again: the old scope may still be unwinding, old calls pending."""
    return Ghost(unwinding=ghost.unwinding, older=ghost.unwinding, earlier=ghost.calls, calls=ghost.calls)


def _stage(number: int) -> Any:
    def step(ghost: Ghost, seen: Observation, gate: OpenGate | None) -> Ghost:
        return replace(ghost, stage=number)

    return step


def _born(ghost: Ghost, seen: Observation, gate: OpenGate | None) -> Ghost:
    return replace(reborn(ghost), stage=1)


def _session_gone(ghost: Ghost, seen: Observation, gate: OpenGate | None) -> Ghost:
    left = replace(reborn(ghost), stage=6, unwinding=ghost.unwinding + 1, status=ghost.status)
    return replace(left, older=ghost.older, earlier=ghost.earlier)


def _settled(ghost: Ghost, seen: Observation, gate: OpenGate | None) -> Ghost:
    calls, earlier = (tuple(ref for ref in refs if ref != seen.of) for refs in (ghost.calls, ghost.earlier))
    return replace(ghost, calls=calls, earlier=earlier)


def unborn(gate: OpenGate | None) -> bool:
    """The scope that unwinds is of a creation that announced nothing (R1, R2)."""
    return gate is not None and gate.program == "unwound"


def _scope(ghost: Ghost, seen: Observation, gate: OpenGate | None) -> Ghost:
    if unborn(gate):
        return ghost
    return replace(ghost, unwinding=ghost.unwinding - 1, older=min(ghost.older, ghost.unwinding - 1))


def _status(ghost: Ghost, seen: Observation, gate: OpenGate | None) -> Ghost:
    fresh = seen.status in ("running", "idle")
    stage = 4 if ghost.stage == 3 else ghost.stage
    return replace(ghost, status=str(seen.status), stage=stage, reason="" if fresh else ghost.reason)


def _enqueue(ghost: Ghost, seen: Observation, gate: OpenGate | None) -> Ghost:
    if seen.steering is True:
        return replace(ghost, steering=(*ghost.steering, str(seen.item)))
    return replace(ghost, queued=(*ghost.queued, (str(seen.item), seen.wakeup is not False)))


def _without(ghost: Ghost, lost: set[str]) -> Ghost:
    return replace(
        ghost,
        queued=tuple(pair for pair in ghost.queued if pair[0] not in lost),
        steering=tuple(item for item in ghost.steering if item not in lost),
    )


def _dequeue(ghost: Ghost, seen: Observation, gate: OpenGate | None) -> Ghost:
    item = str(seen.item)
    if seen.steering is True:
        return _without(ghost, {item})
    if item in ghost.steering:
        ghost = rerouted(ghost)
    return replace(_without(ghost, {item}), claimed=item)


def _discard(ghost: Ghost, seen: Observation, gate: OpenGate | None) -> Ghost:
    items = () if seen.items is UNSET else seen.items
    return _without(ghost, {dropped.id for dropped in items})


def _requested(ghost: Ghost, seen: Observation, gate: OpenGate | None) -> Ghost:
    return replace(ghost, cancelled=True)


def _abort(ghost: Ghost, seen: Observation, gate: OpenGate | None) -> Ghost:
    return ghost if ghost.reason else replace(ghost, reason=str(seen.reason))


def _error(ghost: Ghost, seen: Observation, gate: OpenGate | None) -> Ghost:
    if ghost.open in ("message", BARE) and seen.turn == ghost.turn:
        return replace(ghost, erred=True)
    if not ghost.open and ghost.claimed and not ghost.ended and not ghost.flush:
        return replace(ghost, claimed="", reason="")
    return ghost


def _turn_start(ghost: Ghost, seen: Observation, gate: OpenGate | None) -> Ghost:
    turn = seen.turn if isinstance(seen.turn, int) else 0
    bare = seen.trigger is UNSET
    message = bare or seen.trigger == "message"
    return replace(
        ghost,
        turn=turn,
        open=BARE if bare else str(seen.trigger),
        reason="" if bare else ghost.reason,
        step=0,
        step_open=False,
        erred=False,
        blocked=False,
        maxed=False,
        cancelled=False if message else ghost.cancelled,
    )


def _turn_end(ghost: Ghost, seen: Observation, gate: OpenGate | None) -> Ghost:
    message = ghost.open in ("message", BARE)
    return replace(
        ghost,
        open="",
        step=0,
        step_open=False,
        erred=False,
        blocked=False,
        maxed=False,
        batch=0,
        calling=(),
        claimed="" if message else ghost.claimed,
        reason="" if message else ghost.reason,
        ended=ghost.ended if ghost.open == BARE else (*ghost.ended, ghost.open),
    )


def _flush(ghost: Ghost, seen: Observation, gate: OpenGate | None) -> Ghost:
    if seen.state == "start":
        if not ghost.ended:
            return ghost  # a flush that follows no turn: nobody's end waits for it
        turns = ghost.ended[-1:] == ("message",)
        left = ghost.ended[:-1]
        if turns:
            return replace(ghost, ended=left, flush=True)
        return replace(ghost, ended=left, flushes=ghost.flushes + 1)
    if gate is not None and gate.program == "flush":
        return replace(ghost, flush=False)
    plain = gate is not None and gate.program == "flush_session.done"
    return ghost if plain else replace(ghost, flushes=ghost.flushes - 1)


def _step_start(ghost: Ghost, seen: Observation, gate: OpenGate | None) -> Ghost:
    step = seen.step if isinstance(seen.step, int) else 0
    return replace(ghost, step=step, step_open=True, maxed=False)


def _step_end(ghost: Ghost, seen: Observation, gate: OpenGate | None) -> Ghost:
    return replace(ghost, step_open=False)


def _assistant(ghost: Ghost, seen: Observation, gate: OpenGate | None) -> Ghost:
    if gate is None or gate.kind != "model" or gate.outcome is None:
        return ghost
    return replace(ghost, batch=gate.outcome.tools, maxed=gate.outcome.outcome == "max_tokens")


def _blocked(ghost: Ghost, seen: Observation, gate: OpenGate | None) -> Ghost:
    return replace(ghost, blocked=True)


def _call(ghost: Ghost, seen: Observation, gate: OpenGate | None) -> Ghost:
    return replace(ghost, calling=(*ghost.calling, str(seen.id).rpartition(".")[2]))


def _result(ghost: Ghost, seen: Observation, gate: OpenGate | None) -> Ghost:
    number = str(seen.id).rpartition(".")[2]
    return replace(ghost, calling=tuple(one for one in ghost.calling if one != number), batch=ghost.batch - 1)


_FOLD: dict[str, Any] = {
    "session/created": _born,
    "agent/created": _stage(2),
    "agent/session-start": _stage(3),
    "agent/disposed": _stage(5),
    "session/disposed": _session_gone,
    "settled": _settled,
    "scope": _scope,
    "agent/status": _status,
    "agent/inbox/enqueue": _enqueue,
    "agent/inbox/dequeue": _dequeue,
    "agent/inbox/discard": _discard,
    "agent/cancel-requested": _requested,
    "abort": _abort,
    "agent/error": _error,
    "turn/start": _turn_start,
    "turn/end": _turn_end,
    "session/flush": _flush,
    "step/start": _step_start,
    "step/end": _step_end,
    "assistant/message": _assistant,
    "prompt/blocked": _blocked,
    "tool/call": _call,
    "tool/result": _result,
}
