"""`lifecycle explore`, without a clock or a screen: visit a scope, judge every property, tell what was found."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from lifecycle_model.cells import Move
from lifecycle_model.eventual import LIVENESS
from lifecycle_model.explorer import Exploration, Found, Progress, search
from lifecycle_model.invariants import INVARIANTS
from lifecycle_model.labels import INTERNAL, LOOP, STIMULUS
from lifecycle_model.liveness import Edge, Fairness, Lasso, Region, find_lasso
from lifecycle_model.possible import possible
from lifecycle_model.properties import Liveness, Properties
from lifecycle_model.replay import Moment, Replay, replay
from lifecycle_model.scope import Scope
from lifecycle_model.space import Hop, Space, hop_of
from lifecycle_model.table import Contract

SPREAD = 128
"""Fairness groups of one agent at most."""


@dataclass(frozen=True)
class Stuck:
    """A violation of a liveness property: the way to a cycle, and the cycle (empty: nothing happens any more)."""

    id: str
    text: str
    node: int
    cycle: tuple[tuple[int, Hop], ...]


def standard(contract: Contract) -> Properties:
    """Every property this package states of a contract."""
    return Properties(INVARIANTS, possible(contract), LIVENESS)


def explore(
    contract: Contract,
    scope: Scope,
    properties: Properties | None = None,
    progress: Callable[[Progress], None] | None = None,
    *,
    reading: str = "interleaved",
    limit: int = 0,
) -> Exploration:
    """Visit a scope and judge its properties; liveness only where everything was visited, in the interleaved reading."""
    wanted = standard(contract) if properties is None else properties
    found = search(contract, scope, wanted, progress, reading=reading, limit=limit)
    if wanted.liveness and scope.lively and reading == "interleaved" and found.space.complete:
        plain = found
        if found.space.groups:
            # a quotient by interchangeable agents forgets which of them is treated fairly
            only = Properties(liveness=wanted.liveness)
            plain = search(contract, scope, only, progress, symmetric=False, limit=limit)
        found.live_space = plain.space
        for position, live in enumerate(wanted.liveness):
            stuck = judge(plain.space, live, position)
            found.judged.append(live.id)
            if stuck is not None:
                found.lassos[live.id] = stuck
    return found


def judge(space: Space, live: Liveness, position: int) -> Stuck | None:
    """A fair run that stays stuck for ever, or None. Of agents that are alike only the first is asked."""
    seen: set[int] = set()
    for seat, role in enumerate(space.roles):
        if role in seen:
            continue
        seen.add(role)
        count = len(space.cells.properties.liveness)
        for number, name in enumerate((space.scope.agents[seat], *space.scope.roles[role].also)):
            lasso = _lasso(space, live, position + number * count, seat)
            if lasso is not None:
                start = lasso.cycle[0][0] if lasso.cycle else 0
                text = f"{name} may stay for ever where this fails: {live.about}"
                hops = tuple((space.order[at], edge.tag) for at, edge in lasso.cycle if isinstance(edge.tag, Hop))
                return Stuck(live.id, text, start, hops)
    return None


def _lasso(space: Space, live: Liveness, position: int, seat: int) -> Lasso | None:
    bit = 1 << position
    nodes: list[int] = []
    fair: dict[int, int] = {}
    for node, key in enumerate(space.order):
        tables = [space.cells.moves(r, c) for r, c in zip(space.roles, space.unpack(key)[0], strict=True)]
        if not tables[seat].stuck & bit:
            continue
        nodes.append(node)
        mask = 0
        for at, table in enumerate(tables):
            sure = table.internal | table.settling
            mask |= (sure if live.aborted_only else sure | table.waiting) << at * SPREAD
        fair[node] = mask
    known: dict[int, list[Edge]] = {}

    def edges(node: int) -> list[Edge]:
        found = known.get(node)
        if found is None:
            found = known[node] = []
            for key, move, mover, reply in space.successors(space.order[node]):
                helped = move.progress[0] if mover == seat else 0
                if reply is not None and reply[0] == seat and reply[1].progress:
                    helped |= reply[1].progress[0]
                if helped & bit or not lasting(move, live) or (reply is not None and not live.busy):
                    continue
                groups = 0 if move.label.fair < 0 else 1 << move.label.fair + mover * SPREAD
                found.append(Edge(space.index[key], groups, hop_of(move, mover, reply)))
        return found

    every = 0
    for mask in fair.values():
        every |= mask
    region = Region(nodes, edges, fair.__getitem__)
    return find_lasso(region, nodes, Fairness(weak=every))


def lasting(move: Move, live: Liveness) -> bool:
    """Tell whether a run may use this move for ever: F2 lets no gate loop for ever, F3 no listener or caller."""
    if move.label.actor == LOOP:
        return False
    if move.label.actor == STIMULUS:
        return live.busy and not move.label.heard
    if any(heard.listener.then for heard in move.label.heard):
        return False
    return move.label.actor == INTERNAL or not move.label.price


def counterexample(found: Exploration, name: str) -> tuple[list[Moment], list[Moment]]:
    """The shortest run that breaks a property or shows it, with concrete names; for a lasso also one round of it."""
    stuck = found.lassos.get(name)
    if stuck is not None:
        assert found.live_space is not None
        run = Replay(found.live_space)
        for key, hop in found.live_space.path(stuck.node):
            run.hop(key, hop)
        stem = len(run.moments)
        for key, hop in stuck.cycle:
            run.hop(key, hop)
        return run.moments[:stem], run.moments[stem:]
    one = found.violations.get(name) or found.witnesses.get(name) or found.row_first.get(name)
    if one is None:
        raise KeyError(f"the exploration of {found.scope.name} has no run for {name!r}")
    return replay(found.space, run_of(found.space, one)), []


def run_of(space: Space, one: Found) -> list[tuple[int, Hop]]:
    """The hops of a shortest run that ends with what was found."""
    return [*space.path(one.node), (space.order[one.node], one.hop)]


def unreached(found: Iterable[Exploration]) -> list[str]:
    """Reachable properties that none of the explorations reached."""
    every: dict[str, None] = {}
    reached: set[str] = set()
    for one in found:
        every.update((prop.id, None) for prop in one.properties.reachable)
        reached |= set(one.witnesses)
    return [name for name in every if name not in reached]
