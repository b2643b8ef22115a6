"""Thousands of seeded histories of the reference runtime: none may be failed. Writes a stamped result.

python conformance/campaigns/seeds.py --histories 3000 > conformance/results/seeds.json
python conformance/campaigns/seeds.py --system python:lifecycle_conformance.systems.stepped:make > conformance/results/seeds_stepped.json
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys

from lifecycle_conformance.engines import Setting, Task, Worker
from lifecycle_conformance.scopes import SCOPES


def main() -> int:
    """Walk every scope with its share of the histories, each with a seed of its own; exit 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=3000)
    parser.add_argument("--system", default="reference")
    options = parser.parse_args()
    worker = Worker(Setting(options.system, "1", 10.0))
    share = -(-options.histories // len(SCOPES))
    played, failed, errors = {}, 0, []
    for scope in SCOPES:
        done = worker.work(Task("walk", scope.name, seed=20_000, histories=share))
        played[scope.name] = done.runs
        failed += len(done.failures)
        errors += done.errors
        print(f"{scope.name}: {done.runs} histories, {len(done.failures)} failures", file=sys.stderr)
    worker.system.stop()
    tree = subprocess.run(
        ["git", "rev-parse", "HEAD^{tree}"], capture_output=True, text=True, check=False
    ).stdout.strip()
    result = {"system": options.system, "tree": tree, "histories": played, "failures": failed, "errors": errors}
    print(json.dumps(result, indent=1, sort_keys=True))
    return 1 if failed or errors else 0


if __name__ == "__main__":
    raise SystemExit(main())
