"""The stdio protocol from both ends, against tiny systems that are each wrong in one way."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from lifecycle_conformance.systems.adapter import Run
from lifecycle_conformance.systems.child import Child
from lifecycle_conformance.systems.errors import (
    AdapterError,
    NotProtocol,
    OutputFlood,
    Rejected,
    SystemExited,
    SystemHung,
    WrongId,
)
from lifecycle_conformance.systems.stdio_client import StdioSystem
from lifecycle_model.commands import AnyCommand, Burst, Create, Send, WhenIdle
from lifecycle_model.wire import Answer, BurstResult

MINIATURES = Path(__file__).parent / "miniatures"
TURN: Burst = (Send("a", "m1"),)
FATAL: Burst = (Send("a", "m2"),)


def command(name: str, *arguments: str) -> list[str]:
    return [sys.executable, str(MINIATURES / f"{name}.py"), *arguments]


@contextlib.contextmanager
def started(name: str, *arguments: str, timeout: float = 10.0) -> Generator[StdioSystem]:
    system = StdioSystem(command(name, *arguments), timeout=timeout)
    try:
        yield system
    finally:
        system.stop()


def gone(pid: int) -> bool:
    """Whether the process has ended (a zombie has)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except (FileNotFoundError, ProcessLookupError):
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"


def eventually_gone(pid: int, within: float = 5.0) -> bool:
    until = time.monotonic() + within
    while time.monotonic() < until:
        if gone(pid):
            return True
        time.sleep(0.02)
    return False


def test_an_honest_system_is_described_reset_run_and_stopped() -> None:
    with started("honest") as system:
        assert system.describe().name == "honest"
        system.reset({})
        results = system.run([(Create("a", "h1"),), (Send("a", "m1"), WhenIdle("a", "w1"))])
        assert results[0].calls == (Answer(pending="h1"),)
        assert [seen.event for seen in results[1].seen] == [
            "agent/status",
            "turn/start",
            "turn/end",
            "agent/status",
            "settled",
        ]
        system.reset({})
        assert system.run([TURN])[0].seen[1].turn == 1


def test_a_stopped_system_may_be_stopped_again_and_started_again() -> None:
    with started("honest") as system:
        system.reset({})
        system.stop()
        system.stop()
        system.reset({})
        assert system.run([()]) == [BurstResult()]


def test_stray_output_of_a_served_system_goes_to_standard_error() -> None:
    with started("prints") as system:
        system.reset({})
        assert system.run([TURN])[0].calls == (Answer(ok="m1"),)


def test_any_amount_of_standard_error_stops_nobody() -> None:
    with started("noisy") as system:
        system.reset({})
        for _ in range(3):
            assert len(system.run([TURN])[0].seen) == 4


@pytest.mark.parametrize(
    ("how", "kind", "said"),
    [
        ("wrong_id", WrongId, "was due"),
        ("two_lines", NotProtocol, "nobody asked for"),
        ("notification", NotProtocol, "notification (log)"),
        ("no_version", NotProtocol, '"jsonrpc":"2.0"'),
        ("no_result", NotProtocol, "without result or error"),
        ("wrong_shape", NotProtocol, "result.bursts[0].calls[0].refused"),
        ("array", NotProtocol, "no response"),
        ("half_a_line", SystemExited, "in the middle of a line"),
        ("closes", SystemExited, "closed its standard output"),
    ],
)
def test_each_wrong_answer_is_named(how: str, kind: type[AdapterError], said: str) -> None:
    with started("raw", how) as system:
        system.reset({})
        with pytest.raises(kind, match=said.replace("(", r"\(").replace(")", r"\)").replace("[", r"\[")):
            system.run([()])


def test_an_error_of_the_adapter_is_passed_on_with_its_code() -> None:
    with started("raw", "refuses") as system, pytest.raises(Rejected, match="no such thing") as caught:
        system.reset({})
    assert caught.value.code == -32000


@pytest.mark.parametrize(("how", "said"), [("other_protocol", "speaks protocol 2"), ("no_description", "initialize")])
def test_a_wrong_description_is_refused(how: str, said: str) -> None:
    with started("raw", how) as system, pytest.raises(AdapterError, match=said):
        system.describe()


def test_text_before_the_protocol_is_quoted() -> None:
    with started("garbage") as system, pytest.raises(NotProtocol, match="Hello, I am a system!"):
        system.describe()


def test_a_child_that_ends_at_once_says_its_last_words() -> None:
    with started("dies_at_once") as system, pytest.raises(SystemExited) as caught:
        system.describe()
    assert caught.value.status == 1
    assert "the database is locked" in str(caught.value)


def test_a_flood_without_a_line_break_is_cut_off() -> None:
    began = time.monotonic()
    with started("raw", "floods") as system:
        system.reset({})
        with pytest.raises(OutputFlood, match="xxxx"):
            system.run([()])
    assert time.monotonic() - began < 20


def test_a_child_that_never_completes_its_line_is_hanging() -> None:
    with started("raw", "dribbles", timeout=0.3) as system:
        system.reset({})
        with pytest.raises(SystemHung):
            system.run([()])


def test_an_exit_names_the_burst_the_status_and_the_last_words() -> None:
    with started("exits") as system:
        system.reset({})
        with pytest.raises(SystemExited) as caught:
            system.run([(Create("a", "h1"),), TURN, FATAL, TURN])
        assert caught.value.burst == 2
        assert caught.value.status == 3
        assert "about to give up" in str(caught.value)
        system.reset({})
        assert len(system.run([TURN])) == 1, "the next reset starts another child"


def test_a_hang_is_repeated_one_burst_at_a_time_and_named() -> None:
    with started("hangs", timeout=0.5) as system:
        system.reset({})
        system.run([(Create("a", "h1"),)])
        began = time.monotonic()
        with pytest.raises(SystemHung) as caught:
            system.run([TURN, FATAL, TURN])
        assert time.monotonic() - began < 5
        assert caught.value.burst == 1
        assert '"message":"m2"' in str(caught.value)


def test_a_hang_that_does_not_repeat_says_so(tmp_path: Path) -> None:
    with started("hangs_once", str(tmp_path), timeout=0.5) as system:
        system.reset({})
        system.run([TURN])
        system.run([TURN])
        with pytest.raises(SystemHung, match="no burst does it"):
            system.run([TURN])


def test_a_child_that_does_not_read_cannot_stop_the_judge() -> None:
    system = StdioSystem(command("deaf"), timeout=0.4, start_timeout=0.4)
    runs = [Run(((*TURN,) * 500,))] * 50
    try:
        with pytest.raises(SystemHung):
            list(system.run_all(runs))
    finally:
        system.stop()


def test_many_runs_are_told_ahead_and_answered_in_order() -> None:
    runs = [Run(tuple(TURN for _ in range(n % 5))) for n in range(400)]
    with started("honest") as system:
        outcomes = list(system.run_all(runs))
    assert [len(outcome) for outcome in outcomes if isinstance(outcome, list)] == [n % 5 for n in range(400)]


@pytest.mark.parametrize(("name", "kind"), [("exits", SystemExited), ("hangs", SystemHung)])
def test_a_failing_run_among_many_loses_no_other(name: str, kind: type[AdapterError]) -> None:
    runs = [Run((TURN, FATAL) if n in (3, 200) else (TURN,)) for n in range(300)]
    with started(name, timeout=0.5) as system:
        outcomes = list(system.run_all(runs))
    assert len(outcomes) == 300
    failed = [n for n, outcome in enumerate(outcomes) if isinstance(outcome, AdapterError)]
    assert failed == [3, 200]
    assert all(isinstance(outcomes[n], kind) for n in failed)
    assert [outcomes[n].burst for n in failed if isinstance(outcomes[n], AdapterError)] == [1, 1]  # type: ignore[union-attr]  # pyright: ignore[reportAttributeAccessIssue] -- just checked


def test_leaving_many_runs_early_leaves_the_system_usable() -> None:
    with started("honest") as system:
        for _outcome in system.run_all([Run((TURN,))] * 300):
            break
        system.reset({})
        assert len(system.run([TURN])[0].seen) == 4


def test_nothing_else_may_be_asked_while_runs_are_under_way() -> None:
    with started("honest") as system:
        outcomes = system.run_all([Run((TURN,))] * 3)
        next(iter(outcomes))
        with pytest.raises(RuntimeError, match="under way"):
            system.reset({})


def test_a_large_burst_crosses_in_both_directions() -> None:
    burst: tuple[AnyCommand, ...] = tuple(Send("a", f"m{n}") for n in range(20_000))
    with started("honest") as system:
        system.reset({})
        result = system.run([burst])[0]
    assert len(result.calls) == 20_000
    assert len(result.seen) == 40_002


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux gives orphans back to a subreaper")
def test_stopping_ends_grandchildren_that_left_the_group(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    with started("parent", str(file)) as system:
        system.describe()
        pid = int(file.read_text(encoding="ascii"))
        assert not gone(pid)
    assert eventually_gone(pid)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux gives orphans back to a subreaper")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_the_judges_death_ends_the_system_and_its_children(tmp_path: Path, number: signal.Signals) -> None:
    file = tmp_path / "pid"
    judge = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import signal, sys, time\n"
            # whoever runs the tests in the background hands down an ignored interrupt
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            "from lifecycle_conformance.systems.stdio_client import StdioSystem\n"
            "StdioSystem(sys.argv[1:]).describe()\n"
            "print('ready', flush=True)\n"
            "time.sleep(3600)\n",
            *command("parent", str(file)),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert judge.stdout is not None
    with judge, judge.stdout:
        assert judge.stdout.readline() == b"ready\n"
        pid = int(file.read_text(encoding="ascii"))
        parent = int(Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[1])
        judge.send_signal(number)
        judge.wait(10)
    assert eventually_gone(pid)
    assert eventually_gone(parent)


def test_a_child_is_given_no_descriptor_of_the_judge(tmp_path: Path) -> None:
    secret = os.open(tmp_path / "secret", os.O_RDWR | os.O_CREAT)
    script = "import os,sys;print(sorted(int(n) for n in os.listdir('/proc/self/fd') if int(n) > 2), flush=True)"
    child = Child([sys.executable, "-c", script])
    try:
        listed = child.lines(10)[0]
    finally:
        child.end()
        os.close(secret)
    assert str(secret).encode() not in listed.strip(b"[]").split(b", ")
