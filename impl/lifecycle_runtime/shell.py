"""Own how bash commands are started: the real `Spawner`, with its environment, its limits and its sandbox.

Refuses to own tasks: tokens, status, cursors and completions are the executor's.
"""

import asyncio
import codecs
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from lifecycle_runtime.ports import ProcessSpec
from lifecycle_runtime.shell_process import SpawnError, SupervisedProcess

INHERITED: Final = ("HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER")
"""The variables a command gets by default, with those named `LC_…`: none that could hold the runtime's secrets."""

OUTPUT_LIMIT: Final = 1024 * 1024
"""Bytes of output kept of one command by default."""


def default_environment() -> dict[str, str]:
    """Give the inherited variables that are set in this process."""
    return {name: held for name, held in os.environ.items() if name in INHERITED or name.startswith("LC_")}


class BashProcess:
    """A started command: the `Process` port over one supervised process tree."""

    def __init__(
        self,
        program: Sequence[str],
        cwd: str | None,
        env: Mapping[str, str],
        output: Callable[[str], None],
        *,
        grace: float,
        limit: int,
    ) -> None:
        self._output = output
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._limit = self._room = limit
        self._status: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._process = SupervisedProcess(
            program, cwd=cwd, env=env, grace=grace, on_output=self._take, on_exit=self._exited
        )

    @property
    def pid(self) -> int:
        """Process id of the supervisor, the root of the command's tree."""
        return self._process.pid

    def terminate(self) -> None:
        """TERM for the whole tree; after the spawner's grace what is left gets KILL."""
        self._process.terminate()

    def kill(self) -> None:
        """KILL for the whole tree, at once (F5)."""
        self._process.kill()

    async def wait(self) -> int:
        """Give the exit status when no process of the tree is left and all output was handed over."""
        return await asyncio.shield(self._status)

    def _take(self, chunk: bytes) -> None:
        # a command that floods is read to its end, or it would never get there; what is over the limit is
        # dropped
        if self._room <= 0:
            return
        kept = chunk[: self._room]
        self._room -= len(kept)
        text = self._decoder.decode(kept, final=self._room == 0)
        if self._room == 0:
            text += f"\n[output cut after {self._limit} bytes]\n"
        if text:
            self._output(text)

    def _exited(self, status: int) -> None:
        rest = self._decoder.decode(b"", final=True)
        try:
            if rest:
                self._output(rest)
        finally:
            self._status.set_result(status)


class BashSpawner:
    """Starts bash commands, each below a supervisor of its own that ends and reaps its whole tree.

    `env` replaces the default environment; a specification's own variables are added to it. `cwd` is where
    commands run that name no directory. `grace` is the time between TERM and KILL. `limit` bounds the bytes
    kept of one command's output. `sandbox` is put in front of bash, for example `("bwrap", "--unshare-net",
    …)`.
    """

    def __init__(
        self,
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        grace: float = 2.0,
        limit: int = OUTPUT_LIMIT,
        sandbox: Sequence[str] = (),
    ) -> None:
        self._env = None if env is None else dict(env)
        self._cwd = cwd
        self._grace = grace
        self._limit = limit
        self._sandbox = tuple(sandbox)

    async def spawn(self, spec: ProcessSpec, output: Callable[[str], None]) -> BashProcess:
        """Start one command; raise `SpawnError` saying why it cannot start (O/r9)."""
        env = default_environment() if self._env is None else self._env
        program = [*self._sandbox, _bash(), "-c", spec.command]
        found = shutil.which(program[0])
        if found is None:
            raise SpawnError(f"the sandbox program {program[0]!r} is not on the PATH; install it or name its path")
        if any("\0" in part for part in program):
            raise SpawnError("the command holds a NUL character, which no program argument can; remove it")
        return BashProcess(
            [found, *program[1:]],
            spec.cwd if spec.cwd is not None else self._cwd,
            {**env, **spec.env},
            output,
            grace=self._grace,
            limit=self._limit,
        )


def _bash() -> str:
    bash = shutil.which("bash")
    if bash is None:
        raise SpawnError("bash is not on the PATH; install it, or load no bash tool")
    return bash
