"""Protocol 1 as lines: JSON-RPC 2.0 requests and responses, one JSON object a line, and how a stream is cut into them.

Refuses to read or write anything itself. Requests are strict (an unknown member is an error with its path); in
responses unknown members are ignored.
"""

from __future__ import annotations

import msgspec

from lifecycle_model.commands import Burst, Json
from lifecycle_model.wire import BurstResult, Description

PARSE_ERROR = -32700
"""The line is not JSON."""
BAD_REQUEST = -32600
"""The line is JSON but no request of JSON-RPC 2.0."""
NO_METHOD = -32601
"""The method is not one of this protocol."""
BAD_PARAMS = -32602
"""The parameters are wrong; the message names the path of the offending field."""
ADAPTER_FAILED = -32000
"""The adapter failed; the message is its own."""

Id = int | str


class InitializeParams(msgspec.Struct, forbid_unknown_fields=True):
    """The judge's protocol version."""

    protocol: int


class ResetParams(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The policies the run is about; left out, all are at their defaults."""

    policies: dict[str, Json] = {}


class RunParams(msgspec.Struct, forbid_unknown_fields=True):
    """The bursts to perform."""

    bursts: tuple[Burst, ...]


class Initialize(msgspec.Struct, tag_field="method", tag="initialize"):
    """The first request."""

    id: Id
    params: InitializeParams
    jsonrpc: str = "2.0"


class Reset(msgspec.Struct, tag_field="method", tag="reset"):
    """Begin afresh."""

    id: Id
    params: ResetParams
    jsonrpc: str = "2.0"


class RunRequest(msgspec.Struct, tag_field="method", tag="run"):
    """Perform bursts."""

    id: Id
    params: RunParams
    jsonrpc: str = "2.0"


class RunResult(msgspec.Struct, frozen=True):
    """One result a burst."""

    bursts: tuple[BurstResult, ...]


class RpcError(msgspec.Struct, frozen=True):
    """Why a request has no result."""

    code: int
    message: str = ""


class Envelope(msgspec.Struct, frozen=True):
    """A response before its result is read: enough to know what it answers."""

    jsonrpc: str = ""
    id: Id | None = None
    result: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    error: RpcError | None = None
    method: str | None = None


class RunResponse(msgspec.Struct, frozen=True):
    """The answer to a run, read in one pass."""

    id: Id
    result: RunResult
    jsonrpc: str = ""


class Answered(msgspec.Struct, frozen=True):
    """A response with a result, on its way out."""

    id: Id
    result: Json
    jsonrpc: str = "2.0"


class Failed(msgspec.Struct, frozen=True):
    """A response with an error, on its way out; `id` is null when the request's could not be read."""

    id: Id | None
    error: RpcError
    jsonrpc: str = "2.0"


encode = msgspec.json.Encoder(order="deterministic").encode
"""Encode a message; one line has no line break, JSON has none outside strings."""

decode_envelope = msgspec.json.Decoder(Envelope).decode
decode_run = msgspec.json.Decoder(RunResponse).decode
decode_description = msgspec.json.Decoder(Description).decode

MAX_LINE = 64 * 1024 * 1024
"""Longest line read, in bytes."""


class LineTooLong(Exception):
    """More bytes than the limit without a line break."""


class Lines:
    """Cuts a byte stream into lines; keeps what is not yet a line, up to a limit."""

    def __init__(self, limit: int = MAX_LINE) -> None:
        self._limit = limit
        self._rest: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        """Give the lines that `chunk` completes, without their line breaks; blank lines are skipped."""
        head, found, tail = chunk.rpartition(b"\n")
        if not found:
            self._keep(chunk)
            return []
        whole = b"".join((*self._rest, head)) if self._rest else head
        self._rest.clear()
        self._size = 0
        if tail:
            self._keep(tail)
        return [line for line in whole.split(b"\n") if line and not line.isspace()]

    def _keep(self, chunk: bytes) -> None:
        self._rest.append(chunk)
        self._size += len(chunk)
        if self._size > self._limit:
            raise LineTooLong(f"{self._size} bytes without a line break")

    def pending(self) -> bytes:
        """What has come since the last line break."""
        return b"".join(self._rest)


def excerpt(line: bytes, width: int = 120) -> str:
    """The beginning of a line, safe to print on one."""
    text = line[: width + 1].decode("utf-8", "backslashreplace")
    shown = "".join(sign if sign.isprintable() else f"\\x{ord(sign):02x}" for sign in text[:width])
    return f"{shown}…" if len(line) > width else shown
