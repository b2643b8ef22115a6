"""Contract 1 assembled: machines, programs, rows, gates and what they wait for. Refuses nothing: it is data."""

from __future__ import annotations

from functools import cache
from typing import Any

from lifecycle_model.clauses import CLAUSES
from lifecycle_model.lookups import read
from lifecycle_model.parts import (
    Background,
    Connection,
    Fiber,
    Persistence,
    Provider,
    Starter,
    Storage,
    Store,
    Transaction,
)
from lifecycle_model.rows import (
    admission,
    asides,
    bridge,
    cancel,
    closing,
    config,
    driver,
    durability,
    entries,
    executors,
    inbox,
    life,
    owners,
    prompts,
    publication,
    rejection,
    tasks,
    teardown,
    turn,
)
from lifecycle_model.state import Agent, Configuration, OpenGate
from lifecycle_model.subjects import blank, subject_of
from lifecycle_model.table import Contract, Machine
from lifecycle_model.wire import Observation

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
    Machine(
        "transaction",
        "One create or resume, from the call to its result (P); Live and Released while and after its agent lives.",
        "place",
        ("New", "Preparing", "Loading", "Minting", "SettingUp", "Publishing", "Unwinding", "Live", "Released", "Rejected"),
        "New",
        {"Preparing": "admitted", "Loading": "admitted", "Minting": "birth", "SettingUp": "birth", "Live": "returned", "Released": "returned"},
    ),
    Machine("entry", "A session in its store (L).", "entry", ("Unattached", "Entered", "Announced", "Gone"), "Unattached",
            {"Entered": "live", "Announced": "live"}),
    Machine("listing", "An agent in the registry (L).", "listing", ("Unlisted", "Entered", "Announced", "Gone"), "Unlisted",
            {"Entered": "live", "Announced": "live"}),
    Machine("owner", "A context that calls create and resume, until it is unloaded.", "place", ("Active", "Unloading", "Unloaded"), "Active"),
    Machine("provider", "A provider of agents (P13, P15).", "place", ("Serving", "Quiescing", "Stopped"), "Serving"),
    Machine("storage", "What is stored under an id (D).", "place", ("Absent", "Stored", "Buffering"), "Absent"),
    Machine("task", "A background task (O); Exited is a killed one whose process is gone.", "place",
            ("None", "Running", "Killed", "Exited", "Completed"), "None", {"Killed": "ended", "Exited": "ended", "Completed": "ended"}),
    Machine("executor", "An executor of background tasks (O).", "place", ("Loaded", "Unloading", "Unloaded"), "Loaded"),
    Machine("starter", "A config-started agent of a provider (G).", "place",
            ("Configured", "Waiting", "Looking", "Starting", "Started", "Failed", "GivenUp"), "Configured",
            {"Waiting": "starting", "Looking": "starting", "Starting": "starting"}),
    Machine("connection", "A client's connection to the bridge (A).", "place", ("Closed", "Open", "Closing"), "Closed"),
    Machine("slot", "A bridge session's record and its prompt slot (A); Unwanted is a session that came after closing.", "place",
            ("None", "Free", "Sent", "Claimed", "Draining", "Unwanted"), "None", {"Sent": "occupied", "Claimed": "occupied", "Draining": "occupied"}),
    Machine("tool", "The plugin that gives notices of completions (O).", "place", ("Loaded", "Unloaded"), "Loaded"),
)  # fmt: skip

VERBS = {
    "create": "create",
    "resume": "create",
    "abort": "abort",
    "send": "send",
    "steer": "send",
    "inject": "inject",
    "cancel": "cancel",
    "when_idle": "when_idle",
    "mutate": "mutate",
    "dispose": "dispose",
    "unload_owner": "unload_owner",
    "unload_provider": "unload_provider",
    "load_provider": "load_provider",
    "session": "session",
    "storage": "storage",
    "task": "background",
    "tool": "plugin",
    "executor": "executor",
    "acp": "acp",
}

GATES = {
    "setup": ("ok", "tools", "fail"),
    "scope_mint": ("ok", "fail"),
    "load": ("ok", "missing", "fail"),
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
    "output": ("ok", "fail"),
    "config_lookup": ("default", "found", "missing", "fail"),
    "driver": ("ok",),
}

TURN_GATES = frozenset(
    {"policy", "assembly", "prefix", "pre_step", "model", "recovery", "tool", "post_step", "continuation", "stopping"}
)
"""Gates that are given the turn's signal."""

BIRTH_GATES = frozenset({"load", "setup"})
"""Gates that are given the creation signal."""


def address(kind: str, part: Any) -> dict[str, Any]:
    """What a gate shows of its component: a scope is the agent's, a setup is given the log."""
    if isinstance(part, Transaction):
        shown: dict[str, Any] = {"of": part.id if kind == "scope" else part.name.partition("@")[0]}
        if kind == "setup":
            shown["length"] = len(part.log)
        return shown
    return {"of": part.name}


def signal_of(configuration: Configuration, gate: OpenGate) -> str | None:
    """The reason of the aborted signal a gate was given; nothing where something else has ended the wait."""
    part = configuration.get(gate.on or gate.of)
    if gate.kind in BIRTH_GATES and isinstance(part, Transaction):
        return part.signal or ("" if part.reason else None)  # an unload ends the wait without aborting the signal
    if gate.program == "driver.wake" and isinstance(part, Agent) and part.status == "disposed":
        return "disposed" if gate.kind == "arriving" else None
    if gate.kind in TURN_GATES and isinstance(part, Agent) and part.holder not in (None, "live"):
        return part.holder
    return None


def waits(configuration: Configuration, gate: OpenGate) -> bool:
    """D5: a load waits for another of its id, a live session's flush and its storage for a load that is still wanted."""
    if gate.kind == "await":
        return start_waits(configuration, configuration[gate.on])
    if gate.kind not in ("queue", "flush", "store"):
        return False
    tx = configuration.get(gate.on) if gate.kind == "queue" else None
    log = configuration.get(f"log:{tx.id if isinstance(tx, Transaction) else gate.of}")
    if not isinstance(log, Storage) or not log.loading:
        return False
    if isinstance(tx, Transaction):
        return not tx.reason
    return gate.kind == "store" or log.live == (gate.on or gate.of)


def start_waits(configuration: Configuration, starter: Starter) -> bool:
    """G3: an exact id waits until same-id entries are gone; a resume id for persistence, too."""
    if starter.resume and not (configuration.get("persistence") or Persistence()).on:
        return True
    id_ = starter.id or starter.resume
    agent = configuration.get(id_)
    entered = isinstance(agent, Agent) and (agent.stored or agent.entered)
    return entered or any(one == id_ for one, _ in (configuration.get("store:s1") or Store()).entries)


def together(configuration: Configuration, gate: OpenGate) -> str:
    """Gates of one id, and of agents made through its agent's ctx, are one group; an unload's touch all."""
    part = configuration.get(gate.on or gate.of)
    if isinstance(part, Fiber | Provider | Connection | Starter):
        return ""
    name = part.id if isinstance(part, Transaction) else gate.of
    if isinstance(part, Background):
        name = _heard_by(configuration, part)
        part = configuration.get(name)
    seen: set[str] = set()
    while name not in seen:
        seen.add(name)
        if not isinstance(part, Transaction):
            part = configuration.get(f"tx:{getattr(part, 'handle', '')}")
        if not isinstance(part, Transaction) or not part.owner.startswith("tx:"):
            break
        part = configuration.get(part.owner)
        name = part.id if isinstance(part, Transaction) else name
    return name


def _heard_by(configuration: Configuration, task: Background) -> str:
    """What the end of a task touches: its executor while it is unloaded, else its owner, else nothing but itself."""
    executor = configuration.get(task.executor)
    if executor is not None and executor.place != "Loaded":
        return task.executor
    return f"task:{task.name}" if task.token is None else task.token


def scope_of(configuration: Configuration, name: str) -> tuple[str, str]:
    """The scope of an agent, or of one being set up: its transaction; refused where there is none, or it has unwound."""
    agent = configuration.get(name)
    if isinstance(agent, Agent) and agent.place != "Gone":
        return f"tx:{agent.handle}", ""
    others = [one for one in configuration if isinstance(part := configuration[one], Transaction) and part.id == name]
    for one in reversed(others):
        if configuration[one].place == "SettingUp":
            return one, ""
    known = isinstance(agent, Agent) or any(configuration[one].known for one in others)
    return "", "inactive_owner" if known else "not_live"


def unheard(observation: Observation) -> bool:
    """Nobody listens to a settled flush."""
    return observation.event == "session/flush" and observation.state == "settled"


@cache
def contract() -> Contract:
    """Contract version 1: every section and optional policy."""
    modules = (
        admission,
        publication,
        rejection,
        life,
        inbox,
        cancel,
        driver,
        turn,
        closing,
        teardown,
        owners,
        entries,
        asides,
        durability,
        tasks,
        executors,
        bridge,
        prompts,
        config,
    )
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
        vetoing=frozenset({"agent/created", "session/created"}),
        unheard=unheard,
        listened=frozenset({"flush"}),
        address=address,
        waits=waits,
        together=together,
        ears=prompts.EARS,
        scope=scope_of,
    )
