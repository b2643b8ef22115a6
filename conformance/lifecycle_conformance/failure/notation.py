"""Owns the compact notation: commands, answers and observations in the contract's short forms. Refuses to judge.

`status(running)`, `deq(m1)`, `TS(1)`, `creq(user)`, `disc[m1,m2]`, `FL.`; a gate is `<model>`, a listener `l1!`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec

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
from lifecycle_model.wire import UNSET, Answer, Observation

T = TypeVar("T")

SHORT = {
    "agent/created": "a+",
    "agent/disposed": "a-",
    "session/created": "s+",
    "session/disposed": "s-",
    "agent/inbox/enqueue": "enq",
    "agent/inbox/dequeue": "deq",
    "agent/inbox/discard": "disc",
    "agent/cancel-requested": "creq",
    "agent/status": "status",
    "agent/session-start": "start",
    "agent/error": "err",
    "turn/start": "TS",
    "turn/end": "TE",
    "step/start": "SS",
    "step/end": "SE",
    "user/message": "UM",
    "steering/message": "SM",
    "assistant/message": "AM",
    "prompt/blocked": "blocked",
    "tool/call": "TC",
    "tool/result": "TR",
    "agent-loop/config-start-failed": "config-failed",
}
"""The short form of each event that has one; others keep their name."""


def observation(seen: Observation) -> str:
    """An observation in short, without its subject."""
    shown = _SHOWN.get(seen.event)
    return shown(seen) if shown is not None else _plain(seen)


def observations(seen: Iterable[Observation], lone: str | None = None) -> str:
    """Observations in short, in order; a subject is named where it changes, unless it is the `lone` one."""
    words: list[str] = []
    subject: object = lone
    for one in seen:
        of = None if one.of is UNSET else one.of
        if one.event != "settled" and of != subject and of is not None:
            words.append(f"{of}:")
            subject = of
        words.append(observation(one))
    return " ".join(words)


def pattern(wanted: Mapping[str, object]) -> str:
    """A vector's partial observation in short; what it leaves open is left out, "*" stands for any."""
    try:
        return observation(msgspec.convert(dict(wanted), Observation))
    except msgspec.ValidationError:
        return value(wanted)


def answer(given: Answer) -> str:
    """What a command answered: a value, `refused(code)` or `pending`."""
    if given.refused is not UNSET:
        return f"refused({given.refused})"
    if given.pending is not UNSET:
        return "pending"
    return value(given.ok) if given.ok is not UNSET else "no answer"


def value(given: object) -> str:
    """A value as compact JSON with sorted members, for what has no short form."""
    return msgspec.json.encode(given, order="sorted").decode()


def command(asked: AnyCommand, lone: str | None = None) -> str:
    """A command in short; the `lone` agent of a run is not named."""
    told = _TOLD.get(type(asked))
    words = told(asked, lone) if told is not None else [*_who(asked, lone), *_rest(asked)]
    ref = getattr(asked, "as_", None)
    made = f"→{ref}" if ref is not None and not isinstance(asked, React) else ""
    return asked.verb + (f"({', '.join(words)})" if words else "") + made


def burst(commands: Sequence[AnyCommand], lone: str | None = None) -> str:
    """The commands of a burst in short."""
    return " ".join(command(each, lone) for each in commands)


def lone_agent(bursts: Iterable[Sequence[AnyCommand]]) -> str | None:
    """The agent a run is about, if it creates or resumes exactly one."""
    ids = {each.id for commands in bursts for each in commands if isinstance(each, Create | Resume)}
    return ids.pop() if len(ids) == 1 else None


def _plain(seen: Observation) -> str:
    return SHORT.get(seen.event, seen.event)


def _called(name: str, *parts: object) -> str:
    given = [str(part) for part in parts if part is not UNSET and part is not None]
    return f"{name}({','.join(given)})" if given else name


def _inbox(seen: Observation) -> str:
    marks = ["steer" if seen.steering is True else None, "quiet" if seen.wakeup is False else None]
    return _called(SHORT[seen.event], seen.item, *marks)


def _discard(seen: Observation) -> str:
    dropped = seen.items if seen.items is not UNSET else ()
    return f"disc[{','.join(item.id + ('*' if item.steering is True else '') for item in dropped)}]"


def _turn_start(seen: Observation) -> str:
    return _called("TS", seen.turn, None if seen.trigger == "message" else seen.trigger)


def _flush(seen: Observation) -> str:
    if seen.state != "settled":
        return "FL"
    return "FL.(failed)" if seen.ok is False else "FL."


def _gate(seen: Observation) -> str:
    where = ",".join(str(part) for part in (seen.record, seen.listener, seen.call) if part is not UNSET)
    signal = f":{seen.signal}" if seen.signal is not UNSET else ""
    return f"<{seen.gate}{f' {where}' if where else ''}{signal}>"


def _heard(seen: Observation) -> str:
    answers = "" if seen.answers is UNSET else ", ".join(answer(each) for each in seen.answers)
    return f"{seen.as_}!" + (f"({answers})" if answers else "")


def _settled(seen: Observation) -> str:
    return f"{seen.of}={answer(Answer(ok=seen.ok, refused=seen.refused))}"


def _request(seen: Observation) -> str:
    messages = seen.messages if seen.messages is not UNSET else ()
    return _called("request", seen.turn, seen.step) + (f"[{','.join(messages)}]" if messages else "")


def _output(seen: Observation) -> str:
    return _called("output", value(seen.update) if seen.update is not UNSET else None)


_SHOWN: dict[str, Callable[[Observation], str]] = {
    "agent/status": lambda seen: _called("status", seen.status),
    "agent/session-start": lambda seen: _called("start", seen.source),
    "agent/inbox/enqueue": _inbox,
    "agent/inbox/dequeue": _inbox,
    "agent/inbox/discard": _discard,
    "agent/cancel-requested": lambda seen: _called("creq", seen.cause),
    "abort": lambda seen: _called("abort", seen.reason),
    "agent/error": lambda seen: _called("err", seen.turn, seen.step),
    "turn/start": _turn_start,
    "turn/end": lambda seen: _called("TE", seen.turn, seen.reason),
    "step/start": lambda seen: _called("SS", seen.step),
    "step/end": lambda seen: _called("SE", seen.step),
    "user/message": lambda seen: _called("UM", seen.message),
    "steering/message": lambda seen: _called("SM", seen.message),
    "tool/call": lambda seen: _called("TC", seen.id),
    "tool/result": lambda seen: _called("TR", seen.id, seen.code),
    "session/flush": _flush,
    "gate": _gate,
    "heard": _heard,
    "settled": _settled,
    "request": _request,
    "contained": lambda seen: _called("contained", seen.name),
    "task": lambda seen: _called("task", seen.state),
    "output": _output,
    "agent-loop/config-start-failed": lambda seen: _called("config-failed", seen.label),
}


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


def _react(asked: AnyCommand, lone: str | None) -> list[str]:
    assert isinstance(asked, React)
    gate = asked.on.get("gate")
    told = {**asked.on, "event": "gate"} if "event" not in asked.on and gate is not None else asked.on
    on = "" if told.get("of") in (lone, None) else f"{told['of']}: "
    does = [burst(asked.then, lone)] if asked.then else []
    throws = [f"throw {asked.throw}"] if asked.throw is not None else []
    gives = [f"give {_outcome(asked.with_)}"] if asked.with_ is not None else []
    marks = [f"×{asked.times}" if asked.times != 1 else "", f"through {asked.through}" if asked.through else ""]
    name = [f"as {asked.as_}"] if asked.as_ is not None else []
    return [f"{on}{pattern(told)}: {' '.join([*does, *throws, *gives]) or 'listen'}", *_given(marks), *name]


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
    React: _react,
    Session: _session,
    Storage: _storage,
    Task: _task,
    Acp: _acp,
    LoadProvider: _configured,
}
