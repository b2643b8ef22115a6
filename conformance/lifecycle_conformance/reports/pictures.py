"""Owns the contract's pictures for a report, coloured by what was exercised. Refuses to need them: without a layout, none."""

from __future__ import annotations

from collections.abc import Mapping

from lifecycle_conformance.contracts import contract_named
from lifecycle_conformance.reports.report import Picture


def pictures(contract: str, rows: Mapping[str, int]) -> tuple[Picture, ...]:
    """Every picture of the contract as SVG; empty where the layout extra is not installed."""
    from lifecycle_diagrams import svg
    from lifecycle_diagrams.draw import drawable, render

    if not svg.available():
        return ()
    named = contract_named(contract)
    return tuple(Picture(view.title, render(named, view.name, "svg")) for view in drawable(named))
