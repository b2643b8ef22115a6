"""One-shot abort signals: the cooperative way to ask work to stop. Never cancels a task by force."""

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


class AbortController:
    """Write side of a signal."""

    def __init__(self) -> None:
        self.signal = Signal()

    def abort(self, reason: object, failed: FailureSink | None = None) -> bool:
        """Fix the reason and run the observers; False if it was aborted before.

        A failing observer never keeps the next one from running (C21); failures go to `failed`.
        """
        if not self.settle(reason):
            return False
        self.notify(failed)
        return True

    def settle(self, reason: object) -> bool:
        """Fix the reason without running observers yet; False if it was aborted before."""
        signal = self.signal
        if signal._aborted:  # pyright: ignore[reportPrivateUsage] - the two halves of one thing
            return False
        signal._aborted = True  # pyright: ignore[reportPrivateUsage]
        signal._reason = reason  # pyright: ignore[reportPrivateUsage]
        return True

    def notify(self, failed: FailureSink | None = None) -> None:
        """Run the observers registered so far, once."""
        observers = self.signal._observers  # pyright: ignore[reportPrivateUsage]
        while observers:
            try:
                observers.pop(0)()
            except Exception as error:
                if failed is not None:
                    failed(error)
