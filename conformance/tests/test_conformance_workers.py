"""Worker processes end with the command that started them, killed or interrupted."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="children are read from Linux's /proc")
MAIN = "import sys; from lifecycle_conformance.cli import main; sys.exit(main())"
EXPLORE = ("explore", "--scope", "standard", "--jobs", "2")
CHECK = ("check", "--jobs", "2")


def workers_of(process: subprocess.Popen[bytes]) -> list[int]:
    """The worker processes of a command, without what `multiprocessing` keeps for itself."""
    try:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        found = [int(child) for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]
    except FileNotFoundError:
        return []
    return found


def within(seconds: float, holds: Callable[[], bool]) -> bool:
    """Tell whether something comes to hold in so many seconds."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if holds():
            return True
        time.sleep(0.05)
    return holds()


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("command", [EXPLORE, CHECK], ids=["explore", "check"])
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_worker_outlives_the_command(command: tuple[str, ...], sent: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert within(60, lambda: len(workers_of(process)) == 2 or process.poll() is not None)
        started = workers_of(process)
        assert len(started) == 2
        # only the command hears it: at a terminal the workers would, too
        process.send_signal(sent)
        process.wait(60)
        assert within(60, lambda: not any(alive(one) for one in started))
        assert process.returncode == (130 if sent is signal.SIGINT else -sent)
    finally:
        process.kill()
        process.wait()
