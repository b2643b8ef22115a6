"""Draws walks over a whole system: at each quiet configuration an act of a ground, the release of a gate, or two of them.

Works on the model alone; refuses to know a system. Names are handed out afresh for every use, so equal seeds are equal bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from msgspec.structs import replace

from lifecycle_conformance.carried import carried
from lifecycle_conformance.grounds import Ground
from lifecycle_conformance.oracle import Outlook
from lifecycle_conformance.uses import LATEST, Uses, unanswerable
from lifecycle_model.commands import (
    Acp,
    AnyCommand,
    Burst,
    Create,
    Disarm,
    Executor,
    Hold,
    LoadProvider,
    Outcome,
    React,
    Read,
    Release,
    Resume,
    Storage,
    outcome_of,
)
from lifecycle_model.labels import CREATION
from lifecycle_model.quiet import Crowded, Restless
from lifecycle_model.scope import Held, Listener
from lifecycle_model.state import Configuration, OpenGate, start
from lifecycle_model.wire import UNSET, Profile, to_json

BY_CALL = CREATION | {"config_lookup"}
"""Gates held for the call that reaches them: a creation's by its reference, a configured agent's by its label."""
ALONE = Storage | Executor | LoadProvider | Resume
"""Asked alone in its segment, as is the release of a gate of a creation: which of two operations of one id, or of what an
executor or a provider leaves, comes first behind one segment is not the contract's to say."""
CLOSERS = frozenset({"disconnect", "teardown", "unload"})
"""Acts that end much: seldom chosen, or a walk would be little else than beginnings."""
PERSISTENT = 4
"""How often another act is drawn instead of one that would change nothing."""
RELEASES = 20
"""Gates let go at the end, at most."""
POSSIBLE = 24
"""Configurations that the contract may allow at once, at most: of what branches further too little can be said."""
EVERYWHERE = (
    "session/created", "agent/created", "agent/session-start", "agent/status", "turn/start", "turn/end",
    "agent/disposed", "session/disposed",
)  # fmt: skip
"""Where a listener acts that a scope does not limit."""


@dataclass
class Roamer:
    """One walk being drawn: what was asked so far, and the configuration the model is in."""

    ground: Ground
    outlook: Outlook
    chance: Random
    profile: Profile
    uses: Uses
    possible: tuple[Configuration, ...]
    """Every configuration that the contract allows by now; what is asked is chosen in the first."""
    bursts: list[Burst] = field(default_factory=list[Burst])
    held: tuple[Held, ...] = ()
    """What this walk holds of what the ground holds."""
    haste: float = 0.5
    """How often a burst lets a gate go on, rather than ask for something while it waits."""
    sticky: bool = True
    """Held gates ignore an abort of their signal; else they end with it, and a burst asks one thing."""

    @property
    def here(self) -> Configuration:
        """The configuration in which the next burst is chosen."""
        return self.possible[0]

    def perform(self, made: Burst) -> bool:
        """Ask it of the model; nothing is done where too much may follow of all that may have been before."""
        key = to_json(made)
        after: dict[Configuration, None] = {}
        try:
            for one in self.possible:
                after |= dict.fromkeys(outcome.configuration for outcome in self.outlook.perform(one, made, key))
        except (Crowded, Restless):
            return False
        if len(after) > POSSIBLE:
            return False
        self.bursts.append(made)
        self.possible = tuple(after)
        return True

    def begin(self) -> None:
        """What the ground begins with, its sessions under their own names; then this walk's holds are chosen."""
        for given in self.ground.first:
            fresh = isinstance(given, Acp) and given.act != "connect"
            filled = replace(given, as_=self.uses.name.next("q")) if fresh else self.uses.filled(given, self.here)
            watches = self.ground.watches if not self.bursts else ()
            if filled is not None:
                self.perform((*watches, filled))
        self.haste = self.chance.uniform(0.1, 0.6)
        self.sticky = self.chance.random() < 0.7
        known = [one for one in self.ground.holds if one.gate in self.profile.gates]
        self.held = tuple(one for one in known if self.chance.random() < 0.75)

    # -- choosing ------------------------------------------------------------------------------------------------

    def step(self) -> bool:
        """One burst more; False where nothing can be asked."""
        for last in range(PERSISTENT, -1, -1):
            mark = self.uses.mark()
            commands = self._commands()
            made = (*self._arming(commands), *commands)
            asked = commands and carried(self.outlook.engine.contract, (made,))
            if asked and self._worth(made, last == 0) and self.perform(made):
                return True
            self.uses.back(mark)
        return False

    def _commands(self) -> tuple[AnyCommand, ...]:
        releases = list(self._releases())
        found: list[AnyCommand] = []
        for _ in range(2 if self.sticky and self.chance.random() < 0.3 else 1):
            if releases and self.chance.random() < self.haste:
                chosen = self.chance.choice(releases)
                releases = [one for one in releases if _address(one) != _address(chosen)]
                if chosen.gate in BY_CALL:
                    return (chosen,)
                found.append(chosen)
                continue
            act = self.chance.choice(self.ground.acts)
            if (getattr(act, "act", "") in CLOSERS and act.verb != "tool") or act.verb.startswith("unload"):
                act = self.chance.choice((act, self.chance.choice(self.ground.acts)))
            filled = self.uses.filled(act, self.here)
            if filled is not None and not unanswerable(filled, self.possible, self.uses.ids):
                if isinstance(filled, ALONE) or (isinstance(filled, Acp) and filled.act == "load"):
                    return (filled,)
                found.append(filled)
        return tuple(found)

    def _worth(self, made: Burst, anyway: bool) -> bool:
        """Tell whether something follows, or is refused once in a while; what cannot be said is not asked."""
        try:
            outcome = self.outlook.perform(self.here, made, to_json(made))[0]
        except (Crowded, Restless):
            return False
        refused = any(one.refused is not UNSET for one in outcome.answers)
        refused = refused or any(one.refused is not UNSET for one in outcome.seen)
        told = any(isinstance(one.ok, str | list) for one in outcome.answers)
        changes = (
            told
            or any(one.event != "settled" for one in outcome.seen)
            or _parts(outcome.configuration) != _parts(self.here)
        )
        return anyway or (changes and not refused) or self.chance.random() < 0.1

    def _releases(self) -> Iterator[Release]:
        seen: set[object] = set()
        for gate in self.here.world.gates:
            held = next((one for one in self.ground.holds if one.gate == gate.kind), None)
            if held is None or gate.outcome is not None or gate.silent:
                continue
            one = _release(gate, self._outcome(held))
            if _address(one) not in seen:
                seen.add(_address(one))
                yield one

    def _outcome(self, held: Held) -> Outcome:
        outcomes = (*held.settles[:1], *held.settles, *held.loops)
        return outcome_of(self.chance.choice(outcomes))

    # -- arming --------------------------------------------------------------------------------------------------

    def _arming(self, commands: tuple[AnyCommand, ...]) -> Iterator[AnyCommand]:
        """Holds that are not armed, and now and then a listener."""
        armed = {(hold.gate, hold.of) for hold in self.here.world.holds}
        for held in self.held:
            for of in self._held_for(held.gate, commands):
                if (held.gate, of) not in armed and (held.gate != "output" or not self._delivering(of)):
                    yield Hold(held.gate, of, sticky=self.sticky)
        if len(self.here.world.reactions) > 2:
            yield Disarm()
        elif self.ground.listeners and self.chance.random() < 0.15:
            listener = self.chance.choice(self.ground.listeners)
            react = self._listening(listener)
            if react is not None:
                yield react

    def _delivering(self, session: str) -> bool:
        """Its output waits: how many updates are behind the first is the system's own, so none of them is held."""
        return any(gate.kind == "output" and gate.of == session for gate in self.here.world.gates)

    def _held_for(self, gate: str, commands: tuple[AnyCommand, ...]) -> Iterator[str]:
        if gate not in BY_CALL:
            yield from dict.fromkeys((*self.uses.ids, *(one for _, one in self.uses.objects)))
            return
        for one in commands:
            if isinstance(one, LoadProvider):
                yield from (agent.label for agent in one.configured)
            elif (
                gate != "config_lookup"
                and (isinstance(one, Create | Resume) or (isinstance(one, Acp) and one.act in ("new", "load")))
                and not getattr(one, "sync", False)
            ):
                yield str(one.as_)

    def _listening(self, listener: Listener) -> React | None:
        then = tuple(one for given in listener.then if (one := self.uses.filled(given, self.here)) is not None)
        if len(then) < len(listener.then):
            return None
        on = self.chance.choice(listener.on or EVERYWHERE)
        of = self.chance.choice(self.uses.ids[-LATEST:])
        pattern: dict[str, object] = {"event": on, "of": of}
        if on == "task":
            pattern["of"] = self.uses.tasks[-1] if self.uses.tasks else "k0"
        elif on.startswith("gate "):
            gate = on.removeprefix("gate ")
            pattern = {"gate": gate} if gate in BY_CALL else {"gate": gate, "of": of}
        return React(pattern, then, listener.throw, listener.outcome)

    # -- looking -------------------------------------------------------------------------------------------------

    def look(self) -> None:
        """Read everything there is to read of what the walk is about."""
        if "read" not in self.profile.commands:
            return
        reads: list[AnyCommand] = [Read(agent=one) for one in self.uses.ids]
        reads += [Read(session=one) for one in dict.fromkeys(one for _, one in self.uses.objects)]
        reads += [Read(task=one) for one in self.uses.known_tasks(self.here)]
        if any(isinstance(one, Storage) for one in self.ground.acts):
            reads += [Storage("aside", one) for one in self.uses.ids]
        if "lookup" in self.profile.reads:
            reads += [Read(registry=True), Read(store="s1"), Read(owner="root"), Read(owner="f1")]
        self.perform(tuple(reads))

    def let_go(self) -> None:
        """Release gate after gate: what still waits then waits for ever."""
        for _ in range(RELEASES):
            releases = list(self._releases())
            if not releases or not self.perform((releases[0],)):
                return


def _address(one: AnyCommand) -> object:
    return tuple(getattr(one, member, None) for member in ("gate", "of", "turn", "call", "record", "listener"))


def _release(gate: OpenGate, outcome: Outcome) -> Release:
    return Release(gate.kind, gate.of, call=gate.call or None, with_=outcome)


def _parts(configuration: Configuration) -> tuple[Any, ...]:
    """A configuration without what is armed."""
    return configuration.world.gates, tuple(configuration[one] for one in configuration if one != "world")


def roam(ground: Ground, outlook: Outlook, profile: Profile, seed: str) -> tuple[Burst, ...]:
    """One walk, the same for the same seed."""
    chance = Random(seed)
    uses = Uses(chance, ground.names, ground.any_name, list(ground.names))
    roamer = Roamer(ground, outlook, chance, profile, uses, (start(dict(ground.policies)),))
    roamer.begin()
    for _ in range(chance.randint(8, 40)):
        if not roamer.step():
            break
        if chance.random() < 0.2:
            roamer.look()
    roamer.let_go()
    roamer.look()
    return tuple(roamer.bursts)
