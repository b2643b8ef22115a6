"""Which component a command of contract 1 is asked of, and what one is that does not exist yet. Changes nothing."""

from __future__ import annotations

from typing import Any

from lifecycle_model.commands import (
    Acp,
    AnyCommand,
    Create,
    Dispose,
    Executor,
    LoadProvider,
    Resume,
    Session,
    Storage,
    Task,
    Tool,
    UnloadProvider,
)
from lifecycle_model.lookups import session_named
from lifecycle_model.parts import (
    Background,
    Connection,
    Fiber,
    Link,
    Present,
    PromptSlot,
    Provider,
    Slot,
    Starter,
    Transaction,
)
from lifecycle_model.parts import Executor as ExecutorPart
from lifecycle_model.parts import Session as SessionPart
from lifecycle_model.parts import Storage as StoragePart
from lifecycle_model.parts import Tool as ToolPart
from lifecycle_model.state import Agent, Configuration


def blank(machine: str, subject: str) -> Any:
    """A component that does not exist yet."""
    name = subject.partition(":")[2]
    match machine:
        case "transaction":
            return Transaction(name)
        case "owner":
            return Fiber(name)
        case "provider":
            return Provider(name)
        case "storage":
            return StoragePart(name)
        case "task":
            return Background(name)
        case "executor":
            return ExecutorPart(subject)
        case "tool":
            return ToolPart()
        case "connection":
            return Connection(subject)
        case "slot":
            return PromptSlot(name)
        case "starter":
            return Starter(name)
        case "entry" if subject.startswith("session:"):
            return SessionPart(name)
        case _:
            return Agent(name=subject)


def subject_of(command: AnyCommand, configuration: Configuration) -> str:
    """The component a command is asked of: an agent by its name, a handle by its reference."""
    match command:
        case Create() | Resume():
            return f"tx:{command.as_}"
        case Dispose(ref=str(ref)):
            return handle_of(configuration, ref)
        case Session():
            return session_named(command, configuration)
        case Storage():
            return f"log:{command.id}" if command.id is not None else "persistence"
        case Task():
            return f"task:{command.task}"
        case Acp():
            return (
                f"slot:{command.session}"
                if command.act in ("prompt", "cancel")
                else _connection(configuration, command.act)
            )
        case Executor():
            return _executor(configuration, command.act)
        case Tool():
            return "tool"
        case UnloadProvider():
            return _provider(configuration, command.provider)
        case LoadProvider():
            return _unused(configuration, f"provider:{command.as_}")
        case _:
            reference, fiber = getattr(command, "ref", None), getattr(command, "fiber", None)
            if reference is not None or fiber is not None:
                return f"tx:{reference}" if reference is not None else f"fiber:{fiber}"
            return str(getattr(command, "agent", None) or getattr(command, "id", None) or "")


def handle_of(configuration: Configuration, ref: str) -> str:
    """The agent a handle was returned for, an earlier life of its id, or the transaction where nothing is left of it."""
    for name in configuration:
        part = configuration[name]
        if isinstance(part, Agent) and part.handle == ref:
            return name
    return f"tx:{ref}"


def _provider(configuration: Configuration, name: str) -> str:
    """The component of a provider: the one that serves, else the one registered last."""
    slot: Slot = configuration.get("provider") or Slot()
    serving = configuration.get(slot.holder) or Provider(slot.holder.partition(":")[2])
    if serving.name == name:
        return slot.holder
    known = [
        one for one in configuration if isinstance(configuration[one], Provider) and configuration[one].name == name
    ]
    return max(known, key=len, default=f"provider:{name}")


def _executor(configuration: Configuration, act: str) -> str:
    """The component of the executor present, or a new one to be loaded; else the one that was unloaded last."""
    there = (configuration.get("present") or Present()).executor
    known = [name for name in configuration if isinstance(configuration[name], ExecutorPart)]
    if there:
        return str(there)
    if act == "load":
        free = (f"executor:{number}" for number in range(1, len(known) + 2))
        return next(name for name in free if name not in known or configuration[name].place == "Unloaded")
    return max(known)


def _connection(configuration: Configuration, act: str) -> str:
    """The component of the connection opened last, or of a new one; one of which something is left is not opened again."""
    last = (configuration.get("link") or Link()).connection or "connection:1"
    there = configuration.get(last)
    parts = (configuration[name] for name in configuration)
    owed = any(isinstance(part, PromptSlot) and part.connection == last for part in parts)
    if act != "connect" or there is None or there.place == "Open" or (there.place == "Closed" and not owed):
        return str(last)
    return f"connection:{1 + sum(isinstance(configuration[name], Connection) for name in configuration)}"


def _unused(configuration: Configuration, name: str) -> str:
    """A component for a provider: an earlier one of this name may still quiesce."""
    while name in configuration and configuration[name].place != "Stopped":
        name += "~"
    return name
