"""The explorer against whole segments on whole configurations, its symmetry, its replays and its bounds."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import pytest

from lifecycle_model.canonical import Cell, canonical, names_in
from lifecycle_model.commands import Cancel, Dispose, Send, Steer, WhenIdle
from lifecycle_model.contract1 import contract
from lifecycle_model.engine import ModelError
from lifecycle_model.estimate import as_module, estimate, sample, sizes_of
from lifecycle_model.explore import counterexample, explore, standard, unreached
from lifecycle_model.explorer import Exploration, Progress, search
from lifecycle_model.ghost import Ghost
from lifecycle_model.labels import lives, own_gates
from lifecycle_model.local import Outside
from lifecycle_model.properties import Properties
from lifecycle_model.replay import Replay, as_json, text_of
from lifecycle_model.replay import replay as play
from lifecycle_model.scope import OTHER, SELF, Act, Held, Listener, Role, Scope, ScopeError, check
from lifecycle_model.scope_sizes import SIZES
from lifecycle_model.scopes import EVERY, SCOPES, scope_named, scopes_in
from lifecycle_model.space import Space, hop_of
from lifecycle_model.state import Agent, Item
from lifecycle_model.summary import ok, summary, summary_of

NOTHING = Properties()
MODEL = Held("model", ("finish",))

PAIR = Scope(
    "test-pair",
    "C",
    "two agents; at a status of one a listener cancels or prompts the other",
    (
        Role(
            ("a", "b"),
            (Act(Send(SELF, ""), "send"), Act(Cancel(SELF))),
            (MODEL,),
            (
                Listener((Cancel(OTHER, "parent"),), on=("agent/status",), spends="listener"),
                Listener((Send(OTHER, ""),), on=("agent/status",), spends="listener"),
            ),
        ),
    ),
    budgets=(("listener", 1), ("send", 1)),
    most=(("m", 1),),
)
SOLO = Scope(
    "test-solo",
    "C",
    "one agent, every command twice at most",
    (
        Role(
            ("a",),
            (
                Act(Send(SELF, ""), "send"),
                Act(Steer(SELF, ""), "send"),
                Act(Cancel(SELF), "cancel"),
                Act(WhenIdle(SELF, ""), "wait"),
                Act(Dispose(SELF, as_=""), "dispose"),
            ),
            (MODEL, Held("flush", ("ok",), always=True)),
        ),
    ),
    budgets=(("send", 2), ("cancel", 1), ("wait", 1), ("dispose", 1)),
)


@pytest.mark.parametrize("scope", [PAIR, SOLO], ids=lambda scope: scope.name)
def test_table_look_ups_agree_with_whole_segments(scope: Scope) -> None:
    """Every hop, performed whole by the engine alone, reaches the cells that the tables say (Astray otherwise)."""
    space = search(contract(), scope, NOTHING).space
    for node in range(0, len(space.order), len(space.order) // 25):
        base = Replay(space, keep_log=False)
        for key, hop in space.path(node):
            base.hop(key, hop)
        names = list(base.names)
        for target, move, seat, reply in space.successors(space.order[node]):
            run = copy(base)
            run.names, run.ghosts, run.moments = list(names), dict(base.ghosts), []
            run.hop(space.order[node], hop_of(move, seat, reply))
            cells = [whole(space, run, name) for name in run.names]
            assert cells == space.cells_at(target)


def whole(space: Space, run: Replay, name: str) -> Cell:
    """A concrete agent's cell, read off the whole configuration."""
    others = lives(run.configuration, name)
    gates = own_gates(run.configuration, name, others)
    first = space.scope.roles[0].agents[0]
    return canonical(Cell(run.configuration.get(name), gates, run.ghosts[name], others), {name: first})


@pytest.mark.parametrize("scope", [PAIR, SOLO, scope_named("rebirth")], ids=lambda scope: scope.name)
def test_compiled_search_is_the_same_search(scope: Scope) -> None:
    wanted = standard(contract())
    fast, slow = (search(contract(), scope, wanted, compiled=compiled) for compiled in (True, False))
    assert fast.space.order == slow.space.order
    assert fast.space.transitions == slow.space.transitions
    assert (fast.rows, fast.guards, fast.space.depth) == (slow.rows, slow.guards, slow.space.depth)
    assert {k: v.node for k, v in fast.witnesses.items()} == {k: v.node for k, v in slow.witnesses.items()}


def test_symmetry_changes_no_verdict_and_halves_the_pairs() -> None:
    wanted = standard(contract())
    alike = search(contract(), PAIR, wanted)
    apart = search(contract(), PAIR, wanted, symmetric=False)
    assert len(alike.space.order) < len(apart.space.order) <= 2 * len(alike.space.order)
    assert set(alike.violations) == set(apart.violations) == set()
    assert set(alike.witnesses) == set(apart.witnesses)
    assert (alike.rows, alike.guards) == (apart.rows, apart.guards)


def test_every_configuration_replays_with_concrete_names() -> None:
    for scope in (PAIR, scope_named("keep-inbox-off")):
        space = search(contract(), scope, NOTHING).space
        for node in range(0, len(space.order), len(space.order) // 20):
            moments = play(space, space.path(node))
            assert len(moments) == len(scope.agents) + len(space.path(node))
            assert not any("#" in text for text in text_of(moments).split())


def test_paths_are_shortest_first() -> None:
    space = search(contract(), SOLO, NOTHING).space
    depths = [len(space.path(node)) for node in range(len(space.order))]
    assert depths == sorted(depths)
    assert space.depth == depths[-1]


def test_exploration_is_reproducible() -> None:
    one, two = (explore(contract(), scope_named("keep-inbox-off")) for _ in range(2))
    assert one.space.order == two.space.order
    assert summary(one) == summary(two)
    name = "cancelled turn"
    assert as_json(counterexample(one, name)[0]) == as_json(counterexample(two, name)[0])


@pytest.mark.parametrize("scope", scopes_in("small"), ids=lambda scope: scope.name)
def test_small_scope_holds(scope: Scope) -> None:
    found = explore(contract(), scope)
    assert ok([found]), summary(found)
    assert found.judged or not scope.lively
    SMALL[scope.name] = found


SMALL: dict[str, Exploration] = {}


def test_small_scopes_reach_the_core() -> None:
    every = [SMALL.get(scope.name) or explore(contract(), scope) for scope in scopes_in("small")]
    left = unreached(every)
    for name in ("replacement", "second cancel", "cancelled turn", "disposed turn", "call skipped", "steering moved"):
        assert name not in left
    assert "reached nowhere" in summary_of(every) or not left


def test_quiet_reading_visits_a_part_of_the_interleaved_one() -> None:
    scope = scope_named("keep-inbox-off")
    quiet = search(contract(), scope, NOTHING, reading="quiet").space
    every = search(contract(), scope, NOTHING).space
    at_rest = {cell for key in quiet.order for cell in quiet.cells_at(key)}
    anywhere = {cell for key in every.order for cell in every.cells_at(key)}
    assert at_rest < anywhere
    assert len(quiet.order) > 10


def test_bursts_widen_the_quiet_reading() -> None:
    scope = scope_named("keep-inbox-off")
    single = search(contract(), scope, NOTHING, reading="quiet").space
    double = search(contract(), replace(scope, burst=2), NOTHING, reading="quiet").space
    cells = [{cell for key in space.order for cell in space.cells_at(key)} for space in (single, double)]
    assert cells[0] < cells[1]


def test_estimate_is_the_size_on_record_or_a_sample() -> None:
    scope = scope_named("keep-inbox-off")
    found = search(contract(), scope, NOTHING)
    recorded = estimate(contract(), scope)
    assert recorded.measured
    actual = len(found.space.order)
    assert actual / 2 <= recorded.configurations <= actual * 2, "refresh scope_sizes.py from sizes_of and as_module"
    fresh = estimate(contract(), replace(scope, version=99))
    assert not fresh.measured
    assert (fresh.configurations, fresh.segments) == (actual, found.space.cells.evaluated)
    partial = sample(contract(), SOLO, expanded=40)
    assert partial.configurations > 40
    assert partial == sample(contract(), SOLO, expanded=40)
    assert "by a sample" in partial.text()


def test_sizes_are_written_as_a_module() -> None:
    found = search(contract(), scope_named("keep-inbox-off"), NOTHING)
    space: dict[str, object] = {}
    exec(as_module(sizes_of([found])), space)
    assert space["SIZES"] == {("1", "keep-inbox-off", 1): (len(found.space.order), found.space.cells.evaluated)}
    assert {name for contract_, name, _ in SIZES if contract_ == "1"} <= {scope.name for scope in EVERY}


def test_budgets_bound_a_run() -> None:
    space = search(contract(), SOLO, NOTHING).space
    for node in range(0, len(space.order), len(space.order) // 20):
        texts = [moment.text.split()[0] for moment in play(space, space.path(node))]
        assert texts.count("send") + texts.count("steer") <= 2
        assert texts.count("cancel") <= 1


def test_limit_leaves_the_exploration_incomplete() -> None:
    found = explore(contract(), SOLO, limit=20)
    assert not found.space.complete
    assert not found.judged
    assert "not proved" in summary(found)


def test_progress_is_told() -> None:
    told: list[Progress] = []
    search(contract(), scope_named("keep-inbox-off"), NOTHING, told.append)
    assert told[0].configurations == 1


def test_interchangeable_names_make_equal_cells() -> None:
    def cell(first: str, second: str, turn: int) -> Cell:
        return Cell(Agent("a", queued=(Item(first), Item(second)), waiters=("#w9",), turn=turn), (), Ghost(turn=turn))

    one, two = canonical(cell("#m7", "#m2", 4)), canonical(cell("#m1", "#m3", 9))
    assert one == two
    assert names_in(one) == ("#m1", "#m2", "#w1")
    assert one.part.turn == 1


def test_order_of_items_is_kept() -> None:
    agent = Agent("a", queued=(Item("#m1"),), steering=(Item("#m2"),))
    swapped = Agent("a", queued=(Item("#m2"),), steering=(Item("#m1"),))
    one, two = (canonical(Cell(part, (), Ghost(queued=(("#m1", True),)))) for part in (agent, swapped))
    assert one != two


def test_row_that_reads_outside_its_view_is_noticed() -> None:
    """A segment is performed on one agent's components; a row that peeks at another agent's must not be believed."""

    def nosy(now: object) -> bool:
        return bool(now.part("b").status == "running")  # type: ignore[attr-defined]  # guards see a Now

    base = contract()
    row = next(row for row in base.rows if row.id == "C/r5")
    broken = base.overlay("nosy", rows=[replace(row, guard=nosy)])
    with pytest.raises(Outside, match="'b'"):
        search(broken, PAIR, NOTHING)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"roles": ()}, "no agents"),
        ({"roles": (Role(("a", "a"), ()),)}, "twice"),
        ({"sets": ("tiny",)}, "small, standard, large"),
        ({"roles": (Role(("a",), (Act(Send(SELF, ""), "gold"),)),)}, "none of its budgets"),
        ({"roles": (Role(("a",), (), (Held("door", ("ok",)),)),)}, "which the contract lacks"),
        ({"roles": (Role(("a",), (), (Held("model", ()),)),)}, "never lets it settle"),
        ({"roles": (Role(("a",), (), (Held("model", ("explode",)),)),)}, "the gate knows"),
        ({"roles": (Role(("a",), (), (), (Listener((Send(OTHER, ""),)),)),)}, "one agent only"),
    ],
)
def test_wrong_scope_is_refused_in_words(change: dict[str, object], words: str) -> None:
    with pytest.raises(ScopeError, match=words):
        check(replace(SOLO, **change), contract())  # type: ignore[arg-type]  # changes are of mixed types


def test_unknown_scope_set_reading_and_property_are_named() -> None:
    with pytest.raises(ScopeError, match="known are"):
        scope_named("nowhere")
    with pytest.raises(ScopeError, match="small, standard, large"):
        scopes_in("huge")
    with pytest.raises(ValueError, match="interleaved"):
        search(contract(), SOLO, NOTHING, reading="loud")
    with pytest.raises(KeyError, match="no property"):
        standard(contract()).only("I99")
    found = search(contract(), SOLO, NOTHING)
    with pytest.raises(KeyError, match="no run"):
        counterexample(found, "I1")


def test_every_scope_fits_the_contract_and_has_its_own_name() -> None:
    for scope in SCOPES:
        check(scope, contract())
    assert len({scope.name for scope in SCOPES}) == len(SCOPES)
    assert scopes_in("large")


def test_cells_are_shared_by_alike_agents() -> None:
    space = search(contract(), PAIR, NOTHING).space
    assert space.roles == [0, 0]
    assert len(space.cells.known) < len(space.order) / 10
    assert issubclass(ScopeError, ModelError)
