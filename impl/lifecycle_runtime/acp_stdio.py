"""Own the two descriptors an ACP agent speaks on, and the notice of their end.

Refuses to know any ACP method: a frame is a JSON-RPC 2.0 object or it is answered with an error here and
goes no further.

Both ends are threads. A client that stops reading must not stop the event loop, a loop kept busy by a tool
must not delay the notice of the end of input, and standard input may be a file, a terminal or a pipe: only
a blocking read serves all three.
"""

import asyncio
import collections
import contextlib
import logging
import os
import threading
from collections.abc import Callable
from typing import Any, Final

from lifecycle_runtime.acp_frames import FrameError, Lines, parse_frame, render_frame

MAX_LINE: Final = 32 * 1024 * 1024
"""Longest frame read, in bytes; a longer one is skipped to its end and answered with an error."""

_CHUNK: Final = 64 * 1024
_READ_AHEAD: Final = 256
_LAST_WORDS: Final = 1.0

_log = logging.getLogger(__name__)


class StdioTransport:
    """Messages over two file descriptors, in the shape the acp package calls a transport.

    `receive` gives the next well-formed message and None at the end of input; `send` returns when the
    operating system has the bytes. A client that closed its reading end counts as gone: `send` raises and
    `receive` reports the end. `on_end` is called once, from whatever thread noticed first, so that a
    watchdog can start even while the loop is busy.
    """

    def __init__(
        self,
        read_fd: int,
        write_fd: int,
        *,
        max_line: int = MAX_LINE,
        on_end: Callable[[], None] | None = None,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._read_fd, self._write_fd, self._max_line, self._on_end = read_fd, write_fd, max_line, on_end
        self._inbox: asyncio.Queue[dict[str, Any] | FrameError | None] = asyncio.Queue()
        self._credit = threading.Semaphore(_READ_AHEAD)
        self._outbox: collections.deque[tuple[bytes, asyncio.Future[None]]] = collections.deque()
        self._wake = threading.Condition()
        self._writing = False
        self._closed = False
        self._ended = False
        threading.Thread(target=self._read, name="acp-stdin", daemon=True).start()
        threading.Thread(target=self._write, name="acp-stdout", daemon=True).start()

    async def receive(self) -> dict[str, Any] | None:
        """Give the next message; answer malformed lines on the way."""
        while True:
            item = await self._inbox.get()
            if item is None:
                self._inbox.put_nowait(None)
                return None
            self._credit.release()
            if not isinstance(item, FrameError):
                return item
            with contextlib.suppress(ConnectionError):
                await self.send(item.answer())

    async def send(self, message: dict[str, Any]) -> None:
        """Write one message, after all sent before it.

        A response nobody can read any more is dropped in silence; whatever expects something of the client raises.
        """
        future: asyncio.Future[None] = self._loop.create_future()
        data = render_frame(message)
        with self._wake:
            closed = self._closed
            if not closed:
                self._outbox.append((data, future))
                self._wake.notify()
        try:
            if closed:
                raise ConnectionError("the ACP client is gone; nothing more can be sent to it")
            await future
        except ConnectionError:
            if "method" in message:
                raise

    async def close(self) -> None:
        """Stop both ends once what was sent is written, or after a second; the rest is dropped."""
        deadline = self._loop.time() + _LAST_WORDS
        while (self._outbox or self._writing) and not self._closed and self._loop.time() < deadline:
            await asyncio.sleep(0.01)
        self._shut()

    def _shut(self) -> None:
        with self._wake:
            self._closed = True
            dropped = list(self._outbox)
            self._outbox.clear()
            self._wake.notify()
        for _, future in dropped:
            self._settle(future, ConnectionError("the connection was closed before this message was written"))

    def _settle(self, future: "asyncio.Future[None]", error: Exception | None) -> None:
        def settle() -> None:
            if future.done():
                return
            if error is None:
                future.set_result(None)
            else:
                future.set_exception(error)

        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(settle)

    def _deliver(self, item: dict[str, Any] | FrameError | None) -> None:
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._inbox.put_nowait, item)

    def _end(self) -> None:
        with self._wake:
            if self._ended:
                return
            self._ended = True
        if self._on_end is not None:
            self._on_end()
        self._deliver(None)

    def _read(self) -> None:
        lines = Lines(self._max_line)
        while True:
            try:
                chunk = os.read(self._read_fd, _CHUNK)
            except OSError as error:
                _log.warning("standard input cannot be read any more: %s", error)
                chunk = b""
            for line in lines.feed(chunk) if chunk else lines.end():
                item: dict[str, Any] | FrameError
                try:
                    item = line if isinstance(line, FrameError) else parse_frame(line)
                except FrameError as error:
                    item = error
                self._credit.acquire()
                self._deliver(item)
            if not chunk:
                self._end()
                return

    def _write(self) -> None:
        while True:
            with self._wake:
                self._writing = False
                while not self._outbox and not self._closed:
                    self._wake.wait()
                self._writing = bool(self._outbox)
                if not self._outbox:
                    return
                data, future = self._outbox.popleft()
            try:
                view = memoryview(data)
                while view:
                    view = view[os.write(self._write_fd, view) :]
            except OSError as error:
                self._settle(future, ConnectionError(f"the ACP client does not read any more: {error}"))
                self._shut()
                self._end()
                return
            self._settle(future, None)
