"""The scopes suites are made from, as data: which gates are held, which words are said, which reactions are armed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lifecycle_conformance.words import Word


def _words(*names: str) -> tuple[Word, ...]:
    return tuple((name,) for name in names)


@dataclass(frozen=True)
class SuiteScope:
    """A named bound. `gates` are always held (sticky) with the outcomes they are released with."""

    name: str
    about: str
    gates: Mapping[str, tuple[str, ...]]
    words: tuple[Word, ...]
    segments: int = 1
    """Words performed in one segment at most."""
    seconds: tuple[str, ...] = ()
    """Words that may follow a release or a creation in one segment."""
    begins: tuple[Word, ...] = (("create",),)
    """What is said before anything else."""
    lives: bool = False
    """Creations, owners, providers and a child are part of a class, and the agent need not exist."""
    needs: tuple[str, ...] = ()
    """Verbs without which the scope is out of reach."""
    creations: int = 1
    """Creations in all, where they are words."""
    pending: int = 2
    """Items pending at most."""
    waiters: int = 1
    injections: int = 1
    steps: int = 2
    reactions: tuple[str, ...] = ()
    """What a reaction does: a word, `throw`, or `throw_async`."""
    policies: Mapping[str, object] = field(default_factory=dict[str, object])
    stepped: bool = False
    """The driver is held at its wakes (`ticks`)."""
    inputs: tuple[str, ...] = ("send", "quiet", "steer", "send_contexts", "steer_contexts")
    """The words after which an item more may be pending."""
    unthrown: tuple[str, ...] = ()
    """Events whose listeners throw nothing here: the system cannot be asked to."""
    lists_shown: bool = True
    """Inbox events say whether they are about steering."""

    @property
    def holds(self) -> tuple[tuple[str, str | None], ...]:
        """The gates held, with whose they are: where creations are words, whoever's comes."""
        return tuple((kind, None if self.lives else "a") for kind in self.gates)

    @property
    def together(self) -> tuple[str, ...]:
        """Gates entered together: what a listener of one of them finds done by the others is not the contract's."""
        return ("tool",) if self.policies.get("parallel_tools") == "on" else ()


REACTIONS = ("send", "steer", "cancel", "cancel_parent", "inject", "dispose", "when_idle", "read", "throw")
CORE = _words("send", "quiet", "steer", "cancel", "when_idle", "dispose")

TURNS: tuple[SuiteScope, ...] = (
    SuiteScope(
        "core",
        "one agent, its model held: queue, steer, cancel, wait, dispose",
        {"model": ("finish", "error")},
        CORE,
        pending=1,
        reactions=("send", "steer", "cancel", "dispose", "read", "throw"),
    ),
    SuiteScope(
        "segment",
        "two words in one segment, before the driver can act",
        {"model": ("finish",)},
        _words("send", "quiet", "steer", "inject", "cancel", "when_idle", "dispose"),
        segments=2,
        reactions=("send", "cancel", "dispose"),
    ),
    SuiteScope(
        "flush",
        "the model and the flush held: what happens between turn end and idle",
        {"model": ("finish",), "flush": ("ok", "fail")},
        _words("send", "quiet", "steer", "cancel", "when_idle", "inject", "dispose"),
        reactions=REACTIONS,
    ),
    SuiteScope(
        "gates",
        "every gate of a turn held, every outcome",
        {
            "policy": ("allow", "block", "fail"),
            "assembly": ("ok", "fail"),
            "prefix": ("ok", "fail"),
            "pre_step": ("ok", "fail"),
            "model": ("finish", "error", "max_tokens", "chunk", "tools1"),
            "recovery": ("fail", "retry"),
            "tool": ("ok", "fail"),
            "post_step": ("ok", "fail"),
            "continuation": ("default", "stop", "continue", "continue_reason", "fail"),
            "stopping": ("ok", "terminal", "fail"),
        },
        _words("send", "steer", "cancel", "inject", "dispose"),
        pending=1,
        reactions=("steer", "cancel", "dispose", "read", "throw"),
    ),
    SuiteScope(
        "tools",
        "a batch of two calls: results, injections, steering, cancellation in it",
        {"model": ("tools2", "finish"), "tool": ("ok", "fail", "ok_context"), "post_step": ("ok",)},
        _words("send", "steer", "inject", "cancel", "dispose"),
        pending=1,
        reactions=("steer", "inject", "cancel", "dispose", "read", "throw"),
    ),
    SuiteScope(
        "contexts",
        "contexts, invalid input and refusals",
        {"model": ("finish",)},
        (
            *_words("send_contexts", "steer_contexts", "inject_contexts"),
            *_words("send_invalid", "steer_invalid", "inject_invalid", "cancel", "dispose"),
        ),
        pending=1,
        reactions=("inject_contexts", "steer_contexts"),
    ),
    SuiteScope(
        "keep",
        "the keep_inbox policy",
        {"model": ("finish",)},
        _words("send", "quiet", "steer", "cancel", "cancel_keep", "dispose"),
        pending=2,
        segments=2,
        reactions=("send", "cancel_keep", "read"),
        policies={"keep_inbox": "on"},
    ),
    SuiteScope(
        "projected",
        "the status cancelling not published: what is read and shown instead",
        {"model": ("finish",), "flush": ("ok",)},
        _words("send", "steer", "cancel", "dispose"),
        pending=1,
        reactions=("steer", "cancel", "dispose", "read"),
        policies={"cancelling_published": "off"},
    ),
    SuiteScope(
        "parks",
        "input and cancels after disposal, where they are not refused",
        {"model": ("finish",)},
        _words("send", "steer", "inject", "cancel", "when_idle", "dispose"),
        pending=1,
        reactions=("send", "cancel", "dispose"),
        policies={"after_dispose": "parks", "cancel_after_dispose": "publishes"},
    ),
    SuiteScope(
        "parallel",
        "a batch of two calls run together: results as they come, all else behind them",
        {"model": ("tools2", "finish"), "tool": ("ok", "fail", "ok_context")},
        _words("send", "steer", "inject", "cancel", "dispose"),
        pending=1,
        reactions=("inject", "cancel", "dispose", "read"),
        policies={"parallel_tools": "on"},
    ),
    SuiteScope(
        "wakes",
        "the driver held at its wakes: the windows between its own segments",
        {"model": ("finish",)},
        _words("send", "quiet", "steer", "cancel", "when_idle", "inject", "tick", "dispose"),
        reactions=("send", "steer", "cancel", "dispose"),
        stepped=True,
    ),
)
"""One agent's turns: one life, its gates and its inbox."""

LIVES: tuple[SuiteScope, ...] = (
    SuiteScope(
        "creation",
        "creations on one id, their setup held: failures, aborts in the same segment, disposal of what is published",
        {"setup": ("ok", "tools", "fail")},
        _words("create", "abort", "dispose", "unload_provider"),
        reactions=("abort", "dispose", "unload_provider", "throw"),
        lives=True,
        needs=("dispose", "abort"),
        creations=2,
        seconds=("abort", "unload_provider"),
    ),
    SuiteScope(
        "owners",
        "an owner fiber: its unload among setups, turns and disposals, also in their segment",
        {"setup": ("ok", "fail"), "model": ("finish",), "scope": ("ok", "fail")},
        _words("create_owned", "unload_owner", "dispose", "send"),
        pending=1,
        reactions=("unload_owner", "dispose"),
        begins=(("create_owned",),),
        lives=True,
        needs=("unload_owner",),
        creations=2,
        seconds=("unload_owner",),
    ),
    SuiteScope(
        "children",
        "an agent created through another's ctx: disposals and unloads that meet, scopes and the model held",
        {"model": ("finish",), "scope": ("ok",)},
        _words("create_child", "dispose", "dispose_child", "unload_owner", "send_child"),
        reactions=("dispose", "dispose_child"),
        begins=(("create_owned",),),
        lives=True,
        needs=("unload_owner", "dispose"),
        creations=2,
    ),
    SuiteScope(
        "provider",
        "the provider unloaded and loaded again among creations, turns and disposals",
        {"model": ("finish",), "scope": ("ok",)},
        _words("create", "unload_provider", "load_provider", "dispose", "send"),
        pending=1,
        reactions=("unload_provider", "dispose"),
        lives=True,
        needs=("unload_provider", "load_provider"),
        creations=2,
        seconds=("unload_provider",),
    ),
    SuiteScope(
        "resume",
        "an id disposed, resumed and created again; loads and setups held, aborted, failing",
        {"load": ("ok", "missing", "fail"), "setup": ("ok", "fail")},
        _words("create", "resume", "abort", "dispose"),
        reactions=("abort", "dispose"),
        lives=True,
        needs=("resume", "dispose", "abort"),
        creations=3,
        seconds=("abort",),
    ),
)
"""Lives: creations, owners, children, the provider and resumes, of contract 1; the variant builds its own on these."""

SCOPES: tuple[SuiteScope, ...] = (*TURNS, *LIVES)


def of(contract: str) -> tuple[SuiteScope, ...]:
    """The scopes of a contract or variant."""
    if contract == "latch":
        from lifecycle_conformance.scopes_latch import LATCH_SCOPES

        return LATCH_SCOPES
    return SCOPES


def scope(name: str, contract: str = "1") -> SuiteScope:
    """A scope by name; KeyError lists nothing: the caller reports."""
    for one in of(contract):
        if one.name == name:
            return one
    raise KeyError(name)
