"""What histories are made of, by contract: words, gates with their outcomes, and the events reactions listen to. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from lifecycle_conformance.reach import Reach
from lifecycle_conformance.words import verb
from lifecycle_model.wire import Profile


@dataclass(frozen=True)
class Vocabulary:
    """The words said alone, and those of them said several in one segment; the gates held; the events reacted to."""

    words: tuple[str, ...]
    together: tuple[str, ...]
    gates: tuple[str, ...]
    outcomes: Mapping[str, tuple[str, ...]]
    """Of a gate that has others than ok and fail."""
    events: tuple[str, ...]
    unthrown: frozenset[str] = frozenset()
    """Events whose listeners cannot throw."""


RECORDS = (
    "turn/start",
    "turn/end",
    "step/start",
    "step/end",
    "user/message",
    "steering/message",
    "assistant/message",
    "tool/call",
    "tool/result",
)
EVENTS = (
    "agent/status",
    "agent/inbox/enqueue",
    "agent/inbox/dequeue",
    "agent/inbox/discard",
    "agent/cancel-requested",
    "abort",
    "agent/error",
    *RECORDS,
    "session/flush",
)
MODEL = ("finish", "error", "max_tokens", "tools1", "tools2", "chunk")

CONTRACT_1 = Vocabulary(
    ("send", "quiet", "steer", "inject", "cancel", "cancel_parent", "when_idle", "send_contexts", "dispose"),
    ("send", "quiet", "steer", "inject", "cancel", "cancel_parent", "when_idle"),
    (
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
    ),
    {
        "policy": ("allow", "block", "fail"),
        "model": MODEL,
        "recovery": ("fail", "retry"),
        "tool": ("ok", "fail", "ok_context"),
        "continuation": ("default", "stop", "continue", "continue_reason", "fail"),
        "stopping": ("ok", "terminal", "fail"),
    },
    EVENTS,
)
LATCH = Vocabulary(
    (
        "send",
        "quiet",
        "steer",
        "inject",
        "cancel",
        "cancel_hook",
        "cancel_keep",
        "maintenance",
        "when_idle",
        "dispose",
    ),
    ("send", "quiet", "steer", "inject", "cancel", "cancel_keep", "maintenance", "when_idle"),
    ("assembly", "pre_step", "request", "model", "recovery", "tool", "stopping", "maintenance", "scope"),
    {
        "pre_step": ("ok", "reject", "fail"),
        "model": MODEL,
        "recovery": ("fail", "retry"),
        "tool": ("ok", "fail", "ok_context"),
        "scope": ("ok",),
    },
    tuple(event for event in EVENTS if event not in ("agent/cancel-requested", "steering/message", "session/flush")),
)
_VOCABULARIES = {"1": CONTRACT_1, "latch": LATCH}


def vocabulary(contract: str, profile: Profile, reach: Reach) -> Vocabulary:
    """What of a contract's vocabulary a system can be asked."""
    whole = _VOCABULARIES[contract]

    def said(words: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(word for word in words if verb((word,)) in profile.commands and word not in reach.words)

    return replace(
        whole,
        words=said(whole.words),
        together=said(whole.together),
        gates=tuple(gate for gate in whole.gates if gate in profile.gates),
        outcomes={
            gate: tuple(one for one in given if (gate, one) not in reach.outcomes)
            for gate, given in whole.outcomes.items()
        },
        events=tuple(event for event in whole.events if event in profile.observations),
        unthrown=reach.unthrown,
    )
