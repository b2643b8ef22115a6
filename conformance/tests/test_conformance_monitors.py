"""Every invariant's monitor, on a trace that keeps it and on the smallest ones that break it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lifecycle_conformance.failure.reading import read
from lifecycle_conformance.monitors import CARRIED, MONITORS, Finding, watch
from lifecycle_model.clauses import CLAUSES
from lifecycle_model.commands import (
    Acp,
    AnyCommand,
    Cancel,
    Create,
    Dispose,
    Executor,
    Hold,
    Json,
    Outcome,
    React,
    Read,
    Release,
    Send,
    Session,
    Steer,
    Task,
    UnloadProvider,
)
from lifecycle_model.wire import MEMBERS, Answer, Profile, TraceBurst

ALL = Profile(observations=tuple(event for event in MEMBERS if event != "session/event"), reads=("lookup", "inspect"))

OK = Answer(ok=None)
BORN = "s+ a+ start(startup)"
RUN = "status(running) deq(m1) TS(1) UM(m1) SS(1) AM(am1.1) SE(1) TE(1,completed) FL FL. status(idle)"
HELD = "status(running) deq(m1) TS(1) UM(m1) SS(1) <model>"


def burst(*commands: AnyCommand, seen: str = "", calls: Sequence[Answer] | None = None) -> TraceBurst:
    """A burst about agent a; commands without a given answer are answered ok."""
    given = tuple(calls) if calls is not None else tuple(answer(command) for command in commands)
    return TraceBurst(commands, given, read(seen, "a"))


def answer(command: AnyCommand) -> Answer:
    ref = getattr(command, "as_", None)
    if isinstance(ref, str) and not isinstance(command, React | Session):
        return Answer(pending=ref)
    return OK


def look(**inspect: Json) -> TraceBurst:
    """A burst that reads agent a's snapshot; what is not given is as in a parked agent."""
    snapshot = {"status": "idle", "queued": [], "steering": [], "marker": False, "holder": "none", **inspect}
    ok = {"status": snapshot["status"], "inspect": snapshot}
    return TraceBurst((Read(agent="a"),), (Answer(ok=ok),))


def listed(agents: Sequence[str], sessions: Sequence[str]) -> TraceBurst:
    """A burst that reads the registry and the store."""
    commands = (Read(registry=True), Read(store="s1"))
    return TraceBurst(commands, (Answer(ok={"agents": list(agents)}), Answer(ok={"sessions": list(sessions)})))


def found(*bursts: TraceBurst, profile: Profile = ALL, **policies: Json) -> list[Finding]:
    return watch(bursts, profile, policies)


def clauses(*bursts: TraceBurst, profile: Profile = ALL, **policies: Json) -> set[str]:
    return {finding.clause for finding in found(*bursts, profile=profile, **policies)}


CREATE = burst(Create(id="a"), seen=f'{BORN} h1="handle"')
SEND = Send("a", "m1")
GONE = "a- s- scope d1=null"


def test_there_is_one_monitor_for_every_safety_invariant() -> None:
    assert [monitor.clause for monitor in MONITORS] == [f"I{number}" for number in range(1, 22)]
    assert {monitor.clause for monitor in MONITORS} <= CLAUSES.keys()


GOOD: dict[str, list[TraceBurst]] = {
    "a plain turn": [CREATE, burst(SEND, seen=f"enq(m1) {RUN}"), look(), listed(["a"], ["a"])],
    "a cancelled turn": [
        CREATE,
        burst(Hold("model", "a"), SEND, seen=f"enq(m1) {HELD}"),
        burst(Send("a", "m2"), Cancel("a"), seen="enq(m2) creq(user) disc[m2] status(cancelling) abort(user)"),
        look(status="cancelling", holder="user", turn=1, step=1),
        burst(Cancel("a", cause="parent"), seen="creq(parent)"),
        burst(Hold("flush", "a"), Release("model", "a"), seen="SE(1) TE(1,aborted) FL"),
        look(status="cancelling"),
        burst(Release("flush", "a"), seen="FL. status(idle)"),
        look(),
    ],
    "a cancel before the claim": [
        CREATE,
        burst(SEND, Cancel("a"), seen="enq(m1) creq(user) disc[m1]"),
        burst(Cancel("a")),
    ],
    "an abandoned reservation": [
        CREATE,
        burst(
            React(on={"event": "agent/status"}, then=(Cancel("a"), Send("a", "m2"))),
            SEND,
            seen="enq(m1) status(running) creq(user) disc[m1] status(cancelling) abort(user) enq(m2)"
            " status(running) deq(m2) TS(1) UM(m2) SS(1) SE(1) TE(1,completed) FL FL. status(idle)",
        ),
    ],
    "steering that moves to the queue": [
        CREATE,
        burst(Hold("model", "a"), SEND, seen=f"enq(m1) {HELD}"),
        burst(
            React(on={"event": "turn/end"}, then=(Steer("a", "m3"),)),
            Send("a", "m2"),
            Release("model", "a"),
            seen="enq(m2) AM(am1.1) SE(1) TE(1,completed) enq(m3,steer) FL FL. deq(m2) TS(2) UM(m2) SS(1) SE(1)"
            " TE(2,completed) FL FL. deq(m3) TS(3) UM(m3) SS(1) SE(1) TE(3,completed) FL FL. status(idle)",
        ),
    ],
    "a batch of calls": [
        CREATE,
        burst(Hold("model", "a"), SEND, seen=f"enq(m1) {HELD}"),
        burst(
            Release("model", "a", with_=Outcome("tools", tools=2)),
            seen="AM(am1.1) TC(1.1.1) TR(1.1.1) TC(1.1.2) TR(1.1.2) UM(m9) SE(1) TE(1,completed) FL FL. status(idle)",
        ),
    ],
    "a vetoed turn start": [
        CREATE,
        burst(SEND, seen="enq(m1) status(running) deq(m1) err(1,0) status(idle)"),
        look(),
    ],
    "a disposal in a turn": [
        CREATE,
        burst(Hold("model", "a", sticky=True), SEND, seen=f"enq(m1) {HELD}"),
        burst(Send("a", "m2"), Dispose("a"), seen="enq(m2) disc[m2] abort(disposed) status(disposed)"),
        burst(Release("model", "a"), seen=f"SE(1) TE(1,disposed) FL FL. {GONE}"),
        listed([], []),
        burst(Create(id="a", as_="h2"), seen=f'{BORN} h2="handle"'),
        burst(Send("a", "m3"), seen="enq(m3) status(running) deq(m3) TS(1) TE(1,completed) FL FL. status(idle)"),
    ],
    "a cancel, then a disposal": [
        CREATE,
        burst(Hold("model", "a", sticky=True), SEND, seen=f"enq(m1) {HELD}"),
        burst(Cancel("a"), Dispose("a"), seen="creq(user) status(cancelling) abort(user) status(disposed)"),
        burst(Release("model", "a"), seen=f"SE(1) TE(1,disposed) FL FL. {GONE}"),
    ],
    "a failure that stays one": [
        CREATE,
        burst(Hold("model", "a"), SEND, seen=f"enq(m1) {HELD}"),
        burst(
            React(on={"event": "agent/error"}, then=(Cancel("a"),)),
            Release("model", "a", with_="error"),
            seen="SE(1) err(1,1) creq(user) status(cancelling) abort(user) TE(1,error) FL FL. status(idle)",
        ),
    ],
    "an injection while idle": [
        CREATE,
        burst(SEND, Hold("flush", "a"), seen=f"enq(m1) {RUN[: -len(' FL. status(idle)')]}"),
        burst(Send("a", "m2"), seen="enq(m2) TS(2,injection) UM(m9) TE(2,completed) FL"),
        burst(Release("flush", "a"), seen="FL. deq(m2) TS(3) TE(3,completed) FL FL. FL. status(idle)"),
    ],
    "a terminal stop": [
        CREATE,
        burst(Hold("stopping", "a"), SEND, seen=f"enq(m1) {HELD[:-8]} SE(1) <stopping>"),
        burst(Steer("a", "m2"), seen="enq(m2,steer)"),
        burst(Release("stopping", "a", with_="terminal"), seen="disc[m2*] TE(1,completed) FL FL. status(idle)"),
    ],
    "a rolled back creation": [
        burst(
            React(on={"event": "agent/created"}, throw="sync"),
            Create(id="a"),
            seen="s+ a+ a- s- scope h1=refused(value)",
        ),
        listed([], []),
    ],
    "a task and its owner": [
        CREATE,
        burst(Task("start", "t1", caller="a"), calls=[Answer(ok="t1")]),
        burst(Task("read", "t1", caller="b"), calls=[Answer(refused="foreign_task")]),
        TraceBurst((Read(task="t1"),), (Answer(ok={"status": "running", "owner_of": "a"}),)),
        burst(Task("exit", "t1"), seen="t1: task(completion)"),
    ],
    "a bridge": [
        burst(Acp("connect"), Acp("new", session="a", as_="n1"), seen=f"{BORN} n1=null"),
        burst(Acp("prompt", session="a", message="m1", as_="p1"), seen=f'enq(m1) {RUN} p1="end_turn"'),
        burst(Acp("disconnect", as_="q1"), seen="status(disposed) a- s- scope q1=null"),
    ],
    "a session of its own": [
        burst(Session("create", id="z"), seen="z: s+"),
        burst(
            React(on={"event": "user/message", "of": "z"}, then=(Session("detach", id="z"),), as_="l1"),
            Session("append", id="z", record={"event": "user/message", "message": "mP"}),
            seen="z: UM(mP) l1! s-",
        ),
    ],
}


@pytest.mark.parametrize("name", GOOD)
def test_a_trace_that_keeps_every_invariant_has_no_finding(name: str) -> None:
    assert found(*GOOD[name]) == []


IN_TURN = [CREATE, burst(Hold("model", "a", sticky=True), SEND, seen=f"enq(m1) {HELD}")]
ZS = burst(Session("create", id="z"), seen="z: s+")
STARTED = burst(Task("start", "t1", caller="a"), calls=[Answer(ok="t1")])
PROMPT = Acp("prompt", session="a", message="m1", as_="p1")
BRIDGED = burst(Acp("connect"), Acp("new", session="a", as_="n1"), seen=f"{BORN} n1=null")

BROKEN: dict[str, tuple[str, list[TraceBurst]]] = {
    "a status repeated": ("I1", [CREATE, burst(SEND, seen="enq(m1) status(running) status(running)")]),
    "idle as the first status": ("I1", [CREATE, burst(SEND, seen="status(idle)")]),
    "a status after disposed": ("I1", [CREATE, burst(Dispose("a"), seen="status(disposed) status(idle)")]),
    "two open turns": ("I2", [*IN_TURN, burst(seen="TS(2,injection)")]),
    "a turn that ends twice": ("I2", [CREATE, burst(SEND, seen=f"enq(m1) {RUN} TE(1,completed)")]),
    "a step left open": ("I2", [*IN_TURN, burst(Release("model", "a"), seen="TE(1,completed)")]),
    "a step ended twice": ("I2", [*IN_TURN, burst(Release("model", "a"), seen="SE(1) SE(1)")]),
    "a turn number used again": (
        "I2",
        [CREATE, burst(SEND, seen=f"enq(m1) {RUN}"), burst(seen="TS(1,injection) UM(m2) TE(1,completed)")],
    ),
    "a holder in an idle agent": ("I3", [CREATE, look(holder="live")]),
    "a holder after the turn end": (
        "I3",
        [CREATE, burst(Hold("flush", "a"), SEND, seen=f"enq(m1) {RUN[:-17]}"), look(status="running", holder="live")],
    ),
    "cancelling under a live holder": ("I4", [*IN_TURN, look(status="cancelling", holder="live")]),
    "cancelling after convergence": (
        "I4",
        [
            *IN_TURN,
            burst(Cancel("a"), seen="creq(user) status(cancelling) abort(user)"),
            burst(Release("model", "a"), seen="SE(1) TE(1,aborted) FL FL."),
        ],
    ),
    "cancelling and nothing aborted": ("I4", [*IN_TURN, burst(Cancel("a"), seen="creq(user) status(cancelling)")]),
    "a marker beside a holder": ("I5", [*IN_TURN, look(status="running", holder="live", marker=True)]),
    "a claim from an empty queue": ("I5", [CREATE, burst(seen="status(running) deq(m1)")]),
    "an item enqueued twice": ("I6", [CREATE, burst(SEND, seen="enq(m1) enq(m1)")]),
    "an item discarded twice": (
        "I6",
        [CREATE, burst(SEND, Cancel("a"), seen="enq(m1) creq(user) disc[m1] disc[m1]")],
    ),
    "an item dequeued twice": ("I6", [CREATE, burst(SEND, seen="enq(m1) status(running) deq(m1) TS(1) deq(m1)")]),
    "two claims for one turn": (
        "I7",
        [CREATE, burst(SEND, Send("a", "m2"), seen="enq(m1) enq(m2) status(running) deq(m1) deq(m2) TS(1)")],
    ),
    "a turn without a claim": ("I7", [CREATE, burst(SEND, seen="enq(m1) status(running) TS(1)")]),
    "the second first": (
        "I7",
        [CREATE, burst(SEND, Send("a", "m2"), seen="enq(m1) enq(m2) status(running) deq(m2) TS(1)")],
    ),
    "a turn before the flush": (
        "I7",
        [
            CREATE,
            burst(Hold("flush", "a"), SEND, Send("a", "m2"), seen=f"enq(m1) enq(m2) {RUN[:-17]} deq(m2) TS(2)"),
        ],
    ),
    "an idle cancel published": ("I8", [CREATE, burst(Cancel("a"), seen="creq(user)")]),
    "an idle cancel that sets the marker": ("I8", [CREATE, burst(Cancel("a")), look(marker=True)]),
    "an effective cancel in silence": ("I8", [*IN_TURN, burst(Cancel("a"))]),
    "the discard before the request": ("I8", [CREATE, burst(SEND, Cancel("a"), seen="enq(m1) disc[m1] creq(user)")]),
    "the inbox cleared after the abort": (
        "I8",
        [
            *IN_TURN,
            burst(Send("a", "m2"), Cancel("a"), seen="enq(m2) creq(user) status(cancelling) abort(user) disc[m2]"),
        ],
    ),
    "an inbox not cleared": ("I8", [CREATE, burst(SEND, Cancel("a"), seen="enq(m1) creq(user)")]),
    "the abort before the status": (
        "I8",
        [*IN_TURN, burst(Cancel("a"), seen="creq(user) abort(user) status(cancelling)")],
    ),
    "a cancel that aborts nothing": ("I8", [*IN_TURN, burst(Cancel("a"), seen="creq(user)")]),
    "an abort out of nothing": ("I8", [*IN_TURN, burst(seen="abort(user)")]),
    "a discard nobody asked for": ("I8", [*IN_TURN, burst(Send("a", "m2"), seen="enq(m2) disc[m2]")]),
    "a cancel after disposal": (
        "I8",
        [*IN_TURN, burst(Dispose("a"), Cancel("a"), seen="abort(disposed) status(disposed) creq(user)")],
    ),
    "a discarded item that runs": (
        "I9",
        [CREATE, burst(SEND, Cancel("a"), seen="enq(m1) creq(user) disc[m1] status(running) deq(m1) TS(1)")],
    ),
    "steering into an aborted turn": (
        "I9",
        [
            *IN_TURN,
            burst(Cancel("a"), seen="creq(user) status(cancelling) abort(user)"),
            burst(Release("model", "a"), seen="SM(m2) SE(1) TE(1,aborted)"),
        ],
    ),
    "a second reason": (
        "I10",
        [
            *IN_TURN,
            burst(Cancel("a"), seen="creq(user) status(cancelling) abort(user)"),
            burst(Cancel("a", cause="parent"), seen="creq(parent) abort(parent)"),
        ],
    ),
    "a reason that changes": (
        "I10",
        [
            *IN_TURN,
            burst(Cancel("a"), seen="creq(user) status(cancelling) abort(user)"),
            look(status="cancelling", holder="parent"),
        ],
    ),
    "a gate shown another reason": (
        "I10",
        [
            *IN_TURN,
            burst(Cancel("a"), seen="creq(user) status(cancelling) abort(user)"),
            burst(Release("model", "a"), seen="<post_step:parent>"),
        ],
    ),
    "an aborted turn that completes": (
        "I10",
        [
            *IN_TURN,
            burst(Cancel("a"), seen="creq(user) status(cancelling) abort(user)"),
            burst(Release("model", "a"), seen="SE(1) TE(1,completed)"),
        ],
    ),
    "a disposed turn that says aborted": (
        "I10",
        [
            *IN_TURN,
            burst(Dispose("a"), seen="abort(disposed) status(disposed)"),
            burst(Release("model", "a"), seen="SE(1) TE(1,aborted)"),
        ],
    ),
    "an aborted turn nobody aborted": ("I10", [*IN_TURN, burst(Release("model", "a"), seen="SE(1) TE(1,aborted)")]),
    "a failure that turns aborted": (
        "I10",
        [
            *IN_TURN,
            burst(
                React(on={"event": "agent/error"}, then=(Cancel("a"),)),
                Release("model", "a", with_="error"),
                seen="SE(1) err(1,1) creq(user) status(cancelling) abort(user) TE(1,aborted)",
            ),
        ],
    ),
    "a call without a result": (
        "I11",
        [*IN_TURN, burst(Release("model", "a"), seen="AM(am1.1) TC(1.1.1) SE(1) TE(1,completed)")],
    ),
    "context inside a batch": (
        "I11",
        [*IN_TURN, burst(Release("model", "a"), seen="AM(am1.1) TC(1.1.1) UM(m9) TR(1.1.1) SE(1) TE(1,completed)")],
    ),
    "an advertised call dropped": (
        "I11",
        [
            *IN_TURN,
            burst(
                Release("model", "a", with_=Outcome("tools", tools=2)),
                seen="AM(am1.1) TC(1.1.1) TR(1.1.1) SE(1) TE(1,completed)",
            ),
        ],
    ),
    "an agent without a session": ("I12", [burst(Create(id="a"), seen="a+ start(startup)")]),
    "two sessions of one id": ("I12", [CREATE, burst(Create(id="a", as_="h2"), seen="s+ a+ start(startup)")]),
    "an agent outliving its session": (
        "I12",
        [CREATE, burst(Dispose("a"), seen="status(disposed) s- a- scope d1=null")],
    ),
    "an agent listed without its session": ("I12", [CREATE, listed(["a"], [])]),
    "an agent listed twice": ("I12", [CREATE, listed(["a", "a"], ["a"])]),
    "an announcement before setup": (
        "I13",
        [
            burst(Hold("setup", "h1"), Create(id="a"), seen="h1: <setup>"),
            burst(Send("b", "m1"), seen="s+ a+ start(startup)"),
        ],
    ),
    "an announcement after the rejection": (
        "I13",
        [
            burst(Create(id="a"), seen="h1=refused(aborted)"),
            burst(Send("b", "m1"), seen="s+"),
        ],
    ),
    "an entry left by a failure": ("I13", [burst(Create(id="a"), seen="s+ a+ a- h1=refused(value)")]),
    "a failure still listed": ("I13", [burst(Create(id="a"), seen="h1=refused(setup_failed)"), listed(["a"], ["a"])]),
    "start before the agent": ("I14", [burst(Create(id="a"), seen="s+ start(startup) a+")]),
    "a status before start": ("I14", [burst(Create(id="a"), SEND, seen="s+ a+ enq(m1) status(running)")]),
    "a disposal announced twice": (
        "I14",
        [CREATE, burst(Dispose("a"), seen="status(disposed) a- a- s-")],
    ),
    "a disposal never begun": ("I14", [burst(Create(id="a"), seen="s+ a- s- h1=refused(value)")]),
    "an agent removed in its turn": (
        "I15",
        [*IN_TURN, burst(Dispose("a"), seen="abort(disposed) status(disposed) a- s-")],
    ),
    "an agent removed in a flush": (
        "I15",
        [CREATE, burst(Dispose("a"), seen="TS(1,injection) UM(m1) TE(1,completed) FL status(disposed) a- s-")],
    ),
    "a scope unwound too early": ("I15", [CREATE, burst(Dispose("a"), seen="status(disposed) scope a- s-")]),
    "a dispose that does not wait": (
        "I15",
        [*IN_TURN, burst(Dispose("a"), seen="abort(disposed) status(disposed) d1=null")],
    ),
    "a scope unwound too late": (
        "I15",
        [
            CREATE,
            burst(Hold("scope", "a"), Dispose("a"), seen="status(disposed) a- s- <scope> d1=null"),
            burst(Release("scope", "a"), seen="scope"),
        ],
    ),
    "a claim after disposal": (
        "I16",
        [CREATE, burst(SEND, Dispose("a"), seen="enq(m1) status(disposed) deq(m1)")],
    ),
    "a disposal nobody asked for": ("I16", [CREATE, burst(SEND, seen=f"enq(m1) {RUN} status(disposed) a- s-")]),
    "another agent's disposal": (
        "I16",
        [CREATE, burst(Create(id="b", as_="h2")), burst(Dispose("b"), seen="status(disposed) a- s-")],
    ),
    "a refused record that is there": (
        "I17",
        [
            ZS,
            burst(
                Session("append", id="z", record={"event": "user/message", "message": "mP"}),
                seen="z: UM(mP)",
                calls=[Answer(refused="vetoed")],
            ),
        ],
    ),
    "a returned append without a record": (
        "I17",
        [ZS, burst(Session("append", id="z", record={"event": "user/message", "message": "mP"}))],
    ),
    "a detach inside the dispatch": (
        "I17",
        [
            ZS,
            burst(
                React(on={"event": "user/message", "of": "z"}, then=(Session("detach", id="z"),), as_="l1"),
                Session("append", id="z", record={"event": "user/message", "message": "mP"}),
                seen="z: UM(mP) s- l1!",
            ),
        ],
    ),
    "an owner that changes": (
        "I18",
        [CREATE, STARTED, TraceBurst((Read(task="t1"),), (Answer(ok={"owner_of": "b"}),))],
    ),
    "a foreign kill served": ("I18", [CREATE, STARTED, burst(Task("kill", "t1", caller="b"))]),
    "an agentless read served": ("I18", [CREATE, STARTED, burst(Task("read", "t1"))]),
    "two completions": (
        "I19",
        [CREATE, STARTED, burst(Task("exit", "t1"), seen="t1: task(completion) task(completion)")],
    ),
    "a completion after the unload": (
        "I19",
        [CREATE, STARTED, burst(Executor("unload"), seen="t1: task(completion)")],
    ),
    "two prompts in flight": (
        "I20",
        [
            BRIDGED,
            burst(Hold("model", "a"), PROMPT, seen=f"enq(m1) {HELD}"),
            burst(Acp("prompt", session="a", message="m2", as_="p2"), seen="enq(m2)"),
        ],
    ),
    "a second prompt served": (
        "I20",
        [
            BRIDGED,
            burst(Hold("model", "a"), PROMPT, seen=f"enq(m1) {HELD}"),
            burst(Acp("prompt", session="a", message="m2", as_="p2"), seen='p2="end_turn"'),
        ],
    ),
    "a prompt settled twice": ("I20", [BRIDGED, burst(PROMPT, seen=f'enq(m1) {RUN} p1="end_turn" p1="end_turn"')]),
    "a prompt settled by another turn": (
        "I20",
        [BRIDGED, burst(Send("a", "m9"), PROMPT, seen=f'enq(m9) {RUN.replace("m1", "m9")} p1="end_turn"')],
    ),
    "a prompt settled before the flush": (
        "I20",
        [BRIDGED, burst(Hold("flush", "a"), PROMPT, seen=f'enq(m1) {RUN[:-17]} p1="end_turn"')],
    ),
    "an entry after quiescing": (
        "I21",
        [BRIDGED, burst(Acp("disconnect", as_="q1"), seen="status(disposed) a- q1=null")],
    ),
    "an agent after closing": (
        "I21",
        [
            burst(Acp("connect"), Acp("new", session="a", as_="n1")),
            burst(Acp("disconnect", as_="q1"), seen=f"{BORN}"),
        ],
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_trace_is_caught_by_its_invariant(name: str) -> None:
    clause, bursts = BROKEN[name]
    assert clause in clauses(*bursts)


def test_every_invariant_is_broken_by_some_trace() -> None:
    assert {clause for clause, _ in BROKEN.values()} == {monitor.clause for monitor in MONITORS}


def test_a_finding_says_where_and_what() -> None:
    [finding] = found(CREATE, burst(SEND, seen="enq(m1) status(running) status(running)"))
    assert finding == Finding("I1", 1, "a published status(running) though the last event was running already", 2)


@pytest.mark.parametrize("name", BROKEN)
def test_what_a_profile_does_not_show_is_not_judged(name: str) -> None:
    hidden = Profile(observations=("settled",), statuses=("idle", "running"))
    visible = [finding.clause for finding in found(*BROKEN[name][1], profile=hidden)]
    # what is left are a snapshot that contradicts itself, lists read, calls, and how often a prompt settles
    assert set(visible) <= {"I3", "I4", "I5", "I12", "I18", "I20"}


def test_another_contract_is_judged_by_what_it_carries() -> None:
    latch = Profile(observations=ALL.observations, contract="latch")
    assert "I7" not in clauses(*BROKEN["the second first"][1], profile=latch)
    assert "I2" in clauses(*BROKEN["two open turns"][1], profile=latch)
    assert found(*BROKEN["two open turns"][1], profile=Profile(ALL.observations, contract="unheard of")) == []
    assert CARRIED["latch"] < CARRIED["1"]


def test_a_projected_status_is_no_repeat() -> None:
    projected = [*IN_TURN, burst(Cancel("a"), seen="creq(user) abort(user)"), look(status="running", holder="user")]
    ended = [*projected, burst(Release("model", "a"), seen="SE(1) TE(1,aborted) FL FL. status(idle)")]
    assert found(*ended, cancelling_published="off") == []
    offered = Profile(observations=ALL.observations, policies={"cancelling_published": ["on", "off"]})
    assert "I8" in clauses(*ended, profile=offered)


def test_a_cancel_after_disposal_may_be_published_by_policy() -> None:
    _, bursts = BROKEN["a cancel after disposal"]
    assert clauses(*bursts, cancel_after_dispose="publishes") == set()


def test_a_kept_inbox_is_owed_to_nobody() -> None:
    kept = burst(
        Send("a", "m2"),
        Cancel("a", keep_inbox=True),
        seen="enq(m2) creq(user) status(cancelling) abort(user)",
    )
    assert found(*IN_TURN, kept, keep_inbox="on") == []


def test_an_id_may_live_again_after_its_session_is_gone() -> None:
    unload = burst(UnloadProvider(), seen="status(disposed) a- s- scope u1=null")
    again = burst(Create(id="a", as_="h2"), SEND, seen=f"{BORN} enq(m1) {RUN}")
    first = burst(SEND, seen=f"enq(m1) {RUN}")
    assert found(CREATE, first, unload, again) == []


def test_the_handle_of_a_former_life_says_nothing_of_the_next() -> None:
    gone = burst(Dispose("a", as_="d1"), seen=f"status(disposed) {GONE}")
    again = burst(Create(id="a", as_="h2"), seen=f'{BORN} h2="handle"')
    assert found(CREATE, gone, again, burst(Dispose(ref="h1", as_="d2"), seen="d2=null")) == []


def test_a_second_bridge_does_not_answer_for_the_first() -> None:
    closing = burst(Hold("scope", "a"), Acp("disconnect", as_="q1"), seen="status(disposed)")
    second = burst(Acp("connect"), Acp("disconnect", as_="q2"), seen="q2=null")
    assert found(BRIDGED, closing, second) == []


def test_equal_traces_have_equal_findings() -> None:
    bursts = [burst for _, broken in BROKEN.values() for burst in broken]
    assert found(*bursts) == found(*bursts)
