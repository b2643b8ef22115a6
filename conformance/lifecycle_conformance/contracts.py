"""Contracts by name. Refuses an unknown one with the list of those that exist."""

from __future__ import annotations

from collections.abc import Callable

from lifecycle_conformance.systems.errors import UsageError
from lifecycle_model.contract1 import contract
from lifecycle_model.table import Contract
from lifecycle_model.variants.latch import latch

_CONTRACTS: dict[str, Callable[[], Contract]] = {"1": contract, "latch": latch}
NAMES = tuple(_CONTRACTS)


def contract_named(name: str) -> Contract:
    """The contract or variant of this name; UsageError if there is none."""
    if name in _CONTRACTS:
        return _CONTRACTS[name]()
    raise UsageError(f"unknown contract {name!r}", hint="known: " + ", ".join(NAMES))
