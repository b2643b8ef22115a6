"""Closing a log whose writer died: which records are missing at its open tail (D/r6). Writes nothing."""

from lifecycle_runtime.history import advertised
from lifecycle_runtime.ports import StoredLog
from lifecycle_runtime.session import (
    ASSISTANT_MESSAGE,
    STEP_END,
    STEP_START,
    TOOL_CALL,
    TOOL_RESULT,
    TURN_END,
    Session,
)
from lifecycle_runtime.values import JsonObject

INTERRUPTED = "INTERRUPTED"


def closers(session_id: str, log: StoredLog) -> tuple[JsonObject, ...]:
    """Return the records that close the tail: results of advertised calls, SE, TE(interrupted). Idempotent."""
    session = Session(session_id, log.meta, log.records)
    if session.open_turn is None:
        return ()
    turn, step = session.open_turn, session.open_step
    missing: list[JsonObject] = []
    if step is not None:
        missing += _results(session, turn, step)
        missing.append({"type": STEP_END, "turn": turn, "step": step})
    missing.append({"type": TURN_END, "turn": turn, "reason": "interrupted"})
    return tuple(missing)


def _results(session: Session, turn: int, step: int) -> list[JsonObject]:
    """Error results of the open step's advertised calls, with the call record where that is missing too."""
    tail = session.records
    start = max(index for index, record in enumerate(tail) if record.type == STEP_START)
    tail = tail[start:]
    calls = [call for record in tail if record.type == ASSISTANT_MESSAGE for call in advertised(record.data)]
    begun = [record.data.get("id") for record in tail if record.type == TOOL_CALL]
    ended = [record.data.get("id") for record in tail if record.type == TOOL_RESULT]
    missing: list[JsonObject] = []
    for index, call in enumerate(calls, 1):
        place: JsonObject = {"id": call.id, "turn": turn, "step": step, "call": index}
        if call.id in ended:
            continue
        if call.id not in begun:
            missing.append({"type": TOOL_CALL, **place, "name": call.name, "arguments": call.arguments})
        missing.append(
            {
                "type": TOOL_RESULT,
                **place,
                "message": f"tr{turn}.{step}.{index}",
                "content": "the process ended before this call had a result",
                "error": True,
                "code": INTERRUPTED,
            }
        )
    return missing
