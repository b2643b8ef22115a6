"""Owns what a fake model may be told to answer; refuses to know how a wire form spells it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Say:
    """Answer at once, in `chunks` pieces of text, each naming its key and its number."""

    chunks: int = 2


@dataclass(frozen=True, slots=True)
class Hold:
    """Accept the request and send nothing until it is released; then answer like `Say`."""


@dataclass(frozen=True, slots=True)
class Slow:
    """Send one piece of text every `pace` seconds until released; then send one more and finish.

    The pace leaves an agent half a second between two pieces: whether it stops in that time does not
    depend on which piece happened to be on its way, and the last piece shows who is still listening.
    """

    pace: float = 0.5


@dataclass(frozen=True, slots=True)
class Call:
    """Ask for a shell command through whichever offered tool runs one; without such a tool, say so in text."""

    command: str


@dataclass(frozen=True, slots=True)
class Fail:
    """Answer with an HTTP error of the wire form."""

    status: int = 400


Reply = Say | Hold | Slow | Call | Fail
State = Literal["open", "finished", "dropped", "failed"]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a request offered: its name and the JSON Schema of its arguments."""

    name: str
    schema: dict[str, Any]


# names under which agents offer a shell, most specific first
_SHELLS = ("bash", "shell", "exec", "terminal", "command", "run")
_COMMANDS = ("command", "cmd", "code", "script", "input")


def shell_call(tools: tuple[Tool, ...], command: str) -> tuple[str, str] | None:
    """Choose the offered tool that runs a shell command; return its name and its arguments as JSON, or None."""
    for word in _SHELLS:
        for tool in tools:
            if word not in tool.name.lower():
                continue
            arguments = _arguments(tool.schema, command)
            if arguments is not None:
                return tool.name, json.dumps(arguments)
    return None


def _arguments(schema: dict[str, Any], command: str) -> dict[str, Any] | None:
    properties: dict[str, dict[str, Any]] = schema.get("properties") or {}
    field = next((name for name in _COMMANDS if name in properties), None)
    if field is None:
        return None
    kind = properties[field].get("type")
    chosen: dict[str, Any] = {field: ["bash", "-c", command] if kind == "array" else command}
    for name in schema.get("required") or []:
        if name not in chosen:
            chosen[name] = _filler(properties.get(name, {}))
    return chosen


def _filler(schema: dict[str, Any]) -> object:
    """Return a harmless value for an argument that we do not care about but the tool requires."""
    options: list[object] = schema.get("enum") or []
    if options:
        return options[0]
    if "default" in schema:
        default: object = schema["default"]
        return default
    kind = schema.get("type")
    fillers: dict[str, object] = {"boolean": False, "integer": 600, "number": 600, "array": [], "object": {}}
    return fillers.get(kind, "a lifecycle check") if isinstance(kind, str) else "a lifecycle check"
