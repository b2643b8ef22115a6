"""Owns what a monitor says and what it may judge: findings, and what a profile shows. Refuses to look at a trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from lifecycle_model.commands import Json
from lifecycle_model.wire import Profile

ENQUEUE = "agent/inbox/enqueue"
DEQUEUE = "agent/inbox/dequeue"
DISCARD = "agent/inbox/discard"
REQUESTED = "agent/cancel-requested"
STATUS = "agent/status"
FLUSH = "session/flush"

OFF = (None, False, "off")


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """An invariant that a trace breaks: the clause, the burst's index, what is wrong in a sentence.

    `at` is the position among what was seen in that burst, -1 when it is about the burst as a whole.
    """

    clause: str
    index: int
    sentence: str
    at: int = -1


def declared(value: Json) -> Json:
    """The value a profile's policy has when a run asks for none: of several offered, the first."""
    return value[0] if isinstance(value, list | tuple) and value else value


@dataclass(frozen=True, slots=True)
class Shown:
    """What a system shows, and the policies of the run: a monitor judges nothing that is not shown.

    `inbox` and `holder` say whether the observations are there from which the inbox, and whether a turn's holder is
    installed, can be told. A policy of the run beats the profile's.
    """

    events: frozenset[str]
    statuses: frozenset[str]
    policies: Mapping[str, Json]

    @classmethod
    def of(cls, profile: Profile, policies: Mapping[str, Json]) -> Shown:
        """Read a profile and the policies of one run."""
        joined = {name: declared(value) for name, value in profile.policies.items()} | dict(policies)
        statuses = set(profile.statuses)
        if "cancelling_published" in joined and joined["cancelling_published"] in OFF:
            statuses.discard("cancelling")
        return cls(frozenset(profile.observations), frozenset(statuses), joined)

    def has(self, *events: str) -> bool:
        """Whether all these events are shown."""
        return self.events.issuperset(events)

    @property
    def inbox(self) -> bool:
        """Whether what is pending can be told."""
        return self.has(ENQUEUE, DEQUEUE, DISCARD)

    @property
    def holder(self) -> bool:
        """Whether it can be told when a holder is installed and aborted."""
        return self.has(STATUS, DEQUEUE, "turn/start", "turn/end", "agent/error", "abort")

    def policy(self, name: str, default: str) -> bool:
        """Whether an optional policy has its default."""
        return self.policies.get(name, default) == default
