"""Writes the pictures and says which are stale. Refuses to draw what no row or program says.

Text forms are compared byte for byte, an SVG by the hash of its DOT.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lifecycle_diagrams import svg as layout
from lifecycle_diagrams.dot import dot
from lifecycle_diagrams.errors import DiagramError
from lifecycle_diagrams.flow import Flow
from lifecycle_diagrams.graph import DETAILS, Detail, Graph
from lifecycle_diagrams.machine_graph import machine_graph
from lifecycle_diagrams.mermaid import mermaid
from lifecycle_model.table import Contract

FORMATS = ("mermaid", "dot", "svg")
ENDINGS = {"mermaid": "mmd", "dot": "dot", "svg": "svg"}


@dataclass(frozen=True)
class View:
    """One picture: a machine, under a name of its own."""

    name: str
    machine: str
    title: str
    sentence: str


VIEWS = (
    View("agent-status", "agent", "Agent status", "How an agent goes from created to gone, with its status as frames."),
    View(
        "turn", "turn", "The life of a turn", "Where the driver waits in a message turn, and what is logged on the way."
    ),
)


_FLOWS: dict[int, tuple[Contract, Flow]] = {}


def _flow(contract: Contract) -> Flow:
    """A contract's flow, computed once; a contract holds mappings, so it is known by its identity."""
    if id(contract) not in _FLOWS:
        _FLOWS[id(contract)] = (contract, Flow(contract))
    return _FLOWS[id(contract)][1]


def view(name: str) -> View:
    """A view by name; DiagramError lists those that exist."""
    for one in VIEWS:
        if one.name == name:
            return one
    raise DiagramError(f"no picture {name!r}; there are {', '.join(one.name for one in VIEWS)}")


def graph_of(contract: Contract, one: View) -> Graph:
    """The graph of a view, from the contract's rows and programs."""
    for machine in contract.machines:
        if machine.name == one.machine:
            return machine_graph(_flow(contract), machine, one.name, one.title, one.sentence)
    raise DiagramError(f"contract {contract.name} has no machine {one.machine!r}")


def render(contract: Contract, name: str, form: str = "mermaid", detail: Detail = "guards") -> str:
    """One picture as text: mermaid, dot or svg. DiagramError for an unknown view, form or detail, or a missing layout."""
    if form not in FORMATS:
        raise DiagramError(f"no format {form!r}; there are {', '.join(FORMATS)}")
    if detail not in DETAILS:
        raise DiagramError(f"no detail {detail!r}; there are {', '.join(DETAILS)}")
    graph = graph_of(contract, view(name))
    if form == "mermaid":
        return mermaid(graph, detail)
    source = dot(graph, detail)
    if form == "dot":
        return source
    if not layout.available():
        raise DiagramError(
            "SVG needs the layout extra: pip install 'lifecycle-spec[svg]'; mermaid and dot work without"
        )
    return layout.svg(source, graph.title, graph.sentence, {})


def drawable(contract: Contract) -> tuple[View, ...]:
    """The views whose machine the contract has."""
    known = {machine.name for machine in contract.machines}
    return tuple(one for one in VIEWS if one.machine in known)


def write(contract: Contract, folder: Path, forms: Sequence[str] = FORMATS, detail: Detail = "guards") -> list[Path]:
    """Write every picture in these forms; gives the files."""
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for one in drawable(contract):
        for form in forms:
            path = folder / f"{one.name}.{ENDINGS[form]}"
            path.write_text(render(contract, one.name, form, detail), encoding="utf-8")
            written.append(path)
    return written


def check(contract: Contract, folder: Path, detail: Detail = "guards") -> list[str]:
    """Name every committed picture that is missing or stale; empty where all are fresh."""
    return list(_stale(contract, folder, detail))


def _stale(contract: Contract, folder: Path, detail: Detail) -> Iterator[str]:
    for one in drawable(contract):
        source = render(contract, one.name, "dot", detail)
        for form in FORMATS:
            path = folder / f"{one.name}.{ENDINGS[form]}"
            if not path.exists():
                yield f"{path} is missing"
                continue
            text = path.read_text(encoding="utf-8")
            if form == "svg":
                fresh = layout.embedded(text) == layout.digest(source)
            else:
                fresh = text == (source if form == "dot" else render(contract, one.name, form, detail))
            if not fresh:
                yield f"{path} is stale"
