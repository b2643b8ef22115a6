"""The one exception of the diagrams. Refuses to be raised without saying what to do next."""

from __future__ import annotations


class DiagramError(Exception):
    """A picture cannot be drawn, or a picture was asked for wrongly; `hint` says what to do next."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        """Keep the hint apart from the message."""
        super().__init__(f"{message}\n{hint}" if hint else message)
        self.hint = hint
