"""Each agent that is wrong in one named way is found, for the right check and for that one only."""

from __future__ import annotations

import ast
import asyncio
import sys
from pathlib import Path

import pytest

from lifecycle_conformance.acp.judge import judge_known
from lifecycle_conformance.acp.options import Limits, Options
from lifecycle_conformance.acp.report import Report
from lifecycle_conformance.acp.sentences import CHECKS
from lifecycle_conformance.acp.survey import Survey

AGENTS = Path(__file__).parent / "acp_agents"
# what the control runs find about the well-behaved agent; all broken ones differ from it in one method only
KNOWN = Survey(
    name="Good",
    protocol=1,
    capabilities={"loadSession": True, "sessionCapabilities": {"close": {}, "resume": {}}},
    offers_tools=True,
    shell_tool="bash",
    asks_permission=True,
    runs_tool=True,
    streams=True,
    answers_unknown=True,
)
LIMITS = Limits(cancel=2, answer=4, exit=3, terminate=3, leftovers=1, calm=0.2)


def declared() -> dict[str, tuple[str, str]]:
    """Read each broken agent's docstring: the check that must find it and the run that shows it."""
    found: dict[str, tuple[str, str]] = {}
    for node in ast.parse((AGENTS / "broken.py").read_text()).body:
        if isinstance(node, ast.ClassDef):
            check, run = (ast.get_docstring(node) or "").partition(":")[0].split()
            found[node.name] = (check, run)
    return found


BROKEN = declared()


@pytest.fixture(scope="module")
def reports() -> dict[str, Report]:
    """Judge all of them, a few at a time: some wait for a limit while others start."""

    async def all_of_them() -> dict[str, Report]:
        gate = asyncio.Semaphore(4)

        async def one(name: str, run: str) -> tuple[str, Report]:
            command = [sys.executable, str(AGENTS / "broken.py"), name]
            options = Options(limits=LIMITS, runs=(run,), confirm=1)
            async with gate:
                return name, await judge_known(command, options, KNOWN)

        return dict(await asyncio.gather(*(one(name, run) for name, (_, run) in BROKEN.items())))

    return asyncio.run(all_of_them())


def test_there_is_a_broken_agent_for_every_check() -> None:
    assert {check for check, _ in BROKEN.values()} == set(CHECKS)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_agent_is_found_for_its_check_only(name: str, reports: dict[str, Report]) -> None:
    check, run = BROKEN[name]
    report = reports[name]
    found = report.notes if CHECKS[check].advisory else report.findings
    assert [(f.check, f.run) for f in found] == [(check, run)], report
    assert report.verdict == ("CONFORMS" if CHECKS[check].advisory else "VIOLATES")
