"""Owns finding and reading vector files: those that ship, or those of a path. Refuses one that is not well formed."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

import msgspec

from lifecycle_model.wire import Vector

_decode = msgspec.json.Decoder(Vector).decode


class VectorError(Exception):
    """A vector, or the place given for vectors, cannot be used; says which file, what is wrong, and what to do."""


def shipped() -> Traversable:
    """The folder of the vectors that ship: inside the installed package, else beside it in a source tree."""
    installed = resources.files("lifecycle_conformance") / "vectors" / "data"
    if installed.is_dir():
        return installed
    beside = Path(__file__).parents[2] / "vectors"
    if beside.is_dir():
        return beside
    raise VectorError("the shipped vectors are missing from this installation; next: install lifecycle-spec again")


def load_vectors(path: str | Path | None = None, *, contract: str | None = "1") -> tuple[Vector, ...]:
    """Read every vector of a contract (none: of all), below `path` or from those that ship, in the order of their ids.

    Raises `VectorError` for a place that does not exist or holds none, a file that is no vector, and an id used twice.
    """
    root: Traversable = Path(path) if path is not None else shipped()
    if not root.is_dir() and not root.is_file():
        raise VectorError(f"there is no vector file or folder {path}; next: give a .json file or a folder of them")
    found: dict[str, tuple[str, Vector]] = {}
    for file in _files(root):
        vector = load_vector(file)
        if vector.id in found:
            raise VectorError(f"{file.name}: vector {vector.id} is in {found[vector.id][0]} too; next: rename one")
        found[vector.id] = (file.name, vector)
    if not found:
        raise VectorError(f"there is no vector in {path or 'the installation'}; next: give a folder of .json files")
    vectors = (vector for _, vector in found.values() if contract in (None, vector.contract))
    return tuple(sorted(vectors, key=lambda vector: vector.id))


def load_vector(file: Traversable) -> Vector:
    """Read one vector. Raises `VectorError` that names the file and the offending member."""
    try:
        return _decode(file.read_bytes())
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise VectorError(f"{file.name} is no vector: {error}; next: compare it with protocol.md") from error
    except OSError as error:
        raise VectorError(f"{file.name} cannot be read: {error.strerror or error}") from error


def _files(root: Traversable) -> Iterator[Traversable]:
    if root.is_file():
        yield root
        return
    for child in sorted(root.iterdir(), key=lambda each: each.name):
        if child.is_dir() or child.name.endswith(".json"):
            yield from _files(child)
