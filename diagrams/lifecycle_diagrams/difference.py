"""Compares two contracts: the arrows of both on one picture, and what changed as text. Refuses to compare behaviour."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lifecycle_diagrams.graph import Edge, Graph, Node, Way, unique
from lifecycle_diagrams.words import effect_text, guard_name, published
from lifecycle_model.table import Contract, Machine, Program, Row


def compared_edges(base: Sequence[Edge], head: Sequence[Edge]) -> list[Edge]:
    """The arrows of both, each way with its tone: added, removed, changed, or none."""
    before = {(edge.source, edge.target, edge.kind): edge for edge in base}
    after = {(edge.source, edge.target, edge.kind): edge for edge in head}
    found: list[Edge] = []
    for key in unique_keys((*after, *before)):
        edge = after.get(key) or before[key]
        ways = _compared(_ways(before.get(key)), _ways(after.get(key)))
        tone = "" if key in before and key in after else "added" if key in after else "removed"
        found.append(replace(edge, ways=ways, tone=tone))
    return found


def compared_graphs(base: Graph, head: Graph) -> Graph:
    """Both pictures as one; for pictures whose nodes are named by what they stand for."""
    before = {node.id: node for node in base.nodes}
    after = {node.id: node for node in head.nodes}
    nodes: list[Node] = []
    for key in unique_keys((*after, *before)):
        node = after.get(key) or before[key]
        tone = "" if key in before and key in after else "added" if key in after else "removed"
        old = before[key].ways if key in before else ()
        new = after[key].ways if key in after else ()
        nodes.append(replace(node, ways=_compared(old, new), tone=tone))
    groups = {group.id: group for group in (*base.groups, *head.groups)}
    return replace(
        head, nodes=tuple(nodes), edges=tuple(compared_edges(base.edges, head.edges)), groups=tuple(groups.values())
    )


def unique_keys(keys: Iterable[Any]) -> list[Any]:
    """The same without repetitions, in order."""
    return list(dict.fromkeys(keys))


def _ways(edge: Edge | None) -> tuple[Way, ...]:
    return () if edge is None else edge.ways


def _name(way: Way) -> tuple[str, ...]:
    return way.key_rows or (way.trigger, *way.published)


def _compared(base: Iterable[Way], head: Iterable[Way]) -> tuple[Way, ...]:
    before = {_name(way): way for way in base}
    after = {_name(way): way for way in head}
    found: list[Way] = []
    for name in unique_keys((*after, *before)):
        way = after.get(name) or before[name]
        if name not in before or name not in after:
            way = replace(way, tone="added" if name in after else "removed")
        elif _shown(before[name]) != _shown(way):
            way = replace(way, tone="changed", about=f"{way.about} Before: {' '.join(_shown(before[name]))}".strip())
        found.append(way)
    return tuple(found)


def _shown(way: Way) -> tuple[str, ...]:
    guards = (f"[{', '.join(way.guards)}]",) if way.guards else ()
    said = (f"/ {' '.join(way.published)}",) if way.published else ()
    return tuple(part for part in (way.trigger, *guards, way.moves, way.effect, *said, way.then) if part)


def difference(base: Contract, head: Contract) -> str:
    """What is added, removed and changed from base to head, one line each, by kind."""
    lines = [f"from contract {base.name} to contract {head.name}"]
    lines += _kind("machine", _named(base.machines), _named(head.machines), _machine)
    lines += _kind("program", _by_id(base.programs), _by_id(head.programs), _program)
    lines += _kind("row", _by_id(base.rows), _by_id(head.rows), _row)
    lines += _kind("clause", base.clauses, head.clauses, lambda sentence: {"sentence": sentence})
    return "\n".join(lines if len(lines) > 1 else [*lines, "no difference"]) + "\n"


def _named(machines: Iterable[Machine]) -> dict[str, Machine]:
    return {machine.name: machine for machine in machines}


def _by_id(things: Iterable[Any]) -> dict[str, Any]:
    return {thing.id: thing for thing in things}


def _kind(
    kind: str, base: Mapping[str, Any], head: Mapping[str, Any], told: Callable[[Any], dict[str, str]]
) -> list[str]:
    lines: list[str] = []
    for name in unique((*base, *head)):
        if name not in base:
            lines.append(f"+ {kind} {name}: {_line(told(head[name]))}")
        elif name not in head:
            lines.append(f"- {kind} {name}")
        else:
            old, new = told(base[name]), told(head[name])
            changed = [
                f"{part} {old[part] or 'none'} → {new[part] or 'none'}" for part in new if old[part] != new[part]
            ]
            if changed:
                lines.append(f"± {kind} {name}: {'; '.join(changed)}")
    return lines


def _line(parts: dict[str, str]) -> str:
    return "; ".join(f"{name} {text}" for name, text in parts.items() if text)


def _machine(machine: Machine) -> dict[str, str]:
    nested = ", ".join(f"{state} in {parent}" for state, parent in machine.parents.items())
    return {"states": ", ".join(machine.states), "initial": machine.initial, "nested": nested}


def _program(program: Program) -> dict[str, str]:
    return {"steps": ", ".join(program.steps), "clauses": " ".join(program.clauses)}


def _row(row: Row) -> dict[str, str]:
    return {
        "machine": row.machine,
        "from": ", ".join(row.states),
        "step": row.step,
        "guard": guard_name(row.guard),
        "to": row.to or "",
        "effect": effect_text(row.effect),
        "says": " ".join(published(row)),
        "then": row.then or "",
        "opens": row.opens or "",
        "asks": row.asks or "",
        "clauses": " ".join(row.clauses),
    }
