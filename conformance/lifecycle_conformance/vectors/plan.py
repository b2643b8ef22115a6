"""Owns how a vector is played: its own bursts, each followed by a burst of reads where it asks for some.

Refuses to read anything inside a burst of the vector: reads come after it, when the system is quiet.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lifecycle_model.commands import Burst, Create, Json, LoadProvider, Read, Resume
from lifecycle_model.wire import Profile, Vector

_STORE, _TASK, _OWNER = re.compile(r"s\d+"), re.compile(r"t\d+"), re.compile(r"root|bare|f\d+")
_OF_LOG = frozenset({"log", "stored"})
_OF_AGENT = frozenset({"status", "inspect", "registry"})


@dataclass(frozen=True, slots=True)
class Part:
    """One burst to play: the vector's burst at `index`, or the reads made after it, by the names they are about."""

    index: int
    burst: Burst
    reads: tuple[str, ...] = ()


def parts_of(vector: Vector, profile: Profile | None = None) -> list[Part]:
    """Every burst to play, in order, each with the vector's burst it stands for.

    With a profile, reads that the system does not offer are left out.
    """
    parts: list[Part] = []
    for index, burst in enumerate(vector.bursts):
        parts.append(Part(index, burst.do))
        if burst.reads and (profile is None or readable(profile)):
            names = tuple(sorted(burst.reads))
            asked = tuple(_read(vector, name, burst.reads[name]) for name in names)
            parts.append(Part(index, asked, names))
    return parts


def bursts_of(vector: Vector, profile: Profile | None = None) -> list[Burst]:
    """What to ask a system, in order; its results go to `check_vector` as they come."""
    return [part.burst for part in parts_of(vector, profile)]


def readable(profile: Profile) -> bool:
    """Whether a system can be read at all."""
    return "read" in profile.commands and "lookup" in profile.reads


def _read(vector: Vector, name: str, wanted: dict[str, Json]) -> Read:
    """The command behind a name in `reads`: the registry, a store, a task, an owner, else an agent or session."""
    if name == "registry":
        return Read(registry=True)
    if _STORE.fullmatch(name):
        return Read(store=name)
    if _TASK.fullmatch(name):
        return Read(task=name)
    if _OWNER.fullmatch(name):
        return Read(owner=name)
    # a log is the session's, and can be read when its agent is gone
    of_session = bool(_OF_LOG & wanted.keys()) or name not in _agents(vector)
    of_agent = bool(_OF_AGENT & wanted.keys()) or not of_session
    return Read(agent=name if of_agent else None, session=name if of_session else None)


def _agents(vector: Vector) -> frozenset[str]:
    ids: set[str] = set()
    for burst in vector.bursts:
        for command in burst.do:
            if isinstance(command, Create | Resume):
                ids.add(command.id)
            elif isinstance(command, LoadProvider):
                ids.update(
                    given for agent in command.configured for given in (agent.id, agent.resume, agent.label) if given
                )
            elif (session := getattr(command, "session", None)) is not None:
                ids.add(session)
    return frozenset(ids)
