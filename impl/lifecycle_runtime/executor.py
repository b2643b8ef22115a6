"""Background and foreground commands with an owner token on every task (O). Starts no process itself: see `Spawner`."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from lifecycle_runtime.context import Context, ServiceKey
from lifecycle_runtime.errors import ForeignTask, InactiveOwner, TaskAborted, UnknownTask
from lifecycle_runtime.events import TaskCompleted
from lifecycle_runtime.futures import TaskGroup, first_of
from lifecycle_runtime.ports import Clock, Process, ProcessSpec, Spawner
from lifecycle_runtime.signals import Signal, Unsubscribe


class TaskStatus(StrEnum):
    """`killed` is read at once, before the process has exited (O12)."""

    RUNNING = "running"
    COMPLETED = "completed"
    KILLED = "killed"


@dataclass(frozen=True)
class TaskOutput:
    """What one read gives: the output since the last read of anybody, and how the task stands."""

    text: str
    status: TaskStatus
    exit_code: int | None


@dataclass(frozen=True)
class RunResult:
    """What a foreground command gave."""

    text: str
    status: TaskStatus
    exit_code: int | None


class LoopClock:
    """The event loop's own time."""

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


class _Job:
    """One command from start to exit."""

    def __init__(self, spec: ProcessSpec) -> None:
        self.spec = spec
        self.status = TaskStatus.RUNNING
        self.exit_code: int | None = None
        self.output: list[str] = []
        self.cursor = 0
        self.process: Process | None = None
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.unsubscribe: Unsubscribe = lambda: None

    def unread(self) -> str:
        fresh = "".join(self.output[self.cursor :])
        self.cursor = len(self.output)
        return fresh


class Executor:
    """Runs commands for agents. The owner token of a task never changes and outlives its agent (O1, O9)."""

    def __init__(self, ctx: Context, spawner: Spawner, clock: Clock, grace: float) -> None:
        self.ctx = ctx
        self._spawner = spawner
        self._clock = clock
        self._grace = grace
        self._last_id = 0
        self._tasks: dict[str, _Job] = {}
        self._jobs: set[_Job] = set()
        self._work = TaskGroup()
        ctx.fiber.effect(self._closed, label="tasks", deactivate=self._close)

    def start(
        self,
        command: str,
        *,
        caller: str | None = None,
        owner: str | None = None,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        signal: Signal | None = None,
    ) -> str:
        """Start a background task and return its id; it belongs to `owner`, else to the caller (O/r1).

        Raises TaskAborted, without using an id, if the signal was aborted before (O/r2).
        """
        if signal is not None and signal.aborted:
            raise TaskAborted(f"{command!r} was not started: its signal was aborted; use a fresh signal")
        token = caller if owner is None else owner
        job = self._job(ProcessSpec(command, token, cwd, dict(env or {})))
        self._last_id += 1
        task_id = str(self._last_id)
        self._tasks[task_id] = job
        self._work.start(self._background(task_id, job))
        self._obey(job, signal)
        return task_id

    async def run(
        self,
        command: str,
        *,
        caller: str | None = None,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        signal: Signal | None = None,
    ) -> RunResult:
        """Run a command to its end; no task comes of it (O/r3). An abort kills it."""
        job = self._job(ProcessSpec(command, caller, cwd, dict(env or {})))
        work = self._work.start(self._supervise(job))
        self._obey(job, signal)
        try:
            await asyncio.shield(work)
        except asyncio.CancelledError:
            self._kill(job)
            raise
        return RunResult(job.unread(), job.status, job.exit_code)

    def read(self, task_id: str, caller: str | None = None) -> TaskOutput:
        """Return the output since the last read; all readers share one cursor (O12)."""
        job = self._permitted(task_id, caller)
        return TaskOutput(job.unread(), job.status, job.exit_code)

    def kill(self, task_id: str, caller: str | None = None) -> bool:
        """Kill a running task at once; False if it has ended already (O/r7, r8)."""
        return self._kill(self._permitted(task_id, caller))

    def owner_of(self, task_id: str) -> str | None:
        """Return the task's token; unknown and unowned both give None (O2)."""
        job = self._tasks.get(task_id)
        return job.spec.owner if job else None

    def status(self, task_id: str) -> TaskStatus | None:
        """Return how a task stands, without touching its cursor."""
        job = self._tasks.get(task_id)
        return job.status if job else None

    def tasks(self) -> tuple[str, ...]:
        """Return the ids of all known tasks."""
        return tuple(self._tasks)

    def unload(self) -> "asyncio.Future[None]":
        """Silence completions and kill everything at once; wait for every exit (O10)."""
        return self.ctx.unload()

    def _close(self) -> None:
        for job in tuple(self._jobs):
            self._kill(job)

    async def _closed(self) -> None:
        await self._work.join()
        self._tasks.clear()

    # --- jobs ---

    def _job(self, spec: ProcessSpec) -> _Job:
        if not self.ctx.active:
            raise InactiveOwner(f"{spec.command!r} was not started: the executor was unloaded; load another")
        job = _Job(spec)
        self._jobs.add(job)
        return job

    def _permitted(self, task_id: str, caller: str | None) -> _Job:
        """Find a task its caller may touch: an unowned one, or one of an equal token (O3, O4)."""
        job = self._tasks.get(task_id)
        if job is None:
            raise UnknownTask(f"unknown task {task_id!r}; the present executor knows {list(self._tasks)}")
        if job.spec.owner is not None and job.spec.owner != caller:
            raise ForeignTask(f"task {task_id} belongs to another session; only its owner may use it")
        return job

    def _obey(self, job: _Job, signal: Signal | None) -> None:
        if signal is not None:
            job.unsubscribe = signal.on_abort(lambda: self._kill(job))

    def _kill(self, job: _Job) -> bool:
        if job.status is not TaskStatus.RUNNING:
            return False
        job.status = TaskStatus.KILLED
        if job.process is not None:
            self._work.start(self._end(job, job.process))
        return True

    async def _background(self, task_id: str, job: _Job) -> None:
        await self._supervise(job)
        if self.ctx.active:
            self.ctx.bus.contained(TaskCompleted(task_id, job.spec.owner, job.status.value))

    async def _supervise(self, job: _Job) -> None:
        """Spawn and wait for the exit; a failed spawn is a killed task with a diagnostic (O/r9)."""
        try:
            process = await self._spawner.spawn(job.spec, job.output.append)
            job.process = process
            if job.status is TaskStatus.KILLED:
                self._work.start(self._end(job, process))
            job.exit_code = await process.wait()
            if job.status is TaskStatus.RUNNING:
                job.status = TaskStatus.COMPLETED
        except Exception as error:
            job.output.append(f"could not run: {error}\n")
            job.status = TaskStatus.KILLED
        finally:
            job.unsubscribe()
            self._jobs.discard(job)
            if not job.ended.done():
                job.ended.set_result(None)

    async def _end(self, job: _Job, process: Process) -> None:
        """Ask the process group to end and, if it resists for the grace time, force it (V10, F5)."""
        process.terminate()
        delay = asyncio.ensure_future(self._clock.sleep(self._grace))
        await first_of(job.ended, delay)
        if job.ended.done():
            delay.cancel()
        else:
            process.kill()


def provide_executor(ctx: Context, spawner: Spawner, *, clock: Clock | None = None, grace: float = 2.0) -> Executor:
    """Load an executor as the context's `EXECUTOR`, until it or the context is unloaded."""
    executor = Executor(ctx.fork("executor"), spawner, clock or LoopClock(), grace)
    withdraw = ctx.provide(EXECUTOR, executor)
    executor.ctx.fiber.effect(label="present executor", deactivate=withdraw)
    return executor


EXECUTOR: ServiceKey[Executor] = ServiceKey("executor")
