"""What is explored of each contract, by its name: scopes and properties."""

from __future__ import annotations

from lifecycle_model import scopes
from lifecycle_model.explore import standard
from lifecycle_model.properties import Properties
from lifecycle_model.scope import SETS, Scope, ScopeError
from lifecycle_model.table import Contract, Row
from lifecycle_model.variants import latch_scopes
from lifecycle_model.variants.latch_properties import latch_properties


def scopes_of(contract: str) -> tuple[Scope, ...]:
    """Every scope of a contract."""
    return latch_scopes.SCOPES if contract == "latch" else scopes.EVERY


def chosen(name: str, contract: str) -> tuple[Scope, ...]:
    """The scopes of a set, or the one of this name; raises ScopeError naming the known ones."""
    known = scopes_of(contract)
    found = tuple(scope for scope in known if (name in scope.sets if name in SETS else name == scope.name))
    if not found:
        names = ", ".join(scope.name for scope in known)
        raise ScopeError(f"no scope {name!r} of contract {contract}; known are {names}, and the sets {', '.join(SETS)}")
    return found


def properties_of(contract: Contract) -> Properties:
    """Every property this package states of a contract."""
    return latch_properties(contract) if contract.name == "latch" else standard(contract)


def rows_of(contract: Contract) -> tuple[Row, ...]:
    """The rows that an exploration of the contract's scopes must take, those stated unreachable among them."""
    return contract.rows
