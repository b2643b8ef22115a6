"""Detail, focus, clause, coverage and difference: what stands out, what steps back, and what is refused."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from lifecycle_diagrams import draw
from lifecycle_diagrams.errors import DiagramError
from lifecycle_diagrams.graph import Edge, Graph
from lifecycle_diagrams.views import build, build_difference, view_named, views_of
from lifecycle_model.contract1 import contract
from lifecycle_model.table import Contract, Row
from lifecycle_model.variants.latch import latch

ONE = contract()


def graph(view: str, **more: object) -> Graph:
    return build(ONE, view_named(ONE, view), **more)  # type: ignore[arg-type]  # named right at the call


def arrow(drawn: Graph, source: str, target: str) -> Edge:
    """The arrow between two states; a small copy of the target counts."""
    copies = {node.id for node in drawn.nodes if node.about == target} | {target}
    return next(edge for edge in drawn.edges if edge.source == source and edge.target in copies)


@pytest.mark.parametrize("base", [ONE, latch()], ids=["contract 1", "variant latch"])
def test_every_machine_state_and_program_is_drawn_somewhere(base: Contract) -> None:
    graphs = [build(base, view) for view in views_of(base)]
    nodes = {node.id for drawn in graphs for node in drawn.nodes}
    steps = {step for drawn in graphs for node in drawn.nodes for step in node.steps}
    machines = {machine.name for machine in base.machines}
    assert machines <= nodes
    moved = {state for row in base.rows if row.to is not None for state in (*row.states, row.to)}
    states = {state for machine in base.machines for state in machine.states if state in moved}
    assert states <= nodes
    assert {row.step for row in base.rows} <= steps


def test_every_row_of_the_contract_is_on_a_picture() -> None:
    graphs = [build(ONE, view) for view in views_of(ONE)]
    ways = [way for drawn in graphs for node in drawn.nodes for way in node.ways]
    ways += [way for drawn in graphs for edge in drawn.edges for way in edge.ways]
    assert {row.id for row in ONE.rows} - {row for way in ways for row in way.rows} == set()


def test_what_the_systems_own_listeners_hear_is_said() -> None:
    entering = {edge.source: edge.target for edge in graph("acp-prompt").edges}
    assert entering["·hears slot.drop"] == "slot.drop.own"
    text = draw.render(ONE, "acp-prompt", "dot")
    assert "hears disc[…]" in text


def test_a_pointer_shows_rows_guards_and_clauses() -> None:
    drawn = ElementTree.fromstring(draw.render(ONE, "agent-status", "svg"))
    tips = [one.text or "" for one in drawn.iter("{http://www.w3.org/2000/svg}title")]
    told = next(tip for tip in tips if tip.startswith("send.store: S/r4"))
    assert f"Q2: {ONE.clauses['Q2']}".replace("`", "") in told


def test_detail_goes_from_names_over_guards_to_everything() -> None:
    names, guards, full = (
        draw.render(ONE, "agent-status", "mermaid", detail) for detail in ("names", "guards", "full")
    )
    assert "send.store" in names
    assert "[waking]" not in names
    assert "[waking]<br/>/ enq(m)" in guards
    assert "S/r4" not in guards
    assert "S/r4" in full
    assert "Put the item" in full


def test_a_focus_leaves_its_neighbours_and_greys_the_rest() -> None:
    drawn = graph("agent-status", focus="Woken")
    tones = {node.id: node.tone for node in drawn.nodes}
    assert (tones["Woken"], tones["Parked"], tones["Reserved"]) == ("", "", "")
    assert (tones["Settling"], tones["Cancelling"]) == ("grey", "grey")
    assert arrow(drawn, "Parked", "Woken").tone == ""
    assert arrow(drawn, "Settling", "Between").tone == "grey"


def test_a_step_of_a_program_can_be_in_focus() -> None:
    drawn = graph("cancel", focus="cancel.mark")
    assert {node.id for node in drawn.nodes if node.tone != "grey"} == {"cancel.clear", "cancel.mark", "cancel.abort"}


def test_a_clause_leaves_only_the_rows_that_carry_it() -> None:
    drawn = graph("agent-status", clause="S/r4")
    assert arrow(drawn, "Parked", "Woken").tone == ""
    assert arrow(drawn, "Settling", "Between").tone == "grey"
    left = {way.key_rows for edge in drawn.edges for way in edge.ways if way.tone != "grey"}
    carrying = {row.id for row in ONE.rows if "S/r4" in row.clauses}
    assert all(set(rows) & carrying for rows in left)


def test_in_a_box_only_the_rows_of_the_clause_stand_out() -> None:
    drawn = ElementTree.fromstring(draw.render(ONE, "driver", "svg", clause="C9"))
    lines = {"".join(one.itertext()): one.attrib["class"] for one in drawn.iter("{http://www.w3.org/2000/svg}text")}
    assert lines["[marked] in Woken, Between: Set marker to False"] == "f-ink"
    assert next(kind for line, kind in lines.items() if line.startswith("reserve")) == "f-grey"


def test_coverage_is_counted_and_warm_and_what_was_never_taken_is_told_apart() -> None:
    drawn = graph("agent-status", coverage={"S/r4": 12, "S/r17": 1})
    assert [way.count for way in arrow(drawn, "Parked", "Woken").ways] == [12]
    assert arrow(drawn, "Parked", "Woken").tone == "heat2"
    assert arrow(drawn, "Settling", "Between").tone == "heat1"
    assert arrow(drawn, "InTurn", "Settling").tone == "heat0"
    text = draw.render(ONE, "agent-status", "mermaid", coverage={"S/r4": 12})
    assert "×12" in text
    assert "×0" in text


def changed() -> Contract:
    """Contract 1 with one row gone, one new, one with another guard."""

    def other_guard(now: object) -> bool:
        """Something else holds."""
        return True

    rows = {row.id: row for row in ONE.rows}
    again = Row("X new", "agent", ("Settling",), "flush.settle", ("S1",), to="Parked")
    return ONE.overlay("changed", drop=("S/r17",), rows=(again, replace(rows["S/r4"], guard=other_guard)))


def test_a_difference_is_drawn_and_told() -> None:
    drawn = build_difference(ONE, changed(), view_named(ONE, "agent-status"))
    assert arrow(drawn, "Settling", "Between").tone == "removed"
    assert arrow(drawn, "Settling", "Parked").tone == "added"
    assert arrow(drawn, "Parked", "Woken").tone == "changed"
    assert arrow(drawn, "InTurn", "Settling").tone == ""
    text = draw.render_difference(ONE, changed(), "", "text")
    assert "- row S/r17\n" in text
    assert "+ row X new: machine agent; from Settling; step flush.settle; to Parked" in text
    assert "± row S/r4: guard waking → other guard\n" in text


def test_equal_contracts_have_no_difference() -> None:
    assert draw.render_difference(ONE, ONE, "", "text") == "from contract 1 to contract 1\nno difference\n"
    for view in views_of(ONE):
        drawn = build_difference(ONE, ONE, view)
        tones = {*(node.tone for node in drawn.nodes), *(edge.tone for edge in drawn.edges)}
        assert tones == {""}


def test_a_variant_draws_all_its_pictures_and_its_difference() -> None:
    variant = latch()
    assert len({view.name for view in views_of(variant)}) > 10
    for view in views_of(variant):
        for form in ("mermaid", "dot", "svg"):
            assert draw.render(variant, view.name, form)
    tones = {edge.tone for edge in build_difference(ONE, variant, view_named(ONE, "agent-status")).edges}
    assert {"added", "removed"} <= tones


def test_what_does_not_exist_is_refused_with_what_does() -> None:
    for more, said in (
        ({"focus": "Nowhere"}, "it shows Unpublished"),
        ({"clause": "Z99"}, "lifecycle explain"),
        ({"clause": "S1", "coverage": {}}, "not both"),
    ):
        with pytest.raises(DiagramError, match=re.escape(said)):
            graph("agent-status", **more)
    with pytest.raises(DiagramError, match="there are overview"):
        draw.render_difference(ONE, ONE, "nosuch")
