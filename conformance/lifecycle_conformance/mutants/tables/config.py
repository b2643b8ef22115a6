"""Mutants of config-started agents: section G."""

from __future__ import annotations

from lifecycle_conformance.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "both-ids-start",
        "A configured agent with both id keys starts.",
        "startup",
        """
        if agent.id is not None and agent.resume is not None:
            raise ConflictingIds(f"agent {agent.label!r} has both an id and a resume id; keep one")
        """,
        """
        """,
        ("G2", "G/r1"),
    ),
    Mutant(
        "configured-twice",
        "One id configured twice is not refused.",
        "startup",
        """
        if wanted in claimed:
            raise ConflictingIds(f"the id {wanted!r} is configured twice; choose another for {agent.label!r}")
        """,
        """
        """,
        ("G2", "G/r1"),
        ("F119", "F123"),
    ),
    Mutant(
        "successor-does-not-wait",
        "A configured agent does not wait until its predecessor is gone.",
        "startup",
        """
        if agent.id is not None:
            await self._entries_gone(agent.id)
        """,
        """
        if agent.id is not None:
        """,
        ("G3", "G/r3", "G4"),
        ("F213", "F226"),
    ),
    Mutant(
        "failure-told-after-unload",
        "A start given up by an unload is reported as failed.",
        "startup",
        """
        if self._provider.active:
            self._provider.ctx.bus.contained(ConfigStartFailed(agent.label, error))
        """,
        """
        self._provider.ctx.bus.contained(ConfigStartFailed(agent.label, error))
        """,
        ("G5", "G/r7"),
    ),
    Mutant(
        "failure-untold",
        "A configured agent that cannot start is not reported.",
        "startup",
        """
        if self._provider.active:
            self._provider.ctx.bus.contained(ConfigStartFailed(agent.label, error))
        """,
        """
        pass
        """,
        ("G4", "G/r6"),
        ("F233", "F137"),
    ),
    Mutant(
        "history-ignored",
        "A configured id is always created, never resumed.",
        "startup",
        """
        start = provider.resume if stored else provider.create
        """,
        """
        start = provider.create
        """,
        ("G/r4", "G3", "D7"),
        ("F132", "F196"),
    ),
    Mutant(
        "start-not-given-up",
        "A start that waits is not given up when the provider unloads.",
        "startup",
        """
        await first_of(event, self._closed)
        if self._closed.done():
            raise _GivenUp
        """,
        """
        await first_of(event)
        """,
        ("G5", "G/r7", "V6"),
        ("F084", "F155"),
    ),
)
