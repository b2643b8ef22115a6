"""Owns reading one bounded HTTP/1.1 request; refuses keep-alive, so a closed socket always means a dropped request."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

_MOST = 64 << 20


class BadRequest(Exception):
    """A request that is not HTTP/1.1 as a model client would send it."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request's method, path without query, and body."""

    method: str
    path: str
    body: bytes

    def json(self) -> dict[str, Any]:
        """Decode the body as a JSON object."""
        try:
            data = json.loads(self.body)
        except ValueError as error:
            raise BadRequest(f"{self.method} {self.path}: the body is not JSON: {error}") from error
        if not isinstance(data, dict):
            raise BadRequest(f"{self.method} {self.path}: the body is no JSON object")
        return data


async def read_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> HttpRequest:
    """Read one request, headers and body, within fixed bounds."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.LimitOverrunError as error:
        raise BadRequest("the request's head is too long") from error
    first, *lines = head.split("\r\n")
    words = first.split(" ")
    if len(words) != 3:
        raise BadRequest(f"not a request line: {first[:80]!r}")
    headers = {k.strip().lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
    if headers.get("expect", "").lower() == "100-continue":
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        await writer.drain()
    return HttpRequest(words[0], words[1].partition("?")[0], await _read_body(reader, headers))


async def _read_body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    if "chunked" in headers.get("transfer-encoding", "").lower():
        return await _read_chunked(reader)
    length = int(headers.get("content-length") or 0)
    if length > _MOST:
        raise BadRequest(f"a body of {length} bytes is more than the {_MOST} this server reads")
    return await reader.readexactly(length)


async def _read_chunked(reader: asyncio.StreamReader) -> bytes:
    body = b""
    while size := int((await reader.readline()).split(b";")[0].strip() or b"0", 16):
        if len(body) + size > _MOST:
            raise BadRequest(f"a body of more than {_MOST} bytes is more than this server reads")
        body += await reader.readexactly(size)
        await reader.readline()
    await reader.readline()
    return body
