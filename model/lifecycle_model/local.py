"""The engine on a part of a configuration: a component outside the part is noticed when a row reads it, never answered.

Records how every guard answered, so that coverage can tell which were seen true and which false.
"""

from __future__ import annotations

from typing import Any

from lifecycle_model.engine import Engine, ModelError, Run
from lifecycle_model.state import Configuration
from lifecycle_model.table import Contract, Row


class Outside(ModelError):
    """A row read a component that its segment was not given; the scope's agents must be explored together."""


class View(dict[str, Any]):
    """The components a segment was given; reading another one that exists is an error."""

    outside: frozenset[str] = frozenset()

    def get(self, key: str, default: Any = None) -> Any:
        """The component, or the default where no such component exists at all."""
        if key in self.outside:
            raise Outside(f"a row of this segment reads {key!r}, which belongs to another view")
        return super().get(key, default)

    def __missing__(self, key: str) -> Any:
        if key not in self.outside:
            raise KeyError(key)
        raise Outside(f"a row of this segment reads {key!r}, which belongs to another view")


class LocalEngine(Engine):
    """The engine on a part of a configuration, recording how each guard answered."""

    def __init__(self, contract: Contract) -> None:
        """Wrap every guard of the contract so that what it answers is recorded."""
        self.order = {row.id: index for index, row in enumerate(contract.rows)}
        self.answers = 0
        """Two bits a row: its guard was seen true, and seen false, in the present segment."""
        rows = tuple(self._heeded(row, index) for index, row in enumerate(contract.rows))
        super().__init__(contract.overlay(contract.name, rows=rows))
        self.outside: frozenset[str] = frozenset()

    def _heeded(self, row: Row, index: int) -> Row:
        guard = row.guard
        if guard is None:
            return row
        yes, no = 1 << (2 * index), 2 << (2 * index)

        def heeded(now: Any) -> bool:
            answer = guard(now)
            self.answers |= yes if answer else no
            return answer

        heeded.__name__, heeded.__doc__ = guard.__name__, guard.__doc__
        return _with_guard(row, heeded)

    def _run(self, configuration: Configuration) -> Run:
        run = super()._run(configuration)
        view = View(run.parts)
        view.outside = self.outside
        run.parts = view
        return run


def _with_guard(row: Row, guard: Any) -> Row:
    fields = {name: getattr(row, name) for name in row.__dataclass_fields__}
    return Row(**{**fields, "guard": guard})
