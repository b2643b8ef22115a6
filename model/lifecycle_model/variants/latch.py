"""Variant `latch` assembled: the published TypeScript runtime's own contract. Refuses nothing: it is data.

Its tables S, Q, C and T replace contract 1's, so it is a contract of its own; what holds unchanged is in its clauses.
Where its text allows more than one thing, or is silent, the rows say what the published runtime does: the number in
`err` of a vetoed turn start (Q7L) is the last opened turn's; a failed request is recovered inside its step (C23);
`when_idle` first looks after the segment that asks (S7L); a latch whose replay finds maintenance stays with it (V1L);
a result's context enters next-step right after that result, so between a calling message and its last result the log
has calls and results only (Q16L); a call whose own record's observer aborts is not dispatched (C16L, C17L).
"""

from __future__ import annotations

from functools import cache
from typing import Any

from lifecycle_model.commands import AnyCommand, Read
from lifecycle_model.state import Configuration, OpenGate
from lifecycle_model.table import Contract, Machine
from lifecycle_model.variants import (
    latch_rows_cancel,
    latch_rows_driver,
    latch_rows_inbox,
    latch_rows_life,
    latch_rows_teardown,
    latch_rows_turn,
)
from lifecycle_model.variants.latch_clauses import LATCH_CLAUSES
from lifecycle_model.variants.latch_rows_life import fiber_name
from lifecycle_model.variants.latch_state import Creation, Fiber, LatchAgent
from lifecycle_model.wire import Answer

MACHINES = (
    Machine(
        "agent",
        "The activity of an agent; its status is in brackets in the variant's table S.",
        "place",
        ("Idle", "Maintenance", "Starting", "Open", "Halting", "Exiting"),
        "Idle",
        {"Idle": "idle", "Maintenance": "idle", "Starting": "running", "Open": "running", "Halting": "running", "Exiting": "running"},
    ),
    Machine(
        "turn",
        "The life of a turn: where its driver waits (C16L).",
        "at",
        ("NoTurn", "Opened", "Assembly", "PreStep", "Request", "Model", "Recovery", "Batch", "Tool", "Stopping", "Closing"),
        "NoTurn",
    ),
    Machine(
        "teardown",
        "The life of an agent, from its publication to the release of its records (T).",
        "life",
        ("Publishing", "Live", "Draining", "Unwinding", "Detaching", "Releasing", "Finished"),
        "Publishing",
    ),
    Machine("creation", "A create until its handle is returned (P).", "place",
            ("New", "SettingUp", "Publishing", "Returned", "Rejected"), "New"),
    Machine("owner", "An owner fiber.", "place", ("Active", "Unloaded"), "Active"),
)  # fmt: skip

VERBS = {
    "create": "create",
    "resume": "resume",
    "send": "send",
    "steer": "send",
    "inject": "send",
    "cancel": "cancel",
    "remove": "remove",
    "replace": "replace",
    "maintenance": "start_maintenance",
    "when_idle": "when_idle",
    "dispose": "dispose",
    "unload_owner": "unload_owner",
}

GATES = {
    "setup": ("ok", "tools", "commit", "commit_fail", "fail"),
    "validation": ("ok", "fail"),
    "assembly": ("ok", "fail"),
    "pre_step": ("ok", "reject", "fail"),
    "request": ("ok", "fail"),
    "model": ("finish", "chunk", "error", "tools", "max_tokens"),
    "recovery": ("fail", "retry"),
    "tool": ("ok", "fail"),
    "stopping": ("ok", "fail"),
    "maintenance": ("ok", "fail"),
    "scope": ("ok",),
}

SIGNALLED = frozenset({"assembly", "pre_step", "request", "model", "recovery", "tool", "stopping", "maintenance"})
"""Gates that are given the activity's signal."""

BLANKS = {"creation": Creation, "owner": Fiber}


def blank(machine: str, subject: str) -> Any:
    """A component that does not exist yet."""
    return BLANKS.get(machine, LatchAgent)(subject)


def subject_of(command: AnyCommand, configuration: Configuration) -> str:
    """The component a command is asked of: an agent by its name or handle, a creation by its reference, an owner fiber."""
    if command.verb in ("create", "resume") and not getattr(command, "sync", False):
        return str(getattr(command, "as_", ""))
    if command.verb == "unload_owner":
        return fiber_name(str(getattr(command, "fiber", "")))
    ref = getattr(command, "ref", None)
    if ref is not None:
        return next((str(agent.name) for agent in configuration.agents() if agent.handle == ref), str(ref))
    return str(getattr(command, "agent", None) or getattr(command, "id", None) or "")


def signal_of(configuration: Configuration, gate: OpenGate) -> str | None:
    """The reason of the aborted signal a gate was given."""
    part = configuration.get(gate.of)
    if gate.kind in SIGNALLED and isinstance(part, LatchAgent) and part.holder not in (None, "live"):
        return part.holder
    return None


def read(command: AnyCommand, configuration: Configuration) -> Answer:
    """Answer a read with the lookups of the variant: both inbox lists, the status, the log, the registry."""
    assert isinstance(command, Read)
    agents = [one for one in configuration.agents() if isinstance(one, LatchAgent)]
    if command.registry:
        listed = [one for one in agents if one.entered]
        roots = [one.name for one in listed if not isinstance(configuration.get(one.owner), LatchAgent)]
        return Answer(ok={"agents": [one.name for one in listed], "roots": roots})
    name = command.agent or command.session
    agent = configuration.get(name) if name else None
    if not isinstance(agent, LatchAgent):
        return Answer(refused="not_live")
    log: dict[str, object] = {"log": list(agent.log)} if configuration.world.keep_log else {}
    if command.agent is None:
        return Answer(ok=log)
    lists = {"queued": [item.id for item in agent.queued], "steering": [item.id for item in agent.steering]}
    return Answer(ok={"status": agent.status, **lists, **log})


@cache
def latch() -> Contract:
    """The variant: tables S, Q, C and T of its text, with the creation and the teardown of P and T that they need."""
    modules = (
        latch_rows_life,
        latch_rows_inbox,
        latch_rows_cancel,
        latch_rows_driver,
        latch_rows_turn,
        latch_rows_teardown,
    )
    return Contract(
        name="latch",
        machines=MACHINES,
        programs=tuple(program for module in modules for program in module.PROGRAMS),
        rows=tuple(row for module in modules for row in module.ROWS),
        verbs=VERBS,
        gates=GATES,
        blank=blank,
        subject=subject_of,
        read=read,
        signal=signal_of,
        clauses=LATCH_CLAUSES,
        raising=frozenset({"agent/created", "session/created", "session/flush"}),
        vetoing=frozenset({"agent/created", "session/created"}),
    )
