"""Mutants of background tasks: section O."""

from __future__ import annotations

from lifecycle_conformance.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "foreign-access",
        "Anyone may read and kill any task.",
        "executor",
        """
        if job.spec.owner is not None and job.spec.owner != caller:
        """,
        """
        if False:
        """,
        ("O/r4", "O4", "O3", "I18"),
        ("F202", "F206"),
    ),
    Mutant(
        "empty-token-open",
        "A task whose token is the empty string counts as unowned.",
        "executor",
        """
        if job.spec.owner is not None and job.spec.owner != caller:
        """,
        """
        if job.spec.owner and job.spec.owner != caller:
        """,
        ("O3", "O/r4", "I18"),
    ),
    Mutant(
        "agentless-access",
        "A caller without agent may use every task.",
        "executor",
        """
        if job.spec.owner is not None and job.spec.owner != caller:
        """,
        """
        if job.spec.owner is not None and caller is not None and job.spec.owner != caller:
        """,
        ("O4", "O3", "O/r4", "I18"),
        ("F202",),
    ),
    Mutant(
        "refused-read-takes-output",
        "A refused call takes the output the owner has not read.",
        "executor",
        """
        if job.spec.owner is not None and job.spec.owner != caller:
        """,
        """
        if job.spec.owner is not None and job.spec.owner != caller:
            job.unread()
        """,
        ("O5",),
    ),
    Mutant(
        "owner-forgotten-at-end",
        "owner_of gives nothing for a task that ended.",
        "executor",
        """
        return job.spec.owner if job else None
        """,
        """
        return job.spec.owner if job and job.status is TaskStatus.RUNNING else None
        """,
        ("O1", "O2", "I18"),
        ("F100",),
    ),
    Mutant(
        "killed-task-silent",
        "A killed task has no completion.",
        "executor",
        """
        await self._supervise(job)
        if self.ctx.active:
        """,
        """
        await self._supervise(job)
        if self.ctx.active and job.status is not TaskStatus.KILLED:
        """,
        ("O8", "O12", "O/r10", "O/r9"),
        ("F115",),
    ),
    Mutant(
        "completion-overwrites-kill",
        "A killed task reads completed once it exited.",
        "executor",
        """
        if job.status is TaskStatus.RUNNING:
            job.status = TaskStatus.COMPLETED
        """,
        """
        job.status = TaskStatus.COMPLETED
        """,
        ("O12", "O/r10"),
        ("F100",),
    ),
    Mutant(
        "kill-repeated",
        "A kill of a task killed before says true again.",
        "executor",
        """
        if job.status is not TaskStatus.RUNNING:
            return False
        """,
        """
        if job.status is TaskStatus.COMPLETED:
            return False
        """,
        ("O/r8",),
        ("F074",),
    ),
    Mutant(
        "unload-leaves-tasks",
        "Unloading the executor kills nothing.",
        "executor",
        """
        for job in tuple(self._jobs):
            self._kill(job)
        """,
        """
        pass
        """,
        ("O10", "O/r14", "V10"),
        ("F097", "F101"),
    ),
    Mutant(
        "unload-tells-completions",
        "Completions are still told after the executor was unloaded.",
        "executor",
        """
        await self._supervise(job)
        if self.ctx.active:
            self.ctx.bus.contained(TaskCompleted(task_id, job.spec.owner, job.status.value))
        """,
        """
        await self._supervise(job)
        self.ctx.bus.contained(TaskCompleted(task_id, job.spec.owner, job.status.value))
        """,
        ("O10", "I19", "O/r14"),
        ("F147", "F198"),
    ),
    Mutant(
        "kill-not-forced",
        "A task that resists its kill is never forced to end.",
        "executor",
        """
        else:
            process.kill()
        """,
        """
        else:
            pass
        """,
        ("V10", "O10"),
        ("F083", "F097"),
    ),
    Mutant(
        "start-despite-abort",
        "A task starts although its signal is aborted.",
        "executor",
        """
        if signal is not None and signal.aborted:
            raise TaskAborted(f"{command!r} was not started: its signal was aborted; use a fresh signal")
        """,
        """
        """,
        ("O/r2",),
        ("F035", "F245"),
    ),
    Mutant(
        "abort-does-not-kill",
        "A task's signal does not kill it.",
        "executor",
        """
        if signal is not None:
            job.unsubscribe = signal.on_abort(lambda: self._kill(job))
        """,
        """
        pass
        """,
        ("O/r7", "V10"),
        ("F049",),
    ),
    Mutant(
        "cursor-stands",
        "Every read gives the whole output.",
        "executor",
        """
        self.cursor = len(self.output)
        """,
        """
        """,
        ("O12",),
    ),
    Mutant(
        "notice-to-anyone",
        "A task's completion is told to whichever agent is live.",
        "bash_tool",
        """
        agent = agents.get(event.owner) if event.owner is not None and plugin.active else None
        """,
        """
        agent = next(iter(agents.list()), None)
        """,
        ("O/r11", "O/r12", "O6"),
        ("F198", "F204"),
    ),
    Mutant(
        "notice-wakes",
        "A task's completion wakes its owner.",
        "bash_tool",
        """
        agent.inject(text, source=NOTICE_SOURCE)
        """,
        """
        agent.send(text, source=NOTICE_SOURCE)
        """,
        ("O8", "O/r11"),
        ("F051",),
    ),
    Mutant(
        "owner-not-the-caller",
        "A task started without an owner is unowned although an agent started it.",
        "executor",
        """
        token = caller if owner is None else owner
        """,
        """
        token = owner
        """,
        ("O/r1", "O1"),
        ("F199", "F202"),
    ),
    Mutant(
        "task-killed-with-owner",
        "A background task is killed when its turn is stopped.",
        "bash_tool",
        """
        task = executor.start(command, caller=caller, cwd=where)
        """,
        """
        task = executor.start(command, caller=caller, cwd=where, signal=invocation.signal)
        """,
        ("O9",),
        ("F035", "F049"),
    ),
)
