"""Components of variant `latch`: an agent with its latch, a creation before its agent is published, an owner fiber.

Refuses behaviour: rows have that.
"""

from __future__ import annotations

import msgspec

from lifecycle_model.state import Agent, Item


class LatchAgent(Agent, frozen=True):
    """One agent of the variant. `queued` is its next-turn list, `steering` its next-step list, `holder` its signal.

    `place` is the control state of the machine *agent* (table S), `at` that of *turn*, `life` that of *teardown* (T).
    """

    place: str = "Idle"
    life: str = "Publishing"
    latch: bool = False
    """A wake arrived that this activity cannot serve; nobody can see it."""
    watched: bool = False
    """A gate or hook was handed the present signal, so its abort can be seen."""
    claimed: tuple[Item, ...] = ()
    """The batch taken for the step that is proposed."""
    ended: str = ""
    """How the turn's steps ended so far: not yet, `completed`, or `max-tokens` once any did (C18L)."""
    owed: bool = False
    """The last step called tools, so their results are owed to a further one."""
    visible: bool = False
    """The stream has shown text (C25L)."""
    job: str = ""
    """The reference of the maintenance job."""
    announced: bool = False
    """The agent's created event was published."""
    owner: str = ""
    """The component that is told when the agent is gone: an owner fiber or the parent."""
    children: tuple[str, ...] = ()
    """What was created through this agent's ctx and is not gone."""
    unwound: bool = False
    """The scope's own disposers ran; its children may still be leaving."""
    unmade: str = ""
    """The creation that its disposal rejects, because the handle was never returned."""

    @property
    def shape(self) -> tuple[object, ...]:
        """What tells two agents of the variant apart beyond contract 1's members, names forgotten."""
        batch, kept = len(self.claimed), len(self.children)
        return (
            self.life,
            self.latch,
            self.watched,
            batch,
            self.ended,
            self.owed,
            self.visible,
            bool(self.job),
            kept,
            self.unwound,
        )


class Creation(msgspec.Struct, frozen=True):
    """One create or resume, known by its reference until its handle is returned or it is rejected."""

    name: str
    place: str = "New"
    """The control state of the machine *creation* (table P)."""
    id: str = ""
    owner: str = ""
    doomed: str = ""
    """Why it was deactivated: the refusal it will reject with."""


class Fiber(msgspec.Struct, frozen=True):
    """An owner fiber that was named: what it owns, and who waits for its unload."""

    name: str
    place: str = "Active"
    """The control state of the machine *owner*."""
    children: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
