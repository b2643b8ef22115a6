"""Builds the picture of programs: their steps downwards, each row of a step, and where listeners may act between them.

Refuses to know any program by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lifecycle_diagrams.flow import Flow
from lifecycle_diagrams.graph import Edge, Graph, Group, Node, Way, unique
from lifecycle_diagrams.labels import ELSE, HEARD
from lifecycle_diagrams.tones import Paint
from lifecycle_diagrams.words import effect_text, first_line, guard_name, published, short
from lifecycle_model.engine import AGAIN
from lifecycle_model.table import END, Program, Row

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
    """The picture of programs: a box is a stretch of steps in which nobody else can act.

    `link`: a clause by which a row of a whole program matters later in a filtered one.
    """
    drawn = {part.program: part for part in parts if part.program in flow.programs}
    steps = {program: _steps(flow, part) for program, part in drawn.items()}
    steps = {program: found for program, found in steps.items() if found}
    boxes = _boxes(flow, steps)
    groups = tuple(
        Group(program, "") for program, found in steps.items() if len({boxes[step] for step, _ in found}) > 1
    )
    framed = {group.id for group in groups}
    nodes: list[Node] = []
    edges: list[Edge] = []
    last = ""
    for program, found in steps.items():
        outside = _outside(flow, program, set(steps), drawn[program])
        first = found[0][0]
        edges += [Edge(node.id, first, kind="jump") for node in outside]
        nodes += outside
        for box in unique(boxes[step] for step, _ in found):
            held = [(step, rows) for step, rows in found if boxes[step] == box]
            ways = tuple(
                paint(_way(flow, row, rows, steps, step == found[-1][0])) for step, rows in held for row in rows
            )
            nodes.append(_box(flow.programs[program], box == first, held, ways, program if program in framed else ""))
            edges += _onward(found, held, paint)
            edges += [edge for step, rows in held for edge in _jumps(flow, box, step, rows, steps, boxes, paint)]
        if last and not any((edge.source, edge.target) == (last, first) for edge in edges):
            edges.append(Edge(last, first, kind="hidden"))
        last = boxes[found[-1][0]]
    edges += _later(steps, boxes, drawn, link)
    down = tuple(node.id for node in nodes if node.kind != "outside")
    return Graph(name, title, sentence, tuple(nodes), _together(edges), groups, main=down)


def _boxes(flow: Flow, steps: Mapping[str, _Steps]) -> dict[str, str]:
    """The first step of the box that each step stands in."""
    targets = {
        row.then for rows in flow.rows.values() for row in rows if row.then in flow.home and row.then != row.step
    }
    boxes: dict[str, str] = {}
    for found in steps.values():
        box = ""
        for step, rows in found:
            if not box or step in targets:
                box = step
            boxes[step] = box
            if any(row.says and row.then is None for row in rows):
                box = ""
    return boxes


def _box(program: Program, head: bool, held: _Steps, ways: tuple[Way, ...], frame: str) -> Node:
    """A stretch of steps; the first of a program is headed by its name and what it is for."""
    names = tuple(step for step, _ in held)
    if not head:
        return Node(names[0], "", "step", frame, ways=ways, steps=names)
    said = program.about.removeprefix(f"{program.id}: ")
    return Node(names[0], program.id, "step", frame, ways=ways, about=said, clauses=program.clauses, steps=names)


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
    if program in flow.heard:
        events = ", ".join(short(event) for event in flow.heard[program])
        found.append(Node(f"·hears {program}", f"hears {events}", "outside", about=program))
    if others:
        found.append(Node(f"·from {program}", f"from {', '.join(others)}", "outside", about=program))
    return found


def _way(flow: Flow, row: Row, rows: list[Row], drawn: Mapping[str, _Steps], last: bool) -> Way:
    before = rows[: rows.index(row)]
    otherwise = row.guard is None and any(other.guard is not None or other.states for other in before)
    going = (_asked(row), _runs(flow, row, drawn), _then(row), _opens(flow, row, drawn))
    return Way(
        trigger=row.step.removeprefix(f"{flow.home[row.step][0]}."),
        guards=unique((guard_name(row.guard),)) or ((ELSE,) if otherwise and not row.states else ()),
        effect=effect_text(row.effect),
        published=published(row) if last or row.then is not None else (),
        rows=(row.id,),
        key_rows=(row.id,),
        clauses=row.clauses,
        moves=_moves(row),
        then=" · ".join(part for part in going if part).replace(" · ■", " ■"),
        about=f"{first_line(row.guard)}." if row.guard is not None else "",
    )


def _told_once(ways: Iterable[Way]) -> tuple[Way, ...]:
    """Rows of a step that read the same are one line."""
    found: dict[tuple[object, ...], Way] = {}
    for way in ways:
        key = (way.trigger, way.guards, way.moves, way.effect, way.then, way.published, way.tone)
        before = found.get(key)
        if before is None:
            found[key] = way
        else:
            found[key] = replace(
                before,
                rows=(*before.rows, *way.rows),
                key_rows=(*before.key_rows, *way.key_rows),
                clauses=unique((*before.clauses, *way.clauses)),
                count=None if before.count is None else before.count + (way.count or 0),
            )
    return tuple(found.values())


def _moves(row: Row) -> str:
    """From where to where; what a row that moves nothing needs to be in."""
    named = ", ".join(row.states) if len(row.states) <= FEW else f"{len(row.states)} states"
    if row.to is not None:
        return f"{named or 'any'} → {row.to}"
    return f"in {named}" if named else ""


def _asked(row: Row) -> str:
    return f"asks {row.asks}" if row.asks else ""


def _runs(flow: Flow, row: Row, drawn: Mapping[str, _Steps]) -> str:
    return " · ".join(f"runs {program}" for program in flow.woken[row.id] if program not in drawn)


def _then(row: Row) -> str:
    if row.then is None:
        return ""
    if row.then == END:
        return "" if row.opens else "■"
    return "↺" if row.then == row.step else f"→ {row.then}"


def _opens(flow: Flow, row: Row, drawn: Mapping[str, _Steps]) -> str:
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


def _onward(found: _Steps, held: _Steps, paint: Paint) -> list[Edge]:
    """The arrow from a box to the next, with what its last step publishes: listeners act there."""
    step, rows = held[-1]
    index = [name for name, _ in found].index(step)
    passing = [row for row in rows if row.then is None]
    leaves = any(row.guard is None and not row.states and row.then is not None for row in rows)
    if leaves and not passing:
        return []
    said = _said(passing)
    if index + 1 == len(found):
        return []
    source, target = held[0][0], found[index + 1][0]
    if not said:
        return [Edge(source, target, kind="next")]
    speaking = [row for row in passing if row.says]
    way = Way(
        published=said,
        moves=HEARD,
        rows=tuple(row.id for row in speaking),
        key_rows=tuple(row.id for row in speaking[:1]),
        clauses=unique(clause for row in speaking for clause in row.clauses),
    )
    return [Edge(source, target, (paint(way),), "next")]


def _said(passing: list[Row]) -> tuple[str, ...]:
    """What a step publishes before the next, `?` where a case of it does not."""
    texts = unique(text.rstrip("?") for row in passing for text in published(row))
    certain = any(row.guard is None for row in passing)
    sure = {text for text in texts if certain and all(text in published(row) for row in passing)}
    return tuple(text + ("" if text in sure else "?") for text in texts)


def _jumps(
    flow: Flow,
    box: str,
    step: str,
    rows: list[Row],
    drawn: Mapping[str, _Steps],
    boxes: Mapping[str, str],
    paint: Paint,
) -> list[Edge]:
    """Arrows of the rows that go on in another box, open a gate whose program is on the picture, or run one on it."""
    edges: list[Edge] = []

    def add(target: str, kind: str, trigger: str, row: Row) -> None:
        way = Way(trigger, rows=(row.id,), key_rows=(row.id,), clauses=row.clauses)
        if target in boxes and (boxes[target] != box or kind == "gate"):
            edges.append(Edge(box, boxes[target], (paint(way),), kind))

    for row in rows:
        if row.then not in (None, END, row.step):
            add(flow.first(str(row.then)), "jump", "", row)
        opened = flow.opened(row)
        if opened is not None and opened in drawn:
            add(flow.first(opened), "gate", _gate(flow, (row.opens or "").partition(" ")[0]), row)
        for woken in flow.woken[row.id]:
            if woken in drawn:
                add(flow.first(woken), "gate", "runs", row)
    return edges


def _later(steps: Mapping[str, _Steps], boxes: Mapping[str, str], drawn: Mapping[str, Part], clause: str) -> list[Edge]:
    """From rows of a whole program that carry the clause to the first step of each program shown for that clause."""
    if not clause:
        return []
    sources = [
        boxes[step]
        for program, found in steps.items()
        if not drawn[program].clause
        for step, rows in found
        if any(clause in row.clauses for row in rows)
    ]
    targets = [found[0][0] for program, found in steps.items() if drawn[program].clause == clause]
    way = Way(f"later, by {clause}", clauses=(clause,))
    return [Edge(source, target, (way,), "gate") for source in unique(sources) for target in targets]


def _together(edges: list[Edge]) -> tuple[Edge, ...]:
    """Arrows of one kind between the same two nodes are one; a jump to the next box needs none of its own."""
    found: dict[tuple[str, str, str], Edge] = {}
    for edge in edges:
        key = (edge.source, edge.target, edge.kind)
        before = found.get(key)
        found[key] = edge if before is None else Edge(edge.source, edge.target, (*before.ways, *edge.ways), edge.kind)
    return tuple(
        edge
        for (source, target, kind), edge in found.items()
        if kind != "jump" or (source, target, "next") not in found
    )
