"""Generic mutants: every place of a module where one small, mechanical change makes another program.

Refuses to choose which are hunted. A mutant's name holds no line number, so that it outlives edits elsewhere in its module.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec

from lifecycle_conformance.mutants.hunt import Hunt, Hunter, tries
from lifecycle_conformance.mutants.load import load_source
from lifecycle_conformance.mutants.nursery import in_child
from lifecycle_conformance.mutants.plans import Planned

MODULES = (
    "abortable",
    "agent",
    "bus",
    "claims",
    "context",
    "core",
    "creation",
    "driver",
    "entries",
    "fibers",
    "futures",
    "handle",
    "history",
    "inbox",
    "persistence",
    "provider",
    "registry",
    "repair",
    "session",
    "signals",
    "startup",
    "step",
    "store",
    "teardown",
    "toolbatch",
    "turn",
)
"""The lifecycle modules: what carries sections S, Q, C, P, T, L, D and G. Tasks, bridge, models and shell have tests of their own."""

SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
}
"""Operators and what each is replaced by."""


@dataclass(frozen=True)
class _Change:
    """What is done to a node: the operator's name, and the change of a copy of it; None gives `pass`."""

    kind: str
    node: ast.AST
    change: Callable[[ast.AST], ast.AST]


@dataclass(frozen=True)
class Place:
    """One mutant: its module, its name, and the line it is on."""

    module: str
    name: str
    line: int
    _tree: ast.Module
    _change: _Change

    @property
    def source(self) -> str:
        """The mutated module."""
        return _with(self._tree, self._change)


def places(module: str, source: str) -> list[Place]:
    """Every generic mutant of a module, in the order of its text."""
    tree = ast.parse(source)
    found: list[Place] = []
    seen: Counter[str] = Counter()
    for function, name in _functions(tree):
        for change in _changes(function):
            said = " ".join(ast.unparse(change.node).split())
            base = f"{module}.{name}: {change.kind} `{said if len(said) <= 70 else said[:67] + '...'}`"
            seen[base] += 1
            full = base if seen[base] == 1 else f"{base} #{seen[base]}"
            line = getattr(change.node, "lineno", 0)
            found.append(Place(module, full, line, tree, change))
    return found


def _functions(tree: ast.Module) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, str]]:
    """Every function and method with its qualified name; inner functions belong to the outer one."""
    todo: list[tuple[ast.AST, str]] = [(tree, "")]
    while todo:
        node, prefix = todo.pop(0)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                if child.name not in ("__repr__", "__str__"):
                    yield child, prefix + child.name
            elif isinstance(child, ast.ClassDef):
                todo.append((child, f"{prefix}{child.name}."))


def _changes(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[_Change]:
    for node in _body(function):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in SWAPPED:
            yield _Change("compare", node, _swap_compare)
        elif isinstance(node, ast.BoolOp):
            yield _Change("and-or", node, _swap)
        elif isinstance(node, ast.BinOp) and type(node.op) in SWAPPED:
            yield _Change("arithmetic", node, _swap)
        elif isinstance(node, ast.If | ast.While | ast.IfExp):
            if not isinstance(node.test, ast.Compare | ast.Constant):
                yield _Change("negate", node.test, _negated)
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int):
            yield _Change("constant", node, _other_constant)
        elif (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await)) or (
            isinstance(node, ast.Assign | ast.AugAssign) and _is_state(node) and function.name != "__init__"
        ):
            yield _Change("delete", node, lambda _: ast.Pass())
        elif isinstance(node, ast.Break):
            yield _Change("break-continue", node, lambda _: ast.Continue())
        elif isinstance(node, ast.Continue):
            yield _Change("break-continue", node, lambda _: ast.Break())


def _body(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.AST]:
    """The nodes that do something: no docstrings, annotations, messages of errors, or assertions."""
    todo: list[ast.AST] = list(reversed(function.body))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr | ast.ImportFrom | ast.Import):
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        yield node
        children = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            children = list(node.body)
        elif isinstance(node, ast.AnnAssign):
            children = [node.value] if node.value is not None else []
        todo += reversed(children)


def _is_state(node: ast.Assign | ast.AugAssign) -> bool:
    """An assignment to an attribute: a deleted local, or a deleted first value, would only be an error at once."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return all(isinstance(target, ast.Attribute | ast.Subscript) for target in targets)


def _swap_compare(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Compare)
    node.ops = [SWAPPED[type(node.ops[0])]()]  # type: ignore[list-item]  # pyright: ignore[reportAttributeAccessIssue] -- a table of classes
    return node


def _swap(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.BoolOp | ast.BinOp)
    node.op = SWAPPED[type(node.op)]()  # type: ignore[assignment]  # pyright: ignore[reportAttributeAccessIssue] -- a table of classes
    return node


def _negated(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.expr)
    return (
        node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) else ast.UnaryOp(ast.Not(), node)
    )


def _other_constant(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Constant)
    value = node.value
    assert isinstance(value, int)
    return ast.Constant(not value if isinstance(value, bool) else value + 1)


def _with(tree: ast.Module, change: _Change) -> str:
    """The module's source with one node changed; its comments are lost, its meaning is not."""

    class Put(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            if node is change.node:
                made = change.change(copy.deepcopy(node))
                return ast.copy_location(made, node)
            return self.generic_visit(_shallow(node))

    return ast.unparse(ast.fix_missing_locations(Put().visit(tree)))


def _shallow(node: ast.AST) -> ast.AST:
    """A copy of a node with its own lists: the transformer works in place, and the tree is used again."""
    made = copy.copy(node)
    for name, value in ast.iter_fields(node):
        if isinstance(value, list):
            setattr(made, name, list(value))
    return made


@dataclass(frozen=True)
class Death:
    """How a generic mutant died: `violates`, `error` (the adapter saw it crash) or `ended` (its process did not answer)."""

    how: str
    engine: str
    runs: int
    clauses: tuple[str, ...] = ()
    note: str = ""


def hunt(hunter: Hunt, place: Place, engine: str, seconds: float) -> Death | None:
    """Run one engine's plan against a mutant up to the first failure; None if it survives."""
    plan = hunter.plan(engine)
    given = in_child(lambda: _first_failure(hunter, place, engine, plan), seconds)
    if isinstance(given, str):
        return Death("ended", engine, 0, note=given)
    return msgspec.json.decode(given, type=Death | None)


def _first_failure(hunter: Hunt, place: Place, engine: str, plan: list[Planned]) -> bytes:
    load_source(place.module, place.source, place.name)
    death: Death | None = None
    try:
        for one in tries(Hunter(hunter.planner), plan, small=False):
            if one.trial.error is not None:
                death = Death("error", engine, one.runs, note=str(one.trial.error)[:160])
            elif one.failed:
                death = Death("violates", engine, one.runs, one.clauses)
            if death is not None:
                break
    except Exception as error:
        # the runtime could not even be opened
        death = Death("error", engine, 0, note=f"{type(error).__name__}: {error}"[:160])
    return msgspec.json.encode(death)
