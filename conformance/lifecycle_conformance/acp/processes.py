"""Owns finding, describing and ending the processes of one run, by a marker that they inherit."""

from __future__ import annotations

import contextlib
import fnmatch
import ipaddress
import os
import re
import signal
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
RUN = "LIFECYCLE_ACP_RUN"
# a run's folder is its marker: its name is in RUN and HOME of everything the agent starts, and in its working
# directory where an agent gives its tools an environment of their own; it names the judge that made it, too
FOLDER = "lifecycle-acp-"
_OF_JUDGE = re.compile(rb"lifecycle-acp-(\d+)\.(\d+)-\w+")


@dataclass(frozen=True, slots=True)
class Process:
    """A living process that carries a run's marker."""

    pid: int
    command: str

    def allowed(self, daemons: tuple[str, ...]) -> bool:
        """Tell whether its command line matches one of the patterns for deliberate daemons."""
        return any(fnmatch.fnmatchcase(self.command, pattern) for pattern in daemons)


def can_look() -> bool:
    """Tell whether this machine shows environments of processes; without it process checks are out of reach."""
    return (PROC / "self" / "environ").exists()


def started(pid: int) -> str | None:
    """Return when a process started, in kernel ticks, or None if it is gone or a zombie."""
    try:
        fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else fields[19]


def folder_prefix() -> str:
    """Return what a run's folder is called: our pid and start in it together name this judge for ever."""
    return f"{FOLDER}{os.getpid()}.{started(os.getpid())}-"


def _traces(pid: int) -> bytes:
    """Return where a run's folder may be named: a process's environment and working directory."""
    found = b""
    with contextlib.suppress(OSError):  # gone, or not ours
        found = (PROC / str(pid) / "environ").read_bytes()
        found += b"\0" + os.readlink(PROC / str(pid) / "cwd").encode()
    return found


def _pids() -> list[int]:
    return [int(name) for name in os.listdir(PROC) if name.isdigit()] if can_look() else []


def _command(pid: int) -> str:
    try:
        words = (PROC / str(pid) / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return ""
    return b" ".join(w for w in words if w).decode(errors="replace")


def living() -> frozenset[int]:
    """Return the ids of all processes of this moment: what lived before a run is none of its processes."""
    return frozenset(_pids())


def marked(folder: str, before: frozenset[int] = frozenset()) -> list[Process]:
    """Return the living processes that carry a run's marker, children of any depth included."""
    wanted = Path(folder).name.encode()
    pids = (pid for pid in _pids() if pid not in before)
    found = [Process(pid, _command(pid)) for pid in pids if wanted in _traces(pid)]
    return [p for p in found if started(p.pid) is not None and p.pid != os.getpid()]


def reap(folder: str) -> None:
    """Kill what a run left, until nothing new appears."""
    for _ in range(5):
        left = marked(folder)
        if not left:
            return
        for process in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)


def reap_orphans() -> list[Process]:
    """Kill what an earlier judge, since dead, left behind; return what was killed.

    Only processes that carry the marker of a judge that no longer lives are touched.
    """
    found: list[Process] = []
    for pid in _pids():
        match = _OF_JUDGE.search(_traces(pid))
        if match is None or pid == os.getpid():
            continue
        judge, start = match[1].decode(), match[2].decode()
        if started(int(judge)) != start:
            found.append(Process(pid, _command(pid)))
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    return found


def run_delay(processes: list[Process]) -> float:
    """Return the seconds these processes have waited for a processor in all: what a busy machine cost them."""
    total = 0.0
    for process in processes:
        for task in _tasks(process.pid):
            with contextlib.suppress(OSError, IndexError, ValueError):
                total = max(total, int(task.read_text().split()[1]) / 1e9)
    return total


def _tasks(pid: int) -> list[Path]:
    try:
        return [t / "schedstat" for t in (PROC / str(pid) / "task").iterdir()]
    except OSError:
        return []


def outside(processes: list[Process]) -> list[str]:
    """Return the addresses beyond loopback that these processes hold or try a TCP connection to."""
    inodes = {inode for p in processes for inode in _sockets(p.pid)}
    found: set[str] = set()
    for process in processes[:1]:
        for table in ("tcp", "tcp6"):
            with contextlib.suppress(OSError):
                for line in (PROC / str(process.pid) / "net" / table).read_text().splitlines()[1:]:
                    fields = line.split()
                    if fields[3] in {"01", "02"} and fields[9] in inodes:
                        found.add(_address(fields[2]))
    return sorted(a for a in found if not a.startswith(("127.", "::1", "::ffff:127.", "0.0.0.0")))


def _sockets(pid: int) -> list[str]:
    found: list[str] = []
    with contextlib.suppress(OSError):
        for fd in (PROC / str(pid) / "fd").iterdir():
            with contextlib.suppress(OSError):
                target = os.readlink(fd)
                if target.startswith("socket:["):
                    found.append(target[8:-1])
    return found


def _address(text: str) -> str:
    host, _, port = text.partition(":")
    raw = bytes.fromhex(host)
    words = b"".join(raw[i : i + 4][::-1] for i in range(0, len(raw), 4))
    address = ipaddress.ip_address(words)
    return f"{address}:{int(port, 16)}"
