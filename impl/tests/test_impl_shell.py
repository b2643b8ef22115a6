"""Real bash processes: output as it comes, limits, and no process left whatever a command does."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from lifecycle_runtime.ports import ProcessSpec
from lifecycle_runtime.shell import BashProcess, BashSpawner, default_environment
from lifecycle_runtime.shell_process import SpawnError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="bash and process groups need a POSIX system")


def marked(marker: Path) -> list[int]:
    """Every live process whose environment names the marker, found without trusting the runtime."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            environment = (entry / "environ").read_bytes()
            state = (entry / "stat").read_bytes().rpartition(b")")[2].split()[0]
        except OSError:
            continue
        if str(marker).encode() in environment and state != b"Z":
            found.append(int(entry.name))
    return found


class Started:
    """One command, its collected output and its exit."""

    def __init__(self, process: BashProcess, pieces: list[str]) -> None:
        self.process, self.pieces = process, pieces

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    async def until(self, words: str) -> None:
        async with asyncio.timeout(20):
            while words not in self.text:
                await asyncio.sleep(0.01)


def running(tmp_path: Path, act: Callable[["Shell"], Awaitable[None]]) -> None:
    """Run `act`, then check that no process, descriptor or zombie of it is left."""

    async def run() -> None:
        before = len(os.listdir("/proc/self/fd"))
        await act(Shell(tmp_path))
        assert len(os.listdir("/proc/self/fd")) == before
        with pytest.raises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)

    asyncio.run(run())
    assert marked(tmp_path) == []


class Shell:
    def __init__(self, marker: Path) -> None:
        self.marker = marker

    async def start(self, command: str, *, cwd: str | None = None, **options: float) -> Started:
        pieces: list[str] = []
        spawner = BashSpawner(
            env={**default_environment(), "MARKER": str(self.marker)},
            grace=options.get("grace", 0.5),
            limit=int(options.get("limit", 1_000_000)),
        )
        spec = ProcessSpec(command=command, owner=None, cwd=cwd)
        return Started(await spawner.spawn(spec, pieces.append), pieces)


def test_output_arrives_while_the_command_runs(tmp_path: Path) -> None:
    async def act(shell: Shell) -> None:
        (tmp_path / "go").unlink(missing_ok=True)
        started = await shell.start(
            "echo first; while [ ! -e go ]; do sleep 0.02; done; echo last >&2", cwd=str(tmp_path)
        )
        await started.until("first")
        assert "last" not in started.text
        (tmp_path / "go").touch()
        assert await started.process.wait() == 0
        assert started.text == "first\nlast\n"

    running(tmp_path, act)


@pytest.mark.parametrize(
    ("command", "status"),
    [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("nonsense-command", 127), ("read line; exit 3", 3)],
)
def test_the_exit_status_is_the_commands(tmp_path: Path, command: str, status: int) -> None:
    async def act(shell: Shell) -> None:
        assert await (await shell.start(command)).process.wait() == status

    running(tmp_path, act)


def test_a_flood_is_cut_and_read_to_its_end(tmp_path: Path) -> None:
    async def act(shell: Shell) -> None:
        started = await shell.start("yes | head -c 50000000; exit 5", limit=10_000)
        assert await started.process.wait() == 5
        assert len(started.text) < 10_100
        assert "output cut after 10000 bytes" in started.text

    running(tmp_path, act)


def test_characters_split_between_reads_stay_whole_and_bytes_that_are_none_are_shown(tmp_path: Path) -> None:
    async def act(shell: Shell) -> None:
        started = await shell.start(r"printf '\xc3'; sleep 0.05; printf '\xa9\xff'")
        await started.process.wait()
        assert started.text == "é\ufffd"

    running(tmp_path, act)


STUBBORN = {
    "plain": "sleep 300",
    "grandchildren": "sleep 300 & sleep 300 & (sleep 300; sleep 300) & wait",
    "ignores TERM": "trap '' TERM INT HUP; while :; do sleep 0.05; done",
    "own session": "setsid bash -c 'trap \"\" TERM; while :; do sleep 0.05; done' & sleep 300",
    "double fork": "(setsid sleep 300 &) ; sleep 300",
    "stopped": "kill -STOP $$",
}


@pytest.mark.parametrize("name", STUBBORN)
@pytest.mark.parametrize("how", ["terminate", "kill"])
def test_ending_a_command_ends_its_whole_tree(tmp_path: Path, name: str, how: str) -> None:
    async def act(shell: Shell) -> None:
        started = await shell.start("echo up; " + STUBBORN[name])
        await started.until("up")
        getattr(started.process, how)()
        getattr(started.process, how)()
        async with asyncio.timeout(10):
            assert await started.process.wait() in (137, 143)
        getattr(started.process, how)()

    running(tmp_path, act)


def test_what_a_finished_command_left_in_the_background_ends_with_it(tmp_path: Path) -> None:
    async def act(shell: Shell) -> None:
        started = await shell.start("sleep 300 & (setsid sleep 300 &) ; echo done; exit 4")
        async with asyncio.timeout(10):
            assert await started.process.wait() == 4
        assert started.text == "done\n"
        assert marked(tmp_path) == []

    running(tmp_path, act)


def test_many_commands_at_once(tmp_path: Path) -> None:
    async def act(shell: Shell) -> None:
        started = [await shell.start(f"echo {number}; sleep 0.{number % 10}") for number in range(20)]
        for number, one in enumerate(started):
            if number % 2:
                one.process.terminate()
            await one.process.wait()
        assert [one.text for one in started if "1" in one.text]

    running(tmp_path, act)


@pytest.mark.parametrize(
    ("command", "says"),
    [("echo \0", "NUL character"), ("x" * 3_000_000, "could not be started: .*too long")],
)
def test_a_command_that_cannot_start_says_why(tmp_path: Path, command: str, says: str) -> None:
    async def act(shell: Shell) -> None:
        with pytest.raises(SpawnError, match=says):
            await shell.start(command)

    running(tmp_path, act)


def test_a_missing_directory_is_named(tmp_path: Path) -> None:
    async def act(shell: Shell) -> None:
        with pytest.raises(SpawnError, match="absent"):
            await shell.start("true", cwd=str(tmp_path / "absent"))

    running(tmp_path, act)


def test_a_missing_sandbox_is_named_and_a_present_one_is_used(tmp_path: Path) -> None:
    async def run() -> None:
        spec = ProcessSpec(command="echo $INSIDE", owner=None)
        with pytest.raises(SpawnError, match="no-such-sandbox"):
            await BashSpawner(sandbox=["no-such-sandbox"]).spawn(spec, lambda _text: None)
        pieces: list[str] = []
        process = await BashSpawner(sandbox=["env", "INSIDE=yes"]).spawn(spec, pieces.append)
        assert await process.wait() == 0
        assert pieces == ["yes\n"]

    asyncio.run(run())


def test_secrets_of_the_runtime_do_not_reach_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "very-secret")

    async def run() -> None:
        pieces: list[str] = []
        spec = ProcessSpec(command="env", owner=None, env={"ADDED": "1"})
        await (await BashSpawner().spawn(spec, pieces.append)).wait()
        text = "".join(pieces)
        assert "very-secret" not in text
        assert "ADDED=1" in text
        assert "PATH=" in text

    asyncio.run(run())


def test_nothing_outlives_a_runtime_that_is_killed_with_sigkill(tmp_path: Path) -> None:
    program = f"""
import asyncio
from lifecycle_runtime.ports import ProcessSpec
from lifecycle_runtime.shell import BashSpawner, default_environment

async def main():
    env = {{**default_environment(), "MARKER": {str(tmp_path)!r}}}
    command = "(setsid sleep 300 &) ; trap '' TERM; echo up; while :; do sleep 0.05; done"
    show = lambda text: print(text, end="", flush=True)
    process = await BashSpawner(env=env, grace=0.2).spawn(ProcessSpec(command=command, owner=None), show)
    await process.wait()

asyncio.run(main())
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as runtime:
        assert runtime.stdout is not None
        assert runtime.stdout.readline() == b"up\n"
        assert marked(tmp_path)
        runtime.send_signal(signal.SIGKILL)
        runtime.stdout.close()
    deadline = time.monotonic() + 10
    while marked(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert marked(tmp_path) == []
