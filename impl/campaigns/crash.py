"""Own the crash campaign: writers killed with SIGKILL at random points, and what of their logs is still there.

    python impl/campaigns/crash.py --kills 600 --record

A child runs a few agents on one SQLite store and tells, after every flush that returned, how long each log is and the
digest of it. It is killed after a random time: while it starts, resumes, repairs, runs a turn, flushes. After each
kill the parent opens the store itself and checks that every record whose flush had returned is there, in order and
unchanged, in every life of every log. The next child resumes the same logs, or now and then creates over one, and
goes on.
"""

# ruff: noqa: INP001 - scripts to run, not a package to import

import argparse
import asyncio
import hashlib
import json
import os
import random
import select
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import stamped  # pyright: ignore[reportMissingImports] - it lies beside this script, where Python looks

from lifecycle_runtime.events import SessionFlush, SessionFlushed
from lifecycle_runtime.handle import AgentSpec, Handle
from lifecycle_runtime.persistence import provide_persistence
from lifecycle_runtime.ports import (
    Finish,
    ModelEvent,
    ModelRequest,
    TextChunk,
    ToolCall,
    ToolInvocation,
    ToolResult,
)
from lifecycle_runtime.provider import AgentProvider, ProviderOptions
from lifecycle_runtime.repair import closers
from lifecycle_runtime.runtime import Runtime
from lifecycle_runtime.session import Session
from lifecycle_runtime.signals import Signal
from lifecycle_runtime.sqlite_file import LogFile
from lifecycle_runtime.storage_sqlite import SqliteStorage
from lifecycle_runtime.values import JsonObject, freeze_object

SESSIONS = ("a", "b", "c", "d")


def digest(records: Sequence[JsonObject], before: str = "") -> str:
    """Fold records into a digest, so that a prefix can be compared with what its writer said."""
    for record in records:
        text = json.dumps(record, sort_keys=True, default=dict)
        before = hashlib.sha256((before + text).encode()).hexdigest()
    return before


# --- the child --------------------------------------------------------------------------------------


class Talker:
    """A model that calls a tool every third turn and sometimes takes its time."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    async def stream(self, request: ModelRequest, signal: Signal) -> AsyncIterator[ModelEvent]:
        """Stream a reply of random length."""
        for _ in range(self._chance.randrange(4)):
            yield TextChunk("x" * self._chance.randrange(200))
            await asyncio.sleep(self._chance.choice((0, 0, 0.001)))
        if request.messages[-1].role == "user" and self._chance.random() < 0.3:
            yield ToolCall(f"c{request.turn}", "note", {"n": request.turn})
        yield Finish()


class Note:
    """A tool that gives its argument back."""

    name = "note"
    description = "note a number"

    @property
    def parameters(self) -> JsonObject:
        """Anything."""
        return freeze_object({"type": "object"})

    async def call(self, invocation: ToolInvocation) -> ToolResult:
        """Note."""
        return ToolResult(invocation.call.arguments)


class Child:
    """The writer. What it says on `out` is only said once the flush it is about has returned."""

    def __init__(self, store: Path, out: int, seed: int) -> None:
        self._store, self._out, self._chance = store, out, random.Random(seed)
        self._told: dict[Session, tuple[int, str]] = {}
        self._begun: dict[Session, list[int]] = {}

    def say(self, **what: object) -> None:
        """Tell the parent one line; a pipe takes it whole."""
        os.write(self._out, json.dumps(what).encode() + b"\n")

    async def run(self) -> None:
        """Open, resume or create, and talk until killed."""
        runtime = Runtime()
        provide_persistence(runtime.root, SqliteStorage(self._store))
        runtime.tools.register(runtime.root, Note())
        AgentProvider(runtime.root, ProviderOptions(model=Talker(self._chance)))
        runtime.root.on(SessionFlush, self._flushing)
        runtime.root.on(SessionFlushed, self._flushed)
        handles = await asyncio.gather(*(self._open(runtime, name) for name in SESSIONS))
        await asyncio.gather(*(self._talk(handle) for handle in handles))

    async def _open(self, runtime: Runtime, name: str) -> Handle:
        afresh = self._chance.random() < 0.03
        if not afresh:
            try:
                handle = await runtime.agents.resume(runtime.root, AgentSpec(id=name))
                self.say(resumed=name, length=handle.agent.session.continues)
                return handle
            except Exception as error:
                if getattr(error, "code", "") != "not_stored":
                    self.say(failed=name, error=repr(error))
                    raise
        handle = await runtime.agents.create(runtime.root, AgentSpec(id=name))
        self.say(created=name)
        return handle

    async def _talk(self, handle: Handle) -> None:
        while True:
            handle.agent.send("y" * self._chance.randrange(100))
            if self._chance.random() < 0.2:
                handle.agent.inject("z")
            await handle.agent.when_idle()
            await asyncio.sleep(self._chance.choice((0, 0, 0.002)))

    def _flushing(self, event: SessionFlush) -> None:
        self._begun.setdefault(event.session, []).append(len(event.session))

    def _flushed(self, event: SessionFlushed) -> None:
        """Say how long the log was when the flush began: that much of it is stored."""
        # of flushes that overlap the earliest is taken, which claims no more than any of them may
        end = self._begun[event.session].pop(0)
        if not event.ok:
            self.say(failed=event.session.id, error="a flush failed")
            return
        length, before = self._told.get(event.session, (0, ""))
        if end > length:
            before = digest([record.json() for record in event.session.records[length:end]], before)
            self._told[event.session] = (end, before)
            self.say(flushed=event.session.id, length=end, digest=before)


def spawn(store: Path, seed: int) -> tuple[int, int]:
    """Fork a writer; give its process id and the pipe it talks on. Forking spares the imports."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, reading
    os.close(reading)
    try:
        asyncio.run(Child(store, writing, seed).run())
    finally:
        os._exit(70)  # a writer ends by being killed; anything else is a failure


# --- the parent -------------------------------------------------------------------------------------


@dataclass
class Life:
    """What is known to be durable of one life of one log."""

    length: int = 0
    digest: str = ""


@dataclass
class Campaign:
    """The parent's memory: what the writers said, and what the store must therefore hold."""

    store: Path
    chance: random.Random
    lives: dict[str, list[Life]] = field(default_factory=lambda: {name: [] for name in SESSIONS})
    counts: Counter[str] = field(default_factory=Counter[str])
    problems: list[str] = field(default_factory=list[str])

    def kill_one(self, seed: int) -> None:
        """One writer from start to SIGKILL, then the check."""
        pid, pipe = spawn(self.store, seed)
        # a third dies while it opens and resumes, the others some time after their first words
        opening = self.chance.random() < 0.33
        delay = self.chance.uniform(0, 0.1 if opening else 0.3)
        deadline, said = time.monotonic() + (delay if opening else 30.0), b""
        while (left := deadline - time.monotonic()) > 0:
            if select.select([pipe], [], [], left)[0]:
                chunk = os.read(pipe, 65536)
                if not chunk:
                    break
                if not said and not opening:
                    deadline = time.monotonic() + delay
                said += chunk
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        while chunk := os.read(pipe, 65536):
            said += chunk
        os.close(pipe)
        if not os.WIFSIGNALED(status):
            self.problems.append(f"writer {seed} ended by itself with {os.waitstatus_to_exitcode(status)}")
        self.counts["kills"] += 1
        self._take(said)
        self.check(seed)

    def _take(self, said: bytes) -> None:
        progress = "before anything was said"
        for line in said.splitlines():
            word = json.loads(line)
            if "created" in word:
                self.lives[word["created"]].append(Life())
                self.counts["lives begun"] += 1
                progress = "after a create"
            elif "resumed" in word:
                self.counts["resumed"] += 1
                progress = "after a resume"
            elif "flushed" in word:
                life = self.lives[word["flushed"]][-1]
                if word["length"] > life.length:
                    life.length, life.digest = word["length"], word["digest"]
                self.counts["flushes"] += 1
                progress = "after a flush"
            else:
                self.problems.append(f"{word['failed']}: {word['error']}")
        self.counts[f"killed {progress}"] += 1

    def check(self, seed: int) -> None:
        """Every record whose flush had returned is there, in order and unchanged, in every life."""
        if not self.store.exists():
            return
        file = LogFile(self.store)
        try:
            for name, known in self.lives.items():
                stored = file.lives(name)
                # a life may be stored whose creation was not said yet: it has nothing to lose
                while len(known) < len(stored):
                    known.append(Life())
                if len(known) == len(stored) + 1 and not known[-1].length:
                    known.pop()  # created, and killed before anything of it was flushed: there was nothing to lose
                if len(stored) < len(known):
                    self.problems.append(f"after writer {seed} {name} has {len(stored)} lives of {len(known)}")
                    continue
                for number, life in zip(stored, known, strict=True):
                    log = file.read(number)
                    found = digest(log.records[: life.length])
                    if len(log.records) < life.length or (life.length and found != life.digest):
                        self.problems.append(
                            f"after writer {seed} life {number} of {name} holds {len(log.records)} records, "
                            f"{life.length} were flushed"
                        )
                    if closers(name, log):
                        self.counts["open tails left by kills"] += 1
                    self.counts["lives checked"] += 1
        finally:
            file.close()


def main() -> int:
    """Run the campaign; 0 if nothing was lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", action="store_true", help="store the result in results/crash.json")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lifecycle-crash-") as place:
        campaign = Campaign(Path(place) / "log.db", random.Random(chosen.seed))
        began = time.monotonic()
        for number in range(chosen.kills):
            campaign.kill_one(chosen.seed * 1_000_000 + number)
            if campaign.problems:
                break
        seconds = time.monotonic() - began
        size = campaign.store.stat().st_size if campaign.store.exists() else 0
    records = sum(life.length for lives in campaign.lives.values() for life in lives)
    verdict = f"{campaign.counts['kills']} kills, {records} flushed records, {len(campaign.problems)} problems"
    result = {
        "verdict": verdict,
        "seed": chosen.seed,
        "seconds": round(seconds, 1),
        "store bytes": size,
        "counts": dict(sorted(campaign.counts.items())),
        "problems": campaign.problems,
    }
    print(json.dumps(result, indent=2))
    if chosen.record:
        stamped.write("crash", result)
    return int(bool(campaign.problems))


if __name__ == "__main__":
    sys.exit(main())
