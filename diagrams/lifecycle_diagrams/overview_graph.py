"""Builds the one picture of how the machines touch each other, with the commands and gates of each.

Refuses to know any machine by name.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise

from lifecycle_diagrams.flow import Flow
from lifecycle_diagrams.graph import Edge, Graph, Group, Node, Way, unique
from lifecycle_diagrams.labels import DOWN, UP
from lifecycle_diagrams.tones import Paint
from lifecycle_diagrams.words import published, short
from lifecycle_model.table import Row


def overview_graph(flow: Flow, name: str, title: str, sentence: str, paint: Paint) -> Graph:
    """The machines, those of one component in a frame; which programs move two of them; who runs what on whom."""
    kinds = flow.kinds()
    together = {kind: found for kind, found in kinds.items() if len(found) > 1}
    frames = {machine: kind for kind, found in together.items() for machine in found}
    nodes: list[Node] = []
    for machine in flow.contract.machines:
        rows = [row for row in flow.contract.rows if row.machine == machine.name]
        ways = tuple(
            paint(_way(title, found, words))
            for title, found, words in (
                ("asked", *_commands(flow, machine.name)),
                ("hears", *_heard(flow, machine.name)),
                ("waits at", *_gates(flow, rows)),
                ("says", rows, unique(_bare(text) for row in rows for text in published(row))),
            )
            if found and words
        )
        parent = frames.get(machine.name, "")
        nodes.append(Node(machine.name, machine.name, "machine", parent, ways=ways, about=machine.about))
    groups = tuple(Group(kind, f"one {kind.lower()}") for kind in together)
    edges = _joined([*_shared_programs(flow, paint), *_runs(flow, paint)])
    edges = (*edges, *_loose([machine.name for machine in flow.contract.machines], edges))
    return Graph(name, title, sentence, tuple(nodes), edges, groups)


def _joined(edges: list[Edge]) -> tuple[Edge, ...]:
    """One arrow between two machines: solid if a program moves both, with a head at each end if it goes both ways."""
    found: dict[tuple[str, str], list[Edge]] = {}
    for edge in edges:
        back = (edge.target, edge.source)
        found.setdefault(back if back in found else (edge.source, edge.target), []).append(edge)
    joined: list[Edge] = []
    for (source, target), parts in found.items():
        kind = "touch" if any(part.kind == "touch" for part in parts) else "gate"
        both = len({part.source for part in parts}) > 1
        ways = [
            replace(way, moves=(DOWN if part.source == source else UP) if both else "")
            for part in parts
            for way in part.ways
        ]
        joined.append(Edge(source, target, tuple(sorted(ways, key=lambda way: way.moves != DOWN)), kind, both=both))
    return tuple(joined)


def _loose(machines: list[str], edges: tuple[Edge, ...]) -> list[Edge]:
    """A machine that touches none stands below the one before it."""
    touching = {end for edge in edges for end in (edge.source, edge.target)}
    return [Edge(one, other, kind="hidden") for one, other in pairwise(machines) if other not in touching]


def _bare(text: str) -> str:
    """A publication without what it carries."""
    return text.rstrip("?").split("(")[0].split("[")[0]


def _way(title: str, rows: list[Row], words: tuple[str, ...] = ()) -> Way:
    return Way(
        title,
        published=words,
        rows=unique(row.id for row in rows),
        clauses=unique(clause for row in rows for clause in row.clauses),
    )


def _rows_of(flow: Flow, program: str) -> list[Row]:
    return [row for step in flow.programs[program].steps for row in flow.rows[step]]


def _commands(flow: Flow, machine: str) -> tuple[list[Row], tuple[str, ...]]:
    """The commands whose own program moves this machine first, or speaks of it first where it moves none."""
    rows: list[Row] = []
    verbs: list[str] = []
    for verb, program in flow.contract.verbs.items():
        mine = _rows_of(flow, program)
        first = next((row for row in mine if row.to is not None), mine[0] if mine else None)
        if first is not None and first.machine == machine:
            verbs.append(verb)
            rows += mine
    return rows, tuple(verbs)


def _heard(flow: Flow, machine: str) -> tuple[list[Row], tuple[str, ...]]:
    """What the system's own listeners hear for this machine."""
    programs = [program for program in flow.heard if any(row.machine == machine for row in _rows_of(flow, program))]
    rows = [row for program in programs for row in _rows_of(flow, program)]
    return rows, unique(_bare(short(event)) for program in programs for event in flow.heard[program])


def _gates(flow: Flow, rows: list[Row]) -> tuple[list[Row], tuple[str, ...]]:
    found = {row.id: (row, (row.opens or row.asks or "").partition(" ")[0]) for row in rows if row.opens or row.asks}
    gates = [(row, kind) for row, kind in found.values() if kind in flow.contract.gates]
    return [row for row, _ in gates], unique(kind for _, kind in gates)


def _shared_programs(flow: Flow, paint: Paint) -> list[Edge]:
    """Two machines moved by one program, the one that moves first before the other."""
    found: dict[tuple[str, str], list[Way]] = defaultdict(list)
    for program in flow.contract.programs:
        moving = [row for row in _rows_of(flow, program.id) if row.to is not None]
        order = unique(row.machine for row in moving)
        for first, second in pairwise(order):
            found[first, second].append(_way(program.id, moving))
    return [Edge(first, second, tuple(map(paint, ways)), "touch") for (first, second), ways in found.items()]


def _runs(flow: Flow, paint: Paint) -> list[Edge]:
    """What the rows of one machine run on, or wake in, another."""
    found: dict[tuple[str, str], list[Way]] = defaultdict(list)
    for row in flow.contract.rows:
        for program in flow.woken[row.id]:
            others = _rows_of(flow, program)
            target = next((one.machine for one in others if one.to is not None), others[0].machine)
            if target != row.machine:
                found[row.machine, target].append(_way(_family(flow, program), [row]))
    return [Edge(source, target, tuple(map(paint, ways)), "gate") for (source, target), ways in found.items()]


def _family(flow: Flow, program: str) -> str:
    """A program by the first part of its name, where others share it."""
    first, dot, _ = program.partition(".")
    return f"{first}.*" if dot and sum(one.startswith(f"{first}.") for one in flow.programs) > 1 else program
