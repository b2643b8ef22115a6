"""What can be asked of a configuration, found by asking it: which row answers, and the clauses that forbid the rest.

The model is pure, so every candidate is performed on the side and forgotten. Refuses to know a rule: the rows answer.
"""

from __future__ import annotations

from collections.abc import Iterator

from lifecycle_model.commands import (
    Abort,
    Acp,
    AnyCommand,
    Cancel,
    Create,
    Dispose,
    Executor,
    Inject,
    LoadProvider,
    Resume,
    Send,
    Session,
    Steer,
    Storage,
    Task,
    Tick,
    Tool,
    UnloadOwner,
    UnloadProvider,
    WhenIdle,
)
from lifecycle_model.engine import Engine
from lifecycle_model.parts import Background, Objects, PromptSlot, Provider, Transaction
from lifecycle_model.parts import Storage as StoragePart
from lifecycle_model.rows.bridge import OWNER
from lifecycle_model.state import Configuration
from lifecycle_model.wire import UNSET

REF = "?"
"""The reference of a call that is asked on the side."""


def enabled(engine: Engine, here: Configuration) -> Iterator[tuple[str, str]]:
    """Every candidate command in words, with what the contract says to it now."""
    for words, command in candidates(here):
        if command.verb in engine.contract.verbs or isinstance(command, Tick):
            yield words, _said(engine, here, command)
    for gate in here.world.gates:
        if gate.outcome is None and not gate.silent:
            yield f"release {gate.kind} {gate.of}", "enabled, the gate waits"


def candidates(here: Configuration) -> Iterator[tuple[str, AnyCommand]]:
    """What the components there are may be asked."""
    yield "create new", Create("new", REF)
    for agent in here.agents():
        name = agent.name
        if "~" in name:
            continue
        yield f"send {name}", Send(name, REF)
        yield f"steer {name}", Steer(name, REF)
        yield f"inject {name}", Inject(name, REF)
        yield f"cancel {name}", Cancel(name)
        yield f"when_idle {name}", WhenIdle(name, REF)
        yield f"dispose {name}", Dispose(agent=name, as_=REF)
    for name in here:
        part, short = here[name], name.partition(":")[2]
        if isinstance(part, Transaction) and part.place not in ("Live", "Released", "Rejected"):
            yield f"abort {part.name}", Abort(part.name)
        elif name.startswith("fiber:") and part.records and short != OWNER and ":" not in short:
            yield f"unload_owner {short}", UnloadOwner(short, REF)
        elif isinstance(part, Provider):
            yield f"unload_provider {part.name}", UnloadProvider(part.name, REF)
        elif isinstance(part, StoragePart):
            yield f"resume {part.name}", Resume(part.name, REF)
            yield f"storage load {part.name}", Storage("load", part.name)
            yield f"acp load {part.name}", Acp("load", part.name, as_=REF)
        elif isinstance(part, Background):
            for act in ("read", "kill", "finish", "abort"):
                yield f"task {act} {part.name}", Task(act, part.name)
        elif isinstance(part, PromptSlot):
            yield f"acp prompt {part.name}", Acp("prompt", part.name, REF, REF)
            yield f"acp cancel {part.name}", Acp("cancel", part.name)
        elif isinstance(part, Objects):
            for known, id_, _ in part.known:
                for act in ("enter", "announce", "detach"):
                    yield f"session {act} {known}", Session(act, known, id_)
    yield "load_provider new", LoadProvider("new")
    yield "task start new", Task("start", "new")
    yield "tool unload", Tool("unload")
    yield "executor unload", Executor("unload", REF)
    for act in ("connect", "disconnect", "teardown"):
        yield f"acp {act}", Acp(act, as_=REF)
    yield "acp new new", Acp("new", "new", as_=REF)
    for name in sorted(here.world.stepped):
        yield f"tick {name}", Tick(name)


def _said(engine: Engine, here: Configuration, command: AnyCommand) -> str:
    segment = engine.perform(here, command)
    clauses = f" ({' '.join(segment.rows[-1].clauses[:3])})" if segment.rows else ""
    settled = next((one for one in segment.seen if one.event == "settled" and one.of == REF), None)
    for answer in (segment.answer, settled):
        if answer is not None and answer.refused is not UNSET:
            code = "" if answer.refused == "*" else f", {answer.refused}"
            return f"refused{code}{clauses}"
    if segment.configuration == here and not segment.seen:
        return f"changes nothing{clauses}"
    first = next((row for row in segment.rows if row.effect is not None or row.to is not None), None)
    return f"enabled ({' '.join(first.clauses[:3])})" if first is not None else "enabled"
