"""The system's side of the stdio protocol, for any Python `System`: read requests, answer each with one line.

Refuses a request that is not exactly as typed, with the path of the offending member. While it serves, standard
output carries only the protocol (a stray `print` goes to standard error) and standard input is not the system's.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import traceback
from collections.abc import Callable, Generator
from typing import BinaryIO

import msgspec

from lifecycle_conformance.systems import wire
from lifecycle_conformance.systems.adapter import System
from lifecycle_conformance.systems.errors import AdapterError
from lifecycle_model.wire import PROTOCOL

_CHUNK = 1 << 16
_ANSWERS = 1 << 16


class _Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    jsonrpc: str
    id: wire.Id
    method: str
    params: msgspec.Raw = msgspec.Raw(b"{}")


class _Named(msgspec.Struct, frozen=True):
    """What can be told of a line that is no request."""

    id: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class _Refused(Exception):
    """A request that earns a JSON-RPC error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.error = wire.RpcError(code, message)


_request = msgspec.json.Decoder(_Request).decode
_named = msgspec.json.Decoder(_Named).decode
_initialize_params = msgspec.json.Decoder(wire.InitializeParams).decode
_reset_params = msgspec.json.Decoder(wire.ResetParams).decode
_run_params = msgspec.json.Decoder(wire.RunParams).decode


def serve(system: System, stdin: BinaryIO | None = None, stdout: BinaryIO | None = None) -> int:
    """Serve until the end of input, then stop the system. Gives the exit status: 0, or 130 after Ctrl-C."""
    try:
        with _streams(stdin, stdout) as (read, write):
            _serve(system, read, write)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # the judge is gone; there is nobody to tell
        return 0
    finally:
        system.stop()
    return 0


def _serve(system: System, read: Callable[[], bytes], write: Callable[[bytes], None]) -> None:
    lines = wire.Lines()
    server = _Server(system)
    while chunk := read():
        try:
            found = lines.feed(chunk)
        except wire.LineTooLong as error:
            write(_line(wire.Failed(None, wire.RpcError(wire.PARSE_ERROR, str(error)))))
            return
        answers = bytearray()
        for line in found:
            answers += server.answer(line)
            if len(answers) > _ANSWERS:
                write(bytes(answers))
                answers.clear()
        if answers:
            write(bytes(answers))


class _Server:
    """Answers one line at a time."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._ready = False
        self._methods: dict[str, Callable[[msgspec.Raw], object]] = {
            "initialize": self._initialize,
            "reset": self._reset,
            "run": self._run,
        }

    def answer(self, line: bytes) -> bytes:
        """The response to this line, with its line break. Never raises what a system raised."""
        try:
            request = _request(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            return _line(_malformed(line, error))
        try:
            return _line(wire.Answered(request.id, self._call(request)))
        except _Refused as refused:
            return _line(wire.Failed(request.id, refused.error))
        except AdapterError as error:
            return _line(wire.Failed(request.id, wire.RpcError(wire.ADAPTER_FAILED, str(error))))
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            said = f"{type(error).__name__}: {error}"
            return _line(wire.Failed(request.id, wire.RpcError(wire.ADAPTER_FAILED, said)))

    def _call(self, request: _Request) -> object:
        if request.jsonrpc != "2.0":
            raise _Refused(wire.BAD_REQUEST, 'jsonrpc must be "2.0"')
        method = self._methods.get(request.method)
        if method is None:
            raise _Refused(wire.NO_METHOD, f"unknown method {request.method!r}; known: {', '.join(self._methods)}")
        if not self._ready and request.method != "initialize":
            raise _Refused(wire.BAD_REQUEST, f"{request.method} before initialize; initialize first")
        try:
            return method(request.params)
        except msgspec.ValidationError as error:
            raise _Refused(wire.BAD_PARAMS, f"params: {error}") from None

    def _initialize(self, params: msgspec.Raw) -> object:
        asked = _initialize_params(params).protocol
        if asked != PROTOCOL:
            raise _Refused(
                wire.BAD_PARAMS, f"params: protocol {asked} is not spoken here, only {PROTOCOL} - at `$.protocol`"
            )
        self._ready = True
        description = self._system.describe()
        # spelled out in full: whoever reads it in another language knows none of our defaults
        return {**msgspec.structs.asdict(description), "profile": msgspec.structs.asdict(description.profile)}

    def _reset(self, params: msgspec.Raw) -> object:
        self._system.reset(_reset_params(params).policies)
        return {}

    def _run(self, params: msgspec.Raw) -> object:
        return wire.RunResult(tuple(self._system.run(_run_params(params).bursts)))


def _malformed(line: bytes, error: Exception) -> wire.Failed:
    """The answer to a line that is no request; names its id where it has a usable one."""
    if not isinstance(error, msgspec.ValidationError):
        return wire.Failed(None, wire.RpcError(wire.PARSE_ERROR, f"not JSON: {error}"))
    number: wire.Id | None = None
    with contextlib.suppress(msgspec.DecodeError):
        named = _named(line).id
        if named is not msgspec.UNSET:
            number = msgspec.json.decode(named, type=wire.Id)
    return wire.Failed(number, wire.RpcError(wire.BAD_REQUEST, f"not a request: {error}"))


def _line(response: wire.Answered | wire.Failed) -> bytes:
    return wire.encode(response) + b"\n"


@contextlib.contextmanager
def _streams(
    stdin: BinaryIO | None, stdout: BinaryIO | None
) -> Generator[tuple[Callable[[], bytes], Callable[[bytes], None]]]:
    """Take the protocol's streams for ourselves; until then `print` and file descriptor 1 mean standard error."""
    with contextlib.ExitStack() as stack:
        source = stdin if stdin is not None else sys.stdin.buffer
        sink = stdout if stdout is not None else sys.stdout.buffer
        sys.stdout.flush()
        read_from = _private(stack, source, 0, os.O_RDONLY)
        write_to = _private(stack, sink, 1, None)
        stack.enter_context(contextlib.redirect_stdout(sys.stderr))

        def read() -> bytes:
            if read_from is not None:
                return os.read(read_from, _CHUNK)
            return source.readline()

        def write(data: bytes) -> None:
            if write_to is None:
                sink.write(data)
                sink.flush()
                return
            view = memoryview(data)
            while view:
                view = view[os.write(write_to, view) :]

        yield read, write


def _private(stack: contextlib.ExitStack, stream: BinaryIO, standard: int, null: int | None) -> int | None:
    """A private copy of a real standard stream's descriptor, which then leads elsewhere; None for any other stream."""
    try:
        descriptor = stream.fileno()
    except (OSError, io.UnsupportedOperation):
        return None
    if descriptor != standard:
        return descriptor
    mine = os.dup(standard)
    if null is None:
        os.dup2(2, standard)
    else:
        other = os.open(os.devnull, null)
        os.dup2(other, standard)
        os.close(other)

    def restore() -> None:
        os.dup2(mine, standard)
        os.close(mine)

    stack.callback(restore)
    return mine
