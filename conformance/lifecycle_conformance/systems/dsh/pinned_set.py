"""Installs, finds and removes the pinned set of packages. Only `install` reaches a network."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lifecycle_conformance.systems.dsh.errors import InstallFailedError, NodeMissingError, NotInstalledError
from lifecycle_conformance.systems.dsh.node import find_node

HERE = Path(__file__).parent
ADAPTER = HERE / "adapter.mjs"
_MANIFEST = "package.json"
_LOCK = "package-lock.json"
# written last, so a folder that has it is complete
_DONE = "installed.json"
_LOOP = "@deepseek-ai/dsh-agent-loop"


@dataclass(frozen=True)
class Description:
    """The system as `lifecycle systems` shows it."""

    name: str
    version: str
    installed: bool
    folder: Path
    node: str


def default_cache() -> Path:
    """The cache of ours: LIFECYCLE_CACHE, else this platform's folder for caches."""
    named = os.environ.get("LIFECYCLE_CACHE")
    if named:
        return Path(named).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "lifecycle-spec"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "lifecycle-spec" / "Cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lifecycle-spec"


def pinned_version() -> str:
    """The version of the runtime that the manifest pins."""
    manifest = json.loads((HERE / _MANIFEST).read_text(encoding="utf-8"))
    return str(manifest["dependencies"][_LOOP])


def set_folder(cache: Path | None = None) -> Path:
    """Where the pinned set lives: one folder for each content of the lockfile, so a new lock never meets an old set."""
    digest = hashlib.sha256((HERE / _LOCK).read_bytes()).hexdigest()[:12]
    return (cache or default_cache()) / "systems" / "dsh" / f"{pinned_version()}-{digest}"


def is_installed(cache: Path | None = None) -> bool:
    """Whether the complete pinned set is in the cache."""
    return (set_folder(cache) / _DONE).is_file()


def install(cache: Path | None = None, progress: Callable[[str], None] = lambda _line: None) -> Path:
    """Install the pinned set from the lockfile, whole or not at all, unless it is there. Returns its folder."""
    folder = set_folder(cache)
    if is_installed(cache):
        progress(f"dsh {pinned_version()} is installed at {folder}")
        return folder
    node = find_node()
    if not node.npm:
        raise NodeMissingError("npm")
    folder.parent.mkdir(parents=True, exist_ok=True)
    building = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        for name in (_MANIFEST, _LOCK):
            shutil.copyfile(HERE / name, building / name)
        progress(f"installing dsh {pinned_version()} with the npm of {node.origin}")
        _run_npm(node.npm, node.binary, building)
        done = {"version": pinned_version(), "node": node.origin}
        (building / _DONE).write_text(json.dumps(done) + "\n", encoding="utf-8")
        _publish(building, folder)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    progress(f"dsh {pinned_version()} is installed at {folder}")
    return folder


def _run_npm(npm: tuple[str, ...], binary: Path, folder: Path) -> None:
    # npm starts helpers by name: let them find the same Node
    environment = {**os.environ, "PATH": f"{binary.parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    # no package of the set has an install script; refusing them keeps it that way
    command = [*npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise InstallFailedError(done.returncode, "\n".join((done.stdout + done.stderr).strip().splitlines()[-12:]))


def _publish(building: Path, folder: Path) -> None:
    """Move the finished set to its place in one step; a set that another process finished first is as good."""
    if folder.exists() and not (folder / _DONE).is_file():
        shutil.rmtree(folder)
    try:
        building.rename(folder)
    except OSError:
        if not (folder / _DONE).is_file():
            raise


def command(cache: Path | None = None) -> list[str]:
    """The command line that speaks protocol 1 on stdio. Raises NotInstalledError, which names the next command."""
    if not is_installed(cache):
        raise NotInstalledError(set_folder(cache))
    return [str(find_node().binary), str(ADAPTER), str(set_folder(cache))]


def describe(cache: Path | None = None) -> Description:
    """What this system is, whether it is installed and where, and which Node would run it."""
    try:
        node = find_node()
        shown = f"{node.binary} ({node.origin})"
    except NodeMissingError:
        shown = "none found"
    return Description("dsh", pinned_version(), is_installed(cache), set_folder(cache), shown)


def remove(cache: Path | None = None) -> bool:
    """Remove every set of this system from the cache, unfinished ones too; false if there was none."""
    root = set_folder(cache).parent
    if not root.exists():
        return False
    shutil.rmtree(root)
    return True
