"""A module of the model as a print of its syntax and the modules it names; kept in the cache by its text. Refuses to run it."""

from __future__ import annotations

import ast
import hashlib
import importlib
import os
import sys
import threading
from functools import cache
from pathlib import Path

import msgspec

from lifecycle_conformance.systems.dsh import default_cache

PACKAGE = "lifecycle_model"
PARSING = threading.Lock()
"""Base and head may be read in two threads, and the parser of Python 3.11 counts its depth for all threads together."""
MOST = 2000
"""Texts remembered at most, the latest: ten times what one model has."""


class Syntax(msgspec.Struct, frozen=True, array_like=True):
    """What is read of a module: docstrings, comments and lines are not."""

    print: str
    names: tuple[str, ...]
    """What it imports; of `from a import b` both `a` and `a.b`, for either may be the module."""


def digest(text: str) -> str:
    """A short print of a text."""
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


@cache
def read(name: str) -> Syntax | None:
    """The syntax of a module; None for what is no module of the model."""
    if name.partition(".")[0] != PACKAGE:
        return None
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError:
        return None
    text = Path(str(module.__file__)).read_text(encoding="utf-8")
    key = digest(text)
    found = _known().get(key)
    if found is None:
        with PARSING:
            tree = ast.parse(text)
        found = _known()[key] = Syntax(digest(ast.dump(_bare(tree))), _names(tree))
    return found


def keep() -> None:
    """Write down what was read; that it cannot be written does not matter."""
    known = dict(list(_known().items())[-MOST:])
    path = _path()
    try:
        if len(known) == _stored[0]:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(f".{os.getpid()}")
        partial.write_bytes(msgspec.msgpack.encode(known))
        partial.replace(path)
        _stored[0] = len(known)
    except OSError:
        pass


_stored = [0]
"""How many are in the file, as far as this process knows."""


@cache
def _known() -> dict[str, Syntax]:
    try:
        found = msgspec.msgpack.decode(_path().read_bytes(), type=dict[str, Syntax])
    except (OSError, msgspec.DecodeError):
        found = {}
    _stored[0] = len(found)
    return found


def _path() -> Path:
    """Another file for another reader: what a print is made of, and the parser's Python."""
    own = digest(f"{Path(__file__).read_text(encoding='utf-8')} {sys.version_info[:3]}")
    return default_cache() / f"review-syntax-{own}.msgpack"


def _bare(tree: ast.Module) -> ast.Module:
    """Without docstrings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            texts = (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) for one in node.body)
            node.body = [one for one, text in zip(node.body, texts, strict=True) if not text] or [ast.Pass()]
    return tree


def _names(tree: ast.Module) -> tuple[str, ...]:
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            found += [node.module, *(f"{node.module}.{one.name}" for one in node.names)]
        elif isinstance(node, ast.Import):
            found += [one.name for one in node.names]
    return tuple(dict.fromkeys(found))
