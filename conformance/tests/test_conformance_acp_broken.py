"""Each agent that is wrong in one named way is found, for the right check and for no other one."""

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
    reports=True,
    streams=True,
    remembers=True,
    answers_unknown=True,
)
LIMITS = Limits(cancel=2, answer=4, exit=3, terminate=3, leftovers=1, calm=0.2)


def declared() -> dict[str, tuple[list[str], str]]:
    """Read each broken agent's docstring: the checks that must find it and the run that shows it."""
    found: dict[str, tuple[list[str], str]] = {}
    for node in ast.parse((AGENTS / "broken.py").read_text()).body:
        if isinstance(node, ast.ClassDef):
            checks, run = (ast.get_docstring(node) or "").partition(":")[0].split()
            found[node.name] = (checks.split("+"), run)
    return found


BROKEN = declared()
# each hears a cancel in the window where the other one does not
DEAF = {"DeafWhileStalled": "streaming/cancel", "DeafWhileStreaming": "stalled/cancel"}


@pytest.fixture(scope="module")
def reports() -> dict[str, Report]:
    """Judge all of them, a few at a time: some wait for a limit while others start."""

    async def all_of_them() -> dict[str, Report]:
        gate = asyncio.Semaphore(4)

        async def one(name: str, run: str) -> tuple[str, Report]:
            command = [sys.executable, str(AGENTS / "broken.py"), name]
            options = Options(limits=LIMITS, runs=(run,), confirm=1)
            async with gate:
                return f"{name} {run}", await judge_known(command, options, KNOWN)

        asked = [(name, run) for name, (_, run) in BROKEN.items()] + [(name, run) for name, run in DEAF.items()]
        return dict(await asyncio.gather(*(one(*each) for each in asked)))

    return asyncio.run(all_of_them())


def test_there_is_a_broken_agent_for_every_check() -> None:
    assert {check for checks, _ in BROKEN.values() for check in checks} == set(CHECKS)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_agent_is_found_for_its_check_only(name: str, reports: dict[str, Report]) -> None:
    checks, run = BROKEN[name]
    report = reports[f"{name} {run}"]
    advisory = all(CHECKS[check].advisory for check in checks)
    found = report.notes if advisory else report.findings
    assert [(f.check, f.run) for f in found] == [(check, run) for check in checks], report
    assert report.verdict == ("CONFORMS" if advisory else "VIOLATES")


@pytest.mark.parametrize("name", DEAF)
def test_stalled_and_slow_models_are_judged_apart(name: str, reports: dict[str, Report]) -> None:
    report = reports[f"{name} {DEAF[name]}"]
    assert (report.verdict, report.checks["L8"]) == ("CONFORMS", "kept"), report
    (finding,) = reports[f"{name} {BROKEN[name][1]}"].findings
    model = "stalled" if name == "DeafWhileStalled" else "slow"
    assert finding.summary == f"with a {model} model, prompt A was answered only once its gate was opened"
    assert finding.limit == "2 s (limit cancel)"
