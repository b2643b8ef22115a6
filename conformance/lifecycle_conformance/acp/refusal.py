"""Owns saying why an agent cannot be judged: it exited, hangs, wants a login, the network or a terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lifecycle_conformance.acp import processes
from lifecycle_conformance.acp.errors import OutOfReach, Why
from lifecycle_conformance.acp.record import Wait

if TYPE_CHECKING:
    from lifecycle_conformance.acp.stage import Stage

_TERMINAL = re.compile(
    r"not (a|from a|to a|connected to a) (tty|terminal)|isatty|stdin is not|(requires?|needs?|without) a (tty|terminal)"
    r"|(no|get|open|allocate a?) ?(controlling )?(tty|terminal)\b|tty get|/dev/tty|inappropriate ioctl"
    r"|interactive (terminal|mode)|curses|raw mode|TERM environment variable",
    re.I,
)
_LOGIN = re.compile(r"log ?in|logged in|sign ?in|unauthori[sz]ed|authenticat|api[ _-]?key|credential|\b401\b", re.I)
_NETWORK = re.compile(
    r"ENOTFOUND|ECONNREFUSED|EAI_AGAIN|getaddrinfo|name resolution|network is unreachable|fetch failed"
    r"|connection (error|refused)|proxy|max retries|offline",
    re.I,
)
_NEEDS: dict[Why, str] = {
    "terminal": "it seems to need a terminal",
    "login": "it seems to need a login",
    "network": "it seems to need the network",
}


def classify(text: str, outside: list[str]) -> Why | None:
    """Tell from what an agent said, and where it tried to connect, what it lacks."""
    if _TERMINAL.search(text):
        return "terminal"
    if _LOGIN.search(text):
        return "login"
    return "network" if outside or _NETWORK.search(text) else None


def recognise(stage: Stage, asked: str, answer: dict[str, Any] | None, wait: Wait | None) -> OutOfReach:
    """Make the error that says why `asked` brought no result."""
    wire = stage.wire
    outside = stage.model.log.outside + processes.outside(stage.processes())
    garbage = [line.text for line in wire.lines if line.way == "came" and line.message is None and line.text]
    said = "\n".join((wire.stderr, *garbage[-5:]))
    if answer is not None:
        error: dict[str, Any] = answer.get("error") or {}
        if error.get("code") == -32000:
            return OutOfReach("login", f"{asked} was answered with -32000: {error.get('message')}; set authenticate")
        why = classify(f"{error}", outside) or "protocol"
        return OutOfReach(why, f"{asked} was answered with an error: {error}{_tail(why, outside, '')}")
    if wire.flooded:
        text = f"it wrote more than this judge reads from one run ({len(wire.lines)} lines) before answering {asked}"
        return OutOfReach("protocol", text)
    if wire.returncode is not None:
        why = classify(said, outside) or "start"
        return OutOfReach(why, f"it exited {wire.returncode} before answering {asked}{_tail(why, outside, said)}")
    limit = f"{wait.limit:g} s (limit {wait.limit_name})" if wait is not None else "the limit"
    why = classify(said, outside) or ("terminal" if garbage else "timeout")
    return OutOfReach(why, f"it did not answer {asked} within {limit}{_tail(why, outside, said)}")


def _tail(why: Why, outside: list[str], said: str) -> str:
    parts = [_NEEDS[why]] if why in _NEEDS else []
    if outside:
        parts.append("it tried to reach " + ", ".join(sorted(set(outside))[:3]))
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    if lines:
        parts.append(f"its last words: {lines[-1][:200]}")
    return "".join(f"; {part}" for part in parts)
