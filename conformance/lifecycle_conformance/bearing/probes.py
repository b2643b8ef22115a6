"""Runs without expectation, for rows that no vector takes: refusals, joins, rare windows. Data; judges nothing."""

from __future__ import annotations

from typing import Any

import msgspec

from lifecycle_model.commands import Burst

Do = dict[str, Any]


def _do(verb: str, **members: Any) -> Do:
    given = {name.rstrip("_"): value for name, value in members.items()}
    return {"do": verb, **given}


def _create(ref: str, id_: str = "x", **more: Any) -> Do:
    return _do("create", as_=ref, id=id_, **more)


def _resume(ref: str, id_: str = "x", **more: Any) -> Do:
    return _do("resume", as_=ref, id=id_, **more)


def _send(message: str = "m1", agent: str = "x", **more: Any) -> Do:
    return _do("send", agent=agent, message=message, **more)


def _steer(message: str = "m2", **more: Any) -> Do:
    return _do("steer", agent="x", message=message, **more)


def _inject(message: str = "m9", agent: str = "x", **more: Any) -> Do:
    return _do("inject", agent=agent, message=message, **more)


def _hold(gate: str, of: str = "x", **more: Any) -> Do:
    return _do("hold", gate=gate, of=of, sticky=True, **more)


def _release(gate: str, of: str = "x", outcome: Any = "ok") -> Do:
    return {**_do("release", gate=gate, of=of), "with": outcome}


def _react(on: Do, *then: Do, **more: Any) -> Do:
    return _do("react", on=on, then=list(then), **more)


def _gives(gate: str, outcome: Any, of: str = "x", **more: Any) -> Do:
    return _react({"gate": gate, "of": of, **more}, **{"with": outcome})


def _vetoes(record: str) -> Do:
    return _gives("validation", "fail", record=record)


def _on(event: str, of: str = "x", **more: Any) -> Do:
    return {"event": event, "of": of, **more}


def _dispose(agent: str = "x", ref: str = "d1") -> Do:
    return _do("dispose", agent=agent, as_=ref)


def _cancel(agent: str = "x", **more: Any) -> Do:
    return _do("cancel", agent=agent, **more)


def _session(act: str, id_: str = "z", **more: Any) -> Do:
    return _do("session", act=act, id=id_, **more)


def _task(act: str, name: str = "t1", **more: Any) -> Do:
    return _do("task", act=act, task=name, **more)


def _acp(act: str, session: str | None = None, ref: str | None = None, message: str | None = None) -> Do:
    found = _do("acp", act=act, session=session, as_=ref, message=message)
    return {name: value for name, value in found.items() if value is not None}


OPENED = {"event": "turn/start", "turn": 1, "trigger": "plugin"}
NOTED = {"event": "user/message", "message": "mP"}
CLOSED = {"event": "turn/end", "turn": 1, "reason": "completed"}
PUT = _do("storage", act="put", id="x", records=[OPENED, NOTED, CLOSED])
TICK = _do("tick", agent="x")
READ = _do("read", agent="x")
OFF, ON = _do("storage", act="off"), _do("storage", act="on")
CONNECTED = [_acp("connect"), _acp("new", "x", "n1")]
DISCONNECT = _acp("disconnect", None, "q1")
UNLOAD = _do("unload_owner", fiber="f1", as_="u1")
UNLOADS = _do("unload_owner", fiber="f1", as_="u2")
X = [_create("h1")]
WATCHED = _do("watch", gate="assembly", of="x")

_RUNS: dict[str, list[list[Do]]] = {
    "no such parent": [[_create("h1", parent="zz")]],
    "synchronous resume": [[PUT, _resume("h1", sync=True)]],
    "a reference again": [[*X], [_dispose()], [_create("h1")], [_send()], [_dispose()]],
    "aborted in the queue of loads": [[PUT, _hold("load", "h1"), _resume("h1"), _resume("h2")], [_do("abort", ref="h2")], [_release("load", "h1")]],
    "aborted before a load that ignores it": [[PUT, _hold("load", "h1"), _resume("h1", signal="error")], [_release("load", "h1")]],
    "created while it loads": [[PUT, _hold("load", "h1"), _resume("h1")], [_create("h2")], [_release("load", "h1")]],
    "aborted while it loads": [[PUT, _do("hold", gate="load", of="h1"), _resume("h1")], [_do("abort", ref="h1")]],
    "a child of an agent that never was": [
        [_hold("scope", "y"), _hold("setup", "h1"), _react({"gate": "setup", "of": "h1"}, _create("h2", "y", parent="x")), *X],
        [_release("setup", "h1", "fail")],
        [_release("scope", "y")],
    ],
    "a failing scope of an agent that never was": [[_gives("setup", "fail", "h1"), _gives("scope", "fail"), *X]],
    "nobody": [
        [*X],
        [_send(agent="zz"), _inject(agent="zz"), _cancel("zz"), _do("when_idle", agent="zz", as_="w1"), _dispose("zz"), _do("abort", ref="h9")],
        [_cancel(cause="nobody"), _do("unload_provider", provider="p9", as_="u9"), _session("append", "zz", record=NOTED)],
    ],
    "a vetoed injection": [[*X], [_hold("model"), _send()], [_vetoes("user/message"), _inject(), READ]],
    "an injection with contexts": [[*X], [_inject(contexts=["k1", "k2"])], [_hold("model"), _send(), ], [_inject("m8", contexts=["k3"]), READ]],
    "cancelled between two turns": [
        [*X, _hold("driver")], [_send(), _send("m2")], [TICK], [TICK], [TICK], [_cancel(), READ], [TICK], [TICK, READ],
    ],
    "the marker with work behind it": [[*X], [_hold("flush"), _send(), _send("m2")], [_cancel(), _send("m3"), READ], [_release("flush"), READ]],
    "a vetoed block": [[*X], [_gives("policy", "block"), _vetoes("prompt/blocked"), _send()]],
    "steering at the top of a step": [[*X], [_hold("policy"), _send()], [_steer(contexts=["k1"])], [_release("policy", outcome="allow")]],
    "steering that is vetoed": [[*X], [_hold("policy"), _send()], [_vetoes("steering/message"), _steer()], [_release("policy", outcome="allow")]],
    "steering whose dequeue cancels": [
        [*X], [_hold("policy"), _send()], [_react(_on("agent/inbox/dequeue", steering=True), _cancel()), _steer()], [_release("policy", outcome="allow")],
    ],
    "steering after the body, vetoed": [[*X], [_hold("post_step"), _send()], [_vetoes("steering/message"), _steer()], [_release("post_step")]],
    "steering after the body whose dequeue cancels": [
        [*X], [_hold("post_step"), _send()], [_react(_on("agent/inbox/dequeue", steering=True), _cancel()), _steer()], [_release("post_step")],
    ],
    "steering whose validation cancels": [
        [*X],
        [_hold("post_step"), _send()],
        [_react({"gate": "validation", "of": "x", "record": "steering/message"}, _cancel()), _steer()],
        [_release("post_step")],
    ],
    "two steered at the top of a step": [[*X], [_hold("policy"), _send()], [_steer(), _steer("m3")], [_release("policy", outcome="allow")]],
    "validation behind a cancelled steering": [
        [*X, _do("watch", gate="validation", of="x")],
        [_hold("policy"), _send()],
        [_react(_on("agent/inbox/dequeue", steering=True), _cancel()), _steer()],
        [_release("policy", outcome="allow")],
        [_hold("post_step"), _send("m3")],
        [_react(_on("agent/inbox/dequeue", steering=True), _cancel()), _steer("m4")],
        [_release("post_step")],
    ],
    "an abort before the recovery's retry": [[*X, WATCHED], [_gives("model", "error"), _hold("recovery"), _send()], [_cancel()], [_release("recovery", outcome="retry")]],
    "an abort before a stop that steering overrides": [
        [*X, WATCHED], [_hold("post_step"), _hold("stopping"), _send()], [_steer()], [_release("post_step")], [_cancel()], [_release("stopping")],
    ],
    "an injection from deferred context": [
        [*X],
        [_gives("model", {"tools": 1}), _hold("tool"), _react(_on("user/message", message="k1"), _inject(), as_="l1"), _send()],
        [_release("tool", outcome={"outcome": "ok", "context": ["k1"]})],
    ],
    "the marker consumed at a wake": [[*X], [_hold("model"), _send(), _cancel(), READ, _send("m2")], [READ]],
    "the marker checked between turns": [
        [*X, _hold("driver"), _hold("flush")],
        [_send()],
        [TICK],
        [_send("m2"), _cancel(), _send("m3"), READ],
        [_release("flush")],
        [TICK],
        [READ],
        [TICK],
        [READ],
    ],
    "records logged during a flush": [
        [*X, _session("create", as_="e1")],
        [_hold("flush"), _send()],
        [_session("append", "x", record=NOTED)],
        [_release("flush"), READ],
        [READ],
        [_hold("flush"), _inject()],
        [_session("append", "x", record=NOTED)],
        [_release("flush")],
        [READ],
        [_hold("flush", "z"), _session("flush", as_="r1")],
        [_session("append", record=NOTED)],
        [_release("flush", "z")],
        [_do("read", session="z")],
        [_hold("flush", "z"), _session("append_out_of_band", as_="r2", record=NOTED)],
        [_session("append", record=NOTED)],
        [_release("flush", "z")],
        [_do("read", session="z")],
    ],
    "what is listed after a roll-back": [
        [_hold("scope"), _react(_on("session/created"), throw="sync"), *X], [_do("read", registry=True)], [_release("scope")], [READ, _send()],
    ],
    "what is listed after a roll-back that waited": [
        [_hold("flush"), _hold("scope"), _react(_on("session/created"), _inject(), throw="sync"), *X],
        [_release("flush")],
        [_do("read", registry=True)],
    ],
    "a reference again while its setup hangs": [
        [_hold("setup", "h1"), *X], [_do("abort", ref="h1")], [_hold("setup", "h1"), _create("h1", "y")], [_release("setup", "h1")],
    ],
    "what a queued load that was aborted reaches": [
        [PUT, _do("watch", gate="load"), _hold("load", "h1"), _resume("h1"), _resume("h2")], [_do("abort", ref="h2")], [_release("load", "h1", "fail")],
    ],
    "persistence goes while an agent lives": [[*X], [OFF], [_dispose()], [ON], [_resume("h2")]],
    "a log put over a live one": [[*X], [PUT], [_send()], [READ]],
    "a vetoed step": [[*X], [_vetoes("step/start"), _send()]],
    "a chunk": [[*X], [_hold("model"), _send()], [_release("model", outcome="chunk")], [_release("model", outcome="finish")]],
    "a vetoed answer": [[*X], [_vetoes("assistant/message"), _send()]],
    "vetoed context of a result": [
        [*X],
        [_gives("model", {"tools": 1}), _hold("tool"), _send()],
        [_vetoes("user/message"), _release("tool", outcome={"outcome": "ok", "context": ["k1", "k2"]})],
    ],
    "rolled back with a flush pending": [
        [_hold("flush"), _react(_on("session/created"), _inject(), throw="sync"), *X], [_release("flush")],
    ],
    "children outlive their parent's scope": [[*X, ], [_create("h2", "y", parent="x"), _hold("scope", "y")], [_dispose()], [_release("scope", "y")]],
    "unloads join": [[_create("h1", owner="f1"), _hold("scope")], [UNLOAD], [UNLOADS], [_release("scope")], [_do("unload_owner", fiber="f1", as_="u3")]],
    "provider unloads join": [
        [*X, _hold("scope")],
        [_do("unload_provider", provider="p1", as_="u1")],
        [_do("unload_provider", provider="p1", as_="u2")],
        [_release("scope")],
        [_do("unload_provider", provider="p1", as_="u3")],
    ],
    "a provider and its owner": [
        [_do("unload_provider", provider="p1", as_="u1")],
        [_do("load_provider", as_="p2", owner="f1")],
        [_create("h1"), _create("h2", "y", owner="f1")],
        [UNLOADS],
        [_do("load_provider", as_="p3", owner="f1"), _create("h3", "z")],
    ],
    "an unload with work behind it": [[_create("h1", owner="f1")], [UNLOAD, _send()]],
    "sessions refused": [
        [*X, _session("create", as_="e1")],
        [_session("create", as_="e2"), _session("create", "x", as_="e3"), _session("enter", "x"), _session("detach", "x"), _session("detach", "q")],
        [UNLOAD, _session("create", "q", as_="e4", owner="f1")],
    ],
    "objects that are not entered": [[*X, _session("prepare", as_="e1")], [_session("detach", as_="e1"), _dispose()], [_session("enter", "x")]],
    "a session vetoed at its creation": [
        [_react(_on("session/created", "z"), throw="sync"), _session("create", as_="e1")], [_session("append", as_="e1", record=NOTED)],
    ],
    "out of band refused": [
        [_session("create", as_="e1")],
        [_session("append_out_of_band", as_="r1", record={"event": "turn/end"})],
        [_react(_on("user/message", "z"), _session("append_out_of_band", as_="r2", record=NOTED)), _session("append", record=NOTED)],
        [_session("append", record=OPENED), _gives("validation", "fail", "z"), _session("append_out_of_band", as_="r3", record=NOTED)],
        [_react(_on("user/message", "z"), _session("detach")), _session("append_out_of_band", as_="r4", record=NOTED)],
    ],
    "out of band inside a-": [
        [*X],
        [_hold("flush"), _react(_on("agent/disposed"), _session("append_out_of_band", "x", as_="r1", record=NOTED)), _dispose()],
        [_release("flush")],
    ],
    "persistence goes": [[*X, PUT], [_send()], [OFF], [_do("storage", act="load", id="x")], [ON], [_dispose(), _do("storage", act="put", id="x", records=[1])]],
    "a log put over another": [[PUT], [_do("storage", act="put", id="x", records=[OPENED, CLOSED])], [_do("storage", act="load", id="x"), _do("storage", act="aside", id="x")]],
    "tasks that are over": [
        [_task("finish", "t9"), _task("start")], [_task("finish")], [_task("finish"), _task("abort"), _task("exit"), _task("kill")],
    ],
    "executors reloaded": [
        [_do("executor", act="load"), _task("start", resists=True)],
        [_do("executor", act="unload", as_="u1"), _do("executor", act="unload", as_="u2"), _task("start", "t2")],
        [_task("exit")],
        [_do("executor", act="unload", as_="u3"), _do("executor", act="load"), _task("start", "t2"), _do("read", task="t2")],
    ],
    "a killed task and the executor": [[_task("start")], [_task("kill")], [_do("executor", act="unload", as_="u1")]],
    "the tool reloaded": [[*X, _task("start", caller="x")], [_do("tool", act="unload")], [_do("tool", act="load")], [_task("finish")]],
    "a cancel behind a disconnect": [[*CONNECTED], [_hold("model"), _acp("prompt", "x", "p1", "m1")], [DISCONNECT, _acp("cancel", "x")]],
    "an update of a cancelled step": [
        [*CONNECTED], [_hold("output"), _hold("model"), _acp("prompt", "x", "p1", "m1")], [_acp("cancel", "x")], [_release("model", outcome="finish")],
    ],
    "a fresh id is not looked up": [
        [_do("unload_provider", provider="p1", as_="u1"), _do("watch", gate="config_lookup")], [_do("load_provider", as_="p2", configured=[{"label": "c1"}])],
    ],
    "a lookup that fails after the unload": [
        [_do("unload_provider", provider="p1", as_="u1")],
        [_hold("config_lookup", "c1"), _do("load_provider", as_="p2", configured=[{"label": "c1", "id": "x"}])],
        [_do("unload_provider", provider="p2", as_="u2")],
        [_release("config_lookup", "c1", "fail")],
    ],
    "disconnected with work behind it": [[*CONNECTED, ], [_acp("connect"), DISCONNECT, _send()]],
    "a handle that comes too late": [
        [*X, _acp("connect")], [_react(_on("turn/start"), DISCONNECT), _acp("new", "y", "n1"), _send(), ],
    ],
    "disposed by another, then disconnected": [[*CONNECTED], [_dispose()], [DISCONNECT], [_acp("connect"), _acp("load", "x", "n2")]],
    "disconnected during the replay": [
        [*CONNECTED], [_acp("prompt", "x", "p1", "m1")], [_dispose()], [_hold("output"), _acp("load", "x", "n2")], [DISCONNECT],
    ],
    "a record that is none, of a session that is gone": [
        [_session("create")], [_session("detach")], [_session("append_out_of_band", as_="r1", record={"event": "turn/end"})],
    ],
    "a live id that persistence met live, and its log": [
        [*X, _send()], [_do("storage", act="off")], [_do("storage", act="on")], [_do("storage", act="load", id="x")],
    ],
    "disposed during the replay, then disconnected": [
        [*CONNECTED], [_acp("prompt", "x", "p1", "m1")], [_dispose()], [_hold("output"), _acp("load", "x", "n2")], [_dispose("x", "d2")], [DISCONNECT],
    ],
}  # fmt: skip

PROBES: tuple[tuple[str, dict[str, object], tuple[Burst, ...]], ...] = tuple(
    (f"probe: {name}", {}, tuple(msgspec.convert(burst, Burst) for burst in bursts)) for name, bursts in _RUNS.items()
)
"""Name, policies and bursts of each."""
