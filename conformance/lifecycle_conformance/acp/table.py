"""Owns which runs there are: a table of windows and of commands, multiplied; refuses to know how one is played."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

Need = Literal["load", "resume", "close", "shell", "permission", "gates"]


@dataclass(frozen=True, slots=True)
class Window:
    """A moment in a session's life at which something may be asked of the agent.

    `rows` are the rows of the contract whose source state this is, as seen through the bridge's slot.
    """

    name: str
    means: str
    rows: tuple[str, ...]
    busy: bool
    needs: tuple[Need, ...] = ()


@dataclass(frozen=True, slots=True)
class Command:
    """Something asked in a window; `blame` is the check that a dead or deaf agent is reported under."""

    name: str
    means: str
    rows: tuple[str, ...]
    windows: tuple[str, ...]
    blame: str
    quick: tuple[str, ...]
    needs: tuple[Need, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """One fresh process: reach the window, give the command, see what follows."""

    window: Window
    command: Command

    @property
    def name(self) -> str:
        """Return the run's name, which `--section` takes."""
        return f"{self.window.name}/{self.command.name}"

    @property
    def needs(self) -> tuple[Need, ...]:
        """Return what an agent must offer for this run to say anything."""
        return (*self.window.needs, *self.command.needs)

    @property
    def quick(self) -> bool:
        """Tell whether the quick profile plays it."""
        return self.window.name in self.command.quick

    @property
    def fingerprint(self) -> str:
        """Return a short name of what is done, stable across versions that do the same."""
        said = "\n".join((self.name, self.window.means, self.command.means))
        return hashlib.sha256(said.encode()).hexdigest()[:12]


WINDOWS = (
    Window("idle", "a new session that was never prompted", ("A/r8", "A/r12", "C/r1"), busy=False),
    Window(
        "accepted",
        "a prompt was written and the agent has not asked its model yet",
        ("A/r8", "A/r10", "A/r13", "C/r2"),
        busy=True,
    ),
    Window(
        "stalled",
        "the model has the request and sends nothing",
        ("A/r11", "A/r13", "C/r3"),
        busy=True,
        needs=("gates",),
    ),
    Window(
        "streaming",
        "the model is answering slowly and its first piece has arrived",
        ("A/r11", "A/r13", "C/r3"),
        busy=True,
        needs=("gates",),
    ),
    Window(
        "tool",
        "a shell command that the model asked for is running",
        ("A/r11", "A/r13", "C/r3"),
        busy=True,
        needs=("gates", "shell"),
    ),
    Window(
        "permission",
        "the agent asks us for permission to run a shell command and we have not answered",
        ("A/r11", "A/r13", "C/r3"),
        busy=True,
        needs=("gates", "permission"),
    ),
    Window(
        "settled",
        "a session whose prompt was answered",
        ("A/r8", "A/r12", "C/r1"),
        busy=False,
    ),
    Window(
        "failing",
        "the model refuses the request of a prompt",
        ("A/r11", "A/r8"),
        busy=False,
        needs=("gates",),
    ),
    Window("boot", "a process that was just started", ("A/r1",), busy=False),
)

_QUIET = ("idle", "settled")
_GATED = ("stalled", "streaming", "tool", "permission")
_BUSY = ("accepted", *_GATED)

COMMANDS = (
    Command("initialize", "initialize with a version nobody speaks", ("A/r1",), ("boot",), "S1", ("boot",)),
    Command("unknown-method", "call a method that does not exist", (), ("idle",), "S10", ("idle",)),
    Command(
        "cancel",
        "session/cancel; once it is answered, the next prompt",
        ("A/r12", "A/r13"),
        (*_QUIET, *_BUSY),
        "L1",
        ("idle", "settled", "stalled", "streaming", "tool", "permission"),
    ),
    Command(
        "cancel-twice",
        "session/cancel twice in one write; once it is answered, the next prompt",
        ("A/r12", "A/r13", "C/r4"),
        (*_QUIET, "stalled", "streaming", "tool"),
        "L2",
        ("streaming",),
    ),
    Command(
        "prompt",
        "a second session/prompt while the first is not answered",
        ("A/r6", "A/r8", "A/r11"),
        (*_BUSY, "failing"),
        "L6",
        ("stalled", "streaming", "failing"),
    ),
    Command(
        "cancel+prompt",
        "session/cancel and session/prompt in one write",
        ("A/r13", "A/r6", "A/r8"),
        (*_QUIET, *_BUSY),
        "L7",
        ("idle", "accepted", "streaming"),
    ),
    Command(
        "load",
        "session/load of the live session; then session/cancel if a prompt runs, and the next prompt",
        ("A/r4", "A/r5"),
        (*_QUIET, "stalled", "streaming", "tool"),
        "L9",
        ("settled", "streaming"),
        needs=("load",),
    ),
    Command(
        "load-twice",
        "session/load of the live session twice in one write; then the next prompt",
        ("A/r4", "A/r5"),
        ("settled",),
        "L9",
        ("settled",),
        needs=("load",),
    ),
    Command(
        "restart-load",
        "end of input, a new process, session/load of the earlier session, then a prompt",
        ("A/r5", "A/r14"),
        ("settled",),
        "S8",
        ("settled",),
        needs=("load",),
    ),
    Command(
        "restart-resume",
        "end of input, a new process, session/resume of the earlier session, then a prompt",
        ("A/r5", "A/r14"),
        ("settled",),
        "S8",
        ("settled",),
        needs=("resume",),
    ),
    Command(
        "new",
        "session/new for another session",
        ("A/r2",),
        (*_QUIET, "stalled", "streaming"),
        "S2",
        ("idle", "streaming"),
    ),
    Command(
        "close",
        "session/close; then a prompt on the closed session",
        ("A/r14", "A/r16"),
        (*_QUIET, *_BUSY),
        "S8",
        ("settled", "streaming"),
        needs=("close",),
    ),
    Command("eof", "end of input", ("A/r14",), (*_QUIET, *_BUSY), "L3", ("idle", "streaming", "tool")),
    Command("sigterm", "SIGTERM to the agent's process", ("A/r14",), (*_QUIET, *_BUSY), "L4", ("streaming",)),
    Command(
        "unknown",
        "session/cancel, session/prompt and session/load for a session id that does not exist",
        ("A/r16", "A/r4"),
        ("idle", "streaming"),
        "L2",
        ("idle", "streaming"),
    ),
    Command(
        "other",
        "session/cancel of this session while another session is in the same window",
        ("A/r13", "A/r11"),
        ("stalled", "streaming"),
        "S11",
        ("stalled", "streaming"),
    ),
)


# rows of the contract's section A that no run can bring about from outside, and why
BEYOND = {
    "A/r3": "a closed connection shows no answer; that nothing is left is seen by what outlives the process",
    "A/r7": "what makes a prompt invalid is the agent's own affair",
    "A/r9": "seen only as the first update of a turn, which every prompt waits for",
    "A/r15": "a validation that vetoes a turn cannot be installed from outside",
}


def all_runs() -> tuple[Run, ...]:
    """Return the whole table multiplied out, in a fixed order."""
    windows = {w.name: w for w in WINDOWS}
    return tuple(Run(windows[name], command) for command in COMMANDS for name in command.windows)
