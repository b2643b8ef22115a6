"""Owns what is pasted from a failure: the replay line, a pytest test, a script for the stdio protocol.

Refuses to name a path of this machine: files and systems are named as they are given.
"""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import msgspec

from lifecycle_conformance.failure.asked import burst, lone_agent
from lifecycle_conformance.failure.value import Failure
from lifecycle_conformance.vectors.fits import plain
from lifecycle_model.commands import Json
from lifecycle_model.wire import PROTOCOL, Trace, to_json

WIDTH = 112


def replay_line(file: str, system: str) -> str:
    """The one line that runs a failure again from its trace file, ready for a shell."""
    return f"lifecycle replay {shlex.quote(file)} --system {_system(system)}"


def stdio_script(trace: Trace) -> str:
    """The run as requests of protocol 1, a line each: what a child that speaks it is sent on its standard input."""
    requests: list[tuple[str, dict[str, Json]]] = [
        ("initialize", {"protocol": PROTOCOL}),
        ("reset", {"policies": dict(trace.policies)} if trace.policies else {}),
        ("run", {"bursts": [plain(one.do) for one in trace.bursts]}),
    ]
    told = ({"jsonrpc": "2.0", "id": n, "method": m, "params": p} for n, (m, p) in enumerate(requests, 1))
    return "".join(to_json(one).decode() + "\n" for one in told)


def pytest_test(failure: Failure, system: str = "reference") -> str:
    """A pytest module that fails exactly while the failure is there, and says by itself what is allowed."""
    return "\n".join(_module(failure, system)) + "\n"


def _module(failure: Failure, system: str) -> Iterator[str]:
    trace, vector = failure.trace, failure.vector
    blamed = " ".join(failure.clauses)
    found = f", found by {trace.engine} with seed {trace.seed}" if trace.engine else ""
    who = re.sub(r'["\\]', "", trace.system) or "the system"
    yield f'"""Regression: {blamed} broken by {who}{found}."""'
    yield ""
    name = "played" if vector is not None else "replayed"
    yield f"from lifecycle_conformance.failure.regression import {name}"
    yield ""
    for clause, sentence in failure.sentences.items():
        yield from (f"# {line}" for line in textwrap.wrap(f"{clause}: {sentence}", WIDTH))
    if vector is not None:
        yield from _constant("VECTOR", cast("Mapping[str, Json]", plain(vector)))
    else:
        lone = lone_agent([one.do for one in trace.bursts])
        yield "BURSTS = ["
        for one in trace.bursts:
            yield from (f"    # {line}" for line in textwrap.wrap(burst(one.do, lone) or "nothing", WIDTH - 4))
            yield from _literal(plain(one.do), 4, ",")
        yield "]"
    if trace.policies and vector is None:
        yield from _constant("POLICIES", dict(trace.policies))
    if failure.allowed:
        # what is allowed in the last burst
        yield from _constant("ALLOWED", [plain(one) for one in failure.allowed])
    yield ""
    yield ""
    yield f"def test_{_name(failure)}() -> None:"
    yield from (f"    {line}" for line in _body(failure, system, blamed))


def _body(failure: Failure, system: str, blamed: str) -> Iterator[str]:
    quoted = _text(system)
    if failure.vector is not None:
        yield f"run, vector = played({quoted}, VECTOR)"
        yield "run.fits(vector)"
        return
    policies = ", POLICIES" if failure.trace.policies else ""
    schedule = f", schedule={list(failure.trace.schedule)}" if failure.trace.schedule else ""
    yield f"run = replayed({quoted}, BURSTS{policies}{schedule})"
    if failure.allowed:
        yield f"run.allows(ALLOWED, {_text(blamed)})"
    if failure.findings:
        yield f"run.keeps({_text(' '.join(dict.fromkeys(finding.clause for finding in failure.findings)))})"


def _name(failure: Failure) -> str:
    words = failure.vector.id if failure.vector is not None else "_".join(failure.clauses)
    return re.sub(r"\W+", "_", words).strip("_").lower() + f"_{failure.fingerprint[:6]}"


def _system(system: str) -> str:
    kind, separator, rest = system.partition(":")
    return f"{kind}:{shlex.quote(rest)}" if separator and kind in ("stdio", "acp") else shlex.quote(system)


def _constant(name: str, value: Json) -> list[str]:
    first, *rest = _literal(value, 0, "")
    return [f"{name} = {first}", *rest]


def _literal(value: Json, indent: int, end: str) -> list[str]:
    """A value as Python source, on one line where it fits, else a line a member."""
    flat = " " * indent + _flat(value) + end
    if len(flat) <= WIDTH or not isinstance(value, Mapping | list | tuple) or not value:
        return [flat]
    space = " " * indent
    if isinstance(value, Mapping):
        inner: list[str] = []
        for name, part in _members(value):
            first, *rest = _literal(part, indent + 4, ",")
            inner += [f"{space}    {_text(name)}: {first.lstrip()}", *rest]
        return [f"{space}{{", *inner, f"{space}}}{end}"]
    parts = [line for part in cast("Sequence[Json]", value) for line in _literal(part, indent + 4, ",")]
    return [f"{space}[", *parts, f"{space}]{end}"]


def _flat(value: Json) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_text(name)}: {_flat(part)}" for name, part in _members(value)) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_flat(part) for part in cast("Sequence[Json]", value)) + "]"
    return _text(value) if isinstance(value, str) else repr(value)


def _members(value: object) -> list[tuple[str, Json]]:
    """Members in an order of their own: what it is first, then by name, however the value was made."""
    given = cast("Mapping[str, Json]", value)
    return sorted(given.items(), key=lambda member: (_FIRST.get(member[0], len(_FIRST)), member[0]))


_FIRST = {"do": 0, "event": 1, "id": 2, "of": 3, "agent": 4, "title": 5, "clauses": 6}


def _text(text: str) -> str:
    # a JSON string is a Python string
    return msgspec.json.encode(text).decode()
