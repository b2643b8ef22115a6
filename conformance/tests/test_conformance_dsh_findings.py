"""Every finding about the published runtime is still real, and every one is told. Installs nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from lifecycle_conformance.systems import dsh
from lifecycle_conformance.systems.dsh.node import find_node

FOLDER = Path(__file__).parent.parent / "findings" / "dsh"
SHARED = {"runtime", "persistence"}
FINDINGS = sorted(path for path in FOLDER.glob("*.mjs") if path.stem not in SHARED)

needs_install = pytest.mark.skipif(
    not dsh.is_installed(), reason="dsh is not installed; next: lifecycle systems install dsh"
)


@needs_install
@pytest.mark.parametrize("path", FINDINGS, ids=lambda path: path.stem)
def test_the_departure_is_there(path: Path) -> None:
    command = [str(find_node().binary), str(path), str(dsh.set_folder())]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_list_names_each_finding_once() -> None:
    lines = (FOLDER / "README.md").read_text(encoding="utf-8").splitlines()
    named = [line.split("`")[1] for line in lines if line.startswith("| `")]
    assert sorted(named) == [path.stem for path in FINDINGS]


def test_no_finding_uses_the_adapter() -> None:
    for path in FOLDER.glob("*.mjs"):
        assert "lifecycle_conformance" not in path.read_text(encoding="utf-8")
