"""What a system answers with `unsupported` although its profile has the verb: probed in one run, then left out.

A profile names verbs and gates, not their members. Refuses to judge: what is left out is out of reach, not a violation.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import msgspec

from lifecycle_conformance.grounds import Ground
from lifecycle_conformance.scopes import SuiteScope
from lifecycle_conformance.systems.adapter import AdapterError, Run, System, run_all
from lifecycle_conformance.words import Namer, Word, command, release, verb
from lifecycle_model.commands import AnyCommand, Burst, Create, Disarm, Hold, React, Release
from lifecycle_model.scope import Listener
from lifecycle_model.wire import UNSET, Profile

AGENT = "a"
NOBODY = "zz"
"""An agent that never exists, so that a probing listener never acts."""
MODEL = "model"
"""The gate that every turn reaches."""
UNASKED = frozenset(
    {"create", "resume", "abort", "dispose", "tick", "hold", "unload_owner", "unload_provider", "load_provider"}
)
"""Verbs that are not probed: the scopes need them, or they would end the probe."""


@dataclass(frozen=True)
class Reach:
    """What is out of reach: words, outcomes of gates, events whose listeners cannot throw, the flag of a list."""

    words: frozenset[str] = frozenset()
    outcomes: frozenset[tuple[str, str]] = frozenset()
    unthrown: frozenset[str] = frozenset()
    lists_shown: bool = True
    """Inbox events say whether they are about steering."""


def probe(system: System, profile: Profile, scopes: Iterable[SuiteScope]) -> Reach:
    """Ask once for everything the scopes say at default policies; a system that cannot be run has everything in reach."""
    known = [scope for scope in scopes if not scope.policies]
    name = Namer()
    words = sorted(
        {word[0] for scope in known for word in scope.words} | {act for scope in known for act in scope.reactions}
    )
    asked = [
        word
        for word in words
        if verb((word,)) not in UNASKED and not word.startswith("throw") and verb((word,)) in profile.commands
    ]
    listens = "react" in profile.commands
    events = [one for one in profile.observations if listens and one not in ("gate", "heard", "settled", "fault")]
    gates = sorted(
        {
            (kind, word)
            for scope in known
            for kind, given in scope.gates.items()
            for word in given
            if kind in profile.gates
        }
    )
    arming: list[AnyCommand] = [React({"event": one, "of": NOBODY}, throw="sync", as_="probe") for one in events]
    if listens:
        arming += [
            React({"gate": kind, "of": NOBODY}, with_=release(name, NOBODY, ("release", kind, word)).with_, as_="probe")
            for kind, word in gates
        ]
    closing: tuple[AnyCommand, ...] = (Disarm(),) if "disarm" in profile.commands else ()
    saying = tuple(command(name, AGENT, (word,)) for word in asked)
    bursts = ((Create(AGENT, as_="h1"),), (*arming, *closing), saying)
    (results,) = run_all(system, [Run(bursts)])
    if isinstance(results, AdapterError):
        return Reach()
    refused = [answer.refused == "unsupported" for answer in results[1].calls]
    shown = [one.steering is not UNSET for one in results[2].seen if one.event == "agent/inbox/enqueue"]
    missing = {gate for gate, no in zip(gates, refused[len(events) :], strict=False) if no}
    if not listens:
        missing |= _unreleased(system, profile, [gate for gate in gates if gate[0] == MODEL])
    return Reach(
        frozenset(
            word for word, answer in zip(asked, results[2].calls, strict=True) if answer.refused == "unsupported"
        ),
        frozenset(missing),
        frozenset(event for event, no in zip(events, refused, strict=False) if no),
        all(shown),
    )


def _unreleased(system: System, profile: Profile, gates: list[tuple[str, str]]) -> set[tuple[str, str]]:
    """The outcomes a system without listeners does not know: each is given to a turn of its own."""
    if not {"hold", "release"} <= set(profile.commands):
        return set()
    name = Namer()
    bursts: list[Burst] = [(Create(AGENT, as_="h1"),)]
    for kind, word in gates:
        bursts.append((Hold(kind, AGENT, sticky=True), command(name, AGENT, ("send",))))
        # the second one ends the turn where the first was refused, or left it waiting
        bursts += [(release(name, AGENT, ("release", kind, word)),), (Release(kind, AGENT),)]
    (results,) = run_all(system, [Run(tuple(bursts))])
    if isinstance(results, AdapterError):
        return set()
    return {gate for gate, result in zip(gates, results[2::3], strict=True) if result.calls[0].refused == "unsupported"}


def within_reach(scope: SuiteScope, profile: Profile, reach: Reach | None = None) -> SuiteScope | None:
    """The part of a scope a system offers; None where too little is left."""
    lacks = reach or Reach()
    words = tuple(word for word in scope.words if verb(word) in profile.commands and word[0] not in lacks.words)
    if not any(word[0].startswith("create" if scope.lives else "send") for word in words):
        return None
    if (scope.stepped and not profile.ticks) or not set(scope.needs) <= set(profile.commands):
        return None
    if not all(offers(profile, name, value) for name, value in scope.policies.items()):
        return None
    gates: dict[str, tuple[str, ...]] = {}
    if "hold" in profile.commands:
        for kind, outcomes in scope.gates.items():
            kept = tuple(one for one in outcomes if (kind, one) not in lacks.outcomes)
            if kind in profile.gates and kept:
                gates[kind] = kept
    acts = tuple(act for act in scope.reactions if "react" in profile.commands and _within(act, profile, lacks))
    return replace(
        scope,
        words=words,
        gates=gates,
        reactions=acts,
        unthrown=tuple(sorted(lacks.unthrown)),
        lists_shown=lacks.lists_shown,
    )


def ground_within_reach(ground: Ground, system: System, profile: Profile) -> Ground | None:
    """The part of a ground that a system offers; None where a verb of it is lacking, or all it is about.

    What is answered with `unsupported` once is not asked again: each act is tried in one run.
    """
    verbs = {one.verb for one in (*ground.acts, *ground.first)}
    if not verbs <= set(profile.commands) or not all(offers(profile, *one) for one in ground.policies.items()):
        return None
    name = Namer()
    bursts: list[Burst] = [tuple(_tried(name, one) for one in ground.first)]
    bursts += [(_tried(name, one),) for one in ground.acts]
    (results,) = run_all(system, [Run(tuple(bursts), dict(ground.policies))])
    lacking: list[AnyCommand] = []
    if not isinstance(results, AdapterError):
        if any(answer.refused == "unsupported" for answer in results[0].calls):
            return None
        for one, result in zip(ground.acts, results[1:], strict=True):
            told = [answer.refused for answer in result.calls] + [seen.refused for seen in result.seen]
            if "unsupported" in told:
                lacking.append(one)
    acts = tuple(one for one in ground.acts if one not in lacking)
    listens = "react" in profile.commands
    listeners = tuple(one for one in ground.listeners if listens and _heard(one, profile))
    holds = tuple(one for one in ground.holds if one.gate in profile.gates) if "hold" in profile.commands else ()
    watches = tuple(one for one in ground.watches if one.gate in profile.gates and "watch" in profile.commands)
    return replace(ground, acts=acts, holds=holds, listeners=listeners, watches=watches) if acts else None


def _tried(name: Namer, command: AnyCommand) -> AnyCommand:
    """A command with names, so that it can be asked."""
    changes = {member: name.next("x") for member in ("as_", "message", "task") if getattr(command, member, None) == ""}
    return msgspec.structs.replace(command, **changes) if changes else command


def _heard(listener: Listener, profile: Profile) -> bool:
    """Whether the system shows, or has, all that a listener may act at, and can be asked what it does."""
    known = {*profile.observations, *(f"gate {gate}" for gate in profile.gates)}
    return set(listener.on) <= known and all(one.verb in profile.commands for one in listener.then)


def _within(act: str, profile: Profile, lacks: Reach) -> bool:
    word: Word = (act,)
    return act.startswith("throw") or (verb(word) in profile.commands and act not in lacks.words)


def offers(profile: Profile, name: str, value: object) -> bool:
    """Tell whether a system offers this value of an optional policy (one value, or a list to choose from)."""
    offered = profile.policies.get(name)
    return value in offered if isinstance(offered, list | tuple) else offered == value
