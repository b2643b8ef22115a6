"""Writes the pictures, shows one, and says which are stale. Refuses to draw what no row or program says.

Text forms are compared byte for byte, an SVG by the hash of its DOT.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from lifecycle_diagrams import png as raster
from lifecycle_diagrams import svg as vector
from lifecycle_diagrams.difference import difference
from lifecycle_diagrams.dot import dot
from lifecycle_diagrams.errors import DiagramError
from lifecycle_diagrams.gallery import gallery
from lifecycle_diagrams.graph import DETAILS, Detail, Graph
from lifecycle_diagrams.mermaid import mermaid
from lifecycle_diagrams.tips import tips
from lifecycle_diagrams.views import build, build_difference, view_named, views_of
from lifecycle_model.table import Contract

FORMATS = ("mermaid", "dot", "svg")
"""What is committed."""
ON_REQUEST = ("png",)
ENDINGS = {"mermaid": "mmd", "dot": "dot", "svg": "svg", "png": "png"}
README = "README.md"
REDRAW = "run `lifecycle draw`"


def render(
    contract: Contract,
    view: str,
    form: str = "mermaid",
    detail: Detail = "guards",
    *,
    focus: str | None = None,
    clause: str | None = None,
    coverage: Mapping[str, int] | None = None,
) -> str:
    """One picture as text: mermaid, dot or svg.

    `focus` is a state, step or machine that stands out with its neighbours; `clause` leaves only the rows that carry it;
    `coverage` counts how often each row (by id) was taken, and colours by it. DiagramError for what does not exist.
    """
    graph = build(contract, view_named(contract, view), focus, clause, coverage)
    return drawn(graph, form, detail, contract.clauses)


def render_difference(
    base: Contract, head: Contract, view: str, form: str = "mermaid", detail: Detail = "guards"
) -> str:
    """Two contracts on one picture, or (form `text`) everything that is added, removed and changed as lines."""
    if form == "text":
        return difference(base, head)
    known = {one.name: one for contract in (base, head) for one in views_of(contract)}
    if view not in known:
        raise DiagramError(f"no picture {view!r}", hint=f"there are {', '.join(known)}")
    return drawn(build_difference(base, head, known[view]), form, detail, {**base.clauses, **head.clauses})


def drawn(graph: Graph, form: str, detail: Detail, clauses: Mapping[str, str]) -> str:
    """A graph in a text form."""
    if form not in FORMATS:
        raise DiagramError(f"no format {form!r}", hint=f"there are {', '.join((*FORMATS, *ON_REQUEST))}")
    if detail not in DETAILS:
        raise DiagramError(f"no detail {detail!r}", hint=f"there are {', '.join(DETAILS)}")
    if form == "mermaid":
        return mermaid(graph, detail)
    source = dot(graph, detail)
    return source if form == "dot" else vector.svg(graph, detail, described(graph), tips(graph, clauses))


def described(graph: Graph) -> str:
    """What a screen reader says of a picture: its sentence, its states or steps, its notes."""
    names = [node.label for node in graph.nodes if node.label and node.kind not in ("exit", "copy", "outside")]
    return " ".join((graph.sentence, f"It shows {', '.join(names)}.", *graph.notes))


def write(contract: Contract, folder: Path, forms: Sequence[str] = FORMATS, detail: Detail = "guards") -> list[Path]:
    """Write every picture in these forms and, with all committed forms, the gallery; gives the files."""
    for form in forms:
        if form not in ENDINGS:
            raise DiagramError(f"no format {form!r}", hint=f"there are {', '.join(ENDINGS)}")
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for view in views_of(contract):
        graph = build(contract, view)
        for form in forms:
            path = folder / f"{view.name}.{ENDINGS[form]}"
            if form == "png":
                path.write_bytes(raster.png(drawn(graph, "svg", detail, contract.clauses)))
            else:
                path.write_text(drawn(graph, form, detail, contract.clauses), encoding="utf-8")
            written.append(path)
    if set(FORMATS) <= set(forms):
        path = _gallery_path(folder)
        path.write_text(gallery(contract, folder.name if path.parent != folder else "."), encoding="utf-8")
        written.append(path)
    return written


def check(contract: Contract, folder: Path, detail: Detail = "guards") -> list[str]:
    """Name every committed picture that is missing, stale or left over, and the gallery, with what to do; empty if all are fresh."""
    return list(_stale(contract, folder, detail))


def _gallery_path(folder: Path) -> Path:
    """The gallery stands beside a folder named `generated`, and inside any other."""
    return (folder.parent if folder.name == "generated" else folder) / README


def _stale(contract: Contract, folder: Path, detail: Detail) -> Iterator[str]:
    expected: set[Path] = set()
    for view in views_of(contract):
        graph = build(contract, view)
        source = dot(graph, detail)
        for form in FORMATS:
            path = folder / f"{view.name}.{ENDINGS[form]}"
            expected.add(path)
            if not path.exists():
                yield f"{path} is missing; {REDRAW}"
                continue
            text = path.read_text(encoding="utf-8")
            if form == "svg":
                fresh = vector.embedded(text) == vector.digest(source)
            else:
                fresh = text == (source if form == "dot" else mermaid(graph, detail))
            if not fresh:
                yield f"{path} is stale; {REDRAW}"
    path = _gallery_path(folder)
    told = gallery(contract, folder.name if path.parent != folder else ".")
    if not path.exists():
        yield f"{path} is missing; {REDRAW}"
    elif path.read_text(encoding="utf-8") != told:
        yield f"{path} is stale; {REDRAW}"
    for left in sorted(folder.glob("*")) if folder.is_dir() else []:
        if left.suffix.lstrip(".") in (ENDINGS[form] for form in FORMATS) and left not in expected:
            yield f"{left} is left over, no picture has this name; delete it"
