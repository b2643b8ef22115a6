"""Variant `latch` assembled: the published TypeScript runtime's own contract. Refuses nothing: it is data.

It overlays contract 1: what creates, owns, stores and resumes (P, L, D) holds but for single rows, its tables S, Q, C
and T replace contract 1's.
Where its text allows more than one thing, or is silent, the rows say what the published runtime does: the number in
`err` of a vetoed turn start (Q7L) is the last opened turn's; a failed request is recovered inside its step (C23);
`when_idle` first looks after the segment that asks (S7L); a latch whose replay finds maintenance stays with it (V1L);
a result's context enters next-step right after that result, so between a calling message and its last result the log
has calls and results only (Q16L); a call whose own record's observer aborts is not dispatched (C16L, C17L); others may
act between a message and its step's end, and between the scope's end and a- (X4L, X9L); a session that logged nothing,
not even input, is not stored (D/r4); what a resume restores parks, and nothing is published for it (D8L); a load that settles after its creation was deactivated is inert, whatever it found (P6); nobody gives a
configured agent a setup (G/r2).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from lifecycle_model import contract1, lookups, subjects
from lifecycle_model.commands import AnyCommand, Read
from lifecycle_model.parts import Persistence, PromptSlot, Transaction
from lifecycle_model.rows import (
    admission,
    asides,
    bridge,
    config,
    durability,
    entries,
    owners,
    prompts,
    publication,
    rejection,
)
from lifecycle_model.state import Agent, Configuration, OpenGate
from lifecycle_model.table import Contract, Machine, Program, Row
from lifecycle_model.variants import (
    latch_rows_bridge,
    latch_rows_cancel,
    latch_rows_driver,
    latch_rows_inbox,
    latch_rows_life,
    latch_rows_storage,
    latch_rows_teardown,
    latch_rows_turn,
)
from lifecycle_model.variants.latch_clauses import LATCH_CLAUSES
from lifecycle_model.variants.latch_rows_life import UNWINDING
from lifecycle_model.variants.latch_state import LatchAgent, LatchTransaction
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
)  # fmt: skip

VERBS = {
    "inject": "send",
    "remove": "remove",
    "replace": "replace",
    "maintenance": "start_maintenance",
}
"""Verbs that contract 1 lacks, or performs otherwise."""

GATES = {
    "setup": ("ok", "tools", "commit", "commit_fail", "fail"),
    "load": ("ok", "missing", "fail"),
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
    "flush": ("ok", "fail"),
    "admission": ("ok",),
    "output": ("ok", "fail"),
    "config_lookup": ("default", "found", "missing", "fail"),
}

SIGNALLED = frozenset({"assembly", "pre_step", "request", "model", "recovery", "tool", "stopping", "maintenance"})
"""Gates that are given the activity's signal."""


def blank(machine: str, subject: str) -> Any:
    """A component that does not exist yet."""
    part = subjects.blank(machine, subject)
    if isinstance(part, Agent):
        return LatchAgent(subject)
    return LatchTransaction(part.name) if isinstance(part, Transaction) else part


def signal_of(configuration: Configuration, gate: OpenGate) -> str | None:
    """The reason of the aborted signal a gate was given."""
    part = configuration.get(gate.on or gate.of)
    if isinstance(part, PromptSlot):
        return "user" if gate.kind == "admission" and part.flagged else None
    if not isinstance(part, LatchAgent):
        return contract1.signal_of(configuration, gate)
    return part.holder if gate.kind in SIGNALLED and part.holder not in (None, "live") else None


def waits(configuration: Configuration, gate: OpenGate) -> bool:
    """As in contract 1, but a configured resume waits for persistence alone, and an exact id only where that is there."""
    if gate.kind != "await":
        return contract1.waits(configuration, gate)
    starter = configuration[gate.on]
    there = (configuration.get("persistence") or Persistence()).on
    return not there if starter.resume else there and contract1.start_waits(configuration, starter)


def scope_of(configuration: Configuration, name: str) -> tuple[str, str]:
    """The scope of an agent, or of one being set up; refused where there is none, or it unwinds."""
    agent = configuration.get(name)
    if isinstance(agent, LatchAgent) and agent.life in UNWINDING and agent.handle:
        return "", "inactive_owner"
    return contract1.scope_of(configuration, name)


def read_agent(command: Read, configuration: Configuration) -> Answer:
    """Status, both inbox lists, the log and what is stored."""
    agent = configuration.get(str(command.agent))
    if not isinstance(agent, LatchAgent):
        return Answer(refused="not_live")
    lists = {"queued": [item.id for item in agent.queued], "steering": [item.id for item in agent.steering]}
    kept = latch_rows_storage.shown(
        lookups.logs(configuration, agent.name, agent), configuration.get(f"log:{agent.name}")
    )
    return Answer(ok={"status": agent.status, **lists, **kept})


def read(command: AnyCommand, configuration: Configuration) -> Answer:
    """Answer a read: of an agent with the variant's lookups, of anything else with contract 1's."""
    assert isinstance(command, Read)
    if command.agent:
        return read_agent(command, configuration)
    answer = lookups.read(command, configuration)
    if command.session is None or not isinstance(answer.ok, dict):
        return answer
    return Answer(ok=latch_rows_storage.shown(answer.ok, configuration.get(f"log:{command.session}")))


HELD = (admission, publication, rejection, owners, entries, asides, durability, bridge, prompts, config)
"""Whose programs and rows hold, except as replaced or removed."""

REMOVED = frozenset({"task", "aside", "aside.flushed"}) | latch_rows_bridge.REMOVED
"""Programs that nothing replaces: setup begins in the segment that asks, nothing is appended out of band; of the bridge
see there."""

EXTENDED = latch_rows_life.EXTENDED | latch_rows_bridge.EXTENDED
"""Programs of contract 1 that have other steps here; their rows hold."""


EFFECTS = latch_rows_life.EFFECTS | latch_rows_storage.EFFECTS
"""Effects of contract 1 that the variant has otherwise, in whatever row."""


def now_said(clauses: tuple[str, ...]) -> tuple[str, ...]:
    """The clauses as the variant has them: its own version of each, without those it removes; of D7 it keeps D/r1."""
    own = ("D/r1" if one == "D7" else one if one in LATCH_CLAUSES else f"{one}L" for one in clauses)
    return tuple(dict.fromkeys(one for one in own if one in LATCH_CLAUSES))


def held(base: Contract, replaced: set[str]) -> tuple[tuple[Program, ...], tuple[Row, ...]]:
    """The programs and rows of contract 1 that hold, citing what the variant says of their clauses."""
    names = {one.id for module in HELD for one in module.PROGRAMS} - REMOVED - (replaced - EXTENDED)
    gone = replaced | latch_rows_life.DROPPED | latch_rows_bridge.DROPPED
    programs = (replace(one, clauses=now_said(one.clauses)) for one in base.programs if one.id in names - replaced)
    rows = (
        replace(one, clauses=now_said(one.clauses), effect=EFFECTS.get(one.effect, one.effect))
        for one in base.rows
        if one.program in names and one.id not in gone
    )
    return tuple(programs), tuple(rows)


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
        latch_rows_bridge,
        latch_rows_storage,
    )
    base = contract1.contract()
    programs = tuple(program for module in modules for program in module.PROGRAMS)
    rows = tuple(row for module in modules for row in module.ROWS)
    own = {row.id for row in rows} | {program.id for program in programs}
    held_programs, held_rows = held(base, own)
    names = {program.id for program in held_programs} | EXTENDED
    holding = {row.id for row in held_rows} | names | {row.id for row in rows if row.program in names}
    machines = (*MACHINES, latch_rows_bridge.MACHINE)
    moved = {row.machine for row in (*held_rows, *rows)} - {machine.name for machine in machines}
    every = {row.id for row in base.rows} | {program.id for program in base.programs} | base.clauses.keys()
    variant = base.overlay(
        "latch",
        drop=every - holding,
        programs=(*held_programs, *programs),
        rows=(*held_rows, *rows),
        machines=(*machines, *(one for one in base.machines if one.name in moved)),
        verbs={verb: program for verb, program in base.verbs.items() if program in names | own} | VERBS,
        ears=latch_rows_bridge.EARS,
        gates=GATES,
        blank=blank,
        read=read,
        signal=signal_of,
        waits=waits,
        scope=scope_of,
    )
    return replace(variant, clauses=LATCH_CLAUSES)
