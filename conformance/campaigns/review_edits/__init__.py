"""Edits of the model with what they do, written by hand before the review first read them. Refuses to ask the review.

An edit replaces text of one or more files; each old text must stand there exactly once, else the model has moved on and the
edit must be written again. `does` is what behaviour does, `breaks` whether a property changes its answer or a clause loses its
last carrier. `clauses`: the review must name one of them. `run` is a shortest run that shows it: bursts with `;`, commands of a
burst with `+`, what a listener does behind `/`; holds and arming do not count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


class Moved(Exception):
    """An old text does not stand in the model exactly once."""


@dataclass(frozen=True)
class Patch:
    """One replacement in a file of `lifecycle_model`: of a text that stands there once, or of a word that stands there so often.

    Without an old text the file is new.
    """

    file: str
    old: str
    new: str
    times: int = 0


@dataclass(frozen=True)
class Edit:
    """An edit and its true answer."""

    name: str
    kind: str
    patches: tuple[Patch, ...]
    does: str
    clauses: tuple[str, ...] = ()
    run: str = ""
    breaks: bool = False

    @property
    def verdict(self) -> str:
        """The verdict that is due."""
        return "breaks" if self.breaks else self.does

    @property
    def size(self) -> int:
        """How many commands the run has."""
        return len([one for one in self.run.replace("+", ";").replace("/", ";").split(";") if one.strip()])


def edit(
    name: str, kind: str, file: str, old: str, new: str, does: str, clauses: str, run: str, breaks: bool = False
) -> Edit:
    """An edit of one place."""
    return Edit(name, kind, (Patch(file, old, new),), does, tuple(clauses.split(", ")), run, breaks)


def apply(one: Edit, package: Path) -> None:
    """Write an edit into a copy of the model; raises Moved where an old text does not stand as often as it should."""
    for file, text in edited(one, package).items():
        (package / file).write_text(text, encoding="utf-8")


def edited(one: Edit, package: Path) -> dict[str, str]:
    """The files that an edit changes, with their new text."""
    files: dict[str, str] = {}
    for patch in one.patches:
        if not patch.old:
            files[patch.file] = patch.new
            continue
        text = files.get(patch.file) or (package / patch.file).read_text(encoding="utf-8")
        word = re.compile(rf"\b{re.escape(patch.old)}\b" if patch.times else re.escape(patch.old))
        found = len(word.findall(text))
        if found != (patch.times or 1):
            raise Moved(f"{one.name}: {patch.file} has {found} times {patch.old!r}")
        files[patch.file] = word.sub(patch.new.replace("\\", r"\\"), text)
    return files
