"""Owns the invariants of background tasks: I18, I19. Refuses to judge tasks that reactions start or touch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lifecycle_conformance.monitors.base import Monitor
from lifecycle_conformance.monitors.feed import Asked, Feed, Looked, Saw
from lifecycle_model.commands import Executor, Task
from lifecycle_model.wire import UNSET


@dataclass(eq=False, slots=True)
class _Started:
    """A background task as its starter saw it; `token` is its owner's, none if it has none."""

    token: str | None
    since: int
    completions: int = 0


def caller_token(command: Task) -> str | None:
    """The token a caller has, or names: presence counts, an empty one too (O3)."""
    return command.token if command.token is not None else command.caller


class OneOwner(Monitor):
    """I18: owner_of is constant; a served call implies no token or an equal one."""

    clause = "I18"

    def __init__(self, feed: Feed) -> None:
        super().__init__(feed)
        self._tasks: dict[str, _Started] = {}

    def asked(self, moment: Asked) -> Iterator[str]:
        """Judge an access by the token the task was started with."""
        command, answer = moment.command, moment.answer
        if isinstance(command, Executor) or self.story.by_reaction & {"task", "executor"}:
            self._tasks.clear()
        elif isinstance(command, Task) and answer.ok is not UNSET:
            started = self._tasks.get(command.task)
            if command.act == "start" and command.background:
                self._tasks[command.task] = _Started(caller_token(command), moment.index)
            elif command.act in ("read", "kill") and started is not None and started.token is not None:
                mine = caller_token(command)
                if mine != started.token:
                    yield f"{command.act} of {command.task} by {mine!r} was served, and {started.token!r} owns it"

    def looked(self, moment: Looked) -> Iterator[str]:
        """Judge what owner_of gives at quiet."""
        started = self._tasks.get(str(moment.command.task))
        if started is None or moment.when != "quiet" or "owner_of" not in moment.values:
            return
        owner = moment.values["owner_of"]
        if owner != started.token:
            yield f"owner_of({moment.command.task}) gives {owner!r}, and it was started by {started.token!r}"


class OneCompletion(Monitor):
    """I19: at most one completion per task, none after executor unload."""

    clause = "I19"
    events = frozenset({"task"})

    def __init__(self, feed: Feed) -> None:
        super().__init__(feed)
        self._tasks: dict[str, _Started] = {}
        self._unloaded_in: int | None = None
        self._at_once = False

    def asked(self, moment: Asked) -> Iterator[str]:
        """Note starts and unloads; a load begins anew."""
        command = moment.command
        if isinstance(command, Executor) and command.act == "unload":
            self._unloaded_in, self._at_once = moment.index, moment.first
        elif isinstance(command, Executor):
            self._unloaded_in = None
        elif isinstance(command, Task) and command.act == "start" and moment.answer.refused is UNSET:
            self._tasks[command.task] = _Started(None, moment.index)
        yield from ()

    def saw(self, moment: Saw) -> Iterator[str]:
        """Judge a completion."""
        seen = moment.seen
        if seen.state != "completion" or self.story.by_reaction & {"task", "executor"}:
            return
        unloaded = self._unloaded_in
        if unloaded is not None and (unloaded < moment.index or self._at_once):
            yield f"{seen.of} completed after its executor was unloaded"
        started = self._tasks.get(str(seen.of))
        if started is not None:
            started.completions += 1
            if started.completions > 1:
                yield f"{seen.of} completed {started.completions} times"
