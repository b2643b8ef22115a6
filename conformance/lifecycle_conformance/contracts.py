"""Contracts by name. Refuses an unknown one with the list of those that exist."""

from __future__ import annotations

from lifecycle_conformance.systems.errors import UsageError
from lifecycle_model.contract1 import contract
from lifecycle_model.table import Contract

NAMES = ("1",)


def contract_named(name: str) -> Contract:
    """The contract or variant of this name; UsageError if there is none."""
    if name == "1":
        return contract()
    raise UsageError(f"unknown contract {name!r}", hint="known: " + ", ".join(NAMES))
