"""Own the process tree of one bash command: end it on request, on exit, and when the runtime is gone.

Refuses to know tasks, owners or output: it runs as a program of its own (`python -I -S shell_supervisor.py
HELD GRACE PROGRAM ARGUMENT...`) between the runtime and bash, imports only the standard library, and never
reads what the command prints.

Why a process of its own: a runtime that is killed with SIGKILL cannot clean up, and a command can leave its
process group (`setsid`, a double fork). The supervisor is told of the runtime's death by the end of its
standard input, and on Linux it is the *subreaper* of everything below it, so a process that left the group
still comes back to be ended and reaped.

Control bytes on standard input: `t` TERM now and KILL after the grace; `k` KILL now; end of input counts as
`t`. The exit status is the command's (128 + signal number if a signal ended it), after every process below
has been reaped.
"""

import contextlib
import os
import select
import signal
import sys
import time

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_LEFTOVER_GRACE = 0.25
_GIVE_UP_AFTER = 5.0
_POLL = 0.05


def _prctl(option: int, value: int) -> None:
    """Call prctl where there is one; without it only the process group is owned."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _descendants(root: int) -> list[int]:
    """Every live process below `root`; empty where there is no /proc."""
    children: dict[int, list[int]] = {}
    try:
        names = os.listdir("/proc")
    except OSError:
        return []
    for name in names:
        if not name.isdigit():
            continue
        with contextlib.suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{name}/stat", "rb") as stat:
                # the command's name is in parentheses and may contain anything, a ")" too
                fields = stat.read().rpartition(b")")[2].split()
            children.setdefault(int(fields[1]), []).append(int(name))
    found: list[int] = []
    stack = [root]
    while stack:
        below = children.get(stack.pop(), [])
        found += below
        stack += below
    return found


def _signal_tree(leader: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)
    for pid in _descendants(os.getpid()):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _exec(program: list[str]) -> None:
    """Become the program, in a session of its own, with default signals and no standard input."""
    os.setsid()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    os.execv(program[0], program)


def _reap(leader: int, status: int | None) -> tuple[int | None, bool]:
    """Collect every exited child; return the leader's status, if known, and whether nobody is left."""
    while True:
        try:
            pid, raw = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return status, True
        if pid == 0:
            return status, False
        if pid == leader:
            code = os.waitstatus_to_exitcode(raw)
            status = code if code >= 0 else 128 - code


def supervise(held: int, grace: float, program: list[str]) -> int:
    """Run the program until its last process is reaped; return its exit status.

    Descriptor `held` stays open, in this process alone, until then: its end tells the runtime of the exit.
    """
    os.set_inheritable(held, False)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_read, False)
    os.set_blocking(wake_write, False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    leader = os.fork()
    if leader == 0:
        try:
            _exec(program)
        except OSError as error:
            os.write(2, f"cannot run {program[0]}: {error}\n".encode())
        os._exit(127)
    status: int | None = None
    watched = [wake_read, 0]
    kill_at: float | None = None
    give_up_at: float | None = None
    while True:
        now = time.monotonic()
        if kill_at is not None and now >= kill_at:
            _signal_tree(leader, signal.SIGKILL)
            kill_at = now + _POLL
            give_up_at = now + _GIVE_UP_AFTER if give_up_at is None else give_up_at
            if now >= give_up_at:
                # somebody we may not signal (another user's process) is left
                return 137 if status is None else status
        wait = None if kill_at is None else max(0.0, kill_at - now)
        ready, _, _ = select.select(watched, [], [], wait)
        if wake_read in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(wake_read, 4096)
        before = status
        status, alone = _reap(leader, status)
        if alone:
            return 137 if status is None else status
        if before is None and status is not None:
            # the command is over: what it left behind in the background ends with it
            _signal_tree(leader, signal.SIGTERM)
            kill_at = min(kill_at or float("inf"), time.monotonic() + min(_LEFTOVER_GRACE, grace))
        if 0 in ready:
            asked = os.read(0, 64)
            if not asked:
                watched.remove(0)
            now = time.monotonic()
            if b"k" in asked:
                kill_at = now
            elif kill_at is None:
                _signal_tree(leader, signal.SIGTERM)
                kill_at = now + grace


if __name__ == "__main__":
    code = supervise(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:])
    # nothing here needs finalisation, and an interpreter shutdown would delay the exit everybody waits for
    os._exit(code)
