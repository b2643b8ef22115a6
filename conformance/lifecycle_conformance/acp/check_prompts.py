"""Owns the checks on how prompts were answered: S3 to S5, S7, S11, S12, L1, L2 and L5 to L9."""

from __future__ import annotations

from lifecycle_conformance.acp.ledger import Ledger
from lifecycle_conformance.acp.record import Prompt, Record, Wait, content_of

_CANCELS = frozenset({"cancel", "cancel-twice", "cancel+prompt", "other"})
# commands before which the protocol leaves what follows to the client's care: blame our contract, not its text
_MISUSE = {"prompt": "L6", "cancel+prompt": "L7", "load": "L9", "load-twice": "L9", "unknown": "L2"}


def check_prompts(ledger: Ledger) -> None:
    """Look at each prompt by its role, then at what came after its answer."""
    record = ledger.record
    for prompt in record.prompts:
        if record.exit is not None and prompt.role in {"main", "other"}:
            continue  # nobody reads the answers of an agent that was told to end
        _once(ledger, prompt)
        if record.stop_reason(prompt) is not None:
            _ROLES[prompt.role](ledger, prompt)
            _late(ledger, prompt)
    _mixing(ledger)
    _permission(ledger)


def _at(record: Record, prompt: Prompt) -> tuple[int, ...]:
    before = (prompt.sent, prompt.cancelled, prompt.closed)
    return tuple(sorted({i for i in (*before, *record.answers(prompt.id)) if i is not None}))


def _is_quiet(record: Record) -> bool:
    return not record.run.window.busy


def _blame(record: Record, prompt: Prompt) -> str:
    """Return the check that a prompt without any answer is reported under."""
    command = record.run.command.name
    if prompt.role in {"unknown", "closed"}:
        return "L5"
    if prompt.role == "other" and command == "other":
        return "S11"
    if prompt.role in {"overlap", "batched"}:
        return "L1" if _is_quiet(record) else _MISUSE[command]
    if prompt.role == "follow-up" and record.run.window.name != "failing":
        return _MISUSE.get(command, "S4")
    return "L9" if command == "load" and record.run.window.busy else "S4"


def _once(ledger: Ledger, prompt: Prompt) -> None:
    record = ledger.record
    count, at = len(record.answers(prompt.id)), _at(record, prompt)
    if count > 1:
        ledger.expect("S4", False, f"prompt {prompt.name} was answered {count} times", at)
    blame = _blame(record, prompt)
    lapsed = next((w for w in reversed(prompt.waits) if w.lapsed), None)
    if count == 0:
        if record.died is not None:
            summary = f"the agent exited {record.died} with prompt {prompt.name} unanswered"
            ledger.expect(blame if record.run.window.busy else record.run.command.blame, False, summary, at)
        else:
            ledger.expect(blame, False, f"prompt {prompt.name} was never answered", at, lapsed)
        return
    ledger.expect(blame, True, "")
    if prompt.role == "main" and (prompt.cancelled is not None or prompt.closed is not None):
        _in_time(ledger, prompt)


def _in_time(ledger: Ledger, prompt: Prompt) -> None:
    record = ledger.record
    wait = _cancel_wait(prompt)
    if wait is None:
        return
    gates = {
        "accepted": "the model about to be asked",
        "stalled": "a stalled model",
        "streaming": "a slow model",
        "tool": "a running tool",
        "permission": "a permission asked for",
    }
    check = "L9" if record.run.command.name == "load" else "L8"
    gate = gates[record.run.window.name]
    summary = f"with {gate}, prompt {prompt.name} was answered only once its gate was opened"
    ledger.expect(check, not wait.lapsed, summary, _at(record, prompt), wait)


def _cancel_wait(prompt: Prompt) -> Wait | None:
    return next((w for w in prompt.waits if w.limit_name == "cancel"), None)


def _main(ledger: Ledger, prompt: Prompt) -> None:
    record = ledger.record
    # once the limit has passed its gates are open: how it ended then rests on that limit, and on how busy the machine was
    wait = _cancel_wait(prompt)
    reason, at, command = record.stop_reason(prompt), _at(record, prompt), record.run.command.name
    if record.run.window.name in {"settled", "failing"}:
        return  # the window itself asked for what came
    says = f"prompt {prompt.name} was answered {reason}"
    if prompt.closed is not None:
        if _mid_turn(record):
            ledger.expect("S8", reason == "cancelled", f"{says} after its session was closed", at, wait)
    elif prompt.cancelled is not None:
        if _mid_turn(record):
            permission = record.run.window.name == "permission" and command in _CANCELS
            check = "L9" if command == "load" else "S7" if permission else "S3"
            ledger.expect(check, reason == "cancelled", f"{says} after session/cancel", at, wait)
    elif command == "prompt":
        fits = reason in {"end_turn", "cancelled"}
        ledger.expect("L6", fits, f"{says} when another prompt was sent", at)
    elif command == "unknown":
        ledger.expect("L2", reason == "end_turn", f"{says} when an unknown session was cancelled", at)
    elif command == "new":
        ledger.expect("S12", reason == "end_turn", f"{says} when another session was made", at)
        _reached(ledger, prompt, "S12")


def _mid_turn(record: Record) -> bool:
    # without gates only a turn that takes long is surely still running when the cancel is read
    return record.gated or record.turn_takes >= 1


def _follow_up(ledger: Ledger, prompt: Prompt) -> None:
    record, command = ledger.record, ledger.record.run.command.name
    if record.run.window.name == "failing":
        check, after = "S12", "after a prompt whose model request failed"
    elif command in _MISUSE:
        check, after = _MISUSE[command], f"after {record.run.command.means}"
    elif command in _CANCELS and _is_quiet(record):
        check = "L1" if command == "cancel" else "L2"
        after = "after a cancel with no prompt running"
    else:
        check = "S8" if command.startswith("restart") else "S12"
        after = f"after {record.run.command.means}"
    _ended(ledger, prompt, check, after)
    if check == "S8":
        _remembers(ledger, prompt)


def _remembers(ledger: Ledger, prompt: Prompt) -> None:
    """Look whether a prompt of a session that was taken up again carries what was said before to the model."""
    record, main = ledger.record, ledger.record.prompt("main")
    if main is None or not record.remembers or not record.reached(prompt):
        return
    carried = any({main.key, prompt.key} <= r.keys for r in record.requests if not r.auxiliary)
    method = record.run.command.name.replace("restart-", "session/")
    summary = f"after {method} prompt {prompt.name} went to the model without the earlier turn"
    ledger.expect("S8", carried, summary, _at(record, prompt))


def _ended(ledger: Ledger, prompt: Prompt, check: str, after: str) -> None:
    record = ledger.record
    reason, at = record.stop_reason(prompt), _at(record, prompt)
    ledger.expect(check, reason == "end_turn", f"prompt {prompt.name}, sent {after}, was answered {reason}", at)
    if reason == "end_turn":
        _reached(ledger, prompt, "S12" if check.startswith("S") or check in {"L1", "L2"} else check)


def _reached(ledger: Ledger, prompt: Prompt, check: str) -> None:
    """Look whether a prompt that was answered end_turn went to the model first, and whether it said what came back."""
    record = ledger.record
    if record.gated:
        summary = f"prompt {prompt.name} was answered end_turn before its text had reached the model"
        ledger.expect(check, record.reached(prompt), summary, _at(record, prompt))
    if record.gated and record.reports:
        summary = f"prompt {prompt.name} was answered end_turn and nothing of the model's text was sent before"
        ledger.expect(check, not record.unreported(prompt), summary, _at(record, prompt))


def _second(ledger: Ledger, prompt: Prompt) -> None:
    """Judge a prompt sent before the first was answered: any single answer will do, but it must be true."""
    record = ledger.record
    check = _MISUSE[record.run.command.name]
    if _is_quiet(record):
        _ended(ledger, prompt, "L1", "in one write with a cancel that had nothing to cancel")
    elif record.stop_reason(prompt) == "end_turn":
        _reached(ledger, prompt, check)
    else:
        ledger.expect(check, True, "")


def _other(ledger: Ledger, prompt: Prompt) -> None:
    check = "S11" if ledger.record.run.command.name == "other" else "S12"
    after = "in another session than the one cancelled" if check == "S11" else "in a second session"
    _ended(ledger, prompt, check, after)


def _refused(ledger: Ledger, prompt: Prompt) -> None:
    record = ledger.record
    which = "a closed" if prompt.role == "closed" else "an unknown"
    summary = f"prompt {prompt.name} for {which} session was answered {record.stop_reason(prompt)}"
    ledger.expect("L5", record.stop_reason(prompt) == "error", summary, _at(record, prompt))


_ROLES = {
    "main": _main,
    "follow-up": _follow_up,
    "overlap": _second,
    "batched": _second,
    "other": _other,
    "unknown": _refused,
    "closed": _refused,
}


def _late(ledger: Ledger, prompt: Prompt) -> None:
    """Look for content of a turn after the answer that ended it."""
    record = ledger.record
    answer = record.answers(prompt.id)[0]
    reason = record.stop_reason(prompt)
    loads = [c.sent for c in record.calls if c.method in {"session/load", "session/resume"}]
    end = min((i for i in loads if i > prompt.sent), default=len(record.lines))
    after = record.content(prompt.session, answer + 1, end)
    keyed = [i for i in after if prompt.key in record.lines[i].text]
    if reason == "cancelled":
        sent = (p.sent for p in record.prompts if p.session == prompt.session and p.sent > prompt.sent)
        following = min(sent, default=len(record.lines))
        if following > answer:
            keyed = sorted({*keyed, *(i for i in after if i < following)})
    check = "S5" if reason == "cancelled" else "S12"
    summary = f"content came after prompt {prompt.name} was answered {reason}"
    ledger.expect(check, not keyed, summary, (prompt.sent, answer, *keyed[:3]))


def _mixing(ledger: Ledger) -> None:
    """Look whether two prompts' contents interleave: once the second one's began, the first one's is over."""
    record = ledger.record
    first, second = record.prompt("main"), record.prompt("overlap") or record.prompt("batched")
    if first is None or second is None or _is_quiet(record):
        return
    check = "L6" if second.role == "overlap" else "L7"
    order = [
        (i, first.key in line.text)
        for i, line in enumerate(record.lines)
        if i > first.sent
        and content_of(line, first.session)
        and (first.key in line.text) is not (second.key in line.text)
    ]
    began = next((i for i, is_first in order if not is_first), None)
    mixed = [i for i, is_first in order if is_first and began is not None and i > began]
    summary = f"content of prompt {first.name} came after content of prompt {second.name} had begun"
    ledger.expect(check, not mixed, summary, (began or 0, *mixed[:2]))


def _permission(ledger: Ledger) -> None:
    record = ledger.record
    fits = record.run.window.name == "permission" and record.run.command.name in {"cancel", "cancel-twice"}
    if fits and record.tool is not None:
        main = record.prompt("main")
        at = _at(record, main) if main is not None else ()
        summary = "the tool ran although its permission request was answered cancelled"
        ledger.expect("S7", not record.tool.ran, summary, at)
