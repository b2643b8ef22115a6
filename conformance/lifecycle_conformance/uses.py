"""The names of a walk over a whole system: fresh ones for each use, known ones for what is about something there is.

Also what there is no answer to, and so is not asked. Works on the model alone; refuses to choose an act.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

from msgspec.structs import replace

from lifecycle_conformance.words import Namer
from lifecycle_model.cells import EACH
from lifecycle_model.commands import (
    Acp,
    AnyCommand,
    ConfigAgent,
    Create,
    Dispose,
    LoadProvider,
    Resume,
    Session,
    Storage,
    Task,
    UnloadProvider,
)
from lifecycle_model.labels import KINDS
from lifecycle_model.parts import Background, Present, Starter, Transaction
from lifecycle_model.parts import Storage as StoredLog
from lifecycle_model.state import Agent, Configuration

LATEST = 4
"""Ids, tasks, objects and creations that an act may be about: so many of the last made."""


@dataclass
class Uses:
    """What a walk has named so far."""

    chance: Random
    names: tuple[str, ...]
    """The ids that the ground speaks of."""
    any_name: bool
    """An act about one of them may be about any id there is."""
    ids: list[str]
    name: Namer = field(default_factory=Namer)
    tasks: list[str] = field(default_factory=list[str])
    objects: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Sessions made directly, with their id."""
    providers: list[str] = field(default_factory=lambda: ["p1"])

    def mark(self) -> tuple[dict[str, int], int, int, int, int]:
        """What was handed out so far."""
        return dict(self.name.counts), len(self.tasks), len(self.objects), len(self.providers), len(self.ids)

    def back(self, mark: tuple[dict[str, int], int, int, int, int]) -> None:
        """Take back what was handed out since."""
        self.name.counts, tasks, objects, providers, ids = mark
        del self.tasks[tasks:], self.objects[objects:], self.providers[providers:], self.ids[ids:]

    def filled(self, command: AnyCommand, here: Configuration) -> AnyCommand | None:
        """The act with names: fresh ones where they are new, one of those there are elsewhere; None where there is none."""
        changes: dict[str, Any] = {}
        if self.any_name:
            swapped = self._swapped(command)
            if swapped is None:
                return None
            command = swapped
        if isinstance(command, Task):
            task = self._task(command, here)
            if task is None:
                return None
            command = task
        elif isinstance(command, Session):
            command = self._session(command)
        elif isinstance(command, LoadProvider):
            return self._provider(command)
        elif isinstance(command, UnloadProvider):
            changes["provider"] = self.chance.choice(self.providers[-2:])
        if getattr(command, "ref", None) == EACH:
            refs = [one.name for one in map(here.get, here) if isinstance(one, Transaction)]
            if not refs:
                return None
            changes["ref"] = self.chance.choice(refs[-LATEST:])
        if getattr(command, "message", None) == "":
            changes["message"] = self.name.next("m")
        if getattr(command, "as_", None) == "" and command.verb in KINDS:
            changes["as_"] = self.name.next(KINDS[command.verb])
        return replace(command, **changes) if changes else command

    def _swapped(self, command: AnyCommand) -> AnyCommand | None:
        """The act about any of the ids; a session is created under one that was never used."""
        changes: dict[str, Any] = {}
        if isinstance(command, Acp) and command.act == "new":
            fresh = self.name.next("s")
            self.ids.append(fresh)
            return replace(command, session=fresh)
        for member in ("agent", "id", "session", "caller"):
            if getattr(command, member, None) in self.names:
                changes[member] = self.chance.choice(self.ids[-LATEST:])
        return replace(command, **changes) if changes else command

    def _task(self, command: Task, here: Configuration) -> Task | None:
        if command.act == "start":
            self.tasks.append(self.name.next("k"))
            return replace(command, task=self.tasks[-1])
        known = self.known_tasks(here)
        if command.act not in ("read", "kill"):
            # what happens to a process happens to one that there is
            known = [one for one in known if isinstance(here.get(f"task:{one}"), Background)]
            return replace(command, task=self.chance.choice(known)) if known else None
        return replace(command, task=self.chance.choice(known) if known else "k0")

    def known_tasks(self, here: Configuration) -> list[str]:
        """The tasks of the executor loaded last: a system uses their ids again (O11), so that earlier names are theirs."""
        found = [(one, here.get(f"task:{one}")) for one in self.tasks]
        last = next((task.executor for _, task in reversed(found) if isinstance(task, Background)), "")
        present: Present | None = here.get("present")
        last = present.executor if present is not None and present.executor else last
        return [one for one, task in found if isinstance(task, Background) and task.executor == last][-LATEST:]

    def _session(self, command: Session) -> Session:
        if command.act in ("create", "prepare"):
            self.objects.append((self.name.next("z"), str(command.id)))
            return replace(command, as_=self.objects[-1][0])
        if isinstance(command.record, dict) and command.record.get("event") == "user/message":
            command = replace(command, record={"event": "user/message", "message": self.name.next("m")})
        if command.act in ("flush", "append_out_of_band") or command.as_ is None:
            return command
        known = [one for one, _ in self.objects[-LATEST:]]
        return replace(command, as_=self.chance.choice(known) if known else "z0")

    def _provider(self, command: LoadProvider) -> LoadProvider:
        self.name.counts.setdefault("p", 1)
        self.providers.append(self.name.next("p"))
        configured = tuple(self._configured(one) for one in command.configured)
        return replace(command, as_=self.providers[-1], configured=configured)

    def _configured(self, agent: ConfigAgent) -> ConfigAgent:
        return replace(agent, label=self.name.next("l"))


def unanswerable(command: AnyCommand, possible: tuple[Configuration, ...], ids: list[str]) -> bool:
    """What the contract has no answer to.

    A load that waits for another one of its id (D5) settles in a later burst; a log is stored from outside only
    where nothing of its id is going on; and persistence does not go while it loads.
    """
    if isinstance(command, Session) and command.act == "enter":
        # an agent's session after its life is an object like any other, which the model does not carry on
        return command.as_ is None
    if isinstance(command, Dispose):
        # of one that is gone the model does not know whether its handle was discarded (G1)
        starters = [one for one in map(possible[0].get, possible[0]) if isinstance(one, Starter)]
        return any(command.agent in (one.id, one.resume) for one in starters) and _gone(possible[0], command.agent)
    if isinstance(command, Create | Resume) and command.parent in ids:
        return all(not _context(here, command.parent) for here in possible)
    if isinstance(command, LoadProvider):
        # whether a lookup of an id waits for another one's is open (D5)
        starters = [one for here in possible for one in map(here.get, here) if isinstance(one, Starter)]
        looking = {one.id for one in starters if one.place == "Looking"}
        return any(one.id in looking for one in command.configured)
    if not isinstance(command, Storage):
        return False
    logs = [one for here in possible for one in map(here.get, here) if isinstance(one, StoredLog)]
    loading = {one.name for one in logs if one.loading}
    live = {one.name for one in logs if one.live}
    match command.act:
        case "load":
            return command.id in loading
        case "put":
            return command.id in live | {one.name for one in logs if one.readers}
        case "off":
            return bool(loading)
        case _:
            return False


def _gone(here: Configuration, name: str | None) -> bool:
    """Whether nothing is left of an agent."""
    part = here.get(str(name))
    return isinstance(part, Agent) and part.released


def _context(here: Configuration, name: str | None) -> bool:
    """Whether an agent of this name is there, or set up: one that never came to be has no ctx to create through."""
    creations = (one for one in map(here.get, here) if isinstance(one, Transaction))
    return isinstance(here.get(str(name)), Agent) or any(
        one.id == name and one.place == "SettingUp" for one in creations
    )
