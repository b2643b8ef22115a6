"""The dsh adapter as a program: its protocol manners, its repeatability, and its installer without a network."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lifecycle_conformance.systems import dsh
from lifecycle_conformance.systems.dsh import pinned_set as installer
from lifecycle_conformance.systems.dsh.node import Node

needs_install = pytest.mark.skipif(
    not dsh.is_installed(), reason="dsh is not installed; next: lifecycle systems install dsh"
)

Reply = dict[str, Any]

RUN: list[list[dict[str, object]]] = [
    [{"do": "create", "as": "h1", "id": "x"}, {"do": "create", "as": "h2", "id": "y", "owner": "f1"}],
    [{"do": "hold", "gate": "model", "of": "x"}, {"do": "send", "agent": "x", "message": "m1"}],
    [{"do": "send", "agent": "y", "message": "m2"}, {"do": "cancel", "agent": "x"}],
    [{"do": "dispose", "agent": "x", "as": "d1"}, {"do": "unload_owner", "fiber": "f1", "as": "u1"}],
]


class Talk:
    """One adapter process, asked one line at a time."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(dsh.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def line(self, text: str) -> bytes:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def ask(self, method: str, params: object = None, number: int = 1) -> Reply:
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": {} if params is None else params}
        reply: Reply = json.loads(self.line(json.dumps(request)))
        return reply

    def end(self) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        code = self.process.wait(timeout=10)
        self.process.stdout.close()
        return code


@pytest.fixture
def talk() -> Iterator[Talk]:
    opened = Talk()
    yield opened
    if opened.process.poll() is None:
        opened.end()


@needs_install
def test_it_says_who_it_is(talk: Talk) -> None:
    result = talk.ask("initialize", {"protocol": 1})["result"]
    assert (result["name"], result["version"], result["protocol"]) == ("dsh", "0.1.0-rc.8", 1)
    assert result["profile"]["contract"] == "latch"
    assert result["profile"]["statuses"] == ["idle", "running"]


@needs_install
@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        ("{", -32700, "not JSON"),
        ('{"jsonrpc":"2.0","id":1,"method":"run","extra":1}', -32600, "unknown member extra"),
        ('{"id":1,"method":"run"}', -32600, "a request is"),
        ('{"jsonrpc":"2.0","id":1,"method":"toString"}', -32601, 'no method "toString"'),
        ('{"jsonrpc":"2.0","id":1,"method":"run","params":{}}', -32602, "params.bursts: missing"),
        (
            '{"jsonrpc":"2.0","id":1,"method":"run","params":{"bursts":[{}]}}',
            -32602,
            "params.bursts[0]: must be a list",
        ),
        ('{"jsonrpc":"2.0","id":1,"method":"run","params":{"bursts":[[{"do":"fly"}]]}}', -32602, "bursts[0][0].do"),
        (
            '{"jsonrpc":"2.0","id":1,"method":"run","params":{"bursts":[[],[{"do":"send","agent":"x","message":"m","x":1}]]}}',
            -32602,
            "params.bursts[1][0].x: unknown member",
        ),
        (
            '{"jsonrpc":"2.0","id":1,"method":"run","params":{"bursts":[[{"do":"react","on":{},"then":[{"do":"send","agent":7}]}]]}}',
            -32602,
            "params.bursts[0][0].then[0].agent: wrong type",
        ),
    ],
)
def test_a_malformed_request_is_refused_with_its_path(talk: Talk, line: str, code: int, says: str) -> None:
    error = json.loads(talk.line(line))["error"]
    assert error["code"] == code
    assert says in error["message"]


@needs_install
def test_two_identical_runs_give_identical_bytes(talk: Talk) -> None:
    request = json.dumps({"jsonrpc": "2.0", "id": 5, "method": "run", "params": {"bursts": RUN}})
    answers: set[bytes] = set()
    for _ in range(3):
        assert talk.ask("reset")["result"] == {}
        answers.add(talk.line(request))
    assert len(answers) == 1
    bursts = json.loads(answers.pop())["result"]["bursts"]
    assert {"event": "settled", "of": "d1", "ok": None} in bursts[3]["seen"]
    assert {"event": "settled", "of": "u1", "ok": None} in bursts[3]["seen"]


@needs_install
def test_a_verb_it_does_not_know_is_refused_not_failed(talk: Talk) -> None:
    result = talk.ask("run", {"bursts": [[{"do": "acp", "act": "connect"}, {"do": "hold", "gate": "policy"}]]})[
        "result"
    ]
    assert [call["refused"] for call in result["bursts"][0]["calls"]] == ["unsupported", "unsupported"]


@needs_install
def test_nothing_of_an_earlier_run_is_left(talk: Talk) -> None:
    talk.ask("run", {"bursts": RUN[:2]})
    talk.ask("reset")
    [burst] = talk.ask(
        "run", {"bursts": [[{"do": "read", "registry": True}, {"do": "send", "agent": "x", "message": "m"}]]}
    )["result"]["bursts"]
    assert burst["seen"] == []
    assert burst["calls"][0] == {"ok": {"agents": [], "roots": []}}
    assert burst["calls"][1]["refused"] == "not_live"


@needs_install
def test_it_ends_at_the_end_of_its_input(talk: Talk) -> None:
    talk.ask("run", {"bursts": RUN[:2]})
    assert talk.end() == 0


def test_the_lock_pins_everything_and_names_no_host() -> None:
    folder = Path(installer.__file__).parent
    lock = json.loads((folder / "package-lock.json").read_text(encoding="utf-8"))
    manifest = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    assert all(version[0].isdigit() for version in manifest["dependencies"].values())
    assert lock["packages"][""]["dependencies"] == manifest["dependencies"]
    installed = [package for name, package in lock["packages"].items() if name]
    assert all(package["integrity"].startswith("sha512-") for package in installed)
    assert all("resolved" not in package and not package.get("hasInstallScript") for package in installed)
    assert "://" not in json.dumps(lock)


def test_without_the_install_the_next_command_is_named(tmp_path: Path) -> None:
    with pytest.raises(dsh.NotInstalledError, match="Next: lifecycle systems install dsh"):
        dsh.command(tmp_path)
    assert not dsh.describe(tmp_path).installed
    assert not dsh.remove(tmp_path)


def fake_npm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str) -> None:
    """Let the installer find an npm that does only what `script` says."""
    program = tmp_path / "npm.py"
    program.write_text(script, encoding="utf-8")
    node = Node(Path(sys.executable), (sys.executable, str(program)), "a test")
    monkeypatch.setattr(installer, "find_node", lambda: node)


def test_a_set_is_installed_whole_once_and_removed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    count = tmp_path / "count"
    script = f"open({str(count)!r}, 'a').write('x'); open('made-by-npm', 'w').close()"
    fake_npm(monkeypatch, tmp_path, script)
    cache = tmp_path / "cache"
    folder = dsh.install(cache)
    assert dsh.install(cache) == folder == dsh.set_folder(cache)
    assert count.read_text(encoding="utf-8") == "x"
    assert (folder / "made-by-npm").exists()
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    assert dsh.command(cache)[1:] == [str(installer.ADAPTER), str(folder)]
    assert dsh.remove(cache)
    assert not dsh.is_installed(cache)


def test_a_failed_install_leaves_nothing_and_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake_npm(monkeypatch, tmp_path, "import sys; open('half', 'w').close(); sys.exit('the registry is away')")
    cache = tmp_path / "cache"
    with pytest.raises(dsh.InstallFailedError, match="the registry is away"):
        dsh.install(cache)
    assert list(dsh.set_folder(cache).parent.iterdir()) == []


def test_a_half_set_from_elsewhere_is_replaced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake_npm(monkeypatch, tmp_path, "open('made-by-npm', 'w').close()")
    folder = dsh.set_folder(tmp_path)
    (folder / "node_modules").mkdir(parents=True)
    assert dsh.install(tmp_path) == folder
    assert not (folder / "node_modules").exists()
