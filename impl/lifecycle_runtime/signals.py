"""One-shot abort signals: the cooperative way to ask work to stop. Never cancels a task by force."""

import asyncio
from collections.abc import Callable
from typing import TypeAlias

Unsubscribe: TypeAlias = Callable[[], None]
FailureSink: TypeAlias = Callable[[BaseException], None]


class Signal:
    """Read side of an abort: `aborted`, the first `reason`, and observers run at the abort (C7)."""

    def __init__(self) -> None:
        self._aborted = False
        self._reason: object = None
        self._observers: list[Callable[[], object]] = []

    @property
    def aborted(self) -> bool:
        """Whether the abort was requested."""
        return self._aborted

    @property
    def reason(self) -> object:
        """The reason of the first abort, or None while not aborted."""
        return self._reason

    def on_abort(self, observer: Callable[[], object]) -> Unsubscribe:
        """Run `observer` at the abort, or now if it already happened; return its remover."""
        if self._aborted:
            observer()
            return lambda: None
        self._observers.append(observer)

        def remove() -> None:
            if observer in self._observers:
                self._observers.remove(observer)

        return remove


class AbortController(Signal):
    """The signal together with the right to abort it; hand it on as a `Signal`."""

    def settle(self, reason: object) -> bool:
        """Fix the reason without running observers yet; False if it was aborted before (C7)."""
        if self._aborted:
            return False
        self._aborted = True
        self._reason = reason
        return True

    def notify(self, failed: FailureSink | None = None) -> None:
        """Run the observers, each once; a failing one never keeps the next from running (C21)."""
        while self._observers:
            try:
                self._observers.pop(0)()
            except (Exception, asyncio.CancelledError) as error:
                if failed is not None:
                    failed(error)

    def abort(self, reason: object, failed: FailureSink | None = None) -> bool:
        """Fix the reason and run the observers; False if it was aborted before."""
        if not self.settle(reason):
            return False
        self.notify(failed)
        return True
