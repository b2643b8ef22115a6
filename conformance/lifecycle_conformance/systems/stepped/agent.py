"""Owns one agent: inbox, status, cancellation, and its driver as a method that makes one segment a call.

Refuses to have a task: nothing here runs unless somebody calls `drive`, and a verb never does (X1, X2).
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from lifecycle_conformance.systems.stepped.bus import Awaited, Bus, Event, Refused, Ticket
from lifecycle_conformance.systems.stepped.log import Log
from lifecycle_conformance.systems.stepped.turn import Decided, Gate, Turn, Waits


@dataclass(frozen=True, slots=True)
class Choices:
    """The optional policies, each at the contract's default."""

    keep_inbox: bool = False
    cancelling_published: bool = True
    parks: bool = False


class Holder:
    """Cancellation owner of one prospective turn; its reason is given once (C7)."""

    def __init__(self) -> None:
        self.reason: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """An accepted message. The content is a copy: what the caller does to its own afterwards does not show (Q1)."""

    content: dict[str, object]
    contexts: tuple[str, ...]
    wakeup: bool

    @property
    def message(self) -> str:
        """Its name."""
        return str(self.content["name"])


class Decision(Ticket, Protocol):
    """A gate that was entered: how the turn goes on, once it is ready."""

    @property
    def decided(self) -> Decided:
        """The outcome."""
        ...


Enter = Callable[["Agent", Gate], Decision]


class Agent:
    """One agent.

    `driver` says where its driver is: unstarted, parked, woken, reserved, turn, flush, between, again, leaving, exited.
    """

    def __init__(self, name: str, bus: Bus, log: Log, enter: Enter, choices: Choices) -> None:
        self.id = name
        self.log = log
        self.driver = "unstarted"
        self.published = False
        self.disposed = False
        self.listed = False
        self.queued: list[Item] = []
        self.steering: list[Item] = []
        self.deferred: list[tuple[str, tuple[str, ...]]] = []
        self.marker = False
        self.holder: Holder | None = None
        self.batch = False
        self.prefix = False
        self.idle_flushes: list[tuple[Awaited, int]] = []
        self._status = "idle"
        self._waiters: list[Callable[[], None]] = []
        self._bus = bus
        self._enter = enter
        self._choices = choices
        self._turn: Turn | None = None
        self._waits: Waits | None = None
        self._gate: Decision | None = None
        self._flush: Awaited | None = None
        self._terminal = False
        self.held_back = False
        """Whoever steps it has its driver wait at a wake."""

    # what anybody may read

    @property
    def status(self) -> str:
        """The status as it is shown."""
        return self._shown(self._status)

    @property
    def stopped(self) -> bool:
        """The holder is aborted."""
        return self.holder is not None and self.holder.reason is not None

    @property
    def due(self) -> bool:
        """The driver's next segment is one before which others may act (X4, X6, and where a flush has settled)."""
        settled = self.driver == "flush" and self._flush is not None and self._flush.ready
        return settled or self.driver in ("woken", "between", "again")

    def inspect(self) -> dict[str, object]:
        """A snapshot; changes nothing."""
        return {
            "status": self.status,
            "queued": [item.message for item in self.queued],
            "steering": [item.message for item in self.steering],
            "marker": self.marker,
            "holder": "none" if self.holder is None else self.holder.reason or "live",
            "turn": self.log.turn,
            "step": self.log.step,
        }

    def messages(self) -> tuple[str, ...]:
        """What a model request contains: every message and every result of the log, in order."""
        found: list[str] = []
        for name, says in self.log.records:
            if name.endswith("/message"):
                found.append(str(says["message"]))
            elif name == "tool/result":
                found.append(f"tr{says['id']}")
        return tuple(found)

    # verbs

    def send(self, content: dict[str, object], contexts: tuple[str, ...] = (), wakeup: bool = True) -> str:
        """Queue an item; never any driver progress (Q2)."""
        item = self._accepted(content, contexts, wakeup)
        self.queued.append(item)
        if self.disposed:
            return item.message
        self._wake_for(item)
        self.say("agent/inbox/enqueue", item=item.message, steering=False, wakeup=wakeup)
        return item.message

    def steer(self, content: dict[str, object], contexts: tuple[str, ...] = ()) -> str:
        """Into the running turn, else exactly a waking send (Q4)."""
        if self._status != "running":
            return self.send(content, contexts)
        item = self._accepted(content, contexts, True)
        self.steering.append(item)
        self.say("agent/inbox/enqueue", item=item.message, steering=True, wakeup=True)
        return item.message

    def inject(self, content: dict[str, object], contexts: tuple[str, ...] = ()) -> str:
        """Append to the log: to the open turn, behind its batch, or as a turn of its own (Q15)."""
        item = self._accepted(content, contexts, False)
        if self.disposed:
            # what parks is kept to be never run; an injection would be a record
            raise Refused("disposed", f"{self.id} is disposed")
        if self.log.turn is not None and self.batch:
            self.deferred.append((item.message, contexts))
        elif self.log.appending:
            raise Refused("reentrant_append", "inside an append of its session")
        elif self.log.turn is not None:
            self._record(item)
        else:
            self._inject_idle(item)
        return item.message

    def cancel(self, cause: dict[str, str], keep_inbox: bool = False) -> None:
        """The procedure of section C, step by step."""
        reason = cause["kind"]
        if reason not in ("user", "parent"):
            raise Refused("invalid", f"{reason!r} is no cause of a cancel; user and parent are (C1)")
        if keep_inbox and not self._choices.keep_inbox:
            raise Refused("invalid", "keep_inbox is not offered")
        holder = self.holder
        if self.disposed or (holder is None and (keep_inbox or not (self.queued or self.steering))):
            return
        if holder is None:
            self.marker = True
        self.say("agent/cancel-requested", cause=reason)
        if not keep_inbox:
            self._discard(queued=True)
        if holder is not None and holder.reason is None and self._status == "running":
            self._become("cancelling")
        if holder is not None:
            self._abort(holder, reason)

    def when_idle(self, resolve: Callable[[], None]) -> None:
        """Call back at once if there is nothing to wait for, else as S7 has it."""
        free = self.driver == "exited" if self.disposed else self._status == "idle" and not self._waking()
        if free:
            resolve()
        else:
            self._waiters.append(resolve)

    # teardown's part (T/r1)

    def deactivate(self) -> None:
        """Stop for good: status, discard, abort, status event; the driver finds it out at its next step."""
        self.disposed = True
        self._status = "disposed"
        self._discard(queued=True)
        if self.holder is not None:
            self._abort(self.holder, "disposed")
        if self.published:
            self.say("agent/status", status="disposed")
        if self.driver == "unstarted":
            self._exit()
        elif self.driver in ("parked", "woken") and not self.held_back:
            self.driver = "leaving"

    def start(self) -> None:
        """P/r12: from now on the driver may be stepped."""
        self.driver = "woken" if self._waking() else "parked"

    # the driver

    def settle(self) -> bool:
        """Tell of one idle injection's flush that settled, if there is one."""
        for flush, turn in self.idle_flushes:
            if flush.ready:
                self.idle_flushes.remove((flush, turn))
                if self.log.flushed(flush) is not None:
                    self.say("agent/error", turn=turn, step=0)
                return True
        return False

    def drive(self) -> bool:
        """Let the driver make one segment, if it can."""
        if self.driver == "leaving":
            self._exit()
        elif self.driver in ("woken", "again"):
            self._wake()
        elif self.driver == "turn" and self._gate is not None and self._gate.ready:
            self._go_on()
        elif self.driver == "flush" and self._flush is not None and self._flush.ready:
            self._converge(self._flush)
        elif self.driver == "between":
            self._between()
        else:
            return False
        return True

    def _wake(self) -> None:
        """X4."""
        if self.disposed:
            self._exit()
            return
        self.marker = False
        if not self._work():
            self._park()
            return
        while True:
            self.driver = "reserved"
            self.holder = Holder()
            self._become("running")
            if self.disposed:
                self._exit()
                return
            if not self.stopped:
                break
            self.holder = None
            if not self._work():
                self._park()
                return
        self._claim()

    def _claim(self) -> None:
        item = self.queued.pop(0)
        self.driver = "turn"
        self.say("agent/inbox/dequeue", item=item.message, steering=False, wakeup=item.wakeup)
        number = self.log.last + 1
        try:
            self.log.append("turn/start", turn=number, trigger="message")
        except Exception:
            # Q7: the item is consumed, and what follows comes at once (X6)
            self.holder = None
            self.driver = "between"
            self.say("agent/error", turn=number, step=0)
            self._between()
            return
        self._turn = Turn(self, item, number)
        self._waits = self._turn.run()
        self._go_on()

    def _go_on(self) -> None:
        """Continue the turn up to its next gate, or through its close and the start of its flush (X5)."""
        assert self._waits is not None
        gate, self._gate = self._gate, None
        try:
            asked = next(self._waits) if gate is None else self._waits.send(gate.decided)
            while (entered := self._enter(self, asked)).ready:
                asked = self._waits.send(entered.decided)
            self._gate = entered
        except StopIteration:
            self._waits = None
            self.driver = "flush"
            self._flush = self.log.flush()

    def _converge(self, flush: Awaited) -> None:
        assert self._turn is not None
        turn, self._turn, self._flush = self._turn, None, None
        self.driver = "between"
        if self.log.flushed(flush) is not None:
            self.say("agent/error", turn=turn.number, step=turn.prepared)

    def _between(self) -> None:
        """X6."""
        if self.disposed:
            self._exit()
            return
        if self._terminal:
            self._terminal = False
            self.drop_steering()
        else:
            self._reroute()
        if self._work():
            self.marker = False
            self.driver = "again"
            return
        self._park()
        self.marker = False

    def _park(self) -> None:
        self.driver = "parked"
        self.marker = False
        self._resolve()
        self._become("idle")

    def _exit(self) -> None:
        self.driver = "exited"
        self.holder = None
        self._resolve()

    # what a turn asks for

    def say(self, name: str, **says: object) -> None:
        """Publish, contained."""
        self._bus.publish(Event(name, self.id, says))

    def tell(self, name: str, **says: object) -> None:
        """Show what nobody listens to."""
        self._bus.observe(Event(name, self.id, says))

    def steer_now(self, message: str) -> None:
        """A continuation's reason becomes a steering item (Q10)."""
        self.steering.append(Item({"name": message}, (), True))
        self.say("agent/inbox/enqueue", item=message, steering=True, wakeup=True)

    def drop_steering(self) -> None:
        """Discard what is in the steering list, and only that (Q11)."""
        self._discard(queued=False)

    def settling(self, terminal: bool) -> None:
        """The holder goes immediately before TE (S4)."""
        self.holder = None
        self._terminal = terminal

    # inside

    def _shown(self, status: str) -> str:
        return "running" if status == "cancelling" and not self._choices.cancelling_published else status

    def _become(self, status: str) -> None:
        before, self._status = self._status, status
        if self._shown(before) != self._shown(status):
            self.say("agent/status", status=self._shown(status))

    def _accepted(self, content: dict[str, object], contexts: tuple[str, ...], wakeup: bool) -> Item:
        """Validate, then copy; raises before anything happened."""
        try:
            json.dumps(content, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise Refused("invalid_message", str(error)) from error
        if self.disposed and not self._choices.parks:
            raise Refused("disposed", f"{self.id} is disposed")
        return Item(copy.deepcopy(content), contexts, wakeup)

    def _wake_for(self, item: Item) -> None:
        if item.wakeup and self.driver == "parked":
            self.driver = "woken"

    def _waking(self) -> bool:
        return any(item.wakeup for item in self.queued)

    def _work(self) -> bool:
        """Whether a waking item is queued, after what is left of steering was moved where none was (Q24)."""
        if not self._waking():
            self._reroute()
        return self._waking()

    def _reroute(self) -> None:
        self.queued += self.steering
        self.steering.clear()

    def _discard(self, queued: bool) -> None:
        taken = [(item, False) for item in self.queued if queued] + [(item, True) for item in self.steering]
        if queued:
            self.queued.clear()
        self.steering.clear()
        if taken:
            items = tuple({"id": item.message, "steering": steering} for item, steering in taken)
            self.say("agent/inbox/discard", items=items)

    def _abort(self, holder: Holder, reason: str) -> None:
        """Request the abort; observers run for the first request only."""
        if holder.reason is None:
            holder.reason = reason
            self.say("abort", reason=reason)

    def _resolve(self) -> None:
        waiters, self._waiters = self._waiters, []
        for resolve in waiters:
            resolve()

    def _record(self, item: Item) -> None:
        self.log.append("user/message", message=item.message)
        for context in item.contexts:
            self.log.append("user/message", message=context)

    def _inject_idle(self, item: Item) -> None:
        """A one-shot turn: what vetoes its start leaves nothing, what vetoes its message is raised behind its flush."""
        number = self.log.last + 1
        self.log.append("turn/start", turn=number, trigger="injection")
        try:
            self._record(item)
        finally:
            self.log.append("turn/end", turn=number, reason="completed")
            self.idle_flushes.append((self.log.flush(), number))
