"""Mutants of steering: its delivery at steps, and what stops do with it (Q9 to Q14)."""

from __future__ import annotations

from lifecycle_conformance.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "steering-into-aborted",
        "Steering is delivered into a turn whose holder is aborted.",
        "turn",
        """
        while self.holder.live:
            item = core.inbox.take_steered()
            if item is None:
                break
            core.publish(Dequeued(core.agent, item, steering=True))
            if self.holder.aborted:
                break
            if not core.deliver(item, self.holder):
                break
        """,
        """
        while True:
            item = core.inbox.take_steered()
            if item is None:
                break
            core.publish(Dequeued(core.agent, item, steering=True))
            core.append_message("steering/message", item)
        """,
        ("Q13", "I9", "Q/r10"),
        ("F008", "F009"),
    ),
    Mutant(
        "aborted-delivery-logged",
        "Steering whose own dequeue listener aborted the turn is logged all the same.",
        "turn",
        """
        if self.holder.aborted:
            break
        if not core.deliver(item, self.holder):
            break
        """,
        """
        core.append_message("steering/message", item)
        """,
        ("Q13", "I9", "Q/r10"),
        ("F172",),
    ),
    Mutant(
        "vetted-delivery-logged",
        "Steering whose own validator aborted the turn is logged all the same.",
        "core",
        """
        if self.session.append_while(lambda: holder.live, STEERING_MESSAGE, message_data(item)) is None:
            return False
        """,
        """
        self.session.append(STEERING_MESSAGE, message_data(item))
        """,
        ("Q13", "I9", "Q/r10"),
        ("F172",),
    ),
    Mutant(
        "aborted-delivery-restored",
        "Steering whose own dequeue listener aborted the turn goes back to the inbox.",
        "turn",
        """
        if self.holder.aborted:
            break
        if not core.deliver(item, self.holder):
        """,
        """
        if self.holder.aborted:
            core.inbox.steer(item)
            break
        if not core.deliver(item, self.holder):
        """,
        ("Q13", "I6", "Q/r10"),
        ("F172", "F180", "F182"),
    ),
    Mutant(
        "second-delivery-missing",
        "Steering is not delivered after a step's body.",
        "step",
        """
        delivered = turn.drain()
        """,
        """
        delivered = False
        """,
        ("Q9", "Q/r10", "Q10", "Q/r11"),
        ("F170",),
    ),
    Mutant(
        "first-delivery-missing",
        "Steering is not delivered at the top of a step.",
        "step",
        """
        turn.drain()
        assembly = await turn.gate(lambda: self._behaviour.assemble(turn.view))
        """,
        """
        assembly = await turn.gate(lambda: self._behaviour.assemble(turn.view))
        """,
        ("Q9", "Q/r10", "Q14"),
        ("F171",),
    ),
    Mutant(
        "delivery-after-assembly",
        "Steering is delivered after assembly instead of before it.",
        "step",
        """
        turn.drain()
        assembly = await turn.gate(lambda: self._behaviour.assemble(turn.view))
        """,
        """
        assembly = await turn.gate(lambda: self._behaviour.assemble(turn.view))
        turn.drain()
        """,
        ("Q9", "Q/r10", "Q25"),
    ),
    Mutant(
        "one-delivery-at-a-time",
        "Only the first steering item is delivered at a delivery.",
        "turn",
        """
        delivered = True
        """,
        """
        return True
        """,
        ("Q9", "Q/r10"),
    ),
    Mutant(
        "steering-newest-first",
        "The newest steering item is delivered first.",
        "inbox",
        """
        return self._steering.pop(0) if self._steering else None
        """,
        """
        return self._steering.pop() if self._steering else None
        """,
        ("Q9", "Q/r10"),
    ),
    Mutant(
        "delivery-inside-the-step",
        "Steering is delivered before post-step.",
        "step",
        """
        await turn.gate(lambda: self._behaviour.post_step(turn.view))
        delivered = turn.drain()
        """,
        """
        delivered = turn.drain()
        await turn.gate(lambda: self._behaviour.post_step(turn.view))
        """,
        ("Q9", "Q/r10", "Q25"),
    ),
    Mutant(
        "pending-steering-does-not-go-on",
        "Steering that comes between the last delivery and the stop does not lead to another step.",
        "step",
        """
        return delivered or bool(core.inbox.steering)
        """,
        """
        return delivered
        """,
        ("Q10", "Q/r11"),
        ("F170",),
    ),
    Mutant(
        "delivered-steering-does-not-go-on",
        "Steering delivered after the last body does not lead to another step.",
        "step",
        """
        return delivered or bool(core.inbox.steering)
        """,
        """
        return bool(core.inbox.steering)
        """,
        ("Q10", "Q/r11"),
        ("F166",),
    ),
    Mutant(
        "continuation-reason-queued",
        "A continuation reason is queued for a turn of its own.",
        "step",
        """
        core.inbox.steer(item)
        core.publish(Enqueued(core.agent, item, steering=True))
        """,
        """
        core.inbox.put(item)
        core.publish(Enqueued(core.agent, item, steering=False))
        """,
        ("Q10",),
    ),
    Mutant(
        "continuation-reason-unannounced",
        "A continuation reason becomes steering without an enqueue event.",
        "step",
        """
        core.inbox.steer(item)
        core.publish(Enqueued(core.agent, item, steering=True))
        """,
        """
        core.inbox.steer(item)
        """,
        ("Q10", "I6"),
    ),
    Mutant(
        "terminal-stop-keeps-steering",
        "A terminal stop drops steering only after the turn, not before its end.",
        "turn",
        """
        if self.terminal:
            core.discard(core.inbox.clear_steering())
        """,
        """
        """,
        ("Q11", "Q/r12", "X5"),
    ),
    Mutant(
        "terminal-stop-drops-queue",
        "A terminal stop drops queued items, too.",
        "turn",
        """
        if self.terminal:
            core.discard(core.inbox.clear_steering())
        """,
        """
        if self.terminal:
            core.discard(core.inbox.clear())
        """,
        ("Q11", "Q/r12"),
        ("F239",),
    ),
    Mutant(
        "terminal-flush-steering-runs",
        "Steering that arrives in the flush of a terminally stopped turn runs.",
        "driver",
        """
        if terminal:
            core.discard(core.inbox.clear_steering())
        else:
        """,
        """
        if False:
            core.discard(core.inbox.clear_steering())
        else:
        """,
        ("Q11", "Q/r14"),
    ),
    Mutant(
        "terminal-discards-twice",
        "A terminal stop announces what it drops twice.",
        "turn",
        """
        if self.terminal:
            core.discard(core.inbox.clear_steering())
        """,
        """
        if self.terminal:
            dropped = core.inbox.clear_steering()
            core.discard(dropped)
            core.discard(dropped)
        """,
        ("Q11", "I6", "Q/r12", "Q18"),
    ),
    Mutant(
        "terminal-drops-silently",
        "A terminal stop drops steering without a discard.",
        "turn",
        """
        if self.terminal:
            core.discard(core.inbox.clear_steering())
        """,
        """
        if self.terminal:
            core.inbox.clear_steering()
        """,
        ("Q11", "Q/r12", "Q18"),
        ("F179",),
    ),
    Mutant(
        "terminal-ignored",
        "A terminal stop is taken for an ordinary one.",
        "step",
        """
        if await turn.gate(lambda: self._behaviour.turn_stop(turn.view)) == "terminal":
            turn.terminal = True
            return False
        """,
        """
        await turn.gate(lambda: self._behaviour.turn_stop(turn.view))
        """,
        ("Q11", "Q/r12", "Q25"),
    ),
    Mutant(
        "steering-forgets-contexts",
        "Delivered steering loses its contexts.",
        "core",
        """
        self.append_contexts(item.contexts)
        return True
        """,
        """
        return True
        """,
        ("Q9", "Q/r10"),
    ),
    Mutant(
        "steering-clear-stops-at-one",
        "A clear takes only the first steering item.",
        "inbox",
        """
        taken = tuple((item, True) for item in self._steering)
        self._steering.clear()
        """,
        """
        taken = tuple((item, True) for item in self._steering[:1])
        del self._steering[:1]
        """,
        ("Q11", "Q18", "C10", "C4", "Q/r12", "T3", "I8"),
    ),
)
