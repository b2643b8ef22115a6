"""Mutants of cancels that find no turn, of the pre-run marker and of keep_inbox (C2, C3, C9)."""

from __future__ import annotations

from lifecycle_conformance.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "idle-cancel-drops-next",
        "A cancel that finds nothing to do lies in wait and drops the next prompt.",
        "agent",
        """
        if keep_inbox or not core.inbox.pending:
            return
        core.marker = True
        """,
        """
        if keep_inbox or not core.inbox.pending:
            core.inbox.put = lambda item: delattr(core.inbox, "put")
            return
        core.marker = True
        """,
        ("C3", "V5", "C2", "C/r1", "V1", "S/r6"),
        ("F001", "F002", "F004", "F031"),
    ),
    Mutant(
        "replacement-dropped",
        "Consuming the marker drops a replacement prompt sent after the cancel.",
        "driver",
        """
        core.marker = False
        core.holder = None
        if not core.ready():
        """,
        """
        if core.marker:
            core.inbox.clear()
        core.marker = False
        core.holder = None
        if not core.ready():
        """,
        ("C9", "C11", "V5", "V1", "S/r6", "Q18"),
        ("F024", "F029", "F004"),
    ),
    Mutant(
        "idle-cancel-announced",
        "A cancel that finds nothing to do is announced and sets the marker.",
        "agent",
        """
        if keep_inbox or not core.inbox.pending:
            return
        """,
        """
        if keep_inbox:
            return
        """,
        ("C3", "C2", "C/r1", "I8"),
        ("F002",),
    ),
    Mutant(
        "idle-cancel-marks",
        "A cancel that finds nothing to do leaves the marker behind.",
        "agent",
        """
        if keep_inbox or not core.inbox.pending:
            return
        core.marker = True
        """,
        """
        core.marker = True
        if keep_inbox or not core.inbox.pending:
            return
        """,
        ("C3", "C9", "C/r1", "I8"),
        ("F031", "F001"),
    ),
    Mutant(
        "cancel-while-disposing-announced",
        "A cancel after disposal is announced while a holder remains.",
        "agent",
        """
        if holder is not None and core.ports.policies.cancel_after_dispose == "publishes":
            core.publish(CancelRequested(self, kind))
        return
        """,
        """
        if holder is not None:
            core.publish(CancelRequested(self, kind))
        return
        """,
        ("C/r5", "C2", "I8"),
        ("F065",),
    ),
    Mutant(
        "marker-with-holder",
        "A cancel sets the marker also when a holder is installed.",
        "agent",
        """
            core.marker = True
        core.publish(CancelRequested(self, kind))
        """,
        """
            core.marker = True
        core.marker = not keep_inbox
        core.publish(CancelRequested(self, kind))
        """,
        ("C9", "I5", "I8"),
        ("F002", "F029"),
    ),
    Mutant(
        "marker-never-set",
        "A cancel without a holder leaves no marker.",
        "agent",
        """
            core.marker = True
        core.publish(CancelRequested(self, kind))
        """,
        """
            core.marker = False
        core.publish(CancelRequested(self, kind))
        """,
        ("C9", "C/r2", "C24"),
    ),
    Mutant(
        "marker-outlives-wake",
        "The marker is not consumed when the driver wakes for a replacement.",
        "driver",
        """
        core.marker = False
        core.holder = None
        if not core.ready():
        """,
        """
        core.holder = None
        if not core.ready():
        """,
        ("C9", "I5", "S/r6"),
        ("F002", "F004"),
    ),
    Mutant(
        "keep-inbox-ignored",
        "cancel(keep_inbox=True) clears the inbox.",
        "agent",
        """
        if not keep_inbox:
            core.discard(core.inbox.clear())
        """,
        """
        core.discard(core.inbox.clear())
        """,
        ("policy keep_inbox", "I8", "S/r13", "C/r3"),
    ),
    Mutant(
        "keep-inbox-marks",
        "cancel(keep_inbox=True) without a holder is effective and sets the marker.",
        "agent",
        """
        if keep_inbox or not core.inbox.pending:
            return
        """,
        """
        if not core.inbox.pending:
            return
        """,
        ("policy keep_inbox", "C2", "C3", "C/r1", "I8"),
        ("F001",),
    ),
    Mutant(
        "marker-after-request",
        "The marker is set only after the cancel's request was published.",
        "agent",
        """
            core.marker = True
        core.publish(CancelRequested(self, kind))
        """,
        """
            pass
        core.publish(CancelRequested(self, kind))
        if holder is None:
            core.marker = True
        """,
        ("C9", "C/r2"),
    ),
)
