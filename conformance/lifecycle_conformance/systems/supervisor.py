"""Own the process tree of one system under test: end all of it when the judge says so, or is gone.

Refuses to touch what the system says: its standard streams are the judge's pipes, handed on untouched. Runs as a
program of its own (`python -I -S supervisor.py CONTROL COMMAND…`), imports only the standard library.

Why a process of its own: a judge that is killed with SIGKILL cannot clean up, and a system can leave its process
group (`setsid`, a double fork). CONTROL is a pipe whose other end only the judge holds: its end means the judge is
gone or wants the system gone. On Linux the supervisor is the subreaper of everything below it, so a process that
left the group still comes back to be ended; elsewhere the process group is what is ended.

The exit status is the system's (128 + signal number if a signal ended it), 127 if it cannot be started.
"""

import contextlib
import os
import select
import signal
import sys
import time

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_GRACE = 0.3
_GIVE_UP_AFTER = 5.0


def _prctl(option: int, value: int) -> None:
    """Call prctl where there is one."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _below(root: int) -> list[int]:
    """Every live process below `root`; empty where there is no /proc."""
    children: dict[int, list[int]] = {}
    try:
        names = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []
    for name in names:
        with contextlib.suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{name}/stat", "rb") as stat:
                # the name is in parentheses and may hold anything, a ")" too
                fields = stat.read().rpartition(b")")[2].split()
            if fields[0] != b"Z":
                children.setdefault(int(fields[1]), []).append(int(name))
    found: list[int] = []
    stack = [root]
    while stack:
        below = children.get(stack.pop(), [])
        found += below
        stack += below
    return found


def _signal_all(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
    for pid in _below(os.getpid()):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _reap(child: int, status: int | None) -> int | None:
    """Reap whatever has ended; gives the exit status of `child` once it is known."""
    while True:
        try:
            pid, waited = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return status if status is not None else 0
        if pid == 0:
            return status
        if pid == child:
            code = os.waitstatus_to_exitcode(waited)
            status = code if code >= 0 else 128 - code


def _start(command: list[str], supervisor: int) -> int:
    """Fork and become the system, in a session of its own, to be killed with the supervisor."""
    child = os.fork()
    if child:
        return child
    try:
        os.setsid()
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != supervisor:
            os._exit(127)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"cannot start {command[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(127)


def _end(child: int, status: int | None) -> int | None:
    """Ask the tree to end, then kill it, until nothing is left below."""
    began = time.monotonic()
    _signal_all(child, signal.SIGTERM)
    while (since := time.monotonic() - began) < _GIVE_UP_AFTER:
        status = _reap(child, status)
        if not _below(os.getpid()) and status is not None:
            break
        if since > _GRACE:
            _signal_all(child, signal.SIGKILL)
        time.sleep(0.005)
    return status


def main(argv: list[str]) -> int:
    """Run the command; end it when the control pipe ends, and its leftovers when it ends."""
    control, command = int(argv[1]), argv[2:]
    os.set_inheritable(control, False)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    child = _start(command, os.getpid())
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        # the judge must see the end of the system's output, and the system the end of its input
        os.dup2(null, stream)
    status: int | None = None
    while status is None:
        ready, _, _ = select.select([control, woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
        status = _reap(child, status)
        if control in ready:
            break
    status = _end(child, status)
    return status if status is not None else 137


if __name__ == "__main__":
    os._exit(main(sys.argv))
