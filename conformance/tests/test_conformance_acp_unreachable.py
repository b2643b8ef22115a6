"""An agent that cannot be judged is said so in bounded time; nothing leaves the machine; processes are reaped."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from lifecycle_conformance.acp import (
    Limits,
    Options,
    Report,
    UsageError,
    judge,
    judge_async,
    load_options,
    processes,
    render,
)
from lifecycle_conformance.acp.environment import agent_environment
from lifecycle_conformance.acp.load import Load
from lifecycle_conformance.acp.options import is_loopback
from lifecycle_conformance.acp.refusal import classify
from lifecycle_conformance.acp.stage import Stage
from lifecycle_conformance.acp.survey import Survey
from lifecycle_conformance.acp.table import all_runs
from lifecycle_conformance.acp.wire import Wire

AGENT = str(Path(__file__).parent / "acp_agents" / "unreachable.py")
LIMITS = Limits(start=3, new=3, answer=3)


UNREACHABLE = {
    "wants_terminal": ("terminal", "it seems to need a terminal"),
    "prints_banner": ("terminal", "Welcome"),
    "hangs": ("timeout", "did not answer initialize within 3 s (limit start)"),
    "exits": ("start", "exited 1 before answering initialize; its last words: error: no configuration"),
    "floods": ("protocol", "wrote more than this judge reads"),
    "wants_login": ("login", "session/new was answered with -32000"),
    "excuses_itself": ("login", "without asking its model"),
    "speaks_version_two": ("protocol", "answered protocol version 2"),
    "wants_network": ("network", "it tried to reach api.example.com:443"),
}


@pytest.fixture(scope="module")
def reports() -> dict[str, Report]:
    """Judge all of them at once: most of the time they are waited for."""

    async def one(name: str) -> tuple[str, Report]:
        # the flood ends at a size, not at a time
        limits = Limits(start=60) if name == "floods" else LIMITS
        options = Options(limits=limits)
        return name, await asyncio.wait_for(judge_async([sys.executable, AGENT, name], options, print), 90)

    async def all_of_them() -> dict[str, Report]:
        return dict(await asyncio.gather(*(one(name) for name in UNREACHABLE)))

    return asyncio.run(all_of_them())


@pytest.mark.parametrize("name", UNREACHABLE)
def test_it_is_said_what_it_needs(name: str, reports: dict[str, Report]) -> None:
    why, says = UNREACHABLE[name]
    report = reports[name]
    assert (report.verdict, report.exit_code, report.findings) == ("INCONCLUSIVE", 3, ())
    (doubt,) = report.inconclusive
    assert doubt.why.startswith(f"{why}: ")
    assert says in doubt.why
    assert doubt.why in render(report)


@pytest.mark.parametrize(
    "said",
    [
        "top: failed tty get",
        "Vim: Warning: Input is not from a terminal",
        "the input device is not a TTY",
        "Error: could not open a new TTY: open /dev/tty: no such device or address",
        "stty: 'standard input': Inappropriate ioctl for device",
        "Raw mode is not supported on the current process.stdin",
        "_curses.error: setupterm: could not find terminal",
        "TERM environment variable not set.",
        "this command requires a terminal",
        "no controlling tty",
    ],
)
def test_what_programs_say_that_find_no_terminal_is_known(said: str) -> None:
    assert classify(said, []) == "terminal"


@pytest.mark.parametrize("said", ["get terminal_output failed", "a terminal command failed", "the pretty printer"])
def test_a_word_about_terminals_alone_is_no_need_for_one(said: str) -> None:
    assert classify(said, []) is None


def test_a_command_that_does_not_exist_is_said_so() -> None:
    (doubt,) = judge(["no-such-agent-anywhere"]).inconclusive
    assert doubt.why == "start: no-such-agent-anywhere cannot be started: No such file or directory"


@pytest.mark.parametrize(
    "options",
    [
        Options(env={"OPENAI_BASE_URL": "https://api.example.com/v1"}),
        Options(env={"ARGS": "--url http://10.0.0.1:8000"}),
        Options(env={"ARGS": "--url=wss://models.example.com"}),
        Options(files={"c.json": '{"$schema": "https://example.com/s.json", "url": "https://api.example.com/v1"}'}),
        Options(prepare=(("agent", "auth", "-b", "https://api.example.com"),)),
        Options(limits=Limits(cancel=0)),
        Options(jobs=0),
        Options(runs=("no/such",)),
    ],
)
def test_what_we_refuse_is_wrong_use(options: Options) -> None:
    with pytest.raises(UsageError):
        judge([sys.executable, AGENT, "hangs"], options)


def test_an_outside_endpoint_in_the_command_is_wrong_use() -> None:
    with pytest.raises(UsageError, match=r"the command points at api\.example\.com"):
        judge([sys.executable, AGENT, "hangs", "--url=https://api.example.com/v1"])


def test_an_outside_endpoint_may_be_allowed() -> None:
    Options(env={"OPENAI_BASE_URL": "https://api.example.com/v1"}, allow_network=True).validate()
    Options(env={"OPENAI_BASE_URL": "$MODEL/v1", "OTHER": "http://127.0.0.1:1/"}).validate()
    Options(files={"c.json": '{"$schema": "https://example.com/s.json", "url": "http://[::1]:80/v1"}'}).validate()


@pytest.mark.parametrize(
    ("host", "here"),
    [("localhost", True), ("127.0.0.9", True), ("::1", True), ("10.0.0.1", False), ("localhost.example.com", False)],
)
def test_loopback_is_this_machine_only(host: str, here: bool) -> None:
    assert is_loopback(host) is here


def test_the_users_keys_and_endpoints_do_not_reach_the_agent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "https://api.example.com")
    monkeypatch.setenv("MY_SECRET", "s")
    env = agent_environment(Options(env={"X": "$MODEL/x"}), "http://127.0.0.1:9", tmp_path / "h", tmp_path / "w")
    assert env["OPENAI_BASE_URL"] == "http://127.0.0.1:9/v1"
    assert env["X"] == "http://127.0.0.1:9/x"
    assert env["HTTPS_PROXY"] == "http://127.0.0.1:9"
    assert "MY_SECRET" not in env


def test_an_options_file_names_the_field_that_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "agent.toml"
    path.write_text("[limits]\ncancell = 3\n")
    with pytest.raises(UsageError, match="cancell"):
        load_options(path)
    path.write_text('daemons = ["*tmux*"]\n[limits]\ncancel = 3\n')
    assert load_options(path).limits.cancel == 3
    assert load_options(path).source == str(path)


def eventually(condition: Callable[[], bool]) -> bool:
    """Wait for the kernel to have done what it was asked, a few seconds at most."""
    deadline = time.monotonic() + 10
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def test_grandchildren_that_leave_their_session_are_found_and_reaped(tmp_path: Path) -> None:
    folder = tmp_path / f"{processes.folder_prefix()}x1"
    folder.mkdir()
    script = "setsid bash -c 'sleep 300 & sleep 300' & disown"
    subprocess.run(["bash", "-c", script], check=True, env={**os.environ, processes.RUN: str(folder)})
    subprocess.run(["bash", "-c", script], check=True, env={"PATH": os.environ["PATH"]}, cwd=folder)

    def sleeps() -> list[processes.Process]:
        return [p for p in processes.marked(str(folder)) if p.command == "sleep 300"]

    assert eventually(lambda: len(sleeps()) == 4), processes.marked(str(folder))
    assert all(p.allowed(("sleep *",)) and not p.allowed(("tail *",)) for p in sleeps())
    processes.reap(str(folder))
    assert eventually(lambda: not processes.marked(str(folder)))


def test_what_a_dead_judge_left_is_reaped_and_what_a_living_one_runs_is_not(tmp_path: Path) -> None:
    dead = subprocess.Popen(["sleep", "301"], env={processes.RUN: "/tmp/lifecycle-acp-999999.1-dead"})
    alive = subprocess.Popen(["sleep", "302"], env={processes.RUN: f"/tmp/{processes.folder_prefix()}live"})
    try:
        assert eventually(lambda: bool(processes.marked("lifecycle-acp-999999.1-dead")))
        assert [p.command for p in processes.reap_orphans() if p.pid == dead.pid] == ["sleep 301"]
        assert dead.wait(5) == -9
        assert alive.poll() is None
    finally:
        for process in (dead, alive):
            process.kill()
            process.wait()


def test_the_wire_keeps_lines_in_order_with_their_times_and_survives_garbage() -> None:
    lines = '{"jsonrpc":"2.0","id":1,"result":{}}\nnot json\n[1]'
    says = f"import sys; print({lines!r}, end=''); sys.stderr.write('oh')"

    async def scenario() -> None:
        wire = await Wire.spawn([sys.executable, "-c", says], dict(os.environ), "/")
        try:
            assert await wire.until(lambda: wire.exited is not None and wire.ended_output is not None, 10)
            assert [line.text for line in wire.lines] == ['{"jsonrpc":"2.0","id":1,"result":{}}', "not json", "[1]"]
            assert [line.message is None for line in wire.lines] == [False, True, True]
            assert wire.answers(1) == [0]
            assert wire.returncode == 0
            wire.send({"to": "the dead"})
        finally:
            await wire.end()
        assert wire.stderr == "oh"

    asyncio.run(scenario())


def test_an_interrupt_while_a_run_is_prepared_leaves_no_process_and_no_folder() -> None:
    stage = Stage(["sleep", "299"], Options(prepare=(("sleep", "300"),)), Survey(), all_runs()[0], Load())

    async def scenario() -> None:
        task = asyncio.ensure_future(stage.__aenter__())
        while not processes.marked(stage.mark):
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scenario())
    assert eventually(lambda: not processes.marked(stage.mark))
    assert not Path(stage.mark).exists()


def test_an_interrupt_while_a_run_is_left_leaves_no_process_and_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(["sleep", "299"], Options(), Survey(), all_runs()[0], Load())
    end = Wire.end

    async def interrupted(wire: Wire) -> None:
        await end(wire)
        raise asyncio.CancelledError

    monkeypatch.setattr(Wire, "end", interrupted)

    async def scenario() -> None:
        await stage.__aenter__()
        await stage.spawn()
        with pytest.raises(asyncio.CancelledError):
            await stage.__aexit__()

    asyncio.run(scenario())
    assert not processes.marked(stage.mark)
    assert not Path(stage.mark).exists()
