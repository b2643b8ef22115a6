"""Owns the contract's pictures for a report, coloured by what was exercised. Refuses to need them: without a layout, none."""

from __future__ import annotations

from collections.abc import Mapping

from lifecycle_conformance.contracts import contract_named
from lifecycle_conformance.reports.report import Picture


def pictures(contract: str, rows: Mapping[str, int]) -> tuple[Picture, ...]:
    """The contract's pictures as SVG, each arrow as warm as its rows were taken often; none without the layout extra."""
    from lifecycle_diagrams import layout
    from lifecycle_diagrams.draw import render
    from lifecycle_diagrams.views import views_of

    if not layout.available():
        return ()
    named = contract_named(contract)
    shown = views_of(named)
    return tuple(Picture(view.title, render(named, view.name, "svg", "names", coverage=dict(rows))) for view in shown)
