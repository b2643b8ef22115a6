"""Owns the compact notation of what was seen and answered, in the contract's short forms. Refuses to judge.

`status(running)`, `deq(m1)`, `TS(1)`, `creq(user)`, `disc[m1,m2*]` (`*`: steering), `FL.`; a gate is `<model>`, with
the reason of an aborted signal `<model:user>`; a listener that was heard is `l1!`; a settled call `w1=null`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import msgspec

from lifecycle_model.wire import UNSET, Answer, Observation

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
