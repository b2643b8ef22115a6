"""The scopes variant `latch` is explored in, as data; see `scope`. Its agents exist from the start.

What agents share is in `latch_scopes_system`.
"""

from __future__ import annotations

from lifecycle_model.commands import (
    Cancel,
    Create,
    Dispose,
    Inject,
    Maintenance,
    Outcome,
    Remove,
    Replace,
    Send,
    Steer,
    Watch,
    WhenIdle,
)
from lifecycle_model.scope import SELF, Act, Held, Listener, Role, Scope
from lifecycle_model.variants.latch_scopes_system import SYSTEM_SCOPES

SEND = Act(Send(SELF, ""))
QUIET = Act(Send(SELF, "", wakeup=False))
STEER = Act(Steer(SELF, ""))
INJECT = Act(Inject(SELF, ""))
CANCEL = Act(Cancel(SELF))
KEEP = Act(Cancel(SELF, "parent", keep_inbox=True))
WAIT = Act(WhenIdle(SELF, ""))
DISPOSE = Act(Dispose(SELF, as_=""))
CREATE = Act(Create(SELF, ""))
WORK = Act(Maintenance(SELF, "j1"), spends="job")

MODEL = Held("model", ("finish",))
JOB = Held("maintenance", ("ok", "fail"))
SCOPED = Held("scope", ("ok",), always=True)
TURN = (
    Held("assembly", ("ok", "fail")),
    Held("pre_step", ("ok", "reject", "fail")),
    Held("request", ("ok", "fail")),
    Held("model", ("finish", "error", "max_tokens"), loops=("chunk",)),
    Held("recovery", ("fail",), loops=("retry",)),
    Held("stopping", ("ok", "fail")),
)
TOOLS = Held("model", ("finish",), loops=(Outcome(tools=2),))
TOOL = Held("tool", ("ok", "fail"))
ONE_TOOL = Held("model", ("finish",), loops=(Outcome(tools=1),))
CONTEXT = Held("tool", (Outcome("ok", context=("k1",)),))


LISTENERS = (
    Listener((Send(SELF, ""),), spends="listener"),
    Listener((Steer(SELF, ""),), spends="listener"),
    Listener((Cancel(SELF, "parent"),), spends="listener"),
    Listener((Cancel(SELF, "parent"), Send(SELF, "")), spends="listener"),
    Listener((Cancel(SELF, "hook", keep_inbox=True),), spends="listener"),
    Listener((Dispose(SELF, as_=""),), spends="listener"),
    Listener(throw="sync", spends="listener"),
)

ANNOUNCED = ("session/created", "agent/created", "agent/session-start")
SETUP = Held("setup", ("ok", "commit_fail", "fail"))

AGENT_SCOPES: tuple[Scope, ...] = (
    Scope(
        "latch",
        "C",
        "send, steer, cancel with and without keep_inbox, when_idle; the model held",
        (Role(("a",), (SEND, STEER, CANCEL, KEEP, WAIT), (MODEL,)),),
        sets=("small", "standard"),
        most=(("m", 2), ("w", 1)),
    ),
    Scope(
        "latch-inbox",
        "Q",
        "quiet and waking input of every form, cancel; the model held",
        (Role(("a",), (SEND, QUIET, STEER, INJECT, CANCEL), (MODEL,)),),
        sets=("small", "standard"),
        most=(("m", 3),),
    ),
    Scope(
        "latch-turn",
        "Q",
        "every gate of a turn held with every outcome; steering and cancel",
        (Role(("a",), (SEND, STEER, CANCEL), TURN),),
        sets=("small", "standard"),
        most=(("m", 2),),
    ),
    Scope(
        "latch-tools",
        "Q",
        "a batch of two calls, with steering and cancels at every gate of it",
        (Role(("a",), (SEND, STEER, CANCEL), (TOOLS, TOOL)),),
        sets=("small", "standard"),
        most=(("m", 2),),
    ),
    Scope(
        "latch-context",
        "Q",
        "a call whose result comes with context, before and after an abort",
        (Role(("a",), (SEND, CANCEL, KEEP), (ONE_TOOL, CONTEXT)),),
        sets=("small", "standard"),
        most=(("m", 1),),
    ),
    Scope(
        "latch-maintenance",
        "S",
        "maintenance jobs among sends, cancels and when_idle",
        (Role(("a",), (WORK, SEND, INJECT, CANCEL, KEEP, WAIT), (MODEL, JOB)),),
        sets=("small", "standard"),
        budgets=(("job", 1),),
        most=(("m", 2), ("w", 1)),
    ),
    Scope(
        "latch-teardown",
        "T",
        "disposal at every point, its scope held; what comes after it",
        (Role(("a",), (SEND, INJECT, CANCEL, WAIT, DISPOSE), (MODEL, SCOPED)),),
        sets=("small", "standard"),
        most=(("m", 2), ("w", 1), ("d", 2)),
    ),
    Scope(
        "latch-reactions",
        "C",
        "at every observation and gate one listener acts or throws; the model held",
        (Role(("a",), (SEND, STEER, CANCEL, KEEP, WAIT, DISPOSE), (MODEL,), LISTENERS),),
        budgets=(("listener", 1),),
        most=(("m", 2), ("w", 1), ("d", 2)),
    ),
    Scope(
        "latch-reactions-small",
        "C",
        "one message; at every observation and gate one listener acts or throws",
        (Role(("a",), (SEND, CANCEL, WAIT), (MODEL,), LISTENERS),),
        sets=("small",),
        budgets=(("listener", 1),),
        most=(("m", 1), ("w", 1), ("d", 1)),
    ),
    Scope(
        "latch-edits",
        "Q",
        "pending items are removed and replaced",
        (Role(("a",), (SEND, STEER, CANCEL, Act(Remove(SELF, "#m1")), Act(Replace(SELF, "#m1", "r1"))), (MODEL,)),),
        sets=("small", "standard"),
        most=(("m", 2),),
    ),
    Scope(
        "latch-vetoes",
        "L",
        "one dispatch validation fails, or a listener cancels in one",
        (
            Role(
                ("a",),
                (SEND, STEER, CANCEL, KEEP),
                (MODEL,),
                (
                    Listener(outcome="fail", on=("gate validation",), spends="listener"),
                    Listener((Cancel(SELF, "parent", keep_inbox=True),), on=("gate validation",), spends="listener"),
                ),
            ),
        ),
        sets=("small", "standard"),
        budgets=(("listener", 1),),
        most=(("m", 2),),
        watches=(Watch("validation"),),
    ),
    Scope(
        "latch-nobody",
        "Q",
        "what is asked of an agent that never was",
        (
            Role(
                ("a",),
                (SEND, CANCEL, WAIT, DISPOSE, WORK, Act(Remove(SELF, "m0")), Act(Replace(SELF, "m0", "r1"))),
                born=False,
            ),
        ),
        sets=("small", "standard"),
        budgets=(("job", 1),),
        most=(("m", 1),),
    ),
    Scope(
        "latch-refusals",
        "Q",
        "invalid input, an id that is pending, an unknown cause; edits inside a record's dispatch",
        (
            Role(
                ("a",),
                (Act(Send(SELF, "m0")), Act(Send(SELF, "", invalid=True)), Act(Cancel(SELF, "nobody")), CANCEL),
                (MODEL,),
                (
                    Listener((Remove(SELF, "m0"),), spends="listener"),
                    Listener((Replace(SELF, "m0", "r1"),), spends="listener"),
                    Listener((Maintenance(SELF, "j1"),), on=("agent/status",), spends="listener"),
                ),
            ),
        ),
        sets=("small", "standard"),
        budgets=(("listener", 1),),
        most=(("m", 1),),
    ),
    Scope(
        "latch-tool-reactions",
        "Q",
        "at every observation and gate of a batch one listener cancels or steers",
        (Role(("a",), (SEND, CANCEL), (TOOLS, TOOL), LISTENERS[1:3]),),
        sets=("small", "standard"),
        budgets=(("listener", 1),),
        most=(("m", 2),),
    ),
    Scope(
        "latch-birth",
        "P",
        "creations of one id, their setup held: commits, failures, and what comes right after the publication",
        (Role(("a",), (CREATE, SEND, WAIT), (SETUP, MODEL), born=False),),
        sets=("small", "standard"),
        most=(("m", 1), ("w", 1), ("h", 2)),
    ),
    Scope(
        "latch-birth-reactions",
        "P",
        "at every announcement one listener disposes the lifecycle on its stack, or throws; a start listener also prompts",
        (
            Role(
                ("a",),
                (CREATE, DISPOSE),
                (SETUP, MODEL),
                (
                    Listener((Dispose(SELF, as_="", same_stack=True),), on=ANNOUNCED, spends="listener"),
                    Listener((Dispose(SELF, as_=""),), on=ANNOUNCED, spends="listener"),
                    Listener(
                        (Send(SELF, ""), Dispose(SELF, as_="", same_stack=True)), on=ANNOUNCED[2:], spends="listener"
                    ),
                    Listener(throw="sync", on=ANNOUNCED, spends="listener"),
                ),
                born=False,
            ),
        ),
        sets=("small", "standard"),
        budgets=(("listener", 1),),
        most=(("m", 1), ("h", 1), ("d", 2)),
    ),
    Scope(
        "latch-rebirth",
        "T",
        "an id disposed and created again, its scope held",
        (Role(("a",), (CREATE, SEND, CANCEL, DISPOSE), (MODEL, SCOPED), born=False),),
        sets=("small", "standard"),
        most=(("m", 1), ("h", 1), ("d", 2), ("scope", 2)),
    ),
)

SCOPES: tuple[Scope, ...] = (*AGENT_SCOPES, *SYSTEM_SCOPES)
"""Those of agents, and those of whole systems."""
