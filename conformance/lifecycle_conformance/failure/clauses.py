"""Owns why a trace went as it did: the clauses of the row behind each observation, where the model agrees with the trace.

Refuses to judge: from the first burst that the model does not repeat it says nothing.
"""

from __future__ import annotations

from lifecycle_conformance.contracts import contract_named
from lifecycle_model.engine import Engine, ModelError
from lifecycle_model.quiet import by_subject, perform
from lifecycle_model.state import start
from lifecycle_model.wire import Trace


def clauses_of(trace: Trace) -> dict[tuple[int, int], tuple[str, ...]]:
    """By burst and position in what was seen: the clauses of the row that said it."""
    engine = Engine(contract_named(trace.contract))
    here = start(dict(trace.policies))
    found: dict[tuple[int, int], tuple[str, ...]] = {}
    for index, burst in enumerate(trace.bursts):
        try:
            outcomes = perform(engine, here, burst.do)
        except ModelError:
            return found
        same = [one for one in outcomes if by_subject(one.seen) == by_subject(burst.seen)]
        if not same:
            return found
        here = same[0].configuration
        if same[0].seen == burst.seen:
            found |= {(index, at): row.clauses for at, row in enumerate(same[0].said) if row is not None}
    return found
