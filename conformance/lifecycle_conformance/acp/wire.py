"""Owns one agent process and its raw JSON-RPC lines with the moment each arrived; refuses to interpret them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lifecycle_conformance.acp.changes import Changes

MOST_LINE = 8 << 20
MOST_BYTES = 64 << 20
MOST_LINES = 50_000
_STDERR = 16 << 10


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the wire: when, which way, its text, and the message if it is a JSON object."""

    at: float
    way: Literal["sent", "came"]
    text: str
    message: dict[str, Any] | None

    @property
    def is_request(self) -> bool:
        """Tell whether this asks for an answer."""
        return self.message is not None and "method" in self.message and "id" in self.message

    @property
    def is_notification(self) -> bool:
        """Tell whether this wants no answer."""
        return self.message is not None and "method" in self.message and "id" not in self.message

    @property
    def is_response(self) -> bool:
        """Tell whether this answers something."""
        return self.message is not None and "method" not in self.message and "id" in self.message


class Wire:
    """An agent over stdio. Every wait is bounded, and so is everything it may send."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.lines: list[Line] = []
        self.changes = Changes()
        self.ended_output: float | None = None
        self.exited: float | None = None
        self.flooded = False
        self.closed_input: float | None = None
        self._bytes = 0
        self._errors = bytearray()
        self._next = 0
        self._on_request: Callable[[Line], None] | None = None
        self._tasks = [
            asyncio.ensure_future(self._read_out()),
            asyncio.ensure_future(self._read_err()),
            asyncio.ensure_future(self._watch()),
        ]

    @classmethod
    async def spawn(cls, command: Sequence[str], env: dict[str, str], cwd: str) -> Wire:
        """Start the agent in a session of its own; raises OSError if that is impossible."""
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *command, stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd=cwd, start_new_session=True
        )
        return cls(process)

    # what happened

    @property
    def pid(self) -> int:
        """Return the agent's own process id."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """Return how the agent exited, or None while it lives."""
        return self._process.returncode

    @property
    def stderr(self) -> str:
        """Return the last part of what it wrote to stderr."""
        return self._errors.decode(errors="replace")

    def answers(self, identity: int) -> list[int]:
        """Return the positions of the lines that answer a request of ours."""
        return [
            i
            for i, line in enumerate(self.lines)
            if line.way == "came" and line.is_response and line.message is not None and line.message["id"] == identity
        ]

    def continue_from(self, lines: list[Line]) -> None:
        """Put an earlier process's lines before this one's, and go on counting its requests."""
        self.lines[:0] = lines
        sent = (line.message or {} for line in lines if line.way == "sent")
        self._next = max((int(m["id"]) for m in sent if "method" in m and "id" in m), default=0)

    def on_request(self, act: Callable[[Line], None]) -> None:
        """Have every request of the agent handed to `act` as it arrives."""
        self._on_request = act

    # what we do

    def request(self, method: str, params: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Make a request without sending it; return its id and the message."""
        self._next += 1
        return self._next, {"jsonrpc": "2.0", "id": self._next, "method": method, "params": params}

    def send(self, *messages: dict[str, Any]) -> int:
        """Write messages as lines in one write; return the position of the first. A dead agent gets nothing."""
        first = len(self.lines)
        texts = [json.dumps(m, separators=(",", ":")) for m in messages]
        now = time.monotonic()
        self.lines.extend(Line(now, "sent", t, m) for t, m in zip(texts, messages, strict=True))
        stdin = self._process.stdin
        if stdin is not None and not stdin.is_closing():
            stdin.write("".join(t + "\n" for t in texts).encode())
        return first

    def close_input(self) -> None:
        """End the agent's input."""
        self.closed_input = time.monotonic()
        if self._process.stdin is not None:
            self._process.stdin.close()

    def terminate(self) -> None:
        """Ask the agent's own process to end, as an operating system would."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)

    async def until(self, condition: Callable[[], bool], limit: float, poll: float | None = None) -> bool:
        """Wait for a condition over the wire, at most `limit` seconds."""
        return await self.changes.until(condition, limit, poll)

    async def end(self) -> None:
        """Kill the agent's process and stop reading. What it spawned is ended by its marker, elsewhere."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        if self._process.stdin is not None:
            self._process.stdin.close()
        await self.until(lambda: self.exited is not None, 5)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        # a grandchild that holds the pipes would keep the transport open: close it ourselves
        transport = getattr(self._process, "_transport", None)
        if transport is not None:
            transport.close()
        await asyncio.sleep(0)

    # reading

    async def _read_out(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        rest = b""
        while chunk := await stream.read(1 << 16):
            now = time.monotonic()
            self._bytes += len(chunk)
            *whole, rest = (rest + chunk).split(b"\n")
            for text in whole:
                self._record(now, text)
            if len(rest) > MOST_LINE or self._bytes > MOST_BYTES or len(self.lines) > MOST_LINES:
                self.flooded = True
                break
            self.changes.ring()
        if rest and not self.flooded:
            self._record(time.monotonic(), rest)
        self.ended_output = time.monotonic()
        self.changes.ring()

    def _record(self, now: float, raw: bytes) -> None:
        text = raw.decode(errors="replace").rstrip("\r")
        try:
            data = json.loads(raw)
        except ValueError:
            data = None
        line = Line(now, "came", text, data if isinstance(data, dict) else None)
        self.lines.append(line)
        if line.is_request and self._on_request is not None:
            self._on_request(line)

    async def _read_err(self) -> None:
        stream = self._process.stderr
        assert stream is not None
        while chunk := await stream.read(1 << 16):
            self._errors += chunk
            del self._errors[:-_STDERR]

    async def _watch(self) -> None:
        # not Process.wait(): that also waits for pipes a grandchild may hold open
        while self._process.returncode is None:
            await asyncio.sleep(0.01)
        self.exited = time.monotonic()
        self.changes.ring()
