"""Mutants of the cancel procedure: its order, what it clears, and whose cause it is (C4 to C8, C10 to C12)."""

from __future__ import annotations

from lifecycle_conformance.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "clear-after-abort",
        "The inbox is cleared after the abort.",
        "agent",
        """
        if not keep_inbox:
            core.discard(core.inbox.clear())
        if holder is not None:
            if holder.live and core.raw_status is Status.RUNNING:
                core.set_status(Status.CANCELLING)
            core.abort(holder, kind)
        """,
        """
        if holder is not None:
            if holder.live and core.raw_status is Status.RUNNING:
                core.set_status(Status.CANCELLING)
            core.abort(holder, kind)
        if not keep_inbox:
            core.discard(core.inbox.clear())
        """,
        ("C4", "C6", "C10", "C11", "I8", "C/r3"),
        ("F017",),
    ),
    Mutant(
        "request-after-clear",
        "A cancel is announced after the inbox was cleared.",
        "agent",
        """
        core.publish(CancelRequested(self, kind))
        if not keep_inbox:
            core.discard(core.inbox.clear())
        """,
        """
        if not keep_inbox:
            core.discard(core.inbox.clear())
        core.publish(CancelRequested(self, kind))
        """,
        ("C4", "C5", "I8", "C/r2", "C/r3"),
        ("F157",),
    ),
    Mutant(
        "second-cause-wins",
        "A later cancel's cause replaces the first.",
        "signals",
        """
        if self._aborted:
            return False
        self._aborted = True
        """,
        """
        if self._aborted:
            self._reason = reason
            return False
        self._aborted = True
        """,
        ("C7", "I10", "C12", "C19"),
        ("F205",),
    ),
    Mutant(
        "cancel-misses-queued",
        "A cancel clears steering only.",
        "agent",
        """
        if not keep_inbox:
            core.discard(core.inbox.clear())
        """,
        """
        if not keep_inbox:
            core.discard(core.inbox.clear_steering())
        """,
        ("C4", "C10", "I8", "C/r2", "C/r3"),
        ("F005", "F006", "F007"),
    ),
    Mutant(
        "cancel-misses-steering",
        "A cancel clears queued items only.",
        "inbox",
        """
        return (*taken, *self.clear_steering())
        """,
        """
        return tuple(taken)
        """,
        ("C10", "C4", "I8", "C5"),
        ("F008", "F020"),
    ),
    Mutant(
        "cancel-clears-silently",
        "A cancel clears the inbox without a discard.",
        "agent",
        """
        if not keep_inbox:
            core.discard(core.inbox.clear())
        """,
        """
        if not keep_inbox:
            core.inbox.clear()
        """,
        ("C4", "C10", "Q18", "I8"),
        ("F179", "F112"),
    ),
    Mutant(
        "cancel-clears-one",
        "A cancel takes only the first pending item.",
        "agent",
        """
        if not keep_inbox:
            core.discard(core.inbox.clear())
        """,
        """
        if not keep_inbox and core.inbox.queued:
            core.discard(((core.inbox.claim(), False),))
        """,
        ("C4", "C10", "I8"),
        ("F006",),
    ),
    Mutant(
        "clear-instead-of-abort",
        "A cancel that clears something leaves the turn running.",
        "agent",
        """
        if not keep_inbox:
            core.discard(core.inbox.clear())
        if holder is not None:
        """,
        """
        cleared = () if keep_inbox else core.inbox.clear()
        core.discard(cleared)
        if holder is not None and not cleared:
        """,
        ("C4", "I8", "C/r3", "S/r13", "S/r9"),
        ("F050",),
    ),
    Mutant(
        "discarded-twice",
        "A cancel announces what it clears twice.",
        "agent",
        """
        if not keep_inbox:
            core.discard(core.inbox.clear())
        """,
        """
        if not keep_inbox:
            cleared = core.inbox.clear()
            core.discard(cleared)
            core.discard(cleared)
        """,
        ("C4", "I6", "I8", "C/r2", "C/r3", "C10"),
        ("F162",),
    ),
    Mutant(
        "discards-apart",
        "A cancel announces each cleared item on its own.",
        "agent",
        """
        if not keep_inbox:
            core.discard(core.inbox.clear())
        """,
        """
        if not keep_inbox:
            for one in core.inbox.clear():
                core.discard((one,))
        """,
        ("C4", "I8", "C10"),
    ),
    Mutant(
        "steering-cleared-first",
        "A discard names steering before queued items.",
        "inbox",
        """
        return (*taken, *self.clear_steering())
        """,
        """
        return (*self.clear_steering(), *taken)
        """,
        ("C4", "C10", "C5"),
    ),
    Mutant(
        "cancel-needs-open-turn",
        "A cancel between the reservation and the turn's start aborts nothing.",
        "agent",
        """
        if holder is not None:
            if holder.live and core.raw_status is Status.RUNNING:
        """,
        """
        if holder is not None and core.session.open_turn is not None:
            if holder.live and core.raw_status is Status.RUNNING:
        """,
        ("S6", "C15", "C/r3", "S/r9", "S/r13", "I8"),
        ("F014", "F015", "F013"),
    ),
    Mutant(
        "abort-before-status",
        "The abort runs before status(cancelling).",
        "agent",
        """
        if holder.live and core.raw_status is Status.RUNNING:
            core.set_status(Status.CANCELLING)
        core.abort(holder, kind)
        """,
        """
        if holder.live and core.raw_status is Status.RUNNING:
            core.abort(holder, kind)
            core.set_status(Status.CANCELLING)
        core.abort(holder, kind)
        """,
        ("C4", "I8", "C/r3", "S/r9", "S/r13"),
    ),
    Mutant(
        "second-cancel-ignored",
        "A further cancel while cancelling is ignored.",
        "agent",
        """
        core.publish(CancelRequested(self, kind))
        if not keep_inbox:
        """,
        """
        if holder is not None and not holder.live:
            return
        core.publish(CancelRequested(self, kind))
        if not keep_inbox:
        """,
        ("C12", "C2", "C/r4", "S/r14", "I8"),
        ("F242",),
    ),
    Mutant(
        "second-abort",
        "A further cancel runs the abort observers again.",
        "core",
        """
        if holder.settle(reason):
            self.publish(Aborted(self.agent, reason))
        """,
        """
        if holder.settle(reason) or cause != "disposed":
            self.publish(Aborted(self.agent, reason))
        """,
        ("C7", "C12", "C4", "I10"),
        ("F162",),
    ),
    Mutant(
        "cause-forgotten",
        "Every cancel's cause is user.",
        "agent",
        """
        kind = cause if isinstance(cause, str) else cause.get("kind")
        """,
        """
        kind = "user"
        """,
        ("C1", "C7", "C/r2", "C/r3"),
        ("F205",),
    ),
    Mutant(
        "late-work-cleared",
        "What a status or abort listener queues is cleared, too.",
        "agent",
        """
        if holder.live and core.raw_status is Status.RUNNING:
            core.set_status(Status.CANCELLING)
        core.abort(holder, kind)
        """,
        """
        if holder.live and core.raw_status is Status.RUNNING:
            core.set_status(Status.CANCELLING)
        core.abort(holder, kind)
        core.discard(core.inbox.clear())
        """,
        ("C6", "C11", "C4", "I8"),
        ("F017",),
    ),
    Mutant(
        "requested-work-survives",
        "What a cancel-requested listener queues is not cleared.",
        "agent",
        """
        core.publish(CancelRequested(self, kind))
        if not keep_inbox:
            core.discard(core.inbox.clear())
        """,
        """
        pending = core.inbox.pending
        core.publish(CancelRequested(self, kind))
        if not keep_inbox and pending:
            core.discard(core.inbox.clear())
        """,
        ("C5", "C10", "I8"),
        ("F005",),
    ),
    Mutant(
        "outer-cause-wins",
        "The cause is fixed when a cancel begins, so a nested one from its listeners comes too late.",
        "agent",
        """
        if holder.live and core.raw_status is Status.RUNNING:
            core.set_status(Status.CANCELLING)
        core.abort(holder, kind)
        """,
        """
        live = holder.settle({"kind": kind})
        if live and core.raw_status is Status.RUNNING:
            core.set_status(Status.CANCELLING)
        if live:
            from lifecycle_runtime.events import Aborted

            core.publish(Aborted(self, {"kind": kind}))
            holder.notify()
        """,
        ("C8", "C7", "C4", "I8", "I10", "C/r3"),
    ),
    Mutant(
        "cancel-reaches-everyone",
        "One agent's cancel aborts every agent's turn.",
        "agent",
        """
        core.abort(holder, kind)
        """,
        """
        from lifecycle_runtime.registry import AGENTS

        for other in core.ctx.service(AGENTS).list():
            if other._core.holder is not None:
                other._core.abort(other._core.holder, kind)
        """,
        ("C20",),
        ("F033", "F034", "F205"),
    ),
    Mutant(
        "cancel-vetoed",
        "A cancel-requested listener that throws ends the cancel.",
        "agent",
        """
        core.publish(CancelRequested(self, kind))
        if not keep_inbox:
        """,
        """
        core.ctx.bus.vetoing(CancelRequested(self, kind), core.ctx.scope)
        if not keep_inbox:
        """,
        ("C21", "C4", "I8", "C/r2", "C/r3"),
        ("F114", "F189"),
    ),
)
