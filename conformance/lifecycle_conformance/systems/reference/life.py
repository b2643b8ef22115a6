"""The commands of an agent's life: create, resume, abort, send, steer, inject, cancel, mutate, when_idle, dispose."""

from __future__ import annotations

from lifecycle_conformance.systems.reference.births import CREATING
from lifecycle_conformance.systems.reference.ports import contexts
from lifecycle_conformance.systems.reference.records import stored
from lifecycle_conformance.systems.reference.thrown import Aborted
from lifecycle_conformance.systems.reference.world import OK, Later, World, performs
from lifecycle_model import commands as ask
from lifecycle_model.wire import Answer
from lifecycle_runtime.handle import AgentSpec, Handle
from lifecycle_runtime.registry import AGENTS
from lifecycle_runtime.signals import AbortController

Answered = Answer | Later


def not_live(what: str) -> Answer:
    """The refusal for a name that means nothing here."""
    return Answer(refused="not_live", message=f"there is no {what}")


@performs(ask.Create)
def create(world: World, command: ask.Create) -> Answered:
    """Create an agent, through an owner or another agent's context."""
    seed = stored(command.seed) if command.seed is not None else ()
    if command.invalid == "seed":
        seed = ({"type": "user/message", "id": "seed", "content": float("nan")},)
    return _begin(world, command, AgentSpec(seed=seed))


@performs(ask.Resume)
def resume(world: World, command: ask.Resume) -> Answered:
    """Resume an agent from its stored log."""
    return _begin(world, command, AgentSpec())


def _begin(world: World, command: ask.Create | ask.Resume, spec: AgentSpec) -> Answered:
    owner = world.owner(command.owner, command.parent)
    if owner is None:
        return not_live(f"agent {command.parent}")
    ref = command.as_
    birth = world.births.begin(ref, sync=command.sync)
    if command.signal is not None:
        abort_with(birth.signal, command.signal)
    spec = AgentSpec(
        id=command.id,
        setup=world.births.setup(ref),
        meta={"cwd": "relative"} if command.invalid == "cwd" else None,
        seed=spec.seed,
        signal=birth.signal,
    )
    agents = owner.service(AGENTS)
    creating = CREATING.set(ref)
    try:
        if command.sync:
            if isinstance(command, ask.Resume):
                return Answer(refused="unsupported", message="a resume is never synchronous")
            _born(world, ref, agents.create_sync(owner, spec))
            return Answer(ok="handle")
        begin = agents.resume if isinstance(command, ask.Resume) else agents.create
        future = begin(owner, spec)
    finally:
        CREATING.reset(creating)
    future.add_done_callback(lambda done: birth.over.abort("over"))
    return world.follow(ref, future, lambda handle: _born(world, ref, handle))


def _born(world: World, ref: str, handle: Handle) -> str:
    world.handles[ref] = world.held[handle.agent.id] = handle
    return "handle"


def abort_with(signal: AbortController, reason: str | None) -> None:
    """Abort with an error, or with a plain value when told so."""
    signal.abort("value" if reason == "value" else Aborted("aborted by the judge"))


@performs(ask.Abort)
def abort(world: World, command: ask.Abort) -> Answered:
    """Abort the creation signal."""
    birth = world.births.get(command.ref)
    if birth is None:
        return not_live(f"create or resume {command.ref}")
    abort_with(birth.signal, command.reason)
    return OK


def content_of(world: World, message: str) -> dict[str, object]:
    """What is passed for a message; it carries its name, so that a mutation would show."""
    content: dict[str, object] = {"name": message, "text": f"content of {message}"}
    world.passed[message] = content
    return content


def _content(world: World, message: str, invalid: bool) -> object:
    return {"name": message, "text": float("nan")} if invalid else content_of(world, message)


@performs(ask.Send)
def send(world: World, command: ask.Send) -> Answered:
    """Queue a message."""
    agent = world.agent(command.agent)
    if agent is None:
        return not_live(f"agent {command.agent}")
    content = _content(world, command.message, command.invalid)
    names = contexts(command.contexts)
    return Answer(ok=agent.send(content, id=command.message, contexts=names, wakeup=command.wakeup))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType] -- an invalid content is passed on purpose


@performs(ask.Steer)
def steer(world: World, command: ask.Steer) -> Answered:
    """Steer a running turn."""
    agent = world.agent(command.agent)
    if agent is None:
        return not_live(f"agent {command.agent}")
    content = _content(world, command.message, command.invalid)
    return Answer(ok=agent.steer(content, id=command.message, contexts=contexts(command.contexts)))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType] -- as send


@performs(ask.Inject)
def inject(world: World, command: ask.Inject) -> Answered:
    """Append context to the log."""
    agent = world.agent(command.agent)
    if agent is None:
        return not_live(f"agent {command.agent}")
    content = _content(world, command.message, command.invalid)
    return Answer(ok=agent.inject(content, id=command.message, contexts=contexts(command.contexts)))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType] -- as send


@performs(ask.Cancel)
def cancel(world: World, command: ask.Cancel) -> Answered:
    """Cancel; the default cause is passed by leaving it out."""
    agent = world.agent(command.agent)
    if agent is None:
        return not_live(f"agent {command.agent}")
    if command.cause == "user":
        agent.cancel(keep_inbox=command.keep_inbox)
    else:
        world.cause = {"kind": command.cause}
        agent.cancel(world.cause, keep_inbox=command.keep_inbox)
    return OK


@performs(ask.Mutate)
def mutate(world: World, command: ask.Mutate) -> Answered:
    """Change what was passed; an accepted value is immune to it (Q1, C7)."""
    if command.of == "cause":
        world.cause["kind"] = "mutated"
        return OK
    passed = world.passed.get(command.of)
    if passed is None:
        return not_live(f"message {command.of}")
    passed["name"] = f"{command.of} mutated"
    return OK


@performs(ask.WhenIdle)
def when_idle(world: World, command: ask.WhenIdle) -> Answered:
    """Wait until the agent is idle."""
    agent = world.agent(command.agent)
    if agent is None:
        return not_live(f"agent {command.agent}")
    return world.follow(command.as_, agent.when_idle())


@performs(ask.Dispose)
def dispose(world: World, command: ask.Dispose) -> Answered:
    """Dispose through a handle."""
    handle = world.handles.get(command.ref) if command.ref is not None else _held(world, str(command.agent))
    if handle is None:
        return not_live(f"handle {command.ref or command.agent}")
    return world.follow(command.as_, handle.dispose())


def _held(world: World, name: str) -> Handle | None:
    """The handle of the agent of this name; one of an earlier life gives no right over it (T11).

    The bridge holds that of a session it has not answered for yet.
    """
    known = (world.client.handle(name), world.held.get(name))
    return next((one for one in known if one is not None and one.agent is world.agent(name)), None)
