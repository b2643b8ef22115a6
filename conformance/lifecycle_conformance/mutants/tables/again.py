"""Mutants whose fault needs a further use: a third prompt, a second reload, two loads at once (sections A, O, G, D)."""

from __future__ import annotations

from lifecycle_conformance.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "third-cancel-unanswered",
        "The third prompt of a session that is answered as cancelled is not answered, and keeps the slot.",
        "acp_slot",
        """
        if self.flagged:
            self.answer.set_result("cancelled")
        """,
        """
        if self.flagged:
            self._output.cancelled = getattr(self._output, "cancelled", 0) + 1
            if self._output.cancelled < 3:
                self.answer.set_result("cancelled")
        """,
        ("A4", "A5", "V9", "A1", "A/r13", "A/r6"),
    ),
    Mutant(
        "failed-output-remembered",
        "Once output of a session could not be delivered every later prompt of it is answered with that error.",
        "acp_slot",
        """
        self._failed_before = len(output.failures)
        """,
        """
        self._failed_before = 0
        """,
        ("A5", "A4", "A/r11"),
    ),
    Mutant(
        "loaded-again-unheard",
        "A session that is loaded again on one connection keeps the record of its former agent.",
        "acp_bridge",
        """
        self._records[handle.agent.id] = opened
        """,
        """
        self._records.setdefault(handle.agent.id, opened)
        """,
        ("A/r5", "A12", "A/r8", "A5", "A6", "A11", "A10", "I21", "A/r14"),
    ),
    Mutant(
        "one-load-at-a-time",
        "While one session is being loaded the load of another is refused.",
        "acp_bridge",
        """
        if session_id in self._loading:
        """,
        """
        if self._loading:
        """,
        ("A14", "A/r4", "A/r5", "A1"),
    ),
    Mutant(
        "second-reload-silences",
        "After the tool was reloaded twice its owner is given no notice of a task that ended.",
        "bash_tool",
        """
        plugin.on(TaskCompleted, notify)
        """,
        """
        ctx.bus.loads = getattr(ctx.bus, "loads", 0) + 1
        if ctx.bus.loads < 3:
            plugin.on(TaskCompleted, notify)
        """,
        ("O7", "O/r11", "O8", "O/r13"),
    ),
    Mutant(
        "notice-once-an-id",
        "A task of a new executor whose id was used before gives no notice.",
        "bash_tool",
        """
        if agent is None:
            return
        """,
        """
        told = ctx.bus.__dict__.setdefault("told", set())
        if agent is None or event.task in told:
            return
        told.add(event.task)
        """,
        ("O11", "O/r11", "O8", "O6"),
    ),
    Mutant(
        "second-failure-untold",
        "The second start of a configured id that fails is not reported.",
        "startup",
        """
        if self._provider.active:
            self._provider.ctx.bus.contained(ConfigStartFailed(agent.label, error))
        """,
        """
        told = self._provider.ctx.bus.__dict__.setdefault("told", set())
        if self._provider.active and (agent.id or agent.resume) not in told:
            told.add(agent.id or agent.resume)
            self._provider.ctx.bus.contained(ConfigStartFailed(agent.label, error))
        """,
        ("G4", "G/r6"),
    ),
    Mutant(
        "third-log-overwrites",
        "The third log of an id overwrites the second instead of being kept beside it.",
        "storage_memory",
        """
        self._logs.setdefault(session_id, []).append((freeze_object(meta), []))
        """,
        """
        logs = self._logs.setdefault(session_id, [])
        del logs[1:]
        logs.append((freeze_object(meta), []))
        """,
        ("D7",),
    ),
)
