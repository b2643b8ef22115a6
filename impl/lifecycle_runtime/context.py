"""What user code holds: a fiber with its event listeners and services. Owns no lifecycle of its own."""

import asyncio
from collections.abc import Collection
from typing import Any, Generic, TypeVar, cast

from lifecycle_runtime.bus import Bus, Listener
from lifecycle_runtime.errors import MissingService, Unsupported
from lifecycle_runtime.events import Event
from lifecycle_runtime.fibers import Disposer, Effect, Fiber
from lifecycle_runtime.futures import mirror
from lifecycle_runtime.signals import Unsubscribe

T = TypeVar("T")
E = TypeVar("E", bound=Event)


class ServiceKey(Generic[T]):
    """Names a service and its type."""

    def __init__(self, name: str) -> None:
        self.name = name


class ServiceTable:
    """Wakes whoever waits for a service to appear; shared by all contexts of one runtime."""

    def __init__(self) -> None:
        self._changed: asyncio.Future[None] | None = None

    def changed(self) -> "asyncio.Future[None]":
        """Return a future of the next change."""
        if self._changed is None or self._changed.done():
            self._changed = asyncio.get_running_loop().create_future()
        return self._changed

    def announce(self) -> None:
        """Wake the waiters."""
        if self._changed is not None and not self._changed.done():
            self._changed.set_result(None)


class Context:
    """A place to register things that die together: listeners, effects, services, agents, sub-contexts."""

    def __init__(
        self,
        fiber: Fiber,
        bus: Bus,
        table: ServiceTable,
        *,
        above: "Context | None" = None,
        scope: object = None,
        sees: Collection[ServiceKey[Any]] | None = None,
        lent: bool = False,
    ) -> None:
        self.fiber = fiber
        self.bus = bus
        self.scope = scope
        self._table = table
        self._above = above
        self._sees = sees
        self._lent = lent
        self._services: dict[object, object] = {}

    @property
    def name(self) -> str:
        """For messages."""
        return self.fiber.name

    @property
    def active(self) -> bool:
        """Whether registering is still possible."""
        return self.fiber.active

    def fork(self, name: str, *, sees: Collection[ServiceKey[Any]] | None = None) -> "Context":
        """Create a sub-context that is unloaded with this one; `sees` hides every other service from it."""
        return Context(self.fiber.child(name), self.bus, self._table, above=self, scope=self.scope, sees=sees)

    def scoped(self, fiber: Fiber, scope: object) -> "Context":
        """Lend out a context over a fiber whose life another decides; services resolve through this one (P16)."""
        return Context(fiber, self.bus, self._table, above=self, scope=scope, lent=True)

    def on(self, event: type[E], listener: "Listener[E]") -> Unsubscribe:
        """Listen until unloaded or removed: to every subject, on an agent's context to that agent (P2)."""
        self.fiber.require_active()
        remove = self.bus.listen(event, listener, self.scope)
        effect = self.fiber.effect(remove, label=f"listener of {event.name}")

        def unsubscribe() -> None:
            remove()
            effect.release()

        return unsubscribe

    def effect(self, *steps: Disposer, label: str = "effect") -> Effect:
        """Own something that `steps`, last first, undo at unload; siblings are undone concurrently."""
        return self.fiber.effect(*steps, label=label)

    def provide(self, key: ServiceKey[T], service: T) -> Unsubscribe:
        """Offer a service to this context and those below it, until unloaded or withdrawn."""

        def withdraw() -> None:
            if self._services.get(key) is service:
                del self._services[key]
            effect.release()

        effect = self.fiber.effect(withdraw, label=f"service {key.name}")
        self._services[key] = service
        self._table.announce()
        return withdraw

    def find(self, key: ServiceKey[T]) -> T | None:
        """Return the nearest service offered, or None."""
        context: Context | None = self
        while context is not None:
            if key in context._services:
                return cast("T", context._services[key])
            if context._sees is not None and key not in context._sees:
                return None
            context = context._above
        return None

    def service(self, key: ServiceKey[T]) -> T:
        """Return the nearest service offered; raise MissingService if there is none."""
        service = self.find(key)
        if service is None:
            raise MissingService(f"{self.name} sees no service {key.name}; provide it on a context above")
        return service

    def services_changed(self) -> "asyncio.Future[None]":
        """Return a future of the next time a service is offered anywhere in the runtime."""
        return mirror(self._table.changed())

    def unload(self) -> "asyncio.Future[None]":
        """Deactivate at once, begin the teardown of every agent owned here, and unwind (X3, T1).

        An agent's own context goes with its agent only: a bare agent gives no right to end it (T11).
        """
        if self._lent:
            raise Unsupported(f"{self.name}: its context ends with it; dispose the agent by its handle")
        return self.fiber.unload()
