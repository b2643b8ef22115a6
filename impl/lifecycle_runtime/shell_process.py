"""Own one running program: its supervisor process, its output pipe and the notice of its exit.

Refuses to decide who may end it or what its output means: `shell` does.
"""

import asyncio
import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from lifecycle_runtime.errors import LifecycleError

_READ: Final = 64 * 1024
_DRAIN_ROUNDS: Final = 64
_SUPERVISOR: Final = Path(__file__).with_name("shell_supervisor.py")


class SpawnError(LifecycleError):
    """The program could not be started; the message says why and is shown to the caller (O/r9)."""

    code = "spawn_failed"


class SupervisedProcess:
    """A started program with everything it starts.

    `on_output` gets every chunk as it arrives, standard error included; `on_exit` is called once with the
    exit status, after the last output, when no process of the command's tree is left. `terminate` asks with
    TERM and forces after the grace, `kill` forces at once; both return at once and may be repeated.
    """

    def __init__(
        self,
        program: Sequence[str],
        *,
        cwd: str | None,
        env: Mapping[str, str],
        grace: float = 2.0,
        force_after: float = 6.0,
        on_output: Callable[[bytes], None],
        on_exit: Callable[[int], None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._on_output, self._on_exit = on_output, on_exit
        self._force_after = force_after
        self._force: asyncio.TimerHandle | None = None
        self._process, self._output, self._held, self._control = _start(program, cwd, env, grace)
        self._loop.add_reader(self._output, self._read)
        self._loop.add_reader(self._held, self._exited)

    @property
    def pid(self) -> int:
        """The supervisor's process id; the command's processes are below it."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the exit has not been noticed yet."""
        return self._held >= 0

    def terminate(self) -> None:
        """TERM for the whole tree now, KILL for what is left after the grace."""
        self._ask(b"t")

    def kill(self) -> None:
        """KILL for the whole tree now; the supervisor itself is killed if it does not follow."""
        self._ask(b"k")

    def _ask(self, request: bytes) -> None:
        if not self.running:
            return
        with contextlib.suppress(OSError):
            os.write(self._control, request)
        if self._force is None:
            self._force = self._loop.call_later(self._force_after, self._process.kill)

    def _read(self) -> bool:
        """Read one chunk; say whether there may be more at once."""
        try:
            chunk = os.read(self._output, _READ)
        except BlockingIOError:
            return False
        except OSError:
            chunk = b""
        if not chunk:
            self._loop.remove_reader(self._output)
            return False
        self._on_output(chunk)
        return True

    def _exited(self) -> None:
        self._loop.remove_reader(self._held)
        if self._force is not None:
            self._force.cancel()
        try:
            # nobody of the tree is left, so what is in the pipe is all there is; the bound is for an
            # escaped writer
            for _ in range(_DRAIN_ROUNDS):
                if not self._read():
                    break
        finally:
            self._loop.remove_reader(self._output)
            for descriptor in (self._output, self._held, self._control):
                os.close(descriptor)
            self._held = -1
            # descriptors close a moment before the process can be reaped: this wait is microseconds long
            code = self._process.wait()
            self._on_exit(code if code >= 0 else 128 - code)


def _start(
    program: Sequence[str], cwd: str | None, env: Mapping[str, str], grace: float
) -> tuple["subprocess.Popen[bytes]", int, int, int]:
    output, output_write = os.pipe()
    held, held_write = os.pipe()
    control_read, control = os.pipe()
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_SUPERVISOR), str(held_write), repr(grace), *program],
            stdin=control_read,
            stdout=output_write,
            stderr=output_write,
            cwd=cwd,
            env=dict(env),
            pass_fds=(held_write,),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        for descriptor in (output, held, control):
            os.close(descriptor)
        where = "" if cwd is None else f" in {cwd!r}"
        raise SpawnError(f"{program[0]} could not be started{where}: {error}") from error
    finally:
        for descriptor in (output_write, held_write, control_read):
            os.close(descriptor)
    for descriptor in (output, held, control):
        os.set_blocking(descriptor, False)
    return process, output, held, control
