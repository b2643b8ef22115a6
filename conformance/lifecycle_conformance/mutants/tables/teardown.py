"""Mutants of disposal: what it stops, what it waits for, and in which order things go (section T)."""

from __future__ import annotations

from lifecycle_conformance.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "dispose-without-abort",
        "Disposal waits for the turn without aborting it.",
        "teardown",
        """
        if core.holder is not None and core.holder.live:
            core.abort(core.holder, "disposed")
        """,
        """
        """,
        ("T4", "T/r1", "C19", "S/r21", "S/r12"),
        ("F232",),
    ),
    Mutant(
        "dispose-keeps-inbox",
        "Disposal discards nothing.",
        "teardown",
        """
        core.discard(core.inbox.clear())
        if core.holder is not None and core.holder.live:
        """,
        """
        if core.holder is not None and core.holder.live:
        """,
        ("T3", "Q18", "T/r1", "I16"),
        ("F081", "F179"),
    ),
    Mutant(
        "dispose-discards-last",
        "Disposal aborts the turn before it discards what is pending.",
        "teardown",
        """
        core.discard(core.inbox.clear())
        if core.holder is not None and core.holder.live:
            core.abort(core.holder, "disposed")
        """,
        """
        if core.holder is not None and core.holder.live:
            core.abort(core.holder, "disposed")
        core.discard(core.inbox.clear())
        """,
        ("T3", "T/r1"),
    ),
    Mutant(
        "disposed-too-late",
        "Disposal discards what is pending while the agent still reads as live.",
        "teardown",
        """
        core.raw_status = Status.DISPOSED
        core.discard(core.inbox.clear())
        """,
        """
        core.discard(core.inbox.clear())
        core.raw_status = Status.DISPOSED
        """,
        ("T3", "T5", "Q/r5", "Q18", "I16"),
        ("F213",),
    ),
    Mutant(
        "disposed-unannounced",
        "Disposal publishes no status.",
        "teardown",
        """
        if core.published:
            core.publish(StatusChanged(core.agent, Status.DISPOSED))
        """,
        """
        """,
        ("S12", "T/r1", "T3", "S2", "S/r21"),
        ("F064",),
    ),
    Mutant(
        "disposed-announced-early",
        "Disposal publishes status(disposed) of an agent that was never published.",
        "teardown",
        """
        if core.published:
            core.publish(StatusChanged(core.agent, Status.DISPOSED))
        """,
        """
        core.publish(StatusChanged(core.agent, Status.DISPOSED))
        """,
        ("T3", "S/r2", "I14", "R4", "R5"),
        ("F131",),
    ),
    Mutant(
        "detach-before-driver-exit",
        "Disposal detaches the agent while its driver is still running.",
        "teardown",
        """
        return core.exited.done() and not core.flushes.busy and core.store.out_of_band_running(core.session) is None
        """,
        """
        return not core.flushes.busy and core.store.out_of_band_running(core.session) is None
        """,
        ("T2", "T6", "I15", "S/r22", "T/r2", "T/r4", "T5"),
        ("F144", "F145", "F147", "F148"),
    ),
    Mutant(
        "detach-before-injection-flush",
        "Disposal does not wait for the flush of an idle injection.",
        "teardown",
        """
        return core.exited.done() and not core.flushes.busy and core.store.out_of_band_running(core.session) is None
        """,
        """
        return core.exited.done() and core.store.out_of_band_running(core.session) is None
        """,
        ("T6", "T/r3", "S/r22", "I15", "T13"),
        ("F104", "F108", "F106"),
    ),
    Mutant(
        "detach-before-out-of-band-flush",
        "Disposal does not wait for the flush of an out-of-band append.",
        "teardown",
        """
        return core.exited.done() and not core.flushes.busy and core.store.out_of_band_running(core.session) is None
        """,
        """
        return core.exited.done() and not core.flushes.busy
        """,
        ("T6", "T/r3", "I15", "L/r11"),
        ("F104",),
    ),
    Mutant(
        "session-leaves-first",
        "Disposal detaches the session before the agent.",
        "teardown",
        """
        if self.agent_entry is not None:
            self._agents.detach(self.agent_entry)
            await self._agents.when_gone(self.agent_entry)
        if self.session_entry is not None:
            await core.store.detach(self.session_entry)
        """,
        """
        if self.session_entry is not None:
            await core.store.detach(self.session_entry)
        if self.agent_entry is not None:
            self._agents.detach(self.agent_entry)
            await self._agents.when_gone(self.agent_entry)
        """,
        ("T2", "T7", "T/r4", "T/r5", "I12", "I15", "S/r23"),
        ("F150", "F105"),
    ),
    Mutant(
        "dispose-runs-again",
        "A second dispose runs the whole teardown again.",
        "teardown",
        """
        if self._chain is None:
            self._chain = asyncio.get_running_loop().create_task(self._finish())
        """,
        """
        if True:
            self._chain = asyncio.get_running_loop().create_task(self._finish())
        """,
        ("T1", "I1", "T/r8"),
        ("F068", "F074"),
    ),
    Mutant(
        "second-dispose-resolves-early",
        "A dispose that joins a teardown resolves at once.",
        "teardown",
        """
        if self._chain is None:
            self._chain = asyncio.get_running_loop().create_task(self._finish())
        """,
        """
        if self._chain is not None:
            joined: asyncio.Future[tuple[BaseException, ...]] = asyncio.get_running_loop().create_future()
            joined.set_result(())
            return joined
        if self._chain is None:
            self._chain = asyncio.get_running_loop().create_task(self._finish())
        """,
        ("T1", "T/r8", "T/r7"),
        ("F069", "F070"),
    ),
    Mutant(
        "scope-not-unwound",
        "Disposal does not unwind the agent's scope.",
        "teardown",
        """
        await core.ctx.fiber.unload()
        """,
        """
        """,
        ("T/r6", "T10", "T9"),
        ("F095", "F102"),
    ),
    Mutant(
        "scope-not-awaited",
        "Disposal resolves before the scope is unwound.",
        "teardown",
        """
        await core.ctx.fiber.unload()
        """,
        """
        core.ctx.fiber.unload()
        """,
        ("T1", "T/r6", "T/r7", "T2"),
        ("F071", "F103"),
    ),
    Mutant(
        "records-not-released",
        "Disposal leaves the agent's record on its owner.",
        "teardown",
        """
        self._release()
        return tuple(core.ctx.fiber.failures)
        """,
        """
        return tuple(core.ctx.fiber.failures)
        """,
        ("T10", "T/r7"),
        ("F095", "F074"),
    ),
    Mutant(
        "dispose-forgets-driver",
        "Disposal does not wake a sleeping driver, and never ends.",
        "teardown",
        """
        if not core.driver_started:
            core.exit()
        core.wake()
        """,
        """
        if not core.driver_started:
            core.exit()
        """,
        ("V6", "T/r2", "S/r22", "T/r4"),
        ("F075", "F078"),
    ),
    Mutant(
        "messages-after-dispose",
        "A disposed agent accepts messages.",
        "agent",
        """
        if core.disposed and core.ports.policies.after_dispose == "rejects":
            raise Disposed(f"agent {self.id!r} was disposed and accepts no message; create a new one")
        """,
        """
        """,
        ("T5", "Q/r5"),
        ("F149", "F192"),
    ),
    Mutant(
        "turn-after-disposal",
        "A driver disposed while it converges goes on to the next wake.",
        "driver",
        """
        while not core.disposed:
            await core.pace("wake")
        """,
        """
        while True:
            await core.pace("wake")
        """,
        ("S/r22", "X4", "T5"),
    ),
)
