"""Own the committed results of the campaigns: what was measured, on what, and whether it is still about this tree.

    python impl/campaigns/stamped.py        which results are stale?

A result is fresh while the committed runtime is the one it was measured on.
"""

# ruff: noqa: INP001 - scripts to run, not a package to import

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).resolve().parent / "results"
SOURCES = "impl/lifecycle_runtime"


def tree_hash() -> str:
    """Name the runtime's tree; with uncommitted changes it is no tree anybody else has."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()

    changed = git("status", "--porcelain", "--", SOURCES)
    return git("rev-parse", f"HEAD:{SOURCES}")[:12] + ("+changes" if changed else "")


TREE = tree_hash()
"""The runtime's tree when the campaign began, which is the one it imported."""


def write(name: str, result: Mapping[str, Any]) -> Path:
    """Store one result beside the others, stamped."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    stamp = {
        "tree": TREE,
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    }
    path.write_text(json.dumps({"campaign": name, "stamp": stamp, **result}, indent=2) + "\n")
    return path


def main() -> int:
    """Print every result and whether it is stale; 1 if one is."""
    stale = False
    for path in sorted(RESULTS.glob("*.json")):
        result = json.loads(path.read_text())
        fresh = result["stamp"]["tree"] == TREE
        stale |= not fresh
        print(f"{path.stem:12} {result['stamp']['date']} {'fresh' if fresh else 'STALE'}: {result['verdict']}")
    return int(stale)


if __name__ == "__main__":
    sys.exit(main())
