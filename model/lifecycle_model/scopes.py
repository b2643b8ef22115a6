"""The scopes of contract 1, as data. Each is about one topic; `lifecycle explore --scope NAME` visits one.

Messages, waiters and disposes are unlimited in number and limited at once (`most`): their names return when they are
forgotten, so what holds in a scope holds for runs of any length.
"""

from __future__ import annotations

from lifecycle_model.commands import (
    Cancel,
    Create,
    Dispose,
    Inject,
    Mutate,
    Outcome,
    Send,
    Steer,
    Tick,
    Watch,
    WhenIdle,
)
from lifecycle_model.scope import OTHER, SELF, Act, Held, Listener, Role, Scope, ScopeError
from lifecycle_model.scopes_system import SYSTEM_SCOPES

SEND = Act(Send(SELF, ""))
CONTEXTS = Act(Send(SELF, "", contexts=("k1",)))
QUIET = Act(Send(SELF, "", wakeup=False))
STEER = Act(Steer(SELF, ""))
STEERS = Act(Steer(SELF, "", contexts=("k1",)))
INJECT = Act(Inject(SELF, ""))
CANCEL = Act(Cancel(SELF))
WAIT = Act(WhenIdle(SELF, ""))
DISPOSE = Act(Dispose(SELF, as_=""))
CREATE = Act(Create(SELF, ""))

POLICY = Held("policy", ("allow",))
POLICIES = Held("policy", ("allow", "block", "fail"))
MODEL = Held("model", ("finish",))
MODELS = Held("model", ("finish", "error", "max_tokens"), loops=("chunk",))
TOOLS = Held("model", ("finish",), loops=(Outcome(tools=2),))
TOOL = Held("tool", ("ok", "fail", Outcome("ok", context=("k2",))))
FLUSH = Held("flush", ("ok", "fail"), always=True)
ASKS = (
    Held("assembly", ("ok", "fail")),
    Held("prefix", ("ok", "fail")),
    Held("pre_step", ("ok", "fail")),
    Held("recovery", ("fail",), loops=("retry",)),
    Held("post_step", ("ok", "fail")),
    Held("continuation", ("default", "stop", "fail"), loops=("continue", Outcome("continue", reason=""))),
    Held("stopping", ("ok", "terminal", "fail")),
)


ANNOUNCED = ("session/created", "agent/created", "agent/session-start", "agent/disposed", "session/disposed")


def _listening(*on: str) -> tuple[Listener, ...]:
    return tuple(
        Listener(then, throw, on=on, spends="listener")
        for then, throw in (
            ((Send(SELF, ""),), None),
            ((Steer(SELF, ""),), None),
            ((Cancel(SELF, "parent"),), None),
            ((Cancel(SELF, "parent"), Send(SELF, "")), None),
            ((Dispose(SELF, as_=""),), None),
            ((Inject(SELF, ""),), None),
            ((), "sync"),
        )
    )


SCOPES: tuple[Scope, ...] = (
    Scope(
        "cancel",
        "C",
        "send, steer, cancel and when_idle in every order; policy, model and flush held",
        (Role(("a",), (SEND, STEER, CANCEL, WAIT), (POLICY, MODEL, FLUSH)),),
        sets=("small", "standard"),
        most=(("m", 2), ("w", 1)),
    ),
    Scope(
        "quiet-items",
        "Q",
        "quiet and waking sends, cancel and when_idle; model and flush held",
        (Role(("a",), (SEND, QUIET, CANCEL, WAIT), (MODEL, FLUSH)),),
        most=(("m", 3), ("w", 1)),
    ),
    Scope(
        "tools",
        "Q",
        "a batch of two calls, with injections, steering and cancels at every gate of it",
        (Role(("a",), (SEND, STEER, INJECT, CANCEL), (TOOLS, TOOL, Held("post_step", ("ok",)))),),
        sets=("small", "standard"),
        most=(("m", 2), ("inject.flushed", 1)),
    ),
    Scope(
        "inject",
        "Q",
        "injections into idle, running and disposed agents, with failing flushes",
        (Role(("a",), (SEND, INJECT, CANCEL, WAIT, DISPOSE), (MODEL, FLUSH)),),
        most=(("m", 1), ("w", 1), ("d", 1), ("inject.flushed", 1)),
    ),
    Scope(
        "keep-inbox",
        "policy keep_inbox",
        "cancels that keep the inbox among cancels that do not; the policy on",
        (Role(("a",), (SEND, STEER, CANCEL, Act(Cancel(SELF, keep_inbox=True)), WAIT), (POLICY, MODEL, FLUSH)),),
        sets=("small", "standard"),
        most=(("m", 2), ("w", 1)),
        policies=(("keep_inbox", "on"),),
    ),
    Scope(
        "keep-inbox-off",
        "policy keep_inbox",
        "a cancel that would keep the inbox is refused; the policy off",
        (Role(("a",), (SEND, CANCEL, Act(Cancel(SELF, keep_inbox=True))), (MODEL,)),),
        sets=("small", "standard"),
        most=(("m", 1),),
    ),
    Scope(
        "refusals",
        "Q",
        "input that is refused: invalid messages, causes and agents that do not exist",
        (
            Role(
                ("a",),
                (
                    CREATE,
                    SEND,
                    Act(Inject(SELF, "", contexts=("k1",))),
                    CANCEL,
                    WAIT,
                    Act(Send(SELF, "", invalid=True)),
                    Act(Steer(SELF, "", invalid=True)),
                    Act(Inject(SELF, "", invalid=True)),
                    Act(Cancel(SELF, "nobody")),
                    Act(Mutate("m1")),
                    DISPOSE,
                ),
                (MODEL,),
                born=False,
            ),
        ),
        budgets=(),
        most=(("m", 1), ("w", 1), ("h", 1), ("d", 1), ("inject.flushed", 1)),
    ),
    Scope(
        "parked",
        "policy after_dispose",
        "sends and injections after disposal are kept and never run; the policy parks",
        (Role(("a",), (SEND, STEER, Act(Inject(SELF, ""), "inject"), CANCEL, WAIT, DISPOSE), (MODEL,)),),
        budgets=(("inject", 1),),
        most=(("m", 2), ("w", 1), ("d", 1)),
        policies=(("after_dispose", "parks"),),
    ),
    Scope(
        "late-cancel",
        "policy cancel_after_dispose",
        "cancels after disposal, published while a holder remains; the policy publishes",
        (Role(("a",), (SEND, CANCEL, DISPOSE), (Held("model", ("finish",), sticky=True),)),),
        most=(("m", 1), ("d", 1)),
        policies=(("cancel_after_dispose", "publishes"),),
    ),
    Scope(
        "parallel-tools",
        "policy parallel_tools",
        "a batch of two calls run together, with cancels and injections",
        (Role(("a",), (SEND, CANCEL, INJECT, DISPOSE), (TOOLS, TOOL)),),
        most=(("m", 2), ("d", 1), ("inject.flushed", 1)),
        policies=(("parallel_tools", "on"),),
    ),
    Scope(
        "ticks",
        "X",
        "the driver goes on by ticks only; commands between any two of its segments",
        (Role(("a",), (SEND, STEER, CANCEL, WAIT, DISPOSE, Act(Tick(SELF))), (MODEL, FLUSH), ticks=True),),
        most=(("m", 2), ("w", 1), ("d", 1)),
        lively=False,
    ),
    Scope(
        "birth",
        "P",
        "commands before and right after publication; the setup held",
        (Role(("a",), (CREATE, SEND, QUIET, STEER, CANCEL, WAIT), (Held("setup", ("ok",)), MODEL), born=False),),
        most=(("m", 2), ("w", 1), ("h", 1)),
    ),
    Scope(
        "birth-reactions",
        "P",
        "at every announcement and disposal one listener acts or throws; the setup may fail",
        (
            Role(
                ("a",),
                (CREATE, WAIT, DISPOSE),
                (Held("setup", ("ok", "fail")), MODEL, FLUSH),
                (*_listening(*ANNOUNCED), Listener((Send(SELF, ""), Cancel(SELF)), on=ANNOUNCED, spends="listener")),
                born=False,
            ),
        ),
        sets=("small", "standard"),
        budgets=(("listener", 1),),
        most=(("m", 2), ("w", 1), ("h", 1), ("d", 1)),
    ),
    Scope(
        "rebirth",
        "T",
        "an id disposed and created again, while its old scope may still unwind",
        (
            Role(
                ("a",),
                (CREATE, SEND, CANCEL, WAIT, DISPOSE),
                (Held("setup", ("ok",)), MODEL, Held("scope", ("ok",), always=True)),
                born=False,
            ),
        ),
        sets=("small", "standard"),
        most=(("m", 1), ("w", 1), ("h", 1), ("d", 2), ("scope", 2)),
    ),
    Scope(
        "turn",
        "Q",
        "every gate of a turn held with every outcome; one message, cancel and dispose",
        (Role(("a",), (CONTEXTS, CANCEL, DISPOSE), (POLICIES, MODELS, *ASKS, FLUSH)),),
        sets=("small", "standard"),
        most=(("m", 1), ("d", 1)),
    ),
    Scope(
        "steering",
        "Q",
        "every gate of a turn held with every outcome; steering, cancel and dispose",
        (Role(("a",), (SEND, STEERS, CANCEL, DISPOSE), (POLICIES, MODELS, *ASKS, FLUSH)),),
        most=(("m", 2), ("d", 1)),
    ),
    Scope(
        "stubborn",
        "C",
        "gates that ignore an abort: only the environment lets them go on",
        (
            Role(
                ("a",),
                (SEND, STEER, CANCEL, WAIT, DISPOSE),
                (
                    Held("policy", ("allow", "fail"), sticky=True),
                    Held("model", ("finish", "error"), loops=("chunk", Outcome(tools=1)), sticky=True),
                    Held("tool", ("ok", "fail"), sticky=True),
                    Held("recovery", ("fail",), loops=("retry",), sticky=True),
                    FLUSH,
                ),
            ),
        ),
        most=(("m", 2), ("w", 1), ("d", 1)),
    ),
    Scope(
        "reactions",
        "C",
        "at every observation and gate one listener acts or throws; policy, model and flush held",
        (Role(("a",), (SEND, STEER, CANCEL, WAIT, DISPOSE), (POLICY, MODEL, FLUSH), _listening()),),
        budgets=(("listener", 1),),
        most=(("m", 2), ("w", 1), ("d", 2), ("inject.flushed", 1)),
    ),
    Scope(
        "reactions-small",
        "C",
        "one message; at every observation and gate one listener acts or throws",
        (Role(("a",), (SEND, CANCEL, WAIT), (MODEL,), _listening()),),
        budgets=(("listener", 1), ("message", 1)),
        most=(("m", 2), ("w", 1), ("d", 1), ("inject.flushed", 1)),
    ),
    Scope(
        "tool-reactions",
        "Q",
        "at every observation and gate of a batch one listener acts or throws",
        (Role(("a",), (SEND, CANCEL, INJECT), (TOOLS, TOOL), _listening()),),
        budgets=(("listener", 1),),
        most=(("m", 2), ("d", 1), ("inject.flushed", 1)),
    ),
    Scope(
        "vetoes",
        "L",
        "one dispatch validation fails, or one listener acts in one",
        (
            Role(
                ("a",),
                (SEND, STEER, CANCEL, INJECT),
                (Held("policy", ("allow", "block")), TOOLS, TOOL, FLUSH),
                (
                    Listener(outcome="fail", on=("gate validation",), spends="listener"),
                    Listener((Cancel(SELF, "parent"),), on=("gate validation",), spends="listener"),
                    Listener((Dispose(SELF, as_=""),), on=("gate validation",), spends="listener"),
                    Listener((Dispose(SELF, as_=""),), outcome="fail", on=("gate validation",), spends="listener"),
                    Listener((Inject(SELF, ""),), on=("gate validation",), spends="listener"),
                ),
            ),
        ),
        budgets=(("listener", 1),),
        most=(("m", 2), ("d", 1), ("inject.flushed", 1)),
        watches=(Watch("validation"),),
    ),
    Scope(
        "nested",
        "C",
        "a listener cancels a reservation, and one of its discard steers while the status still reads running",
        (
            Role(
                ("a",),
                (SEND, QUIET, CANCEL, WAIT),
                (MODEL,),
                (
                    Listener((Cancel(SELF),), on=("agent/status",), spends="listener"),
                    Listener((Steer(SELF, ""),), on=("agent/inbox/discard",), spends="listener"),
                    Listener((Cancel(SELF, "parent"),), on=("agent/inbox/discard",), spends="listener"),
                ),
            ),
        ),
        budgets=(("listener", 2),),
        most=(("m", 2), ("w", 1)),
        depth=2,
    ),
    Scope(
        "pair",
        "C",
        "two alike agents; at any status or abort of one a listener cancels or prompts the other",
        (
            Role(
                ("a", "b"),
                (SEND, CANCEL),
                (MODEL,),
                (
                    Listener((Cancel(OTHER, "parent"),), on=("agent/status", "abort"), spends="listener"),
                    Listener((Send(OTHER, ""),), on=("agent/status", "abort"), spends="listener"),
                ),
            ),
        ),
        sets=("small", "standard"),
        budgets=(("listener", 1),),
        most=(("m", 1),),
    ),
    Scope(
        "pair-queues",
        "C",
        "two alike agents with two messages each; at an abort of one a listener cancels or prompts the other",
        (
            Role(
                ("a", "b"),
                (SEND, CANCEL),
                (MODEL,),
                (
                    Listener((Cancel(OTHER, "parent"),), on=("abort",), spends="listener"),
                    Listener((Send(OTHER, ""),), on=("abort",), spends="listener"),
                ),
            ),
        ),
        budgets=(("listener", 1),),
        most=(("m", 2),),
    ),
    Scope(
        "pairs",
        "C",
        "two alike agents with two messages each; a listener of one cancels, prompts, steers or disposes the other",
        (
            Role(
                ("a", "b"),
                (SEND, STEER, CANCEL, DISPOSE),
                (POLICY, MODEL, FLUSH),
                (
                    Listener((Cancel(OTHER, "parent"),)),
                    Listener((Send(OTHER, ""),)),
                    Listener((Steer(OTHER, ""),)),
                    Listener((Dispose(OTHER, as_=""),)),
                ),
            ),
        ),
        sets=("large",),
        most=(("m", 2), ("d", 1)),
    ),
    Scope(
        "quartet",
        "C",
        "four alike agents; at an abort of one a listener cancels or prompts another",
        (
            Role(
                ("a", "b", "c", "d"),
                (SEND, CANCEL),
                (MODEL,),
                (
                    Listener((Cancel(OTHER, "parent"),), on=("abort",), spends="listener"),
                    Listener((Send(OTHER, ""),), on=("abort",), spends="listener"),
                ),
            ),
        ),
        sets=("large",),
        budgets=(("listener", 1),),
        most=(("m", 1),),
    ),
    Scope(
        "chains",
        "C",
        "two listeners act in one segment",
        (Role(("a",), (SEND, CANCEL), (MODEL,), _listening()),),
        sets=("large",),
        budgets=(("listener", 2),),
        most=(("m", 2), ("d", 2), ("inject.flushed", 1)),
        depth=2,
    ),
)


EVERY: tuple[Scope, ...] = (*SCOPES, *SYSTEM_SCOPES)
"""Those of agents, and those of whole systems."""


def scope_named(name: str) -> Scope:
    """The scope of this name; raises ScopeError naming the known ones."""
    for scope in EVERY:
        if scope.name == name:
            return scope
    raise ScopeError(f"no scope {name!r}; known are {', '.join(scope.name for scope in EVERY)}")


def scopes_in(name: str) -> tuple[Scope, ...]:
    """The scopes of a set: small, standard or large."""
    found = tuple(scope for scope in EVERY if name in scope.sets)
    if not found:
        raise ScopeError(f"no set {name!r}; the sets are small, standard, large")
    return found
