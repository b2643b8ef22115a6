"""Takes every row, guard, step and property of contract 1 away in turn and stores what changes, stamped with the sources.

    nice python conformance/campaigns/load_bearing.py            two minutes; exit 1 if something changes nothing without a reason

Rows, guards and steps are what `lifecycle explain --load-bearing` shows. A property is taken away where it matters: in the broken
contracts of the model's tests, each of which must break its own property, and is listed with the others that notice it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import subprocess
import sys
import time
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from lifecycle_conformance.bearing.judge import Change, Changes, unexplained
from lifecycle_model.contract1 import contract
from lifecycle_model.explore import explore, standard
from lifecycle_model.explorer import search

ROOT = Path(__file__).resolve().parents[2]
RESULT = ROOT / "conformance" / "campaigns" / "results" / "load_bearing.json"
SOURCES = ("model", "conformance/vectors", "conformance/lifecycle_conformance/bearing")


def stamp() -> dict[str, str]:
    """The date and the sources this ran on, as committed; `+changes` if some are not."""
    git = ("git", "-C", str(ROOT))
    tree = subprocess.run([*git, "ls-tree", "HEAD", *SOURCES], capture_output=True, text=True, check=True).stdout
    dirty = subprocess.run([*git, "status", "--porcelain", *SOURCES], capture_output=True, text=True, check=True).stdout
    name = hashlib.sha256(tree.encode()).hexdigest()[:12]
    return {"sources": name + ("+changes" if dirty else ""), "date": time.strftime("%Y-%m-%d", time.gmtime())}


def properties() -> dict[str, list[str]]:
    """By property: what else first notices the contract that is broken for it; raises if it does not notice itself."""
    path = ROOT / "model" / "tests" / "test_model_properties.py"
    spec = importlib.util.spec_from_file_location("test_model_properties", path)
    assert spec is not None
    assert spec.loader is not None
    tests: Any = sys.modules.setdefault("test_model_properties", importlib.util.module_from_spec(spec))
    spec.loader.exec_module(tests)
    found: dict[str, list[str]] = {}
    every = standard(contract())
    for broken in tests.SAFETY:
        own = search(broken.contract(), broken.scope, every.only(broken.id), first=True).violations
        rest = replace(every, safety=tuple(one for one in every.safety if one.id != broken.id), liveness=())
        others = search(broken.contract(), broken.scope, rest, first=True).violations
        found[broken.id] = _told(broken.id, own, others)
    for broken in tests.LIVENESS:
        own = explore(broken.contract(), broken.scope, every.only(broken.id)).lassos
        found[broken.id] = _told(broken.id, own, ())
    return found


def _told(name: str, own: Collection[str], others: Iterable[str]) -> list[str]:
    if name not in own:
        raise SystemExit(f"the contract that is broken for {name} does not break it")
    noticed = sorted(others)
    print(f"property {name}: without it {', '.join(noticed) or 'nothing'} would notice", file=sys.stderr)
    return noticed


def main() -> int:
    """Run everything and store it."""
    told = stamp()
    found: list[Change] = []
    every = Changes(contract())
    for change in every:
        found.append(change)
        if len(found) % 50 == 0:
            print(f"{len(found)} of {every.total} taken away", file=sys.stderr)
    bad = unexplained(found)
    for change in bad:
        print(change.line(), file=sys.stderr)
    result = {"stamp": told, "changes": [change.facts() for change in found], "properties": properties()}
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(result, indent=1) + "\n")
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
