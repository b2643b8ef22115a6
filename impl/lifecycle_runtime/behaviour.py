"""The gates of a turn as one overridable object. Every default lets the turn go on; nothing here has state."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from lifecycle_runtime.ports import ContextMessage
from lifecycle_runtime.signals import Signal
from lifecycle_runtime.values import JsonValue

if TYPE_CHECKING:
    from lifecycle_runtime.agent import Agent
    from lifecycle_runtime.inbox import Item


@dataclass(frozen=True)
class TurnView:
    """Where a gate was entered. `step` is the last step prepared, 0 before the first."""

    agent: "Agent"
    turn: int
    step: int
    signal: Signal


@dataclass(frozen=True)
class Allow:
    """Let the prompt through."""


@dataclass(frozen=True)
class Block:
    """Reject the prompt: the turn ends without a step (Q21)."""


@dataclass(frozen=True)
class Continue:
    """Ask for another step; a reason becomes a steering item with its own enqueue event (Q10)."""

    reason: JsonValue = None
    id: str | None = None
    contexts: tuple[ContextMessage, ...] = ()


@dataclass(frozen=True)
class Stop:
    """Let the turn come to its stop."""


PolicyDecision: TypeAlias = Allow | Block
ContinuationDecision: TypeAlias = Continue | Stop
RecoveryDecision: TypeAlias = Literal["fail", "retry"]
StopDecision: TypeAlias = Literal["ok", "terminal"]


class Behaviour:
    """Override what you need. Each method is a gate: it may wait, look at `view.signal`, or raise.

    A raising gate fails the turn, never the driver (Q22, Q25); an aborted turn ignores the outcome (C16).
    """

    async def prompt_policy(self, view: TurnView, item: "Item") -> PolicyDecision:
        """Decide whether the claimed message may run."""
        return Allow()

    async def assemble(self, view: TurnView) -> object:
        """Gather what the step's request needs besides the log; opaque to the runtime."""
        return None

    async def compose_prefix(self, view: TurnView) -> object:
        """Compose the stable head of every request; called only while none is cached (C22)."""
        return None

    async def pre_step(self, view: TurnView) -> None:
        """Last look before the step is logged."""

    async def recover(self, view: TurnView, error: Exception) -> RecoveryDecision:
        """Decide what a failed request leads to: `retry` opens the next step."""
        return "fail"

    async def post_step(self, view: TurnView) -> None:
        """Look at a finished body; entered under an aborted signal too if calls were advertised (C17)."""

    async def continuation(self, view: TurnView, default: ContinuationDecision) -> ContinuationDecision:
        """Decide whether another step follows; `default` continues after tool calls only."""
        return default

    async def turn_stop(self, view: TurnView) -> StopDecision:
        """Decide how the turn stops: `terminal` drops steering present then (Q11)."""
        return "ok"
