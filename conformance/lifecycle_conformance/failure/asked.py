"""Owns the compact notation of what is asked: commands and bursts as a person would say them. Refuses to perform any.

`send(m1)`, `cancel(parent)`, `hold(model)`, `when_idle→w1`; a reaction is `on status(running) {cancel}`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from lifecycle_conformance.failure.notation import pattern
from lifecycle_model.commands import (
    Acp,
    AnyCommand,
    Cancel,
    Create,
    Hold,
    Inject,
    LoadProvider,
    Outcome,
    React,
    Read,
    Release,
    Resume,
    Send,
    Session,
    Steer,
    Storage,
    Task,
    Watch,
)


def command(asked: AnyCommand, lone: str | None = None) -> str:
    """A command in short; the `lone` agent of a run is not named."""
    if isinstance(asked, React):
        return _react(asked, lone)
    told = _TOLD.get(type(asked))
    words = told(asked, lone) if told is not None else [*_who(asked, lone), *_rest(asked)]
    ref = getattr(asked, "as_", None)
    made = f"→{ref}" if ref is not None else ""
    return asked.verb + (f"({', '.join(words)})" if words else "") + made


def burst(commands: Sequence[AnyCommand], lone: str | None = None) -> str:
    """The commands of a burst in short."""
    return " ".join(command(each, lone) for each in commands)


def lone_agent(bursts: Iterable[Sequence[AnyCommand]]) -> str | None:
    """The agent a run is about, if it creates or resumes exactly one."""
    ids = {each.id for commands in bursts for each in commands if isinstance(each, Create | Resume)}
    return ids.pop() if len(ids) == 1 else None


def _who(asked: AnyCommand, lone: str | None) -> list[str]:
    named = (getattr(asked, name, None) for name in ("agent", "ref", "fiber", "provider", "of", "task", "session"))
    read = [str(asked.store or asked.owner or "registry")] if isinstance(asked, Read) and _reads_none(asked) else []
    return [*(str(name) for name in named if name is not None and name != lone), *read]


def _reads_none(asked: Read) -> bool:
    return asked.agent is None and asked.session is None and asked.task is None


def _rest(asked: AnyCommand) -> list[str]:
    return [str(word) for word in (getattr(asked, "act", None), getattr(asked, "reason", None)) if word is not None]


def _given(words: Iterable[object]) -> list[str]:
    return [str(word) for word in words if word]


def _message(asked: AnyCommand, lone: str | None) -> list[str]:
    assert isinstance(asked, Send | Steer | Inject)
    marks = ["quiet" if isinstance(asked, Send) and not asked.wakeup else "", "invalid" if asked.invalid else ""]
    contexts = [f"+{name}" for name in asked.contexts]
    return [*_who(asked, lone), asked.message, *contexts, *_given(marks)]


def _cancel(asked: AnyCommand, lone: str | None) -> list[str]:
    assert isinstance(asked, Cancel)
    marks = ["" if asked.cause == "user" else asked.cause, "keep_inbox" if asked.keep_inbox else ""]
    return [*_who(asked, lone), *_given(marks)]


def _creation(asked: AnyCommand, _lone: str | None) -> list[str]:
    assert isinstance(asked, Create | Resume)
    named = [f"{name}={given}" for name in ("owner", "parent", "invalid", "signal") if (given := getattr(asked, name))]
    seed = f"seed of {len(asked.seed)}" if isinstance(asked, Create) and asked.seed is not None else ""
    return [asked.id, *named, *_given(["sync" if asked.sync else "", seed])]


def _at(asked: AnyCommand, lone: str | None) -> list[str]:
    assert isinstance(asked, Hold | Watch | Release)
    turn = f"turn {asked.turn}" if asked.turn is not None else ""
    call = f"call {asked.call}" if asked.call is not None else ""
    place = _given([asked.gate, "" if asked.of == lone else asked.of, turn, call, asked.record, asked.listener])
    if isinstance(asked, Release) and asked.with_ is not None:
        return [" ".join(place), _outcome(asked.with_)]
    return [" ".join(place), *_given(["sticky" if isinstance(asked, Hold) and asked.sticky else ""])]


def _outcome(given: str | Outcome) -> str:
    if isinstance(given, str):
        return given
    parts = [given.outcome if not given.tools else f"tools {given.tools}", *(f"+{name}" for name in given.context)]
    return " ".join(_given([*parts, given.reason or "", "a plain value" if given.value else ""]))


def _react(asked: React, lone: str | None) -> str:
    on = {**asked.on, "event": "gate"} if "event" not in asked.on and "gate" in asked.on else asked.on
    whose = "" if on.get("of") in (lone, None) else f"{on['of']}: "
    throws = f"throw {asked.throw}" if asked.throw is not None else ""
    gives = f"give {_outcome(asked.with_)}" if asked.with_ is not None else ""
    does = " ".join(_given([burst(asked.then, lone), throws, gives])) or "listen"
    marks = [f"×{asked.times}" if asked.times != 1 else "", f"through {asked.through}" if asked.through else ""]
    return " ".join(_given([f"on {whose}{pattern(on)} {{{does}}}", *marks, f"as {asked.as_}" if asked.as_ else ""]))


def _session(asked: AnyCommand, _lone: str | None) -> list[str]:
    assert isinstance(asked, Session)
    record = pattern(asked.record) if isinstance(asked.record, Mapping) else ""
    return _given([asked.act, asked.id, asked.store, asked.owner, record])


def _storage(asked: AnyCommand, _lone: str | None) -> list[str]:
    assert isinstance(asked, Storage)
    return _given([asked.act, asked.id, f"{len(asked.records)} records" if asked.records else ""])


def _task(asked: AnyCommand, _lone: str | None) -> list[str]:
    assert isinstance(asked, Task)
    token = f"token {asked.token!r}" if asked.token is not None else ""
    return _given([asked.act, asked.task, f"by {asked.caller}" if asked.caller else "", token, asked.outcome])


def _acp(asked: AnyCommand, _lone: str | None) -> list[str]:
    assert isinstance(asked, Acp)
    return _given([asked.act, asked.session, asked.message])


def _configured(asked: AnyCommand, _lone: str | None) -> list[str]:
    assert isinstance(asked, LoadProvider)
    return _given([asked.owner, *(f"{a.label}:{a.id or a.resume or 'fresh'}" for a in asked.configured)])


_TOLD: dict[type, Callable[[AnyCommand, str | None], list[str]]] = {
    Send: _message,
    Steer: _message,
    Inject: _message,
    Cancel: _cancel,
    Create: _creation,
    Resume: _creation,
    Hold: _at,
    Watch: _at,
    Release: _at,
    Session: _session,
    Storage: _storage,
    Task: _task,
    Acp: _acp,
    LoadProvider: _configured,
}
