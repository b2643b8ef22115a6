"""Owns the example adapters that ship: where they are, and putting copies into a folder. Refuses to overwrite a file."""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from lifecycle_conformance.systems.errors import UsageError

LANGUAGES = {"python": ".py", "javascript": ".mjs"}


def shipped() -> Traversable:
    """The folder of the examples: inside the installed package, else beside it in a source tree."""
    installed = resources.files("lifecycle_conformance") / "examples"
    return installed if installed.is_dir() else Path(__file__).parents[2] / "examples"


def write_example(folder: Path, language: str) -> list[Path]:
    """Copy a toy agent and its adapter into a folder, which is made if need be; gives the files, the adapter last."""
    found = sorted((one for one in shipped().iterdir() if one.name.endswith(LANGUAGES[language])), key=_adapter_last)
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for one in found:
            place = folder / one.name
            with place.open("xb") as file:
                file.write(one.read_bytes())
            written.append(place)
    except FileExistsError as error:
        raise UsageError(f"{error.filename} is there already", hint="name another folder") from error
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}", hint="name another folder") from error
    return written


def _adapter_last(one: Traversable) -> tuple[bool, str]:
    return "adapter" in one.name, one.name
