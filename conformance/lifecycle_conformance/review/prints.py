"""Prints of what a contract does, equal only where it does the same. Refuses to judge what it cannot read: that is equal to nothing.

A print follows functions through those they call, and is blind to what they, their parts and their modules are named.
Of the modules that the engine itself is made of, the syntax is printed: who changes them changes every step.
"""

from __future__ import annotations

import dis
import hashlib
import importlib
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import msgspec

from lifecycle_conformance.review.syntax import PACKAGE, digest, read
from lifecycle_conformance.review.values import Changes, Shape
from lifecycle_model.table import Contract, Row

ENGINE = ("engine", "quiet", "state", "commands", "wire", "table", "parts")
"""What performs rows; with all that these import, the ground under every contract."""
JUDGING = ("explore", "properties", "invariants", "possible", "eventual", "scopes", "scopes_system")
"""What answers for properties."""
NOT_ROWS = ("id", "clauses", "unreachable", "constant")
"""Members of a row that no engine reads."""
CHOICE = ("machine", "states", "guard")
"""Members of a row that decide whether it is taken."""
NOT_CONTRACT = ("name", "rows", "programs", "clauses", "machines")


def ground(modules: Iterable[str] = ENGINE) -> dict[str, str]:
    """The modules of a part of the model and all that they import, each with a print of its syntax."""
    found: dict[str, str] = {}
    waiting = [f"{PACKAGE}.{name}" for name in modules]
    while waiting:
        name = waiting.pop()
        if name in found or (syntax := read(name)) is None:
            continue
        found[name] = syntax.print
        waiting += syntax.names
    return dict(sorted(found.items()))


def source_print() -> str:
    """A print of every byte of the model's package."""
    folder = Path(str(importlib.import_module(PACKAGE).__file__)).parent
    found = hashlib.blake2b(digest_size=10)
    for path in sorted(folder.rglob("*.py")):
        found.update(f"{path.relative_to(folder)}\n".encode() + path.read_bytes())
    return found.hexdigest()


class Prints:
    """Prints of values, given the modules whose syntax is printed as a whole."""

    def __init__(self, known: Mapping[str, str]) -> None:
        self.ground = known
        self._done: dict[int, tuple[str, object]] = {}
        self._open: list[int] = []
        self._lowest = 0
        """How far down the open functions a recursion went: what is told between is no print of its own."""

    def of(self, thing: object) -> str:
        """The print of a value."""
        return digest(self._told(thing))

    def _told(self, thing: object) -> str:
        if thing is None or thing is ... or isinstance(thing, str | int | float | bytes):
            return repr(thing)
        if isinstance(thing, tuple | list):
            return f"[{' '.join(self._told(one) for one in thing)}]"
        if isinstance(thing, set | frozenset):
            return f"{{{' '.join(sorted(self._told(one) for one in thing))}}}"
        if isinstance(thing, Mapping):
            return f"<{' '.join(f'{self._told(key)}:{self._told(value)}' for key, value in thing.items())}>"
        if isinstance(thing, FunctionType):
            return self._function(thing)
        return self._object(thing)

    def _object(self, thing: object) -> str:
        if isinstance(wrapped := getattr(thing, "__wrapped__", None), FunctionType):
            return f"cached {self._told(wrapped)}"
        if isinstance(thing, type):
            return self._type(thing)
        if isinstance(thing, partial):
            return f"partial {self._told((thing.func, thing.args, thing.keywords))}"
        if isinstance(thing, MethodType):
            return f"method {self._told((thing.__self__, thing.__func__))}"
        if isinstance(thing, BuiltinFunctionType | dis.Instruction):
            return str(getattr(thing, "__qualname__", thing))
        if isinstance(thing, ModuleType):
            return f"module {self._source(thing.__name__)}"
        if type(thing).__module__ in ("typing", "types") or thing is msgspec.UNSET:
            return repr(thing)
        if isinstance(thing, msgspec.Struct):
            return f"{self._type(type(thing))} {self._told([getattr(thing, one) for one in thing.__struct_fields__])}"
        if is_dataclass(thing):
            return f"{self._type(type(thing))} {self._told([getattr(thing, one.name) for one in fields(thing)])}"
        return f"unknown {secrets.token_hex(8)}"  # equal to nothing: better compared once too often

    def _type(self, thing: type) -> str:
        return f"{thing.__qualname__} of {self._source(thing.__module__)}"

    def _source(self, name: str) -> str:
        """A module as it is named in the ground, outside of the model, or else as its whole syntax."""
        syntax = None if name in self.ground else read(name)
        return name if syntax is None else syntax.print

    def _function(self, thing: FunctionType) -> str:
        if id(thing) in self._done:
            return self._done[id(thing)][0]
        if id(thing) in self._open:
            at = self._open.index(id(thing))
            self._lowest = min(self._lowest, at)
            return f"again {len(self._open) - at}"
        outer, self._lowest = self._lowest, len(self._open)
        self._open.append(id(thing))
        around = [cell.cell_contents for cell in thing.__closure__ or ()]
        inputs = self._told([around, thing.__defaults__, thing.__kwdefaults__])
        if thing.__module__ in self.ground:
            told = f"{thing.__module__} {thing.__qualname__} {inputs}"
        else:
            told = f"{self._code(thing.__code__, thing.__globals__)} {inputs}"
        self._open.pop()
        told = digest(told)
        if self._lowest >= len(self._open):
            self._done[id(thing)] = told, thing
        self._lowest = min(outer, self._lowest)
        return told

    def _code(self, code: CodeType, names: Mapping[str, Any]) -> str:
        told = [f"{code.co_argcount} {code.co_kwonlyargcount} {code.co_flags} {code.co_exceptiontable.hex()}"]
        module: ModuleType | None = None
        for one in dis.get_instructions(code):
            value: Any = one.argval
            after: ModuleType | None = None
            if one.opname in ("LOAD_GLOBAL", "LOAD_NAME") and value in names:
                found = names[value]
                after = found if isinstance(found, ModuleType) else None
                shown = "module" if after is not None else self._told(found)
            elif module is not None and isinstance(value, str) and hasattr(module, value):
                shown = self._told(getattr(module, value))  # so a module's name is never seen, only what is taken of it
            elif module is not None:
                shown = self._told(module) + repr(value)
            elif isinstance(value, CodeType):
                shown = self._code(value, names)
            elif one.opname.startswith("IMPORT_") and isinstance(value, str):
                shown = f"{value} {self._source(value)}"
            elif "FAST" in one.opname or "DEREF" in one.opname or "CLOSURE" in one.opname or "CELL" in one.opname:
                shown = str(one.arg)  # a local's number, not its name
            else:
                shown = repr(sorted(value, key=repr) if isinstance(value, frozenset) else value)
            told.append(f"{one.opname} {shown}")
            module = after
        return "\n".join(told)


def shape(contract: Contract, properties: object, prints: Prints) -> Shape:
    """The prints of a contract and of its properties."""
    known = prints.ground
    steps: dict[str, list[str]] = {}
    bodies: dict[str, list[tuple[str, str]]] = {}
    for row in contract.rows:
        steps.setdefault(row.step, []).append(prints.of([getattr(row, one) for one in CHOICE]))
        bodies.setdefault(row.step, []).append((row.id, row_print(prints, row)))
    parts = [getattr(contract, one.name) for one in fields(contract) if one.name not in NOT_CONTRACT]
    machines = [(one.name, one.member, one.initial) for one in contract.machines]
    judging = ground(JUDGING)
    return Shape(
        digest(f"{known} {prints.of((parts, machines))}"),
        {step: digest(" ".join(those)) for step, those in steps.items()},
        {step: tuple(those) for step, those in bodies.items()},
        {program.id: program.steps for program in contract.programs},
        digest(f"{judging} {Prints(judging).of(properties)}"),
        tuple(row.id for row in contract.rows),
    )


def row_print(prints: Prints, row: Row) -> str:
    """The print of what a row does: all but its name and clauses."""
    return prints.of([getattr(row, one.name) for one in fields(row) if one.name not in NOT_ROWS])


def code_print(things: list[Callable[..., Any] | object]) -> str:
    """A print of what functions do, through those they call; blind to names, lines and docstrings."""
    return Prints(ground()).of(things)


def changes(base: Shape, head: Shape) -> Changes | None:
    """Where a run of base may go otherwise on head; None where all of them may.

    Where a step chooses among its rows as before, only those of its rows that do something else count, once taken.
    """
    if base.ground != head.ground:
        return None
    steps: set[str] = set()
    rows: set[str] = set()
    for step in base.bodies.keys() | head.bodies.keys():
        old, new = base.bodies.get(step, ()), head.bodies.get(step, ())
        if base.steps.get(step) != head.steps.get(step):
            steps.add(step)
        else:
            rows |= {name for (name, does), (_, other) in zip(old, new, strict=True) if does != other}
    for name, order in base.programs.items():
        if head.programs.get(name) != order:
            steps |= set(order)
    return Changes(tuple(sorted(steps)), tuple(sorted(rows)))
