"""One child process on three pipes: start it, send bytes, get lines within a time limit, end it with all its children.

Refuses to know the protocol: a line is a line. Single-threaded and never blocked by a child: every pipe is
non-blocking and one `poll` watches all three, so neither a child that does not read nor one that floods its standard
error can stop the judge.
"""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

from lifecycle_conformance.systems.errors import AdapterError, OutputFlood, SystemExited, SystemHung, UsageError
from lifecycle_conformance.systems.wire import MAX_LINE, Lines, LineTooLong, excerpt

STDERR_LINES = 8
"""How many of the child's last lines on standard error an error shows."""

_CHUNK = 1 << 16
_PIPE = 1 << 20
_GRACE = 0.5
_END_WITHIN = 10.0
_MAX_ERROR_LINE = 4096


class Child:
    """A running command whose standard streams are ours, and whose whole process tree ends with us."""

    def __init__(
        self, command: Sequence[str], *, max_line: int = MAX_LINE, env: Mapping[str, str] | None = None
    ) -> None:
        if os.name != "posix":
            raise UsageError("judging over stdio needs a POSIX system", hint="use python:MODULE:FACTORY here")
        self._name = command[0]
        self._lines = Lines(max_line)
        self._stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self._stderr_rest = b""
        self._unsent: deque[memoryview] = deque()
        control, self._control = os.pipe()
        supervisor = str(Path(__file__).with_name("supervisor.py"))
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", supervisor, str(control), *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                pass_fds=(control,),
                start_new_session=True,
                env=env,
            )
        except OSError as error:
            os.close(self._control)
            raise AdapterError(f"cannot start a process for {self._name}: {error}") from error
        finally:
            os.close(control)
        assert self._process.stdin
        assert self._process.stdout
        assert self._process.stderr
        self._in = self._process.stdin.fileno()
        self._out = self._process.stdout.fileno()
        self._err = self._process.stderr.fileno()
        self._poll = select.poll()
        for descriptor in (self._in, self._out, self._err):
            os.set_blocking(descriptor, False)
            _widen(descriptor)
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)

    def send(self, data: bytes) -> None:
        """Write what the pipe takes now; `lines` writes the rest while it waits."""
        if self._unsent:
            self._unsent.append(memoryview(data))
            return
        left = self._write(memoryview(data))
        if left:
            self._unsent.append(left)
            self._poll.register(self._in, select.POLLOUT)

    def _write(self, data: memoryview) -> memoryview:
        try:
            while data:
                data = data[os.write(self._in, data) :]
        except BlockingIOError:
            pass
        except OSError:
            # it no longer reads: what it said before it ended, and its exit status, tell why
            return memoryview(b"")
        return data

    def _flush(self) -> None:
        while self._unsent:
            left = self._write(self._unsent.popleft())
            if left:
                self._unsent.appendleft(left)
                return
        self._poll.unregister(self._in)

    def lines(self, limit: float) -> list[bytes]:
        """The lines that have come, at least one, within `limit` seconds.

        Raises `SystemHung`, `SystemExited` or `OutputFlood`.
        """
        until = time.monotonic() + limit
        left = limit
        while True:
            ready = self._poll.poll(max(0.0, left) * 1000)
            for descriptor, _event in ready:
                if descriptor == self._out:
                    found = self._read_lines()
                    if found:
                        return found
                elif descriptor == self._err:
                    self._read_stderr()
                else:
                    self._flush()
            left = until - time.monotonic()
            if left <= 0 and not ready:
                raise SystemHung(f"{self._name} did not answer within {limit:g} s")
            if left <= -limit:
                # something came all the time, a complete line never
                raise SystemHung(f"{self._name} was still writing after {2 * limit:g} s and had not answered")

    def _read_lines(self) -> list[bytes]:
        try:
            chunk = os.read(self._out, _CHUNK)
        except BlockingIOError:
            return []
        if not chunk:
            raise self._ended()
        try:
            return self._lines.feed(chunk)
        except LineTooLong as error:
            raise OutputFlood(
                f"{self._name} flooded its standard output: {error}, beginning {excerpt(self._lines.pending(), 60)!r}",
                hint="a message is one line; everything else belongs on standard error",
            ) from None

    def _ended(self) -> SystemExited:
        try:
            status = self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            return SystemExited(f"{self._name} closed its standard output while an answer was due")
        how = f"was ended by signal {status - 128}" if status > 128 else f"exited with status {status}"
        rest = self._lines.pending()
        said = f", in the middle of a line: {excerpt(rest, 60)!r}" if rest else ""
        error = SystemExited(f"{self._name} {how} while an answer was due{said}")
        error.status = status if status <= 128 else 128 - status
        return error

    def _read_stderr(self) -> None:
        try:
            chunk = os.read(self._err, _CHUNK)
        except BlockingIOError:
            return
        if not chunk:
            self._poll.unregister(self._err)
        *lines, rest = (self._stderr_rest + chunk).split(b"\n")
        self._stderr_rest = rest[-_MAX_ERROR_LINE:]
        self._stderr.extend(excerpt(line, 200) for line in lines[-STDERR_LINES:] if line.strip())

    def stderr(self) -> tuple[str, ...]:
        """The last lines the child wrote on standard error."""
        with contextlib.suppress(OSError, ValueError):
            while any(descriptor == self._err for descriptor, _ in self._poll.poll(0)):
                before = (self._stderr_rest, tuple(self._stderr))
                self._read_stderr()
                if before == (self._stderr_rest, tuple(self._stderr)):
                    break
        last = (excerpt(self._stderr_rest, 200),) if self._stderr_rest.strip() else ()
        return (*self._stderr, *last)[-STDERR_LINES:]

    def end(self, *, at_once: bool = False) -> None:
        """End the child: the end of its input first, unless `at_once`, then its whole tree by force."""
        process = self._process
        with contextlib.suppress(OSError):
            if process.stdin and not process.stdin.closed:
                process.stdin.close()
        if not at_once:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_GRACE)
        if self._control >= 0:
            os.close(self._control)
            self._control = -1
        try:
            process.wait(_END_WITHIN)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for stream in (process.stdout, process.stderr):
            if stream:
                stream.close()


def _widen(descriptor: int) -> None:
    """Give a pipe more room where the system allows it; only speed depends on it."""
    if sys.platform.startswith("linux"):
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _PIPE)
