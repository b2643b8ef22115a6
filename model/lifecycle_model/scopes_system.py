"""The scopes of contract 1 about creation, teardown, sessions and storage: each explores a whole system.

The cell of such a scope has every component. Creations, unloads and records are drawn from budgets: what they leave
behind (an owner unloaded, a log stored) never goes away again.
"""

from __future__ import annotations

from lifecycle_model.cells import EACH
from lifecycle_model.commands import (
    Abort,
    Acp,
    AnyCommand,
    Cancel,
    ConfigAgent,
    Create,
    Dispose,
    Executor,
    Inject,
    LoadProvider,
    Outcome,
    Resume,
    Send,
    Session,
    Storage,
    Task,
    Tool,
    UnloadOwner,
    UnloadProvider,
    Watch,
)
from lifecycle_model.scope import Act, Held, Listener, Role, Scope

MODEL = Held("model", ("finish",))
LOAD = Held("load", ("ok", "missing", "fail"))
SETUP = Held("setup", ("ok", "fail"))
STUBBORN_LOAD = Held("load", ("ok",), sticky=True)
STUBBORN_SETUP = Held("setup", ("ok",), sticky=True)
MINT = Held("scope_mint", ("ok", "fail"), always=True)
SCOPE = Held("scope", ("ok", "fail"), always=True)
FLUSH = Held("flush", ("ok", "fail"), always=True)

CREATE = Act(Create("a", ""), "create")
RESUME = Act(Resume("a", ""), "create")
SEND = Act(Send("a", ""), "send")
DISPOSE = Act(Dispose("a", as_=""))
ABORT = Act(Abort(EACH))
UNLOAD = Act(UnloadOwner("root", ""), "unload")
UNLOAD_PROVIDER = Act(UnloadProvider("p1", ""), "unload")

CLOSED_LOG = ({"event": "turn/start", "turn": 1}, {"event": "turn/end", "turn": 1, "reason": "completed"})
OPEN_LOG = ({"event": "turn/start", "turn": 1}, {"event": "step/start", "turn": 1, "step": 1})
STORED = Storage("put", "a", CLOSED_LOG)
ALIVE = Create("a", "#h0", sync=True)

ANNOUNCED = ("session/created", "agent/created", "agent/session-start")
GONE = ("agent/disposed", "session/disposed")


def at(
    *on: str, then: tuple[AnyCommand, ...] = (), throw: str | None = None, outcome: str | Outcome | None = None
) -> Listener:
    """A listener that acts once."""
    return Listener(then, throw, outcome, on, "listener")


def whole(
    acts: tuple[Act, ...],
    holds: tuple[Held, ...] = (),
    listeners: tuple[Listener, ...] = (),
    also: tuple[str, ...] = (),
    first: tuple[AnyCommand, ...] = (),
    exact: bool = False,
) -> tuple[Role, ...]:
    """The one role of a whole system around the agent `a`."""
    return (Role(("a",), acts, holds, listeners, born=False, whole=True, also=also, first=first, exact=exact),)


TRIGGERS: tuple[tuple[AnyCommand, ...], ...] = (
    (Dispose("a", as_=""),),
    (UnloadOwner("root", ""),),
    (UnloadProvider("p1", ""),),
)


def session(
    act: str,
    name: str | None = None,
    id_: str | None = None,
    record: object = None,
    store: str | None = None,
    owner: str | None = None,
) -> Session:
    """A verb of a session; a call that may be pending has no name yet."""
    return Session(act, name, id_, owner, store, record)


MESSAGE = {"event": "user/message", "id": "r1"}
RESULT = {"event": "tool/result", "id": "r2"}
SYSTEM_SCOPES: tuple[Scope, ...] = (
    Scope(
        "create-race",
        "P",
        "two creations racing on one id, mint and setup held; aborts and an owner's unload",
        whole((CREATE, ABORT, UNLOAD, Act(Abort("nobody"))), (MINT, SETUP)),
        budgets=(("create", 2), ("unload", 1)),
    ),
    Scope(
        "load-race",
        "P",
        "a resume racing another resume or a creation of its id, load and setup held; aborts and a change of the log",
        whole(
            (RESUME, CREATE, ABORT, Act(Storage("put", "a", OPEN_LOG), "put")),
            (LOAD, SETUP),
            first=(STORED,),
            exact=True,
        ),
        budgets=(("create", 2), ("put", 1)),
    ),
    Scope(
        "stubborn-birth",
        "P",
        "loads and setups that ignore the signal: only a rejection ends the wait",
        whole((RESUME, ABORT, UNLOAD_PROVIDER), (STUBBORN_LOAD, STUBBORN_SETUP), first=(STORED,), exact=True),
        budgets=(("create", 2), ("unload", 1)),
    ),
    Scope(
        "triggers",
        "T",
        "the handle, the owner and the provider end an agent, in every order, at every step of its publication",
        whole(
            (CREATE, DISPOSE, UNLOAD, UNLOAD_PROVIDER),
            (SETUP, SCOPE),
            tuple(at(*ANNOUNCED, *GONE, then=then) for then in TRIGGERS),
        ),
        budgets=(("create", 1), ("unload", 2), ("listener", 1)),
        most=(("d", 2), ("u", 2)),
    ),
    Scope(
        "triggers-at-work",
        "T",
        "the same while a turn, its flush, an injection's flush or the scope is under way",
        whole(
            (SEND, Act(Inject("a", ""), "inject"), DISPOSE, UNLOAD, UNLOAD_PROVIDER),
            (MODEL, Held("flush", ("ok",), always=True), Held("scope", ("ok",), always=True)),
            first=(ALIVE,),
        ),
        budgets=(("send", 1), ("inject", 1), ("unload", 2)),
        most=(("d", 1), ("u", 2)),
    ),
    Scope(
        "children",
        "P",
        "an agent and its child, made through its ctx; either is ended, at any time",
        whole(
            (
                Act(Create("b", "", parent="a"), "create"),
                Act(Create("c", "", parent="nobody"), "create"),
                DISPOSE,
                Act(Dispose("b", as_="")),
                UNLOAD,
            ),
            (Held("setup", ("ok",)), Held("scope", ("ok",), always=True)),
            also=("b",),
            first=(ALIVE,),
        ),
        budgets=(("create", 1), ("unload", 1)),
        most=(("d", 2),),
    ),
    Scope(
        "child-in-setup",
        "P",
        "a child made through the ctx of an agent that is still set up, which fails or loses its owner",
        whole(
            (CREATE, Act(Create("b", "", parent="a"), "create"), UNLOAD),
            (SETUP, Held("scope", ("ok",), always=True)),
            also=("b",),
        ),
        budgets=(("create", 2), ("unload", 1)),
    ),
    Scope(
        "sync",
        "P",
        "synchronous creation, seeded, invalid or aborted before; at its gates and announcements one listener acts",
        whole(
            (
                Act(Create("a", "", sync=True), "create"),
                Act(Create("a", "", sync=True, invalid="seed"), "create"),
                Act(Create("a", "", sync=True, signal="late"), "create"),
                Act(Create("b", "again", sync=True, invalid="seed"), "create"),
                Act(Resume("a", "", sync=True), "create"),
                DISPOSE,
                UNLOAD,
            ),
            (Held("flush", ("ok",), always=True),),
            (
                at("gate scope_mint", outcome="fail"),
                at("gate setup", outcome="fail"),
                at("gate setup", outcome=Outcome("fail", value=True)),
                at("gate setup", then=(UnloadOwner("root", ""),)),
                at(*ANNOUNCED, throw="sync"),
                at(*ANNOUNCED, then=(Inject("a", ""),), throw="sync"),
                at(*ANNOUNCED, then=(Send("a", ""),), throw="sync"),
                at(*ANNOUNCED, then=(Inject("a", ""), UnloadOwner("root", ""))),
                at(*ANNOUNCED, then=(Dispose("a", as_=""),)),
            ),
            also=("b",),
        ),
        budgets=(("create", 2), ("unload", 1), ("listener", 1)),
        most=(("d", 1),),
        watches=(Watch("setup"), Watch("scope_mint")),
    ),
    Scope(
        "providers",
        "P",
        "a provider is unloaded, or its owner is; another registers while the old one may still quiesce",
        whole(
            (
                CREATE,
                Act(Create("b", "", owner="f1"), "create"),
                Act(LoadProvider("p2", "f1"), "load"),
                Act(LoadProvider("p1"), "load"),
                Act(UnloadProvider("p1", "")),
                Act(UnloadProvider("p2", "")),
                Act(UnloadProvider("p3", "")),
                Act(UnloadOwner("f1", "")),
                Act(UnloadOwner("root", "")),
            ),
            (SETUP, SCOPE),
            also=("b",),
        ),
        budgets=(("create", 1), ("load", 2)),
        most=(("u", 2),),
    ),
    Scope(
        "sessions",
        "L",
        "the verbs of a session made directly, while a second object is after its id",
        whole(
            (
                Act(session("prepare", "z1", "z"), "make"),
                Act(session("prepare", "z2", "z"), "make"),
                Act(session("enter", "z1")),
                Act(session("enter", "z2")),
                Act(session("announce", "z1")),
                Act(session("announce", "z2")),
                Act(session("append", "z1", record=MESSAGE)),
                Act(session("append", "z1", record={"event": "turn/end", "turn": 1, "reason": "completed"})),
                Act(session("detach", "z1")),
                Act(session("detach", "z2")),
                Act(session("flush", "", "z"), "flush"),
            ),
            (FLUSH,),
        ),
        budgets=(("make", 2), ("flush", 1)),
        most=(("store", 1),),
    ),
    Scope(
        "stores",
        "L",
        "two sessions of one id, each in a store of its own; the log is stored for the one announced last",
        whole(
            (
                Act(session("prepare", "z1", "z"), "make"),
                Act(session("prepare", "z2", "z"), "make"),
                Act(session("enter", "z1")),
                Act(session("enter", "z1", store="s2")),
                Act(session("enter", "z2", store="s2")),
                Act(session("announce", "z1")),
                Act(session("announce", "z2")),
                Act(session("detach", "z1")),
                Act(session("detach", "z2")),
                Act(session("flush", "", "z"), "flush"),
            ),
            (Held("flush", ("ok",), always=True),),
        ),
        budgets=(("make", 2), ("flush", 1)),
        most=(("store", 1),),
    ),
    Scope(
        "session-reactions",
        "L",
        "while a session is announced, appended to or used out of band one listener appends, detaches, unloads or throws",
        whole(
            (
                Act(session("create", "z1", "z", owner="f1"), "make"),
                Act(session("prepare", "z1", "z"), "make"),
                Act(session("enter", "z1"), "entry"),
                Act(session("announce", "z1")),
                Act(session("append", "z1", record={"event": "turn/start", "turn": 1, "trigger": "plugin"})),
                Act(session("append", "z1", record=MESSAGE)),
                Act(session("append_out_of_band", "", "z", MESSAGE), "aside"),
                Act(session("append_out_of_band", "", "z", RESULT), "aside"),
                Act(session("append_out_of_band", "", "z", {"event": 1}), "aside"),
                Act(session("detach", "z1")),
                Act(UnloadOwner("f1", ""), "unload"),
            ),
            (FLUSH,),
            (
                at(then=(session("append", "z1", record=MESSAGE),)),
                at(then=(session("append_out_of_band", "", "z", MESSAGE),)),
                at(then=(session("detach", "z1"),)),
                at(then=(UnloadOwner("f1", ""),)),
                at(throw="sync"),
                at("gate validation", outcome="fail"),
            ),
            exact=True,
        ),
        budgets=(("make", 1), ("entry", 1), ("aside", 2), ("unload", 1), ("listener", 1)),
        watches=(Watch("validation"),),
    ),
    Scope(
        "agent-session",
        "L",
        "session verbs on an agent's log: out of band, appended, flushed; the agent runs, is cancelled or disposed",
        whole(
            (
                SEND,
                Act(Dispose("a", as_=""), "dispose"),
                Act(session("append_out_of_band", "", "a", MESSAGE), "aside"),
                Act(session("flush", "", "a"), "flush"),
                Act(session("append", None, "a", MESSAGE), "aside"),
                Act(session("enter", None, "a")),
                Act(session("detach", None, "a")),
            ),
            (MODEL, Held("flush", ("ok", "fail"), always=True)),
            first=(ALIVE,),
        ),
        budgets=(("send", 1), ("aside", 2), ("flush", 1), ("dispose", 1)),
    ),
    Scope(
        "id-taken",
        "L",
        "a session made directly and an agent are after one id",
        whole(
            (
                Act(Create("a", "", sync=True), "create"),
                Act(session("create", "z1", "a"), "make"),
                Act(session("prepare", "z1", "a"), "make"),
                Act(session("enter", "z1"), "verb"),
                Act(session("announce", "z1"), "verb"),
                Act(session("detach", "z1"), "verb"),
                Act(Dispose("a", as_=""), "dispose"),
            ),
        ),
        budgets=(("create", 1), ("make", 1), ("verb", 3), ("dispose", 1)),
    ),
    Scope(
        "tasks",
        "O",
        "two tasks with and without owner; the tool and the executor are reloaded while they run",
        whole(
            (
                Act(Task("start", "k1", caller="a"), "start"),
                Act(Task("start", "k2", token=""), "start"),
                Act(Task("start", "k2", spawn="fail"), "start"),
                Act(Task("start", "k3", aborted=True)),
                Act(Task("start", "k3", background=False)),
                Act(Task("finish", "k1")),
                Act(Task("exit", "k1")),
                Act(Task("abort", "k2")),
                Act(Task("read", "k1", caller="a")),
                Act(Task("read", "k1")),
                Act(Task("kill", "k1", caller="a")),
                Act(Task("kill", "k2", token="")),
                Act(Tool("unload")),
                Act(Tool("load")),
                Act(Executor("unload", "")),
                Act(Executor("load"), "load"),
            ),
            first=(ALIVE,),
        ),
        budgets=(("start", 2), ("load", 1)),
        most=(("u", 1),),
    ),
    Scope(
        "resisting-task",
        "O",
        "a killed process that stays until it is ended by force; its owner is told at once or last, or is disposed",
        whole(
            (
                Act(Task("start", "k1", caller="a", resists=True), "start"),
                Act(Task("kill", "k1", caller="a")),
                Act(Task("exit", "k1"), sure=True),
                Act(Executor("unload", "")),
                Act(Tool("unload")),
                DISPOSE,
            ),
            (FLUSH,),
            (at("gate validation", outcome="fail"), at("task", then=(Dispose("a", as_=""),))),
            first=(ALIVE,),
        ),
        budgets=(("start", 1), ("listener", 1)),
        watches=(Watch("validation"),),
        most=(("u", 2), ("d", 1)),
    ),
    Scope(
        "bridge-close",
        "A",
        "one connection with a session; another is created and one loaded while the connection closes",
        whole(
            (
                Act(Acp("new", "a", as_=""), "new"),
                Act(Acp("load", "b", as_=""), "load"),
                Act(Acp("load", "c", as_=""), "load"),
                Act(Acp("prompt", "c", "", "")),
                Act(Acp("disconnect", as_="")),
                Act(Acp("teardown", as_="")),
            ),
            (Held("setup", ("ok", "fail")), Held("load", ("ok",)), Held("output", ("ok",), always=True)),
            also=("b",),
            first=(
                Acp("connect"),
                Acp("new", "b", as_="q8"),
                Send("b", "#m0"),
                Acp("disconnect", as_="q9"),
                Acp("connect"),
            ),
        ),
        budgets=(("new", 1), ("load", 1)),
        most=(("q", 3), ("m", 1)),
    ),
    Scope(
        "bridge-faults",
        "A",
        "a connection with two sessions closes, a scope disposer fails; it is opened again meanwhile",
        whole(
            (Act(Acp("disconnect", as_="")), Act(Acp("connect"), "connect"), Act(Acp("prompt", "a", "", ""))),
            (Held("scope", ("ok", "fail"), always=True),),
            also=("b",),
            first=(Acp("connect"), Acp("new", "a", as_="q8"), Acp("new", "b", as_="q9")),
        ),
        budgets=(("connect", 1),),
        most=(("q", 2), ("m", 1)),
    ),
    Scope(
        "bridge-prompts",
        "A",
        "two prompts of a session: cancels of the client and of others, output that waits or fails, a vetoed turn",
        whole(
            (
                Act(Acp("prompt", "a", "", ""), "prompt"),
                Act(Acp("cancel", "a")),
                Act(Cancel("a", "parent")),
                Act(Dispose("a", as_=""), "close"),
                Act(Acp("disconnect", as_=""), "close"),
            ),
            (Held("model", ("finish", "error")), Held("output", ("ok", "fail"), always=True)),
            (at("gate validation", outcome="fail"),),
            first=(Acp("connect"), Acp("new", "a", as_="q8")),
        ),
        budgets=(("prompt", 2), ("close", 1), ("listener", 1)),
        most=(("q", 2), ("m", 2)),
        watches=(Watch("validation"),),
    ),
    Scope(
        "bridge-others",
        "A",
        "a prompt among another party's messages, cancels and disposals; a scope disposer that fails while the connection is open",
        whole(
            (
                Act(Acp("prompt", "a", "", ""), "prompt"),
                SEND,
                Act(Cancel("a", "parent"), "cancel"),
                Act(Dispose("a", as_=""), "dispose"),
            ),
            (SCOPE,),
            (at("gate validation", outcome="fail"), at("agent/inbox/dequeue", then=(Cancel("a", "parent"),))),
            first=(Acp("connect"), Acp("new", "a", as_="q8")),
        ),
        budgets=(("prompt", 1), ("send", 1), ("cancel", 1), ("dispose", 1), ("listener", 1)),
        watches=(Watch("validation"),),
    ),
    Scope(
        "bridge-teardown",
        "A",
        "the bridge is torn down under a prompt: its client stays, or leaves; output waits or fails",
        whole(
            (
                Act(Acp("prompt", "a", "", ""), "prompt"),
                Act(Acp("teardown", as_=""), "teardown"),
                Act(Acp("disconnect", as_=""), "leave"),
                Act(Acp("connect"), "connect"),
            ),
            (MODEL, Held("output", ("ok", "fail"), always=True)),
            first=(Acp("connect"), Acp("new", "a", as_="q8")),
        ),
        budgets=(("prompt", 1), ("teardown", 1), ("leave", 1), ("connect", 1)),
    ),
    Scope(
        "bridge-late",
        "A",
        "a session loaded, and disposed by another party before the client hears of it, while the connection closes",
        whole(
            (
                Act(Acp("load", "b", as_=""), "load"),
                Act(Dispose("b", as_=""), "dispose"),
                Act(Acp("disconnect", as_=""), "close"),
            ),
            (Held("output", ("ok",), always=True),),
            also=("b",),
            first=(
                Acp("connect"),
                Acp("new", "b", as_="q8"),
                Send("b", "#m0"),
                Acp("disconnect", as_="q9"),
                Acp("connect"),
            ),
        ),
        budgets=(("load", 1), ("dispose", 1), ("close", 1)),
    ),
    Scope(
        "bridge-new",
        "A",
        "a session created, and disposed by another party before the client hears of it, while the connection closes",
        whole(
            (
                Act(Acp("new", "a", as_=""), "new"),
                Act(Dispose("a", as_=""), "dispose"),
                Act(Acp("disconnect", as_=""), "close"),
            ),
            first=(Acp("connect"),),
        ),
        budgets=(("new", 1), ("dispose", 1), ("close", 1)),
    ),
    Scope(
        "bridge-no-load",
        "policy session_load",
        "a bridge without session/load",
        whole((Act(Acp("connect")), Act(Acp("load", "a", as_="")), Act(Acp("disconnect", as_="")))),
        most=(("q", 1),),
        policies=(("session_load", "absent"),),
    ),
    Scope(
        "config",
        "G",
        "agents started by configuration, while predecessors leave and the provider is reloaded",
        whole(
            (
                Act(LoadProvider("p3", configured=(ConfigAgent("l1", id="a"),)), "load"),
                Act(LoadProvider("p3", configured=(ConfigAgent("l2", resume="a"),)), "load"),
                Act(LoadProvider("p3", configured=(ConfigAgent("l3"),)), "load"),
                Act(LoadProvider("p3", configured=(ConfigAgent("l4", id="a"), ConfigAgent("l5", resume="a"))), "load"),
                Act(UnloadProvider("p2", ""), "unload"),
                Act(UnloadProvider("p3", ""), "unload"),
                Act(Storage("off"), "put"),
                Act(Storage("on"), "put"),
            ),
            (Held("config_lookup", ("default", "fail"), always=True), Held("setup", ("ok", "fail"))),
            first=(UnloadProvider("p1", "u8"), LoadProvider("p2", configured=(ConfigAgent("l1", id="a"),))),
        ),
        budgets=(("load", 1), ("unload", 2), ("put", 2)),
    ),
    Scope(
        "storage",
        "D",
        "stored logs are put, loaded, repaired, kept aside, while an agent of the id is resumed, works and leaves",
        whole(
            (
                RESUME,
                SEND,
                Act(Dispose("a", as_=""), "dispose"),
                Act(Storage("put", "a", OPEN_LOG), "put"),
                Act(Storage("put", "a", ({"event": 1},))),
                Act(Storage("load", "a")),
                Act(Storage("aside", "a")),
            ),
            (Held("load", ("ok", "missing"), always=True), Held("flush", ("ok",), always=True)),
            exact=True,
        ),
        budgets=(("create", 2), ("send", 1), ("put", 1), ("dispose", 1)),
    ),
    Scope(
        "persistence",
        "D",
        "persistence goes and comes while an agent is created, resumed and disposed",
        whole(
            (
                CREATE,
                RESUME,
                Act(Dispose("a", as_=""), "dispose"),
                Act(Storage("load", "a")),
                Act(Storage("off"), "put"),
                Act(Storage("on"), "put"),
            ),
            (Held("load", ("ok",)),),
        ),
        budgets=(("create", 2), ("put", 2), ("dispose", 1)),
    ),
)
