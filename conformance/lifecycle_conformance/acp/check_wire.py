"""Owns the checks on lines alone: S1, S2, S9 and S10."""

from __future__ import annotations

from typing import Any

from lifecycle_conformance.acp.ledger import Ledger
from lifecycle_conformance.acp.wire import Line

STOP_REASONS = frozenset({"end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"})


def check_wire(ledger: Ledger) -> None:
    """Look at every line by itself, then at how ids are used."""
    _framing(ledger)
    _ids(ledger)
    _version(ledger)
    _sessions(ledger)


def _framing(ledger: Ledger) -> None:
    record = ledger.record
    prompts = {p.id for p in record.prompts}
    for i, line in enumerate(record.lines):
        if line.way == "came" and (wrong := _wrong(line, prompts)) is not None:
            ledger.expect("S9", False, f"a line on stdout is {wrong}", (i,))
            return
    ledger.expect("S9", True, "")


def _wrong(line: Line, prompts: set[int]) -> str | None:
    message = line.message
    if message is None:
        return "no JSON object" if line.text.strip() else None
    if message.get("jsonrpc") != "2.0":
        return "no JSON-RPC 2.0 message"
    if "method" in message:
        return _wrong_call(message)
    if "id" not in message or ("result" in message) is ("error" in message):
        return "neither a request nor a response with either a result or an error"
    if "error" in message:
        error = message["error"]
        fits = isinstance(error, dict) and isinstance(error.get("code"), int)
        return None if fits and isinstance(error.get("message"), str) else "an error without code and message"
    if message["id"] in prompts:
        result = message["result"]
        reason = result.get("stopReason") if isinstance(result, dict) else None
        return None if reason in STOP_REASONS else f"a prompt's result with the stop reason {reason!r}"
    return None


def _wrong_call(message: dict[str, Any]) -> str | None:
    if not isinstance(message["method"], str):
        return "a call whose method is no text"
    if message["method"] != "session/update":
        return None
    params = message.get("params")
    if not isinstance(params, dict) or not isinstance(params.get("sessionId"), str):
        return "an update without a session"
    update = params.get("update")
    fits = isinstance(update, dict) and isinstance(update.get("sessionUpdate"), str)
    return None if fits else "an update without a kind"


def _ids(ledger: Ledger) -> None:
    record = ledger.record
    asked = {(ln.message or {}).get("id") for ln in record.lines if ln.way == "sent" and ln.is_request}
    prompts = {p.id for p in record.prompts}
    answered: set[Any] = set()
    for i, line in enumerate(record.lines):
        if line.way != "came" or not line.is_response or line.message is None:
            continue
        identity = line.message["id"]
        if not isinstance(identity, int | str) or identity not in asked:
            ledger.expect("S10", False, "a response came that answers no request of ours", (i,))
        elif identity in answered and identity not in prompts:
            ledger.expect("S10", False, "a request was answered a second time", (i,))
        answered.add(identity if isinstance(identity, int | str) else None)
    for call in (c for c in record.calls if c.purpose == "unknown-method"):
        answer, at = record.answer(call.id), (call.sent, *record.answers(call.id))
        code = ((answer or {}).get("error") or {}).get("code")
        got = "not answered" if answer is None else f"answered with {'a result' if code is None else code}"
        wait = call.wait if answer is None else None
        ledger.expect("S10", code == -32601, f"a method that does not exist was {got}", at, wait)


def _version(ledger: Ledger) -> None:
    record = ledger.record
    for call in (c for c in record.calls if c.method == "initialize"):
        answer, at = record.answer(call.id), (call.sent, *record.answers(call.id))
        if answer is None:
            if call.purpose == "version":
                summary = "initialize with a version nobody speaks was not answered"
                ledger.expect("S1", False, summary, at, call.wait)
            continue
        result = answer.get("result")
        version = result.get("protocolVersion") if isinstance(result, dict) else None
        fits = isinstance(version, int) and (version == 1 if call.purpose != "version" else version < 65_535)
        asked = "1" if call.purpose != "version" else "65535, which nobody speaks,"
        got = f"the version {version!r}" if isinstance(result, dict) else "an error"
        ledger.expect("S1", fits, f"initialize with version {asked} was answered with {got}", at)


def _sessions(ledger: Ledger) -> None:
    record = ledger.record
    for call in (c for c in record.calls if c.purpose == "second-session"):
        answer, at = record.answer(call.id), (call.sent, *record.answers(call.id))
        if answer is None:
            ledger.expect("S2", False, "session/new for a second session was not answered", at, call.wait)
        else:
            summary = "session/new for a second session was answered with an error"
            ledger.expect("S2", "result" in answer, summary, at)
    if len(record.sessions) > 1:
        news = [i for c in record.calls if c.method == "session/new" for i in record.answers(c.id)]
        unique = len(set(record.sessions)) == len(record.sessions)
        ledger.expect("S2", unique, "two session/new were answered with the same id", news)
