"""The scopes suites of variant `latch` are made from, as data; see `scopes` for what a scope says."""

from __future__ import annotations

from dataclasses import replace

from lifecycle_conformance.scopes import LIVES, SuiteScope, _words

INPUTS = ("send", "quiet", "steer", "inject")
REACTIONS = ("send", "steer", "inject", "cancel", "cancel_keep", "dispose", "when_idle", "throw")

CREATION, OWNERS, CHILDREN, PROVIDER, RESUME = LIVES

LATCH_SCOPES: tuple[SuiteScope, ...] = (
    SuiteScope(
        "core",
        "one agent, its model held: queue, steer, cancel with and without keep_inbox, wait",
        {"model": ("finish", "error")},
        _words("send", "quiet", "steer", "inject", "cancel", "cancel_keep", "when_idle"),
        pending=1,
        inputs=INPUTS,
        reactions=REACTIONS,
    ),
    SuiteScope(
        "teardown",
        "disposal at every point, its scope held: what is drained and what parks",
        {"model": ("finish",), "scope": ("ok",)},
        _words("send", "inject", "cancel", "when_idle", "dispose"),
        pending=1,
        inputs=INPUTS,
        reactions=("send", "cancel", "dispose", "when_idle"),
    ),
    SuiteScope(
        "owed",
        "steps that end by max-tokens, and steps that owe results",
        {"model": ("finish", "max_tokens", "tools1")},
        _words("send", "steer", "cancel"),
        pending=1,
        steps=3,
        inputs=INPUTS,
        reactions=("steer", "cancel"),
    ),
    SuiteScope(
        "invalid",
        "input that is refused",
        {"model": ("finish",)},
        _words("send", "send_invalid", "inject_invalid", "cancel"),
        pending=1,
        inputs=INPUTS,
        reactions=("send_invalid", "send"),
    ),
    SuiteScope(
        "latch",
        "what an aborted activity latches, and what a further cancel clears",
        {"model": ("finish",)},
        _words(
            "send",
            "quiet",
            "steer",
            "inject",
            "cancel",
            "cancel_parent",
            "cancel_keep",
            "remove",
            "replace",
            "when_idle",
        ),
        inputs=INPUTS,
        reactions=("send", "steer", "inject", "cancel", "cancel_hook", "cancel_keep", "remove"),
    ),
    SuiteScope(
        "maintenance",
        "maintenance jobs: what they latch, how they end",
        {"model": ("finish",), "maintenance": ("ok", "fail")},
        _words("maintenance", "send", "inject", "cancel", "cancel_keep", "when_idle"),
        pending=1,
        inputs=INPUTS,
        reactions=("send", "cancel", "cancel_keep", "maintenance"),
    ),
    SuiteScope(
        "tools",
        "a batch of two calls: results with and without context, steering and cancellation in it",
        {"model": ("tools2", "finish"), "tool": ("ok", "fail", "ok_context"), "stopping": ("ok",)},
        _words("send", "steer", "inject", "cancel", "cancel_keep"),
        pending=1,
        inputs=INPUTS,
        reactions=("steer", "inject", "cancel", "throw"),
    ),
    SuiteScope(
        "segment",
        "two words in one segment: what follows a driver that started on its caller's stack",
        {"model": ("finish",)},
        _words("send", "steer", "inject", "cancel", "cancel_keep", "when_idle"),
        segments=2,
        inputs=INPUTS,
        reactions=("send", "cancel", "cancel_keep"),
    ),
    SuiteScope(
        "gates",
        "every gate of a turn held, every outcome",
        {
            "assembly": ("ok", "fail"),
            "pre_step": ("ok", "reject", "fail"),
            "request": ("ok", "fail"),
            "model": ("finish", "error", "max_tokens", "chunk", "tools1"),
            "recovery": ("fail", "retry"),
            "tool": ("ok", "fail"),
            "stopping": ("ok", "fail"),
        },
        _words("send", "steer", "cancel", "cancel_keep"),
        pending=1,
        inputs=INPUTS,
        reactions=("steer", "cancel", "throw"),
    ),
    replace(
        CREATION,
        about=f"{CREATION.about}, commits",
        gates={"setup": ("ok", "commit", "commit_fail", "fail")},
        reactions=("abort", "dispose", "dispose_lifecycle", "unload_provider", "throw"),
        seconds=("abort", "dispose_lifecycle", "unload_provider"),
    ),
    replace(OWNERS, gates={"setup": ("ok", "commit_fail"), "model": ("finish",), "scope": ("ok",)}, inputs=INPUTS),
    CHILDREN,
    replace(PROVIDER, inputs=INPUTS),
    RESUME,
)
