"""Invariants of turns: brackets, reasons, aborts, calls, flushes. None reads a row."""

from __future__ import annotations

from lifecycle_model.ghost import Ghost
from lifecycle_model.properties import Step, next_text
from lifecycle_model.wire import Observation


def brackets_balance(ghost: Ghost, seen: Observation) -> str | None:
    """TS/TE and SS/SE alternate, one turn is open at most, turn numbers go up by one, steps count from 1."""
    match seen.event:
        case "turn/start" if ghost.open:
            return f"turn {seen.turn} started while turn {ghost.turn} was open"
        case "turn/start" if seen.turn != ghost.turn + 1 and ghost.turn:  # the first may follow a log that was loaded
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
    if ghost.open == "plugin":
        return None  # a record given from outside is no call of a turn
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


def turns_are_flushed(step: Step) -> str | None:
    """Every turn is followed by one flush, begun in the segment of its TE."""
    return "a turn ended without a flush" if step.after.ghost.ended else None


def flush_error_once(step: Step) -> str | None:
    """A failed flush is one agent/error and nothing more, unless a call waits for it; a good one is none."""
    settled = [one.ok is True for one in step.seen if one.event == "session/flush" and one.state == "settled"]
    if not settled or step.heard:
        return None
    errors = sum(1 for one in step.seen if one.event == "agent/error")
    asked = step.gate is not None and step.gate.program in ("flush_session.done", "aside.flushed")
    failed = 0 if asked else settled.count(False)
    return None if errors == failed else f"{failed} failed flushes showed {errors} errors"


def calls_one_by_one(step: Step) -> str | None:
    """Calls run one after another, unless the policy lets a batch run together."""
    if step.policies.get("parallel_tools") == "on":
        return None
    return next_text(
        f"call {seen.id} was started while call {ghost.calling[0]} was running"
        for ghost, seen in step.walk
        if seen.event == "tool/call" and ghost.calling
    )
