"""Owns the checks on load, resume and close: S8, L9 and L10."""

from __future__ import annotations

import re
from typing import Any

from lifecycle_conformance.acp.ledger import Ledger
from lifecycle_conformance.acp.record import CONTENT, Call, Prompt, Record, update_of


def check_sessions(ledger: Ledger) -> None:
    """Look at each call by its purpose."""
    for call in ledger.record.calls:
        if (look := _PURPOSES.get(call.purpose)) is not None:
            look(ledger, call)


def _outcome(record: Record, call: Call) -> tuple[dict[str, Any] | None, tuple[int, ...]]:
    return record.answer(call.id), (call.sent, *record.answers(call.id))


def _failed(ledger: Ledger, call: Call, check: str) -> bool:
    """Say what is wrong if an advertised method was not answered with a result; tell whether it was not."""
    answer, at = _outcome(ledger.record, call)
    if answer is None:
        ledger.expect(check, False, f"{call.method} was not answered", at, call.wait)
    elif "error" in answer:
        code = answer["error"].get("code") if isinstance(answer["error"], dict) else None
        summary = f"{call.method} is advertised and was answered with error {code}"
        ledger.expect(check, False, summary, at)
    return answer is None or "error" in answer


def _keyed(record: Record, prompt: Prompt, start: int, end: int) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for i in range(start, end):
        update = update_of(record.lines[i], prompt.session)
        kind = str((update or {}).get("sessionUpdate"))
        # a title or a list of sessions may quote the prompt: only messages are the conversation
        if (kind in CONTENT or kind == "user_message_chunk") and prompt.key in record.lines[i].text:
            found.setdefault(kind, []).append(i)
    return found


def _restart_load(ledger: Ledger, call: Call) -> None:
    record, main = ledger.record, ledger.record.prompt("main")
    if _failed(ledger, call, "S8") or main is None:
        return
    answer = record.answers(call.id)[0]
    later = record.prompt("follow-up")
    end = later.sent if later is not None else len(record.lines)
    before, after = _keyed(record, main, call.sent, answer), _keyed(record, main, answer + 1, end)
    late = sorted(i for found in after.values() for i in found)
    summary = "session/load was answered and the conversation was sent after the answer"
    ledger.expect("S8", not late, summary, (call.sent, answer, *late[:3]))
    if not late:
        kinds = {"user_message_chunk": "the user's message", "agent_message_chunk": "the agent's message"}
        missing = [said for kind, said in kinds.items() if kind not in before]
        summary = f"session/load did not send {' nor '.join(missing)} of the earlier turn before its answer"
        ledger.expect("S8", not missing, summary, (call.sent, answer))


def _restart_resume(ledger: Ledger, call: Call) -> None:
    record, main = ledger.record, ledger.record.prompt("main")
    if _failed(ledger, call, "S8") or main is None:
        return
    later = record.prompt("follow-up")
    end = later.sent if later is not None else len(record.lines)
    sent = sorted(i for found in _keyed(record, main, call.sent, end).values() for i in found)
    summary = "session/resume sent messages of the earlier turn"
    ledger.expect("S8", not sent, summary, (call.sent, *sent[:3]))


def _close(ledger: Ledger, call: Call) -> None:
    if not _failed(ledger, call, "S8"):
        ledger.expect("S8", True, "")


def _live_load(ledger: Ledger, call: Call) -> None:
    record = ledger.record
    answer, at = _outcome(record, call)
    summary = "session/load of a live session was not answered"
    ledger.expect("L9", answer is not None, summary, at, call.wait if answer is None else None)
    later = record.prompt("follow-up")
    if later is None or record.doubles:
        return
    pieces = re.compile(re.escape(later.key) + r"\.\d+")
    positions = record.content(later.session, later.sent)
    said = [(piece, i) for i in positions for piece in pieces.findall(record.lines[i].text)]
    first: dict[str, int] = {}
    for piece, i in said:
        if piece in first:
            summary = f"after the load a piece of prompt {later.name}'s answer came twice"
            ledger.expect("L9", False, summary, (call.sent, later.sent, first[piece], i))
            return
        first[piece] = i


def _unknown_load(ledger: Ledger, call: Call) -> None:
    answer, at = _outcome(ledger.record, call)
    fits = answer is not None and "error" in answer
    got = "not answered" if answer is None else "answered with a result"
    wait = call.wait if answer is None else None
    ledger.expect("L10", fits, f"session/load of an id that was never stored was {got}", at, wait)


_PURPOSES = {
    "restart-load": _restart_load,
    "restart-resume": _restart_resume,
    "close": _close,
    "live-load": _live_load,
    "unknown-load": _unknown_load,
}
