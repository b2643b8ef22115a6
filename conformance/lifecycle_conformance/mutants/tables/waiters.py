"""Mutants of when_idle (S7, S8)."""

from __future__ import annotations

from lifecycle_conformance.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "waiter-before-replacement",
        "A waiter resolves when the marker is consumed, although a replacement is about to run.",
        "driver",
        """
        core.marker = False
        core.holder = None
        if not core.ready():
        """,
        """
        if core.marker:
            core.resolve_waiters()
        core.marker = False
        core.holder = None
        if not core.ready():
        """,
        ("C9", "V4", "S7", "S/r7"),
        ("F042",),
    ),
    Mutant(
        "waiters-after-idle",
        "Waiters resolve after the idle listeners ran, also those that came with new work from one of them.",
        "core",
        """
        self.resolve_waiters()
        self.set_status(Status.IDLE)
        """,
        """
        self.set_status(Status.IDLE)
        self.resolve_waiters()
        """,
        ("S8", "S7", "V4", "C9"),
    ),
    Mutant(
        "waiter-ignores-queue",
        "when_idle resolves at once although a waking item is queued.",
        "core",
        """
        idle = self.raw_status is Status.IDLE and not self.inbox.waking
        """,
        """
        idle = self.raw_status is Status.IDLE
        """,
        ("S7", "V4"),
        ("F051",),
    ),
    Mutant(
        "waiter-counts-quiet",
        "A quiet item delays when_idle.",
        "core",
        """
        idle = self.raw_status is Status.IDLE and not self.inbox.waking
        """,
        """
        idle = self.raw_status is Status.IDLE and not self.inbox.pending
        """,
        ("Q3", "S7", "V3"),
    ),
    Mutant(
        "waiter-lost-at-disposal",
        "A waiter caught by disposal never resolves.",
        "core",
        """
        if not self.exited.done():
            self.exited.set_result(None)
        self.resolve_waiters()
        """,
        """
        if not self.exited.done():
            self.exited.set_result(None)
        """,
        ("S8", "S7", "S/r22", "V3"),
        ("F057", "F081"),
    ),
    Mutant(
        "waiter-resolved-by-dispose",
        "A waiter caught by disposal resolves at once, while the turn is still running.",
        "teardown",
        """
        if not core.driver_started:
            core.exit()
        core.wake()
        """,
        """
        if not core.driver_started:
            core.exit()
        core.resolve_waiters()
        core.wake()
        """,
        ("S8", "S7", "S/r22"),
        ("F062",),
    ),
    Mutant(
        "waiters-never-resolve",
        "Going idle resolves no waiter.",
        "core",
        """
        self.resolve_waiters()
        self.set_status(Status.IDLE)
        """,
        """
        self.set_status(Status.IDLE)
        """,
        ("S7", "V3", "S/r20", "S/r7", "S/r10"),
        ("F057", "F115"),
    ),
    Mutant(
        "one-waiter-resolves",
        "Only the first of several waiters resolves.",
        "core",
        """
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
        """,
        """
        waiters, self._waiters = self._waiters, []
        for waiter in waiters[:1]:
        """,
        ("S7", "S8", "V3"),
        ("F057",),
    ),
    Mutant(
        "waiter-before-next-turn",
        "A waiter resolves when its own prompt's turn ends, although another prompt is queued.",
        "driver",
        """
        if core.disposed:
            return False
        if not core.ready():
            core.park()
        """,
        """
        if core.disposed:
            return False
        core.resolve_waiters()
        if not core.ready():
            core.park()
        """,
        ("S7", "V4", "S/r18"),
        ("F166",),
    ),
)
