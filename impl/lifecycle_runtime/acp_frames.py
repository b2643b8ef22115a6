"""Own what a frame of an ACP connection is: lines, JSON-RPC 2.0 objects, and the error a bad one earns.

Refuses to read or write anything, and to know any ACP method.
"""

import json
from typing import Any, Final, NoReturn, cast

_META: Final = ("_meta", "field_meta")


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


class Lines:
    """Cut a byte stream into lines, skipping those longer than the limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = bytearray()
        self._skipping = False

    def feed(self, chunk: bytes) -> list[bytes | FrameError]:
        """Give the lines this chunk completes, and an error for each that grew too long."""
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
