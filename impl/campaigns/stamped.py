"""Own the committed results of the campaigns: what was measured, on what, and whether it is still about this tree.

    python impl/campaigns/stamped.py        which results are stale?

A result is fresh while the committed modules of the runtime that its campaign loaded are those it was measured on.
"""

# ruff: noqa: INP001 - scripts to run, not a package to import

import hashlib
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).resolve().parent / "results"
SOURCES = "impl/lifecycle_runtime"
PACKAGE = "lifecycle_runtime"


def committed() -> dict[str, str]:
    """The blob of every source of the runtime; a file with uncommitted changes has no blob anybody else has."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout

    blobs = {}
    for line in git("ls-tree", "-r", "HEAD", "--", SOURCES).splitlines():
        about, _, path = line.partition("\t")
        blobs[path] = about.split()[2]
    changed = {line[3:] for line in git("status", "--porcelain", "--", SOURCES).splitlines()}
    return {path: blob + ("+changes" if path in changed else "") for path, blob in blobs.items()}


AT_START = committed()
"""The sources when the campaign began, which are those it imported."""


def stamp_of(modules: Iterable[str], blobs: Mapping[str, str]) -> str:
    """Name the sources of these modules, paths from the repository's root; `+changes` if one is uncommitted."""
    told = [f"{path} {blobs.get(path, 'missing+changes')}\n" for path in sorted(modules)]
    name = hashlib.sha256("".join(told).encode()).hexdigest()[:12]
    return name + ("+changes" if any("+changes" in line for line in told) else "")


def loaded() -> list[str]:
    """The runtime's modules this process has loaded, as paths from the root; refuses those of another tree."""
    found: list[str] = []
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == PACKAGE and module.__file__ is not None:
            path = Path(module.__file__).resolve()
            if not path.is_relative_to(ROOT):
                raise SystemExit(f"{name} was loaded from {path}, not from {ROOT}; install this tree and run again")
            found.append(path.relative_to(ROOT).as_posix())
    return sorted(found)


def write(name: str, result: Mapping[str, Any]) -> Path:
    """Store one result beside the others, stamped."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    modules = loaded()
    stamp = {
        "tree": stamp_of(modules, AT_START),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "modules": modules,
    }
    path.write_text(json.dumps({"campaign": name, "stamp": stamp, **result}, indent=2) + "\n")
    return path


def fresh(result: Mapping[str, Any]) -> bool:
    """Whether the modules a result was measured on are the committed ones."""
    stamp = result["stamp"]
    return bool(stamp["tree"] == stamp_of(stamp.get("modules", ()), AT_START))


def main() -> int:
    """Print every result and whether it is stale; 1 if one is."""
    stale = False
    for path in sorted(RESULTS.glob("*.json")):
        result = json.loads(path.read_text())
        stale |= not fresh(result)
        print(f"{path.stem:12} {result['stamp']['date']} {'fresh' if fresh(result) else 'STALE'}: {result['verdict']}")
    return int(stale)


if __name__ == "__main__":
    sys.exit(main())
