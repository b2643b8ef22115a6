"""Mutants of sending, queueing and claiming: the inbox rows of section Q."""

from __future__ import annotations

from lifecycle_conformance.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "steer-joins-cancelled-turn",
        "Steering goes by the holder, not the status: while cancelling it is filed as steering.",
        "agent",
        """
        running = core.raw_status is Status.RUNNING
        """,
        """
        running = core.holder is not None
        """,
        ("Q4", "Q/r4", "Q13", "Q/r3"),
        ("F020", "F008"),
    ),
    Mutant(
        "steer-always-queued",
        "Steering is always queued as a turn of its own.",
        "agent",
        """
        running = core.raw_status is Status.RUNNING
        """,
        """
        running = False
        """,
        ("Q4", "Q/r3", "Q9"),
        ("F171",),
    ),
    Mutant(
        "steer-idle-as-steering",
        "Steering an idle agent is filed as steering for a turn that does not run.",
        "agent",
        """
        running = core.raw_status is Status.RUNNING
        """,
        """
        running = True
        """,
        ("Q4", "Q/r4", "S/r4"),
        ("F171", "F020"),
    ),
    Mutant(
        "quiet-wakes",
        "A quiet item wakes the driver.",
        "agent",
        """
        if item.wakeup and not core.disposed:
            core.wake()
        """,
        """
        if not core.disposed:
            core.wake()
        """,
        ("Q3", "S/r5", "Q/r2"),
    ),
    Mutant(
        "quiet-taken-as-waking",
        "A quiet send is kept as a waking one.",
        "agent",
        """
        item = core.accept(content, id, source, contexts, wakeup)
        """,
        """
        item = core.accept(content, id, source, contexts, True)
        """,
        ("Q3", "S/r5", "Q/r2"),
    ),
    Mutant(
        "quiet-skipped",
        "The first waking item is claimed, past a quiet one ahead of it.",
        "inbox",
        """
        return self._queued.pop(0)
        """,
        """
        return self._queued.pop(next((at for at, item in enumerate(self._queued) if item.wakeup), 0))
        """,
        ("Q6", "Q5", "I7", "Q/r9"),
    ),
    Mutant(
        "newest-first",
        "The newest queued item is claimed first.",
        "inbox",
        """
        return self._queued.pop(0)
        """,
        """
        return self._queued.pop()
        """,
        ("Q5", "I7", "Q/r9"),
    ),
    Mutant(
        "sends-merged",
        "A turn takes everything queued along with its own prompt.",
        "turn",
        """
        core.append_message(USER_MESSAGE, self._item)
        more = True
        """,
        """
        core.append_message(USER_MESSAGE, self._item)
        while core.inbox.queued:
            core.append_message(USER_MESSAGE, core.inbox.claim())
        more = True
        """,
        ("Q5", "C11", "Q25", "Q18"),
        ("F024", "F183"),
    ),
    Mutant(
        "late-steering-dropped",
        "Steering left over from a turn is dropped instead of running next.",
        "driver",
        """
        else:
            core.inbox.reroute()
        """,
        """
        else:
            core.inbox.clear_steering()
        """,
        ("Q12", "Q/r13", "V11", "Q18", "S/r18", "V1"),
        ("F170", "F174"),
    ),
    Mutant(
        "rerouted-announced-again",
        "Steering that moves to the queue is announced a second time.",
        "driver",
        """
        else:
            core.inbox.reroute()
        """,
        """
        else:
            from lifecycle_runtime.events import Enqueued

            moved = core.inbox.steering
            core.inbox.reroute()
            for item in moved:
                core.publish(Enqueued(core.agent, item, False))
        """,
        ("Q12", "I6", "Q/r13"),
        ("F183",),
    ),
    Mutant(
        "rerouted-jumps-queue",
        "Steering left over goes to the head of the queue.",
        "inbox",
        """
        self._queued.extend(replace(item, wakeup=True) for item in self._steering)
        """,
        """
        self._queued[:0] = [replace(item, wakeup=True) for item in self._steering]
        """,
        ("Q12", "Q/r13", "I7", "Q5", "Q/r9"),
    ),
    Mutant(
        "steering-stranded",
        "A driver that finds no waking item leaves remaining steering where it is.",
        "core",
        """
        if not self.inbox.waking:
            self.inbox.reroute()
        return self.inbox.waking
        """,
        """
        return self.inbox.waking
        """,
        ("Q24", "V11", "Q14", "S/r11"),
        ("F171", "F177"),
    ),
    Mutant(
        "reroute-waits-for-empty-queue",
        "Steering left over joins the next turn while anything is queued, instead of running on its own.",
        "driver",
        """
        else:
            core.inbox.reroute()
        """,
        """
        else:
            core.ready()
        """,
        ("Q12", "Q/r13", "Q14"),
        ("F170",),
    ),
    Mutant(
        "turn-before-flush",
        "The next turn starts while the flush of the last one is still under way.",
        "turn",
        """
        try:
            await flush.settle(lambda: self.core.pace("settle"))
        """,
        """
        try:
            self.core.flushes.start(flush.settle(lambda: self.core.pace("settle")))
        """,
        ("Q8", "S3", "I7", "S/r17", "X5"),
        ("F026", "F167"),
    ),
    Mutant(
        "one-turn-a-wake",
        "After a turn the driver sleeps until woken again, although work waits.",
        "driver",
        """
        return not core.disposed and core.inbox.waking
        """,
        """
        return False
        """,
        ("V1", "S/r18", "Q/r9", "X6"),
        ("F111", "F177"),
    ),
    Mutant(
        "idle-listener-prompt-lost",
        "What an idle listener sends does not wake the driver.",
        "core",
        """
        self.woken = False
        self.resolve_waiters()
        self.set_status(Status.IDLE)
        """,
        """
        self.resolve_waiters()
        self.set_status(Status.IDLE)
        self.woken = False
        """,
        ("V1", "V5", "S/r4", "S/r6", "S/r10"),
        ("F177",),
    ),
    Mutant(
        "turn-numbers-skip",
        "Turn numbers go up by two.",
        "session",
        """
        return self._shape.highest_turn + 1
        """,
        """
        return self._shape.highest_turn + 2
        """,
        ("Q19", "Q7", "I2"),
    ),
    Mutant(
        "vetoed-claim-keeps-holder",
        "A vetoed turn start leaves the holder installed.",
        "driver",
        """
        core.holder = None
        core.fail(number, 0, error)
        return None
        """,
        """
        core.fail(number, 0, error)
        return None
        """,
        ("S4", "Q7", "S/r24", "I3"),
        ("F055",),
    ),
    Mutant(
        "vetoed-claim-retried",
        "The message of a vetoed turn start is queued again.",
        "driver",
        """
        core.holder = None
        core.fail(number, 0, error)
        return None
        """,
        """
        core.holder = None
        core.fail(number, 0, error)
        core.inbox.put(item)
        return None
        """,
        ("Q7", "S/r24", "I6"),
        ("F018", "F180"),
    ),
    Mutant(
        "vetoed-claim-silent",
        "A vetoed turn start is not reported.",
        "driver",
        """
        core.holder = None
        core.fail(number, 0, error)
        return None
        """,
        """
        core.holder = None
        return None
        """,
        ("Q7", "S/r24"),
        ("F115", "F118"),
    ),
    Mutant(
        "clear-stops-at-two",
        "A clear takes at most two queued items.",
        "inbox",
        """
        taken = [(item, False) for item in self._queued]
        self._queued.clear()
        """,
        """
        taken = [(item, False) for item in self._queued[:2]]
        del self._queued[:2]
        """,
        ("C10", "C4", "Q18", "T3", "T/r1", "I8"),
    ),
    Mutant(
        "rerouted-reversed",
        "Several items left in steering move to the queue newest first.",
        "inbox",
        """
        self._queued.extend(replace(item, wakeup=True) for item in self._steering)
        """,
        """
        self._queued.extend(replace(item, wakeup=True) for item in reversed(self._steering))
        """,
        ("Q12", "Q/r13", "Q24"),
    ),
    Mutant(
        "rerouted-forgets-contexts",
        "Steering that moves to the queue loses its contexts.",
        "inbox",
        """
        self._queued.extend(replace(item, wakeup=True) for item in self._steering)
        """,
        """
        self._queued.extend(replace(item, wakeup=True, contexts=()) for item in self._steering)
        """,
        ("Q12", "Q/r13", "Q25"),
    ),
)
