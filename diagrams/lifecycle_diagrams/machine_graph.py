"""Builds the picture of one machine: its states, nested, and its moves; what many states share is drawn once, by a mark.

Refuses to know any state by name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from lifecycle_diagrams.graph import Edge, Graph, Group, Node, Tone, Way, unique
from lifecycle_diagrams.labels import ELSE, common_step
from lifecycle_diagrams.labels import together as all_said
from lifecycle_diagrams.moves import Move, Moves
from lifecycle_diagrams.tones import CHANGES, together
from lifecycle_diagrams.words import effect_text, first_line, guard_name, published
from lifecycle_model.table import Machine, Row

START = "·start"
EXIT = "·exit"
COPY = "·copy"
ENTRY = "on entry"
LOOP = "↺"
PUT = "by another machine"
"""The trigger of a move that an effect of another machine's row makes."""
MARKS = "①②③④⑤⑥⑦⑧⑨"
SHARED = 4
"""So many states with the same way to one target are marked instead of having an arrow each."""
FEW = 3
"""What happens in more states than these is told once below the picture."""


def machine_graph(
    name: str,
    title: str,
    sentence: str,
    moves: Moves,
    machine: Machine,
    edges: list[Edge],
    order: Sequence[str] = (),
    again: Sequence[str] = (),
    main: Sequence[str] = (),
) -> Graph:
    """The picture of a machine with these arrows (see `arrows`).

    `order` is the reading direction; arrows to a state of `again` from anywhere but right before it end in a small copy.
    """
    known = [*(state for state in order if state in machine.states)]
    known += [state for state in machine.states if state not in known]
    rank = {START: -1, **{state: i for i, state in enumerate(known)}}
    edges, marks, exits = _shared(edges)
    looping = {edge.source: tuple(replace(way, moves=LOOP) for way in edge.ways) for edge in edges if _loops(edge)}
    edges = [edge for edge in edges if not _loops(edge)]
    edges, entering = _entering(edges, exits)
    edges, copies = _copied(edges, rank, again, machine)
    edges = [replace(edge, order=rank.get(edge.source, -1) <= rank.get(edge.target, len(rank))) for edge in edges]
    edges.sort(key=lambda edge: (rank.get(edge.source, len(rank)), rank.get(edge.target, len(rank))))
    edges += [
        Edge(known[rank[edge.target] - 1], edge.source, kind="hidden")
        for edge in edges
        if edge.source in {one.id for one in exits} and rank.get(edge.target, 0) > 0
    ]
    inner, notes = _inner(moves)
    reached = {state for edge in edges for state in (edge.source, edge.target)} | set(marks)
    nodes = [Node(START, "", "start")]
    if not any(edge.source == START for edge in edges):
        edges.insert(0, Edge(START, machine.initial))
        reached.add(machine.initial)
    for state in known:
        if state in reached:
            kind = "state" if state in moves.waiting else "passing"
            ways = (*entering.get(state, ()), *looping.get(state, ()), *inner[state])
            nodes.append(Node(state, state, kind, machine.parents.get(state, ""), marks.get(state, ""), ways))
    exits = [replace(one, ways=edge.ways) for one in exits for edge in edges if edge.source == one.id]
    edges = [replace(edge, ways=()) if edge.source.startswith(EXIT) else edge for edge in edges]
    found = (*nodes, *exits, *copies)
    return Graph(name, title, sentence, found, tuple(edges), _groups(machine, reached), tuple(notes), tuple(main))


def _loops(edge: Edge) -> bool:
    return edge.source == edge.target


def _entering(edges: list[Edge], exits: Sequence[Node]) -> tuple[list[Edge], dict[str, tuple[Way, ...]]]:
    """What every way into a state ends in is told once, in the state, where there are many such ways."""
    into: dict[str, list[Way]] = defaultdict(list)
    for edge in edges:
        into[edge.target] += edge.ways
    common = {target: ends for target, found in into.items() if len(found) >= SHARED and len(ends := _ends(found)) > 1}
    told = [replace(edge, ways=_without_end(edge.ways, len(common.get(edge.target, ())))) for edge in edges]
    entering: dict[str, tuple[Way, ...]] = {}
    for target, ends in common.items():
        rows = unique(row for way in into[target] for row in way.rows if row not in way.key_rows)
        entering[target] = (Way(ENTRY, published=ends, rows=rows),)
    return told, entering


def _ends(ways: Sequence[Way]) -> tuple[str, ...]:
    """The publications that all ways end in."""
    ends = ways[0].published
    for way in ways:
        while ends and way.published[len(way.published) - len(ends) :] != ends:
            ends = ends[1:]
    return ends


def _without_end(ways: tuple[Way, ...], cut: int) -> tuple[Way, ...]:
    return tuple(replace(way, published=way.published[: len(way.published) - cut]) for way in ways)


def _copied(
    edges: list[Edge], rank: dict[str, int], again: Sequence[str], machine: Machine
) -> tuple[list[Edge], list[Node]]:
    """An arrow to such a state from anywhere but right before it ends in a small copy."""
    found: list[Edge] = []
    copies: list[Node] = []
    for edge in edges:
        far = rank[edge.target] - rank.get(edge.source, len(rank))
        if edge.target in again and far != 1 and edge.source in rank:
            parent = machine.parents.get(edge.source, "")
            sign = "↑" if far < 0 else "↓"
            copies.append(Node(f"{COPY}{len(copies) + 1}", f"{sign} {edge.target}", "copy", parent, about=edge.target))
            edge = replace(edge, target=copies[-1].id)
        found.append(edge)
    return found, copies


def _groups(machine: Machine, reached: Iterable[str]) -> tuple[Group, ...]:
    """The frames around the states that are drawn, outer ones too."""
    found: dict[str, Group] = {}
    for state in machine.states:
        inside = state
        while state in reached and (parent := machine.parents.get(inside)) is not None:
            found[parent] = Group(parent, parent, machine.parents.get(parent, ""))
            inside = parent
    return tuple(found.values())


def arrows(moves: Moves) -> list[Edge]:
    """Every move as an arrow between states, those of one pair together."""
    ways: dict[tuple[str, str], list[Way]] = defaultdict(list)
    born = START if moves.runs.begun else moves.runs.blank[moves.runs.column(moves.machine)]
    for move in moves.moves:
        ways[move.source or born, move.target].append(_way(move, _is_else(move, moves)))
    drawn = [Edge(source, target, tuple(found)) for (source, target), found in ways.items()]
    return [*drawn, *_put(moves, {(edge.source, edge.target) for edge in drawn})]


def _put(moves: Moves, drawn: set[tuple[str, str]]) -> list[Edge]:
    """Arrows for what another machine's effect does to this one: no row of its own says so."""
    column = moves.runs.column(moves.machine)
    found = dict.fromkeys((source[column], target[column]) for source, target in sorted(moves.runs.put))
    return [
        Edge(source, target, (Way(PUT),), "gate")
        for source, target in found
        if source != target and (source, target) not in drawn
    ]


def _is_else(move: Move, moves: Moves) -> bool:
    """An unguarded move is the other case of the guarded ones out of its state in the same program."""
    if move.decides.guard is not None or move.row.guard is not None:
        return False
    home = moves.flow.home[move.decides.step][0]
    return any(
        other.source == move.source and (other.decides.guard or other.row.guard) is not None
        for other in moves.moves
        if moves.flow.home[other.decides.step][0] == home
    )


def _way(move: Move, otherwise: bool) -> Way:
    deciding = tuple({row.id: row for row in (move.decides, move.row)}.values())
    guards = unique(guard_name(row.guard) for row in deciding)
    return Way(
        trigger=(move.decides if move.decides.guard is not None else move.row).step,
        guards=guards or ((ELSE,) if otherwise else ()),
        effect=" ".join(unique(effect_text(row.effect) for row in deciding)),
        published=tuple(str(said) for said in move.said),
        rows=tuple(row.id for row in move.rows),
        key_rows=tuple(row.id for row in deciding),
        clauses=unique(clause for row in move.rows for clause in row.clauses),
        about=" ".join(unique(f"{first_line(row.guard)}." for row in deciding if row.guard is not None)),
    )


def _shared(edges: list[Edge]) -> tuple[list[Edge], dict[str, str], list[Node]]:
    """Take the ways that many states share out of their edges: the states get a mark, and one exit node the way."""
    sharing: dict[_Shared, list[tuple[str, Way]]] = defaultdict(list)
    for edge in edges:
        for way in edge.ways:
            if way.guards != (ELSE,) and edge.source != edge.target:
                sharing[_key(edge, way)].append((edge.source, way))
    marks: dict[str, str] = defaultdict(str)
    gone: set[tuple[str, _Shared]] = set()
    exits: list[Node] = []
    added: list[Edge] = []
    for key, found in sharing.items():
        sources = unique(source for source, _ in found)
        if len(sources) < SHARED or len(exits) == len(MARKS):
            continue
        mark = MARKS[len(exits)]
        for source in sources:
            marks[source] += mark
            gone.add((source, key))
        exits.append(Node(f"{EXIT}{len(exits) + 1}", f"any state with {mark}", "exit", mark=mark))
        added.append(Edge(exits[-1].id, key[0], (_merged([way for _, way in found]),)))
    kept: list[Edge] = []
    for edge in edges:
        ways = tuple(way for way in edge.ways if (edge.source, _key(edge, way)) not in gone)
        if ways:
            kept.append(replace(edge, ways=ways))
    return [*kept, *added], dict(marks), exits


_Shared = tuple[str, tuple[str, ...], Tone]


def _key(edge: Edge, way: Way) -> _Shared:
    """What states must share: the target, the guards, and whether it is new, gone or other than before."""
    return edge.target, way.guards, way.tone if way.tone in CHANGES else ""


def _merged(ways: list[Way]) -> Way:
    """Several ways as one: what not all of them publish may be left out."""
    triggers = unique(way.trigger for way in ways)
    return Way(
        trigger=triggers[0] if len(triggers) == 1 else common_step(triggers),
        guards=ways[0].guards,
        effect=" ".join(unique(way.effect for way in ways)) if len({way.effect for way in ways}) == 1 else "",
        published=all_said([way.published for way in ways]),
        rows=unique(row for way in ways for row in way.rows),
        key_rows=unique(row for way in ways for row in way.key_rows[:1]),
        clauses=unique(clause for way in ways for clause in way.clauses),
        about=ways[0].about,
        tone=together(way.tone for way in ways),
        count=None if ways[0].count is None else sum(way.count or 0 for way in ways),
    )


def _inner(moves: Moves) -> tuple[dict[str, list[Way]], list[str]]:
    """What a state publishes without being left: in the state, or in a note where it is the same in many."""
    inner: dict[str, list[Way]] = defaultdict(list)
    where: dict[str, list[str]] = defaultdict(list)
    rows: dict[str, Row] = {}
    for state, row in moves.staying():
        where[row.id].append(state)
        rows[row.id] = row
    notes: list[str] = []
    for name, states in where.items():
        row = rows[name]
        way = Way(
            trigger=row.step,
            guards=unique((guard_name(row.guard),)),
            effect=effect_text(row.effect),
            published=published(row),
            rows=(row.id,),
            key_rows=(row.id,),
            clauses=row.clauses,
            about=first_line(row.guard),
        )
        if len(states) <= FEW:
            for state in states:
                inner[state].append(way)
        else:
            notes.append(f"{row.step} / {' '.join(way.published)} in {', '.join(states)} ({row.id})")
    return inner, notes
