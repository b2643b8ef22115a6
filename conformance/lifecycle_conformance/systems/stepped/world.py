"""Owns one run of the stepped runtime: commands in, observations out, and who is stepped next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from lifecycle_conformance.systems.stepped.agent import Agent, Choices, Decision
from lifecycle_conformance.systems.stepped.bus import Bus, Event, Failing, Listening, Refused, Ticket
from lifecycle_conformance.systems.stepped.gates import Armed, At, Entered, Gates, Thrown
from lifecycle_conformance.systems.stepped.home import Home, Life, Plan
from lifecycle_conformance.systems.stepped.turn import Gate
from lifecycle_model import commands as ask
from lifecycle_model.commands import AnyCommand, Command, GateAddress
from lifecycle_model.wire import MEMBERS, RECORDS, Answer, Dropped, Observation, matches

GATES = (
    "policy",
    "assembly",
    "prefix",
    "pre_step",
    "model",
    "recovery",
    "tool",
    "post_step",
    "continuation",
    "stopping",
    "flush",
    "validation",
    "scope",
    "driver",
)
UNSEEN = frozenset({"session/event", "task", "output", "agent-loop/config-start-failed"})
UNHEARD = frozenset({"request", "gate", "heard", "settled", "fault", "scope", "contained"})
"""Shown, but no event anybody can listen to."""
SHOWN = tuple(name for name in MEMBERS if name not in UNSEEN)
POLICIES: dict[str, tuple[str, ...]] = {
    "keep_inbox": ("off", "on"),
    "cancelling_published": ("on", "off"),
    "after_dispose": ("rejects", "parks"),
    "cancel_after_dispose": ("silent", "publishes"),
}
"""`publishes` *may* publish: this runtime never does, as it may."""
OK = Answer(ok=None)
UNSUPPORTED = Answer(refused="unsupported")


@dataclass(eq=False, slots=True)
class Reaction:
    """An armed listener of the judge's."""

    command: ask.React
    left: int
    listening: Listening


class World:
    """A fresh runtime with the judge's names for what is in it."""

    def __init__(self, policies: dict[str, str]) -> None:
        self.seen: list[Observation] = []
        choices = Choices(
            keep_inbox=policies.get("keep_inbox") == "on",
            cancelling_published=policies.get("cancelling_published") != "off",
            parks=policies.get("after_dispose") == "parks",
        )
        self.bus = Bus(self._observe, self._contained)
        self.gates = Gates(self.seen_now, self.perform)
        self.home = Home(self.bus, self._enter, self._validate, self._unwind, choices)
        self.handles: dict[str, Life] = {}
        self.reactions: list[Reaction] = []
        self.flushing: list[str | None] = []
        self.held: dict[str, int] = {}
        """Ticks granted to each held driver."""
        self.reported: set[str] = set()
        self.passed: dict[str, dict[str, object]] = {}
        self.cause: dict[str, str] = {}
        self._entered: dict[str, Entered] = {}
        self.flush_listener(None)

    # the loop

    def step(self) -> bool:
        """One segment of anything: flushes and turns in the order of creation, then comings and goings."""
        for life in self.home.lives:
            agent = life.agent
            if agent.settle() or ((not agent.due or self._may_drive(agent)) and agent.drive()):
                return True
        return self.home.step()

    def _may_drive(self, agent: Agent) -> bool:
        """Whether a driver may make a segment of its own: one that is held needs a tick."""
        if agent.id not in self.held:
            self.gates.enter(At("driver", agent.id), waits=False)
            return True
        if self.held[agent.id] > 0:
            self.held[agent.id] -= 1
            self.reported.discard(agent.id)
            agent.held_back = False
            return True
        if agent.id not in self.reported:
            self.reported.add(agent.id)
            agent.held_back = True
            self.seen_now(At("driver", agent.id).shown())
        return False

    # what is seen

    def seen_now(self, seen: Observation) -> None:
        """Show an observation."""
        self.seen.append(seen)

    def _observe(self, event: Event) -> None:
        self.seen_now(shown(event))

    def _contained(self, event: Event, failure: Exception) -> None:
        name = getattr(failure, "where", event.name)
        self.seen_now(Observation("contained", of=event.of, name=str(name)))

    # gates

    def _enter(self, agent: Agent, gate: Gate) -> Decision:
        if gate.again:
            entered = self.gates.again(self._entered[agent.id])
        else:
            entered = self.gates.enter(At(gate.kind, agent.id, gate.turn, gate.call, holder=agent.holder))
        self._entered[agent.id] = entered
        return entered

    def _validate(self, of: str, record: str) -> None:
        failure = self.gates.enter(At("validation", of, record=record), waits=False).failure
        if failure is not None:
            raise failure

    def _unwind(self, of: str) -> Ticket:
        return self.gates.enter(At("scope", of))

    def flush_listener(self, name: str | None) -> None:
        """A flush listener, made when it is first named."""
        if name not in self.flushing:
            self.flushing.append(name)
            self.bus.listen(Listening(lambda event: self._flush(event, name)))

    def _flush(self, event: Event, name: str | None) -> Ticket | None:
        return self.gates.enter(At("flush", event.of, listener=name)) if event.name == "session/flush" else None

    # commands

    def perform(self, command: AnyCommand) -> Answer:
        """Perform a command; what the runtime raises is a refusal."""
        perform = _PERFORM.get(type(command))
        if perform is None:
            return Answer(refused="unsupported", message=f"{command.verb} is not offered")
        try:
            return perform(self, command)
        except Refused as error:
            return Answer(refused=error.code, message=str(error))

    def life(self, name: str | None) -> Life:
        """The agent of this name that is live, else the last one that was."""
        found = [life for life in self.home.lives if life.agent.id == name]
        if not found:
            raise Refused("not_live", f"there is no agent {name}")
        return next((life for life in found if life.agent.listed), found[-1])

    def follow(self, ref: str) -> tuple[Answer, Callable[[], None]]:
        """The answer of a call that settles later, and how it settles well."""
        return Answer(pending=ref), lambda: self.seen_now(Observation("settled", of=ref, ok=None))

    def arm(self, command: ask.React) -> Answer:
        """Arm a listener on an event."""
        name = str(command.on["event"])
        if name in UNHEARD or (name not in SHOWN and name not in RECORDS) or command.on.get("state") == "settled":
            return UNSUPPORTED
        scope = None
        if command.through is not None:
            life = self.life(command.through)
            if life.stage == "over":
                raise Refused("inactive_owner", "its scope is gone")
            scope = command.through
        reaction: Reaction
        reaction = Reaction(command, command.times, Listening(lambda event: self._hear(reaction, event), scope))
        self.reactions.append(reaction)
        self.bus.listen(reaction.listening)
        return OK

    def disarm(self, name: str | None) -> None:
        """Disarm by name, or everything."""
        self.gates.disarm(name)
        for one in self.reactions:
            if name is None or one.command.as_ == name:
                one.listening.live = False
        self.reactions = [one for one in self.reactions if one.listening.live]

    def _hear(self, reaction: Reaction, event: Event) -> Ticket | None:
        command, seen = reaction.command, shown(event)
        if reaction.left <= 0 or not matches(command.on, seen):
            return None
        reaction.left -= 1
        if reaction.left == 0:
            reaction.listening.live = False
        answers = tuple(self.perform(one) for one in command.then)
        if command.as_ is not None:
            self.seen_now(Observation("heard", of=seen.of, as_=command.as_, name=seen.event, answers=answers))
        if command.throw == "async":
            return Failing(Thrown(event.name))
        if command.throw is not None:
            raise Thrown(event.name)
        return None


def shown(event: Event) -> Observation:
    """An event as the judge is shown it."""
    says: dict[str, Any] = dict(event.says)
    if "items" in says:
        says["items"] = tuple(Dropped(one["id"], one["steering"]) for one in says["items"])
    return Observation(event.name, of=event.of, **says)


def _content(world: World, command: ask.Send | ask.Steer | ask.Inject) -> dict[str, object]:
    if command.invalid:
        return {"name": command.message, "text": float("nan")}
    content: dict[str, object] = {"name": command.message}
    world.passed[command.message] = content
    return content


def _send(world: World, command: ask.Send) -> Answer:
    agent = world.life(command.agent).agent
    return Answer(ok=agent.send(_content(world, command), command.contexts, command.wakeup))


def _steer(world: World, command: ask.Steer) -> Answer:
    return Answer(ok=world.life(command.agent).agent.steer(_content(world, command), command.contexts))


def _inject(world: World, command: ask.Inject) -> Answer:
    return Answer(ok=world.life(command.agent).agent.inject(_content(world, command), command.contexts))


def _cancel(world: World, command: ask.Cancel) -> Answer:
    world.cause = {"kind": command.cause}
    world.life(command.agent).agent.cancel(world.cause, command.keep_inbox)
    return OK


def _mutate(world: World, command: ask.Mutate) -> Answer:
    if command.of == "cause":
        world.cause["kind"] = "mutated"
    elif command.of in world.passed:
        world.passed[command.of]["name"] = "mutated"
    else:
        raise Refused("not_live", f"no message {command.of}")
    return OK


def _create(world: World, command: ask.Create) -> Answer:
    owner = world.life(command.parent) if command.parent is not None else command.owner or "root"
    wrong = "invalid" if command.invalid is not None else "aborted" if command.signal is not None else None
    plan = Plan(command.id, owner, tuple(map(_seed, command.seed or ())), Refused(wrong) if wrong else None)
    if command.sync:
        world.handles[command.as_] = world.home.create_now(plan)
        return Answer(ok="handle")

    def settle(failure: Exception | None) -> None:
        if failure is None:
            world.handles[command.as_] = world.life(command.id)
            world.seen_now(Observation("settled", of=command.as_, ok="handle"))
        else:
            code = failure.code if isinstance(failure, Refused) else "vetoed"
            world.seen_now(Observation("settled", of=command.as_, refused=code))

    world.home.create(plan, settle)
    return Answer(pending=command.as_)


def _seed(record: object) -> tuple[str, dict[str, object]]:
    says = dict(record) if isinstance(record, dict) else {}
    return str(says.pop("event", "")), {name: value for name, value in says.items() if name not in ("of", "tools")}


def _dispose(world: World, command: ask.Dispose) -> Answer:
    life = world.handles.get(command.ref) if command.ref is not None else world.life(command.agent)
    if life is None or life not in world.handles.values():
        raise Refused("not_live", "nobody holds that handle")
    answer, resolve = world.follow(command.as_)
    world.home.dispose(life, resolve)
    return answer


def _when_idle(world: World, command: ask.WhenIdle) -> Answer:
    answer, resolve = world.follow(command.as_)
    world.life(command.agent).agent.when_idle(resolve)
    return answer


def _read(world: World, command: ask.Read) -> Answer:
    if command.task is not None:
        return UNSUPPORTED
    values: dict[str, object] = {}
    if command.agent is not None:
        life = world.life(command.agent)
        values |= {"status": life.agent.status, "inspect": life.agent.inspect(), "registry": life.agent.listed}
        values["log"] = _log(life.agent)
    if command.session is not None:
        values["log"] = _log(world.life(command.session).agent)
    if command.store is not None:
        values["sessions"] = list(world.home.sessions)
    if command.owner is not None:
        mine = [life for life in world.home.lives if life.owner == command.owner and life.stage != "over"]
        values["records"] = sorted(life.agent.id for life in mine)
    if command.registry:
        listed = world.home.listed()
        values["agents"] = sorted(life.agent.id for life in listed)
        values["roots"] = sorted(life.agent.id for life in listed if life.parent is None)
    return Answer(ok=values)


def _log(agent: Agent) -> list[object]:
    return [msgspec.to_builtins(Observation(name, **says)) for name, says in agent.log.records]  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType] -- members by name


def _hold(world: World, command: ask.Hold) -> Answer:
    if command.gate not in GATES:
        return Answer(refused="no_such_gate")
    if command.gate == "driver":
        world.held.setdefault(str(command.of), 0)
        return OK
    if command.gate == "flush" and command.listener is not None:
        world.flush_listener(command.listener)
    if command not in world.gates.holds:
        world.gates.holds.append(command)
    return OK


def _watch(world: World, command: ask.Watch) -> Answer:
    if command.gate not in GATES:
        return Answer(refused="no_such_gate")
    world.gates.watches.append(command)
    return OK


def _release(world: World, command: ask.Release) -> Answer:
    if command.gate == "driver":
        found = world.held.pop(str(command.of), None) is not None
        world.reported.discard(str(command.of))
    else:
        found = world.gates.release(command)
    return OK if found else Answer(refused="no_such_gate")


def _tick(world: World, command: ask.Tick) -> Answer:
    if command.agent not in world.reported or world.held[command.agent] > 0:
        return Answer(refused="no_such_gate")
    world.held[command.agent] += 1
    return OK


def _react(world: World, command: ask.React) -> Answer:
    if "event" in command.on:
        return world.arm(command)
    address = msgspec.convert(command.on, GateAddress)
    if address.gate not in GATES:
        return Answer(refused="no_such_gate")
    if address.gate == "flush" and address.listener is not None:
        world.flush_listener(address.listener)
    world.gates.armed.append(Armed(address, command, command.times))
    return OK


def _disarm(world: World, command: ask.Disarm) -> Answer:
    world.disarm(command.as_)
    return OK


_PERFORM: dict[type[Command], Callable[[World, Any], Answer]] = {
    ask.Create: _create,
    ask.Send: _send,
    ask.Steer: _steer,
    ask.Inject: _inject,
    ask.Cancel: _cancel,
    ask.Mutate: _mutate,
    ask.WhenIdle: _when_idle,
    ask.Dispose: _dispose,
    ask.Hold: _hold,
    ask.Watch: _watch,
    ask.Release: _release,
    ask.Tick: _tick,
    ask.React: _react,
    ask.Disarm: _disarm,
    ask.Read: _read,
}
COMMANDS = tuple(sorted(str(kind.__struct_config__.tag) for kind in _PERFORM))
"""The verbs it can be asked."""
