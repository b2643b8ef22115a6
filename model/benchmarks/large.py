# ruff: noqa: INP001 - a script to run, not a package to import
"""Explore a scope of many millions of configurations: `python model/benchmarks/large.py quartet [--limit N]`.

Says what it will take before it starts, shows progress, prints what was found with what it was found by. Needs numpy.
"""

from __future__ import annotations

import argparse
import platform
import resource
import sys
import time

import numpy as np

from lifecycle_model.contract1 import contract
from lifecycle_model.estimate import estimate
from lifecycle_model.explore import standard
from lifecycle_model.explorer import Progress
from lifecycle_model.frontier import Frontier
from lifecycle_model.scope import ScopeError
from lifecycle_model.scopes import scope_named


def main() -> int:
    """Explore one scope; 1 if an invariant fails, 2 if there is no such scope."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scope")
    parser.add_argument("--limit", type=int, default=0, help="stop at the level that passes this many configurations")
    asked = parser.parse_args()
    try:
        scope = scope_named(asked.scope)
    except ScopeError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{scope.name}: {scope.about}\n{estimate(contract(), scope).text()}", flush=True)
    began = time.process_time()
    tables = Frontier(contract(), scope, standard(contract()))
    made = time.process_time()

    def progress(now: Progress) -> None:
        print(f"  depth {now.depth}: {now.configurations:,} configurations", file=sys.stderr, flush=True)

    found = tables.run(progress, limit=asked.limit)
    seconds = time.process_time() - made
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        f"{found.configurations:,} configurations, {found.transitions:,} transitions, depth {len(found.levels) - 1}, "
        f"{found.found.rows.bit_count()} rows, {tables.width:,} local views"
    )
    print(
        f"{made - began:.1f} s for the tables, {seconds:.1f} s of CPU, {found.configurations / seconds:,.0f} configurations/s, {memory:,} MB"
    )
    print(f"Python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}")
    whole = "all visited" if found.found.space.complete else "stopped by the limit, so nothing is proved"
    broken = ", ".join(f"{name} after {one.level + 1} hops" for name, one in found.broken.items())
    print(f"{whole}; {len(standard(contract()).safety)} invariants, {f'violated: {broken}' if broken else 'all hold'}")
    return 1 if found.broken else 0


if __name__ == "__main__":
    sys.exit(main())
