"""Owns what is learned about an agent before it is judged: what it offers and how fast it is when all is well."""

from __future__ import annotations

from typing import Any

import msgspec


class Survey(msgspec.Struct):
    """What two control runs found. Times are in seconds.

    `reports`: the model's text came back as content; `streams`: while the model was still producing it;
    `doubles`: more than once; `remembers`: each request to the model carries the turns before it.
    """

    name: str = ""
    version: str = ""
    protocol: int = 0
    capabilities: dict[str, Any] = {}
    offers_tools: bool = False
    shell_tool: str | None = None
    asks_permission: bool = False
    runs_tool: bool = False
    reports: bool = False
    streams: bool = False
    doubles: bool = False
    remembers: bool = False
    answers_unknown: bool = False
    gated: bool = True
    boot: float = 0.0
    new: float = 0.0
    reach: float = 0.0
    turn: float = 0.0

    def lacks(self, needs: tuple[str, ...]) -> str | None:
        """Return why a run that needs these cannot be played, or None."""
        session = self.capabilities.get("sessionCapabilities") or {}
        has = {
            "load": (bool(self.capabilities.get("loadSession")), "loadSession is not advertised"),
            "resume": (session.get("resume") is not None, "sessionCapabilities.resume is not advertised"),
            "close": (session.get("close") is not None, "sessionCapabilities.close is not advertised"),
            "gates": (self.gated, "the agent's built-in model has no gates"),
            "shell": (self.runs_tool, "no shell command was seen to run in the control run"),
            "permission": (self.asks_permission, "the agent asked for no permission in the control run"),
        }
        return next((has[need][1] for need in needs if not has[need][0]), None)
