"""From abstract words to concrete commands: names are handed out in order, so equal histories are equal bytes.

A *word* is a tuple such as `("send",)` or `("release", "model", "finish")`. Refuses to know what a word does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from lifecycle_model.commands import (
    Abort,
    AnyCommand,
    Burst,
    Cancel,
    Create,
    Dispose,
    Hold,
    Inject,
    LoadProvider,
    Maintenance,
    Outcome,
    React,
    Read,
    Release,
    Remove,
    Replace,
    Resume,
    Send,
    Steer,
    Tick,
    UnloadOwner,
    UnloadProvider,
    WhenIdle,
)
from lifecycle_model.state import Agent, Configuration

Word = tuple[str, ...]

CHILD, FIBER = "b", "f1"
"""The agent created through another's ctx, and the owner fiber, that words are about."""
CREATION_GATES = frozenset({"setup", "load"})
"""Gates addressed by the reference of a creation."""


@dataclass
class Namer:
    """Hands out names: messages m1, m2…; references w1…, d1…, h1…. Knows what is pending, for words about it."""

    counts: dict[str, int] = field(default_factory=dict[str, int])
    pending: tuple[str, ...] = ()
    """What is pending when the burst begins, in order."""
    under_way: tuple[str, ...] = ()
    """The creations that wait at a gate when the burst begins, in order."""
    coming: bool = False
    """The burst creates: a reaction armed before it may be about that creation."""

    def next(self, kind: str) -> str:
        """The next name of a kind."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        return f"{kind}{self.counts[kind]}"

    def first(self) -> str:
        """The first pending message, or one that never was."""
        return self.pending[0] if self.pending else "m0"

    def creation(self) -> str:
        """The creation that a word is about: one under way, the one about to be asked for, or the last."""
        if self.under_way:
            return self.under_way[0]
        return f"h{self.counts.get('h', 0) + (1 if self.coming else 0)}"

    def provider(self) -> str:
        """The provider loaded last; the first one is there from the start."""
        return f"p{1 + self.counts.get('p', 0)}"

    def next_provider(self) -> str:
        """The name of one more provider."""
        self.counts["p"] = self.counts.get("p", 0) + 1
        return self.provider()


def release(name: Namer, agent: str, word: Word) -> Release:
    """The release of a held gate; its word is the gate's kind, an outcome, and whose it is, if not the agent's."""
    kind, outcome = word[1], word[2]
    agent = word[3] if len(word) > 3 else agent
    if kind in CREATION_GATES:
        agent = name.creation()
    if outcome.startswith("tools"):
        return Release(kind, agent, with_=Outcome("tools", tools=int(outcome[5:] or 1)))
    if outcome == "continue_reason":
        return Release(kind, agent, with_=Outcome("continue", reason=name.next("m")))
    if outcome == "ok_context":
        return Release(kind, agent, with_=Outcome("ok", context=(name.next("m"),)))
    return Release(kind, agent, with_=outcome)


def _two(name: Namer) -> tuple[str, str]:
    """The names of two contexts: enough to have an order."""
    return name.next("m"), name.next("m")


_BUILDERS: dict[str, Callable[[Namer, str, Word], AnyCommand]] = {
    "create": lambda name, agent, word: Create(id=agent, as_=name.next("h")),
    "create_owned": lambda name, agent, word: Create(id=agent, as_=name.next("h"), owner=FIBER),
    "create_sync": lambda name, agent, word: Create(id=agent, as_=name.next("h"), sync=True),
    "create_child": lambda name, agent, word: Create(id=CHILD, as_=name.next("h"), parent=agent),
    "resume": lambda name, agent, word: Resume(id=agent, as_=name.next("h")),
    "abort": lambda name, agent, word: Abort(name.creation()),
    "unload_owner": lambda name, agent, word: UnloadOwner(FIBER, as_=name.next("u")),
    "unload_provider": lambda name, agent, word: UnloadProvider(name.provider(), as_=name.next("u")),
    "load_provider": lambda name, agent, word: LoadProvider(name.next_provider()),
    "dispose_child": lambda name, agent, word: Dispose(agent=CHILD, as_=name.next("d")),
    "dispose_lifecycle": lambda name, agent, word: Dispose(agent=agent, as_=name.next("d"), same_stack=True),
    "send_child": lambda name, agent, word: Send(CHILD, name.next("m")),
    "send": lambda name, agent, word: Send(agent, name.next("m")),
    "quiet": lambda name, agent, word: Send(agent, name.next("m"), wakeup=False),
    "send_contexts": lambda name, agent, word: Send(agent, name.next("m"), contexts=_two(name)),
    "send_invalid": lambda name, agent, word: Send(agent, name.next("m"), invalid=True),
    "steer": lambda name, agent, word: Steer(agent, name.next("m")),
    "steer_contexts": lambda name, agent, word: Steer(agent, name.next("m"), contexts=_two(name)),
    "steer_invalid": lambda name, agent, word: Steer(agent, name.next("m"), invalid=True),
    "inject_contexts": lambda name, agent, word: Inject(agent, name.next("m"), contexts=_two(name)),
    "inject": lambda name, agent, word: Inject(agent, name.next("m")),
    "inject_invalid": lambda name, agent, word: Inject(agent, name.next("m"), invalid=True),
    "cancel": lambda name, agent, word: Cancel(agent),
    "cancel_parent": lambda name, agent, word: Cancel(agent, cause="parent"),
    "cancel_keep": lambda name, agent, word: Cancel(agent, keep_inbox=True),
    "cancel_hook": lambda name, agent, word: Cancel(agent, cause="hook"),
    "remove": lambda name, agent, word: Remove(agent, name.first()),
    "replace": lambda name, agent, word: Replace(agent, name.first(), name.next("m")),
    "maintenance": lambda name, agent, word: Maintenance(agent, as_=name.next("j")),
    "when_idle": lambda name, agent, word: WhenIdle(agent, as_=name.next("w")),
    "dispose": lambda name, agent, word: Dispose(agent=agent, as_=name.next("d")),
    "read": lambda name, agent, word: Read(agent=agent),
    "tick": lambda name, agent, word: Tick(agent),
    "hold_driver": lambda name, agent, word: Hold("driver", agent),
    "release": release,
}


def command(name: Namer, agent: str, word: Word) -> AnyCommand:
    """The concrete command of one word."""
    return _BUILDERS[word[0]](name, agent, word)


VERBS = {
    "create_owned": "create",
    "create_sync": "create",
    "create_child": "create",
    "dispose_child": "dispose",
    "dispose_lifecycle": "dispose",
    "send_child": "send",
    "quiet": "send",
    "send_contexts": "send",
    "send_invalid": "send",
    "steer_contexts": "steer",
    "steer_invalid": "steer",
    "inject_contexts": "inject",
    "inject_invalid": "inject",
    "cancel_parent": "cancel",
    "cancel_keep": "cancel",
    "cancel_hook": "cancel",
    "hold_driver": "hold",
}
"""The verb behind a word, where it is not the word itself."""


def verb(word: Word) -> str:
    """The protocol's verb a word needs."""
    return VERBS.get(word[0], word[0])


BYSTANDER = "by"
"""The name of the listener armed behind one that throws, and of one that reads: what it reads is told."""


@dataclass(frozen=True)
class Reacting:
    """A single armed reaction: when `on` is seen, the words are performed (or the listener throws)."""

    on: tuple[tuple[str, object], ...]
    words: tuple[Word, ...] = ()
    throw: str | None = None
    outcome: str | None = None
    agent: str = "a"

    def size(self) -> int:
        """The reaction and its commands; the bystander behind a throwing listener counts, too."""
        return 1 + len(self.words) + self.overheard

    @property
    def overheard(self) -> bool:
        """It is a listener that throws, not a gate: a bystander must hear the event all the same (S9)."""
        return self.throw is not None and dict(self.on).get("gate") is None


@dataclass(frozen=True)
class Label:
    """One burst in the abstract: words performed in one segment, behind an optional armed reaction."""

    words: tuple[Word, ...]
    reaction: Reacting | None = None

    def size(self) -> tuple[int, int]:
        """Commands, then reactions: what *shortest* counts."""
        return len(self.words), 0 if self.reaction is None else self.reaction.size()


def burst(
    name: Namer, agent: str, label: Label, holds: Iterable[tuple[str, str | None]], here: Configuration | None
) -> Burst:
    """The concrete burst in this configuration: arm what is not armed, then the reaction, then the words.

    A reaction's messages are named before the words' own, so that arming and acting read in order.
    """
    known = set() if here is None else {hold.gate for hold in here.world.holds}
    part = None if here is None else here.get(agent)
    name.pending = tuple(item.id for item in (*part.queued, *part.steering)) if isinstance(part, Agent) else ()
    gates = () if here is None else here.world.gates
    name.under_way = tuple(gate.of for gate in gates if gate.kind in CREATION_GATES and gate.outcome is None)
    name.coming = any(verb(word) in ("create", "resume") for word in label.words)
    commands: list[AnyCommand] = [Hold(kind, of, sticky=True) for kind, of in holds if kind not in known]
    if label.reaction is not None:
        commands += reactions(name, label.reaction)
    commands += [command(name, agent, word) for word in label.words]
    return tuple(commands)


def reactions(name: Namer, reaction: Reacting) -> Iterator[AnyCommand]:
    """The concrete reaction; a bystander behind it if it must be overheard."""
    then = tuple(command(name, reaction.agent, word) for word in reaction.words)
    looks = BYSTANDER if ("read",) in reaction.words else None
    yield React(on=dict(reaction.on), then=then, throw=reaction.throw, with_=reaction.outcome, as_=looks)
    if reaction.overheard:
        yield React(on=dict(reaction.on), as_=BYSTANDER)
