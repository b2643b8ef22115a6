"""The small pure functions rows are written with: guards, effects and sayings shared by several programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.parts import Persistence
from lifecycle_model.state import Agent, Item
from lifecycle_model.table import Effect, Guard, Row, Say
from lifecycle_model.wire import UNSET, Dropped, Observation

# -- guards ------------------------------------------------------------------------------------------------------


def disposed(now: Now) -> bool:
    """The status is disposed."""
    return bool(now.it.status == "disposed")


def holder_live(now: Now) -> bool:
    """A holder is installed and not aborted."""
    return bool(now.it.holder == "live")


def stopping(now: Now) -> bool:
    """The agent is disposed, or the turn's signal is aborted."""
    return bool(now.it.status == "disposed" or now.it.holder not in (None, "live"))


def waking_item(now: Now) -> bool:
    """A waking item is queued."""
    return any(item.wakeup for item in now.it.queued)


def no_waking_item(now: Now) -> bool:
    """No waking item is queued."""
    return not waking_item(now)


def something_pending(now: Now) -> bool:
    """An item is queued or steering."""
    return bool(now.it.queued or now.it.steering)


def steering_pending(now: Now) -> bool:
    """An item is in the steering list."""
    return bool(now.it.steering)


def vetoed(now: Now) -> bool:
    """The dispatch validation just asked has failed."""
    return now.outcome.outcome == "fail"


def persisted(now: Now) -> bool:
    """A persistence is loaded."""
    there: Persistence | None = now.part("persistence")
    return there is None or there.on


def outcome(*words: str) -> Guard:
    """The gate just left had one of these outcomes."""

    def guard(now: Now) -> bool:
        return now.outcome.outcome in words

    guard.__name__ = "outcome_" + "_or_".join(words)
    guard.__doc__ = f"The gate's outcome is {' or '.join(words)}."
    return guard


def both(*guards: Guard) -> Guard:
    """All of the guards hold."""

    def guard(now: Now) -> bool:
        return all(one(now) for one in guards)

    guard.__name__ = "_and_".join(one.__name__ for one in guards)
    guard.__doc__ = " ".join(one.__doc__ or "" for one in guards)
    return guard


def either(*guards: Guard) -> Guard:
    """One of the guards holds."""

    def guard(now: Now) -> bool:
        return any(one(now) for one in guards)

    guard.__name__ = "_or_".join(one.__name__ for one in guards)
    guard.__doc__ = " Or: ".join(one.__doc__ or "" for one in guards)
    return guard


def negate(one: Guard) -> Guard:
    """The guard does not hold."""

    def guard(now: Now) -> bool:
        return not one(now)

    guard.__name__ = f"not_{one.__name__}"
    guard.__doc__ = f"Not: {one.__doc__}"
    return guard


def status_is(*names: str) -> Guard:
    """The status is one of these."""

    def guard(now: Now) -> bool:
        return now.it.status in names

    guard.__name__ = "status_" + "_or_".join(names)
    guard.__doc__ = f"The status is {' or '.join(names)}."
    return guard


# -- effects -----------------------------------------------------------------------------------------------------


def setting(**members: Any) -> Effect:
    """Set members of the component."""

    def effect(now: Now) -> Agent:
        return replace(now.it, **members)

    effect.__name__ = "set_" + "_".join(members)
    effect.__doc__ = "Set " + ", ".join(f"{name} to {value!r}" for name, value in members.items()) + "."
    return effect


def resolve_waiters(now: Now) -> None:
    """Settle every `when_idle` of the agent."""
    for ref in now.it.waiters:
        now.settle(ref)


def reroute(now: Now) -> Agent:
    """Move remaining steering to the queued tail, as waking."""
    moved = tuple(Item(item.id, True, item.contexts) for item in now.it.steering)
    return replace(now.it, queued=now.it.queued + moved, steering=())


def drop_steering(now: Now) -> Agent:
    """Drop the steering list."""
    return replace(now.it, steering=())


def logged(agent: Agent, now: Now, record: Observation) -> Agent:
    """The agent with a record appended to its log, where logs are kept."""
    return replace(agent, log=(*agent.log, record)) if now.world.keep_log else agent


def its_log(now: Now) -> Iterable[str]:
    """The stored log of the session, where a persistence is loaded."""
    return (f"log:{now.of}",) if persisted(now) else ()


# -- sayings -----------------------------------------------------------------------------------------------------


def status(value: str) -> Say:
    """`status(value)`, published right after the value changed; nothing where only `cancelling` comes or goes unpublished."""

    def say(now: Now) -> Observation | None:
        hidden = value == "cancelling" or (value == "running" and now.before.status == "cancelling")
        if hidden and now.policy("cancelling_published") == "off":
            return None
        return Observation("agent/status", of=now.subject, status=value)

    say.__name__ = f"status_{value}"
    say.__doc__ = f"status({value})"
    return say


def discarded(now: Now) -> Observation | None:
    """`disc[…]`: what the row took out of the inbox, queued then steering."""
    lost = [Dropped(item.id, False) for item in now.before.queued if item not in now.it.queued]
    lost += [Dropped(item.id, True) for item in now.before.steering if item not in now.it.steering]
    return Observation("agent/inbox/discard", of=now.subject, items=tuple(lost)) if lost else None


def error(now: Now) -> Observation:
    """`err(n, k)`: the turn and its last step prepared."""
    turn = now.it.turn + (0 if now.it.open or now.note("closed") else 1)
    return Observation("agent/error", of=now.subject, turn=turn, step=now.it.step)


def record(event: str, **members: Callable[[Now], Any]) -> tuple[Effect, Say]:
    """A log record: the effect that keeps it and the saying that publishes it."""

    def make(now: Now) -> Observation:
        return Observation(event, of=now.of, **{name: value(now) for name, value in members.items()})

    def effect(now: Now) -> Agent:
        return logged(now.it, now, make(now))

    effect.__name__ = "log_" + event.replace("/", "_")
    effect.__doc__ = f"Log {event}."
    make.__name__ = event
    make.__doc__ = event
    return effect, make


def chain(*effects: Effect) -> Effect:
    """Several effects, one after the other."""

    def effect(now: Now) -> Any:
        subject = now.subject
        for one in effects:
            now.put(subject, one(now))
        return now.it

    effect.__name__ = "_then_".join(one.__name__ for one in effects)
    effect.__doc__ = " ".join(one.__doc__ or "" for one in effects)
    return effect


def step_of(now: Now) -> int:
    """The step prepared last."""
    return int(now.it.step)


def turn_of(now: Now) -> int:
    """The turn open, or logged last."""
    return int(now.it.turn)


def code_of(now: Now) -> Any:
    """The code of an error result that the contract names."""
    return now.note("code") or UNSET


def checkpoint(step: str, machine: str, clauses: tuple[str, ...] = ("C16",), then: str = "close") -> Row:
    """A C16 check: an aborted or disposed turn goes to its close before the outcome is used."""
    return Row(f"C16/{step}", machine, (), step, clauses, guard=stopping, then=then)
