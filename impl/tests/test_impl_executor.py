"""The Background tasks scenarios of the executor, with processes the test ends by hand."""

import asyncio
from collections.abc import Callable

import pytest

from lifecycle_runtime.errors import ForeignTask, InactiveOwner, TaskAborted, UnknownTask
from lifecycle_runtime.events import TaskCompleted
from lifecycle_runtime.executor import EXECUTOR, Executor, provide_executor
from lifecycle_runtime.ports import Process, ProcessSpec
from lifecycle_runtime.signals import AbortController
from lifecycle_runtime.testing.stage import Stage, staged


class HandProcess:
    """Exits when told; `obeys` says what a terminate does."""

    def __init__(self, spec: ProcessSpec, output: Callable[[str], None]) -> None:
        self.spec = spec
        self.write = output
        self.obeys = True
        self.signals: list[str] = []
        self._exit: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def exit(self, code: int = 0) -> None:
        if not self._exit.done():
            self._exit.set_result(code)

    def terminate(self) -> None:
        self.signals.append("terminate")
        if self.obeys:
            self.exit(-15)

    def kill(self) -> None:
        self.signals.append("kill")
        self.exit(-9)

    async def wait(self) -> int:
        return await asyncio.shield(self._exit)


class HandSpawner:
    """Keeps what it spawned."""

    def __init__(self) -> None:
        self.processes: list[HandProcess] = []
        self.broken = False
        self.obey = True

    async def spawn(self, spec: ProcessSpec, output: Callable[[str], None]) -> Process:
        if self.broken:
            raise OSError("no such shell")
        process = HandProcess(spec, output)
        process.obeys = self.obey
        self.processes.append(process)
        return process


class HandClock:
    """Time passes when told."""

    def __init__(self) -> None:
        self.passed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def sleep(self, seconds: float) -> None:
        await asyncio.shield(self.passed)


class Shell:
    """An executor on a stage."""

    def __init__(self, s: Stage) -> None:
        self.stage = s
        self.spawner = HandSpawner()
        self.clock = HandClock()
        self.executor: Executor = provide_executor(s.root, self.spawner, clock=self.clock)

    @property
    def completions(self) -> list[str]:
        return self.stage.tokens("")

    async def start(self, caller: str | None = "x", owner: str | None = None) -> str:
        task = self.executor.start("work", caller=caller, owner=owner)
        await self.stage.quiet()
        return task


@staged(agent=False)
async def test_vb01_foreign_access(s: Stage) -> None:
    shell = Shell(s)
    task = await shell.start()
    with pytest.raises(ForeignTask, match="belongs to another session"):
        shell.executor.read(task, "y")
    with pytest.raises(ForeignTask):
        shell.executor.kill(task, "y")
    assert shell.executor.status(task) == "running"
    assert shell.executor.kill(task, "x")


@staged(agent=False)
async def test_vb03_vb04_presence_decides(s: Stage) -> None:
    shell = Shell(s)
    owned, unowned = await shell.start("x"), await shell.start(None)
    with pytest.raises(ForeignTask):
        shell.executor.read(owned)
    assert shell.executor.read(unowned).text == ""
    assert shell.executor.kill(unowned, "anybody")
    assert (shell.executor.owner_of(owned), shell.executor.owner_of(unowned)) == ("x", None)
    assert [process.spec.owner for process in shell.spawner.processes] == ["x", None]


@staged(agent=False)
async def test_vb07_empty_string_token(s: Stage) -> None:
    shell = Shell(s)
    task = await shell.start("x", owner="")
    for caller in ("x", None):
        with pytest.raises(ForeignTask):
            shell.executor.read(task, caller)
    shell.spawner.processes[0].write("a")
    assert shell.executor.read(task, "").text == "a"
    shell.spawner.processes[0].write("b")
    assert shell.executor.read(task, "").text == "b"


@staged(agent=False)
async def test_vb08_unknown_id(s: Stage) -> None:
    shell = Shell(s)
    with pytest.raises(UnknownTask, match="unknown task"):
        shell.executor.read("1")
    with pytest.raises(UnknownTask):
        shell.executor.kill("1")
    assert shell.executor.owner_of("1") is None


@staged(agent=False)
async def test_vb15_vb16_kill_twice_then_exit(s: Stage) -> None:
    shell = Shell(s)
    shell.spawner.obey = False
    task = await shell.start()
    assert shell.executor.kill(task, "x") is True
    assert shell.executor.kill(task, "x") is False
    assert shell.executor.status(task) == "killed"
    await s.quiet()
    assert shell.completions == []
    shell.spawner.processes[0].exit(1)
    await s.quiet()
    assert shell.completions == ["completion(1,killed)"]
    assert shell.executor.status(task) == "killed"
    assert shell.executor.kill(task, "x") is False


@staged(agent=False)
async def test_v10_a_task_that_resists_is_forced(s: Stage) -> None:
    shell = Shell(s)
    shell.spawner.obey = False
    task = await shell.start()
    shell.executor.kill(task, "x")
    await s.quiet()
    assert shell.spawner.processes[0].signals == ["terminate"]
    shell.clock.passed.set_result(None)
    await s.quiet()
    assert shell.spawner.processes[0].signals == ["terminate", "kill"]
    assert shell.completions == ["completion(1,killed)"]


@staged(agent=False)
async def test_vb17_executor_unload(s: Stage) -> None:
    shell = Shell(s)
    shell.spawner.obey = False
    tasks = [await shell.start("x"), await shell.start("y")]
    unloaded = shell.executor.unload()
    assert [shell.executor.status(task) for task in tasks] == ["killed", "killed"]
    assert s.root.find(EXECUTOR) is None
    with pytest.raises(InactiveOwner):
        shell.executor.start("late")
    await s.quiet()
    assert not unloaded.done()
    for process in shell.spawner.processes:
        process.exit()
    await s.quiet()
    assert unloaded.done()
    assert shell.completions == []
    assert shell.executor.tasks() == ()
    assert shell.executor.owner_of("1") is None
    again = provide_executor(s.root, shell.spawner, clock=shell.clock)
    assert again.start("work", caller="z") == "1"
    assert s.root.service(EXECUTOR).owner_of("1") == "z"
    await s.quiet()
    shell.spawner.processes[-1].exit()


@staged(agent=False)
async def test_vb19_spawn_failure(s: Stage) -> None:
    shell = Shell(s)
    shell.spawner.broken = True
    task = await shell.start()
    assert shell.completions == ["completion(1,killed)"]
    output = shell.executor.read(task, "x")
    assert output.status == "killed"
    assert "no such shell" in output.text


@staged(agent=False)
async def test_vb20_throwing_completion_listener(s: Stage) -> None:
    shell = Shell(s)
    heard: list[str] = []

    def fail(event: TaskCompleted) -> None:
        raise RuntimeError("boom")

    s.root.on(TaskCompleted, fail)
    s.root.on(TaskCompleted, lambda e: heard.append(e.status))
    await shell.start()
    shell.spawner.processes[0].exit()
    await s.quiet()
    assert heard == ["completed"]
    assert s.contained == ["task/completed"]


@staged(agent=False)
async def test_vb21_abort_by_signal(s: Stage) -> None:
    shell = Shell(s)
    shell.spawner.obey = False
    signal = AbortController()
    task = shell.executor.start("work", caller="x", signal=signal)
    await s.quiet()
    signal.abort("stop")
    assert shell.executor.status(task) == "killed"
    await s.quiet()
    assert shell.completions == []
    shell.spawner.processes[0].exit()
    await s.quiet()
    assert shell.completions == ["completion(1,killed)"]
    with pytest.raises(TaskAborted):
        shell.executor.start("work", signal=signal)
    shell.spawner.obey = True
    assert await shell.start() == "2"


@staged(agent=False)
async def test_foreground_run_makes_no_task(s: Stage) -> None:
    shell = Shell(s)
    result = asyncio.ensure_future(shell.executor.run("work", caller="x"))
    await s.quiet()
    shell.spawner.processes[0].write("out")
    shell.spawner.processes[0].exit(3)
    got = await result
    assert (got.text, got.status, got.exit_code) == ("out", "completed", 3)
    assert shell.executor.tasks() == ()
    assert shell.completions == []
