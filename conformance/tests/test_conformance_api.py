"""The public Python API does what its docstrings say."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from lifecycle_conformance.api import check, contract, draw, explore, read_trace
from lifecycle_conformance.failure.tracefile import TraceError
from lifecycle_conformance.systems.errors import UsageError
from lifecycle_conformance.systems.load import open_system
from lifecycle_diagrams.errors import DiagramError
from lifecycle_model.scope import ScopeError

EXAMPLES = Path(__file__).parent.parent / "examples"
TOY = f"stdio:{shlex.join([sys.executable, str(EXAMPLES / 'minimal_adapter.py')])}"


def broken(folder: Path) -> str:
    """The toy, but a cancel leaves what is queued."""
    for name in ("minimal_adapter.py", "toy_agent.py"):
        (folder / name).write_text((EXAMPLES / name).read_text().replace("self._queue.clear()", "pass"))
    return f"stdio:{shlex.join([sys.executable, str(folder / 'minimal_adapter.py')])}"


def test_a_contract_by_name() -> None:
    assert contract().name == "1"
    assert contract("latch").clauses != contract().clauses
    with pytest.raises(UsageError, match="known: 1, latch"):
        contract("9")


def test_explore_counts_and_judges() -> None:
    heard: list[str] = []
    found = explore(contract(), "cancel", heard.append)
    assert found.holds
    assert found.problems == ()
    [scope] = found.scopes
    assert scope["scope"] == "cancel"
    with pytest.raises(ScopeError):
        explore(contract(), "nosuch")


def test_check_a_system_that_is_named(tmp_path: Path) -> None:
    report = check(broken(tmp_path), traces=tmp_path / "traces")
    assert (report.verdict, report.exit_code) == ("VIOLATES", 1)
    first = report.failures[0]
    assert len(first.lines) <= 8
    assert {"C9", "S7"} <= set(first.clauses)
    trace = read_trace(first.file)
    assert trace.clauses == first.clauses
    assert draw(trace).startswith("sequenceDiagram")
    assert draw(trace, form="svg").startswith("<svg")
    with pytest.raises(UsageError, match="known: mermaid, svg"):
        draw(trace, form="dot")


def test_check_an_object_and_leave_it_open() -> None:
    system = open_system(TOY)
    try:
        report = check(system)
        assert report.verdict == "CONFORMS", report.failures
        assert report.coverage.classes > 50
        system.reset({})
    finally:
        system.stop()
    with pytest.raises(UsageError, match="known: quick, thorough, deep"):
        check(TOY, profile="huge")


def test_read_trace_refuses_what_is_none(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(TraceError, match="is no trace"):
        read_trace(tmp_path / "x.json")


def test_draw_a_view() -> None:
    assert "title: Agent status" in draw(contract(), "agent-status")
    with pytest.raises(DiagramError, match="agent-status"):
        draw(contract(), "nosuch")
