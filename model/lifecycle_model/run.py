"""What one segment works on: the mutable workspace, what rows see of it, and what a segment gives. Performs nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from lifecycle_model.commands import AnyCommand, Outcome
from lifecycle_model.state import Configuration, OpenGate, World
from lifecycle_model.table import Row
from lifecycle_model.wire import Answer, Observation

OK = Answer(ok=None)


class ModelError(Exception):
    """The model was used wrongly, or a contract's rows do not fit together."""


class Endless(ModelError):
    """Listeners call each other without end (F3 forbids it)."""


@dataclass
class Run:
    """The mutable workspace of one segment."""

    engine: Any
    """The engine that performs it."""
    parts: dict[str, Any]
    late: bool = False
    either: bool = False
    """Whether a row asked for `late`: the contract allows both ways."""
    seen: list[Observation] = field(default_factory=list[Observation])
    fired: list[Row] = field(default_factory=list[Row])
    active: list[Any] = field(default_factory=list[Any])
    """The programs in progress, the innermost last."""
    said: list[tuple[int, Row]] = field(default_factory=list[tuple[int, Row]])
    depth: int = 0

    @property
    def world(self) -> World:
        """The environment's component."""
        world: World = self.parts["world"]
        return world

    @world.setter
    def world(self, world: World) -> None:
        self.parts["world"] = world


class Now:
    """What guards, effects and sayings see: the component now and as it was before the row, and the command."""

    __slots__ = ("_run", "answer", "before", "by", "command", "gate", "machine", "notes", "outcome", "subject")

    def __init__(
        self, run: Run, subject: str, command: AnyCommand | None, gate: OpenGate | None, outcome: Outcome
    ) -> None:
        """One program's view of the run."""
        self._run = run
        self.subject = subject
        self.by = ""
        """The component whose row runs this program, or nothing."""
        self.command: Any = command
        self.gate = gate
        self.outcome = outcome
        self.before: Any = None
        self.answer: Answer = OK
        self.notes: dict[str, Any] = {}
        self.machine = ""

    @property
    def it(self) -> Any:
        """The component as it is now."""
        return self._run.parts.get(self.subject)

    @property
    def of(self) -> str:
        """The public name of the component: what its observations are about."""
        return str(getattr(self.it, "name", self.subject))

    @property
    def late(self) -> bool:
        """Whether what the contract lets happen now or later happens later; both ways are possible."""
        self._run.either = True
        return self._run.late

    def part(self, name: str) -> Any:
        """Another component, or None."""
        return self._run.parts.get(name)

    def names(self, prefix: str) -> list[str]:
        """Every component whose name begins like this."""
        return sorted(name for name in self._run.parts if name.startswith(prefix))

    def put(self, name: str, part: object) -> None:
        """Replace another component (for effects that touch two)."""
        self._run.parts[name] = part

    @property
    def world(self) -> World:
        """The environment's component."""
        return self._run.world

    def policy(self, name: str, default: object = None) -> Any:
        """The value of an optional policy."""
        return self._run.world.policy(name, default)

    def drop(self) -> None:
        """Nothing is left of the component: for an effect that gives none."""
        self._run.parts.pop(self.subject, None)

    def note(self, name: str) -> Any:
        """What an earlier step of this program noted, or None."""
        return self.notes.get(name)

    def set_aside(self, subject: str = "") -> None:
        """Keep the component under a name of its own, with its gates and the programs in progress: its id is used again."""
        world = self._run.world
        old = subject or self.subject
        lives = sum(name.startswith(f"{old}~") for name in self._run.parts)
        name = f"{old}~{lives + 1}"
        for other in self._run.active:
            if other is not self and other.subject == old:
                other.subject = name
        self._run.parts[name] = self._run.parts[old]
        gates = tuple(replace(g, on=name) if (g.on or g.of) == old else g for g in world.gates)
        self._run.world = replace(world, gates=gates)

    def leave(self, kind: str) -> None:
        """The component's gates of a kind are there no more: nobody waits at them."""
        world = self._run.world
        gates = tuple(g for g in world.gates if g.kind != kind or (g.on or g.of) != self.subject)
        self._run.world = replace(world, gates=gates)

    def gates(self) -> list[OpenGate]:
        """The open gates of the component."""
        return [gate for gate in self._run.world.gates if (gate.on or gate.of) == self.subject]

    def close_scope(self, name: str) -> None:
        """A scope's listeners are gone with it."""
        world = self._run.world
        kept = tuple(armed for armed in world.reactions if armed.through != name)
        if len(kept) < len(world.reactions):
            self._run.world = replace(world, reactions=kept)

    def settle(self, ref: str, **answer: Any) -> None:
        """Settle a pending call."""
        self._run.seen.append(Observation("settled", of=ref, **(answer or {"ok": None})))


@dataclass(frozen=True)
class Segment:
    """The result of one segment."""

    configuration: Configuration
    seen: tuple[Observation, ...]
    answer: Answer
    rows: tuple[Row, ...]
    said: tuple[tuple[int, Row], ...] = ()
    """Index into `seen` of an observation with the row that says it."""
    either: bool = False
    """The contract lets something in it happen now or later; asked for with `late` it happens later."""
