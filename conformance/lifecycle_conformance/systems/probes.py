"""Short histories that exercise what a profile declares, built only from commands it declares. Judges nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lifecycle_model import commands as ask
from lifecycle_model.commands import AnyCommand, Burst, Outcome
from lifecycle_model.wire import Profile

TURN_GATES = ("policy", "assembly", "prefix", "pre_step", "model", "post_step", "continuation", "stopping")
"""Gates every turn without calls or failures passes."""

_CREATE: Burst = (ask.Create("a", "h1"),)
_SEND: Burst = (ask.Send("a", "m1"),)


@dataclass(frozen=True, slots=True)
class Probe:
    """A history, and what it shows: a command that must not be unsupported, or a gate that must be reported."""

    name: str
    bursts: tuple[Burst, ...]
    command: str | None = None
    gate: str | None = None


def life(profile: Profile) -> Probe:
    """One agent's life: a turn, a cancelled one, work cleared before its claim, disposal; what can be asked of it."""
    can = set(profile.commands)
    held: Burst = (ask.Hold("model", "a"),) if "hold" in can and "model" in profile.gates else ()
    bursts: list[Iterable[AnyCommand]] = [
        _CREATE,
        (*_SEND, ask.WhenIdle("a", "w1")),
        (*held, ask.Send("a", "m2")),
        (ask.Steer("a", "m3"), ask.Cancel("a"), ask.Send("a", "m4"), ask.WhenIdle("a", "w2")),
        (ask.Inject("a", "m5"), ask.Read(agent="a")),
        (ask.Send("a", "m6", wakeup=False), ask.Cancel("a")),
        (ask.Dispose("a", as_="d1"),),
        (ask.Create("a", "h2"), ask.Send("a", "m7")),
    ]
    kept = (tuple(command for command in burst if command.verb in can) for burst in bursts)
    return Probe("the life of an agent", tuple(burst for burst in kept if burst))


def commands(profile: Profile) -> Iterator[Probe]:
    """One probe a declared command, in a situation where a system that has it can perform it."""
    for verb, before, command in _COMMANDS:
        if verb in profile.commands and all(needed.verb in profile.commands for burst in before for needed in burst):
            yield Probe(f"command {verb}", (*before, (command,)), command=verb)


def gates(profile: Profile) -> Iterator[Probe]:
    """One probe a declared gate: hold it, come to it, let it go on."""
    if "hold" not in profile.commands:
        return
    for gate in profile.gates:
        bursts = _flush(profile) if gate == "flush" else _gate(gate)
        if bursts is not None and all(one.verb in profile.commands for burst in bursts for one in burst):
            yield Probe(f"gate {gate}", bursts, gate=gate)


def _flush(profile: Profile) -> tuple[Burst, ...]:
    """A turn's end flushes, or only who asks for it does: then it is asked for."""
    asked: tuple[Burst, ...] = ((ask.Session("flush", "f1", "a"),),) if "session" in profile.commands else ()
    return _CREATE, (ask.Hold("flush", "a"), *_SEND), *asked, (ask.Release("flush", "a"),)


def _gate(gate: str) -> tuple[Burst, ...] | None:
    hold, release = ask.Hold(gate, "a"), (ask.Release(gate, "a"),)
    if gate in TURN_GATES:
        return _CREATE, (hold, *_SEND), release
    if gate in ("setup", "scope_mint"):
        return (ask.Hold(gate, "h1"), *_CREATE), (ask.Release(gate, "h1"),)
    if gate == "tool":
        return (
            _CREATE,
            (ask.Hold("model", "a"), hold, *_SEND),
            (ask.Release("model", "a", with_=Outcome(tools=1)),),
            release,
        )
    if gate == "recovery":
        return _CREATE, (ask.Hold("model", "a"), hold, *_SEND), (ask.Release("model", "a", with_="error"),), release
    if gate == "scope":
        return _CREATE, (hold, ask.Dispose("a", as_="d1")), release
    if gate == "driver":
        return _CREATE, (hold, *_SEND), (ask.Tick("a"),), release
    # the others need storage, a bridge or a synchronous call: the suites come to them
    return None


_COMMANDS: tuple[tuple[str, tuple[Burst, ...], AnyCommand], ...] = (
    ("create", (), ask.Create("a", "h1")),
    ("send", (_CREATE,), ask.Send("a", "m1")),
    ("steer", (_CREATE,), ask.Steer("a", "m1")),
    ("inject", (_CREATE,), ask.Inject("a", "m1")),
    ("cancel", (_CREATE,), ask.Cancel("a")),
    ("when_idle", (_CREATE,), ask.WhenIdle("a", "w1")),
    ("dispose", (_CREATE,), ask.Dispose("a", as_="d1")),
    ("read", (_CREATE,), ask.Read(agent="a")),
    ("hold", (_CREATE,), ask.Hold("model", "a")),
    ("watch", (_CREATE,), ask.Watch("model", "a")),
    ("release", (_CREATE, (ask.Hold("model", "a"), *_SEND)), ask.Release("model", "a")),
    ("react", (_CREATE,), ask.React({"event": "agent/status", "of": "a"})),
    ("disarm", (_CREATE,), ask.Disarm()),
    ("abort", (_CREATE,), ask.Abort("h1")),
    ("unload_owner", (_CREATE,), ask.UnloadOwner("root", "u1")),
    ("unload_provider", (_CREATE,), ask.UnloadProvider("p1", "u1")),
    ("load_provider", ((ask.UnloadProvider("p1", "u1"),),), ask.LoadProvider("p1")),
    ("resume", (_CREATE, (ask.Dispose("a", as_="d1"),)), ask.Resume("a", "h2")),
    ("session", (), ask.Session("create", id="s")),
    ("storage", (), ask.Storage("put", "s")),
    ("task", (), ask.Task("start", "t1")),
    ("tool", (), ask.Tool("unload")),
    ("executor", (), ask.Executor("unload", "u1")),
    ("tick", (_CREATE, (ask.Hold("driver", "a"), *_SEND)), ask.Tick("a")),
)
