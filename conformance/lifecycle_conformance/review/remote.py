"""The other end of a side in its own process: starts it with a folder's model, asks it, ends it. Refuses to know git."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import BinaryIO, TypeVar, cast

import msgspec

from lifecycle_conformance.review.child import (
    Alone,
    Begin,
    Describe,
    Expand,
    Give,
    Meet,
    Perform,
    Properties,
    Scenario,
    Take,
    read_frame,
    write_frame,
)
from lifecycle_conformance.review.side import Handles, Run
from lifecycle_conformance.review.values import Answered, Ask, Catalog, Met, Performed, Plain, Try
from lifecycle_conformance.scopes import SuiteScope
from lifecycle_conformance.systems.errors import UsageError

T = TypeVar("T")


class Remote:
    """A side in a process whose `lifecycle_model` is that of a folder."""

    def __init__(self, folder: Path, who: str, contract: str = "1") -> None:
        """Start it; UsageError with the last line it wrote if its model cannot be imported."""
        self._who = who
        self._asking = Lock()
        path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH", ""))))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "lifecycle_conformance.review.child", contract],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to: BinaryIO = cast("BinaryIO", self._process.stdin)
        self._from: BinaryIO = cast("BinaryIO", self._process.stdout)
        if read_frame(self._from) is None:
            raise self._failed("cannot be built", str(folder))

    def close(self) -> None:
        """End the process."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()

    def catalog(self) -> Catalog:
        """What its contract consists of."""
        return self._ask(Describe(), Catalog)

    def begin(self, scope: SuiteScope, about: tuple[str, ...]) -> Performed:
        """Start a scope."""
        return self._ask(Begin(scope, about), Performed)

    def scenario(self, policies: dict[str, object], burst: tuple[Plain, ...]) -> Performed:
        """Start a run of one's own."""
        return self._ask(Scenario(policies, burst), Performed)

    def expand(self, nodes: Sequence[Ask]) -> list[list[Performed]]:
        """Everything the scope tries in these nodes."""
        return self._ask(Expand(tuple(nodes)), list[list[Performed]]) if nodes else []

    def perform(self, asked: Sequence[Try], full: bool = True) -> list[Performed]:
        """Given bursts."""
        return self._ask(Perform(tuple(asked), full), list[Performed]) if asked else []

    def give(self, nodes: Sequence[Handles]) -> list[bytes]:
        """The configurations of nodes."""
        return self._ask(Give(tuple(nodes)), list[bytes]) if nodes else []

    def take(self, given: Sequence[bytes]) -> list[Handles]:
        """Keep what another side gave."""
        return self._ask(Take(tuple(given)), list[Handles]) if given else []

    def alone(self, scope: SuiteScope, most: int) -> bytes:
        """Everything a scope tries on this side alone."""
        return self._ask(Alone(scope, most), bytes)

    def met(self, runs: Sequence[Run]) -> list[Met]:
        """What runs meet."""
        return self._ask(Meet(tuple(runs)), list[Met]) if runs else []

    def properties(self, scopes: tuple[str, ...], watches: bool = False) -> list[Answered]:
        """What explorations say of the properties."""
        return self._ask(Properties(scopes, watches), list[Answered])

    def _ask(self, question: object, kind: type[T]) -> T:
        with self._asking:
            try:
                write_frame(self._to, msgspec.msgpack.encode(question))
                frame = read_frame(self._from)
            except OSError:
                frame = None
        if frame is None:
            raise self._failed(f"failed while it was asked to {type(question).__name__.lower()}", "")
        return msgspec.msgpack.decode(frame, type=kind)

    def _failed(self, what: str, folder: str) -> UsageError:
        _, written = self._process.communicate()
        lines = [line for line in written.decode(errors="replace").splitlines() if line.strip()]
        places = [line.strip() for line in lines if line.lstrip().startswith("File ")]
        where = places[-1].replace(folder + os.sep, "model/") if places and folder and folder in places[-1] else ""
        why = " ".join(part for part in (lines[-1] if lines else "no message", where) if part)
        return UsageError(f"the model of {self._who} {what}: {why}", hint="repair that revision, or review another one")
