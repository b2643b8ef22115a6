"""Runs told in short words: what each allowed outcome of some bursts answered, showed and settled. Holds no test."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec

from lifecycle_model.commands import AnyCommand
from lifecycle_model.contract1 import contract
from lifecycle_model.engine import Engine
from lifecycle_model.quiet import perform
from lifecycle_model.state import Configuration, start
from lifecycle_model.wire import UNSET, Answer, Observation

ENGINE = Engine(contract())
ROWS: set[str] = set()
"""Rows taken by the runs told so far."""

WORDS = {
    "session/created": "s+",
    "session/disposed": "s-",
    "agent/created": "a+",
    "agent/disposed": "a-",
    "agent/session-start": "start",
    "turn/start": "TS",
    "turn/end": "TE",
    "user/message": "UM",
    "agent/inbox/enqueue": "enq",
    "agent/inbox/discard": "disc",
}
PAYLOAD = ("status", "source", "reason", "trigger", "message", "item", "gate", "name")


def create(ref: str, id_: str = "x", **more: Any) -> dict[str, Any]:
    """A create."""
    return {"do": "create", "as": ref, "id": id_, **more}


def resume(ref: str, id_: str = "x", **more: Any) -> dict[str, Any]:
    """A resume."""
    return {"do": "resume", "as": ref, "id": id_, **more}


def hold(gate: str, of: str, **more: Any) -> dict[str, Any]:
    """A hold that no abort ends."""
    return {"do": "hold", "gate": gate, "of": of, "sticky": True, **more}


def release(gate: str, of: str, outcome: Any = "ok", **more: Any) -> dict[str, Any]:
    """A release."""
    return {"do": "release", "gate": gate, "of": of, "with": outcome, **more}


def react(on: dict[str, Any], *then: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A reaction."""
    return {"do": "react", "on": on, "then": list(then), **more}


def on(event: str, of: str = "x", **more: Any) -> dict[str, Any]:
    """The pattern of an event."""
    return {"event": event, "of": of, **more}


def dispose(ref: str = "d1", agent: str = "x") -> dict[str, Any]:
    """A dispose by the agent."""
    return {"do": "dispose", "agent": agent, "as": ref}


def unload(fiber: str = "f1", ref: str = "u1") -> dict[str, Any]:
    """The unload of an owner."""
    return {"do": "unload_owner", "fiber": fiber, "as": ref}


def unload_provider(provider: str = "p1", ref: str = "u1") -> dict[str, Any]:
    """The unload of a provider."""
    return {"do": "unload_provider", "provider": provider, "as": ref}


def session(act: str, id_: str | None = "z", **more: Any) -> dict[str, Any]:
    """A verb of a session."""
    return {"do": "session", "act": act, **({} if id_ is None else {"id": id_}), **more}


def put(id_: str = "x", *records: dict[str, Any]) -> dict[str, Any]:
    """A log put into storage."""
    return {"do": "storage", "act": "put", "id": id_, "records": list(records)}


def storage(act: str, id_: str | None = "x") -> dict[str, Any]:
    """Another verb of storage."""
    return {"do": "storage", "act": act, **({} if id_ is None else {"id": id_})}


def send(message: str = "m1", agent: str = "x") -> dict[str, Any]:
    """A send."""
    return {"do": "send", "agent": agent, "message": message}


OPENED = {"event": "turn/start", "turn": 1, "trigger": "plugin"}
NOTED = {"event": "user/message", "message": "mP"}
CLOSED = {"event": "turn/end", "turn": 1, "reason": "completed"}


def burst(*commands: dict[str, Any]) -> tuple[AnyCommand, ...]:
    """Commands as the wire has them."""
    found: tuple[AnyCommand, ...] = msgspec.convert(list(commands), tuple[AnyCommand, ...])
    return found


def word(seen: Observation) -> str:
    """An observation in short."""
    if seen.event == "session/flush":
        return "FL" if seen.state == "start" else "FL." if seen.ok else "FL!"
    told = WORDS.get(seen.event, seen.event.rpartition("/")[2])
    payload = next((getattr(seen, one) for one in PAYLOAD if getattr(seen, one) is not UNSET), None)
    return told if payload is None else f"{told}({payload})"


def reply(answer: Answer | Observation) -> Any:
    """An answer in short: its refusal, its reference, or its value."""
    if answer.refused is not UNSET:
        return answer.refused
    if isinstance(answer, Answer) and answer.pending is not UNSET:
        return answer.pending
    if answer.value is not UNSET:
        return "value"
    return None if answer.ok is UNSET else msgspec.to_builtins(answer.ok)


@dataclass
class Tale:
    """One way a run may go: by burst what was answered, shown of each subject, and settled."""

    configuration: Configuration
    answers: list[list[Any]] = field(default_factory=list[list[Any]])
    shown: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    settled: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def read(self, **what: Any) -> Any:
        """What a read answers at the end."""
        (command,) = burst({"do": "read", **what})
        return reply(ENGINE.perform(self.configuration, command).answer)


def tell(*bursts: tuple[dict[str, Any], ...]) -> list[Tale]:
    """Every way the bursts may go."""
    tales = [Tale(start())]
    for commands in bursts:
        after: list[Tale] = []
        for tale in tales:
            for outcome in perform(ENGINE, tale.configuration, burst(*commands)):
                ROWS.update(row.id for row in outcome.rows)
                shown: dict[str, str] = {}
                for one in outcome.seen:
                    if one.event not in ("settled", "heard", "request", "output"):
                        shown[str(one.of)] = f"{shown.get(str(one.of), '')} {word(one)}".strip()
                settled = {str(one.of): reply(one) for one in outcome.seen if one.event == "settled"}
                answers = [reply(one) for one in outcome.answers]
                after.append(
                    Tale(
                        outcome.configuration, [*tale.answers, answers], [*tale.shown, shown], [*tale.settled, settled]
                    )
                )
        tales = after
    return tales


def only(*bursts: tuple[dict[str, Any], ...]) -> Tale:
    """The one way the bursts may go."""
    (tale,) = tell(*bursts)
    return tale
