"""The judge's side of the stdio protocol: a `System` that is a child process.

Refuses to believe a child: every line must be JSON, of the right shape and the answer that is due, within a time
limit; anything else is an `AdapterError` naming what happened, with the child's last words. After one the child is
gone, and the next `reset` starts another.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from lifecycle_conformance.systems import wire
from lifecycle_conformance.systems.adapter import NO_POLICIES, Run, RunOutcome, check_counts
from lifecycle_conformance.systems.child import Child
from lifecycle_conformance.systems.errors import (
    AdapterError,
    NotProtocol,
    Rejected,
    SystemExited,
    SystemHung,
    WrongId,
)
from lifecycle_model.commands import Burst, Json
from lifecycle_model.wire import PROTOCOL, BurstResult, Description, to_json

TIMEOUT = 10.0
"""Seconds a burst may take; a request of many gets a hundredth more for each."""

START_TIMEOUT = 30.0
"""Seconds a child may take to answer `initialize`."""

WINDOW = 128
"""Runs told ahead."""

_AHEAD = 1 << 18


class StdioSystem:
    """A system under test behind a command that speaks protocol 1 on its standard streams."""

    def __init__(
        self, command: Sequence[str], *, timeout: float = TIMEOUT, start_timeout: float = START_TIMEOUT
    ) -> None:
        self._command = list(command)
        self._timeout = timeout
        self._start_timeout = max(timeout, start_timeout)
        self._child: Child | None = None
        self._description: Description | None = None
        self._last_id = 0
        self._policies: Mapping[str, Json] = NO_POLICIES
        self._done: list[Burst] = []
        self._telling = False

    def describe(self) -> Description:
        """Answer of `initialize`, asked once; starts the child."""
        if self._description is None:
            self._alive()
        assert self._description is not None
        return self._description

    def reset(self, policies: Mapping[str, Json] = NO_POLICIES) -> None:
        """Begin afresh, in a new child if the last one failed."""
        self._free()
        self._alive()
        self._policies = dict(policies)
        self._done.clear()
        self._reset()

    def run(self, bursts: Sequence[Burst]) -> list[BurstResult]:
        """Perform the bursts; on a hang or an exit, name the burst that does it."""
        self._free()
        if self._child is None:
            raise AdapterError("run without a system: the last one failed", hint="reset first")
        try:
            results = self._run(bursts)
        except (SystemHung, SystemExited) as error:
            raise self._blame(error, bursts) from None
        self._done.extend(bursts)
        return results

    def run_all(self, runs: Iterable[Run]) -> Iterator[RunOutcome]:
        """Give the outcome of each run, told ahead in large writes. Nothing else may be asked meanwhile."""
        self._free()
        self._telling = True
        waiting: deque[_Told] = deque()
        source = iter(runs)
        try:
            while True:
                self._tell(source, waiting)
                if not waiting:
                    return
                try:
                    outcomes = self._hear(waiting)
                except AdapterError as error:
                    outcomes = self._one_by_one(error, waiting)
                yield from outcomes
        finally:
            self._telling = False
            if waiting:
                # the caller stopped listening: answers are still under way
                self._end()

    def stop(self) -> None:
        """End the child and all its children."""
        if self._child is not None:
            self._child.end()
            self._child = None

    # one request at a time

    def _reset(self) -> None:
        request = wire.Reset(self._next_id(), wire.ResetParams(dict(self._policies)))
        self._ask(request, request.id, self._timeout)

    def _run(self, bursts: Sequence[Burst]) -> list[BurstResult]:
        request = wire.RunRequest(self._next_id(), wire.RunParams(tuple(bursts)))
        line = self._ask(request, request.id, self._limit(len(bursts)))
        try:
            return self._results(line, request.id, bursts)
        except AdapterError as error:
            raise self._failed(error) from None

    def _ask(self, request: msgspec.Struct, number: wire.Id, limit: float) -> bytes:
        """Send one request and give the line that answers it; a response with an error is raised."""
        child = self._child
        assert child is not None
        try:
            child.send(wire.encode(request) + b"\n")
            first, *more = child.lines(limit)
            if more:
                # what is wrong with the first line says more than that there is a second
                _result(first, number)
                raise NotProtocol(f"the child wrote a line nobody asked for: {wire.excerpt(more[0])}", hint=_ONE_LINE)
            if not isinstance(request, wire.RunRequest):
                _result(first, number)
        except AdapterError as error:
            raise self._failed(error) from None
        return first

    def _results(self, line: bytes, number: wire.Id, bursts: Sequence[Burst]) -> list[BurstResult]:
        try:
            response = wire.decode_run(line)
        except msgspec.DecodeError as error:
            _result(line, number)
            raise NotProtocol(f"the result of run is malformed: {_path(error)}") from None
        if response.id != number or response.jsonrpc != "2.0":
            _result(line, number)
        results = list(response.result.bursts)
        check_counts(bursts, results)
        return results

    # several runs ahead

    def _tell(self, source: Iterator[Run], waiting: deque[_Told]) -> None:
        ahead: list[bytes] = []
        size = 0
        # half a window at a time: large writes, and never an idle child
        if len(waiting) <= WINDOW // 2:
            while len(waiting) < WINDOW and size < _AHEAD and (run := next(source, None)) is not None:
                reset = wire.Reset(self._next_id(), wire.ResetParams(dict(run.policies)))
                request = wire.RunRequest(self._next_id(), wire.RunParams(run.bursts))
                lines = wire.encode(reset) + b"\n" + wire.encode(request) + b"\n"
                waiting.append(_Told(run, reset.id, request.id))
                ahead.append(lines)
                size += len(lines)
        if ahead:
            child = self._alive()
            child.send(b"".join(ahead))

    def _hear(self, waiting: deque[_Told]) -> list[RunOutcome]:
        child = self._alive()
        outcomes: list[RunOutcome] = []
        try:
            for line in child.lines(self._limit(len(waiting[0].run.bursts))):
                if not waiting:
                    raise NotProtocol(f"the child wrote a line nobody asked for: {wire.excerpt(line)}", hint=_ONE_LINE)
                told = waiting[0]
                if told.reset:
                    _result(line, told.reset)
                    told.reset = 0
                else:
                    outcomes.append(self._results(line, told.request, told.run.bursts))
                    waiting.popleft()
        except AdapterError as error:
            if not outcomes:
                raise
            # what was answered is not lost; the failure is met again one by one
            outcomes += self._one_by_one(error, waiting)
        return outcomes

    def _one_by_one(self, error: AdapterError, waiting: deque[_Told]) -> list[RunOutcome]:
        """Repeat what has no answer, one run at a time, until one fails: that one is at fault."""
        self._failed(error)
        self._telling = False
        outcomes: list[RunOutcome] = []
        while waiting:
            run = waiting.popleft().run
            try:
                self.reset(run.policies)
                outcomes.append(self.run(run.bursts))
            except AdapterError as again:
                outcomes.append(again)
                break
        else:
            error.hint = "it did not happen again one run at a time: the system depends on what ran before it"
            if outcomes:
                outcomes[0] = error
            else:
                raise error
        self._telling = True
        for told in waiting:
            told.reset, told.request = self._next_id(), self._next_id()
        if waiting:
            child = self._alive()
            for told in waiting:
                reset = wire.Reset(told.reset, wire.ResetParams(dict(told.run.policies)))
                request = wire.RunRequest(told.request, wire.RunParams(told.run.bursts))
                child.send(wire.encode(reset) + b"\n" + wire.encode(request) + b"\n")
        return outcomes

    # failures

    def _blame(self, error: AdapterError, bursts: Sequence[Burst]) -> AdapterError:
        """Repeat everything since the reset one burst at a time; give the error of the one that fails."""
        history = [*self._done, *bursts]
        before = len(self._done)
        kind = "hangs" if isinstance(error, SystemHung) else "ends the system"
        self._done.clear()
        for index, burst in enumerate(history):
            try:
                if index == 0:
                    self._alive()
                    self._reset()
                self._run([burst])
            except AdapterError as again:
                where = index - before
                place = f"burst {where}" if where >= 0 else f"burst {-where} before these"
                asked = wire.excerpt(to_json(burst), 300)
                again.what = f"{again.what}; {place} {kind} when repeated one at a time: {asked}"
                again.burst = where if where >= 0 else None
                again.hint = again.hint or error.hint
                return again
        error.hint = "repeated one at a time no burst does it: too slow for the time limit, or different each time"
        self._end()
        return error

    def _failed(self, error: AdapterError) -> AdapterError:
        """End the child and add its last words."""
        if self._child is not None:
            error.stderr = error.stderr or self._child.stderr()
            self._end()
        return error

    def _end(self) -> None:
        if self._child is not None:
            self._child.end(at_once=True)
            self._child = None

    # the child

    def _alive(self) -> Child:
        if self._child is None:
            self._child = Child(self._command)
            request = wire.Initialize(self._next_id(), wire.InitializeParams(PROTOCOL))
            line = self._ask(request, request.id, self._start_timeout)
            try:
                self._described(_description(line))
            except AdapterError as error:
                raise self._failed(error) from None
        return self._child

    def _described(self, now: Description) -> None:
        if now.protocol != PROTOCOL:
            raise AdapterError(
                f"{now.name} speaks protocol {now.protocol}, this judge speaks {PROTOCOL}",
                hint="use an adapter for this protocol",
            )
        if self._description is not None and now != self._description:
            raise AdapterError(
                f"{now.name} describes itself differently after a restart", hint="describe what is fixed"
            )
        self._description = now

    def _next_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def _limit(self, bursts: int) -> float:
        return self._timeout * (1 + bursts / 100)

    def _free(self) -> None:
        if self._telling:
            raise RuntimeError("run_all is still under way: take its outcomes first, or close it")


class _Told:
    """A run the child was told of; `reset` is 0 once that was answered."""

    __slots__ = ("request", "reset", "run")

    def __init__(self, run: Run, reset: wire.Id, request: wire.Id) -> None:
        self.run = run
        self.reset = reset
        self.request = request


_ONE_LINE = "answer each request with exactly one line; everything else belongs on standard error"


def _path(error: Exception) -> str:
    return str(error).replace("`$.", "`").replace("`$", "`")


def _result(line: bytes, number: wire.Id) -> bytes:
    """The result of the response on this line, if it answers `number`; else the error that says what is wrong."""
    try:
        envelope = wire.decode_envelope(line)
    except msgspec.ValidationError as error:
        raise NotProtocol(f"the child wrote JSON that is no response ({_path(error)}): {wire.excerpt(line)}") from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise NotProtocol(
            f"the child wrote a line that is not JSON: {wire.excerpt(line)}",
            hint="only the protocol belongs on standard output; print to standard error",
        ) from None
    if envelope.jsonrpc != "2.0":
        raise NotProtocol(f'the child wrote a response without "jsonrpc":"2.0": {wire.excerpt(line)}')
    if envelope.method is not None:
        raise NotProtocol(f"the child sent a request or notification ({envelope.method})", hint=_ONE_LINE)
    if envelope.error is not None and envelope.id in (number, None):
        code, said = envelope.error.code, envelope.error.message
        meaning = "the adapter failed" if code == wire.ADAPTER_FAILED else "it refused the judge's request"
        raise Rejected(f"{meaning} ({code}): {said}", code)
    if envelope.id != number:
        raise WrongId(f"the child answered request {envelope.id!r} while {number!r} was due")
    if envelope.result is msgspec.UNSET:
        raise NotProtocol(f"the child wrote a response without result or error: {wire.excerpt(line)}")
    return bytes(envelope.result)


def _description(line: bytes) -> Description:
    envelope = wire.decode_envelope(line)
    assert envelope.result is not msgspec.UNSET
    try:
        return wire.decode_description(envelope.result)
    except msgspec.DecodeError as error:
        raise NotProtocol(f"the result of initialize is malformed: {_path(error)}") from None
