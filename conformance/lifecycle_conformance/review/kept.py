"""What was found out about base alone, kept in the cache under what base and the judge are made of. Refuses to know revisions.

A file that cannot be read or written is as if it were not there.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

import msgspec

from lifecycle_conformance import suite, words
from lifecycle_conformance.review import alone, behaviour, side, watched
from lifecycle_conformance.review.alone import Alone
from lifecycle_conformance.review.product import MOST
from lifecycle_conformance.review.scenarios import Played, played
from lifecycle_conformance.review.side import Side
from lifecycle_conformance.review.values import Answered, Catalog
from lifecycle_conformance.scopes import SuiteScope
from lifecycle_conformance.systems.dsh import default_cache
from lifecycle_model.wire import Vector

T = TypeVar("T")
FOLDERS = 8
"""Models kept at most; the one not used for longest goes."""


class Kept:
    """The folder of one base."""

    def __init__(self, base: Catalog) -> None:
        own = "".join(
            Path(str(one.__file__)).read_text(encoding="utf-8")
            for one in (suite, words, alone, behaviour, side, watched)
        )
        made = f"{base.source} {own} {sys.version_info[:3]}"
        self.folder = (
            default_cache() / "reviews" / f"{base.name}-{hashlib.blake2b(made.encode(), digest_size=10).hexdigest()}"
        )

    def alone(self, sides: Sequence[Side], scopes: Sequence[SuiteScope], say: Callable[[str], None]) -> list[Alone]:
        """Scopes explored on base, on several processes of it at once where they were not before."""
        free: SimpleQueue[Side] = SimpleQueue()
        for one in sides:
            free.put(one)

        def explored(scope: SuiteScope) -> Alone:
            def explore() -> bytes:
                side = free.get()
                say(f"exploring base in {scope.name}: {scope.about}")
                found = side.alone(scope, MOST)
                free.put(side)
                return found

            return self._one(f"{scope.name}-{_digest(scope)}", Alone, explore)

        with ThreadPoolExecutor(max(1, len(sides))) as pool:
            return list(pool.map(explored, scopes))

    def played(self, base: Side, vectors: Sequence[Vector]) -> Played:
        """What each vector meets on base."""
        return self._one(
            f"vectors-{_digest(list(vectors))}", Played, lambda: msgspec.msgpack.encode(played(base, vectors))
        )

    def properties(self, base: Side, scopes: tuple[str, ...]) -> list[Answered]:
        """What explorations of base say of the properties."""
        name = f"properties-{_digest(scopes)}"
        return self._one(name, list[Answered], lambda: msgspec.msgpack.encode(base.properties(scopes, watches=True)))

    def _one(self, name: str, kind: type[T], make: Callable[[], bytes]) -> T:
        path = self.folder / f"{name}.msgpack"
        try:
            found = msgspec.msgpack.decode(path.read_bytes(), type=kind)
            os.utime(self.folder)
            return found
        except (OSError, msgspec.DecodeError):
            made = make()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(f".{os.getpid()}")
            partial.write_bytes(made)
            partial.replace(path)
            self._tidy()
        except OSError:
            pass
        return msgspec.msgpack.decode(made, type=kind)

    def _tidy(self) -> None:
        known = sorted(self.folder.parent.iterdir(), key=lambda one: one.stat().st_mtime, reverse=True)
        for old in known[FOLDERS:]:
            shutil.rmtree(old, ignore_errors=True)


def _digest(thing: object) -> str:
    return hashlib.blake2b(msgspec.json.encode(thing, order="deterministic"), digest_size=8).hexdigest()
