"""The well-behaved agents are clean, under every freedom the protocol leaves them."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from lifecycle_conformance.acp import CHECKS, Limits, Options, Report, from_json, judge, render, to_json
from lifecycle_conformance.acp.judge import judge_async

AGENTS = Path(__file__).parent / "acp_agents"
AGENT = [sys.executable, str(AGENTS / "good.py")]
FREE = [sys.executable, str(AGENTS / "free.py")]
OVERLAPS = ("stalled/prompt", "permission/prompt", "accepted/cancel+prompt", "streaming/cancel+prompt")
LOADS = ("settled/load", "streaming/load", "settled/load-twice")


@pytest.fixture(scope="module")
def whole() -> Report:
    """Judge the agent by the whole quick profile."""
    return judge(AGENT, Options(jobs=3, limits=Limits(calm=0.2)))


def test_the_whole_quick_profile_is_clean(whole: Report) -> None:
    assert (whole.findings, whole.inconclusive, whole.out_of_reach) == ((), (), ()), render(whole)
    assert whole.verdict == "CONFORMS"
    assert whole.exit_code == 0
    assert set(whole.checks.values()) == {"kept"}


def test_the_report_says_who_was_judged_and_what_the_verdict_does_not_mean(whole: Report) -> None:
    assert (whole.agent.name, whole.agent.version, whole.agent.protocol) == ("Good", "1", 1)
    text = render(whole)
    assert text.startswith("CONFORMS  Good 1")
    assert "It says nothing about other windows" in text


def test_a_report_survives_json(whole: Report) -> None:
    assert from_json(to_json(whole)) == whole


def test_every_check_was_exercised_by_some_run(whole: Report) -> None:
    assert {check for run in whole.runs for check in run.exercised} == set(CHECKS)


def test_it_is_clean_under_every_freedom() -> None:
    ways: list[tuple[str, str, tuple[str, ...]]]
    ways = [("--overlap", way, OVERLAPS) for way in ("queue", "refuse", "replace")]
    ways += [("--live-load", "refuse", LOADS)]

    async def all_of_them() -> list[Report]:
        gate = asyncio.Semaphore(2)

        async def one(option: str, way: str, runs: tuple[str, ...]) -> Report:
            async with gate:
                return await judge_async(
                    [*AGENT, option, way], Options(runs=runs, jobs=2, limits=Limits(calm=0.2)), lambda _: None
                )

        return list(await asyncio.gather(*(one(*way) for way in ways)))

    for report in asyncio.run(all_of_them()):
        assert report.verdict == "CONFORMS", render(report)


def test_an_agent_that_takes_every_other_freedom_is_clean() -> None:
    options = Options(jobs=3, limits=Limits(calm=0.2), daemons=("sleep 86399",))
    report = judge(FREE, options)
    assert report.verdict == "CONFORMS", render(report)
    assert {check for check, state in report.checks.items() if state != "kept"} == {"S7"}, "it asks for no permission"


def test_a_daemon_that_was_not_allowed_is_found() -> None:
    report = judge(FREE, Options(runs=("idle/eof",), confirm=1, limits=Limits(leftovers=0.5)))
    (finding,) = report.findings
    assert (finding.check, finding.limit) == ("L3", "0.5 s (limit leftovers)")
    assert "sleep 86399" in finding.summary


def test_what_an_agent_does_not_offer_is_out_of_reach_and_the_rest_is_judged() -> None:
    options = Options(runs=("idle/*", "settled/*"), jobs=3, limits=Limits(calm=0.2), daemons=("sleep 86399",))
    report = judge([*FREE, "--bare"], options)
    assert report.verdict == "CONFORMS", render(report)
    assert {u.why for u in report.out_of_reach} == {
        "loadSession is not advertised",
        "sessionCapabilities.resume is not advertised",
        "sessionCapabilities.close is not advertised",
    }
