"""Owns the ways judging an ACP agent can stop without a verdict; a violation is never one of them."""

from __future__ import annotations

from typing import Literal

Why = Literal["start", "login", "network", "terminal", "protocol", "timeout", "machine"]


class AcpError(Exception):
    """Base of this package's errors."""


class UsageError(AcpError):
    """The judge was asked for something it refuses; says what, and what to do instead (exit code 2)."""


class OutOfReach(AcpError):
    """The agent could not be brought to where it can be judged; says why, within a bounded time."""

    def __init__(self, why: Why, text: str) -> None:
        super().__init__(text)
        self.why: Why = why


class Missed(AcpError):
    """One run's window was not reached, so the run says nothing."""
