"""Puts a mutant in the runtime's place: the one module is compiled from its mutated source when it is imported.

Refuses to touch a file, and a process that has imported the runtime already: a mutant lives in a process of its own.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from lifecycle_conformance.mutants.mutant import Mutant, MutantError

RUNTIME = "lifecycle_runtime"


class RuntimeLoaded(MutantError):
    """This process has imported the runtime already; a mutant needs a fresh one."""


def source_of(module: str) -> tuple[Path, str]:
    """Where a module of the runtime is, and its source; nothing of the runtime is imported."""
    found = importlib.util.find_spec(RUNTIME)
    places = found.submodule_search_locations if found is not None else None
    for place in places or ():
        path = Path(place) / f"{module}.py"
        if path.is_file():
            return path, path.read_text(encoding="utf-8")
    raise MutantError(f"there is no module {RUNTIME}.{module}", hint="is the reference runtime installed?")


def mutated(mutant: Mutant) -> str:
    """The mutant's module as it would be compiled. Raises `MutantStale` if the runtime changed under it."""
    return mutant.mutate(source_of(mutant.module)[1])


def load(mutant: Mutant) -> None:
    """Make the runtime that this process will import the mutant's; raises `RuntimeLoaded` if it is too late."""
    load_source(mutant.module, mutated(mutant), mutant.id)


def load_source(module: str, source: str, name: str) -> None:
    """Make a module of the runtime that this process will import be this source; `name` is for the message."""
    known = sorted(one for one in sys.modules if one == RUNTIME or one.startswith(f"{RUNTIME}."))
    if known:
        raise RuntimeLoaded(
            f"mutant {name} cannot be loaded: {known[0]} is imported already",
            hint="load a mutant first thing in a fresh process",
        )
    sys.meta_path.insert(0, _Finder(f"{RUNTIME}.{module}", source_of(module)[0], source))


class _Finder(MetaPathFinder):
    """Finds the one module, and leaves every other to the finders behind it."""

    def __init__(self, name: str, path: Path, source: str) -> None:
        self._name = name
        self._path = path
        self._source = source

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        """The mutated module's spec; no bytecode is read or written for it."""
        if fullname != self._name:
            return None
        return ModuleSpec(fullname, _Loader(self._path, self._source), origin=str(self._path))


class _Loader(Loader):
    """Runs the mutated source."""

    def __init__(self, path: Path, source: str) -> None:
        self._path = path
        self._source = source

    def exec_module(self, module: ModuleType) -> None:
        """Compile and run it in the module."""
        exec(compile(self._source, str(self._path), "exec", dont_inherit=True), vars(module))
