"""Structured ownership: fibers hold effects and undo them when unloaded. Knows nothing of agents or events."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from lifecycle_runtime.errors import InactiveOwner
from lifecycle_runtime.futures import FAILURES, mirror, performed

Disposer: TypeAlias = Callable[[], Awaitable[object] | object]
Report: TypeAlias = Callable[[str, object, BaseException], None]


class Effect:
    """One owned thing. `dispose` undoes it once; `release` forgets it without undoing."""

    def __init__(
        self,
        fiber: "Fiber",
        label: str,
        steps: tuple[Disposer, ...],
        deactivate: Callable[[], None] | None,
    ) -> None:
        self.label = label
        self._fiber = fiber
        self._deactivate = deactivate
        self._steps = steps
        self._done: asyncio.Future[None] | None = None

    def deactivate(self) -> None:
        """Say that the owner is going; the steps come later."""
        if self._deactivate is not None:
            self._deactivate()

    def release(self) -> None:
        """Drop the record; nothing is undone."""
        self._fiber.forget(self)

    def dispose(self) -> "asyncio.Future[None]":
        """Undo the steps, last first, each even if another failed; the same work for every caller."""
        if self._done is None:
            self._done = asyncio.ensure_future(self._undo())
        return mirror(self._done)

    async def _undo(self) -> None:
        for step in reversed(self._steps):
            try:
                await performed(step)
            except Exception as error:
                self._fiber.fail(error)
        self._fiber.forget(self)


class Fiber:
    """An owner. Unloading deactivates it at once and then unwinds its effects, siblings concurrently."""

    def __init__(self, name: str, report: Report, subject: object = None) -> None:
        self.name = name
        self.subject = subject
        self.failures: list[BaseException] = []
        self._report = report
        self._active = True
        self._told = False
        self._effects: list[Effect] = []
        self._children: list[Fiber] = []
        self._parent: Fiber | None = None
        self._link: Effect | None = None
        self._unloaded: asyncio.Task[None] | None = None

    @property
    def active(self) -> bool:
        """Whether effects may still be registered."""
        return self._active

    @property
    def records(self) -> tuple[str, ...]:
        """Labels of what the fiber owns, in registration order."""
        return tuple(effect.label for effect in self._effects)

    def effect(self, *steps: Disposer, label: str = "effect", deactivate: Callable[[], None] | None = None) -> Effect:
        """Own something: `steps` undo it, last first. `deactivate` runs at once when an unload begins.

        Refused once the fiber is inactive (T10).
        """
        self.require_active()
        effect = Effect(self, label, steps, deactivate)
        self._effects.append(effect)
        return effect

    def child(self, name: str, subject: object = None) -> "Fiber":
        """Create a fiber that is unloaded with this one."""
        child = Fiber(name, self._report, subject if subject is not None else self.subject)
        child._parent = self
        child._link = self.effect(child.unload, label=f"fiber {name}", deactivate=child.deactivate)
        self._children.append(child)
        return child

    def require_active(self) -> None:
        """Raise InactiveOwner if the fiber was unloaded."""
        if not self._active:
            raise InactiveOwner(f"owner disposed: {self.name} was unloaded; use a context that is still active")

    def unload(self) -> "asyncio.Future[None]":
        """Deactivate now, then unwind everything; one boundary for every caller (T1)."""
        if self._unloaded is None:
            self._unloaded = asyncio.get_running_loop().create_task(self._unwind())
            self.deactivate()
        return mirror(self._unloaded)

    def deactivate(self) -> None:
        """Refuse new effects in the whole subtree, then tell every effect that its owner is going."""
        self._refuse()
        if self._told:
            return
        self._told = True
        for effect in self._effects[::-1]:
            try:
                effect.deactivate()
            except FAILURES as error:
                self.fail(error)

    def forget(self, effect: Effect) -> None:
        """Remove a record."""
        if effect in self._effects:
            self._effects.remove(effect)

    def fail(self, error: BaseException) -> None:
        """Contain a failing disposer (T9)."""
        self.failures.append(error)
        self._report("scope", self.subject, error)

    def _refuse(self) -> None:
        self._active = False
        for child in self._children:
            child._refuse()

    async def _unwind(self) -> None:
        while self._effects:
            await asyncio.gather(*(effect.dispose() for effect in self._effects[::-1]))
        if self._parent is not None and self._link is not None:
            self._link.release()
            self._parent._children.remove(self)
