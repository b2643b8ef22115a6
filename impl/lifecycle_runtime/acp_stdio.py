"""Own the descriptors an ACP agent speaks on: frames, limits, and the error a bad frame earns.

Refuses to know any ACP method: a frame is a JSON-RPC 2.0 object or it is answered with an error here and
goes no further.

Both ends are threads. A client that stops reading must not stop the event loop, a loop kept busy by a tool
must not delay the notice of the end of input, and standard input may be a file, a terminal or a pipe: only
a blocking read serves all three.
"""

import asyncio
import collections
import contextlib
import json
import logging
import os
import threading
from collections.abc import Callable
from typing import Any, Final, NoReturn, cast

MAX_LINE: Final = 32 * 1024 * 1024
"""Longest frame read, in bytes; a longer one is skipped to its end and answered with an error."""

_CHUNK: Final = 64 * 1024
_READ_AHEAD: Final = 256
_LAST_WORDS: Final = 1.0
_META: Final = ("_meta", "field_meta")

_log = logging.getLogger(__name__)


class FrameError(Exception):
    """A line that is no request, notification or response; `code` and `id` make the answer it earns."""

    def __init__(self, code: int, message: str, request_id: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.request_id = request_id

    def answer(self) -> dict[str, Any]:
        """Give the JSON-RPC error object to send back."""
        return {"jsonrpc": "2.0", "id": self.request_id, "error": {"code": self.code, "message": str(self)}}


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def parse_frame(line: bytes) -> dict[str, Any]:
    """Read one line as a JSON-RPC 2.0 object, or raise `FrameError` saying what is wrong with it.

    `_meta` of the parameters is dropped: the package spreads its members over the handler's arguments,
    where a client could replace the checked ones.
    """
    try:
        value: object = json.loads(line.decode(), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise FrameError(-32700, f"the line is not UTF-8 (byte {error.start}); send one JSON object a line") from None
    except RecursionError:
        raise FrameError(-32700, "the line is nested too deeply to be read") from None
    except ValueError as error:
        raise FrameError(-32700, f"the line is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise FrameError(-32600, f"a message is a JSON object, not {_kind(value)}; batches are not supported")
    message = cast("dict[str, Any]", value)
    request_id: object = message.get("id")
    if isinstance(request_id, bool) or not isinstance(request_id, str | int | None):
        raise FrameError(-32600, f"an id is a string, an integer or null, not {_kind(request_id)}")
    if message.get("jsonrpc") != "2.0":
        raise FrameError(-32600, 'a message has "jsonrpc": "2.0"', request_id)
    method: object = message.get("method")
    if "method" not in message:
        if "id" in message and ("result" in message or "error" in message):
            failure: object = message.get("error")
            if failure is not None and not isinstance(failure, dict):
                raise FrameError(-32600, f"an error is an object, not {_kind(failure)}", request_id)
            return message
        raise FrameError(-32600, "a message has a method, or an id with a result or an error", request_id)
    if not isinstance(method, str):
        raise FrameError(-32600, f"a method is a string, not {_kind(method)}", request_id)
    params: object = message.get("params")
    if params is None:
        message["params"] = {}
    elif isinstance(params, dict):
        message["params"] = {key: held for key, held in cast("dict[str, Any]", params).items() if key not in _META}
    else:
        raise FrameError(-32602, f"parameters of {method[:80]!r} are an object, not {_kind(params)}", request_id)
    return message


def _kind(value: object) -> str:
    names: dict[type[object], str] = {
        dict: "an object",
        list: "an array",
        str: "a string",
        bool: "a boolean",
        type(None): "null",
    }
    return names.get(type(value), "a number")


def render_frame(message: dict[str, Any]) -> bytes:
    """Write one message as a line of ASCII JSON.

    Validation errors lose the rejected input they quote: it may be the client's 30 MB, and it may not be
    JSON.
    """
    error = message.get("error")
    if isinstance(error, dict):
        data = cast("dict[str, Any]", error).get("data")
        found = cast("dict[str, Any]", data).get("errors") if isinstance(data, dict) else None
        if isinstance(found, list):
            kept = [
                {
                    "where": ".".join(str(part) for part in item.get("loc", ())),
                    "problem": str(item.get("msg")),
                }
                for item in cast("list[dict[str, Any]]", found)[:20]
            ]
            message = {**message, "error": {**cast("dict[str, Any]", error), "data": {"errors": kept}}}
    return json.dumps(message, separators=(",", ":"), default=str).encode() + b"\n"


class _Lines:
    """Cut a byte stream into lines, skipping those longer than the limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = bytearray()
        self._skipping = False

    def feed(self, chunk: bytes) -> list[bytes | FrameError]:
        found: list[bytes | FrameError] = []
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            if self._skipping:
                self._skipping = False
                continue
            self._held += part
            line = bytes(self._held)
            self._held.clear()
            if len(line) > self._limit:
                found.append(self._too_long())
            elif line.strip():
                found.append(line)
        if not self._skipping:
            self._held += rest
            if len(self._held) > self._limit:
                self._held.clear()
                self._skipping = True
                found.append(self._too_long())
        return found

    def end(self) -> list[bytes | FrameError]:
        """Give the half line before the end of input, if any: it is a frame like any other."""
        line = bytes(self._held)
        self._held.clear()
        return [line] if line.strip() else []

    def _too_long(self) -> FrameError:
        return FrameError(-32700, f"a line is longer than {self._limit} bytes; it was skipped")


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
        lines = _Lines(self._max_line)
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
