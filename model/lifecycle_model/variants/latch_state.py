"""Components of variant `latch`: an agent with its latch, a creation whose lifecycle others may wait for.

Refuses behaviour: rows have that. The other components are contract 1's (`parts`).
"""

from __future__ import annotations

from lifecycle_model.parts import Storage, Transaction
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
    given: bool = False
    """It was given input, so that something is logged, if nothing that the variant shows."""

    @property
    def restores(self) -> bool:
        """It continues a session with what was pending in it (D8L)."""
        return self.source == "resume"

    @property
    def shape(self) -> tuple[object, ...]:
        """What tells two agents of the variant apart beyond contract 1's members, names forgotten."""
        batch = len(self.claimed)
        return (
            self.life,
            self.latch,
            self.watched,
            batch,
            self.ended,
            self.owed,
            self.visible,
            bool(self.job),
            self.unwound,
            self.given,
        )


class LatchTransaction(Transaction, frozen=True):
    """One create or resume; its lifecycle exists from setup on, and may be disposed before there is a handle."""

    disposers: tuple[str, ...] = ()
    """Who disposed the lifecycle while it was set up, and waits."""
    queued: tuple[Item, ...] = ()
    """What was pending for next-turn in the log that was loaded (D8L); `steering` for next-step."""
    steering: tuple[Item, ...] = ()


class LatchStorage(Storage, frozen=True):
    """What is stored under one id, with what was pending when it was last drained."""

    queued: tuple[Item, ...] = ()
    steering: tuple[Item, ...] = ()
    written: bool = False
    """Something was ever written: a session that logged nothing is not stored."""
