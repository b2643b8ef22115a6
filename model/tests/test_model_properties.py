"""Every property can fail: a contract with one broken row or program breaks exactly the property named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import pytest

from lifecycle_model.commands import (
    Acp,
    AnyCommand,
    Cancel,
    Create,
    Dispose,
    Executor,
    Inject,
    Outcome,
    Send,
    Session,
    Steer,
    Task,
    UnloadOwner,
    WhenIdle,
)
from lifecycle_model.contract1 import contract
from lifecycle_model.engine import Now
from lifecycle_model.explore import counterexample, explore, standard, unreached
from lifecycle_model.explorer import search
from lifecycle_model.ghost import Ghost, agreed, fold, rerouted, waking_pending
from lifecycle_model.possible import SITUATIONS
from lifecycle_model.rows import words as w
from lifecycle_model.scope import SELF, Act, Held, Listener, Role, Scope
from lifecycle_model.scopes import SCOPES
from lifecycle_model.table import END, Contract, Program, Row
from lifecycle_model.wire import Observation

SEND, STEER, CANCEL = Act(Send(SELF, ""), "send"), Act(Steer(SELF, ""), "send"), Act(Cancel(SELF), "cancel")
WAIT, DISPOSE, INJECT = (
    Act(WhenIdle(SELF, ""), "wait"),
    Act(Dispose(SELF, as_=""), "dispose"),
    Act(Inject(SELF, ""), "send"),
)
BUDGETS = (("send", 2), ("cancel", 2), ("wait", 1), ("dispose", 1), ("listener", 1))
MODEL, FLUSH = Held("model", ("finish",)), Held("flush", ("ok", "fail"), always=True)
TOOLS = Held("model", ("finish",), loops=(Outcome(tools=2),))


def scope_of(*acts: Act, holds: tuple[Held, ...] = (MODEL,), listeners: tuple[Listener, ...] = ()) -> Scope:
    return Scope("test", "test", "a test's own scope", (Role(("a",), acts, holds, listeners),), budgets=BUDGETS)


def row(name: str) -> Row:
    return next(one for one in contract().rows if one.id == name)


def program(name: str) -> Program:
    return next(one for one in contract().programs if one.id == name)


def rows(*changed: Row) -> Contract:
    return contract().overlay("broken", rows=changed)


def without(*names: str) -> Contract:
    return contract().overlay("broken", drop=names)


def reordered(name: str, *steps: str) -> Contract:
    return contract().overlay("broken", programs=[replace(program(name), steps=steps)])


def exchanged(name: str, one: str, other: str) -> Contract:
    """The contract with two steps of a program in each other's place."""
    places = {one: other, other: one}
    steps = tuple(places.get(step, step) for step in program(name).steps)
    return contract().overlay("broken", programs=[replace(program(name), steps=steps)])


def setting(name: str, **members: Any) -> Row:
    """The row with members of the component set on top of what it does."""
    old = row(name)

    def effect(now: Any) -> Any:
        after = old.effect(now) if old.effect is not None else now.it
        return msgspec.structs.replace(
            after, **{key: value(now) if callable(value) else value for key, value in members.items()}
        )

    return replace(old, effect=effect)


def silent(name: str) -> Row:
    return replace(row(name), says=())


def held(now: Now) -> bool:
    """The cancel found a holder, whatever its state."""
    return bool(now.note("held"))


def never(now: Now) -> bool:
    """Never."""
    return False


def marked(now: Now) -> bool:
    """The marker is set."""
    return bool(now.it.marker)


def tail(now: Now) -> Any:
    """The last queued item."""
    return now.before.queued[-1]


def all_but_tail(now: Now) -> Any:
    """The queue without its last item."""
    return now.before.queued[:-1]


def say(event: str, **members: Any) -> Callable[[Any], Observation]:
    return lambda now: Observation(event, of=now.subject, **members)


@dataclass(frozen=True)
class Broken:
    """A broken contract, the scope in which it shows, and the property it breaks."""

    id: str
    contract: Callable[[], Contract]
    scope: Scope


CREATE, ENTER = Act(Create("a", ""), "send"), Act(Session("enter", "z1"), "send")
PREPARE = Session("prepare", "z1", "z")


def system_of(*acts: Act, first: tuple[AnyCommand, ...] = ()) -> Scope:
    role = Role(("a",), acts, born=False, whole=True, first=first)
    return Scope("test-system", "test", "a test's own whole system", (role,), budgets=BUDGETS)


AT_STATUS = (Listener((Dispose(SELF, as_=""),), on=("agent/status",), spends="listener"),)

BIRTH = Scope(
    "test-birth", "test", "a create", (Role(("a",), (Act(Create(SELF, ""), "send"),), born=False),), budgets=BUDGETS
)

SAFETY = (
    Broken("I1", lambda: rows(replace(row("S/r20"), says=(w.status("idle"), w.status("idle")))), scope_of(SEND)),
    Broken("I1 readable", lambda: rows(setting("S/r6", status="idle")), scope_of(SEND)),
    Broken("I2", lambda: rows(silent("Q25 SE")), scope_of(SEND)),
    Broken("I3", lambda: rows(setting("S/r15", holder="live")), scope_of(SEND)),
    Broken("I4", lambda: without("C7 abort"), scope_of(SEND, CANCEL)),
    Broken("I5 marker", lambda: without("C9 consumed"), scope_of(SEND, CANCEL)),
    Broken("I5 claim", lambda: rows(replace(row("S/r8"), says=row("S/r8").says * 2)), scope_of(SEND)),
    Broken("I6", lambda: rows(replace(row("C10 clear"), says=(w.discarded, w.discarded))), scope_of(SEND, CANCEL)),
    Broken("I6 inbox", lambda: rows(replace(row("Q/r13"), effect=w.drop_steering)), scope_of(SEND, STEER, CANCEL)),
    Broken(
        "I7",
        lambda: rows(
            setting("S/r8", item=tail, queued=all_but_tail),
        ),
        scope_of(SEND),
    ),
    Broken(
        "I8",
        lambda: reordered(
            "cancel", "cancel.check", "cancel.enter", "cancel.request", "cancel.abort", "cancel.mark", "cancel.clear"
        ),
        scope_of(SEND, CANCEL),
    ),
    Broken("I9", lambda: without(*(one.id for one in contract().rows if one.id.startswith("C16/"))), scope_of(SEND, CANCEL)),
    Broken("I10 once", lambda: rows(replace(row("C7 abort"), guard=held)), scope_of(SEND, CANCEL)),
    Broken("I10 end", lambda: rows(setting("C18", closing="completed")), scope_of(SEND, CANCEL)),
    Broken("I10 injection", lambda: rows(replace(row("Q/r8 TE"), says=(say("turn/end", turn=1, reason="aborted"),))), scope_of(INJECT)),
    Broken("I11", lambda: rows(replace(row("C17 skipped"), says=row("C17 skipped").says[:1])), scope_of(SEND, CANCEL, holds=(TOOLS, Held("tool", ("ok",))))),
    Broken(
        "Q16",
        lambda: rows(replace(row("Q16 TC"), says=(*row("Q16 TC").says, say("tool/call", id="1.1.2")))),
        scope_of(SEND, holds=(TOOLS, Held("tool", ("ok",)))),
    ),
    Broken("I12 I13", lambda: rows(setting("P/r8", stored=False)), scope_of(SEND)),
    Broken(
        "I14",
        lambda: exchanged("publish", "publish.session", "publish.agent"),
        BIRTH,
    ),
    Broken("I15", lambda: rows(replace(row("T/r3"), guard=None), replace(row("S/r22 quiet"), guard=None)), scope_of(SEND, DISPOSE, INJECT, holds=(MODEL, FLUSH))),
    Broken(
        "I16",
        lambda: rows(replace(row("Q/r5 disposed"), guard=never), replace(row("Q/r1"), states=())),
        scope_of(SEND, DISPOSE),
    ),
    Broken("I12 ids", lambda: rows(replace(row("P/r4 live"), guard=never), replace(row("P/r7 taken"), guard=never)), system_of(CREATE)),
    Broken(
        "L6",
        lambda: rows(replace(row("L/r7 attached"), guard=never), replace(row("L/r6"), states=())),
        system_of(ENTER, Act(Session("enter", "z1", store="s2"), "send"), first=(PREPARE,)),
    ),
    Broken("I13 residue", lambda: rows(replace(row("R0"), runs="", on=None)), system_of(Act(Create("a", "", invalid="seed"), "send"))),
    Broken("P/r3 records", lambda: rows(replace(row("P/r3"), effect=None)), system_of(CREATE)),
    Broken("I13 owned", lambda: rows(replace(row("P/r12"), to="Released")), system_of(CREATE)),
    Broken("P13", lambda: rows(replace(row("V6 owner"), guard=None)), system_of(Act(UnloadOwner("root", ""), "send"), first=(Create("a", "#h0", sync=True),))),
    Broken("D buffering", lambda: without("D/r4 s-"), system_of(Act(Dispose("a", as_=""), "dispose"), first=(Create("a", "#h0", sync=True),))),
    Broken("I17 sessions", lambda: without("L/r8 announced"), system_of(ENTER, Act(Session("announce", "z1"), "send"), first=(PREPARE,))),
    Broken(
        "I14 sessions",
        lambda: rows(silent("L/r10")),
        system_of(ENTER, Act(Session("announce", "z1"), "send"), Act(Session("detach", "z1"), "cancel"), first=(PREPARE,)),
    ),
    Broken("I18 I19", lambda: rows(setting("O/r5", token="another")), system_of(Act(Task("read", "k1"), "send"), first=(Task("start", "k1"),))),
    Broken("I18 I19", lambda: rows(replace(row("O12"), says=row("O12").says * 2)), system_of(Act(Task("finish", "k1"), "send"), first=(Task("start", "k1"),))),
    Broken("I17", lambda: rows(setting("Q25 policy", appending=True)), scope_of(SEND)),
    Broken("S3", lambda: rows(replace(row("X5 TE"), says=(*row("X5 TE").says, w.status("idle")))), scope_of(SEND)),
    Broken("S11", lambda: without("S11"), scope_of(SEND, holds=(FLUSH,))),
    Broken("Q2", lambda: rows(replace(row("S/r4"), opens=None, then="driver.wake")), scope_of(SEND)),
    Broken(
        "Q17",
        lambda: rows(replace(row("Q/r5 inject invalid"), says=(say("user/message", message="x"),))),
        scope_of(Act(Inject(SELF, "", invalid=True), "send")),
    ),
    Broken("Q18", lambda: without("T3"), scope_of(SEND, DISPOSE)),
    Broken("V4", lambda: rows(replace(row("S7 at once"), guard=None)), scope_of(SEND, WAIT)),
    Broken("S7", lambda: rows(replace(row("S7 at once"), guard=w.no_waking_item)), scope_of(SEND, WAIT)),
    Broken("D2", lambda: rows(silent("X5 FL")), scope_of(SEND)),
)  # fmt: skip

LIVENESS = (
    Broken("V1", lambda: rows(replace(row("S/r4"), opens=None)), scope_of(SEND)),
    Broken("V2", lambda: without("X6 others may act"), scope_of(SEND, CANCEL)),
    Broken("V3", lambda: rows(replace(row("S/r20"), effect=w.setting(marker=False, status="idle", terminal=False))), scope_of(SEND, WAIT)),
    Broken("V5", lambda: rows(replace(row("S/r7"), guard=marked)), scope_of(SEND, CANCEL)),
    Broken("V6", lambda: without("T/r7"), scope_of(SEND, DISPOSE)),
    Broken("V7", lambda: rows(replace(row("P/r6"), opens=None)), BIRTH),
    Broken(
        "V9",
        lambda: without("A/r11"),
        replace(system_of(Act(Acp("prompt", "a", "", ""), "send"), first=(Acp("connect"), Acp("new", "a", as_="q9"))), most=(("q", 1),)),
    ),
    Broken(
        "V10",
        lambda: rows(replace(row("O/r10 leaves"), opens=None)),
        system_of(Act(Task("kill", "k1"), "send"), first=(Task("start", "k1"),)),
    ),
    Broken(
        "V10",
        lambda: rows(replace(row("O/r9 leaves"), guard=never)),
        system_of(Act(Executor("unload", ""), "send"), Act(Task("exit", "k1"), sure=True), first=(Task("start", "k1", resists=True),)),
    ),
    Broken("V11 steering", lambda: without("Q/r13", "Q24 at wake", "Q24 abandoned"), scope_of(SEND, STEER, CANCEL)),
    Broken("V11 detach", lambda: rows(replace(row("X9 between a- and s-"), opens=None)), scope_of(DISPOSE)),
)  # fmt: skip


@pytest.mark.parametrize("broken", SAFETY, ids=lambda broken: broken.id)
def test_invariant_can_fail(broken: Broken) -> None:
    found = search(broken.contract(), broken.scope, standard(contract()).only(broken.id), first=True)
    assert list(found.violations) == [broken.id]
    moments, _ = counterexample(found, broken.id)
    assert moments[-1].rows
    assert len(moments) < 25
    whole = search(contract(), broken.scope, standard(contract()).only(broken.id))
    assert not whole.violations


@pytest.mark.parametrize("broken", LIVENESS, ids=lambda broken: broken.id)
def test_liveness_can_fail(broken: Broken) -> None:
    found = explore(broken.contract(), broken.scope, standard(contract()).only(broken.id))
    assert list(found.lassos) == [broken.id]
    moments, _cycle = counterexample(found, broken.id)
    assert moments
    whole = explore(contract(), broken.scope, standard(contract()).only(broken.id))
    assert whole.judged == [broken.id]
    assert not whole.lassos


def test_a_killed_task_may_stay_unless_forced_termination_ends_it() -> None:
    """F5 is needed: without it nobody makes a process that resists exit."""
    wanted = standard(contract()).only("V10")
    kill = Act(Task("kill", "k1"), "send")
    for sure in (True, False):
        scope = system_of(kill, Act(Task("exit", "k1"), sure=sure), first=(Task("start", "k1", resists=True),))
        assert list(explore(contract(), scope, wanted).lassos) == ([] if sure else ["V10"])


def test_every_property_has_a_broken_contract() -> None:
    wanted = standard(contract())
    assert {one.id for one in wanted.safety} == {one.id for one in SAFETY}
    assert {one.id for one in wanted.liveness} == {one.id for one in LIVENESS}


def test_contract_that_does_nothing_reaches_nothing() -> None:
    """Reachable properties are what a model that only refuses cannot have."""
    idle = contract().overlay("idle", drop=[one.id for one in contract().rows if one.step != "create.check"])
    scope = scope_of(SEND, CANCEL, WAIT)
    found = search(idle, replace(scope, roles=(replace(scope.roles[0], born=False),)), standard(contract()))
    assert set(found.witnesses) <= {f"{one.name} {one.initial}" for one in contract().machines}
    assert len(unreached([found])) >= len(SITUATIONS)


def test_properties_have_distinct_ids_and_known_clauses() -> None:
    wanted = standard(contract())
    ids = wanted.ids()
    assert len(set(ids)) == len(ids)
    known = contract().clauses
    for group in (wanted.safety, wanted.reachable, wanted.liveness):
        for one in group:
            assert all(clause in known for clause in one.clauses), one.id
    for live in wanted.liveness:
        assert all(clause in known for clause in live.assumes), live.id


def test_rows_that_show_a_situation_exist() -> None:
    known = {one.id for one in contract().rows}
    for one in standard(contract()).reachable:
        assert one.rows <= known, one.id
        assert one.rows or one.seen is not None


def test_only_picks_one_property_of_each_kind() -> None:
    wanted = standard(contract())
    assert [one.id for one in wanted.only("I7").safety] == ["I7"]
    assert [one.id for one in wanted.only("V2").liveness] == ["V2"]
    assert [one.id for one in wanted.only("replacement").reachable] == ["replacement"]


def test_lasso_may_need_no_stutter() -> None:
    """A driver that loops for ever without claiming is a cycle of steps, not a rest."""
    spin = replace(row("S/r6"), to=None, effect=None, says=(), opens="driver driver.wake", then=END)
    found = explore(rows(spin), scope_of(SEND), standard(contract()).only("V1"))
    _, cycle = counterexample(found, "V1")
    assert [moment.text for moment in cycle] == ["(driver of a goes on)"]


def test_ghost_never_fails_on_nonsense() -> None:
    ghost = Ghost()
    for event in ("turn/end", "tool/result", "scope", "session/flush", "agent/inbox/dequeue", "never/heard", "abort"):
        ghost = fold(ghost, Observation(event, of="a", state="settled", id="1.1.1", item="m9", reason="user"), None)
    assert isinstance(ghost, Ghost)


def test_ghost_learns_where_steering_went() -> None:
    ghost = Ghost(queued=(("q", True),), steering=("s", "t"))
    assert waking_pending(ghost)
    moved = agreed(ghost, (("s", True), ("q", True), ("t", True)), ())
    assert moved is not None
    assert moved.steering == ()
    assert agreed(ghost, (("t", True), ("q", True), ("s", True)), ()) is None
    assert agreed(ghost, (("q", True),), ()) is None
    assert rerouted(ghost).queued == (("q", True), ("s", True), ("t", True))


def test_scopes_cover_the_topics_of_the_slice() -> None:
    assert {scope.topic for scope in SCOPES} >= {"C", "Q", "T", "L", "policy keep_inbox"}
