"""Owns the list of checks that look at a run's record."""

from __future__ import annotations

from lifecycle_conformance.acp.check_processes import check_processes
from lifecycle_conformance.acp.check_prompts import check_prompts
from lifecycle_conformance.acp.check_sessions import check_sessions
from lifecycle_conformance.acp.check_wire import check_wire
from lifecycle_conformance.acp.ledger import Ledger
from lifecycle_conformance.acp.record import Record


def examine(record: Record) -> Ledger:
    """Judge one run's record; pure, so that a stored record can be judged again."""
    ledger = Ledger(record)
    for check in (check_wire, check_prompts, check_sessions, check_processes):
        check(ledger)
    return ledger
