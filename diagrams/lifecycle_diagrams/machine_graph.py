"""Builds the picture of one machine: its states, nested, and its moves; what many states share is drawn once, by a mark.

Refuses to know any state by name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from lifecycle_diagrams.flow import Flow
from lifecycle_diagrams.graph import Edge, Graph, Group, Node, Way, unique
from lifecycle_diagrams.moves import Move, Moves
from lifecycle_diagrams.words import effect_text, first_line, guard_name, published
from lifecycle_model.table import Machine, Row

START = "·start"
MARKS = "①②③④⑤⑥⑦⑧⑨"
SHARED = 4
"""So many states with the same way to one target are marked instead of having an arrow each."""
FEW = 3
"""What happens in more states than these is told once below the picture."""
ELSE = "else"


def machine_graph(
    flow: Flow, machine: Machine, name: str, title: str, sentence: str, order: Sequence[str] = ()
) -> Graph:
    """The picture of a machine; `order` is the main path, which reads downwards."""
    moves = Moves(flow, machine.name)
    known = [*order, *(state for state in machine.states if state not in order)]
    rank = {START: -1, **{state: i for i, state in enumerate(known)}}
    edges = _edges(moves)
    edges, marks, exits = _shared(edges)
    edges = [replace(edge, order=rank.get(edge.source, 0) <= rank.get(edge.target, 0)) for edge in edges]
    edges.sort(key=lambda edge: (rank.get(edge.source, len(rank)), rank.get(edge.target, len(rank))))
    inner, notes = _inner(moves)
    reached = {state for edge in edges for state in (edge.source, edge.target)} | set(marks)
    nodes = [Node(START, "", "start")] if any(edge.source == START for edge in edges) else []
    for state in known:
        if state not in reached:
            continue
        kind = "state" if state in moves.waiting else "passing"
        nodes.append(
            Node(state, state, kind, machine.parents.get(state, ""), marks.get(state, ""), tuple(inner[state]))
        )
    return Graph(name, title, sentence, (*nodes, *exits), tuple(edges), _groups(machine, reached), tuple(notes))


def _groups(machine: Machine, reached: Iterable[str]) -> tuple[Group, ...]:
    """The frames around the states that are drawn, outer ones too."""
    found: dict[str, Group] = {}
    for state in machine.states:
        inside = state
        while state in reached and (parent := machine.parents.get(inside)) is not None:
            found[parent] = Group(parent, parent, machine.parents.get(parent, ""))
            inside = parent
    return tuple(found.values())


def _edges(moves: Moves) -> list[Edge]:
    ways: dict[tuple[str, str], list[Way]] = defaultdict(list)
    for move in moves.moves:
        ways[move.source or START, move.target].append(_way(move, _is_else(move, moves)))
    return [Edge(source, target, tuple(found)) for (source, target), found in ways.items()]


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
        trigger=move.decides.step,
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
    sharing: dict[tuple[str, tuple[str, ...]], list[tuple[str, Way]]] = defaultdict(list)
    for edge in edges:
        for way in edge.ways:
            if way.guards != (ELSE,) and edge.source != edge.target:
                sharing[edge.target, way.guards].append((edge.source, way))
    marks: dict[str, str] = defaultdict(str)
    gone: set[tuple[str, str, tuple[str, ...]]] = set()
    exits: list[Node] = []
    added: list[Edge] = []
    for (target, guards), found in sharing.items():
        sources = unique(source for source, _ in found)
        if len(sources) < SHARED or len(exits) == len(MARKS):
            continue
        mark = MARKS[len(exits)]
        for source in sources:
            marks[source] += mark
            gone.add((source, target, guards))
        exits.append(Node(f"·exit{len(exits) + 1}", f"any state with {mark}", "exit", mark=mark))
        added.append(Edge(exits[-1].id, target, (_merged([way for _, way in found]),)))
    kept: list[Edge] = []
    for edge in edges:
        ways = tuple(way for way in edge.ways if (edge.source, edge.target, way.guards) not in gone)
        if ways:
            kept.append(replace(edge, ways=ways))
    return [*kept, *added], dict(marks), exits


def _merged(ways: list[Way]) -> Way:
    """Several ways as one: what not all of them publish may be left out."""
    said: dict[str, list[str]] = defaultdict(list)
    for way in ways:
        for one in way.published:
            said[one.rstrip("?*+")].append(one)
    order = sorted(said, key=lambda text: max(_place(way, text) for way in ways))
    published: list[str] = []
    for text in order:
        forms = said[text]
        sure = len(forms) == len(ways) and not any(one.endswith(("?", "*")) for one in forms)
        many = any(one.endswith(("*", "+")) for one in forms)
        published.append(text + ("?", "*", "", "+")[2 * sure + many])
    triggers = unique(way.trigger for way in ways)
    return Way(
        trigger=triggers[0] if len(triggers) == 1 else _common(triggers),
        guards=ways[0].guards,
        effect=" ".join(unique(way.effect for way in ways)) if len({way.effect for way in ways}) == 1 else "",
        published=tuple(published),
        rows=unique(row for way in ways for row in way.rows),
        key_rows=unique(row for way in ways for row in way.key_rows[:1]),
        clauses=unique(clause for way in ways for clause in way.clauses),
        about=ways[0].about,
    )


def _place(way: Way, text: str) -> float:
    """How far from the end of a way a publication stands, counted backwards; ways end alike."""
    bare = [one.rstrip("?*+") for one in way.published]
    return bare.index(text) - len(bare) if text in bare else -float("inf")


def _common(triggers: tuple[str, ...]) -> str:
    """What several program steps have in common: `….check`."""
    last = {trigger.rsplit(".", 1)[-1] for trigger in triggers}
    return f"….{last.pop()}" if len(last) == 1 else "several steps"


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
