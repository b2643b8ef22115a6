"""Owns the checks on processes and on work that should stop: S6, L3, L4, and an agent that ends unasked."""

from __future__ import annotations

from lifecycle_conformance.acp.ledger import Ledger


def check_processes(ledger: Ledger) -> None:
    """Look at the exit that was asked for, at one that was not, and at what a cancel stops."""
    _exit(ledger)
    _work(ledger)
    record = ledger.record
    if record.died is not None and not any(not record.answers(p.id) for p in record.prompts):
        summary = f"the agent exited {record.died} though nobody asked it to"
        ledger.expect(record.run.command.blame, False, summary, _last(ledger))
    if record.flooded:
        ledger.expect("S9", False, "the agent wrote more than the judge reads from one run", _last(ledger))


def _last(ledger: Ledger) -> tuple[int, ...]:
    return tuple(i for i, line in enumerate(ledger.record.lines) if line.way == "sent")[-2:]


def _exit(ledger: Ledger) -> None:
    ended = ledger.record.exit
    if ended is None:
        return
    check, asked = ("L3", "its input ended") if ended.cause == "eof" else ("L4", "SIGTERM")
    at = _last(ledger)
    ledger.expect(check, not ended.wait.lapsed, f"the agent did not exit after {asked}", at, ended.wait)
    if ended.after_term is not None:
        summary = "the agent did not exit after its input ended and SIGTERM"
        ledger.expect("L4", not ended.after_term.lapsed, summary, at, ended.after_term)
    what = "; ".join(sorted({_short(p.command) for p in ended.left})[:3])
    count = len(ended.left)
    summary = f"{count} process{'es' if count > 1 else ''} it started outlived the agent after {asked}: {what}"
    ledger.expect(check, not ended.left, summary, at, ended.gone)


def _short(command: str) -> str:
    name, _, rest = command.partition(" ")
    return f"{name.rpartition('/')[2]} {rest}".strip()[:80]


def _work(ledger: Ledger) -> None:
    record = ledger.record
    pairs = (
        (record.model_stopped, "the model request was still open"),
        (record.tool.stopped if record.tool is not None else None, "the tool's process was still running"),
    )
    for wait, summary in pairs:
        if wait is None:
            continue
        ledger.exercised.add("S6")
        if wait.lapsed:
            ledger.note("S6", f"after the cancelled answer {summary}", _last(ledger), wait)
    for prompt in record.prompts:
        for wait in prompt.waits:
            slow = wait.took is not None and wait.limit_name == "cancel" and wait.took > record.cancel_slow
            if slow and prompt.role == "main":
                limit = f"{record.cancel_slow:g} s (limit cancel_slow)"
                ledger.note("L8", f"the cancelled prompt was answered after more than {limit}")
