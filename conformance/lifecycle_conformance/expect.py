"""Owns lists of expected violations: a new one fails, and so does an expected one that no longer happens.

A violation is known by a pair: the clause group or check it breaks, and the fingerprint of the run or trace that
shows it. This module knows neither what a group is nor how a fingerprint is made, so every judge can use it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

import msgspec


class ExpectError(Exception):
    """A file of expected violations cannot be used; says which, why, and what to do."""


class Expected(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """One violation that is known and tolerated. `note` is for people and decides nothing."""

    group: str
    fingerprint: str
    note: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Return what identifies it."""
        return self.group, self.fingerprint


class Expectations(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of expected violations: of which system, under which contract or profile."""

    system: str
    contract: str
    expected: tuple[Expected, ...] = ()


class Difference(msgspec.Struct, frozen=True):
    """How what happened differs from what was expected.

    `unchecked` are expected ones whose run was not played this time: they say nothing either way.
    """

    new: tuple[Expected, ...]
    stale: tuple[Expected, ...]
    known: tuple[Expected, ...]
    unchecked: tuple[Expected, ...]

    @property
    def holds(self) -> bool:
        """Tell whether everything that happened was expected, and everything expected that was looked for happened."""
        return not self.new and not self.stale

    def render(self) -> str:
        """Say in lines what differs and what to do about it; empty where nothing does."""
        lines = [f"new: {_line(e)}; fix it, or accept it with --write-expect" for e in self.new]
        lines += [f"stale: {_line(e)} no longer happens; remove it with --write-expect" for e in self.stale]
        return "".join(f"{line}\n" for line in lines)


def _line(expected: Expected) -> str:
    return f"{expected.group} {expected.fingerprint}" + (f" ({expected.note})" if expected.note else "")


def compare(
    expectations: Expectations, happened: Iterable[Expected], played: Iterable[str] | None = None
) -> Difference:
    """Compare what happened with what was expected.

    `played` are the fingerprints of the runs that were played; None means all of them were, so that every expected
    violation that did not happen is stale.
    """
    now = {e.key: e for e in happened}
    then = {e.key: e for e in expectations.expected}
    ran = None if played is None else set(played)
    missing = [e for key, e in then.items() if key not in now]
    return Difference(
        new=tuple(sorted(e for key, e in now.items() if key not in then)),
        stale=tuple(sorted(e for e in missing if ran is None or e.fingerprint in ran)),
        known=tuple(sorted(e for key, e in then.items() if key in now)),
        unchecked=tuple(sorted(e for e in missing if ran is not None and e.fingerprint not in ran)),
    )


def load(path: Path) -> Expectations:
    """Read a file; raises ExpectError naming the field that is wrong, or that two entries are the same."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Expectations)
    except OSError as error:
        raise ExpectError(f"{path}: {error.strerror}; write it with --write-expect") from error
    except msgspec.DecodeError as error:
        raise ExpectError(f"{path}: {error}; write it anew with --write-expect") from error
    keys = [e.key for e in found.expected]
    twice = sorted({key for key in keys if keys.count(key) > 1})
    if twice:
        raise ExpectError(f"{path}: {' '.join(twice[0])} is listed twice; remove one")
    return found


def write(path: Path, system: str, contract: str, happened: Iterable[Expected]) -> Expectations:
    """Write what happened as expected from now on, sorted, so that the same violations give the same bytes.

    The note of a violation that the file already lists stays; a file that cannot be read has none.
    """
    notes = _notes(path)
    unique = {e.key: msgspec.structs.replace(e, note=e.note or notes.get(e.key, "")) for e in sorted(happened)}
    made = Expectations(system, contract, tuple(sorted(unique.values())))
    path.write_bytes(msgspec.json.format(msgspec.json.encode(made), indent=2) + b"\n")
    return made


def _notes(path: Path) -> dict[tuple[str, str], str]:
    with contextlib.suppress(ExpectError):
        return {e.key: e.note for e in load(path).expected}
    return {}


def updated(
    old: Expectations, happened: Iterable[Expected], played: Iterable[str] | None = None
) -> tuple[Expected, ...]:
    """Return what to write after a partial check: what happened, and what was expected of runs not played."""
    difference = compare(old, happened := list(happened), played)
    return tuple(sorted((*happened, *difference.unchecked)))


def exit_code(difference: Difference, inconclusive: bool) -> int:
    """Return 1 for a new or stale violation, 3 if something stayed undecided, 0 if all is as expected."""
    if not difference.holds:
        return 1
    return 3 if inconclusive else 0
