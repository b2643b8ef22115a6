"""The scopes of contract 1, as data. Each is about one topic; `lifecycle explore --scope NAME` visits one."""

from __future__ import annotations

from lifecycle_model.commands import Cancel, Create, Dispose, Inject, Outcome, Send, Steer, Watch, WhenIdle
from lifecycle_model.scope import OTHER, SELF, Act, Held, Listener, Role, Scope

SEND = Act(Send(SELF, ""))
QUIET = Act(Send(SELF, "", wakeup=False))
STEER = Act(Steer(SELF, ""))
CANCEL = Act(Cancel(SELF))
WAIT = Act(WhenIdle(SELF, ""))
FLUSH = Held("flush", ("ok", "fail"), always=True)

CANCELS = Scope(
    "cancel",
    "C",
    "one agent, send, steer, cancel and when_idle in every order; policy, model and flush held",
    (
        Role(
            ("a",),
            (SEND, STEER, CANCEL, WAIT),
            (Held("policy", ("allow",)), Held("model", ("finish",)), FLUSH),
        ),
    ),
    sets=("small",),
    most=(("m", 2), ("w", 1)),
)

def _reacting(*on: str) -> tuple[Listener, ...]:
    return (
        Listener((Send(SELF, ""),), on=on, spends="listener"),
        Listener((Steer(SELF, ""),), on=on, spends="listener"),
        Listener((Cancel(SELF, "parent"),), on=on, spends="listener"),
        Listener((Dispose(SELF),), on=on, spends="listener"),
        Listener((Inject(SELF, ""),), on=on, spends="listener"),
        Listener(throw="sync", on=on, spends="listener"),
    )


REACTIONS = Scope(
    "reactions",
    "C",
    "one agent; at every observation and gate one listener sends, steers, cancels, disposes, injects or throws",
    (
        Role(
            ("a",),
            (SEND, STEER, CANCEL, WAIT, Act(Dispose(SELF))),
            (Held("policy", ("allow",)), Held("model", ("finish",)), FLUSH),
            _reacting(),
        ),
    ),
    budgets=(("listener", 1),),
    most=(("m", 2), ("w", 1), ("d", 1)),
)
