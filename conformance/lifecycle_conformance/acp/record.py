"""Owns what one run left to judge: lines, prompts, calls, waits and processes; refuses to judge them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from lifecycle_conformance.acp.fakemodel import ModelRequest
from lifecycle_conformance.acp.processes import Process
from lifecycle_conformance.acp.table import Run
from lifecycle_conformance.acp.wire import Line

Role = Literal["main", "overlap", "batched", "other", "follow-up", "unknown", "closed"]
CONTENT = frozenset({"agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan"})


@dataclass(slots=True)
class Wait:
    """Something waited for: the limit, how long it took (None: it did not come), and how busy the machine was."""

    what: str
    limit_name: str
    limit: float
    took: float | None
    delay: float

    @property
    def lapsed(self) -> bool:
        """Tell whether the limit passed."""
        return self.took is None

    @property
    def trusted(self) -> bool:
        """Tell whether a lapse may be held against the agent: the machine cost it less than a fifth of the limit."""
        return self.delay < self.limit / 5


@dataclass(slots=True)
class Prompt:
    """One session/prompt: its letter, its key in the text, where it was sent, and what became of it."""

    name: str
    role: Role
    key: str
    session: str
    id: int
    sent: int
    cancelled: int | None = None
    closed: int | None = None
    released: bool = False
    waits: list[Wait] = field(default_factory=list[Wait])


@dataclass(slots=True)
class Call:
    """Any other request of ours: what it was for, where it was sent, and the wait for its answer."""

    purpose: str
    method: str
    id: int
    sent: int
    session: str | None
    wait: Wait | None = None


@dataclass(slots=True)
class Exit:
    """How the agent's process ended after it was asked to, and what was left then."""

    cause: Literal["eof", "sigterm"]
    wait: Wait
    left: list[Process]
    gone: Wait | None = None
    after_term: Wait | None = None


@dataclass(slots=True)
class ToolFact:
    """The shell command a scenario has the model ask for: what it looks like, whether it ever ran."""

    command: str
    ran: bool = False
    stopped: Wait | None = None


@dataclass(slots=True)
class Record:
    """All that is known about one run."""

    run: Run
    lines: list[Line] = field(default_factory=list[Line])
    prompts: list[Prompt] = field(default_factory=list[Prompt])
    calls: list[Call] = field(default_factory=list[Call])
    requests: list[ModelRequest] = field(default_factory=list[ModelRequest])
    sessions: list[str] = field(default_factory=list[str])
    capabilities: dict[str, Any] = field(default_factory=dict[str, Any])
    tool: ToolFact | None = None
    model_stopped: Wait | None = None
    exit: Exit | None = None
    died: int | None = None
    flooded: bool = False
    gated: bool = True
    turn_takes: float = 0.0
    reports: bool = False
    doubles: bool = False
    remembers: bool = False
    cancel_slow: float = 2.0

    def answers(self, identity: int) -> list[int]:
        """Return the positions of the lines that answer a request of ours."""
        return [
            i
            for i, line in enumerate(self.lines)
            if line.way == "came" and line.is_response and (line.message or {}).get("id") == identity
        ]

    def answer(self, identity: int) -> dict[str, Any] | None:
        """Return the first answer to a request of ours."""
        found = self.answers(identity)
        return self.lines[found[0]].message if found else None

    def stop_reason(self, prompt: Prompt) -> str | None:
        """Return how a prompt was answered: its stop reason, `error`, or None if it was not answered."""
        return stop_reason(self.answer(prompt.id))

    def reached(self, prompt: Prompt) -> bool:
        """Tell whether a prompt's text was in a request to the model that came before the prompt's answer.

        Both moments are ours: an agent that waits for its model answers only after we have answered it, so on
        however slow a machine the request comes first. One that comes later did not lead to that answer.
        """
        found = self.answers(prompt.id)
        end = self.lines[found[0]].at if found else float("inf")
        return any(prompt.key in r.keys and r.opened < end for r in self.requests if not r.auxiliary)

    def unreported(self, prompt: Prompt) -> bool:
        """Tell whether the model finished a text for a prompt before its answer and none of it came as content."""
        found = self.answers(prompt.id)
        if not found:
            return False
        end = self.lines[found[0]].at
        said = (r for r in self.requests if r.key == prompt.key and r.chunks and not r.auxiliary)
        content = self.content(prompt.session, prompt.sent, found[0])
        told = any(prompt.key in self.lines[i].text for i in content)
        return not told and any(r.ended is not None and r.state == "finished" and r.ended < end for r in said)

    def prompt(self, role: Role) -> Prompt | None:
        """Return the first prompt of a role."""
        return next((p for p in self.prompts if p.role == role), None)

    def content(self, session: str, start: int, end: int | None = None) -> list[int]:
        """Return the positions of turn content for a session in a part of the wire."""
        stop = len(self.lines) if end is None else end
        return [i for i in range(start, stop) if content_of(self.lines[i], session) is not None]


def stop_reason(answer: dict[str, Any] | None) -> str | None:
    """Return the stop reason an answer carries, `error` for an error, `nothing` for a result without one."""
    if answer is None:
        return None
    if "error" in answer:
        return "error"
    result = answer.get("result")
    reason = result.get("stopReason") if isinstance(result, dict) else None
    return reason if isinstance(reason, str) else "nothing"


def update_of(line: Line, session: str | None = None) -> dict[str, Any] | None:
    """Return the update a session/update line carries, or None."""
    message = line.message
    if line.way != "came" or message is None or message.get("method") != "session/update":
        return None
    params = message.get("params")
    if not isinstance(params, dict) or (session is not None and params.get("sessionId") != session):
        return None
    update = params.get("update")
    return update if isinstance(update, dict) else None


def content_of(line: Line, session: str) -> dict[str, Any] | None:
    """Return the update if it is content of a turn of this session (what may not follow the turn's answer)."""
    update = update_of(line, session)
    return update if update is not None and update.get("sessionUpdate") in CONTENT else None
