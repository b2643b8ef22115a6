"""Small versions of the campaigns, so that they cannot rot, and the stamps on their results."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import lifecycle_runtime

CAMPAIGNS = Path(__file__).resolve().parents[1] / "campaigns"

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the campaigns read /proc and fork")


def run(name: str, *arguments: str) -> dict[str, Any]:
    ran = subprocess.run(
        [sys.executable, str(CAMPAIGNS / f"{name}.py"), *arguments], capture_output=True, text=True, timeout=240
    )
    result: dict[str, Any] = json.loads(ran.stdout)
    assert ran.returncode == 0, result
    return result


def test_killed_writers_lose_nothing_that_was_flushed() -> None:
    result = run("crash", "--kills", "15", "--seed", "7")
    assert result["problems"] == []
    assert result["counts"]["kills"] == 15
    assert result["counts"]["lives checked"] > 0


def test_agents_cancelled_and_disposed_midway_leave_nothing() -> None:
    result = run("load", "--agents", "60", "--turns", "4", "--cycles", "1", "--growth", "1.2")
    assert result["problems"] == []
    assert result["counts"]["agents"] == 180
    assert result["counts"]["disposed mid-turn"] > 0
    assert result["counts"]["turns aborted"] > 0


def test_the_benchmark_measures_both_stores() -> None:
    result = run("bench_turns", "--records", "1200", "--window", "50", "--flat", "1000")
    for kind in ("without storage", "with SQLite"):
        assert result[kind]["turns"] >= 200
        assert result[kind]["turns per second"] > 0


def test_a_stamp_is_about_the_modules_a_campaign_loaded() -> None:
    spec = importlib.util.spec_from_file_location("stamped", CAMPAIGNS / "stamped.py")
    assert spec is not None
    assert spec.loader is not None
    stamped: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stamped)
    modules = ["impl/lifecycle_runtime/bus.py", "impl/lifecycle_runtime/step.py"]
    blobs = {modules[0]: "b1", modules[1]: "s1", "impl/lifecycle_runtime/acp_agent.py": "a1"}
    then = stamped.stamp_of(modules, blobs)
    assert stamped.stamp_of(modules, {**blobs, "impl/lifecycle_runtime/acp_agent.py": "a2"}) == then
    assert stamped.stamp_of(modules, {**blobs, modules[1]: "s2"}) != then
    assert stamped.stamp_of(modules, {**blobs, modules[1]: "s1+changes"}).endswith("+changes")
    assert stamped.stamp_of(modules, {modules[0]: "b1"}).endswith("+changes"), "a module that is committed nowhere"
    assert lifecycle_runtime.AgentSpec.__module__ == "lifecycle_runtime.handle"
    assert "impl/lifecycle_runtime/handle.py" in stamped.loaded()
    result = {"stamp": {"tree": stamped.stamp_of(modules, stamped.AT_START), "modules": modules}}
    assert stamped.fresh(result)
    result["stamp"]["tree"] = then
    assert not stamped.fresh(result)


def test_every_committed_result_is_stamped_and_good() -> None:
    for path in (CAMPAIGNS / "results").glob("*.json"):
        result = json.loads(path.read_text())
        assert {"tree", "date", "python", "system"} <= set(result["stamp"])
        assert "+" not in result["stamp"]["tree"], f"{path.name} was measured on uncommitted changes"
        assert not result.get("problems")
