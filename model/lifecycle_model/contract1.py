"""Contract 1 assembled: machines, programs, rows, and what can be read of a configuration. Refuses nothing: it is data."""

from __future__ import annotations

from functools import cache
from typing import Any

from lifecycle_model.clauses import CLAUSES
from lifecycle_model.commands import AnyCommand, Read
from lifecycle_model.rows import cancel, closing, driver, inbox, life, turn
from lifecycle_model.state import Agent, Configuration, OpenGate
from lifecycle_model.table import Contract, Machine
from lifecycle_model.wire import Answer

MACHINES = (
    Machine(
        "agent",
        "The life of an agent; its status is in brackets in the contract's table S.",
        "place",
        ("Unpublished", "Published", "Parked", "Woken", "Reserved", "Abandoned", "InTurn", "Cancelling", "Settling", "Between",
         "Disposing", "Quiet", "Gone"),
        "Unpublished",
        {"Unpublished": "idle", "Published": "idle", "Parked": "idle", "Woken": "idle", "Reserved": "running", "InTurn": "running",
         "Abandoned": "cancelling", "Cancelling": "cancelling", "Settling": "closing", "Between": "closing",
         "Disposing": "disposed", "Quiet": "disposed", "Gone": "disposed"},
    ),
    Machine(
        "turn",
        "The life of a message turn: where its driver waits (Q25).",
        "at",
        ("NoTurn", "Started", "Policy", "Step", "Assembly", "Prefix", "PreStep", "Model", "Recovery", "Batch", "Tool", "PostStep",
         "Continuation", "Stopping", "Flush"),
        "NoTurn",
        {"Step": "step", "Assembly": "step", "Prefix": "step", "PreStep": "step", "Model": "step", "Recovery": "step", "Batch": "step",
         "Tool": "step", "PostStep": "step"},
    ),
)  # fmt: skip

VERBS = {
    "create": "create",
    "send": "send",
    "steer": "send",
    "inject": "inject",
    "cancel": "cancel",
    "when_idle": "when_idle",
    "dispose": "dispose",
}

GATES = {
    "setup": ("ok", "fail"),
    "validation": ("ok", "fail"),
    "policy": ("allow", "block", "fail"),
    "assembly": ("ok", "fail"),
    "prefix": ("ok", "fail"),
    "pre_step": ("ok", "fail"),
    "model": ("finish", "chunk", "error", "tools", "max_tokens"),
    "recovery": ("fail", "retry"),
    "tool": ("ok", "fail"),
    "post_step": ("ok", "fail"),
    "continuation": ("default", "stop", "continue", "fail"),
    "stopping": ("ok", "terminal", "fail"),
    "flush": ("ok", "fail"),
    "scope": ("ok", "fail"),
    "driver": ("ok",),
}

TURN_GATES = frozenset(
    {"policy", "assembly", "prefix", "pre_step", "model", "recovery", "tool", "post_step", "continuation", "stopping"}
)
"""Gates that are given the turn's signal."""


def blank(machine: str, subject: str) -> Any:
    """A component that does not exist yet."""
    return Agent(name=subject)


def subject_of(command: AnyCommand, configuration: Configuration) -> str:
    """The component a command is asked of: an agent by its name, a handle by its reference."""
    ref = getattr(command, "ref", None)
    if ref is not None:
        for agent in configuration.agents():
            if agent.handle == ref:
                return str(agent.name)
    return str(getattr(command, "agent", None) or getattr(command, "id", None) or "")


def signal_of(configuration: Configuration, gate: OpenGate) -> str | None:
    """The reason of the aborted signal a gate was given."""
    part = configuration.get(gate.of)
    if gate.program == "driver.wake" and isinstance(part, Agent) and part.status == "disposed":
        return "disposed" if gate.kind == "arriving" else None
    if gate.kind in TURN_GATES and isinstance(part, Agent) and part.holder not in (None, "live"):
        return part.holder
    return None


def inspect(agent: Agent) -> dict[str, object]:
    """The contract's read-only snapshot."""
    return {
        "status": agent.status,
        "queued": [item.id for item in agent.queued],
        "steering": [item.id for item in agent.steering],
        "marker": agent.marker,
        "holder": agent.holder or "none",
        "turn": agent.turn if agent.open else None,
        "step": agent.step if agent.open and agent.step_open else None,
    }


def read(command: AnyCommand, configuration: Configuration) -> Answer:
    """Answer a read with the lookups the model keeps."""
    assert isinstance(command, Read)
    name = command.agent or command.session
    agent = configuration.get(name) if name else None
    if isinstance(agent, Agent) and command.session and not command.agent:
        return Answer(ok={"log": list(agent.log)} if configuration.world.keep_log else {})
    if isinstance(agent, Agent):
        found: dict[str, object] = {"status": agent.status, "inspect": inspect(agent), "registry": agent.entered}
        if configuration.world.keep_log:
            found["log"] = list(agent.log)
        return Answer(ok=found)
    if command.registry:
        return Answer(ok={"registry": [a.name for a in configuration.agents() if a.entered]})
    return Answer(refused="not_live")


@cache
def contract() -> Contract:
    """Contract version 1: sections S, Q and C, and T as far as disposing one agent needs it."""
    modules = (life, inbox, cancel, driver, turn, closing)
    return Contract(
        name="1",
        machines=MACHINES,
        programs=tuple(program for module in modules for program in module.PROGRAMS),
        rows=tuple(row for module in modules for row in module.ROWS),
        verbs=VERBS,
        gates=GATES,
        blank=blank,
        subject=subject_of,
        read=read,
        signal=signal_of,
        clauses=CLAUSES,
        raising=frozenset({"agent/created", "session/created", "session/flush"}),
    )
