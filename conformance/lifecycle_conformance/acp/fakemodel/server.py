"""Owns the loopback HTTP server that plays a model; refuses any other address and any outward connection."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator
from typing import Any, Self

from lifecycle_conformance.acp.fakemodel.forms import Asked, Form, form_for
from lifecycle_conformance.acp.fakemodel.http import BadRequest, HttpRequest, read_request
from lifecycle_conformance.acp.fakemodel.log import Log, ModelRequest
from lifecycle_conformance.acp.fakemodel.script import Call, Fail, Hold, Reply, Say, Slow, shell_call

_SLOWEST = 3_000  # pieces a slow answer sends at most, so that a forgotten gate cannot run for ever


class FakeModel:
    """A model whose every answer is scripted, on 127.0.0.1 and a free port.

    `plan(key, *replies)` scripts the answers to the prompt whose text contains `key`, one per request;
    after the last one, and for unplanned requests, it says a short text. `log` tells when a request is
    open, produced its first piece, finished or was dropped. `needs_tools` treats requests that offer no
    tools as auxiliary (a title, a summary): they are answered at once and use up no planned reply.
    """

    def __init__(self, *, needs_tools: bool = False) -> None:
        self.log = Log()
        self.needs_tools = needs_tools
        self._plans: dict[str, list[Reply]] = {}
        self._released: set[str] = set()
        self._server: asyncio.Server | None = None
        self._handlers: set[asyncio.Task[None]] = set()
        self.port = 0

    @property
    def url(self) -> str:
        """Return the address without any path."""
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0, limit=1 << 20)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        for task in list(self._handlers):
            task.cancel()
        await asyncio.gather(*self._handlers, return_exceptions=True)

    def plan(self, key: str, *replies: Reply) -> None:
        """Script the answers to the next requests for `key`."""
        self._plans[key] = list(replies)

    def release(self, key: str) -> None:
        """Let every held or slow answer for `key` finish, now and from here on."""
        self._released.add(key)
        for request in self.log.requests:
            if request.key == key:
                request.gate.set()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._handlers.add(task)
            task.add_done_callback(self._handlers.discard)
        try:
            await self._serve(await read_request(reader, writer), reader, writer)
        except BadRequest as error:
            with contextlib.suppress(ConnectionError):
                await _send_json(writer, 400, {"error": {"message": str(error)}})
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the agent went away before or while we answered: the log has it
        except asyncio.CancelledError:
            pass  # the server closes; nobody awaits this handler's result
        finally:
            writer.close()

    async def _serve(self, http: HttpRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if http.method == "CONNECT" or http.path.startswith(("http://", "https://")):
            # we are also the agent's proxy: it learns nothing, and we learn what it wanted
            self.log.outside.append(http.path)
            self.log.changes.ring()
            await _send_json(writer, 403, {"error": {"message": "a lifecycle check lets nothing out"}})
            return
        if http.method in {"GET", "HEAD"}:
            model = {"id": "fake-model", "object": "model", "created": 1, "owned_by": "lifecycle"}
            await _send_json(writer, 200, {"object": "list", "data": [model]}, body=http.method == "GET")
            return
        if http.path.endswith("/count_tokens"):
            await _send_json(writer, 200, {"input_tokens": 10})
            return
        form = form_for(http.path)
        if form is None:
            self.log.unknown_paths.append(f"{http.method} {http.path}")
            await _send_json(writer, 404, {"error": {"message": f"no such path: {http.path}"}})
            return
        asked = form.read(http.json())
        request, reply = self._admit(form, asked)
        answering = asyncio.ensure_future(self._answer(form, asked, request, reply, writer))
        leaving = asyncio.ensure_future(_gone(reader))
        try:
            await asyncio.wait((answering, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not answering.done():
                self.log.end(request, "dropped")
                return
            if answering.exception() is not None:
                self.log.end(request, "dropped")
        finally:
            for task in (answering, leaving):
                task.cancel()
            await asyncio.gather(answering, leaving, return_exceptions=True)
            self.log.end(request, "dropped")

    def _admit(self, form: Form, asked: Asked) -> tuple[ModelRequest, Reply]:
        key = asked.keys[-1] if asked.keys else None
        auxiliary = key is None or (self.needs_tools and not asked.tools)
        request = ModelRequest(
            number=len(self.log.requests) + 1,
            form=form.name,
            key=key,
            keys=frozenset(asked.keys),
            tools=asked.tools,
            opened=time.monotonic(),
            auxiliary=auxiliary,
        )
        plan = self._plans.get(key, []) if key is not None and not auxiliary else []
        reply: Reply = plan.pop(0) if plan else Say()
        if key in self._released:
            request.gate.set()
        self.log.requests.append(request)
        self.log.changes.ring()
        return request, reply

    async def _answer(
        self, form: Form, asked: Asked, request: ModelRequest, reply: Reply, writer: asyncio.StreamWriter
    ) -> None:
        if isinstance(reply, Fail):
            await _send_json(writer, reply.status, form.error("the fake model was told to fail"))
            self.log.end(request, "failed")
            return
        if isinstance(reply, Hold):
            await request.gate.wait()
            reply = Say()
        if asked.stream:
            await _send_head(writer, 200, "text/event-stream")
        async for part in self._pieces(form, asked, request, reply):
            if asked.stream:
                writer.write(part)
                await writer.drain()
            if request.first is None:
                request.first = time.monotonic()
                self.log.changes.ring()
        if not asked.stream:
            await _send_json(writer, 200, form.whole())
        self.log.end(request, "finished")

    async def _pieces(self, form: Form, asked: Asked, request: ModelRequest, reply: Reply) -> AsyncIterator[bytes]:
        for part in form.begin(request.number, asked.model):
            yield part
        if isinstance(reply, Call):
            chosen = shell_call(request.tools, reply.command)
            request.wants_shell = True
            if chosen is not None:
                request.called = chosen[0]
                for part in form.call(*chosen):
                    yield part
                for part in form.end():
                    yield part
                return
        goal = _SLOWEST if isinstance(reply, Slow) else reply.chunks if isinstance(reply, Say) else 2
        last = False
        while request.chunks < goal:
            request.chunks += 1
            for part in form.text(f"{request.key or 'ok'}.{request.chunks} "):
                yield part
            self.log.changes.ring()
            if last:
                break
            if isinstance(reply, Slow):
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(request.gate.wait(), reply.pace)
                last = request.gate.is_set()
        for part in form.end():
            yield part


async def _gone(reader: asyncio.StreamReader) -> None:
    while await reader.read(4096):
        pass  # nothing is expected after the body: read until the agent closes


async def _send_head(writer: asyncio.StreamWriter, status: int, kind: str, length: int | None = None) -> None:
    size = "" if length is None else f"Content-Length: {length}\r\n"
    head = f"HTTP/1.1 {status} lifecycle\r\nContent-Type: {kind}\r\n{size}Connection: close\r\n\r\n"
    writer.write(head.encode())
    await writer.drain()


async def _send_json(writer: asyncio.StreamWriter, status: int, data: dict[str, Any], body: bool = True) -> None:
    text = json.dumps(data).encode()
    await _send_head(writer, status, "application/json", len(text))
    if body:
        writer.write(text)
        await writer.drain()
