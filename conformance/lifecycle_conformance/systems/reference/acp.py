"""The command `acp`: what an ACP client asks, and the teardown of its bridge (section A)."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from lifecycle_conformance.systems.reference.client import Connection
from lifecycle_conformance.systems.reference.life import Answered, content_of
from lifecycle_conformance.systems.reference.world import OK, World, performs
from lifecycle_model import commands as ask
from lifecycle_model.wire import Answer
from lifecycle_runtime.values import JsonObject


@performs(ask.Acp)
def acp(world: World, command: ask.Acp) -> Answered:
    """Perform one act of the client; every act with a result is asynchronous, refusals included."""
    if command.act == "connect":
        world.client.connect()
        return OK
    if command.act == "cancel":
        world.client.cancel(command.session or "")
        return OK
    if command.act not in ("new", "load", "prompt", "disconnect", "teardown"):
        return Answer(refused="unsupported", message=f"there is no acp act {command.act}")
    if command.as_ is None:
        return Answer(refused="invalid", message=f"acp {command.act} settles later; name its reference in `as`")
    ref, session = command.as_, command.session or ""

    def call() -> asyncio.Future[Any]:
        if command.act in ("disconnect", "teardown") and not world.client.connected:
            return _nothing()
        connection = world.client.present()
        if command.act == "prompt":
            return _prompt(world, connection, session, command.message or "")
        if command.act == "new":
            return connection.new(ref, session)
        if command.act == "load":
            return connection.load(ref, session)
        return connection.disconnect() if command.act == "disconnect" else connection.bridge.teardown()

    def settled(value: object) -> object:
        handle = world.client.handle(session) if command.act in ("new", "load") else None
        if handle is not None:
            world.handles[ref] = world.held[session] = handle
        return value

    return world.follow(ref, world.lift(call), settled)


def _nothing() -> asyncio.Future[None]:
    """Nobody ever connected: there is nothing to close (A10)."""
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    done.set_result(None)
    return done


def _prompt(world: World, connection: Connection, session: str, message: str) -> asyncio.Future[Any]:
    content = cast("JsonObject", content_of(world, message))
    return connection.prompt(session, content, message)
