"""Mutants that change nothing observable. The explorer shows it (see `proof`); none of them is counted."""

from __future__ import annotations

from lifecycle_conformance.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "cancelling-asks-status-only",
        "A cancel asks only whether the status is running, not whether the holder is live.",
        "agent",
        """
        if holder.live and core.raw_status is Status.RUNNING:
            core.set_status(Status.CANCELLING)
        """,
        """
        if core.raw_status is Status.RUNNING:
            core.set_status(Status.CANCELLING)
        """,
        ("S5", "C4"),
        equivalent="while the status is running no installed holder is aborted: in a cancel the status leaves running "
        "first, in a disposal it is disposed by then",
    ),
    Mutant(
        "rerouted-keeps-its-kind",
        "Steering that moves to the queue is not made waking.",
        "inbox",
        """
        self._queued.extend(replace(item, wakeup=True) for item in self._steering)
        """,
        """
        self._queued.extend(self._steering)
        """,
        ("Q12", "Q24"),
        equivalent="every item filed as steering is waking from its acceptance on: steer has no quiet form, and a "
        "continuation reason is waking",
    ),
    Mutant(
        "finish-kept-between-steps",
        "How the last step finished is not forgotten when the next one begins.",
        "turn",
        """
        self.step += 1
        self.max_tokens = False
        """,
        """
        self.step += 1
        """,
        ("C18", "Q25"),
        equivalent="a turn completes only through a step body, and every body says anew how it finished",
    ),
)
