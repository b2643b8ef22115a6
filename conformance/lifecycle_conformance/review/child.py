"""A side in a process of its own: answers questions about the model that it imports first. Refuses to know why it is asked.

Frames on standard streams: four bytes of length, then MessagePack. Started as `python -m lifecycle_conformance.review.child
NAME`, with the model's folder first on the path.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import BinaryIO

import msgspec

from lifecycle_conformance.review.side import Local, Run
from lifecycle_conformance.review.values import Ask, Plain, Try
from lifecycle_conformance.scopes import SuiteScope


class Begin(msgspec.Struct, tag=True):
    """Start a scope."""

    scope: SuiteScope
    about: tuple[str, ...]


class Scenario(msgspec.Struct, tag=True):
    """Start a run of one's own."""

    policies: dict[str, object]
    burst: tuple[Plain, ...]


class Expand(msgspec.Struct, tag=True):
    """Everything the scope tries in these nodes."""

    nodes: tuple[Ask, ...]


class Perform(msgspec.Struct, tag=True):
    """Given bursts."""

    asked: tuple[Try, ...]
    full: bool


class Give(msgspec.Struct, tag=True):
    """The configurations of nodes."""

    nodes: tuple[tuple[int, ...], ...]


class Take(msgspec.Struct, tag=True):
    """Keep these."""

    given: tuple[bytes, ...]


class Alone(msgspec.Struct, tag=True):
    """Everything a scope tries, without another side."""

    scope: SuiteScope
    most: int


class Meet(msgspec.Struct, tag=True):
    """What runs meet."""

    runs: tuple[Run, ...]


class Properties(msgspec.Struct, tag=True):
    """What explorations say of the properties."""

    scopes: tuple[str, ...]
    watches: bool


class Describe(msgspec.Struct, tag=True):
    """What the contract consists of."""


Question = Begin | Scenario | Expand | Perform | Give | Take | Alone | Meet | Properties | Describe


def answer(side: Local, question: Question) -> object:
    """What a side says."""
    match question:
        case Begin():
            return side.begin(question.scope, question.about)
        case Scenario():
            return side.scenario(question.policies, question.burst)
        case Expand():
            return side.expand(question.nodes)
        case Perform():
            return side.perform(question.asked, question.full)
        case Give():
            return side.give(question.nodes)
        case Take():
            return side.take(question.given)
        case Alone():
            return side.alone(question.scope, question.most)
        case Meet():
            return side.met(question.runs)
        case Properties():
            return side.properties(question.scopes, question.watches)
        case Describe():
            return side.catalog()


def read_frame(stream: BinaryIO) -> bytes | None:
    """The next frame, or None at the end of the stream."""
    head = stream.read(4)
    if len(head) < 4:
        return None
    body = stream.read(int.from_bytes(head, "big"))
    return body if len(body) == int.from_bytes(head, "big") else None


def write_frame(stream: BinaryIO, body: bytes) -> None:
    """Send a frame."""
    stream.write(len(body).to_bytes(4, "big") + body)
    stream.flush()


def serve(side: Local, source: BinaryIO, sink: BinaryIO) -> None:
    """Answer until the stream ends."""
    decode: Callable[[bytes], Question] = msgspec.msgpack.Decoder(Question).decode
    while (frame := read_frame(source)) is not None:
        write_frame(sink, msgspec.msgpack.encode(answer(side, decode(frame))))


def main() -> None:
    """Serve the contract named on the command line."""
    from lifecycle_conformance.contracts import contract_named

    side = Local(contract_named(sys.argv[1]))
    gc.freeze()  # the model stays; what is made of it is mostly kept, so looking for cycles often finds nothing
    gc.set_threshold(50_000, 20, 100)
    write_frame(sys.stdout.buffer, msgspec.msgpack.encode("ready"))
    serve(side, sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
