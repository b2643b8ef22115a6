"""Owns putting a report where it was asked for. Refuses to lose the verdict: whatever happens to the file is told.

A report is written beside its place and moved there when it is whole, so what was there before stays until then.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

import msgspec

from lifecycle_conformance.failure.tracefile import trace_json
from lifecycle_conformance.failure.value import Failure
from lifecycle_conformance.reports.html import page
from lifecycle_conformance.reports.junit import junit
from lifecycle_conformance.reports.markdown import markdown
from lifecycle_conformance.reports.report import RunReport, to_json
from lifecycle_conformance.reports.text import text

FORMS: dict[str, Callable[[RunReport], bytes]] = {
    ".html": lambda report: page(report).encode(),
    ".json": to_json,
    ".md": lambda report: markdown(report).encode(),
    ".txt": lambda report: text(report).encode(),
    ".xml": junit,
}
"""What each ending of a report's name stands for."""


class ReportError(Exception):
    """A report was asked for in a form, or at a place, that cannot be; says what, and what to do. A wrong use."""


class Written(msgspec.Struct, frozen=True):
    """What became of a report: where it is, nowhere if it could not be kept at all, and what to tell whoever asked."""

    path: str | None
    message: str
    asked_for: bool


def check_path(path: str | Path) -> None:
    """Raise `ReportError` for a name without a form, or a place where nothing can be written: before a long check."""
    place = Path(path)
    if place.suffix not in FORMS:
        known = ", ".join(FORMS)
        raise ReportError(f"{path} does not end with a form of report; next: end it with one of {known}")
    if place.is_dir():
        raise ReportError(f"{path} is a folder; next: name a file in it")
    if not place.parent.is_dir():
        raise ReportError(f"there is no folder {place.parent} for the report {place.name}; next: make it first")


def write_file(path: str | Path, data: bytes, what: str) -> Written:
    """Write a file whole or not at all, and elsewhere if it must be; `what` names it in messages."""
    place = Path(path)
    failed = _move_in(place, data)
    if failed is None:
        return Written(str(place), f"{what}: {place}", asked_for=True)
    return _elsewhere(place, data, what, f"{what} could not be written to {path} ({failed})")


def keep_trace(failure: Failure, folder: Path) -> Written:
    """Store a failing trace under its fingerprint, in a folder that is made if it can be."""
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    return write_file(folder / f"{failure.fingerprint}.json", trace_json(failure.trace), "the trace")


def write_report(path: str | Path, report: RunReport) -> Written:
    """Write a report in the form its name asks for. Raises nothing about the file: a verdict is worth more than that.

    What cannot be written at `path` is kept in a temporary folder if possible, and the message says where. A name
    without a form is written as text.
    """
    place, what = Path(path), "the report"
    try:
        data = FORMS.get(place.suffix, FORMS[".txt"])(report)
    except Exception as error:
        # a fault of ours in one form must not cost the verdict: JSON holds everything
        why = f"{path} could not be made ({type(error).__name__}: {error})"
        written = _elsewhere(place.with_suffix(".json"), to_json(report), what, why)
    else:
        written = write_file(path, data, what)
    if written.asked_for:
        return written
    return msgspec.structs.replace(written, message=f"{written.message}; the verdict is {report.verdict}")


def print_text(said: str, stream: TextIO) -> bool:
    """Print; False if nobody listens any more (a closed pipe), or nothing can be written there (a full disk)."""
    try:
        stream.write(said)
        stream.flush()
    except UnicodeEncodeError:
        return _print_plainly(said, stream)
    except (OSError, ValueError):
        # a second try, at exit, would fail again, with a traceback
        with contextlib.suppress(OSError, ValueError):
            broken = stream.fileno()
            os.dup2(os.open(os.devnull, os.O_WRONLY), broken)
        return False
    return True


def _print_plainly(said: str, stream: TextIO) -> bool:
    encoding = stream.encoding or "ascii"
    try:
        stream.write(said.encode(encoding, "replace").decode(encoding))
        stream.flush()
    except (OSError, ValueError):
        return False
    return True


def _elsewhere(place: Path, data: bytes, what: str, why: str) -> Written:
    """Keep what cannot be where it was asked for in a temporary folder; say that it is lost only if it is."""
    with contextlib.suppress(OSError):
        kept = Path(tempfile.mkdtemp(prefix="lifecycle-report-")) / place.name
        if _move_in(kept, data) is None:
            return Written(str(kept), f"{why}; it is in {kept}", asked_for=False)
    return Written(None, f"{why}; it could not be kept anywhere", asked_for=False)


def _move_in(place: Path, data: bytes) -> str | None:
    """Put a file in its place, whole or not at all; why it did not work, or nothing."""
    partial: Path | None = None
    try:
        # a link stays one: what it names is written
        place = place.resolve()
        if place.exists() and not place.is_file():
            # a device or a pipe has no place to move a file to
            place.write_bytes(data)
            return None
        if place.exists() and not os.access(place, os.W_OK):
            return "it is there and not writable"
        handle, name = tempfile.mkstemp(prefix=f".{place.name}.", dir=place.parent)
        partial = Path(name)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        partial.chmod(0o644)
        os.replace(partial, place)
        partial = None
    except OSError as error:
        return error.strerror or str(error)
    finally:
        if partial is not None:
            with contextlib.suppress(OSError):
                partial.unlink()
    return None
