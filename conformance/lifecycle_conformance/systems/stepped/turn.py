"""Owns a message turn from after its TS to its TE, in the order of Q25: a generator that yields where it must wait.

Refuses to know who continues it: it is sent each gate's outcome, and looks at the holder before it uses one (C16).
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lifecycle_conformance.systems.stepped.agent import Agent, Item


@dataclass(frozen=True, slots=True)
class Decided:
    """How a gate let the turn go on. `failure` is what it threw."""

    word: str = "default"
    tools: int = 0
    contexts: tuple[str, ...] = ()
    reason: str | None = None
    failure: Exception | None = None


@dataclass(frozen=True, slots=True)
class Gate:
    """Where a turn waits; `again` for a model call that goes on after a chunk."""

    kind: str
    turn: int
    step: int
    call: int | None = None
    again: bool = False


class _Stopped(Exception):
    """The holder is aborted: the turn goes to its close."""


class _Failed(Exception):
    """A gate threw, a record was vetoed, or a request was not recovered."""


Waits = Generator[Gate, Decided, None]


class Turn:
    """One turn and what its close needs to know."""

    def __init__(self, agent: Agent, item: Item, number: int) -> None:
        self.number = number
        self.prepared = 0
        """The last step prepared."""
        self.terminal = False
        self._agent = agent
        self._item = item
        self._failed = False
        self._end = "completed"

    def run(self) -> Waits:
        """From the checkpoint after TS to the record TE."""
        try:
            yield from self._body()
        except _Stopped:
            pass
        except _Failed:
            self._failed = True
        self._close()

    def _body(self) -> Waits:
        self._check()
        allowed = yield from self._gate("policy")
        if allowed.word == "block":
            self._append("prompt/blocked")
            self._end = "rejected"
            return
        self._append("user/message", message=self._item.message)
        self._contexts(self._item.contexts)
        more = True
        while more:
            self.prepared += 1
            self._drain()
            yield from self._gate("assembly")
            if not self._agent.prefix:
                yield from self._gate("prefix")
                self._agent.prefix = True
            yield from self._gate("pre_step")
            self._append("step/start", turn=self.number, step=self.prepared)
            self._check()
            more = yield from self._request()

    def _request(self) -> Generator[Gate, Decided, bool]:
        """One model request and what follows it; whether another step does."""
        self._end = "completed"
        self._agent.tell("request", turn=self.number, step=self.prepared, messages=self._agent.messages())
        answer = yield Gate("model", self.number, self.prepared)
        self._check()
        while answer.failure is None and answer.word == "chunk":
            answer = yield Gate("model", self.number, self.prepared, again=True)
            self._check()
        if answer.failure is not None or answer.word == "error":
            self._agent.log.append("step/end", turn=self.number, step=self.prepared)
            if (yield from self._gate("recovery")).word == "retry":
                return True
            raise _Failed
        if answer.word == "max_tokens":
            self._end = "max-tokens"
        yield from self._reply(answer.tools)
        yield from self._gate("post_step")
        delivered = self._drain()
        self._agent.log.append("step/end", turn=self.number, step=self.prepared)
        return (yield from self._next(answer.tools > 0, delivered))

    def _reply(self, calls: int) -> Waits:
        """The assistant's message and its calls, one after the other; what came in between behind them (Q16)."""
        agent = self._agent
        agent.batch = calls > 0
        try:
            self._append("assistant/message", message=f"am{self.number}.{self.prepared}")
        except _Failed:
            agent.batch = False
            raise
        if not calls:
            self._check()
        for call in range(1, calls + 1):
            name = f"{self.number}.{self.prepared}.{call}"
            if agent.stopped:
                agent.log.append("tool/call", id=name)
                agent.log.append("tool/result", id=name, code="ABORTED_BEFORE_DISPATCH")
                continue
            agent.log.append("tool/call", id=name)
            result = yield Gate("tool", self.number, self.prepared, call)
            failed = result.failure is not None or result.word == "fail"
            agent.log.append("tool/result", id=name, **({"code": "FAILED"} if failed else {}))
            agent.deferred += [(context, ()) for context in result.contexts]
        agent.batch = False
        while agent.deferred:
            message, contexts = agent.deferred.pop(0)
            self._append("user/message", message=message)
            self._contexts(contexts)

    def _next(self, default: bool, delivered: int) -> Generator[Gate, Decided, bool]:
        """Continuation, then turn stop: whether another step follows."""
        agent = self._agent
        decided = yield from self._gate("continuation")
        if decided.word == "continue":
            if decided.reason is not None:
                agent.steer_now(decided.reason)
            return True
        if default and decided.word != "stop":
            return True
        if (yield from self._gate("stopping")).word == "terminal":
            self.terminal = True
            return False
        return bool(agent.steering) or delivered > 0

    def _close(self) -> None:
        """X5."""
        agent = self._agent
        if self.terminal:
            agent.drop_steering()
        if agent.log.step is not None:
            agent.log.append("step/end", turn=self.number, step=self.prepared)
        if agent.disposed:
            reason = "disposed"
        elif agent.stopped:
            reason = "aborted"
        elif self._failed:
            reason = "error"
            agent.say("agent/error", turn=self.number, step=self.prepared)
        else:
            reason = self._end
        agent.settling(self.terminal)
        agent.log.append("turn/end", turn=self.number, reason=reason)

    def _gate(self, kind: str) -> Generator[Gate, Decided, Decided]:
        """Wait at a gate; look at the signal before its outcome is used."""
        decided = yield Gate(kind, self.number, self.prepared)
        self._check()
        if decided.failure is not None:
            raise _Failed
        return decided

    def _check(self) -> None:
        if self._agent.stopped:
            raise _Stopped

    def _append(self, record: str, **says: object) -> None:
        """Append what validation may veto; a vetoed record fails the turn."""
        try:
            self._agent.log.append(record, **says)
        except Exception as error:
            raise _Failed from error

    def _contexts(self, contexts: tuple[str, ...]) -> None:
        for context in contexts:
            self._append("user/message", message=context)

    def _drain(self) -> int:
        """Deliver steering while the holder is live (Q/r10); how many."""
        agent, delivered = self._agent, 0

        def stopped() -> bool:
            return agent.stopped

        while agent.steering and not agent.stopped:
            item = agent.steering.pop(0)
            agent.say("agent/inbox/dequeue", item=item.message, steering=True, wakeup=item.wakeup)
            if agent.stopped:
                break
            try:
                # a validator may abort, too, and then no SM may be logged (I9)
                if not agent.log.append_unless(stopped, "steering/message", {"message": item.message}):
                    break
            except Exception as error:
                raise _Failed from error
            delivered += 1
            self._contexts(item.contexts)
        return delivered
