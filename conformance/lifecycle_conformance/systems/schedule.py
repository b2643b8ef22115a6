"""A schedule: which of several tasks that are ready runs next. Seeded or written out; what was chosen can be repeated.

Refuses to know a loop. Choice 0 is the task that would have been next anyway, so the shortest schedule is an empty one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Protocol, runtime_checkable


class Schedule:
    """Gives choices: the written ones first, then at random if there is a seed, else always 0."""

    def __init__(self, choices: Sequence[int] = (), seed: str | None = None) -> None:
        self._choices = tuple(choices)
        self._seed = seed
        self.begin()

    def begin(self) -> None:
        """Begin anew: the same choices again."""
        self._chance = None if self._seed is None else Random(self._seed)
        self._made: list[int] = []

    def choose(self, ready: int) -> int:
        """Which of so many ready tasks is next."""
        at = len(self._made)
        if at < len(self._choices):
            choice = min(self._choices[at], ready - 1)
        else:
            choice = 0 if self._chance is None else self._chance.randrange(ready)
        self._made.append(choice)
        return choice

    @property
    def made(self) -> tuple[int, ...]:
        """The choices made since it began, without the zeros at the end: a schedule that gives the same run."""
        made = list(self._made)
        while made and made[-1] == 0:
            made.pop()
        return tuple(made)


@runtime_checkable
class Scheduled(Protocol):
    """A system in process whose tasks can be run in any order."""

    def follow(self, schedule: Schedule | None) -> None:
        """From the next reset on, every run begins this schedule anew; None for the loop's own order."""
        ...


def follow(system: object, schedule: Schedule | None) -> bool:
    """Have a system, checked or not, follow a schedule; False if it cannot."""
    inner = getattr(system, "system", system)
    if not isinstance(inner, Scheduled):
        return False
    inner.follow(schedule)
    return True


def shorter(choices: tuple[int, ...], fails: Callable[[tuple[int, ...]], bool]) -> tuple[int, ...]:
    """The schedule with as few and as small choices as still fails: cut at the end, then each set to 0, then lowered."""
    best = choices
    length = len(best) // 2
    while length:
        if fails(_trimmed(best[:-length])):
            best = _trimmed(best[:-length])
            length = min(length, len(best))
        else:
            length //= 2
    at = len(best) - 1
    while at >= 0:
        for lower in range(best[at]) if at < len(best) else ():
            tried = _trimmed((*best[:at], lower, *best[at + 1 :]))
            if fails(tried):
                best = tried
                break
        at -= 1
    return best


def _trimmed(choices: tuple[int, ...]) -> tuple[int, ...]:
    while choices and choices[-1] == 0:
        choices = choices[:-1]
    return choices
