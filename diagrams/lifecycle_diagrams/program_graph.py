"""Builds the picture of programs: their steps downwards, each row of a step, and where listeners may act between them.

Refuses to know any program by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lifecycle_diagrams.flow import Flow
from lifecycle_diagrams.graph import Edge, Graph, Group, Node, Way, unique
from lifecycle_diagrams.labels import ELSE, HEARD
from lifecycle_diagrams.tones import Paint
from lifecycle_diagrams.words import effect_text, first_line, guard_name, published
from lifecycle_model.engine import AGAIN
from lifecycle_model.table import END, Program, Row

HEAD = "·head "
FEW = 5
"""More states than these are counted, not named."""


@dataclass(frozen=True)
class Part:
    """A program of a picture; with a clause only the steps and rows that carry it."""

    program: str
    clause: str = ""


def program_graph(
    flow: Flow, name: str, title: str, sentence: str, parts: Sequence[Part], paint: Paint, link: str = ""
) -> Graph:
    """The picture of programs. `link`: a clause by which a row of a whole program matters later in a filtered one."""
    drawn = {part.program: part for part in parts if part.program in flow.programs}
    steps = {program: _steps(flow, part) for program, part in drawn.items()}
    steps = {program: found for program, found in steps.items() if found}
    groups = tuple(Group(program, "", about=program) for program in steps)
    nodes: list[Node] = []
    edges: list[Edge] = []
    last = ""
    for program, found in steps.items():
        nodes += _outside(flow, program, set(steps), drawn[program])
        edges += [Edge(node.id, _head(program), kind="jump") for node in nodes if node.about == program]
        nodes.append(_header(flow.programs[program]))
        edges.append(Edge(_head(program), found[0][0], kind="next"))
        for index, (step, rows) in enumerate(found):
            onward = _onward(found, index, paint)
            jumps = _jumps(flow, step, rows, steps, paint)
            told = {row for edge in (*onward, *jumps) for way in edge.ways for row in way.rows}
            ways = tuple(paint(_way(flow, row, rows, steps, row.id not in told)) for row in rows)
            nodes.append(Node(step, step, "step", program, ways=ways))
            edges += [*onward, *jumps]
        if last and not any((edge.source, edge.target) == (last, _head(program)) for edge in edges):
            edges.append(Edge(last, _head(program), kind="hidden"))
        last = found[-1][0]
    edges += _later(steps, drawn, link)
    down = tuple(node.id for node in nodes if node.kind != "outside")
    return Graph(name, title, sentence, tuple(nodes), _together(edges), groups, main=down)


def _head(program: str) -> str:
    return f"{HEAD}{program}"


def _header(program: Program) -> Node:
    """The program's name and what it is for, on top of its steps."""
    said = program.about.removeprefix(f"{program.id}: ")
    return Node(_head(program.id), program.id, "header", program.id, about=said, clauses=program.clauses)


_Steps = list[tuple[str, list[Row]]]


def _steps(flow: Flow, part: Part) -> _Steps:
    program = flow.programs[part.program]
    found = [(step, [row for row in flow.rows[step] if _carried(row, part)]) for step in program.steps]
    return [(step, rows) for step, rows in found if rows]


def _carried(row: Row, part: Part) -> bool:
    return not part.clause or part.clause in row.clauses


def _outside(flow: Flow, program: str, drawn: set[str], part: Part) -> list[Node]:
    """What enters a program from outside the picture: commands, and programs that are not drawn."""
    if part.clause:
        return []
    verbs = unique(f"{verb}()" for verb, behind in flow.contract.verbs.items() if behind == program)
    rows = [row for row in flow.contract.rows if flow.home[row.step][0] not in drawn]
    others = unique(
        flow.home[row.step][0]
        for row in rows
        if program in (flow.opened(row), flow.goes_on(row)) or program in flow.woken[row.id]
    )
    found: list[Node] = []
    if verbs:
        found.append(Node(f"·by {program}", ", ".join(verbs), "outside", about=program))
    if others:
        found.append(Node(f"·from {program}", f"from {', '.join(others)}", "outside", about=program))
    return found


def _way(flow: Flow, row: Row, rows: list[Row], drawn: dict[str, _Steps], speaks: bool) -> Way:
    before = rows[: rows.index(row)]
    otherwise = row.guard is None and any(other.guard is not None for other in before)
    return Way(
        guards=unique((guard_name(row.guard),)) or ((ELSE,) if otherwise and not row.states else ()),
        effect=effect_text(row.effect),
        published=published(row) if speaks else (),
        rows=(row.id,),
        key_rows=(row.id,),
        clauses=row.clauses,
        moves=_moves(row),
        then=" · ".join(
            part
            for part in (_asked(row), _runs(flow, row, drawn), _then(flow, row, drawn), _opens(flow, row, drawn))
            if part
        ),
        about=f"{first_line(row.guard)}." if row.guard is not None else "",
    )


def _moves(row: Row) -> str:
    """From where to where; what a row that moves nothing needs to be in."""
    named = ", ".join(row.states) if len(row.states) <= FEW else f"{len(row.states)} states"
    if row.to is not None:
        return f"{named or 'any'} → {row.to}"
    return f"in {named}" if named else ""


def _asked(row: Row) -> str:
    return f"asks {row.asks}" if row.asks else ""


def _runs(flow: Flow, row: Row, drawn: dict[str, _Steps]) -> str:
    return " · ".join(f"runs {program}" for program in flow.woken[row.id] if program not in drawn)


def _then(flow: Flow, row: Row, drawn: dict[str, _Steps]) -> str:
    if row.then is None:
        return ""
    if row.then == END:
        return "" if row.opens else "■"
    if row.then == row.step:
        return "↺"
    target = row.then if row.then in flow.home else flow.programs[row.then].steps[0]
    shown = any(target == step for found in drawn.values() for step, _ in found)
    return "" if shown else f"→ {row.then}"


def _opens(flow: Flow, row: Row, drawn: dict[str, _Steps]) -> str:
    kind, _, _ = (row.opens or "").partition(" ")
    program = flow.opened(row)
    if not kind or program in drawn:
        return ""
    if kind == AGAIN:
        return "waits on"
    gate = _gate(flow, kind)
    return gate if program == kind else f"{gate}, then {program}"


def _gate(flow: Flow, kind: str) -> str:
    return f"gate {kind}" if kind in flow.contract.gates else "others may act"


def _onward(found: _Steps, index: int, paint: Paint) -> list[Edge]:
    """The arrow to the next step drawn, with what the step publishes: listeners act there."""
    step, rows = found[index]
    passing = [row for row in rows if row.then is None]
    leaves = any(row.guard is None and not row.states and row.then is not None for row in rows)
    if index + 1 == len(found) or (leaves and not passing):
        return []
    said = _said(passing)
    if not said:
        return [Edge(step, found[index + 1][0], kind="next")]
    speaking = [row for row in passing if row.says]
    way = Way(
        published=said,
        moves=HEARD,
        rows=tuple(row.id for row in speaking),
        key_rows=tuple(row.id for row in speaking[:1]),
        clauses=unique(clause for row in speaking for clause in row.clauses),
    )
    return [Edge(step, found[index + 1][0], (paint(way),), "next")]


def _said(passing: list[Row]) -> tuple[str, ...]:
    """What a step publishes before the next, `?` where a case of it does not."""
    texts = unique(text.rstrip("?") for row in passing for text in published(row))
    certain = any(row.guard is None for row in passing)
    sure = {text for text in texts if certain and all(text in published(row) for row in passing)}
    return tuple(text + ("" if text in sure else "?") for text in texts)


def _jumps(flow: Flow, step: str, rows: list[Row], drawn: dict[str, _Steps], paint: Paint) -> list[Edge]:
    """Arrows of the rows that go on elsewhere on the picture, open a gate whose program is on it, or wake one on it."""
    shown = {one for found in drawn.values() for one, _ in found}
    edges: list[Edge] = []

    def add(target: str, kind: str, trigger: str, row: Row) -> None:
        said = published(row) if row.then is not None or row.opens else ()
        way = Way(
            trigger=trigger,
            guards=unique((guard_name(row.guard),)),
            published=said,
            moves=HEARD,
            rows=(row.id,) if said else (),
            key_rows=(row.id,),
            clauses=row.clauses,
        )
        edges.append(Edge(step, target, (paint(way),), kind))

    for row in rows:
        if row.then not in (None, END, row.step):
            target = str(row.then) if row.then in flow.home else flow.programs[str(row.then)].steps[0]
            if target in shown:
                add(_entered(flow, target), "jump", "", row)
        opened = flow.opened(row)
        if opened in drawn:
            add(_head(opened), "gate", _gate(flow, (row.opens or "").partition(" ")[0]), row)
        for woken in flow.woken[row.id]:
            if woken in drawn:
                add(_head(woken), "gate", "runs", row)
    return edges


def _entered(flow: Flow, step: str) -> str:
    """Where an arrow to a step ends: at the head of its program if it is the first."""
    program, at = flow.home[step]
    return _head(program) if at == 0 else step


def _later(steps: dict[str, _Steps], drawn: dict[str, Part], clause: str) -> list[Edge]:
    """From rows of a whole program that carry the clause to the first step of each program shown for that clause."""
    if not clause:
        return []
    sources = [
        step
        for program, found in steps.items()
        if not drawn[program].clause
        for step, rows in found
        if any(clause in row.clauses for row in rows)
    ]
    targets = [_head(program) for program in steps if drawn[program].clause == clause]
    way = Way(f"later, by {clause}", clauses=(clause,))
    return [Edge(source, target, (way,), "gate") for source in sources for target in targets]


def _together(edges: list[Edge]) -> tuple[Edge, ...]:
    """Arrows of one kind between the same two nodes are one."""
    found: dict[tuple[str, str, str], Edge] = {}
    for edge in edges:
        key = (edge.source, edge.target, edge.kind)
        before = found.get(key)
        found[key] = edge if before is None else Edge(edge.source, edge.target, (*before.ways, *edge.ways), edge.kind)
    return tuple(found.values())
